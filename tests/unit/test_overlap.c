/* The derived values: formulas, what has no value, and the joint bootstrap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "stats/overlap.h"
#include "tests/unit/test.h"

#include <math.h>

enum { BLOCKS = 40 };

static struct ovl_samples samples;

static void setup(void)
{
    static const double value[OVL_QUANTITIES] = {
        [OVL_COMM] = 10e-6,  [OVL_COMPUTE] = 8e-6, [OVL_BLOCKING] = 9e-6,
        [OVL_TOTAL] = 12e-6, [OVL_INNER] = 8.4e-6, [OVL_OWN_EXPOSED] = 3e-6,
    };
    ovl_samples_make(&samples, BLOCKS);
    samples.blocks = BLOCKS;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (int b = 0; b < BLOCKS; b++)
            samples.max[q][b] = samples.mean[q][b] = value[q];
}

static void teardown(void)
{
    ovl_samples_free(&samples);
}

static struct ovl_estimate estimate(enum ovl_derived which, double least)
{
    struct ovl_estimate e;
    e = ovl_overlap_estimate(&samples, which, least, 1);
    return e;
}

static const struct ovl_slowest unknown = {NAN, NAN, NAN, NAN}; /* as in an older record */

/* Also where some rows lack blocks that others have, at the ends and in the midst, and where divisors hover at the
 * limit. */
TEST(estimates_of_several_are_those_of_each)
{
    struct ovl_rng rng = ovl_rng_seeded(7);
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (int b = 0; b < BLOCKS; b++) {
            samples.max[q][b] = 1e-6 * (1 + (double)ovl_rng_below(&rng, 1000) / 100);
            samples.mean[q][b] = 0.9 * samples.max[q][BLOCKS - 1 - b];
        }
    samples.max[OVL_BLOCKING][0] = samples.max[OVL_INNER][3] = samples.mean[OVL_COMM][BLOCKS - 1] = NAN;
    for (unsigned which = 1; which < 1U << OVL_DERIVED; which += 1 + ovl_rng_below(&rng, 60)) {
        double least = which % 3 == 0 ? 6e-6 : 0;
        struct ovl_estimate all[OVL_DERIVED];
        ovl_overlap_estimates(&samples, which, least, 1, all);
        for (int d = 0; d < OVL_DERIVED; d++) {
            struct ovl_estimate one = {NAN, NAN, NAN};
            if (which >> d & 1)
                one = estimate((enum ovl_derived)d, least);
            ck_assert_mem_eq(&all[d], &one, sizeof one);
        }
    }
}

TEST(formulas)
{
    static const double wanted[OVL_DERIVED] = {
        [OVL_HIDDEN] = 0.6,        [OVL_HIDEABLE] = 0.8,
        [OVL_OVERLAP] = 0.75,      [OVL_EFFICIENCY] = 1 - 4.0 / 9,
        [OVL_SPEEDUP] = 17.0 / 12, [OVL_SLOWDOWN] = 1.05,
        [OVL_PENALTY] = 10.0 / 9,  [OVL_HIDDEN_RANK_MEAN] = 0.6,
        [OVL_HIDDEN_OWN] = 0.7,    [OVL_HIDDEN_OWN_MEAN] = 0.7,
    };
    for (int d = 0; d < OVL_DERIVED; d++) {
        struct ovl_estimate e = estimate((enum ovl_derived)d, 0);
        ck_assert_double_eq_tol(e.value, wanted[d], 1e-12);
        ck_assert_double_eq_tol(e.ci_low, wanted[d], 1e-12); /* samples without spread: an interval without width */
        ck_assert_double_eq_tol(e.ci_high, wanted[d], 1e-12);
    }
    ck_assert_double_eq_tol(ovl_overlap_omb(&samples), 64, 1e-9);
    ck_assert_double_eq_tol(ovl_overlap_imb(&samples, &unknown), 64, 1e-9);
    const struct ovl_slowest slowest = {.rank = 1, .total = 15e-6, .inner = 8e-6, .comm = 10e-6};
    ck_assert_double_eq_tol(ovl_overlap_imb(&samples, &slowest), 30, 1e-9); /* 100 (10 + 8 - 15) / 10 */
}

TEST(nothing_is_clamped)
{
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_TOTAL][b] = samples.mean[OVL_TOTAL][b] = 40e-6;
    ck_assert_double_eq_tol(estimate(OVL_HIDDEN, 0).value, -2.2, 1e-12);
    ck_assert_double_eq(ovl_overlap_omb(&samples), 0); /* what the others print */
    ck_assert_double_eq(ovl_overlap_imb(&samples, &unknown), 0);
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_TOTAL][b] = 7e-6;
    ck_assert_double_eq_tol(estimate(OVL_HIDDEN, 0).value, 1.1, 1e-12);
}

TEST(short_divisors_have_no_value)
{
    ck_assert(isnan(estimate(OVL_HIDDEN, 11e-6).value));
    ck_assert(isnan(estimate(OVL_OVERLAP, 9e-6).value)); /* W is under it, C is not */
    ck_assert(!isnan(estimate(OVL_HIDDEN, 9e-6).value));
}

TEST(blocks_with_a_null_term_are_left_out)
{
    for (int b = 0; b < BLOCKS; b += 2)
        samples.max[OVL_COMM][b] = 1; /* would change the median of C */
    for (int b = 0; b < BLOCKS; b += 2)
        samples.max[OVL_TOTAL][b] = NAN; /* but these blocks have no T */
    struct ovl_estimate e = estimate(OVL_HIDDEN, 0);
    ck_assert_double_eq_tol(e.value, 0.6, 1e-12);
    ck_assert_double_eq_tol(e.ci_high, 0.6, 1e-12);
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_TOTAL][b] = NAN;
    ck_assert(isnan(estimate(OVL_HIDDEN, 0).value));
}

TEST(few_blocks_have_no_interval)
{
    samples.blocks = 5;
    struct ovl_estimate e = estimate(OVL_HIDDEN, 0);
    samples.blocks = BLOCKS;
    ck_assert_double_eq_tol(e.value, 0.6, 1e-12);
    ck_assert(isnan(e.ci_low) && isnan(e.ci_high));
}

static double noise(struct ovl_rng *rng)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)(ovl_rng_next(rng) >> 11) / 9007199254740992.0;
    return sum - 6;
}

/* The machine speeds up and slows down from block to block; W, C and T go with it. Whole blocks know that. */
TEST(joint_draws_are_narrower_than_separate_ones)
{
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (int b = 0; b < BLOCKS; b++) {
        double speed = 1 + 0.1 * noise(&rng);
        samples.max[OVL_COMM][b] = 10e-6 * speed;
        samples.max[OVL_COMPUTE][b] = 10e-6 * speed;
        samples.max[OVL_TOTAL][b] = 15e-6 * speed;
    }
    struct ovl_estimate joint = estimate(OVL_HIDDEN, 0);
    for (int b = 0; b < BLOCKS; b++) /* the same values of C, in other blocks */
        samples.max[OVL_BLOCKING][b] = samples.max[OVL_COMM][(b * 17 + 5) % BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_COMM][b] = samples.max[OVL_BLOCKING][b];
    struct ovl_estimate apart = estimate(OVL_HIDDEN, 0);
    ck_assert_double_eq_tol(joint.value, apart.value, 1e-9);
    ck_assert_double_lt(joint.ci_high - joint.ci_low, 0.7 * (apart.ci_high - apart.ci_low));
}

TEST(interval_of_a_ratio_covers)
{
    struct ovl_rng rng = ovl_rng_seeded(11);
    enum { RUNS = 400 };
    int covered = 0;
    for (int r = 0; r < RUNS; r++) {
        for (int b = 0; b < BLOCKS; b++) {
            samples.max[OVL_COMM][b] = 10e-6 * (1 + 0.05 * noise(&rng));
            samples.max[OVL_COMPUTE][b] = 10e-6 * (1 + 0.05 * noise(&rng));
            samples.max[OVL_TOTAL][b] = 13e-6 * (1 + 0.05 * noise(&rng));
        }
        struct ovl_estimate e;
        e = ovl_overlap_estimate(&samples, OVL_HIDDEN, 0, (uint64_t)r);
        covered += e.ci_low <= 0.7 && 0.7 <= e.ci_high;
    }
    ck_assert_double_ge(covered / (double)RUNS, 0.92); /* 95 % nominal; 400 runs have a standard error of 1.1 % */
    ck_assert_double_le(covered / (double)RUNS, 0.99);
}

/* Only T has noise: the ratio is covered as the exact interval of T's median covers, which 2.5 % of the draws do not.
 */
TEST(interval_with_one_noisy_term_covers)
{
    static const size_t blocks[] = {6, 7, 8, 11, 15};
    struct ovl_rng rng = ovl_rng_seeded(5);
    enum { RUNS = 1000 };
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++) {
        int covered = 0;
        samples.blocks = blocks[n];
        for (int r = 0; r < RUNS; r++) {
            for (size_t b = 0; b < blocks[n]; b++)
                samples.max[OVL_TOTAL][b] = 12e-6 * (1 + 0.05 * noise(&rng));
            struct ovl_estimate e;
            e = ovl_overlap_estimate(&samples, OVL_HIDDEN, 0, (uint64_t)r);
            covered += e.ci_low <= 0.6 && 0.6 <= e.ci_high;
        }
        ck_assert_double_ge(covered / (double)RUNS, 0.93);
    }
    samples.blocks = BLOCKS;
}

TEST(percentiles_of_draws)
{
    ck_assert(isnan(ovl_overlap_percentile(5)));
    ck_assert_double_eq_tol(ovl_overlap_percentile(7), 0.0051, 1e-4);
    ck_assert_double_eq_tol(ovl_overlap_percentile(15), 0.0148, 1e-4);
    for (size_t n = 6; n < 3000; n += n / 6) {
        ck_assert_double_gt(ovl_overlap_percentile(n), 0.002);
        ck_assert_double_le(ovl_overlap_percentile(n), 0.025);
    }
    ck_assert_double_gt(ovl_overlap_percentile(1000), 0.022);
}

/* The machine slows down and speeds up over many blocks, but C and T alone: the ratio's interval widens. */
TEST(interval_widens_with_autocorrelation)
{
    struct ovl_rng rng = ovl_rng_seeded(4);
    double slow[BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        slow[b] = 12e-6 * (1 + 0.02 * sin(b / 4.0) + 0.005 * noise(&rng));
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_TOTAL][b] = slow[b];
    struct ovl_estimate swinging = estimate(OVL_HIDDEN, 0);
    for (int b = 0; b < BLOCKS; b++)
        samples.max[OVL_TOTAL][b] = slow[b * 17 % BLOCKS];
    struct ovl_estimate mixed = estimate(OVL_HIDDEN, 0);
    ck_assert_double_eq(swinging.value, mixed.value);
    ck_assert_double_gt(swinging.ci_high - swinging.ci_low, 2 * (mixed.ci_high - mixed.ci_low));
    ck_assert_double_lt(swinging.ci_low, swinging.value);
    ck_assert_double_gt(swinging.ci_high, swinging.value);
}

TEST(rows_are_complete)
{
    for (int d = 0; d < OVL_DERIVED; d++) {
        const struct ovl_derived_row *row = &ovl_derived_rows[d];
        ck_assert_ptr_nonnull(row->of);
        ck_assert_uint_ne(row->terms, 0);
        ck_assert_uint_ne(row->divide, 0);
        ck_assert_uint_eq(row->divide & ~row->terms, 0);
    }
}

AROUND(setup, teardown)
