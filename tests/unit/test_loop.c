/* The measuring loop on a virtual clock, where the answer is exact. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/loop_state.h"
#include "tests/fake/virtual_stage.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

static struct virtual_stage stage;
static struct ovl_loop loop;
static struct ovl_loop_result result;

static void setup(void)
{
    stage = (struct virtual_stage){
        .unit_ns = 2,
        .believed_unit_ns = 2,
        .operation_ns = {100000, 100000},
        .fraction = {0.5, 1},
        .blocking_ns = 90000,
        .speed = 1,
    };
    loop = (struct ovl_loop){
        .ops = &virtual_stage_ops,
        .stage = &stage,
        .decides = true,
        .ranks = 1,
        .modes = 1,
        .warmup = 5,
        .stop = {30, 1000, 2, 10, 0},
        .seed = 1,
        .ratio = 1,
        .fixed_seconds = NAN,
    };
}

static void run(void)
{
    ovl_loop_result_free(&result);
    ck_assert_int_eq(ovl_loop_run(&loop, &result, &err), 0);
}

static double derived(int mode, enum ovl_derived which)
{
    struct ovl_estimate e;
    e = ovl_overlap_estimate(&result.samples[mode], which, 0, 1);
    return e.value;
}

/* hidden = min(f, W / C) for every f and ratio, with and without test calls. */
TEST(known_truth)
{
    static const double fractions[] = {0, 0.25, 0.5, 0.75, 1}, ratios[] = {0.25, 0.5, 1, 2};
    for (size_t f = 0; f < 5; f++)
        for (size_t r = 0; r < 4; r++)
            for (size_t tests = 0; tests < 5; tests += 4) {
                setup();
                stage.fraction[0] = fractions[f];
                loop.ratio = ratios[r];
                loop.tests = tests;
                run();
                ck_assert_int_eq(result.status, OVL_LOOP_OK);
                ck_assert_uint_eq(result.samples[0].blocks, 30);
                ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), fmin(fractions[f], ratios[r]), 1e-5);
                ck_assert_double_eq_tol(derived(0, OVL_HIDEABLE), fmin(1, ratios[r]), 1e-5);
                ck_assert_double_eq_tol(derived(0, OVL_PENALTY), 10.0 / 9, 1e-5);
            }
}

/* With a clock that takes time, an operation that hides nothing still shows exactly nothing, however many test calls.
 */
TEST(clock_reads_cancel)
{
    for (size_t tests = 0; tests < 40; tests += 13) {
        setup();
        stage.read_ns = 25;
        stage.fraction[0] = 0;
        stage.operation_ns[0] = 2000;
        loop.clock_read = 25e-9;
        loop.tests = tests;
        run();
        ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0, 1e-9);
        ck_assert_double_eq_tol(derived(0, OVL_SLOWDOWN), 1, 1e-9);
    }
}

TEST(theft_of_the_core)
{
    stage.fraction[0] = 1;
    stage.theft = 0.3;
    run();
    ck_assert_double_eq_tol(derived(0, OVL_SLOWDOWN), 1 / 0.7, 1e-5);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 1 - (1 / 0.7 - 1), 1e-4); /* OMB would say 100 % */
    ck_assert_double_eq_tol(ovl_overlap_omb(&result.samples[0]), 100, 1e-2);
}

TEST(harm_is_negative)
{
    stage.fraction[0] = 1;
    stage.theft = 0.8;
    run();
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), -3, 1e-4);
}

/* Both modes on the same work, in the same blocks. */
TEST(two_modes_share_work_and_blocks)
{
    loop.modes = 2;
    stage.operation_ns[1] = 130000;
    run();
    ck_assert_uint_eq(result.samples[0].blocks, result.samples[1].blocks);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 1e-5);
    ck_assert_double_eq_tol(derived(1, OVL_HIDDEN), 100.0 / 130, 1e-5);
    for (size_t b = 0; b < result.samples[0].blocks; b++)
        ck_assert_double_eq(result.samples[0].max[OVL_COMPUTE][b], result.samples[1].max[OVL_COMPUTE][b]);
}

/* A program that computes and communicates in turns: modes 0 and 1 share their work, mode 2 has its own. */
static void run_whole(void *at, enum ovl_quantity sample, int mode, struct ovl_parts *parts)
{
    static const int64_t seconds[3][OVL_TOTAL + 1] = {
        {[OVL_COMM] = 4000, [OVL_COMPUTE] = 10000, [OVL_TOTAL] = 12000},
        {[OVL_COMM] = 5000, [OVL_COMPUTE] = -1, [OVL_TOTAL] = 11000},
        {[OVL_COMM] = 3000, [OVL_COMPUTE] = 9000, [OVL_TOTAL] = 12000},
    };
    struct virtual_stage *v = at;
    ck_assert_int_ge(seconds[mode][sample], 0);
    v->now += seconds[mode][sample];
    *parts = (struct ovl_parts){1e-6, 2e-6, 3e-6, 4e-6};
}

TEST(stage_that_runs_by_itself)
{
    struct ovl_stage_ops ops = virtual_stage_ops;
    ops.run = run_whole;
    ops.blocking = NULL;
    loop.ops = &ops;
    loop.modes = 3;
    loop.work_of[2] = 2;
    loop.fixed_seconds = 1;
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_OK);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 1e-9);
    ck_assert_double_eq_tol(derived(1, OVL_HIDDEN), 0.8, 1e-9);
    ck_assert_double_eq_tol(derived(2, OVL_HIDDEN), 0, 1e-9);
    for (int m = 0; m < 3; m++) {
        ck_assert_double_eq(result.samples[m].max[OVL_COMPUTE][0], m == 2 ? 9e-6 : 10e-6);
        ck_assert_double_nan(result.samples[m].max[OVL_BLOCKING][0]);
        ck_assert_double_eq(result.samples[m].max[OVL_INIT][0], 1e-6);
        ck_assert_double_eq(result.samples[m].max[OVL_TEST][0], 2e-6);
        ck_assert_double_eq(result.samples[m].max[OVL_WAIT][0], 3e-6);
        ck_assert_double_eq(result.samples[m].max[OVL_INNER][0], 4e-6);
    }
}

/* All times grow by 10 % over the cell: interleaved blocks do not mind. */
TEST(drift_does_not_bias)
{
    loop.stop.least = loop.stop.most = 100;
    stage.drift = 0.1 / 400;
    run();
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 0.005);
}

TEST(wrong_calibration_is_mended_once)
{
    stage.believed_unit_ns = 1.4; /* the work comes out 43 % too long */
    run();
    ck_assert(result.restarted);
    ck_assert_double_eq_tol((double)result.units, 50000, 1);
    ck_assert_uint_eq(result.samples[0].blocks, 30);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 1e-5);
}

/* The first look comes by --max-time: the work is set again all the same, and the second try has its own time. */
TEST(wrong_calibration_is_mended_when_time_is_short)
{
    stage.believed_unit_ns = 1;
    loop.stop = (struct ovl_stop){30, 1000, 2, 3e-3, 0}; /* a block takes about 0.6 ms */
    run();
    ck_assert(result.restarted);
    ck_assert_double_eq_tol((double)result.units, 50000, 1);
    ck_assert_uint_ge(result.samples[0].blocks, OVL_STOP_BLOCKS_AT_LEAST);
    ck_assert_uint_lt(result.samples[0].blocks, 30);
}

TEST(a_signal_ends_the_cell_after_its_block)
{
    stage.interrupt = 15;
    stage.interrupt_at = 2 + 4 * 8 + 1; /* pilots, five blocks of warm-up, and into the fourth block */
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_INTERRUPTED);
    ck_assert_int_eq(result.signal, 15);
    ck_assert_int_eq(stage.taken, 2 + 4 * 9);
}

TEST(fixed_work_is_left_alone)
{
    loop.fixed_seconds = 30e-6;
    run();
    ck_assert(!result.restarted);
    ck_assert_uint_eq(result.units, 15000);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.3, 1e-5);
}

TEST(late_starts_are_null)
{
    stage.late_every = 5;
    stage.late_ns = 11000; /* over 0.1 C */
    loop.stop.least = loop.stop.most = 40;
    run();
    size_t nulls = 0;
    for (int q = OVL_COMM; q <= OVL_TOTAL; q++)
        for (size_t b = 0; b < 40; b++)
            nulls += isnan(result.samples[0].max[q][b]);
    ck_assert_uint_eq(nulls, 32); /* a fifth of 160 */
    for (size_t b = 0; b < 40; b++)
        ck_assert_int_eq(isnan(result.samples[0].max[OVL_INNER][b]), isnan(result.samples[0].max[OVL_TOTAL][b]));
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 1e-5);

    stage.late_ns = 9000; /* under it */
    run();
    for (size_t b = 0; b < 40; b++)
        ck_assert(!isnan(result.samples[0].max[OVL_TOTAL][b]));
}

/* What is late for a quick mode is not for a slow one. */
TEST(late_starts_go_by_the_communication_of_the_mode)
{
    loop.modes = 2;
    loop.stop.least = loop.stop.most = 20;
    stage.operation_ns[1] = 10000;
    stage.late_every = 1;
    stage.late_ns = 5000;
    run();
    for (size_t b = 0; b < 20; b++)
        for (int q = OVL_COMM; q <= OVL_TOTAL; q++) {
            ck_assert(!isnan(result.samples[0].max[q][b]));
            ck_assert(isnan(result.samples[1].max[q][b]));
        }
}

/* A program whose samples are long may begin them later than its communication alone would allow. */
TEST(late_starts_within_a_given_time_are_kept)
{
    loop.stop.least = loop.stop.most = 20;
    loop.late_seconds = 12e-6;
    stage.late_every = 5;
    stage.late_ns = 11000;
    run();
    for (size_t b = 0; b < 20; b++)
        ck_assert(!isnan(result.samples[0].max[OVL_TOTAL][b]) && !isnan(result.samples[0].max[OVL_COMPUTE][b]));
}

/* What is late does not count, and how late it was is kept. Whether that makes a cell is for its status. */
TEST(all_late_is_nothing)
{
    stage.late_every = 1;
    stage.late_ns = 50000;
    loop.stop.most = 60;
    run();
    const struct ovl_samples *samples = &result.samples[0];
    ck_assert_uint_eq(samples->blocks, 60);
    for (size_t b = 0; b < samples->blocks; b++) {
        ck_assert(isnan(samples->max[OVL_TOTAL][b]));
        for (int q = OVL_COMM_LATE; q <= OVL_TOTAL_LATE; q++)
            ck_assert_double_eq_tol(samples->max[q][b], 50e-6, 1e-12);
    }
    ck_assert_int_eq(result.latest_rank, 0);
}

/* What no further block mends ends early, and what disturbs for a moment does not end it; one rank waits for nobody. */
TEST(a_hopeless_cell_ends_early)
{
    stage.late_every = 1;
    stage.late_ns = 50000; /* where 2 us are allowed */
    loop.stop.most = loop.stop.least = 60;
    loop.stop.max_seconds = 0.05;
    loop.ranks = 2;
    run();
    ck_assert_uint_ge(result.samples[0].blocks, 8);
    ck_assert_uint_lt(result.samples[0].blocks, 40);
    loop.stop.max_seconds = 10; /* of which this would be a moment */
    run();
    ck_assert_uint_eq(result.samples[0].blocks, 60);
    loop.stop.max_seconds = 0.05;
    stage.late_every = 3;
    run();
    ck_assert_uint_eq(result.samples[0].blocks, 60);
    stage.late_every = 1;
    stage.late_ns = 15000; /* under ten times as much */
    run();
    ck_assert_uint_eq(result.samples[0].blocks, 60);
}

/* Of a stream of 4 all but the first are posted right behind another; C has nothing of it, nor what is hidden. */
TEST(a_stream_is_timed_beside_the_rest)
{
    stage.behind_ns = 20000;
    stage.fraction[0] = 0.25;
    loop.modes = 2;
    loop.stream = 4;
    loop.per_rank = true;
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_OK);
    for (int m = 0; m < 2; m++)
        for (size_t b = 0; b < result.samples[m].blocks; b++) {
            ck_assert_double_eq_tol(result.samples[m].max[OVL_STREAM][b], 115e-6, 1e-9);
            ck_assert_double_eq_tol(result.samples[m].mean[OVL_STREAM][b], 115e-6, 1e-9);
            ck_assert_double_eq_tol(result.samples[m].max[OVL_COMM][b], 100e-6, 1e-9);
            ck_assert_double_eq(result.samples[m].max[OVL_STREAM_LATE][b], 0);
            ck_assert_double_eq(result.rank_samples[m][OVL_STREAM][b], result.samples[m].max[OVL_STREAM][b]);
        }
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.25, 1e-5);
    ck_assert_double_eq_tol(derived(1, OVL_HIDDEN), 1, 1e-5);
    ck_assert(memchr(stage.order, 'S', sizeof stage.order) && memchr(stage.order, 's', sizeof stage.order));
    setup();
    run();
    ck_assert_ptr_null(memchr(stage.order, 'S', sizeof stage.order));
    ck_assert(isnan(result.samples[0].max[OVL_STREAM][0]));
}

/* A mode that only sets the work streams nothing, and a stream that begins late does not count. */
TEST(a_stream_is_late_and_left_out_as_c_is)
{
    loop.modes = 2;
    loop.stream = 4;
    loop.pilot = true;
    stage.late_every = 1;
    stage.late_ns = 50000;
    loop.stop.most = 30;
    run();
    for (size_t b = 0; b < result.samples[1].blocks; b++) {
        ck_assert(isnan(result.samples[0].max[OVL_STREAM_LATE][b]));
        ck_assert(isnan(result.samples[1].max[OVL_STREAM][b]));
        ck_assert_double_eq_tol(result.samples[1].max[OVL_STREAM_LATE][b], 50e-6, 1e-12);
    }
}

/* Each rank's T less the median of its own last W. */
TEST(own_exposed_time)
{
    stage.fraction[0] = 0.25;
    loop.modes = 2;
    run();
    for (size_t b = 0; b < result.samples[0].blocks; b++) {
        ck_assert_double_eq_tol(result.samples[0].max[OVL_OWN_EXPOSED][b], 75e-6, 1e-9);
        ck_assert_double_eq_tol(result.samples[0].mean[OVL_OWN_EXPOSED][b], 75e-6, 1e-9);
        ck_assert_double_eq_tol(result.samples[1].max[OVL_OWN_EXPOSED][b], 0, 1e-9);
    }
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN_OWN), 0.25, 1e-5);
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN_OWN_MEAN), 0.25, 1e-5);
    ck_assert_double_eq_tol(derived(1, OVL_HIDDEN_OWN), 1, 1e-5);
}

/* The samples of each rank are those of the cell, where there is one rank; what is late is left out. */
TEST(samples_of_each_rank)
{
    static const enum ovl_quantity kept[] = {OVL_COMM,      OVL_COMPUTE,      OVL_BLOCKING,      OVL_TOTAL,
                                             OVL_COMM_LATE, OVL_COMPUTE_LATE, OVL_BLOCKING_LATE, OVL_TOTAL_LATE};
    stage.late_every = 5;
    stage.late_ns = 11000;
    loop.modes = 2;
    loop.per_rank = true;
    run();
    for (int m = 0; m < 2; m++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            for (size_t b = 0; b < result.samples[m].blocks; b++) {
                double all = result.samples[m].max[kept[k]][b], own = result.rank_samples[m][kept[k]][b];
                ck_assert_int_eq(isnan(all), isnan(own));
                ck_assert(isnan(all) || all == own);
            }
    ck_assert_ptr_null(result.rank_samples[0][OVL_INNER]);
}

/* The clocks are compared beside the blocks, and the worst that was found is kept; what was found before the cell is
   not. */
TEST(clocks_are_compared_beside_the_blocks)
{
    stage.operation_ns[0] = stage.blocking_ns = 1e8; /* a block takes half a second */
    stage.residual = 3e-6;
    loop.stop.max_seconds = 1000;
    run();
    ck_assert_double_eq(result.residual, 3e-6);
    ck_assert_int_ge(stage.renewals, 30);
    stage.residual = NAN;
    run();
    ck_assert(isnan(result.residual));
}

TEST(no_common_clock_drops_nothing)
{
    stage.no_common_clock = true;
    stage.late_every = 1;
    stage.late_ns = 50000;
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_OK);
    ck_assert(isnan(result.start_spread));
}

TEST(max_time_wins_after_six_blocks)
{
    stage.operation_ns[0] = stage.blocking_ns = 1e9; /* a block takes over 4 s */
    run();
    ck_assert_uint_eq(result.samples[0].blocks, 6);
    ck_assert_int_eq(result.status, OVL_LOOP_OK); /* no spread at all: the interval is there */
    ck_assert_double_eq_tol(derived(0, OVL_HIDDEN), 0.5, 1e-5);
}

TEST(wide_intervals_end_at_most_blocks)
{
    loop.stop.most = 60;
    loop.stop.percent = 1e-9;
    stage.late_every = 2; /* every other sample a little late: times differ */
    stage.late_ns = 1;
    stage.drift = 1e-4;
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_OK);
    ck_assert_uint_eq(result.samples[0].blocks, 60);
}

TEST(too_short_for_a_unit_is_refused)
{
    stage.believed_unit_ns = stage.unit_ns = 2000;
    run();
    ck_assert_int_eq(result.status, OVL_LOOP_INVALID);
    ck_assert_uint_eq(result.samples[0].blocks, 0);
    ck_assert_ptr_nonnull(strstr(result.reason, "too short"));
}

static int count(const char *text, char c)
{
    int n = 0;
    for (; *text; text++)
        n += *text == c;
    return n;
}

/* Each block holds each kind once, in orders that differ, the same for the same seed. */
TEST(order_is_drawn_anew_and_seeded)
{
    char first[sizeof stage.order];
    run();
    memcpy(first, stage.order, sizeof first);
    ck_assert_int_eq(stage.taken, 2 + 4 * 35); /* two pilots, five warm-up blocks, thirty blocks */
    int orders[256] = {0}, different = 0;
    for (int at = 2; at < stage.taken; at += 4) {
        char block[5] = {0};
        memcpy(block, first + at, 4);
        ck_assert(count(block, 'C') == 1 && count(block, 'W') == 1 && count(block, 'B') == 1 && count(block, 'T') == 1);
        unsigned key = (unsigned char)(block[0] * 7 + block[1] * 31 + block[2] * 3);
        different += orders[key]++ == 0;
    }
    ck_assert_int_ge(different, 10); /* of 24 */

    setup();
    run();
    ck_assert_str_eq(stage.order, first);
    setup();
    loop.seed = 2;
    run();
    ck_assert_str_ne(stage.order, first);
}

/* A T of the new try that comes late keeps nothing, and what stood there is of another work. */
TEST(a_new_work_forgets_what_the_blocks_before_have_burnt)
{
    struct ovl_loop_state s = {.l = &loop, .result = &result, .kinds = 1, .blocks = 2};
    ovl_loop_result_free(&result);
    loop.modes = 3;
    ovl_loop_make_room(&s);
    for (int i = 0; i < OVL_LOOP_CPU * loop.modes; i++)
        s.cpu[i][0] = s.cpu[i][1] = 1;
    ovl_loop_forget_blocks(&s);
    for (int i = 0; i < OVL_LOOP_CPU * loop.modes; i++)
        ck_assert(isnan(s.cpu[i][0]) && isnan(s.cpu[i][1]));
    ovl_loop_free_room(&s);
}

static int warnings;
static double foreseen;

static void too_long(void *of, double block_seconds, double max_seconds)
{
    ck_assert_ptr_eq(of, &stage);
    ck_assert_double_eq(max_seconds, 10);
    ck_assert_int_le(stage.taken, 2); /* before any block: the pilots at most */
    foreseen = block_seconds;
    warnings++;
}

/* The fewest blocks are six and a warm-up: work that follows the ratio is known after the pilots, what the caller knows
   before them. */
TEST(a_cell_far_over_its_time_is_foretold)
{
    struct ovl_stage_ops ops = virtual_stage_ops;
    ops.too_long = too_long;
    loop.ops = &ops;
    warnings = 0;
    run();
    ck_assert_int_eq(warnings, 0);
    setup();
    loop.ops = &ops;
    stage.operation_ns[0] = 2e9; /* W, B, C and T of 2 s each, seven times */
    run();
    ck_assert_int_eq(warnings, 1);
    ck_assert_double_eq_tol(foreseen, 8, 0.5);
    setup();
    loop.ops = &ops;
    loop.block_seconds = 3;
    run();
    ck_assert_int_eq(warnings, 3); /* with what is known then, and again after the pilots */
    ck_assert_double_eq_tol(foreseen, 3, 0.1);
}

AROUND(setup, NULL)
