/* Failures: gaps with the mean that was asked for, replays against a count by hand and against what is expected, and
   best intervals against all others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/faults.h"
#include "tests/unit/test.h"

#include <math.h>

TEST(gaps_have_their_mean)
{
    static const double means[] = {1.5, 10, 300};
    for (int k = 0; k < 3; k++) {
        struct ovl_faults f;
        uint32_t victim, times[3] = {0};
        uint64_t steps = 0;
        ovl_faults_start(&f, means[k], 42);
        for (int n = 0; n < 30000; steps++)
            if (ovl_faults_strike(&f, 3, &victim)) {
                n++;
                times[victim]++;
            }
        ck_assert_double_eq_tol((double)steps / 30000 / means[k], 1, 0.03);
        for (int r = 0; r < 3; r++)
            ck_assert(times[r] > 9500 && times[r] < 10500);
    }
}

/* Gaps 1, 2, ... of a seed give steps, failures and checkpoints that can be written down. */
TEST(a_replay_by_hand)
{
    struct ovl_faults f;
    uint32_t victim;
    uint64_t gap = 0;
    ovl_faults_start(&f, 50, 7);
    do
        gap++;
    while (!ovl_faults_strike(&f, 2, &victim));
    /* All steps before it, a checkpoint each; the one that failed again. */
    struct ovl_faults_count n = ovl_faults_replay(50, 7, 2, gap - 1, 1);
    ck_assert(n.played == gap - 1 && n.failures == 0 && n.checkpoints == gap - 1);
    n = ovl_faults_replay(50, 7, 2, gap, 1);
    ck_assert(n.failures >= 1 && n.played == gap + n.failures);
    n = ovl_faults_replay(1e12, 7, 2, 100, 7);
    ck_assert(n.played == 100 && n.failures == 0 && n.checkpoints == 14);
}

/* Many steps: what is played, failures and goodput come to what is expected. */
LOOP_TEST(replays_come_to_what_is_expected, 0, 6)
{
    static const double means[] = {20, 100, 1000};
    uint64_t interval = _i < 3 ? 10 : 40, steps = 400000 / interval * interval;
    double mtbf = means[_i % 3];
    struct ovl_faults_count n = ovl_faults_replay(mtbf, 5, 4, steps, interval);
    double played = ovl_faults_played(mtbf, (double)interval) * (double)steps / (double)interval;
    double few = 5 / sqrt((double)n.failures); /* five times as far as chance takes it */
    ck_assert_double_eq_tol((double)n.played / played, 1, 0.02);
    ck_assert_double_eq_tol((double)n.failures * mtbf / (double)n.played, 1, few);
    ck_assert_uint_eq(n.checkpoints, steps / interval);
    double seconds = (double)n.played + 3 * (double)n.checkpoints + 8 * (double)n.failures;
    ck_assert_double_eq_tol((double)steps / seconds / ovl_faults_goodput(mtbf, (double)interval, 3, 8), 1, 0.02);
}

/* Where steps are short it is Daly's: M e^(R/M) (e^((t + C)/M) - 1) of the time for each t, if failures strike in
   checkpoints and restarts, too. */
TEST(it_goes_to_dalys_formula)
{
    double m = 1e6, t = 2e4, c = 10, r = 10;
    double daly = t / (m * exp(r / m) * expm1((t + c) / m));
    ck_assert_double_eq_tol(ovl_faults_goodput(m, t, c, r), daly, 1e-4);
}

TEST(the_best_interval_is_the_best)
{
    static const double costs[] = {0.05, 0.5, 3, 20};
    for (int k = 0; k < 4; k++)
        for (double mtbf = 50; mtbf < 1e5; mtbf *= 7) {
            double best = 0, daly = ovl_faults_goodput(mtbf, (double)ovl_faults_daly(mtbf, costs[k]), costs[k], 1);
            for (double n = 1; n < 3000; n++)
                best = fmax(best, ovl_faults_goodput(mtbf, n, costs[k], 1));
            ck_assert(daly > 0.99 * best);
            ck_assert(ovl_faults_goodput(mtbf, (double)ovl_faults_young(mtbf, costs[k]), costs[k], 1) > 0.93 * best);
        }
    ck_assert_uint_eq(ovl_faults_daly(100, 1e-9), 1);
    ck_assert_uint_eq(ovl_faults_young(200, 1), 20);
    ck_assert_uint_eq(ovl_faults_daly(10, 40), 10);
}
