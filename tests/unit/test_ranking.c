/* Places of several sides: by hand, and simulated, where their truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/ranking.h"
#include "tests/fake/normal.h"
#include "tests/unit/test.h"

#include <math.h>

enum { SIDES = 4, LAUNCHES = 16 };

static double value[SIDES][LAUNCHES];

/* Sides whose losses rise by `step` each, with less noise than that; launches as pairs have a day in common. */
static struct ovl_ranking ranking(struct ovl_ranking_side *side, size_t sides, size_t launches, bool paired)
{
    for (size_t i = 0; i < sides; i++)
        side[i] = (struct ovl_ranking_side){.value = value[i]};
    return (struct ovl_ranking){
        .side = side, .count = sides, .launches = launches, .reference = sides, .paired = paired};
}

static void make_apart(size_t sides, size_t launches, double step)
{
    for (size_t i = 0; i < sides; i++)
        for (size_t k = 0; k < launches; k++)
            value[i][k] = step * (double)(sides - i) + 0.001 * (double)((7 * k + 3 * i) % 11);
}

TEST(sides_apart_have_a_place_each)
{
    struct ovl_ranking_side side[SIDES];
    make_apart(3, 8, 0.3);
    struct ovl_ranking r = ranking(side, 3, 8, true);
    ovl_ranking_make(&r);
    ck_assert_uint_eq(r.reference, 2); /* the last has the least loss */
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(side[i].first, 3 - i);
        ck_assert_uint_eq(side[i].last, 3 - i);
        ck_assert_uint_eq(side[i].n, 8);
        ck_assert_double_le(side[i].shift.low, 0.3 * (double)(2 - i));
        ck_assert_double_ge(side[i].shift.high, 0.3 * (double)(2 - i) - 0.011);
    }
    ck_assert_double_eq(side[2].shift.low, 0);
    ck_assert_double_eq_tol(side[0].shift.value, 0.6, 0.01);
    /* Without pairs there must be ten. */
    r = ranking(side, 3, 8, false);
    ovl_ranking_make(&r);
    ck_assert_uint_eq(side[0].first, 1);
    ck_assert_uint_eq(side[0].last, 3);
    ck_assert_uint_eq(side[0].n, 0);
    make_apart(3, 12, 0.3);
    r = ranking(side, 3, 12, false);
    ovl_ranking_make(&r);
    ck_assert_uint_eq(side[0].first, 3);
    ck_assert_uint_eq(side[2].last, 1);
}

/* The side that is better in the middle takes ten times as long in 6 of 60 launches. */
TEST(who_stalls_is_no_better)
{
    enum { MANY = 60 };
    static double old[MANY], new[MANY];
    for (size_t k = 0; k < MANY; k++) {
        old[k] = 0.001 * (double)(7 * k % 11);
        new[k] = k % 10 == 3 ? log(10) : old[k] - 0.07;
    }
    for (int stalls = 0; stalls < 2; stalls++)
        for (size_t first = 0; first < 2; first++) {
            struct ovl_ranking_side side[2] = {{.value = first ? new : old}, {.value = first ? old : new}};
            struct ovl_ranking r = {.side = side,
                                    .count = 2,
                                    .launches = MANY,
                                    .reference = 0,
                                    .paired = true,
                                    .margin = stalls ? log1p(0.05) : 0};
            ovl_ranking_make(&r);
            ck_assert_uint_eq(side[0].first, stalls || first ? 1 : 2);
            ck_assert_uint_eq(side[1].last, stalls || first ? 2 : 1);
            ck_assert((isinf(side[1].shift.low) && isinf(side[1].shift.high)) == (stalls > 0));
        }
}

/* 2^-n twice must be below 0.05 / 3. */
TEST(too_few_launches_tell_nothing_apart)
{
    struct ovl_ranking_side side[SIDES];
    ck_assert_uint_eq(ovl_ranking_needed(3, true), 7);
    ck_assert_uint_eq(ovl_ranking_needed(3, false), 10);
    ck_assert_uint_le(ovl_ranking_needed(5, true), 10);
    for (size_t n = 6; n <= 7; n++) {
        make_apart(3, n, 0.3);
        struct ovl_ranking r = ranking(side, 3, n, true);
        ovl_ranking_make(&r);
        ck_assert_uint_eq(side[1].first, n == 6 ? 1 : 2);
        ck_assert_uint_eq(side[1].last, n == 6 ? 3 : 2);
    }
}

TEST(a_launch_without_a_value_leaves_its_pairs_out)
{
    struct ovl_ranking_side side[SIDES];
    make_apart(3, 12, 0.3);
    value[0][3] = value[1][5] = value[1][6] = NAN;
    struct ovl_ranking r = ranking(side, 3, 12, true);
    r.reference = 0;
    r.named = true;
    ovl_ranking_make(&r);
    ck_assert_uint_eq(side[1].n, 9);
    ck_assert_uint_eq(side[2].n, 11);
    ck_assert_double_lt(side[2].shift.high, 0);
    for (size_t k = 0; k < 12; k++)
        value[1][k] = NAN;
    r = ranking(side, 3, 12, true);
    ovl_ranking_make(&r);
    ck_assert_uint_eq(side[1].n, 0);
    ck_assert_uint_eq(side[1].first, 1); /* it may have any place that is left */
    ck_assert_uint_eq(side[1].last, 3);
    ck_assert_uint_eq(side[2].first, 1);
    ck_assert_uint_eq(side[2].last, 2);
}

static void draw(struct ovl_rng *rng, const double *truth)
{
    double day[LAUNCHES];
    for (size_t k = 0; k < LAUNCHES; k++)
        day[k] = 3 * normal(rng);
    for (size_t i = 0; i < SIDES; i++)
        for (size_t k = 0; k < LAUNCHES; k++)
            value[i][k] = truth[i] + day[k] + normal(rng);
}

/* Of sides that are alike some place is ruled out in at most 5 % of rankings, and some interval is wrong in as many;
   with 400 of them 8 % are more than 3 standard errors above that. */
TEST(alike_sides_are_seldom_told_apart)
{
    static const double alike[SIDES] = {0};
    struct ovl_ranking_side side[SIDES];
    struct ovl_rng rng = ovl_rng_seeded(7);
    int all = rounds(400, 4000), ruled_out = 0, missed = 0;
    for (int round = 0; round < all; round++) {
        bool out = false, miss = false;
        draw(&rng, alike);
        struct ovl_ranking r = ranking(side, SIDES, LAUNCHES, true);
        ovl_ranking_make(&r);
        for (size_t i = 0; i < SIDES; i++) {
            out = out || side[i].first > 1 || side[i].last < SIDES;
            miss = miss || side[i].shift.low > 0 || side[i].shift.high < 0;
        }
        ruled_out += out;
        missed += miss;
    }
    ck_assert_int_le(ruled_out, all * 8 / 100);
    ck_assert_int_le(missed, all * 8 / 100);
}

/* The true place is among those told, and sides 3 standard deviations of a pair apart have their own in most rankings.
 */
TEST(true_places_are_among_those_told)
{
    static const double truth[SIDES] = {0, 0, 4.2, 8.4};
    struct ovl_ranking_side side[SIDES];
    struct ovl_rng rng = ovl_rng_seeded(8);
    int all = rounds(200, 2000), own = 0, wrong = 0;
    for (int round = 0; round < all; round++) {
        draw(&rng, truth);
        struct ovl_ranking r = ranking(side, SIDES, LAUNCHES, true);
        ovl_ranking_make(&r);
        own += side[2].first == 3 && side[2].last == 3 && side[3].first == 4;
        wrong += side[0].first > 1 || side[1].first > 1 || side[2].first > 3 || side[2].last < 3;
    }
    ck_assert_int_ge(own, all * 9 / 10);
    ck_assert_int_le(wrong, all * 8 / 100);
}
