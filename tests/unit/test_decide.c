/* The rule by which operations are offloaded: every question of a grid, asked as each rank would ask it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/decide.h"
#include "tests/unit/test.h"

#include <string.h>

/* What the rule must say, in other words than its own. */
static enum ovl_offload_why expected(const struct ovl_decide_args *q, const struct ovl_offload_rules *rules)
{
    bool reduces = q->operation == OVL_IALLREDUCE || q->operation == OVL_IALLREDUCE_SZX ||
                   q->operation == OVL_IREDUCE || q->operation == OVL_IREDUCE_SCATTER ||
                   q->operation == OVL_IREDUCE_SCATTER_BLOCK;
    bool unsized = q->operation == OVL_IALLTOALLV || q->operation == OVL_IGATHERV || q->operation == OVL_ISCATTERV;
    bool ordered = q->redop == OVL_MIN || q->redop == OVL_MAX;
    if (!(q->team && q->ranks > 1))
        return OVL_HOST_COMM;
    if (reduces && !q->known_op)
        return OVL_HOST_OP;
    if (reduces && q->kind == OVL_REAL && q->number_bytes != 4 && q->number_bytes != 8)
        return OVL_HOST_NUMBERS;
    if (reduces && (q->kind == OVL_OTHER_NUMBER || q->number_bytes == 16 || q->number_bytes == 3))
        return OVL_HOST_NUMBERS;
    if (reduces && q->kind == OVL_UNSIGNED && ordered)
        return OVL_HOST_NUMBERS;
    if (unsized)
        return rules->vectors ? OVL_OFFLOADED : OVL_HOST_VECTOR;
    if (q->operation == OVL_IBARRIER)
        return OVL_OFFLOADED;
    if (q->most > 2147483647)
        return OVL_HOST_LONG;
    return q->bytes < rules->least ? OVL_HOST_SMALL : OVL_OFFLOADED;
}

LOOP_TEST(every_question, OVL_NO_OPERATION + 1, OVL_OPERATIONS)
{
    static const uint64_t bytes[] = {0, 1, 65535, 65536, 65537, UINT64_C(1) << 40};
    static const uint64_t most[] = {0, 2147483647, 2147483648};
    static const int sizes[] = {1, 2, 3, 4, 8, 16};
    int seen[OVL_OFFLOAD_WHYS] = {0};
    struct ovl_decide_args q;
    memset(&q, 0, sizeof q);
    q.operation = (enum ovl_operation)_i;
    for (int rule = 0; rule < 6; rule++)
        for (int flags = 0; flags < 4; flags++)
            for (q.ranks = 1; q.ranks < 4; q.ranks++)
                for (int b = 0; b < 6; b++)
                    for (int m = 0; m < 3; m++)
                        for (int k = OVL_OTHER_NUMBER; k <= OVL_REAL; k++)
                            for (int s = 0; s < 6; s++)
                                for (int o = 0; o < OVL_REDOPS; o++) {
                                    struct ovl_offload_rules rules = {rule / 2 == 0   ? 0
                                                                      : rule / 2 == 1 ? 65536
                                                                                      : 1,
                                                                      rule % 2};
                                    q.team = flags & 1;
                                    q.known_op = flags & 2;
                                    q.bytes = bytes[b];
                                    q.most = most[m];
                                    q.kind = (enum ovl_number_kind)k;
                                    q.number_bytes = sizes[s];
                                    q.redop = (enum ovl_redop)o;
                                    enum ovl_offload_why v = ovl_decide(&q, &rules);
                                    ck_assert_int_eq(v, expected(&q, &rules));
                                    seen[v]++;
                                }
    ck_assert_int_gt(seen[OVL_OFFLOADED], 0);
    ck_assert_int_gt(seen[OVL_HOST_COMM], 0);
}

/* What is offloaded is of a kind that the engine has. */
TEST(numbers_have_their_size)
{
    for (int kind = OVL_OTHER_NUMBER; kind <= OVL_REAL; kind++)
        for (int bytes = 0; bytes < 20; bytes++) {
            enum ovl_dtype d = ovl_number_of((enum ovl_number_kind)kind, bytes);
            if (d != OVL_DTYPES)
                ck_assert_uint_eq(ovl_dtype_bytes(d), (size_t)bytes);
        }
    ck_assert_int_eq(ovl_number_of(OVL_REAL, 8), OVL_DOUBLE);
    ck_assert_int_eq(ovl_number_of(OVL_UNSIGNED, 8), OVL_INT64);
    for (int v = 0; v < OVL_OFFLOAD_WHYS; v++)
        ck_assert_ptr_nonnull(ovl_offload_why_texts[v]);
}
