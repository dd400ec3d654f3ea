/* Do all processes of a job fit together? On a DPU another build runs, perhaps of another version. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_ABI_CHECK_H
#define OVL_BASE_ABI_CHECK_H

#include "base/error.h"

#include <stdint.h>

/* Changes with every struct that goes from one process to another as it is, whose sizes tests/unit/test_abi_check.c
   knows, and with what any of them means. */
enum { OVL_ABI_VERSION = 9 };

/* What each process shows before anything else. This one keeps its layout for ever. */
struct ovl_abi_info {
    uint32_t wire_format, zero;
    char version[24];
    char mpi[96]; /* of MPI_Get_library_version: the first line, to a comma at most */
    char node[64];
};

/* `mpi` may be longer than there is room, and of many lines. */
void ovl_abi_info_make(struct ovl_abi_info *p, uint32_t wire_format, const char *version, const char *mpi,
                       const char *node);

/* -1 and OVL_ENVIRONMENT with the first process that differs from process 0, and in what. */
int ovl_abi_info_check(const struct ovl_abi_info *all, int processes, struct ovl_error *err);

#endif
