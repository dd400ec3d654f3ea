/* The link of a node: the least bytes that a collective moves through that of the busiest one, and what is emulated. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_LINK_H
#define OVL_CLI_LINK_H

/* Bytes that one node must at least send, or receive, whichever is more; `size` as the benchmark counts it, with the
   same number of ranks on every node. For rows of cli/catalog.c. */
double ovl_link_bytes_alltoall(double size, double ranks, double nodes); /* r (R - r) size, r = R / nodes */
double ovl_link_bytes_gather(double size, double ranks, double nodes); /* (R - r) size: (i)gather, scatter, allgather */
double ovl_link_bytes_vector(double size, double ranks, double nodes); /* size: bcast, reduce */
double ovl_link_bytes_allreduce(double size, double ranks, double nodes);      /* 2 (nodes - 1) / nodes size */
double ovl_link_bytes_reduce_scatter(double size, double ranks, double nodes); /* (nodes - 1) / nodes size */

/* An emulated cluster as the variable OVL_CLUSTER describes it, "nodes=2 rate=1000000000 burst=81920": bytes a second
   of a node's link; and the seconds in which an idle link lets its burst through again, so that samples that begin
   after so much idleness are alike. NaN where the text is NULL or does not say. */
double ovl_link_emulated_rate(const char *cluster);
double ovl_link_settle_seconds(const char *cluster);

/* Seconds that a core of the machine needs to carry a byte in or out of a node, the word "carry=" of the same text,
   which scripts/cluster floor measures; NaN where it does not say. */
double ovl_link_carry_seconds(const char *cluster);

/* The most of the link's bytes that can be data, by the word "payload=" of the same text; 1 where it does not say. */
double ovl_link_payload_share(const char *cluster);

/* "1gbit" in bits a second, as scripts/cluster takes a rate; NAN. */
double ovl_link_bits(const char *rate);

#endif
