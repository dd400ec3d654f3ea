/* What ranks that do not start together do to a cell, at up to 1,000 ranks: the real loop on virtual clocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/many_ranks.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct virtual_job job;
static struct ovl_cell cell;

static double hidden(size_t blocks)
{
    ovl_cell_free(&cell);
    ck_assert_int_eq(many_ranks_cell(&job, blocks, &cell, &err), 0);
    ck_assert_uint_eq(cell.samples.blocks, blocks);
    return cell.derived[OVL_HIDDEN].value;
}

static void setup(void)
{
    ovl_cell_clear(&cell);
    job = many_ranks_job(64, 20);
}

static void teardown(void)
{
    ovl_cell_free(&cell);
}

/* The bed sees what it is for: started s apart a coupled operation of T0 shows s / (s + T0), though it hides nothing.
 */
LOOP_TEST(a_bare_barrier_fabricates_overlap, 0, virtual_job_works())
{
    job.tick_chance = 0;
    job.barrier_apart = 10000;
    ck_assert_double_eq_tol(hidden(30), 1.0 / 3, 0.03);
    job.operation = 35000;
    ck_assert_double_gt(hidden(30), 0.2);
    job.operation = 20000;
    job.barrier_apart = 300;
    ck_assert_double_eq_tol(hidden(30), 0.015, 0.005);
}

LOOP_TEST(an_agreed_start_does_not, 0, virtual_job_works())
{
    static const int ranks[] = {1, 4, 64, 1000};
    static const double operations_us[] = {20, 100, 1000};
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (size_t o = 0; o < sizeof operations_us / sizeof *operations_us; o++) {
            job = many_ranks_job(ranks[r], operations_us[o]);
            ck_assert_double_eq_tol(hidden(30), 0, 0.03);
            ck_assert_str_eq(cell.status, "ok");
            if (job.tick < 0.1 * job.operation)
                ck_assert_double_le(many_ranks_unused(&cell), 0.02);
        }
}

/* At 10,000 ranks some rank is late in most samples; here as many of 200 are. */
LOOP_TEST(a_late_rank_in_most_samples_is_told, 0, virtual_job_works())
{
    job = many_ranks_job(200, 20);
    job.tick_chance = 50 * 2.5e-4;
    ck_assert_double_gt(hidden(60), 0.03);
    ck_assert_str_eq(cell.status, "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "ranks start apart"));
    job.operation = 1e6;
    ck_assert_double_eq_tol(hidden(60), 0, 0.03);
    ck_assert_str_eq(cell.status, "ok");
}

/* No rank sees that it is late: only the error of the clocks' model tells. */
LOOP_TEST(clocks_that_are_not_followed_are_told, 0, virtual_job_works())
{
    job.model_error = 3000;
    ck_assert_double_gt(hidden(60), 0.2);
    ck_assert_str_eq(cell.status, "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "clocks"));
    job.operation = 1e6;
    ck_assert_double_eq_tol(hidden(60), 0, 0.03);
    ck_assert_str_eq(cell.status, "ok");
}

LOOP_TEST(what_progresses_alone_is_found, 0, virtual_job_works())
{
    job.operation = 1e5;
    job.fraction = 0.5;
    for (int coupled = 0; coupled < 2; coupled++) {
        job.coupled = coupled;
        ck_assert_double_eq_tol(hidden(30), 0.5, 0.03);
        ck_assert_str_eq(cell.status, "ok");
    }
}

/* Its means are those of the one rank whose mean T is the largest, over the blocks in which all count. */
LOOP_TEST(the_slowest_rank_is_told_with_its_own_terms, 0, virtual_job_works())
{
    enum { RANKS = 20, BLOCKS = 60 };
    const struct ovl_loop loop = {
        .modes = 1,
        .warmup = 3,
        .stop = {BLOCKS, BLOCKS, 100, 1e9, 0},
        .seed = 1,
        .ratio = 1,
        .fixed_seconds = NAN,
        .per_rank = true,
    };
    struct ovl_loop_result result;
    double largest = 0, comm = NAN;
    size_t slowest = 0, unused = 0;
    job = many_ranks_job(RANKS, 20);
    job.tick_chance = 5e-3;
    job.coupled = false;
    ck_assert_int_eq(virtual_job_run(&job, &loop, &result, &err), 0);
    const struct ovl_samples *s = &result.samples[0];
    for (size_t r = 0; r < RANKS; r++) {
        double t = 0, c = 0, n = 0;
        for (size_t b = 0; b < BLOCKS; b++)
            if (!isnan(s->max[OVL_TOTAL][b] + s->max[OVL_INNER][b] + s->max[OVL_COMM][b])) {
                t += result.rank_samples[0][OVL_TOTAL][r * BLOCKS + b];
                c += result.rank_samples[0][OVL_COMM][r * BLOCKS + b];
                n++;
            }
        unused = BLOCKS - (size_t)n;
        if (t / n >= largest) {
            largest = t / n;
            comm = c / n;
            slowest = r;
        }
    }
    ck_assert_uint_gt(unused, 0);
    ck_assert_double_eq(result.slowest[0].rank, (double)slowest);
    ck_assert_double_eq_tol(result.slowest[0].total, largest, 1e-12);
    ck_assert_double_eq_tol(result.slowest[0].comm, comm, 1e-12);
    ck_assert_double_gt(result.slowest[0].inner, 0);
    ck_assert_double_lt(result.slowest[0].inner, largest);
    ovl_loop_result_free(&result);
}

LOOP_TEST(one_seed_makes_one_cell, 0, virtual_job_works())
{
    double first[30];
    job.tick_chance = 0.01;
    hidden(30);
    memcpy(first, cell.samples.max[OVL_TOTAL_LATE], sizeof first);
    hidden(30);
    for (size_t b = 0; b < 30; b++)
        ck_assert_double_eq(cell.samples.max[OVL_TOTAL_LATE][b], first[b]);
    job.seed++;
    hidden(30);
    ck_assert_int_ne(memcmp(cell.samples.max[OVL_TOTAL_LATE], first, sizeof first), 0);
}

AROUND(setup, teardown)
