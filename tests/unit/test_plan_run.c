/* The runner of plans, on a virtual clock: what it does of each mask, in which order, and where it books the time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/run.h"
#include "tests/fake/random_plan.h"
#include "tests/unit/test.h"

#include <string.h>

enum { MARKS = 4 };

/* What the hooks saw. */
struct seen {
    int64_t now;
    struct ovl_rng rng;
    int needs;                   /* tests of an operation until it is complete; -1: drawn anew for each */
    int left[RANDOM_PLAN_SLOTS]; /* of those; 0: complete, or nothing was posted */
    int units, posts, waits, syncs, tests, most_units;
};

static int64_t hook_now(void *self)
{
    return ((struct seen *)self)->now;
}

static void hook_compute(void *self, const struct ovl_app_step *t, int from, int to)
{
    struct seen *s = self;
    ck_assert(from < to && to <= t->units);
    s->units += to - from;
    s->most_units = to - from > s->most_units ? to - from : s->most_units;
    s->now += 1000000000LL * (to - from);
}

static void hook_post(void *self, const struct ovl_app_step *t)
{
    struct seen *s = self;
    ck_assert_int_eq(s->left[t->slot], 0);
    s->left[t->slot] = s->needs >= 0 ? s->needs : (int)ovl_rng_below(&s->rng, 4);
    s->posts++;
    s->now += 10000000;
}

static bool hook_test(void *self, int slot)
{
    struct seen *s = self;
    s->tests++;
    s->now += 100000;
    s->left[slot] -= s->left[slot] > 0;
    return s->left[slot] == 0;
}

static void hook_wait(void *self, int slot)
{
    struct seen *s = self;
    s->left[slot] = 0;
    s->waits++;
    s->now += 20000000;
}

static void hook_sync(void *self, const struct ovl_app_step *t)
{
    struct seen *s = self;
    (void)t;
    s->syncs++;
    s->now += 30000000;
}

static const struct ovl_app_hooks hooks = {hook_now, hook_compute, hook_post, hook_test, hook_wait, hook_sync, NULL};

/* How many steps of a kind rank 0 has; of COMPUTE their units. */
static int count(const struct random_plan *p, enum ovl_app_kind kind)
{
    int n = 0;
    for (int lane = 0; lane < OVL_LANES; lane++)
        for (int i = 0; i < p->lists[0][lane].count; i++)
            if (p->lists[0][lane].steps[i].kind == kind)
                n += kind == OVL_APP_COMPUTE ? p->lists[0][lane].steps[i].units : 1;
    return n;
}

static struct seen run(const struct random_plan *p, enum ovl_app_mask mask, struct ovl_app_run *r)
{
    struct seen s = {.rng = ovl_rng_seeded(1), .needs = -1};
    static double seconds[OVL_LANES][RANDOM_PLAN_STEPS], exposed[MARKS];
    *r = (struct ovl_app_run){.plan = &p->plan,
                              .hooks = &hooks,
                              .self = &s,
                              .mask = mask,
                              .seconds = {seconds[0], seconds[1]},
                              .room = {RANDOM_PLAN_STEPS, RANDOM_PLAN_STEPS},
                              .exposed = exposed,
                              .marks = MARKS};
    ovl_app_run(r);
    int64_t all = 0;
    for (int phase = 0; phase < OVL_PHASES; phase++)
        all += r->ns[phase];
    ck_assert_int_eq(all, s.now); /* nothing is lost, and nothing booked twice */
    return s;
}

TEST(masks_run_what_they_say)
{
    struct ovl_rng rng = ovl_rng_seeded(6);
    static struct ovl_app_run r;
    for (int i = 0; i < 2000; i++) {
        struct random_plan p;
        random_plan_make(&p, &rng, 1, 6, false, i % 2);
        int units = count(&p, OVL_APP_COMPUTE), posts = count(&p, OVL_APP_POST), syncs = count(&p, OVL_APP_SYNC);
        struct seen s = run(&p, OVL_MASK_TOTAL, &r);
        ck_assert(s.units == units && s.posts == posts && s.syncs == syncs && s.waits <= posts);
        ck_assert(i % 2 || (s.tests == 0 && s.waits == posts)); /* without bulk it waits at once */
        s = run(&p, OVL_MASK_COMM, &r);
        ck_assert(s.units == 0 && s.posts == posts && s.waits == posts && s.syncs == syncs && s.tests == 0);
        s = run(&p, OVL_MASK_WORK, &r);
        ck_assert(s.units == units && s.posts + s.waits + s.syncs + s.tests == 0);
        s = run(&p, OVL_MASK_APART, &r);
        ck_assert(s.units == units && s.posts == posts && s.waits == posts && s.syncs == syncs);
    }
}

/* Steps of one rank: group after group. */
static int written(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_app_step *const *lists = of;
    (void)rank;
    steps[0] = lists[lane][group];
    return 1;
}

TEST(bulk_fills_the_waits_of_the_chain)
{
    const struct ovl_app_step chain[] = {{.kind = OVL_APP_POST, .ranks = 1, .mark = 1},
                                         {.kind = OVL_APP_WAIT, .mark = 1},
                                         {.kind = OVL_APP_COMPUTE, .units = 2, .mark = 2}},
                              bulk[] = {{.kind = OVL_APP_COMPUTE, .units = 50, .mark = -1}};
    const struct ovl_app_step *lists[] = {chain, bulk};
    static struct ovl_app_run r;
    static double chain_seconds[3], bulk_seconds[1], exposed[MARKS];
    struct seen s = {.needs = 3};
    struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .groups = {3, 1}, .of = lists, .group = written};
    r = (struct ovl_app_run){.plan = &plan,
                             .hooks = &hooks,
                             .self = &s,
                             .seconds = {chain_seconds, bulk_seconds},
                             .room = {3, 1},
                             .exposed = exposed,
                             .marks = MARKS};
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 3); /* two units of bulk stand between them, and then the chain goes on */
    ck_assert_int_eq(s.waits, 0);
    ck_assert_int_eq(s.most_units, 48); /* the rest of the bulk in one piece: nothing is outstanding */
    ck_assert_double_eq_tol(chain_seconds[2], 2, 1e-12);
    ck_assert_double_eq_tol(bulk_seconds[0], 50, 1e-12);
    ck_assert_double_eq_tol(exposed[1], 0.01 + 3 * 0.0001, 1e-12);
    ck_assert_double_eq(exposed[2], 0); /* computation is not exposed communication */
    s = (struct seen){.needs = 3};
    r.stride = 20;
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 3); /* before, after 20 units, and after 40 */
    ck_assert_int_eq(s.units, 52);
    ck_assert_int_eq(s.most_units, 20);
}

TEST(polls_stand_between_units_of_the_chain)
{
    const struct ovl_app_step chain[] = {{.kind = OVL_APP_POST, .ranks = 1, .mark = -1},
                                         {.kind = OVL_APP_COMPUTE, .units = 3, .mark = -1},
                                         {.kind = OVL_APP_WAIT, .mark = -1}};
    const struct ovl_app_step *lists[] = {chain, NULL};
    static struct ovl_app_run r;
    struct seen s = {.needs = 3};
    struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .groups = {3, 0}, .of = lists, .group = written};
    r = (struct ovl_app_run){.plan = &plan, .hooks = &hooks, .self = &s, .polls = false};
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 0);
    ck_assert_int_eq(s.most_units, 3);
    s = (struct seen){.needs = 3};
    r.polls = true;
    ovl_app_run(&r);
    ck_assert_int_eq(s.most_units, 1);
    ck_assert_int_eq(s.tests, 2);
    ck_assert_int_eq(r.ns[OVL_PHASE_COMPUTE], 3000000000);
    ck_assert_int_eq(r.ns[OVL_PHASE_TEST], s.tests * 100000);
}

/* A chain that has to wait for the bulk first, whose units polls part as long as something is outstanding. */
TEST(polls_stand_between_units_of_the_bulk)
{
    const struct ovl_app_step chain[] = {{.kind = OVL_APP_POST, .ranks = 1, .mark = -1},
                                         {.kind = OVL_APP_WAIT, .mark = -1, .after = 1}},
                              bulk[] = {{.kind = OVL_APP_COMPUTE, .units = 9, .mark = -1, .after = 1}};
    const struct ovl_app_step *lists[] = {chain, bulk};
    static struct ovl_app_run r;
    struct seen s = {.needs = 2};
    struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .groups = {2, 1}, .of = lists, .group = written};
    r = (struct ovl_app_run){.plan = &plan, .hooks = &hooks, .self = &s, .polls = true};
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 2);
    ck_assert_int_eq(s.units, 9);
    ck_assert_int_eq(s.most_units, 7); /* what is left when the operation has ended */
    ck_assert_int_eq(s.waits, 1);
    s = (struct seen){.needs = 2};
    r.polls = false;
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 0);
    ck_assert_int_eq(s.most_units, 9);
}

/* The others of its column have ended two tests later. */
static bool hook_agree(void *self, bool complete)
{
    struct seen *s = self;
    s->syncs += complete;
    return complete && s->syncs > 2;
}

TEST(a_wait_ends_when_all_agree)
{
    const struct ovl_app_step chain[] = {{.kind = OVL_APP_POST, .ranks = 1, .mark = -1},
                                         {.kind = OVL_APP_WAIT, .mark = -1}},
                              bulk[] = {{.kind = OVL_APP_COMPUTE, .units = 50, .mark = -1}};
    const struct ovl_app_step *lists[] = {chain, bulk};
    static struct ovl_app_run r;
    struct ovl_app_hooks agreeing = hooks;
    struct seen s = {.needs = 3};
    struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .groups = {2, 1}, .of = lists, .group = written};
    agreeing.agree = hook_agree;
    r = (struct ovl_app_run){.plan = &plan, .hooks = &agreeing, .self = &s};
    ovl_app_run(&r);
    ck_assert_int_eq(s.tests, 5);
    ck_assert_int_eq(s.most_units, 46);
}

static struct ovl_app_run *talking;

static void hook_talk(void *self, const struct ovl_app_step *t, int from, int to)
{
    hook_compute(self, t, from, to);
    ovl_app_aside(talking, 250000000LL * (to - from));
}

static void hook_carry_on(void *self, const struct ovl_app_step *t, int from, int to)
{
    hook_compute(self, t, from, to);
    ovl_app_polled(talking, 250000000LL * (to - from));
}

/* Of four units of a second each a quarter is something else, which stands under that phase. */
static void quarter_is(void (*compute)(void *, const struct ovl_app_step *, int, int), int phase)
{
    const struct ovl_app_step chain[] = {{.kind = OVL_APP_COMPUTE, .units = 4, .mark = -1}};
    const struct ovl_app_step *lists[] = {chain, NULL};
    static struct ovl_app_run r;
    static double seconds[1];
    struct ovl_app_hooks hooks_of = hooks;
    struct seen s = {.needs = 0};
    struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .groups = {1, 0}, .of = lists, .group = written};
    hooks_of.compute = compute;
    talking = &r;
    r = (struct ovl_app_run){.plan = &plan, .hooks = &hooks_of, .self = &s, .seconds = {seconds}, .room = {1}};
    ovl_app_run(&r);
    ck_assert_int_eq(r.ns[OVL_PHASE_COMPUTE], 3000000000);
    ck_assert_int_eq(r.ns[phase], 1000000000);
    ck_assert_double_eq_tol(seconds[0], 3, 1e-12);
}

TEST(what_computation_talks_is_no_work)
{
    quarter_is(hook_talk, OVL_PHASE_SYNC);
}

/* What an application does within a computation for operations under way is their test. */
TEST(what_computation_polls_is_no_work)
{
    quarter_is(hook_carry_on, OVL_PHASE_TEST);
}

static int together(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_app_step *const *lists = of;
    (void)rank, (void)group;
    memcpy(steps, lists[lane], 3 * sizeof *steps);
    return 3;
}

/* In either lane; where its computation is left out, so is what it talks. */
TEST(talk_is_the_time_of_the_sync_in_front)
{
    const struct ovl_app_step met[] = {{.kind = OVL_APP_SYNC, .ranks = 1, .units = 1, .mark = -1},
                                       {.kind = OVL_APP_COMPUTE, .units = 4, .mark = -1},
                                       {.kind = OVL_APP_COMPUTE, .units = 1, .mark = -1}};
    struct ovl_app_hooks hooks_of = hooks;
    hooks_of.compute = hook_talk;
    for (int lane = 0; lane < OVL_LANES; lane++)
        for (enum ovl_app_mask mask = OVL_MASK_TOTAL; mask <= OVL_MASK_WORK; mask++) {
            const struct ovl_app_step *lists[] = {lane ? NULL : met, lane ? met : NULL};
            static struct ovl_app_run r;
            double seconds[3] = {0};
            struct seen s = {.needs = 0};
            struct ovl_app_plan plan = {.ranks = 1, .slots = 1, .of = lists, .group = together};
            plan.groups[lane] = 1;
            r = (struct ovl_app_run){.plan = &plan, .hooks = &hooks_of, .self = &s, .mask = mask};
            r.seconds[lane] = seconds;
            r.room[lane] = 3;
            talking = &r;
            ovl_app_run(&r);
            bool works = mask != OVL_MASK_COMM;
            ck_assert_int_eq(s.syncs, mask != OVL_MASK_WORK);
            ck_assert_double_eq_tol(seconds[0], 0.03 * s.syncs + (works ? 1 : 0), 1e-12);
            ck_assert_double_eq_tol(seconds[1], works ? 3 : 0, 1e-12);
            ck_assert_double_eq_tol(seconds[2], works ? 0.75 : 0, 1e-12);
        }
}
