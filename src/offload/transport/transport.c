/* Events after the loop's end go here, so that what still arrives is received and dropped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/transport.h"

static void ignore_ctrl(void *to, int from, const struct ovl_ctrl_msg *msg, const void *payload)
{
    (void)to, (void)from, (void)msg, (void)payload;
}

static void ignore_end(void *to, void *frag)
{
    (void)to, (void)frag;
}

const struct ovl_transport_events ovl_transport_no_events = {.on_ctrl = ignore_ctrl, .on_complete = ignore_end};
