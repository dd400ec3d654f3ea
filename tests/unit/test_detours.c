/* Detours in series of fixed work whose truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/detours.h"
#include "tests/unit/test.h"

#include <math.h>

enum { MOST = 100000 };
static double begin[MOST], took[MOST];
static struct ovl_detours found;
static struct ovl_rng rng;

static void setup(void)
{
    rng = ovl_rng_seeded(7);
}

static double uniform(void)
{
    return ovl_rng_below(&rng, 1u << 30) / (double)(1u << 30);
}

/* A core with `quantum` s of work again and again, and a detour of `length` s at each time of `at`. */
static size_t play(double span, double quantum, const double *at, size_t detours, double length)
{
    size_t n = 0, d = 0;
    for (double now = 0; now < span && n < MOST; n++) {
        double lasts = quantum * (1 + 0.01 * uniform());
        begin[n] = now;
        for (; d < detours && at[d] < now + lasts; d++)
            lasts += length;
        took[n] = lasts;
        now += lasts;
    }
    return n;
}

static void find(size_t n)
{
    found = ovl_detours_find(begin, took, n);
}

TEST(quiet_core)
{
    find(play(5, 1e-3, NULL, 0, 0));
    ck_assert_double_eq(found.lost, 0);
    ck_assert_double_eq(found.per_second, 0);
    ck_assert(isnan(found.period) && isnan(found.median) && isnan(found.longest));
    ck_assert_double_lt(found.above_quickest, 0.02);
}

/* 1 ms each 100 ms is 1 %. */
TEST(one_in_a_hundred)
{
    double at[200];
    for (int i = 0; i < 200; i++)
        at[i] = 0.05 + 0.1 * i;
    find(play(20, 1e-3, at, 200, 1e-3));
    ck_assert_double_eq_tol(found.lost, 0.01, 1e-3);
    ck_assert_double_eq_tol(found.per_second, 10, 0.1);
    ck_assert_double_eq_tol(found.median, 1e-3, 2e-5);
    ck_assert_double_eq_tol(found.typical, 1e-3, 2e-5);
    ck_assert_double_eq_tol(found.longest, 1e-3, 2e-5);
    ck_assert_double_eq_tol(found.p99, 1e-3, 2e-5);
    ck_assert_double_eq_tol(found.period, 0.1, 1e-3);
}

/* A tick of 2 us at 250 Hz, by quanta of 10 us; and a rarer, longer loss that is what matters then. */
TEST(ticks)
{
    static double at[1000];
    for (int i = 0; i < 250; i++)
        at[i] = 4e-3 * (i + 0.5);
    size_t n = play(1, 1e-5, at, 250, 2e-6);
    find(n);
    ck_assert_double_eq_tol(found.period, 4e-3, 1e-4);
    ck_assert_double_eq_tol(found.lost, 250 * 2e-6, 5e-5);
    for (size_t i = 0; i < n; i++)
        if (fmod(begin[i] + 0.013, 0.05) < 1e-5)
            took[i] += 3e-3;
    find(n);
    ck_assert_double_eq_tol(found.typical, 3e-3, 1e-4);
    ck_assert_double_eq_tol(found.period, 0.05, 1e-3);
}

/* Every fifth is missed, others jitter by 2 %, and the jitter adds up. */
TEST(period_with_jitter_and_misses)
{
    double at[300], length[300], now = 0, period;
    size_t n = 0;
    for (int i = 0; i < 300; i++) {
        now += 0.02 * (1 + 0.04 * (uniform() - 0.5));
        if (i % 5 != 0) {
            at[n] = now;
            length[n++] = 2e-3;
        }
    }
    period = ovl_detours_period(at, length, n, 1e-5);
    ck_assert_double_eq_tol(period, 0.02, 5e-4);
}

/* Two in a row, 3 ms apart, each 20 ms: neither the gap of 3 ms nor that of 17 is the period. */
TEST(pairs_of_detours)
{
    double at[200], length[200], period;
    for (int i = 0; i < 200; i++) {
        at[i] = 0.02 * (i / 2) + 3e-3 * (i % 2);
        length[i] = 1e-3;
    }
    period = ovl_detours_period(at, length, 200, 1e-5);
    ck_assert_double_eq_tol(period, 0.02, 5e-4);
}

/* What comes each 20 ms, and gets in after 16 and 24 ms in turn. */
TEST(period_of_a_coarse_scheduler)
{
    double at[100], length[100], period;
    for (int i = 0; i < 100; i++) {
        at[i] = 8e-3 * ceil(20. / 8 * i);
        length[i] = 2e-3;
    }
    period = ovl_detours_period(at, length, 100, 1e-3);
    ck_assert_double_eq_tol(period, 0.02, 5e-4);
}

/* None is claimed of detours that come at random: in 2,000 series of 10 to 500, at most 1 in 100. */
TEST(random_detours)
{
    enum { SERIES = 2000 };
    double at[500], length[500], period;
    int claimed = 0;
    for (int s = 0; s < SERIES; s++) {
        size_t n = 10 + (size_t)(491 * pow(uniform(), 3));
        double now = 0;
        for (size_t i = 0; i < n; i++) {
            now -= 0.01 * log(1 - uniform());
            at[i] = now;
            length[i] = 1e-3;
        }
        period = ovl_detours_period(at, length, n, 1e-5);
        claimed += !isnan(period);
    }
    ck_assert_msg(claimed <= SERIES / 100, "%d periods of random detours", claimed);
}

TEST(odd_series)
{
    double period;
    find(0);
    ck_assert(isnan(found.span) && isnan(found.lost) && isnan(found.period));
    begin[0] = 0;
    took[0] = 1e-3;
    find(1);
    ck_assert_double_eq(found.lost, 0);
    for (int i = 0; i < 20; i++) {
        begin[i] = 0; /* a clock that stands still */
        took[i] = i % 2 ? 1e-3 : 5e-3;
    }
    find(20);
    ck_assert(isnan(found.period));
    period = ovl_detours_period(begin, took, 20, 0);
    ck_assert(isnan(period));
}

AROUND(setup, NULL)
