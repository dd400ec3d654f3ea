/* Comparing what processes are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/abi_check.h"

#include <stdio.h>
#include <string.h>

void ovl_abi_info_make(struct ovl_abi_info *p, uint32_t wire_format, const char *version, const char *mpi,
                       const char *node)
{
    memset(p, 0, sizeof *p);
    p->wire_format = wire_format;
    snprintf(p->version, sizeof p->version, "%s", version);
    snprintf(p->mpi, sizeof p->mpi, "%.*s", (int)strcspn(mpi, ",\n"), mpi);
    snprintf(p->node, sizeof p->node, "%s", node);
    for (char *c = p->mpi; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

int ovl_abi_info_check(const struct ovl_abi_info *all, int processes, struct ovl_error *err)
{
    const struct ovl_abi_info *a = &all[0];
    for (int p = 1; p < processes; p++) {
        const struct ovl_abi_info *b = &all[p];
        if (b->wire_format == __builtin_bswap32(a->wire_format))
            return ovl_error_set(
                err, OVL_ENVIRONMENT,
                "process %d on node %s has its bytes in another order than process 0 on node %s: ranks "
                "and workers need processors of one order",
                p, b->node, a->node);
        if (a->wire_format != b->wire_format || strcmp(a->version, b->version) != 0)
            return ovl_error_set(
                err, OVL_ENVIRONMENT,
                "process %d on node %s is of ovl %s (wire format %u) and process 0 on node %s of ovl %s "
                "(wire format %u): build both from one version",
                p, b->node, b->version, (unsigned)b->wire_format, a->node, a->version, (unsigned)a->wire_format);
        if (strcmp(a->mpi, b->mpi) != 0)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "process %d on node %s runs with \"%s\" and process 0 on node %s with \"%s\": one job "
                                 "needs one MPI",
                                 p, b->node, b->mpi, a->node, a->mpi);
    }
    return 0;
}
