/* The least time that the wire between nodes takes for a collective: bytes through the busiest node's link, one way,
   divided by the link's rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_LINK_MODEL_H
#define OVL_RECORD_DERIVED_LINK_MODEL_H

#include "record/record.h"

/* The rate of the emulated cluster that a run was measured on; NaN where it was none. */
double ovl_link_cluster_rate(const struct ovl_run *run);

/* The same; on a real network what the active adapters of the first node carry together, since a library may use all of
   them. NaN when it is not known. */
double ovl_link_rate(const struct ovl_run *run);

/* Seconds on the wire. NaN on one node, with uneven nodes, without a known rate, and where the row has no formula; of a
   proxy's cell by what it says itself (wire_bytes). */
double ovl_link_seconds(const struct ovl_run *run, const struct ovl_cell *cell);

/* Did the communication take less than 0.9 of its time on an emulated wire, headers included, which then did not hold
   it to its rate? 1 or 0; -1 where there is no such wire or no formula. `former`: as before cells had marks, without
   the headers. */
int ovl_link_unshaped(const struct ovl_run *run, const struct ovl_cell *cell, bool former);

#endif
