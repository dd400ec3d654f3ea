/* Coverage of intervals, by simulation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/coverage.h"

#include <math.h>

/* C and W of 100 us, of which half a C is hidden. */
static const double true_total = 150e-6, true_hidden = 0.5;

/* What a cell says. */
struct said {
    struct ovl_summary total;
    struct ovl_estimate hidden;
    size_t blocks;
};

/* When --max-time ends a cell of that seed: C, W, B and T of 5 blocks of the warm-up and 15 to 60 others. */
static double end_of(uint64_t seed)
{
    const double block = 100e-6 + 100e-6 + 90e-6 + true_total;
    struct ovl_rng rng = ovl_rng_seeded(~seed);
    return block * (5 + 15 + 45 * (double)ovl_rng_below(&rng, 1000) / 1000);
}

/* `blocks` 0: by the stopping rule, `seconds` at most. Without intervals only the values are made. */
static void measure(const struct virtual_noise *noise, size_t blocks, double seconds, uint64_t seed, bool intervals,
                    struct said *out)
{
    struct virtual_stage stage = {
        .unit_ns = 2,
        .believed_unit_ns = 2,
        .operation_ns = {100000},
        .fraction = {0.5},
        .blocking_ns = 90000,
        .noise = *noise,
        .speed = 1,
    };
    stage.noise.rng = ovl_rng_seeded(seed);
    struct ovl_loop loop = {
        .ops = &virtual_stage_ops,
        .stage = &stage,
        .decides = true,
        .ranks = 1,
        .modes = 1,
        .warmup = 5,
        .stop = blocks ? (struct ovl_stop){blocks, blocks, 0, INFINITY, 0} : (struct ovl_stop){30, 1000, 2, seconds, 0},
        .seed = seed,
        .ratio = 1,
        .fixed_seconds = 100e-6,
    };
    struct ovl_loop_result result;
    struct ovl_error err;
    ovl_loop_run(&loop, &result, &err);
    const struct ovl_samples *s = &result.samples[0];
    out->total = ovl_stats_summarise_series(s->max[OVL_TOTAL], s->blocks);
    if (intervals)
        out->hidden = ovl_overlap_estimate(s, OVL_HIDDEN, 0, seed);
    else
        out->hidden.value = ovl_overlap_value(s, &ovl_derived_rows[OVL_HIDDEN], 0);
    out->blocks = s->blocks;
    ovl_loop_result_free(&result);
}

struct coverage coverage_simulate(const struct coverage_case *c, size_t cells)
{
    double total_width = 0, hidden_width = 0, n = (double)cells;
    double total_error = 0, hidden_error = 0, shorter = 0; /* squares, times the blocks; sum of 1 / sqrt(blocks) */
    struct coverage out = {0};
    for (size_t k = 0; k < cells; k++) {
        struct said s, fresh;
        measure(&c->noise, c->fixed, c->timed ? end_of(2 * k) : INFINITY, 2 * k, true, &s);
        measure(&c->noise, s.blocks, INFINITY, 2 * k + 1, false, &fresh);
        double blocks = (double)s.blocks;
        out.blocks += blocks / n;
        out.total += (s.total.ci_low <= true_total && true_total <= s.total.ci_high) / n;
        out.hidden += (s.hidden.ci_low <= true_hidden && true_hidden <= s.hidden.ci_high) / n;
        total_width += s.total.ci_high - s.total.ci_low;
        hidden_width += s.hidden.ci_high - s.hidden.ci_low;
        total_error += blocks * pow(fresh.total.median - true_total, 2) / n;
        hidden_error += blocks * pow(fresh.hidden.value - true_hidden, 2) / n;
        shorter += 1 / sqrt(blocks);
    }
    out.total_width = total_width / (2 * 1.96 * sqrt(total_error) * shorter);
    out.hidden_width = hidden_width / (2 * 1.96 * sqrt(hidden_error) * shorter);
    return out;
}
