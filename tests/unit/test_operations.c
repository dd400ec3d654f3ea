/* The engine's operations from a rank's post to its wait, with ranks and workers as threads: data on several layouts
 * and paths, many operations at once, teams that overlap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/fake_ep.h"
#include "tests/unit/play.h"
#include "tests/unit/suites.h"

/* One operation so many times, and the proof that a worker did it. */
static const char *operate(struct ovl_client_ctx *h, struct ovl_team *world, uint64_t times, const struct deal *d)
{
    struct play p;
    uint64_t operations, bytes;
    struct ovl_error err;
    TRY(play_open(&p, h, world, d));
    ovl_client_proof_begin(h);
    for (uint64_t again = 0; again < times; again++) {
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
    }
    if (ovl_client_proof_end(h, &operations, &bytes, &err) != 0)
        return fake_wrong("%s: %s", ovl_operations[d->operation].name, err.text);
    if (operations != times || bytes != times * p.call.payload)
        return "the proof counts something else";
    return play_close(&p, h);
}

/* Every operation as the table chooses, at sizes on both sides of each limit: empty, eager, one chunk, several. Each
   algorithm has its turn at every second size, in place or not. */
static const char *all_operations(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)rank;
    const size_t *counts = of;
    for (int c = 0; counts[c] != SIZE_MAX; c++) {
        bool long_one = counts[c] > 1000000;
        int root = (int)(counts[c] % (size_t)ranks), turn = c;
        for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++)
            for (int in_place = 0; in_place < 2; in_place++)
                TRY(operate(h, world, long_one ? 1 : 2,
                            &(struct deal){(enum ovl_operation)o, ranks, root, counts[c], in_place, NULL}));
        for (const struct ovl_algorithm *a = ovl_algorithms; a->name && !long_one; a++, turn++)
            if (turn % 2 && ovl_algorithm_works(a, ranks))
                TRY(operate(h, world, 1, &(struct deal){a->operation, ranks, root, counts[c], turn / 2 % 2, a}));
    }
    return NULL;
}

static const size_t few_counts[] = {0, 1, 5, 1000, 5000, 70000, SIZE_MAX}, tiny_counts[] = {0, 3, 300, SIZE_MAX},
                    huge_counts[] = {600000, 4300000, SIZE_MAX};

START_TEST(operations_direct)
{
    struct fake_plan p = fake_plan_of(_i, &fake_path);
    fake_expect_fine(&p, all_operations, (void *)few_counts);
}
END_TEST

START_TEST(operations_staged)
{
    struct fake_plan p = fake_plan_of(_i, &ovl_mem_path_cma);
    fake_expect_fine(&p, all_operations, (void *)few_counts);
}
END_TEST

START_TEST(operations_remote)
{
    struct fake_plan p = fake_plan_of(_i, &fake_remote_path);
    fake_expect_fine(&p, all_operations, (void *)few_counts);
}
END_TEST

START_TEST(operations_by_tcp)
{
    struct fake_plan p = fake_plan_of(_i, &fake_path);
    p.tcp = true;
    fake_expect_fine(&p, all_operations, (void *)few_counts);
}
END_TEST

/* Registered anew for each post: what is not told in time is a wrong key. */
static const char *in_the_cold(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    h->cold = true;
    return all_operations(h, world, rank, ranks, of);
}

START_TEST(operations_cold)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &fake_remote_path);
    fake_expect_fine(&p, in_the_cold, (void *)tiny_counts);
}
END_TEST

/* More than the staging blocks and the window of chunks hold. */
START_TEST(operations_huge)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, _i == 2 ? &fake_remote_path : _i ? &ovl_mem_path_cma : &fake_path);
    p.tuning = ovl_tuning_default;
    fake_expect_fine(&p, all_operations, (void *)huge_counts);
}
END_TEST

START_TEST(operations_idle_and_slow)
{
    struct fake_plan p = fake_plan_of(TWO_NODES_OF_TWO, &fake_path);
    p.idle = (enum ovl_idle)_i;
    p.slowdown = 1 + 2 * _i;
    fake_expect_fine(&p, all_operations, (void *)tiny_counts);
}
END_TEST

/* More operations than slots, waited for from the last to the first; sizes differ, so that they end out of order. */
static const char *many_at_once(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { MANY = OVL_SLOTS };
    struct play *p = calloc(MANY, sizeof *p);
    (void)of, (void)rank;
    for (int i = 0; i < MANY; i++) {
        enum ovl_operation o = (enum ovl_operation)(OVL_IALLTOALL + i % (OVL_OPERATIONS - OVL_IALLTOALL));
        struct deal d = {o, ranks, i % ranks, (size_t)(i % 5 == 0 ? 20000 : 10 * i), i % 3 == 0, NULL};
        TRY(play_open(&p[i], h, world, &d));
    }
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < MANY; i++)
            TRY(play_post(&p[i], h));
        for (int i = MANY - 1; i >= 0; i--)
            TRY(play_end(&p[i], h));
    }
    /* The 65th finds no slot, and waits for one that completes. */
    for (int i = 0; i < MANY; i++)
        TRY(play_post(&p[i], h));
    struct play more;
    struct deal d = {OVL_IBCAST, ranks, 0, 10, false, NULL};
    TRY(play_open(&more, h, world, &d));
    TRY(play_post(&more, h));
    TRY(play_end(&more, h));
    TRY(play_close(&more, h));
    for (int i = MANY - 1; i >= 0; i--)
        TRY(play_end(&p[i], h));
    for (int i = 0; i < MANY; i++)
        TRY(play_close(&p[i], h));
    free(p);
    return NULL;
}

START_TEST(sixty_four_at_once)
{
    struct fake_plan p = fake_plan_of(_i ? UNEVEN : TWO_WORKERS_EACH, _i == 2 ? &ovl_mem_path_cma : &fake_path);
    fake_expect_fine(&p, many_at_once, NULL);
}
END_TEST

/* Teams that overlap: all ranks, and all in reverse order. Half of the ranks post to them in the opposite order, and
   wait in between for the one that the others posted last. */
static const char *opposite_orders(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    int members[16];
    struct ovl_team reverse;
    struct ovl_error err;
    struct play a, b;
    size_t count = *(size_t *)of;
    for (int r = 0; r < ranks; r++)
        members[r] = ranks - 1 - r;
    if (ovl_client_attach(h, &reverse, 77, ranks - 1 - rank, ranks, members, &err) != 0)
        return fake_wrong("%s", err.text);
    fake_barrier();
    struct deal d = {OVL_IALLTOALL, ranks, 0, count, false, NULL}, e = {OVL_IALLREDUCE, ranks, 0, count, false, NULL};
    TRY(play_open(&a, h, world, &d));
    TRY(play_open(&b, h, &reverse, &e));
    for (int again = 0; again < 20; again++) {
        struct play *one = rank % 2 ? &a : &b, *two = rank % 2 ? &b : &a;
        TRY(play_post(one, h));
        TRY(play_post(two, h));
        TRY(play_end(two, h));
        TRY(play_end(one, h));
    }
    /* Many on one team, which half of the ranks do not post before they have waited for the other one. */
    enum { MANY = 40 };
    struct play *many = calloc(MANY, sizeof *many);
    for (int i = 0; i < MANY; i++)
        TRY(play_open(&many[i], h, world, &d));
    for (int i = 0; i < MANY && rank % 2; i++)
        TRY(play_post(&many[i], h));
    TRY(play_post(&b, h));
    TRY(play_end(&b, h));
    for (int i = 0; i < MANY && rank % 2 == 0; i++)
        TRY(play_post(&many[i], h));
    for (int i = 0; i < MANY; i++) {
        TRY(play_end(&many[i], h));
        TRY(play_close(&many[i], h));
    }
    free(many);
    TRY(play_close(&a, h));
    TRY(play_close(&b, h));
    fake_barrier();
    return ovl_client_detach(h, &reverse, &err) == 0 ? NULL : fake_wrong("%s", err.text);
}

static size_t order_counts[] = {20, 3000, 30000};

START_TEST(teams_in_opposite_orders)
{
    struct fake_plan p =
        fake_plan_of(_i / 3 % 2 ? FOUR_NODES : TWO_WORKERS_EACH, _i >= 6 ? &ovl_mem_path_cma : &fake_path);
    fake_expect_fine(&p, opposite_orders, &order_counts[_i % 3]);
}
END_TEST

Suite *suite_operations(void)
{
    Suite *s = suite_create("operations");
    TCase *t = tcase_create("operations");
    tcase_set_timeout(t, 100); /* under a race checker */
    tcase_add_loop_test(t, operations_direct, 0, FAKE_LAYOUTS);
    tcase_add_loop_test(t, operations_staged, 0, FAKE_LAYOUTS);
    tcase_add_loop_test(t, operations_remote, 0, FAKE_LAYOUTS);
    tcase_add_loop_test(t, operations_by_tcp, TWO_NODES, FAKE_LAYOUTS);
    tcase_add_test(t, operations_cold);
    tcase_add_loop_test(t, operations_idle_and_slow, 0, 3);
    tcase_add_loop_test(t, sixty_four_at_once, 0, 3);
    tcase_add_loop_test(t, teams_in_opposite_orders, 0, 9);
    suite_add_tcase(s, t);
    TCase *huge = tcase_create("huge");
    tcase_set_timeout(huge, 150); /* under a race checker */
    tcase_add_loop_test(huge, operations_huge, 0, 3);
    suite_add_tcase(s, huge);
    return s;
}
