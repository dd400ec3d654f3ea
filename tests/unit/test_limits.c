/* What bounds a worker, counted: pools, kept schedules, the match table, memory of a large job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"
#include "tests/unit/test.h"

#include <stdlib.h>

/* 128 ranks and 8 workers, beside message buffers. */
LOOP_TEST(shared_memory_of_a_node_is_bounded, 0, 4)
{
    static const int ranks[] = {2, 128, 1000, 10000};
    size_t rank = 8 * ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks[_i]);
    ck_assert_uint_le(128 * rank + 8 * ovl_status_bytes(), 64 << 20);
    ck_assert_uint_ge(ovl_cmdq_area_bytes(ranks[_i]), 2 * 16 * (size_t)ranks[_i]); /* counts of two v-forms */
}

TEST(staging_memory_is_what_was_asked_for)
{
    for (size_t memory = 256 << 10; memory <= (size_t)1 << 30; memory = memory * 3 / 2) {
        struct ovl_worker_limits l = ovl_worker_limits_of(memory);
        size_t all = 2 * ((size_t)l.large * l.fragment + (size_t)l.small * l.eager);
        ck_assert_uint_le(all, memory);
        ck_assert_uint_ge(all, memory / 2);
        ck_assert_uint_ge(l.fragment, 16 << 10);
        ck_assert_uint_le(l.fragment, 256 << 10);
        ck_assert_int_ge(l.large, 2);
    }
    ck_assert_uint_le(ovl_worker_eager_bytes(10000), 32 << 20);
    ck_assert_uint_eq(ovl_worker_eager_bytes(2), 512 << 10);
}

/* Whatever is taken early, a message of several fragments finds what one of them needs; whatever those have, one of one
   fragment does. */
TEST(pools_keep_room)
{
    for (int unit = 1; unit <= 2; unit++)
        for (int size = unit; size < 40; size++) {
            struct ovl_pool p;
            int taken[40], n = 0, early;
            ck_assert_int_eq(ovl_pool_open(&p, size, unit), 0);
            while (ovl_pool_has(&p, OVL_CLAIM_EARLY, 1, false))
                taken[n++] = ovl_pool_alloc(&p, OVL_CLAIM_EARLY);
            early = n;
            ck_assert_int_le(early, size / 2);
            ck_assert(ovl_pool_has(&p, OVL_CLAIM_MANY, unit, false));
            while (ovl_pool_has(&p, OVL_CLAIM_MANY, 1, false))
                taken[n++] = ovl_pool_alloc(&p, OVL_CLAIM_MANY);
            ck_assert(n == size || ovl_pool_has(&p, OVL_CLAIM_ONE, unit, true));
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++)
                    ck_assert_int_ne(taken[i], taken[j]);
                ck_assert(taken[i] >= 0 && taken[i] < size);
            }
            for (int i = 0; i < n; i++)
                ovl_pool_free(&p, i < early ? OVL_CLAIM_EARLY : OVL_CLAIM_MANY, taken[i]);
            ck_assert_int_eq(p.used, 0);
            ck_assert_int_eq(p.most, n);
            ovl_pool_close(&p);
        }
}

/* Many shapes, one after the other and some at once. */
TEST(kept_schedules_are_bounded)
{
    static int node[1000];
    struct ovl_placement placement;
    ck_assert_int_eq(ovl_placement_make(&placement, node, 1000), 0);
    struct ovl_worker *w = calloc(1, sizeof *w);
    struct ovl_worker_team team = {.ranks = 1000}, other = {.ranks = 1000};
    struct ovl_coll_shape shape = {.operation = OVL_IALLTOALL,
                                   .ranks = 1000,
                                   .element = 1,
                                   .placement = &placement,
                                   .tuning = &ovl_tuning_default};
    struct ovl_cached_schedule *first = ovl_cache_acquire(w, &team, &shape), *last = NULL;
    for (size_t bytes = 1; bytes < 1000; bytes++) {
        shape.bytes = bytes;
        last = ovl_cache_acquire(w, bytes % 2 ? &team : &other, &shape);
        ovl_cache_release(w, last);
        ck_assert_uint_le(w->kept_bytes, OVL_KEPT_BYTES);
    }
    ck_assert_uint_gt(w->kept_bytes, OVL_KEPT_BYTES / 2);
    ck_assert_ptr_eq(ovl_cache_acquire(w, &team, &shape), last); /* the last one is still there */
    ovl_cache_release(w, last);
    shape.bytes = 0;
    ck_assert_ptr_eq(ovl_cache_acquire(w, &team, &shape), first); /* and so is one that runs */
    ovl_cache_release(w, first);
    ovl_cache_release(w, first);
    ovl_cache_drop(w, &other);
    ovl_cache_drop(w, NULL);
    ck_assert_uint_eq(w->kept_bytes, 0);
    ck_assert_ptr_null(w->newest);
    ovl_placement_free(&placement);
    free(w);
}

/* Ten thousand entries, which are found, also after the table has grown. */
TEST(the_match_table_grows)
{
    enum { MANY = 10000 };
    static struct ovl_p2p_req reqs[MANY];
    struct ovl_match_table *t = calloc(1, sizeof *t);
    for (int i = 0; i < MANY; i++) {
        reqs[i].entry = (struct ovl_match_entry){.key = {.sequence = (uint64_t)i}, .req = &reqs[i]};
        ovl_match_insert(t, &reqs[i].entry);
    }
    ck_assert_uint_eq(t->entries, MANY);
    ck_assert_uint_ge(t->buckets, MANY);
    for (int i = 0; i < MANY; i++)
        ck_assert_ptr_eq(ovl_match_remove(t, &(struct ovl_key){.sequence = (uint64_t)i}), &reqs[i].entry);
    ck_assert_ptr_null(ovl_match_remove(t, &reqs[0].entry.key));
    ovl_match_free(t);
    free(t);
}
