/* The least bytes that a collective moves through the link of the busiest node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_LINK_BYTES_H
#define OVL_CLI_LINK_BYTES_H

/* Bytes that one node must at least send, or receive, whichever is more; `size` as the benchmark counts it, with the
   same number of ranks on every node. For rows of cli/catalog.c. */
double ovl_link_bytes_alltoall(double size, double ranks, double nodes); /* r (R - r) size, r = R / nodes */
double ovl_link_bytes_gather(double size, double ranks, double nodes); /* (R - r) size: (i)gather, scatter, allgather */
double ovl_link_bytes_vector(double size, double ranks, double nodes); /* size: bcast, reduce */
double ovl_link_bytes_allreduce(double size, double ranks, double nodes);      /* 2 (nodes - 1) / nodes size */
double ovl_link_bytes_reduce_scatter(double size, double ranks, double nodes); /* (nodes - 1) / nodes size */

#endif
