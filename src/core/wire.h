/* The least time that the wire between nodes takes for a collective: bytes through the busiest node's link, one way,
   divided by the link's rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CORE_WIRE_H
#define OVL_CORE_WIRE_H

#include "core/record.h"

/* Bytes that one node must at least send, or receive, whichever is more; `size` as the benchmark counts it, with the
   same number of ranks on every node. For rows of core/catalog.c. */
double ovl_wire_alltoall(double size, double ranks, double nodes);  /* r (R - r) size, r = R / nodes */
double ovl_wire_gather(double size, double ranks, double nodes);    /* (R - r) size: (i)gather, scatter, allgather */
double ovl_wire_vector(double size, double ranks, double nodes);    /* size: bcast, reduce */
double ovl_wire_allreduce(double size, double ranks, double nodes); /* 2 (nodes - 1) / nodes size */
double ovl_wire_reduce_scatter(double size, double ranks, double nodes); /* (nodes - 1) / nodes size */

/* An emulated cluster as the variable OVL_CLUSTER describes it, "nodes=2 rate=1000000000 burst=81920": bytes a second
   of a node's link; and the seconds in which an idle link lets its burst through again, so that samples that begin
   after so much idleness are alike. NaN where the text is NULL or does not say. */
double ovl_wire_emulated_rate(const char *cluster);
double ovl_wire_settle_seconds(const char *cluster);

/* The rate of the emulated cluster that a run was measured on; NaN where it was none. */
double ovl_wire_cluster_rate(const struct ovl_run *run);

/* The same, on a real network of the fastest active adapter of the first node. NaN when it is not known. */
double ovl_wire_rate(const struct ovl_run *run);

/* Seconds on the wire. NaN on one node, with uneven nodes, without a known rate, and where the row has no formula; of a
   proxy's cell by what it says itself (wire_bytes). */
double ovl_wire_seconds(const struct ovl_run *run, const struct ovl_cell *cell);

/* Did the communication take less than 0.9 of its time on an emulated wire, which then did not hold it to its rate?
   1 or 0; -1 where there is no such wire or no formula. */
int ovl_wire_unshaped(const struct ovl_run *run, const struct ovl_cell *cell);

#endif
