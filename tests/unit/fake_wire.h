/* A endpoint between two threads: each end has its copies, pushes are words stored one after the other, and errands end
 * some polls later. For tests of ranks and workers that share no memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_FAKE_WIRE_H
#define OVL_TESTS_UNIT_FAKE_WIRE_H

#include "offload/mem/path.h"

/* Memory at the far end of fake endpoints. */
extern const struct ovl_mem_path fake_wired_path;

/* Both ends for rank `host` of a job of that many ranks; fake_wire_free frees both, given either. */
struct ovl_ep *fake_wire_make(int host, int ranks);
struct ovl_ep *fake_wire_other(struct ovl_ep *w);
void fake_wire_free(struct ovl_ep *w);
/* Nothing goes through it any more. */
void fake_wire_cut(struct ovl_ep *w);

#endif
