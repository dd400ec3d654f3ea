/* The engine's operations from a rank's post to its wait, with ranks and workers as threads: data on several layouts
 * and paths, many operations at once, teams that overlap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/client/client_extent.h"
#include "tests/fake/ep.h"
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* One operation so many times, and the proof that a worker did it. */
static const char *operate(struct ovl_client_ctx *h, struct ovl_team *world, uint64_t times, const struct deal *d)
{
    struct play p;
    uint64_t operations, bytes;
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

/* Every operation as the table chooses, at sizes on both sides of each limit: empty, eager, one chunk, several; in
   place and not by turns, at a size after the other, and with LONG both ways at each. Each algorithm has its turn at
   every second size. */
static const char *all_operations(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)rank;
    const size_t *counts = of;
    for (int c = 0; counts[c] != SIZE_MAX; c++) {
        bool long_one = counts[c] > 1000000;
        int root = (int)(counts[c] % (size_t)ranks), turn = c;
        for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++)
            for (int in_place = 0; in_place < 2; in_place++)
                if (rounds(0, 1) || (o + c) % 2 == in_place)
                    TRY(operate(h, world, long_one ? 1 : 2,
                                &(struct deal){(enum ovl_operation)o, ranks, root, counts[c], in_place, NULL}));
        for (const struct ovl_algorithm *a = ovl_algorithms; a->name && !long_one; a++, turn++)
            if (turn % 2 && ovl_algorithm_works(a, ranks))
                TRY(operate(h, world, 1, &(struct deal){a->operation, ranks, root, counts[c], turn / 2 % 2, a}));
    }
    return NULL;
}

static const size_t few_counts[] = {0, 1, 5, 1000, 5000, 70000, SIZE_MAX}, tiny_counts[] = {0, 3, 300, SIZE_MAX},
                    huge_counts[] = {2200000, SIZE_MAX, 600000, 4300000, SIZE_MAX};

/* Each layout by one of the ways, and with LONG by all; test_pipeline plays all of them, in any order, on the bed. */
static int ways_of_all(void)
{
    return FAKE_LAYOUTS * rounds(1, 4);
}

LOOP_TEST(operations, 0, ways_of_all())
{
    const struct ovl_mem_path *const paths[] = {&fake_path, &ovl_mem_path_cma, &fake_remote_path, &fake_path};
    int layout = _i % FAKE_LAYOUTS, way = (layout + _i / FAKE_LAYOUTS) % 4;
    struct fake_plan p = fake_plan_of(layout, paths[way]);
    p.tcp = way == 3 && layout >= TWO_NODES;
    fake_expect_fine(&p, all_operations, (void *)few_counts);
}

/* Registered anew for each post: what is not told in time is a wrong key. */
static const char *in_the_cold(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    h->cold = true;
    return all_operations(h, world, rank, ranks, of);
}

TEST(operations_cold)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &fake_remote_path);
    fake_expect_fine(&p, in_the_cold, (void *)tiny_counts);
}

/* A cache of registrations of one buffer, which holds none of what operations use but what is under way. */
static const char *by_one_registration(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    h->registrations = 1;
    return all_operations(h, world, rank, ranks, of);
}

TEST(operations_by_one_registration)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &fake_remote_path);
    fake_expect_fine(&p, by_one_registration, (void *)tiny_counts);
}

/* What goes beyond its region, as other memory may that begins where that ends, is reached by its address. */
static const char *round_the_end(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 3000, false, NULL};
    const size_t bytes = 4 * d.count * (size_t)ranks, sizes[] = {bytes, bytes - 1, 0};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    struct ovl_region *send = h->regions;
    while (send->shared.base != p.send)
        send++;
    size_t whole = send->shared.bytes;
    h->path = &ovl_mem_path_cma;
    for (int i = 0; i < 3; i++) {
        const struct ovl_worker_conn *l = &h->conns[h->own];
        send->shared.bytes = sizes[i];
        TRY(play_post(&p, h));
        uint64_t raddr = l->cmdq->ring[(l->posted - 1) % OVL_RING].send;
        TRY(play_end(&p, h));
        if ((raddr >> OVL_RADDR_SHIFT != 0) != (i == 0))
            return fake_wrong("%zu bytes in a region of %zu: raddr %llx", bytes, sizes[i], (unsigned long long)raddr);
    }
    send->shared.bytes = whole;
    return play_close(&p, h);
}

TEST(memory_behind_a_region_is_not_in_it)
{
    struct fake_plan p = fake_plan_of(TWO_NODES_OF_TWO, &fake_path);
    fake_expect_fine(&p, round_the_end, NULL);
}

/* So little memory that a fragment is no longer than an eager message may be. */
static const char *in_little_memory(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { SMALL = 2 };
    uint32_t high_water[OVL_HIGH_WATERS];
    (void)rank, (void)of;
    TRY(operate(h, world, 2, &(struct deal){OVL_IALLTOALL, ranks, 0, 300000, false, NULL}));
    ovl_client_high_water(h, high_water);
    return high_water[OVL_HIGH_WATER_RECEIVE_BUFFERS] > SMALL ? NULL : "large messages have the small buffers only";
}

TEST(little_memory_is_used)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &ovl_mem_path_cma);
    p.memory = 256 << 10;
    fake_expect_fine(&p, in_little_memory, NULL);
}

TEST(spans_are_what_is_used)
{
    for (int i = 0; i < OVL_OPERATIONS * 2 * 5 * 3; i++) {
        static const size_t counts[] = {0, 4, 50};
        int lists[4 * 5], rank = i % 5;
        struct deal d = {(enum ovl_operation)(i / 30), 5, 2, counts[i / 10 % 3], i / 5 % 2, NULL};
        struct ovl_team team = {.rank = rank, .ranks = 5};
        if (d.operation == OVL_NO_OPERATION)
            continue;
        deal_counts(&d, rank, lists);
        struct ovl_coll_args call = deal_args(&d, rank, lists);
        call.team = &team;
        struct ovl_extents s = ovl_client_extents(&call);
        size_t in_place = deal_in_place(&d, rank), gaps = ovl_operations[d.operation].lists ? 4 * 5 : 0;
        size_t most[] = {4 * deal_length(&d, rank, false), 4 * deal_length(&d, rank, true)};
        if (in_place)
            most[ovl_operations[d.operation].scatters] = 0;
        ck_assert_msg(s.send <= most[0] && s.send + gaps >= most[0], "%s: %zu sent, not %zu",
                      ovl_operations[d.operation].name, s.send, most[0]);
        ck_assert_msg(s.recv <= most[1] && s.recv + gaps >= most[1], "%s: %zu received, not %zu",
                      ovl_operations[d.operation].name, s.recv, most[1]);
    }
}

/* More than the staging blocks and the window of chunks hold; with LONG the double of it, and less, too. */
LOOP_TEST(operations_huge, 0, 3)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, _i == 2 ? &fake_remote_path : _i ? &ovl_mem_path_cma : &fake_path);
    p.tuning = ovl_tuning_default;
    fake_expect_fine(&p, all_operations, (void *)(huge_counts + rounds(0, 2)));
}

LOOP_TEST(operations_idle_and_slow, 0, 3)
{
    struct fake_plan p = fake_plan_of(TWO_NODES_OF_TWO, &fake_path);
    p.idle = (enum ovl_idle)_i;
    p.slowdown = 1 + 2 * _i;
    fake_expect_fine(&p, all_operations, (void *)tiny_counts);
}

/* As many operations as a ring has entries, and one more, waited for from the last to the first; sizes differ, so that
 * they end out of order. */
static const char *many_at_once(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { MANY = OVL_RING };
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
    /* The 65th has no room for brief arguments. */
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

LOOP_TEST(sixty_four_at_once, 0, 3)
{
    struct fake_plan p = fake_plan_of(_i ? UNEVEN : TWO_WORKERS_EACH, _i == 2 ? &ovl_mem_path_cma : &fake_path);
    fake_expect_fine(&p, many_at_once, NULL);
}

/* Three times as many as the queue has slots. */
static const char *more_than_slots(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { MANY = 3 * OVL_SLOTS };
    struct play *p = calloc(MANY, sizeof *p);
    (void)of, (void)rank;
    for (int i = 0; i < MANY; i++) {
        struct deal d = {i % 2 ? OVL_IALLTOALLV : OVL_IALLREDUCE, ranks, 0, 10, false, NULL};
        TRY(play_open(&p[i], h, world, &d));
    }
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < MANY; i++) {
            if (i == OVL_SLOTS - 2 && ovl_client_add_slots(h, &err) != 0)
                return fake_wrong("%s", err.text);
            TRY(play_post(&p[i], h));
        }
        for (int i = MANY - 1; i >= 0; i--)
            TRY(play_end(&p[i], h));
    }
    /* Nobody sleeps for what has ended, in a slot beyond the queue's, too. */
    int64_t begin = ovl_clock_ns(), longest = INT64_C(20000000000);
    ovl_client_sleep(h, &p[MANY - 1].request, longest);
    if (p[MANY - 1].request.slot < OVL_SLOTS || ovl_clock_ns() - begin >= longest)
        return fake_wrong("slept for what has ended in slot %u", p[MANY - 1].request.slot);
    for (int i = 0; i < MANY; i++)
        TRY(play_close(&p[i], h));
    free(p);
    return NULL;
}

TEST(more_at_once_than_slots)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &fake_path);
    fake_expect_fine(&p, more_than_slots, NULL);
}

/* As many teams as a ring has entries and more, each with an operation that some ranks post last: what was posted
   before that can only end when it has been posted, too. */
static const char *teams_in_any_order(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { TEAMS = 2 * OVL_RING + 2 };
    struct play *p = calloc(TEAMS, sizeof *p);
    struct ovl_team *teams = calloc(TEAMS, sizeof *teams);
    int members[16];
    (void)of, (void)world;
    for (int r = 0; r < ranks; r++)
        members[r] = r;
    for (int t = 0; t < TEAMS; t++) {
        struct deal d = {t % 2 ? OVL_IALLTOALLV : OVL_IALLREDUCE, ranks, 0, 10, false, NULL};
        if (ovl_client_attach(h, &teams[t], 1000 + (uint64_t)t, rank, ranks, members, &err) != 0)
            return fake_wrong("%s", err.text);
        TRY(play_open(&p[t], h, &teams[t], &d));
    }
    fake_barrier();
    for (int t = 0; t < TEAMS; t++)
        TRY(play_post(&p[rank % 2 ? t : TEAMS - 1 - t], h));
    for (int t = 0; t < TEAMS; t++)
        TRY(play_end(&p[t], h));
    for (int t = 0; t < TEAMS; t++)
        TRY(play_close(&p[t], h));
    free(teams);
    free(p);
    return NULL;
}

LOOP_TEST(more_teams_than_ring_entries_in_any_order, 0, 2)
{
    struct fake_plan p = fake_plan_of(_i ? UNEVEN : TWO_WORKERS_EACH, _i ? &ovl_mem_path_cma : &fake_path);
    fake_expect_fine(&p, teams_in_any_order, NULL);
}

/* Teams that overlap: all ranks, and all in reverse order. Half of the ranks post to them in the opposite order, and
   wait in between for the one that the others posted last. */
static const char *opposite_orders(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    int members[16];
    struct ovl_team reverse;
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

LOOP_TEST(teams_in_opposite_orders, 0, 9)
{
    struct fake_plan p =
        fake_plan_of(_i / 3 % 2 ? FOUR_NODES : TWO_WORKERS_EACH, _i >= 6 ? &ovl_mem_path_cma : &fake_path);
    fake_expect_fine(&p, opposite_orders, &order_counts[_i % 3]);
}
