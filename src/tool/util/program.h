/* What can be told of a program by its file: whether a library can stand before its MPI, and which MPI that is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_PROGRAM_H
#define OVL_TOOL_UTIL_PROGRAM_H

#include <stdbool.h>

struct ovl_program {
    bool elf;        /* of this machine's word size; else nothing more is known: a script, perhaps */
    bool static_;    /* no dynamic linker reads it */
    bool privileged; /* setuid or setgid: the dynamic linker passes LD_PRELOAD over */
    char mpi[64];    /* the first library that it needs whose name speaks of MPI; "": none */
};

void ovl_program_look(const char *path, struct ovl_program *p);

#endif
