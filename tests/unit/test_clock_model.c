/* Another clock as a line over one's own, from round trips of which each end is known here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "bench/start/clock_model.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

static const int64_t boots_apart = -86400000000000; /* a day, ns */

/* The other clock: a day and `ppm` away. */
static int64_t other(int64_t own, double ppm)
{
    return own + boots_apart + llround(1e-6 * ppm * (double)own);
}

/* A round trip that takes `there` and `back`, at a time. */
static struct ovl_clock_point trip(int64_t own, double ppm, int64_t there, int64_t back)
{
    int64_t middle = own + (there + back) / 2;
    return (struct ovl_clock_point){middle, other(own + there, ppm) - middle, there + back};
}

static uint32_t below(struct ovl_rng *rng, uint32_t n)
{
    return (uint32_t)ovl_rng_below(rng, n);
}

TEST(without_points_it_is_ones_own_clock)
{
    struct ovl_clock_model m = {0};
    ck_assert_int_eq(ovl_clock_model_other(&m, 1234567890123456789), 1234567890123456789);
    ck_assert_int_eq(ovl_clock_model_own(&m, 1234567890123456789), 1234567890123456789);
    ck_assert_int_eq(ovl_clock_model_quickest(&m), INT64_MAX);
}

/* A second ahead, at any drift; there and back again. */
TEST(offset_and_rate_are_found)
{
    static const double ppms[] = {0, 2, -20, 200};
    for (size_t i = 0; i < sizeof ppms / sizeof *ppms; i++) {
        struct ovl_clock_model m = {0};
        struct ovl_rng rng = ovl_rng_seeded(7);
        int64_t now = 5000000000000;
        double missed = 0;
        for (int k = 0; k < 40; k++, now += 250000000) {
            struct ovl_clock_point p = trip(now, ppms[i], 500 + below(&rng, 30), 500 + below(&rng, 30));
            missed = ovl_clock_model_add(&m, &p);
        }
        ck_assert_double_lt(missed, 50);
        int64_t then = now + 1000000000, seen = ovl_clock_model_other(&m, then);
        ck_assert_int_le(llabs(seen - other(then, ppms[i])), 50);
        ck_assert_int_le(llabs(ovl_clock_model_own(&m, seen) - then), 1);
    }
}

/* A slow round trip may lie on one way only: it hardly counts. */
TEST(slow_round_trips_hardly_count)
{
    struct ovl_clock_model m = {0};
    int64_t now = 5000000000000;
    for (int k = 0; k < 40; k++, now += 250000000) {
        struct ovl_clock_point p = k % 4 == 3 ? trip(now, 2, 500, 200000) : trip(now, 2, 500, 500);
        ovl_clock_model_add(&m, &p);
    }
    ck_assert_int_le(llabs(ovl_clock_model_other(&m, now) - other(now, 2)), 50);
    ck_assert_int_eq(ovl_clock_model_quickest(&m), 1000);
}

/* Many comparisons in a row leave the line its length. */
TEST(points_in_a_row_count_once)
{
    struct ovl_clock_model m = {0};
    struct ovl_rng rng = ovl_rng_seeded(7);
    int64_t now = 5000000000000;
    for (int k = 0; k < 8; k++) {
        struct ovl_clock_point p = trip(now += 20000000, 20, 500 + below(&rng, 50), 500 + below(&rng, 50));
        ovl_clock_model_add(&m, &p);
    }
    for (int k = 0; k < 50; k++) {
        struct ovl_clock_point p = trip(now += 20000, 20, 500 + below(&rng, 50), 500 + below(&rng, 50));
        ovl_clock_model_add(&m, &p);
    }
    ck_assert_uint_eq(m.points, 8);
    ck_assert_int_le(llabs(ovl_clock_model_other(&m, now + 100000000) - other(now + 100000000, 20)), 200);
}

/* A clock that steps, or walks, is missed by as much. */
TEST(what_is_missed_is_told)
{
    struct ovl_clock_model m = {0};
    int64_t now = 5000000000000;
    struct ovl_clock_point p = trip(now, 2, 500, 500);
    ck_assert_double_eq(ovl_clock_model_add(&m, &p), 0);
    for (int k = 0; k < 20; k++) {
        p = trip(now += 250000000, 2, 500, 500);
        ovl_clock_model_add(&m, &p);
    }
    p = trip(now += 250000000, 2, 500, 500);
    p.offset += 30000;
    ck_assert_double_eq_tol(ovl_clock_model_add(&m, &p), 30000, 50);
}
