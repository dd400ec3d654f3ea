/* Traces of requests of any bytes: refused by line and column, or sound, and then in order and within their limits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/trace/trace.h"
#include "tests/fuzz/fuzz.h"

enum { BLOCK = 16, BLOCKS_LOOKED_AT = 8 };

static void look(const struct ovl_request_trace *t)
{
    int64_t before = 0;
    MUST(!t->ids == !t->ids_at);
    for (size_t r = 0; r < t->count; r++) {
        const struct ovl_served_request *one = &t->list[r];
        MUST(one->arrival >= before && one->arrival <= OVL_TRACE_ITERATIONS_MOST);
        MUST(one->prompt >= 1 && one->prompt <= OVL_TRACE_TOKENS_MOST);
        MUST(one->output >= 0 && one->output <= OVL_TRACE_TOKENS_MOST);
        MUST(!t->ids_at || t->ids_at[r] <= t->ids_at[r + 1]);
        before = one->arrival;
        for (int b = 0; b < one->prompt / BLOCK && b < BLOCKS_LOOKED_AT; b++)
            (void)ovl_trace_block(t, r, b, BLOCK);
        (void)ovl_trace_token(t, r, one->prompt - 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"trace", NULL};
    struct ovl_request_trace t;
    struct ovl_error err = {.code = OVL_OK};
    fuzz_files_put(names, data, size);
    if (ovl_trace_read(&t, "trace", 1 + fuzz_sum(data, size) % 100, (int)(fuzz_sum(data, size) % 3), &err) == 0) {
        t.block = BLOCK;
        look(&t);
        ovl_trace_free(&t);
    } else {
        fuzz_check_refusal(&err, 1 << OVL_USAGE | 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    }
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
