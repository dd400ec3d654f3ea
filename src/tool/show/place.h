/* Where a run was measured, as far as it says how quick one could be there: processors and all else that `ovl compare`
   takes for a setting of the machines, and the libraries. Variables and bindings are what ways differ in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SHOW_PLACE_H
#define OVL_TOOL_SHOW_PLACE_H

#include "record/record.h"

/* To be given back by json_decref. */
json_t *ovl_place_of(const struct ovl_run *run);

/* The first field of which the places tell otherwise; NULL: none is. Of kernels their series counts. Where one has more
   hosts, as with workers on hosts of their own, all that the other tells must be there. What older records lack is
   told by nobody. */
const char *ovl_place_differs(const json_t *a, const json_t *b);

#endif
