/* What ranks that do not start together do to a cell, from 4 ranks to 1,000: the real loop on virtual clocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"
#include "tests/unit/virtual_job.h"

#include <math.h>
#include <stdio.h>

static struct virtual_job job;
static struct ovl_loop_result result;

/* Ranks on machines of their own, a coupled operation of 20 us that hides nothing, announcements of 2 us a hop. */
static void setup(void)
{
    job = (struct virtual_job){
        .ranks = 64,
        .operation = 20000,
        .coupled = true,
        .unit = 2,
        .read = 25,
        .offset = 1e9,
        .rate = 20e-6,
        .hop = 2000,
        .seed = 1,
    };
}

static double hidden(size_t blocks)
{
    const struct ovl_loop loop = {
        .modes = 1,
        .warmup = 3,
        .stop = {blocks, blocks, 2, 1e9},
        .seed = 1,
        .ratio = 1,
        .fixed_seconds = NAN,
    };
    struct ovl_error err;
    struct ovl_estimate e;
    ovl_loop_result_free(&result);
    ck_assert_int_eq(virtual_job_run(&job, &loop, &result, &err), 0);
    ck_assert_uint_eq(result.samples[0].blocks, blocks);
    ck_assert_int_eq(ovl_overlap_estimate(&result.samples[0], OVL_HIDDEN, 0, 1, &e), 0);
    return e.value;
}

static void teardown(void)
{
    ovl_loop_result_free(&result);
}

/* The bed sees what it is for: s apart shows s / (s + T0). */
START_TEST(a_bare_barrier_fabricates_overlap)
{
    job.barrier_apart = 10000;
    ck_assert_double_eq_tol(hidden(30), 1.0 / 3, 0.03);
    job.operation = 40000;
    ck_assert_double_eq_tol(hidden(30), 0.2, 0.03);
    job.operation = 20000;
    job.barrier_apart = 300;
    ck_assert_double_eq_tol(hidden(30), 0.015, 0.005);
}
END_TEST

Suite *suite_many_ranks(void)
{
    Suite *s = suite_create("many_ranks");
    TCase *t = tcase_create("on virtual clocks");
    suite_add_tcase(s, t);
    if (!virtual_job_works()) {
        puts("many_ranks: skipped, coroutines do not work under the thread sanitizer and valgrind");
        return s;
    }
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_bare_barrier_fabricates_overlap);
    return s;
}
