/* Names of processors and MPI libraries as people say them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CORE_NAME_H
#define OVL_CORE_NAME_H

#include <stddef.h>

/* Copies the first part of a name, up to a comma or the end of its line, without "(R)", "(TM)", "Version", colons, and
   spaces that then stand twice: "MPICH Version:\t4.0.2" becomes "MPICH 4.0.2". */
void ovl_name_shorten(char *text, size_t room, const char *name);

#endif
