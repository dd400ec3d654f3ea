/* Messages between workers that are threads of one process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_TRANSPORT_H
#define OVL_TESTS_FAKE_TRANSPORT_H

#include "offload/transport/transport.h"

struct fake_box;

/* A box for each of `count` workers, and the transport of one of them. Data moves when both sides are there: nothing is
   buffered. */
struct fake_box *fake_boxes_make(int count);
struct ovl_transport fake_transport(struct fake_box *boxes, int worker);

/* With what was never fetched. */
void fake_boxes_free(struct fake_box *boxes, int count);

#endif
