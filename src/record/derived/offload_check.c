/* Do the counts of an offloaded program's report agree, and did the workers do it? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/offload_check.h"

int ovl_offload_check(const struct ovl_offload_report *r, struct ovl_error *err)
{
    uint64_t offloaded = 0;
    for (int i = 0; i < r->operations; i++) {
        const struct ovl_offload_operation *o = &r->operation[i];
        uint64_t calls = o->offloaded;
        for (int k = 0; k < o->reasons; k++)
            calls += o->host[k].calls;
        if (calls != o->calls)
            return ovl_error_set(err, OVL_WRONG_DATA,
                                 "/operations/%d/calls: %llu, but %llu were offloaded or stayed on the host", i,
                                 (unsigned long long)o->calls, (unsigned long long)calls);
        offloaded += o->offloaded;
    }
    if (offloaded != r->posted)
        return ovl_error_set(err, OVL_WRONG_DATA, "/posted: %llu, but the operations add up to %llu offloaded",
                             (unsigned long long)r->posted, (unsigned long long)offloaded);
    if (r->unproven_ranks || r->unfinished || r->done != r->posted)
        return ovl_error_set(err, OVL_WRONG_DATA, "/worker_operations: %llu of %llu posted: no proof of the offload",
                             (unsigned long long)r->done, (unsigned long long)r->posted);
    return r->refused || r->workers > 0 ? 0
                                        : ovl_error_set(err, OVL_WRONG_DATA, "/workers: none, and nothing is refused");
}
