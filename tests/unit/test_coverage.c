/* Intervals after stopping hold the truth as often as METHOD wants; `make coverage` has the large form of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/coverage.h"
#include "tests/unit/test.h"

/* Three standard errors of 92 % in so few cells are 4 points: seeds are fixed, and what is looked for is larger. */
static int cells(void)
{
    return rounds(150, 400);
}

static struct coverage simulate(double correlation, size_t fixed, bool common)
{
    struct coverage got;
    struct coverage_case c = {.noise = {.sigma = common ? 0.05 : 0.025, .correlation = correlation, .common = common},
                              .fixed = fixed};
    got = coverage_simulate(&c, cells());
    return got;
}

TEST(stopped_cells_with_independent_blocks)
{
    struct coverage got = simulate(0, 0, false);
    ck_assert_double_ge(got.blocks, 35); /* else the rule stops nothing */
    ck_assert_double_ge(got.total, 0.92);
    ck_assert_double_ge(got.hidden, 0.92);
    ck_assert_double_le(got.total_width, 1.15);
    ck_assert_double_le(got.hidden_width, 1.15);
    got = simulate(0, 0, true); /* T decides, hidden_fraction is without noise */
    ck_assert_double_ge(got.blocks, 35);
    ck_assert_double_ge(got.total, 0.92);
    ck_assert_double_le(got.total_width, 1.15);
}

TEST(stopped_cells_with_correlated_blocks)
{
    struct coverage got = simulate(0.3, 0, false);
    ck_assert_double_ge(got.total, 0.90);
    ck_assert_double_ge(got.hidden, 0.90);
    ck_assert_double_le(got.total_width, 1.15);
    ck_assert_double_le(got.hidden_width, 1.15);
    got = simulate(0.3, 0, true);
    ck_assert_double_ge(got.total, 0.90);
    ck_assert_double_le(got.total_width, 1.15);
}

TEST(few_blocks_fixed_beforehand)
{
    static const size_t blocks[] = {6, 7, 10, 15};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct coverage got = simulate(0, blocks[i], false);
        ck_assert_double_eq_tol(got.blocks, (double)blocks[i], 1e-6);
        ck_assert_double_ge(got.total, 0.92);
        ck_assert_double_ge(got.hidden, 0.92);
    }
}
