/* The engine's bounded resources, on the bed: whatever is posted and in whatever order things arrive, all ends, with
 * pools of one; each of the rules that make it so is needed; and nobody waits for who is stuck or has much to send. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/bed.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { SEEDS = 300, SEEDS_WITHOUT = 1000 };

static struct bed_job job; /* large */

static void expect_fine(const struct bed_result *x, uint64_t seed)
{
    ck_assert_msg(x->end == BED_FINE, "seed %llu %s: %s", (unsigned long long)seed,
                  x->end == BED_HANGS ? "hangs" : "is wrong", x->text);
}

/* The pools' bounds hold, whatever is under way. */
static void expect_bounded(const struct bed_result *x)
{
    const struct ovl_worker_limits *l = &job.limits;
    int buffers = l->large + l->small, more = (l->large < 2) + (l->small < 2); /* a reduction's operand */
    ck_assert_uint_le(x->high_water[OVL_HIGH_WATER_SENDS], (unsigned)l->requests);
    ck_assert_uint_le(x->high_water[OVL_HIGH_WATER_RECEIVES], (unsigned)l->requests);
    ck_assert_uint_le(x->high_water[OVL_HIGH_WATER_SEND_BUFFERS], (unsigned)buffers);
    ck_assert_uint_le(x->high_water[OVL_HIGH_WATER_RECEIVE_BUFFERS], (unsigned)(buffers + more));
    ck_assert_uint_le(x->high_water[OVL_HIGH_WATER_TAGS], (unsigned)l->tags);
}

LOOP_TEST(all_ends_in_any_order, 0, 4)
{
    for (uint64_t i = 0; i < SEEDS; i++) {
        uint64_t seed = (uint64_t)_i * SEEDS + i;
        bed_job_of(&job, seed);
        struct bed_result x = bed_run(&job, seed);
        expect_fine(&x, seed);
        expect_bounded(&x);
    }
}

TEST(a_seed_is_an_order)
{
    bed_job_of(&job, 4);
    struct bed_result a = bed_run(&job, 4), b = bed_run(&job, 4), c = bed_run(&job, 5);
    ck_assert_uint_eq(a.steps, b.steps);
    ck_assert_mem_eq(a.completed, b.completed, sizeof a.completed);
    ck_assert_mem_ne(a.completed, c.completed, sizeof a.completed);
}

/* Broken, some legal program hangs. */
LOOP_TEST(each_rule_is_needed, 0, 4)
{
    static const unsigned rules[] = {BED_R1, BED_R2, BED_R3, BED_R4};
    struct bed_result x = {.end = BED_FINE};
    uint64_t seed = 0;
    for (; seed < SEEDS_WITHOUT && x.end == BED_FINE; seed++) {
        bed_job_of(&job, seed);
        job.broken = rules[_i];
        x = bed_run(&job, seed);
    }
    ck_assert_msg(x.end == BED_HANGS, "without R%d %d seeds end", _i + 1, SEEDS_WITHOUT);
}

static const struct {
    enum bed_path path;
    int pool;
    enum ovl_operation operation;
    uint64_t least; /* orders that there are; a limit on them stands below */
} dfs[] = {
    {BED_DIRECT, 1, OVL_IALLTOALL, 100},
    {BED_DIRECT, 1, OVL_IALLREDUCE, 100},
    {BED_STAGED, 1, OVL_IALLTOALL, 100},
    {BED_DIRECT, 3, OVL_IBCAST, 10},
};

LOOP_TEST(all_ends_in_every_order, 0, (int)(sizeof dfs / sizeof *dfs))
{
    uint64_t orders;
    bed_opposite_orders(&job, dfs[_i].path, dfs[_i].pool, dfs[_i].operation);
    struct bed_result x = bed_run_all(&job, (uint64_t)rounds(4000, 20000), &orders);
    expect_fine(&x, orders);
    ck_assert_uint_ge(orders, dfs[_i].least);
}

TEST(an_early_grant_hangs_in_some_order)
{
    uint64_t orders;
    bed_opposite_orders(&job, BED_DIRECT, 1, OVL_IALLTOALL);
    job.broken = BED_R1;
    struct bed_result x = bed_run_all(&job, 20000, &orders);
    ck_assert_int_eq(x.end, BED_HANGS);
}

/* One endpoint ends nothing. The other ranks of its worker, whose operations it has no part in, go on. */
LOOP_TEST(a_stuck_endpoint_holds_up_nobody_else, 0, 20)
{
    static const int pair[] = {0, 2}, others[] = {1, 3, 4};
    enum { MANY = 20 };
    bed_job_begin(&job, 5, BED_REMOTE, 8);
    job.workers = 2;
    for (int r = 0; r < 5; r++)
        job.worker[r] = job.node[r] = r >= 2;
    job.stuck = 0;
    bed_add_team(&job, 2, pair);
    bed_add_team(&job, 3, others);
    for (int i = 0; i < MANY; i++) {
        int mine = bed_add_operation(&job, OVL_IALLREDUCE + i % 2, 1, 700),
            theirs = bed_add_operation(&job, OVL_IALLTOALL + i % 6, 2, 700);
        for (int r = 0; r < 5; r++)
            bed_act(&job, r, false, r % 2 || r == 4 ? theirs : mine);
    }
    for (int r = 0; r < 5; r++)
        for (int o = 0; o < job.ops; o++)
            if (job.team[o] == (r % 2 || r == 4 ? 2 : 1))
                bed_act(&job, r, true, o);
    struct bed_result x = bed_run(&job, (uint64_t)_i);
    ck_assert_int_eq(x.end, BED_HANGS); /* those two ranks */
    ck_assert_int_eq(x.unfinished, 2);
    ck_assert(x.finished[1] && x.finished[3] && x.finished[4]);
}

/* R7: two ranks of one worker, one with a large operation, the other with small ones, or with as large a one. */
static struct bed_result two_ranks(enum bed_path path, enum ovl_operation theirs, size_t mine, size_t their_count,
                                   int n)
{
    static const int first[] = {0, 2}, second[] = {1, 3};
    bed_job_begin(&job, 4, path, 4);
    job.workers = 2;
    for (int r = 0; r < 4; r++)
        job.worker[r] = job.node[r] = r / 2;
    bed_add_team(&job, 2, first);
    bed_add_team(&job, 2, second);
    int large = bed_add_operation(&job, OVL_IALLTOALL, 1, mine);
    for (int r = 0; r < 4; r += 2) {
        bed_act(&job, r, false, large);
        bed_act(&job, r, true, large);
    }
    for (int i = 0; i < n; i++) {
        int o = bed_add_operation(&job, theirs, 2, their_count);
        for (int r = 1; r < 4; r += 2) {
            bed_act(&job, r, false, o);
            bed_act(&job, r, true, o);
        }
    }
    struct bed_result x = bed_run_in_rounds(&job);
    expect_fine(&x, 0);
    return x;
}

enum { FRAGMENTS = 200, NUMBERS = FRAGMENTS * BED_FRAGMENT / 4 };

LOOP_TEST(ranks_share, BED_STAGED, BED_PATHS)
{
    struct bed_result x = two_ranks((enum bed_path)_i, OVL_IALLTOALL, NUMBERS, NUMBERS, 1);
    double a = (double)x.completed[0][0], b = (double)x.completed[1][1];
    ck_assert_double_ge(a / b, 0.8);
    ck_assert_double_le(a / b, 1.25);
}

LOOP_TEST(small_operations_do_not_wait_for_large_ones, BED_STAGED, BED_PATHS)
{
    struct bed_result x = two_ranks((enum bed_path)_i, OVL_IALLTOALL, NUMBERS, 10, 3);
    double large = (double)x.completed[0][0], last_small = (double)x.completed[3][1];
    ck_assert_double_le(last_small, large / 4);
}

/* What a worker copies from one of its ranks to another and what it receives take from the same pools. */
TEST(copies_and_receives_share)
{
    static const int far[] = {0, 1, 2, 3, 6, 7, 8, 9}, near[] = {4, 5};
    bed_job_begin(&job, 10, BED_REMOTE, 4);
    job.workers = 2;
    for (int r = 0; r < 10; r++)
        job.worker[r] = job.node[r] = r >= 6;
    bed_add_team(&job, 8, far);
    bed_add_team(&job, 2, near);
    for (int t = 1; t <= 2; t++) {
        int o = bed_add_operation(&job, OVL_IALLTOALL, t, t == 1 ? NUMBERS / 8 : NUMBERS / 2);
        for (int m = 0; m < job.members[t]; m++) {
            bed_act(&job, job.member[t][m], false, o);
            bed_act(&job, job.member[t][m], true, o);
        }
    }
    struct bed_result x = bed_run_in_rounds(&job);
    expect_fine(&x, 0);
    /* Each of the six ranks has as much to come, and the same turn. */
    double received = (double)x.completed[0][0], copied = (double)x.completed[1][4];
    ck_assert_double_le(copied, received);
}

/* RTS, CTS and data; with a grant before the RTS not even that. */
TEST(messages_of_a_transfer)
{
    uint64_t orders;
    bed_job_begin(&job, 2, BED_DIRECT, 8);
    int o = bed_add_operation(&job, OVL_IBCAST, 0, 100);
    bed_act(&job, 0, false, o);
    bed_act(&job, 0, true, o);
    bed_act(&job, 1, false, o);
    bed_act(&job, 1, true, o);
    struct bed_result x = bed_run_all(&job, 1, &orders); /* rank 0, the root, posts first */
    expect_fine(&x, 0);
    ck_assert_uint_eq(x.messages[OVL_CTRL_RTS], 1);
    ck_assert_uint_eq(x.messages[OVL_CTRL_CTS], 1);
    ck_assert_uint_eq(x.data, 1);
    job.deal[o].root = 1;
    x = bed_run_all(&job, 1, &orders); /* the receiver does */
    expect_fine(&x, 0);
    ck_assert_uint_le(x.messages[OVL_CTRL_RTS], 1);
    ck_assert_uint_eq(x.messages[OVL_CTRL_CTS], 1);
    ck_assert_uint_eq(x.data, 1);
    uint64_t all = 0;
    for (int k = 0; k < OVL_CTRL_KINDS; k++)
        all += x.messages[k];
    ck_assert_uint_le(all, 2);
}

/* Where one rank posts later, its worker finds the other's CTS and RTS at once. A transport sends in order: what it
   grants behind its own data comes after them, and the other's data wait as long. */
TEST(a_cts_goes_before_data)
{
    bed_job_begin(&job, 2, BED_DIRECT, 8);
    int o = bed_add_operation(&job, OVL_IALLTOALL, 0, 1000);
    for (int r = 0; r < 2; r++) {
        bed_act(&job, r, false, o);
        bed_act(&job, r, true, o);
    }
    job.late[1] = true;
    uint64_t late_grants = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct bed_result x = bed_run(&job, seed);
        expect_fine(&x, seed);
        ck_assert_uint_eq(x.cts_behind_data, 0);
        late_grants += x.messages[OVL_CTRL_CTS];
    }
    ck_assert_uint_ge(late_grants, 20);
}

/* Small messages of a rank to 16 others: as many travel together as its endpoint may have buffers, and what is put at
   the other end does not hold up what is got at this one. */
TEST(small_messages_travel_together)
{
    uint64_t rounds[17];
    for (int window = 1; window <= 16; window *= 2) {
        bed_job_begin(&job, 17, BED_REMOTE, 64);
        job.limits.eager = 64;
        job.limits.small = 4 * window;                        /* of which an endpoint has a quarter */
        int o = bed_add_operation(&job, OVL_IALLTOALL, 0, 4); /* too much to go with the command */
        job.deal[o].algorithm = ovl_algorithm_find(OVL_IALLTOALL, "pairwise");
        for (int r = 0; r < 17; r++) {
            bed_act(&job, r, false, o);
            bed_act(&job, r, true, o);
        }
        struct bed_result x = bed_run_in_rounds(&job);
        expect_fine(&x, 0);
        rounds[window] = x.steps;
    }
    ck_assert_uint_le(rounds[16], 8);
    for (int window = 1; window <= 16; window *= 2)
        ck_assert_uint_le(rounds[window], 8 + 2 * (16 / (unsigned)window));
}
