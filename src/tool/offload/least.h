/* `ovl offload --min-from`: the least size at which workers are worth it, by cells of this site. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_OFFLOAD_LEAST_H
#define OVL_TOOL_OFFLOAD_LEAST_H

#include "base/error.h"

#include <stdint.h>

struct ovl_offload_least {
    uint64_t bytes; /* as --min has them */
    char why[320];  /* for the report: the record, and the ratios of time there and below */
};

/* Of a record, or a folder with records: the smallest size of cells from which on no operation takes longer with
   workers on host cores, by the median of T and that over launches, than without them in the same blocks. Cells without
   a claim, or of which too many launches are lost (tool/cells/lost.h), say nothing of their size, those of other
   ranks or work there notwithstanding, and an operation needs one that does at its largest; those of operations whose
   size --min does not look at do not count. -1: OVL_WRONG_DATA where one has wrong data with workers, there are no such
   cells, an operation has none or takes longer at its largest size, which the text names, or they are of several
   machines or numbers of workers; or as for reading. A line on stderr where they are of another host, of an emulated
   cluster, or not of `workers` a node. */
int ovl_offload_least_from(const char *path, double workers, struct ovl_offload_least *least, struct ovl_error *err);

#endif
