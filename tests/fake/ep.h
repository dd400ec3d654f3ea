/* An endpoint between two threads: each end has its copies, pushes are words stored one after the other, and RDMA
 * ends some polls later. For tests of ranks and workers that share no memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_EP_H
#define OVL_TESTS_FAKE_EP_H

#include "offload/mem/path.h"

/* Memory at the far end of fake endpoints. */
extern const struct ovl_mem_path fake_remote_path;

/* Both ends for rank `host` of a job of that many ranks; fake_ep_free frees both, given either. */
struct ovl_ep *fake_ep_make(int host, int ranks);
struct ovl_ep *fake_ep_other(struct ovl_ep *w);
void fake_ep_free(struct ovl_ep *w);
/* Nothing goes through it any more. */
void fake_ep_cut(struct ovl_ep *w);

#endif
