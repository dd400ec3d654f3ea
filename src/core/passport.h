/* Do all processes of a job fit together? On a DPU another build runs, perhaps of another version. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CORE_PASSPORT_H
#define OVL_CORE_PASSPORT_H

#include "core/error.h"

#include <stdint.h>

/* Changes with struct ovl_command, ovl_slot, ovl_channel, ovl_board, ovl_letter, ovl_hello, ovl_verbs_card, the
   engine's options, and with what any of them means. */
enum { OVL_WIRE_FORMAT = 1 };

/* What each process shows before anything else. This one keeps its layout for ever. */
struct ovl_passport {
    uint32_t wire_format, zero;
    char version[24];
    char mpi[96]; /* of MPI_Get_library_version: the first line, to a comma at most */
    char node[64];
};

/* `mpi` may be longer than there is room, and of many lines. */
void ovl_passport_make(struct ovl_passport *p, uint32_t wire_format, const char *version, const char *mpi,
                       const char *node);

/* -1 and OVL_ENVIRONMENT with the first process that differs from process 0, and in what. */
int ovl_passport_check(const struct ovl_passport *all, int processes, struct ovl_error *err);

#endif
