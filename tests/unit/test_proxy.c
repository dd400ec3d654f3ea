/* What follows from a proxy's samples, and the names under which secrets stand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "record/proxy.h"
#include "tests/unit/test.h"
#include "tool/validate/state.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 8 };

static struct ovl_cell cell;

static void setup(void)
{
    ovl_cell_clear(&cell);
    strcpy(cell.benchmark, "hpl");
    cell.problem = json_pack("{s:i}", "n", 100);
    cell.clock_read_seconds = 1e-8;
    cell.bootstrap_seed = 1;
    ovl_samples_make(&cell.samples, BLOCKS);
    cell.samples.blocks = BLOCKS;
    for (int b = 0; b < BLOCKS; b++) {
        cell.samples.max[OVL_TOTAL][b] = cell.samples.mean[OVL_TOTAL][b] = 3;
        cell.samples.max[OVL_COMPUTE][b] = cell.samples.mean[OVL_COMPUTE][b] = 2;
        cell.samples.max[OVL_COMM][b] = cell.samples.mean[OVL_COMM][b] = 4;
        cell.samples.max[OVL_BLOCKING][b] = cell.samples.mean[OVL_BLOCKING][b] = 4;
    }
}

static void teardown(void)
{
    ovl_cell_free(&cell);
}

TEST(operations)
{
    ck_assert_double_eq_tol(ovl_proxy_operations(&cell), 2e6 / 3 + 1.5e4, 1e-6);
    strcpy(cell.benchmark, "fft3d");
    ck_assert(isnan(ovl_proxy_operations(&cell))); /* which has no such number */
    json_object_clear(cell.problem);
    ck_assert(isnan(ovl_proxy_operations(&cell)));
    json_object_set_new(cell.problem, "grid", json_string("8x4x2"));
    ck_assert(isnan(ovl_proxy_operations(&cell))); /* of what kind of numbers? */
    json_object_set_new(cell.problem, "transform", json_string("c2c"));
    ck_assert_double_eq(ovl_proxy_operations(&cell), 2 * 5 * 64 * 6);
    json_object_set_new(cell.problem, "transform", json_string("r2c"));
    ck_assert_double_eq(ovl_proxy_operations(&cell), 2 * 2.5 * 64 * 6);
    json_object_set_new(cell.problem, "grid", json_string("8x4x2x1"));
    ck_assert(isnan(ovl_proxy_operations(&cell)));
}

TEST(values)
{
    static const double max[BLOCKS] = {5, 5, 5, 7, 7, 9, 9, 9}, mean[BLOCKS] = {1};
    ovl_cell_derive(&cell);
    ck_assert_double_eq_tol(cell.gflops.value, 1e-9 * ovl_proxy_operations(&cell) / 3, 1e-15);
    ck_assert_double_eq(cell.exposed.value, 1); /* T - W */
    ck_assert_double_eq(ovl_proxy_exposed(&cell), 1);
    ck_assert(isnan(cell.derived[OVL_SPEEDUP].value)); /* W of one scheme, B of another */
    ck_assert(!isnan(cell.derived[OVL_HIDDEN].value));
    ck_assert(isnan(cell.omb_percent) && isnan(cell.imb_percent)); /* the work inside T was not timed */

    ovl_cell_add_samples(&cell, "exposed_comm_seconds", max, mean, BLOCKS);
    ovl_cell_derive(&cell);
    ck_assert_double_eq(cell.exposed.value, 7); /* its own samples, where there are some */
    ck_assert_double_eq(ovl_proxy_exposed(&cell), 7);
}

TEST(gain)
{
    struct ovl_samples blocking, few;
    struct ovl_estimate e;
    ovl_samples_make(&blocking, BLOCKS);
    ovl_samples_make(&few, BLOCKS);
    blocking.blocks = BLOCKS;
    few.blocks = BLOCKS - 1;
    for (int b = 0; b < BLOCKS; b++)
        blocking.max[OVL_TOTAL][b] = 4;
    e = ovl_proxy_gain(&cell, &blocking);
    ck_assert_double_eq_tol(e.value, 0.25, 1e-15);
    e = ovl_proxy_gain(&cell, &few); /* of other blocks */
    ck_assert(isnan(e.value));
    ovl_samples_free(&blocking);
    ovl_samples_free(&few);
}

/* Tests while the host computes, as each kind of benchmark counts them. */
TEST(tests_while_computing)
{
    static const char *const names[] = {"test_lines", "tests"};
    struct ovl_cell one;
    ovl_cell_clear(&one);
    ck_assert(!ovl_cell_tests(&one));
    one.test_calls = 8;
    ck_assert(ovl_cell_tests(&one));
    one.test_calls = 0;
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 2; n++) {
            one.problem = json_pack("{s:i}", names[i], n);
            ck_assert_int_eq(ovl_cell_tests(&one), n);
            json_decref(one.problem);
        }
}

/* What a proxy writes is what it reads back, its own samples too. */
TEST(record)
{
    static const double max[BLOCKS] = {1.0 / 3, NAN, 5, 7, 7, 9, 9, 9}, mean[BLOCKS] = {1.0 / 3};
    struct ovl_cell again;
    strcpy(cell.run_id, "r");
    strcpy(cell.benchmark, "hpl");
    strcpy(cell.mode, "host");
    strcpy(cell.status, "ok");
    cell.ranks = 2;
    json_object_set_new(cell.problem, "procs", json_string("2x1"));
    strcpy(cell.check_name, "residual");
    cell.check_value = 0.5;
    ovl_cell_set(&cell, "panel_bytes", json_real(7));
    ovl_cell_add_samples(&cell, "swap_seconds", max, mean, BLOCKS);
    ovl_cell_derive(&cell);
    json_t *line = ovl_cell_to_json(&cell);
    ck_assert_double_eq(json_number_value(json_object_get(json_object_get(line, "swap_seconds"), "median")), 7);
    ck_assert_int_eq(ovl_cell_from_json(line, true, &again, &err), 0);
    ck_assert(json_equal(cell.others, again.others));
    ck_assert(json_equal(cell.problem, again.problem));
    ck_assert_str_eq(again.check_name, "residual");
    ck_assert_double_eq(again.check_value, 0.5);
    ck_assert(isnan(again.check_limit));
    ck_assert_double_eq(json_number_value(json_object_get(again.extra, "panel_bytes")), 7);
    ovl_cell_free(&again);
    json_array_append_new(json_object_get(json_object_get(json_object_get(line, "samples"), "swap_seconds"), "max"),
                          json_real(1)); /* one more than blocks */
    ck_assert_int_eq(ovl_cell_from_json(line, true, &again, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "swap_seconds"));
    json_decref(line);
}

TEST(secrets)
{
    static const char *const secret[] = {"SLURM_JWT",    "OMPI_MCA_secret_word",
                                         "UCX_Token",    "I_MPI_PASSWORD",
                                         "MV2_PASSWD",   "FI_KEY",
                                         "KEY",          "SLURM_CREDENTIALS",
                                         "SLURM_MONKEYS"},
                             *const known[] = {"SLURM_JOB_ID", "UCX_TLS", "MPICH_CH4_NETMOD", "", "OVL_CLUSTER", "JW"};
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        ck_assert_msg(ovl_name_secret(secret[i]), "%s", secret[i]);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(!ovl_name_secret(known[i]), "%s", known[i]);
}

TEST(launchers_variables)
{
    static const char *const of_job[] = {"SLURM_JOB_ID", "OMPI_ARGV", "OMPI_MCA_num_procs", "OMPI_COMM_WORLD_RANK",
                                         "OMPI_MCA_ess"},
                             *const settings[] = {"OMPI_MCA_btl", "UCX_TLS", "OMPI_MCA_mca_base_component_path", ""};
    for (size_t i = 0; i < sizeof of_job / sizeof *of_job; i++)
        ck_assert_msg(ovl_name_of_launcher(of_job[i]), "%s", of_job[i]);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ck_assert_msg(!ovl_name_of_launcher(settings[i]), "%s", settings[i]);
}

/* Of cells with a bound in a file those are told whose T is too often below it, whatever else is in the file. */
TEST(exceeded_bounds)
{
    enum { CELLS = 4 };
    static const double low[BLOCKS] = {4, 4, 4, 4, 4, 4, 4, 4}, high[BLOCKS] = {2, 4, 2, 4, 2, 4, 2, 4};
    struct ovl_seen_cell seen[CELLS] = {{.line = 1}, {.line = 2}, {.line = 3}, {.line = 4}};
    struct ovl_seen_run run = {.cell = seen, .sound = CELLS};
    struct ovl_checking c = {.file = "file", .run = &run, .runs = 1};
    size_t below, blocks;
    ck_assert(!ovl_proxy_below_bound(&cell, &below, &blocks));
    for (int i = 0; i < CELLS; i++) {
        seen[i].claims = true;
        seen[i].cell = cell;
        seen[i].cell.others = NULL;
        ovl_cell_add_samples(&seen[i].cell, "bound_seconds", high, high, BLOCKS);
    }
    ck_assert(ovl_proxy_below_bound(&seen[0].cell, &below, &blocks));
    ck_assert_uint_eq(below, BLOCKS / 2);
    ck_assert_uint_eq(blocks, BLOCKS);
    ovl_checking_bounds(&c);
    ck_assert_uint_eq(c.problems, 0);
    json_decref(seen[2].cell.others);
    seen[2].cell.others = NULL;
    ovl_cell_add_samples(&seen[2].cell, "bound_seconds", low, low, BLOCKS); /* 2^-8, and 4 cells */
    ovl_checking_bounds(&c);
    ck_assert_uint_eq(c.problems, 1);
    ck_assert_uint_eq(c.line, 3);
    seen[2].claims = false;
    ovl_checking_bounds(&c);
    ck_assert_uint_eq(c.problems, 1);
    /* What noise explains, and a bound that is the work's own time, are no proof. */
    double work[BLOCKS], *compute = seen[2].cell.samples.max[OVL_COMPUTE];
    for (int b = 0; b < BLOCKS; b++)
        work[b] = 4.05;
    ck_assert(ovl_proxy_below_bound(&seen[2].cell, &below, &blocks));
    ck_assert_uint_eq(below, BLOCKS);
    seen[2].cell.samples.max[OVL_COMPUTE] = work;
    ck_assert(ovl_proxy_below_bound(&seen[2].cell, &below, &blocks));
    ck_assert_uint_eq(below, 0);
    seen[2].cell.samples.max[OVL_COMPUTE] = compute;
    for (int b = 0; b < BLOCKS; b++)
        work[b] = 1.01 * cell.samples.max[OVL_TOTAL][b];
    json_decref(seen[2].cell.others);
    seen[2].cell.others = NULL;
    ovl_cell_add_samples(&seen[2].cell, "bound_seconds", work, work, BLOCKS);
    ck_assert(ovl_proxy_below_bound(&seen[2].cell, &below, &blocks));
    ck_assert_uint_eq(below, 0);
    for (int i = 0; i < CELLS; i++)
        json_decref(seen[i].cell.others);
}

AROUND(setup, teardown)

TEST(a_kernel_is_named_by_its_series)
{
    static const char *const names[][2] = {
        {"Linux 6.1.0-28-amd64", "Linux 6.1"},
        {"Linux 5.14.0-427.el9.x86_64 x 3; Linux 6.1.0-28 x 2; Linux 6.1.0-29; Linux 6.12.1",
         "Linux 5.14; Linux 6.1; Linux 6.12"},
        {"Linux 6", "Linux 6"},
        {"Linux next x 3; Linux 6.12-rc1", "Linux next x 3; Linux 6.12"},
        {"", ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s", names[i][0]);
        ovl_name_kernel_series(text);
        ck_assert_str_eq(text, names[i][1]);
    }
}
