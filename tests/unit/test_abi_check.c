/* What goes from one process to another as it is: a change of its size asks for another wire format. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/abi_check.h"
#include "offload/boot/job_map.h"
#include "offload/carrier/carrier.h"
#include "offload/carrier/handshake.h"
#include "offload/mem/cmdq.h"
#include "offload/mem/verbs.h"
#include "offload/transport/transport.h"
#include "offload/worker/worker.h"
#include "tests/unit/test.h"

#define SIZE(name, bytes)                                                                                              \
    {                                                                                                                  \
#name, sizeof(struct name), bytes                                                                              \
    }

static const struct {
    const char *name;
    size_t here, known;
} sizes[] = {
    SIZE(ovl_command, 64),          SIZE(ovl_completion, 16),     SIZE(ovl_cmdq, 20800),
    SIZE(ovl_worker_status, 448),   SIZE(ovl_ctrl_msg, 80),       SIZE(ovl_proc_info, 696),
    SIZE(ovl_ep_address, 152),      SIZE(ovl_carrier_hello, 184), SIZE(ovl_carrier_job_msg, 48),
    SIZE(ovl_carrier_address, 172), SIZE(ovl_rank_info, 8),       SIZE(ovl_error, 516),
};

TEST(what_travels_is_of_this_wire_format)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ck_assert_msg(sizes[i].here == sizes[i].known,
                      "struct %s has %zu bytes, and had %zu: raise OVL_ABI_VERSION, and write the size here",
                      sizes[i].name, sizes[i].here, sizes[i].known);
    ck_assert_int_eq(OVL_ABI_VERSION, 9);
}
