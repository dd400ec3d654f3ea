/* Bytes through the link of the busiest node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/link_bytes.h"

double ovl_link_bytes_alltoall(double size, double ranks, double nodes)
{
    double here = ranks / nodes;
    return here * (ranks - here) * size;
}

double ovl_link_bytes_gather(double size, double ranks, double nodes)
{
    return (ranks - ranks / nodes) * size;
}

double ovl_link_bytes_vector(double size, double ranks, double nodes)
{
    (void)ranks, (void)nodes;
    return size;
}

/* P. Patarasuk and X. Yuan, J. Parallel Distrib. Comput. 69 (2009): the bound, which a ring reaches. */
double ovl_link_bytes_allreduce(double size, double ranks, double nodes)
{
    return 2 * ovl_link_bytes_reduce_scatter(size, ranks, nodes);
}

double ovl_link_bytes_reduce_scatter(double size, double ranks, double nodes)
{
    (void)ranks;
    return (nodes - 1) / nodes * size;
}
