/* Plans of applications: what is one, and how long it takes at least; random ones against brute force. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/check.h"
#include "tests/fake/plan_by_force.h"
#include "tests/fake/plan_model.h"
#include "tests/fake/random_plan.h"
#include "tests/sim/plan_in_sleeps.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 10000 };

/* The verdict on a plan, and on its operations each by itself. */
static bool verdict(const struct ovl_app_plan *plan, bool *apart)
{
    struct ovl_app_steps s;
    ck_assert_int_eq(ovl_app_steps_make(&s, plan, 10000, &err), 0);
    int rc = ovl_app_check(&s, apart, &err);
    ovl_app_steps_free(&s);
    return rc == 0;
}

TEST(random_plans_are_judged_as_by_trying_every_order)
{
    struct ovl_rng rng = ovl_rng_seeded(1);
    int counts[3] = {0}; /* refused, played, too many orders */
    for (int i = 0; i < RANDOM; i++) {
        struct random_plan p;
        struct ovl_app_steps s;
        bool bulk = i % 3, apart;
        random_plan_make(&p, &rng, 1 + (int)ovl_rng_below(&rng, bulk ? 2 : 3), (int)ovl_rng_below(&rng, 4), i % 2,
                         bulk);
        bool whole = verdict(&p.plan, &apart);
        ck_assert_msg(whole, "plan %d: %s", i, err.text);
        for (int n = (int)ovl_rng_below(&rng, 4); n > 0; n--)
            random_plan_spoil(&p, &rng);
        ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 10000, &err), 0);
        err.text[0] = 0;
        int rc = ovl_app_check(&s, &apart, &err), truth = plan_by_force_playable(&s, false);
        ck_assert_msg(truth < 0 || (rc == 0) == truth, "plan %d: %s", i, rc ? err.text : "wrongly accepted");
        if (rc == 0 && truth == 1) {
            truth = plan_by_force_playable(&s, true);
            ck_assert_msg(truth < 0 || apart == truth, "plan %d: apart", i);
        } else
            ck_assert(rc == 0 || (err.code == OVL_USAGE && strlen(err.text) > 20));
        counts[truth < 0 ? 2 : truth]++;
        ovl_app_steps_free(&s);
    }
    ck_assert_int_gt(counts[0], RANDOM / 10);
    ck_assert_int_gt(counts[1], RANDOM / 10);
    ck_assert_int_lt(counts[2], RANDOM / 20);
}

/* Of whole numbers, so that sums are exact in any order. */
TEST(bounds_of_random_plans_are_those_of_the_definition)
{
    struct ovl_rng rng = ovl_rng_seeded(2);
    int tight = 0;
    for (int i = 0; i < RANDOM; i++) {
        struct random_plan p;
        struct ovl_app_steps s;
        struct ovl_app_ops ops;
        struct ovl_app_bounds b, truth;
        double seconds[RANDOM_PLAN_RANKS * OVL_LANES * RANDOM_PLAN_STEPS], total;
        random_plan_make(&p, &rng, 1 + (int)ovl_rng_below(&rng, 4), (int)ovl_rng_below(&rng, 7), false, i % 2);
        ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 10000, &err), 0);
        ck_assert_int_eq(ovl_app_ops_match(&ops, &s, &err), 0);
        random_plan_seconds(&s, &rng, 3, seconds);
        p.machine.burst = i % 3 ? 0 : 2;
        ck_assert_int_eq(ovl_app_bounds_of(&s, &ops, &p.machine, seconds, &b, &err), 0);
        plan_by_force_bounds(&s, &ops, &p.machine, seconds, &truth);
        ck_assert_double_eq(b.path, truth.path);
        ck_assert_double_eq(b.core, truth.core);
        ck_assert_double_eq(b.link, truth.link);
        ck_assert_double_eq(b.bound, truth.bound);
        ck_assert((isnan(b.here) && isnan(truth.here)) || b.here == truth.here);
        ck_assert_int_eq(plan_model(&s, &ops, &p.machine, seconds, &total, &err), 0);
        ck_assert_msg(total >= b.bound - 1e-9, "plan %d takes %g in the model, %g at least", i, total, b.bound);
        tight += total <= b.bound + 1e-9;
        ovl_app_ops_free(&ops);
        ovl_app_steps_free(&s);
    }
    ck_assert_int_gt(tight, RANDOM / 4); /* and the bound says something */
}

TEST(no_preemptive_schedule_is_shorter)
{
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (int i = 0; i < 2000; i++) {
        struct ovl_machine_job jobs[4], *heap[4];
        size_t n = 1 + ovl_rng_below(&rng, 4);
        for (size_t k = 0; k < n; k++)
            jobs[k] =
                (struct ovl_machine_job){ovl_rng_below(&rng, 6), 1 + ovl_rng_below(&rng, 2), ovl_rng_below(&rng, 6)};
        double truth = plan_by_force_machine(jobs, n);
        ck_assert_double_eq(ovl_machine_bound(jobs, n, heap), truth);
    }
    ck_assert_double_eq(ovl_machine_bound(NULL, 0, NULL), 0);
}

/* A plan written down: steps of rank 0, then of rank 1, in one lane each. */
struct written {
    const struct ovl_app_step *steps[4][OVL_LANES];
    int counts[4][OVL_LANES];
};

static int written_group(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct written *w = of;
    if ((size_t)w->counts[rank][lane] <= group)
        return 0;
    steps[0] = w->steps[rank][lane][group];
    return 1;
}

static struct ovl_app_plan plan_of(const struct written *w, int ranks)
{
    return (struct ovl_app_plan){.ranks = ranks, .slots = 4, .groups = {16, 16}, .of = w, .group = written_group};
}

#define COMPUTE(...)                                                                                                   \
    {                                                                                                                  \
        .kind = OVL_APP_COMPUTE, .units = 1, .mark = -1, __VA_ARGS__                                                   \
    }
#define POST_OF(members, ...)                                                                                          \
    {                                                                                                                  \
        .kind = OVL_APP_POST, .ranks = members, .mark = -1, __VA_ARGS__                                                \
    }
#define POST(...) POST_OF(2, __VA_ARGS__)
#define WAIT(...)                                                                                                      \
    {                                                                                                                  \
        .kind = OVL_APP_WAIT, .mark = -1, __VA_ARGS__                                                                  \
    }
#define SYNC(...)                                                                                                      \
    {                                                                                                                  \
        .kind = OVL_APP_SYNC, .ranks = 2, .mark = -1, __VA_ARGS__                                                      \
    }
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void refused(const struct written *w, const char *words)
{
    struct ovl_app_plan plan = plan_of(w, 2);
    bool apart;
    ck_assert(!verdict(&plan, &apart));
    ck_assert_msg(strstr(err.text, words), "%s", err.text);
    ck_assert_int_eq(err.code, OVL_USAGE);
}

TEST(each_fault_has_its_line)
{
    const struct ovl_app_step good[] = {POST(.read = 1, .write = 2), WAIT()}, late[] = {WAIT()},
                              twice[] = {POST(), POST()}, left[] = {POST()},
                              touched[] = {POST(.read = 1, .write = 2), COMPUTE(.write = 1), WAIT()},
                              read[] = {POST(.read = 1, .write = 2), COMPUTE(.read = 2), WAIT()},
                              other[] = {POST(.what = 1), WAIT()}, none[] = {COMPUTE()},
                              unread[] = {COMPUTE(.after = 1), POST(.read = 1, .write = 2), WAIT()},
                              bulk[] = {COMPUTE(.after = 1)}, reader[] = {COMPUTE(.read = 2)},
                              ordered[] = {COMPUTE(.read = 2, .after = 2)}, meet[] = {SYNC()},
                              meets[] = {SYNC(.team = 1)}, meeting[] = {POST(), WAIT(), SYNC()};
#define PLAN(a, b)      ((struct written){{{a, NULL}, {b, NULL}}, {{COUNT(a), 0}, {COUNT(b), 0}}})
#define WITH_BULK(a, b) ((struct written){{{a, b}, {good, NULL}}, {{COUNT(a), COUNT(b)}, {COUNT(good), 0}}})
    refused(&PLAN(late, good), "slot 0 is empty");
    refused(&PLAN(twice, good), "slot 0 is taken");
    refused(&PLAN(left, good), "never waited for");
    refused(&PLAN(touched, good), "buffer 1 belongs");
    refused(&PLAN(read, good), "buffer 2 belongs");
    refused(&PLAN(other, good), "must post alike");
    refused(&PLAN(none, good), "is for 2 ranks, and 1 post it");
    refused(&WITH_BULK(good, good), "no plan may have such a step");
    refused(&WITH_BULK(good, reader), "in no fixed order");
    refused(&WITH_BULK(unread, bulk), "never ends");
    refused(&WITH_BULK(good, meet), "both lanes");
    refused(&WITH_BULK(good, meets), "is for 2 ranks, and 1 post it");
    refused(&PLAN(meeting, good), "is for 2 ranks, and 1 post it");
    struct written w = WITH_BULK(good, ordered);
    struct ovl_app_plan plan = plan_of(&w, 2);
    bool apart;
    ck_assert_msg(verdict(&plan, &apart), "%s", err.text);
    ck_assert(apart);
}

static struct ovl_app_bounds bounds_of(const struct written *w, int ranks, const struct ovl_app_machine *m,
                                       const double *least)
{
    struct ovl_app_plan plan = plan_of(w, ranks);
    struct ovl_app_steps s;
    struct ovl_app_ops ops;
    struct ovl_app_bounds b;
    ck_assert_int_eq(ovl_app_steps_make(&s, &plan, 1000, &err), 0);
    ck_assert_int_eq(ovl_app_ops_match(&ops, &s, &err), 0);
    ck_assert_int_eq(ovl_app_bounds_of(&s, &ops, m, least, &b, &err), 0);
    ovl_app_ops_free(&ops);
    ovl_app_steps_free(&s);
    return b;
}

/* Ranks 0 and 1 send rank 2 five bytes each, one at once and one after ten seconds: the first five can come before the
   last post, so the link is through after 15 and not after 20. */
TEST(bytes_may_come_before_the_last_post)
{
    const struct ovl_app_step early[] = {POST_OF(3, .out = 5), WAIT()},
                              late[] = {COMPUTE(), POST_OF(3, .out = 5), WAIT()},
                              taker[] = {POST_OF(3, .in = 10), WAIT()};
    const struct written w = {{{early, NULL}, {late, NULL}, {taker, NULL}}, {{2, 0}, {3, 0}, {2, 0}}};
    const int node[] = {0, 1, 2};
    const struct ovl_app_machine m = {.nodes = 3, .node = node, .rate = 1, .carry = NAN, .cores = 2};
    const double least[] = {0, 0, 10, 0, 0, 0, 0};
    struct ovl_app_bounds b = bounds_of(&w, 3, &m, least);
    ck_assert_double_eq(b.path, 10);
    ck_assert_double_eq(b.link, 15); /* that of node 1, which begins after 10; node 2's is 10 */
    ck_assert_double_eq(b.core, 15); /* ten of work, and five on the link behind them */
    ck_assert(isnan(b.bound_here));
}

/* Ranks that meet twice in their bulk, and of whom the one works longer before the second time and the other behind it:
   neither has more than 6 to do, but the one waits for the other. Chains may meet too, as another team. */
TEST(meetings_in_the_bulk_hold_the_others_up)
{
    const struct ovl_app_step bulk[] = {SYNC(), COMPUTE(), SYNC(), COMPUTE()}, chain[] = {SYNC(.team = 1)};
    const struct written w = {{{chain, bulk}, {chain, bulk}}, {{1, 4}, {1, 4}}};
    const int node[] = {0, 0};
    const struct ovl_app_machine m = {.nodes = 1, .node = node, .rate = INFINITY, .carry = NAN, .cores = 2};
    const double least[] = {0, 1, 3, 1, 1, 0, 1, 1, 1, 3};
    struct ovl_app_plan plan = plan_of(&w, 2);
    bool apart;
    struct ovl_app_bounds b = bounds_of(&w, 2, &m, least);
    ck_assert_double_eq(b.path, 8); /* 1 + 3 of the first, 1 + 3 of the second */
    ck_assert_double_eq(b.bound, 8);
    ck_assert_msg(verdict(&plan, &apart), "%s", err.text);
}

/* A core that carries its node's bytes has less for the work. */
TEST(cores_that_carry_the_link_count)
{
    const struct ovl_app_step both[] = {POST(.in = 4, .out = 4), COMPUTE(), WAIT()};
    const struct written w = {{{both, NULL}, {both, NULL}}, {{3, 0}, {3, 0}}};
    const int node[] = {0, 1};
    const struct ovl_app_machine m = {.nodes = 2, .node = node, .rate = 1, .carry = 0.5, .cores = 2};
    const double least[] = {0, 6, 0, 0, 6, 0};
    struct ovl_app_bounds b = bounds_of(&w, 2, &m, least);
    ck_assert_double_eq(b.bound, 6);
    ck_assert_double_eq(b.bound_here, 10); /* (2 x 6 + 0.5 x 16) / 2 */
}

/* What one rank does before the other can begin is not done twice as quickly because there are two cores. */
TEST(cores_that_carry_wait_for_what_is_not_there_yet)
{
    const struct ovl_app_step root[] = {COMPUTE(), POST(.out = 4, .needs = OVL_NEEDS_ROOT), WAIT()},
                              leaf[] = {POST(.in = 4, .needs = OVL_NEEDS_ROOT), WAIT(), COMPUTE()};
    const struct written w = {{{root, NULL}, {leaf, NULL}}, {{3, 0}, {3, 0}}};
    const int node[] = {0, 1};
    const struct ovl_app_machine m = {.nodes = 2, .node = node, .rate = INFINITY, .carry = 0.5, .cores = 2};
    const double least[] = {6, 0, 0, 0, 0, 6};
    struct ovl_app_bounds b = bounds_of(&w, 2, &m, least);
    ck_assert_double_eq(b.bound, 12);
    ck_assert_double_eq(b.here, 14); /* 6, then 4 s of carrying by both cores, then 6 */
}

TEST(no_plan_goes_below_the_least_work_and_bytes)
{
    const int node[] = {0, 1};
    struct ovl_app_machine m = {.nodes = 2, .node = node, .rate = 2, .carry = NAN, .cores = 2};
    const double work[] = {5, 3, 4, 6}, bytes[] = {6, 6, 8, 4};
    ck_assert_double_eq(ovl_app_any_bound(2, 2, work, &m, bytes), 4);
    ck_assert_double_eq(ovl_app_any_bound(1, 2, work, &m, bytes), 5);
    const double light[] = {1, 1};
    ck_assert_double_eq(ovl_app_any_bound(1, 2, light, &m, bytes), 3);
    m.burst = 3; /* which an idle link lets pass at once */
    ck_assert_double_eq(ovl_app_any_bound(1, 2, light, &m, bytes), 1.5);
}

/* Two teams of the same two ranks, which post to them in opposite orders: no rank waits before it has posted both. */
TEST(operations_may_depend_on_overlap)
{
    const struct ovl_app_step there[] = {POST(), POST(.slot = 1, .team = 1), WAIT(), WAIT(.slot = 1)},
                              back[] = {POST(.slot = 1, .team = 1), POST(), WAIT(), WAIT(.slot = 1)};
    const struct written w = {{{there, NULL}, {back, NULL}}, {{4, 0}, {4, 0}}};
    struct ovl_app_plan plan = plan_of(&w, 2);
    bool apart;
    ck_assert(verdict(&plan, &apart));
    ck_assert(!apart);
}

/* What happens is never quicker than the bound; how near it comes is printed by `make plans`. */
TEST(reality_is_never_below_the_bound)
{
    struct ovl_rng rng = ovl_rng_seeded(5);
    struct ovl_app_plan plan;
    struct ovl_app_machine m;
    for (int i = 0; plan_in_sleeps_tight(i, &plan, &m); i++) {
        double bound = plan_in_sleeps_bounds(&plan, &m).bound;
        ck_assert_double_gt(bound, 0);
        ck_assert_double_ge(plan_in_sleeps(&plan, &m, 2e-4, 60), bound);
    }
    for (int i = 0; i < 40; i++) {
        struct random_plan p;
        random_plan_make(&p, &rng, 4, 5, false, i % 2);
        double bound = plan_in_sleeps_bounds(&p.plan, &p.machine).bound;
        ck_assert_double_ge(plan_in_sleeps(&p.plan, &p.machine, 5e-4, 60), bound);
    }
}

/* The twin of blocking calls: what was posted is waited for there, and nothing else has changed. */
TEST(a_blocking_twin_has_the_same_work)
{
    struct ovl_rng rng = ovl_rng_seeded(9);
    size_t posts = 0;
    for (int i = 0; i < 200; i++) {
        struct random_plan p;
        struct ovl_app_step mine[OVL_APP_GROUP_MOST], twins[OVL_APP_GROUP_MOST];
        random_plan_make(&p, &rng, 1 + (int)ovl_rng_below(&rng, 3), (int)ovl_rng_below(&rng, 4), i % 2, i % 3);
        struct ovl_app_plan twin = ovl_app_blocking(&p.plan);
        for (int rank = 0; rank < p.plan.ranks; rank++)
            for (int lane = 0; lane < OVL_LANES; lane++)
                for (size_t g = 0; g < p.plan.groups[lane]; g++) {
                    int all = p.plan.group(p.plan.of, rank, (enum ovl_app_lane)lane, g, mine), n = 0;
                    int left = twin.group(twin.of, rank, (enum ovl_app_lane)lane, g, twins);
                    for (int k = 0; k < all; k++)
                        if (mine[k].kind != OVL_APP_WAIT) {
                            bool posted = mine[k].kind == OVL_APP_POST;
                            posts += posted;
                            ck_assert_int_lt(n, left);
                            ck_assert_int_eq(twins[n].kind, posted ? OVL_APP_SYNC : mine[k].kind);
                            ck_assert(twins[n].team == mine[k].team && twins[n++].in == mine[k].in);
                        }
                    ck_assert_int_eq(n, left);
                }
    }
    ck_assert_uint_gt(posts, 200);
}

TEST(a_plan_that_is_too_long_is_refused)
{
    struct ovl_rng rng = ovl_rng_seeded(4);
    struct random_plan p;
    struct ovl_app_steps s;
    do
        random_plan_make(&p, &rng, 2, 3, false, false);
    while (p.lists[0][0].count + p.lists[1][0].count < 6);
    ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 5, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "over 5 steps"));
}
