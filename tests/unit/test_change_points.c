/* Change points: by hand, and of histories whose truth is known; `make changes` has these at length. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/change_points.h"
#include "tests/sim/histories.h"
#include "tests/unit/test.h"

#include <math.h>

enum { N = 40 };

/* The n values must have exactly these change points. */
static void check(const double *x, size_t n, size_t count, const size_t *at)
{
    struct ovl_change_point found[N];
    size_t k;
    k = ovl_change_points_find(x, n, OVL_CHANGE_ALPHA, 1, found);
    ck_assert_uint_eq(k, count);
    for (size_t i = 0; i < k; i++) {
        ck_assert_uint_eq(found[i].at, at[i]);
        ck_assert_uint_le(found[i].first, found[i].at);
        ck_assert_uint_ge(found[i].last, found[i].at);
        ck_assert_uint_lt(found[i].last, n);
    }
}

TEST(steps_are_found_where_they_are)
{
    double x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = (i < 10 ? 5e-6 : i < 25 ? 8e-6 : 6e-6) + 1e-8 * (double)(i * 7 % 11);
    check(x, N, 2, (const size_t[]){10, 25});
    for (size_t i = 0; i < N; i++)
        x[i] = i < 36; /* without any noise, and as late as can be */
    check(x, N, 1, (const size_t[]){36});
    x[36] = x[37] = 1;
    check(x, N, 0, NULL); /* two values are outliers */
}

TEST(nothing_is_found_in_what_does_not_change)
{
    double x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = 3;
    check(x, N, 0, NULL);
    check(x, 0, 0, NULL);
    check(x, 1, 0, NULL);
    x[17] = 1e6; /* a launch that went wrong */
    check(x, N, 0, NULL);
}

/* Two or three values that are far off at an end are found where they are, not four before it, and the place next to
   theirs is possible still. */
TEST(a_change_near_an_end_is_at_its_place)
{
    enum { LONG = 152 };
    const uint64_t seeds = (uint64_t)rounds(5, 20);
    for (size_t bad = 2; bad <= 3; bad++)
        for (uint64_t seed = 0; seed < seeds; seed++)
            for (int end = 0; end < 2; end++) {
                double x[LONG];
                struct ovl_change_point found[LONG / OVL_CHANGE_LEAST];
                size_t count, true_place = end ? LONG - bad : bad;
                struct ovl_rng rng = ovl_rng_seeded(seed);
                for (size_t i = 0; i < LONG; i++)
                    x[i] = launch_value(&rng, LAUNCH_NORMAL) + ((i >= true_place) == (end == 1) ? 50 : 0);
                count = ovl_change_points_find(x, LONG, OVL_CHANGE_ALPHA, 1, found);
                if (bad == 3 || count > 0) {
                    ck_assert_uint_ge(count, 1);
                    const struct ovl_change_point *c = &found[end ? count - 1 : 0];
                    ck_assert_uint_eq(c->at, true_place);
                    ck_assert_uint_le(c->first, true_place - (size_t)end);
                    ck_assert_uint_ge(c->last, true_place);
                    ck_assert(!end || c->last == true_place + 1);
                }
            }
}

/* What is not a change of level is none: a spike anywhere, one launch in six that is six times slower. So rare are
   false alarms at a strict level that three would be too many. */
TEST(spikes_are_no_change)
{
    enum { LONG = 152 };
    struct ovl_change_point found[LONG / OVL_CHANGE_LEAST];
    size_t count, alarms = 0;
    for (size_t spike = 0; spike <= LONG; spike++) {
        double x[LONG];
        struct ovl_rng rng = ovl_rng_seeded(spike);
        for (size_t i = 0; i < LONG; i++)
            x[i] = (100 + launch_value(&rng, LAUNCH_NORMAL)) *
                   (spike < LONG ? (i == spike ? 2 : 1) : (ovl_rng_below(&rng, 6) == 0 ? 6.29 : 1));
        count = ovl_change_points_find(x, LONG, OVL_CHANGE_ALPHA / 10, 1, found);
        alarms += count > 0;
    }
    ck_assert_uint_lt(alarms, 3);
}

/* However far off: of launches with a standard deviation of 1, and of such as a coarse clock makes, most of them
   alike. */
TEST(a_few_values_far_off_hide_no_change)
{
    enum { BEFORE = 40, ALL = 55 };
    for (int k = 0; k < 12; k++) {
        double x[ALL], far = pow(10, 2 + k % 4);
        struct ovl_change_point found[ALL / OVL_CHANGE_LEAST];
        struct ovl_rng rng = ovl_rng_seeded((uint64_t)k);
        for (size_t i = 0; i < ALL; i++)
            x[i] = (k % 2 ? launch_value(&rng, LAUNCH_NORMAL) : (double)(ovl_rng_below(&rng, 4) == 0)) +
                   (i < BEFORE ? 0 : 5);
        for (int outlier = 0; outlier <= k / 4; outlier++)
            x[4 + 9 * outlier] += far;
        size_t count = ovl_change_points_find(x, ALL, OVL_CHANGE_ALPHA, 1, found);
        ck_assert_uint_eq(count, 1);
        ck_assert_uint_ge(found[0].at, BEFORE - 1);
        ck_assert_uint_le(found[0].at, BEFORE + 1);
        count = ovl_change_points_find(x, BEFORE, OVL_CHANGE_ALPHA, 1, found);
        ck_assert_uint_eq(count, 0);
    }
}

/* What changed before `since`, and was looked at, hides nothing of what holds from there on, nor does what went again.
 */
TEST(changes_that_were_looked_at_hide_none_at_since)
{
    static const struct {
        size_t length[4], since; /* of parts at the levels, and the part that begins at since */
        double level[4];
    } cases[] = {
        {{40, 8, 4, 16}, 3, {0, 50, 0, 20}}, /* a bad week, then worse for good */
        {{60, 4, 16, 0}, 2, {43, 0, 28}},    /* an improvement, most of which is lost */
        {{60, 8, 12, 0}, 2, {43, 0, 28}},
        {{30, 6, 12, 0}, 1, {0, 50, 0}}, /* shown, and gone again before someone looked */
        {{30, 10, 12, 0}, 1, {0, 50, 0}},
    };
    for (uint64_t seed = 0; seed < 50; seed++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            enum { MOST = 80 };
            double x[MOST];
            struct ovl_change_point found[3 * MOST / OVL_CHANGE_LEAST];
            struct ovl_rng rng = ovl_rng_seeded(seed);
            size_t n = 0, since = 0, seen = 0;
            for (size_t part = 0; part < 4; part++) {
                since = part == cases[k].since ? n : since;
                for (size_t i = 0; i < cases[k].length[part]; i++)
                    x[n++] = launch_value(&rng, LAUNCH_NORMAL) + cases[k].level[part];
            }
            size_t count = ovl_change_points_find_since(x, n, since, OVL_CHANGE_ALPHA / 4, 1, found);
            for (size_t i = 0; i < count; i++) {
                seen += found[i].at == since;
                ck_assert(i == 0 || found[i - 1].at < found[i].at);
            }
            ck_assert_msg(seen == 1, "case %zu, seed %d", k, (int)seed);
        }
}

/* A level that comes and goes hides what follows it in the whole series, and not in what is since it went. */
TEST(levels_that_come_and_go_hide_nothing_since)
{
    enum { MOST = 80 };
    const size_t lengths[][4] = {{30, 15, 15, 20}, {20, 10, 10, 12}};
    size_t hidden = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        const size_t *length = lengths[seed % 2];
        double x[MOST];
        struct ovl_change_point found[3 * MOST / OVL_CHANGE_LEAST];
        struct ovl_rng rng = ovl_rng_seeded(seed);
        size_t n = 0, since = length[0] + length[1], change = since + length[2], seen = 0;
        for (size_t part = 0; part < 4; part++)
            for (size_t i = 0; i < length[part]; i++)
                x[n++] = launch_value(&rng, LAUNCH_NORMAL) + (part % 2 ? 25 : 0);
        size_t count = ovl_change_points_find_since(x, n, since, OVL_CHANGE_ALPHA / 4, 1, found);
        for (size_t i = 0; i < count; i++) {
            seen += found[i].at == change;
            ck_assert(i == 0 || found[i - 1].at < found[i].at);
        }
        ck_assert_uint_eq(seen, 1);
        /* Since the beginning, or after the end: the whole series. */
        size_t whole = ovl_change_points_find(x, n, OVL_CHANGE_ALPHA / 4, 1, found);
        ck_assert_uint_eq(ovl_change_points_find_since(x, n, 0, OVL_CHANGE_ALPHA / 4, 1, found), whole);
        ck_assert_uint_eq(ovl_change_points_find_since(x, n, n, OVL_CHANGE_ALPHA / 4, 1, found), whole);
        ovl_change_points_find(x, n, OVL_CHANGE_ALPHA / 4, 1, found);
        for (seen = 0; whole-- > 0;)
            seen += found[whole].at == change;
        hidden += seen == 0;
    }
    ck_assert_uint_gt(hidden, 0);
}

/* Q by its definition. */
static double q_of(const double *x, size_t n, size_t m)
{
    double between = 0, left = 0, right = 0, k = (double)(n - m), all = (double)m;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            *(j < m ? &left : i < m ? &between : &right) += fabs(x[i] - x[j]);
    return all * k / (all + k) * (2 * between / (all * k) - 2 * left / (all * all) - 2 * right / (k * k));
}

TEST(the_split_has_the_greatest_q)
{
    struct ovl_rng rng = ovl_rng_seeded(7);
    for (int k = 0; k < 50; k++) {
        double x[N], best = 0;
        struct ovl_change_point found[N];
        size_t count, at = 0;
        for (size_t i = 0; i < N; i++) /* with ties */
            x[i] = round(4 * launch_value(&rng, LAUNCH_NORMAL)) + (i >= 13 ? 24 : 0);
        for (size_t m = OVL_CHANGE_LEAST; m + OVL_CHANGE_LEAST <= N; m++)
            if (q_of(x, N, m) > best) {
                best = q_of(x, N, m);
                at = m;
            }
        /* At a level at which only the whole can be divided. */
        count = ovl_change_points_find(x, N, 0.001, 1, found);
        ck_assert_uint_ge(count, 1);
        bool there = false;
        for (size_t i = 0; i < count; i++)
            there |= found[i].at == at;
        ck_assert(there);
    }
}

/* 2 / C(n, n / 2): 2 / 126 is above 0.01, 2 / 252 below. */
TEST(so_many_values_are_needed)
{
    ck_assert_uint_eq(ovl_change_points_needed(0.5), 2 * OVL_CHANGE_LEAST);
    ck_assert_uint_eq(ovl_change_points_needed(0.01), 10);
    ck_assert_uint_eq(ovl_change_points_needed(1e-4), 17);
    double x[10] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    check(x, 10, 1, (const size_t[]){5});
    check(x + 1, 9, 0, NULL);
}

/* Of a change that chance makes almost as often as the level allows, the seed decides. */
TEST(the_same_seed_finds_the_same)
{
    int found = 0;
    for (uint64_t k = 0; k < 40; k++) {
        struct ovl_change_point a[N], b[N];
        size_t na, nb;
        double x[N];
        struct ovl_rng rng = ovl_rng_seeded(k);
        for (size_t i = 0; i < N; i++)
            x[i] = launch_value(&rng, LAUNCH_NORMAL) + (i < 20 ? 0 : 1);
        na = ovl_change_points_find(x, N, 0.05, 5, a);
        nb = ovl_change_points_find(x, N, 0.05, 5, b);
        ck_assert_uint_eq(nb, na);
        for (size_t i = 0; i < na; i++)
            ck_assert(a[i].at == b[i].at && a[i].first == b[i].first && a[i].last == b[i].last);
        found += na > 0;
    }
    ck_assert_int_gt(found, 8);
    ck_assert_int_lt(found, 32);
}

TEST(a_shift_is_found_and_no_other)
{
    struct history_truth t = {.points = 1, .before = 20, .after = 20, .shift = 3};
    struct history_counts n;
    const int many = rounds(60, 200);
    n = histories_judge(&t, many, 1);
    ck_assert_int_ge(n.found, many * 95 / 100);
    ck_assert_int_le(n.false_alarm, many * 5 / 100);
    t.shift = 0;
    n = histories_judge(&t, many, 2);
    ck_assert_int_le(n.false_alarm, many * 5 / 100);
    t.points = 10; /* all of them together */
    n = histories_judge(&t, many, 3);
    ck_assert_int_le(n.false_alarm, many * 5 / 100);
}

/* What `make changes` promises, in few histories. */
TEST(a_change_at_since_is_new)
{
    enum { HISTORIES = 300 };
    for (int shift = 2; shift <= 5; shift += rounds(3, 1)) {
        struct history_truth t = {.points = 1, .before = 30, .after = 12, .shift = shift};
        struct history_counts n;
        n = histories_judge(&t, HISTORIES, (uint64_t)shift);
        ck_assert_int_ge(n.any, HISTORIES * 95 / 100);
        ck_assert_int_le(n.any - n.fresh, HISTORIES * 5 / 100);
        ck_assert_int_ge(n.held, n.any * 94 / 100);
    }
}

TEST(a_nightly_job_fails_in_time_and_not_without_cause)
{
    enum { SINCE = 20 };
    const int histories = rounds(40, 100);
    struct history_truth t = {.points = 4, .before = 30, .after = 8, .shift = 50};
    int failed[HISTORY_MOST_NIGHTS];
    histories_nights(&t, SINCE, histories, 1, failed);
    ck_assert_int_eq(failed[3], histories);
    t.shift = 3;
    histories_nights(&t, SINCE, histories, 2, failed);
    ck_assert_int_ge(failed[7], histories * 95 / 100);
    t.shift = 0;
    histories_nights(&t, SINCE, histories, 3, failed);
    ck_assert_int_le(failed[7], histories * 5 / 100);
}
