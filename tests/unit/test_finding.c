/* What a run found and what to try next: sentences and rules on made-up cells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/finding.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 12 };

static struct ovl_cell cells[CELLS];
static struct ovl_run run;
static struct ovl_finding finding;

static void begin(void)
{
    run = (struct ovl_run){.cells = cells, .head = sample_run_line("x")};
    json_object_set_new(run.head, "warnings", json_array());
}

static void end(void)
{
    json_decref(run.head);
}

/* A cell that hides `percent`, with an interval of 2 points. */
static struct ovl_cell *add(const char *mode, double size, double percent)
{
    struct ovl_cell *c = &cells[run.cell_count++];
    ovl_cell_clear(c);
    strcpy(c->benchmark, "ialltoall");
    strcpy(c->mode, mode);
    strcpy(c->status, "ok");
    c->size_bytes = size;
    c->ratio = 1;
    c->test_calls = 0;
    c->derived[OVL_HIDDEN] = (struct ovl_estimate){percent / 100, percent / 100 - 0.02, percent / 100 + 0.02};
    c->derived[OVL_HIDEABLE] = (struct ovl_estimate){1, 1, 1};
    c->derived[OVL_SLOWDOWN] = (struct ovl_estimate){1, 0.99, 1.01};
    c->derived[OVL_SPEEDUP] = (struct ovl_estimate){1.5, 1.4, 1.6};
    return c;
}

/* The sentences, and the beginning of what to try. */
static void check(const char *first, const char *second, const char *next)
{
    ovl_finding_make(&finding, &run);
    ck_assert_uint_eq(finding.count, (first != NULL) + (second != NULL));
    if (first)
        ck_assert_str_eq(finding.found[0], first);
    if (second)
        ck_assert_str_eq(finding.found[1], second);
    ck_assert_msg(*next ? strncmp(finding.next, next, strlen(next)) == 0 : !*finding.next, "next is: %s", finding.next);
}

TEST(largest_sizes_of_one_kind)
{
    add("host", 1024, 85);
    add("host", 65536, 1.6);
    add("host", 1 << 20, -0.2);
    check("host: 0 to 2 % of the communication is hidden from 64K to 1M", NULL, "-t 8:");
    cells[0].derived[OVL_HIDDEN].value = 0.05;
    check("host: 0 to 5 % of the communication is hidden at all sizes, 1K to 1M", NULL, "-t 8:");
    cells[2].derived[OVL_HIDDEN].value = 0.5;
    check("host: 50 % of the communication is hidden at 1M", NULL, "-t 8:");
    /* The order in the record does not matter. */
    struct ovl_cell first = cells[0];
    cells[0] = cells[2];
    cells[2] = first;
    check("host: 50 % of the communication is hidden at 1M", NULL, "-t 8:");
}

TEST(of_what_the_work_could_hide)
{
    struct ovl_cell *c = add("host", 1024, 45);
    check("host: 45 % of the communication is hidden at 1K", NULL, "-t 8:");
    c->derived[OVL_HIDEABLE].value = 0.5; /* it hides nine tenths of that */
    check("host: 45 % of the communication is hidden at 1K", NULL, "more launches");
    c->derived[OVL_HIDDEN] = (struct ovl_estimate){-0.2, -0.3, -0.1};
    check("host: overlapping costs more than it hides (-20 % hidden) at 1K", NULL, "-t 8:");
    c->derived[OVL_HIDDEN] = (struct ovl_estimate){-0.2, -0.5, 0.1}; /* noise */
    check("host: no cell says within 15 points how much of the communication is hidden", NULL, "-i 100:10000");
    c->derived[OVL_HIDDEN] = (struct ovl_estimate){-0.2, -0.25, 0.04};
    check("host: nothing of the communication is hidden (-20 %) at 1K", NULL, "-t 8:");
    c->size_bytes = NAN;
    check("host: nothing of the communication is hidden (-20 %)", NULL, "-t 8:");
}

TEST(both_modes)
{
    add("host", 4096, 1);
    add("dpu", 4096, 60)->offload_efficiency = (struct ovl_estimate){0.5, 0.4, 0.6};
    add("host", 65536, 1);
    add("dpu", 65536, 85)->offload_efficiency = (struct ovl_estimate){1.6, 1.25, 2};
    check("host: 1 % of the communication is hidden at all sizes, 4K to 64K",
          "dpu: 85 % of the communication is hidden at 64K; at 64K the total is 0.62 times the host's (0.50 "
          "to 0.80)",
          "--dpu-min 64K");
    cells[3].offload_efficiency.ci_low = 0.9; /* nobody knows whether it wins */
    check(finding.found[0],
          "dpu: 85 % of the communication is hidden at 64K; at 64K the total is 0.62 times the host's (0.50 to 1.11)",
          "-t 8:");
    cells[3].offload_efficiency.ci_low = 1.25;
    cells[1].offload_efficiency.ci_high = 1.1; /* or whether it loses */
    check(finding.found[0],
          "dpu: 85 % of the communication is hidden at 64K; at 64K the total is 0.62 times the host's (0.50 to 0.80)",
          "-t 8:");
    cells[1].offload_efficiency.ci_high = 0.6;
    ovl_finding_make(&finding, &run);
    json_object_set_new(run.head, "options", json_pack("{s:i}", "dpu_min", 65536));
    check(finding.found[0], finding.found[1], "-t 8:");
    json_object_del(run.head, "options");
    cells[1].offload_efficiency = (struct ovl_estimate){1.1, 1.05, 1.2}; /* it wins everywhere */
    check(finding.found[0], finding.found[1], "-t 8:");
    cells[3].offload_efficiency = (struct ovl_estimate){0.9, NAN, NAN}; /* it loses at the largest size */
    check("host: 1 % of the communication is hidden at all sizes, 4K to 64K",
          "dpu: 85 % of the communication is hidden at 64K; at 64K the total is 1.11 times the host's", "-t 8:");
}

TEST(rules)
{
    struct ovl_cell *c = add("host", 65536, 2);
    c->test_calls = 8;
    check("host: 2 % of the communication is hidden at 64K", NULL, "--mode host,dpu");
    c->derived[OVL_HIDDEN].value = 0.5;
    check("host: 50 % of the communication is hidden at 64K", NULL, "-t 32:");
    c->summary[OVL_COMM].median = 1e-3;
    c->summary[OVL_TEST].median = 9e-4;
    check("host: 50 % of the communication is hidden at 64K", NULL,
          "--mode host,dpu, or fewer test calls (-t): test calls take 90 % of the communication's time");
    c->summary[OVL_TEST].median = 1e-4;
    c->derived[OVL_SLOWDOWN].ci_low = 1.3;
    check("host: 50 % of the communication is hidden at 64K", NULL, "a core of its own");
    json_array_append_new(json_object_get(run.head, "warnings"), json_string("oversubscribed: 3 ranks on 2 cores"));
    check("host: 50 % of the communication is hidden at 64K", NULL, "fewer ranks");
    json_array_clear(json_object_get(run.head, "warnings"));
    json_array_append_new(json_object_get(run.head, "warnings"),
                          json_string("oversubscribed: 2 ranks and 2 workers on 2 cores; times hold the waiting"));
    check("host: 50 % of the communication is hidden at 64K", NULL, "a core for each worker");
    json_array_clear(json_object_get(run.head, "warnings"));
    c->derived[OVL_SLOWDOWN].ci_low = 1;
    c->derived[OVL_HIDDEN].value = 0.9;
    check("host: 90 % of the communication is hidden at 64K", NULL, "more launches");
    json_object_set_new(run.head, "hosts", json_pack("[{s:i, s:[{s:i}]}]", "cores", 4, "caches", "bytes", 1 << 20));
    c->rotate = 1;
    check("host: 90 % of the communication is hidden at 64K", NULL, "--rotate 8: ");
    c->rotate = 8;
    check("host: 90 % of the communication is hidden at 64K", NULL, "more launches");
    json_object_del(run.head, "hosts");
    c->derived[OVL_SPEEDUP].ci_high = 0.97;
    check("host: 90 % of the communication is hidden at 64K", NULL, "-f: computing first");
    strcpy(c->status, "ci_not_reached");
    check("host: 90 % of the communication is hidden at 64K", NULL, "-i 100:10000");
    json_object_set_new(run.head, "options", json_pack("{s:f, s:[i,i]}", "max_time", 2.0, "iterations", 30, 1000));
    c->blocks = 10; /* by the time that it had */
    check("host: 90 % of the communication is hidden at 64K", NULL,
          "--max-time 6: it ended cells after 10 blocks, and 30 take so long");
    c->blocks = 7;
    check("host: 90 % of the communication is hidden at 64K", NULL, "--max-time 9: it ended cells after 7 blocks");
    c->blocks = 30;
    check("host: 90 % of the communication is hidden at 64K", NULL, "-i 100:10000");
    json_object_del(run.head, "options");
}

/* A job that is larger than its cores disturbs itself more than others do. */
TEST(oversubscription_comes_before_other_processes)
{
    struct ovl_cell *c = add("host", 65536, 2);
    json_object_set_new(run.head, "disturbance", json_pack("{s:i}", "other_processes", 2));
    c->disturbance.others = 2;
    c->disturbance.waited = 0.2;
    check("host: 2 % of the communication is hidden at 64K", NULL, "cores of which nobody else");
    json_array_append_new(json_object_get(run.head, "warnings"), json_string("oversubscribed: 5 ranks on 2 cores"));
    check("host: 2 % of the communication is hidden at 64K", NULL, "fewer ranks");
    json_object_del(run.head, "disturbance");
}

TEST(what_carries_no_claim)
{
    struct ovl_cell *c = add("host", 65536, 2);
    c->derived[OVL_HIDDEN] = (struct ovl_estimate){NAN, NAN, NAN};
    check("host: the communication is too short to say how much of it is hidden", NULL, "larger messages");
    c->size_bytes = NAN;
    check("host: the communication is too short to say how much of it is hidden", NULL, "");
    strcpy(c->status, "invalid");
    strcpy(c->reason, "ranks start apart: the latest by 5 us");
    check("host: no row gives a result; its status says why", NULL, "ranks bound to cores");
    strcpy(c->reason, "a unit is 3 % of the work");
    check("host: no row gives a result; its status says why", NULL, "ovl_noise");
    c->validated = 0;
    check("host: no row gives a result; its status says why", NULL, "another MPI library");
    c->validated = 1;
    json_array_append_new(json_object_get(run.head, "warnings"), json_string("oversubscribed: 3 ranks on 2 cores"));
    check("host: no row gives a result; its status says why", NULL, "fewer ranks: each");
    /* An invalid cell does not speak for its size. */
    json_array_clear(json_object_get(run.head, "warnings"));
    add("host", 1024, 3);
    check("host: 3 % of the communication is hidden at 1K; 1 size says nothing", NULL, "-t 8:");
    add("host", 2048, 3);
    check("host: 3 % of the communication is hidden from 1K to 2K; 1 size says nothing", NULL, "-t 8:");
}

/* No call is proposed that the program would refuse, or for which there is no core. */
TEST(workers_are_proposed_where_they_can_work)
{
    struct ovl_cell *c = add("host", 65536, 2);
    c->test_calls = 8;
    json_object_set_new(run.head, "hosts", json_pack("[{s:i}, {s:i}]", "cores", 2, "cores", 2));
    c->ranks = 2;
    check("host: 2 % of the communication is hidden at 64K", NULL, "--mode host,dpu");
    c->ranks = 4;
    check("host: 2 % of the communication is hidden at 64K", NULL, "more launches");
    c->ranks = 2;
    json_object_set_new(run.head, "options", json_pack("{s:s}", "vector", "64:128"));
    check("host: 2 % of the communication is hidden at 64K", NULL, "more launches");
    json_object_del(run.head, "options");
    json_object_set_new(run.head, "benchmark", json_string("ialltoallw"));
    check("host: 2 % of the communication is hidden at 64K", NULL, "more launches");
}

TEST(one_rank_hides_nothing)
{
    add("host", 65536, 90)->ranks = 1;
    check(NULL, NULL, "more ranks, by this MPI library's own launcher (mpiexec -n 2): one communicates with nobody");
    json_object_set_new(run.head, "workers", json_integer(1));
    check(NULL, NULL, "mpiexec -n 3: two ranks beside the workers");
}

TEST(work_nearest_to_the_communication)
{
    add("host", 65536, 90)->ratio = 4;
    add("host", 65536, 30)->ratio = 0.9;
    add("host", 65536, 10)->ratio = 0.25;
    check("host: 30 % of the communication is hidden at 64K", NULL, "-t 8:");
    for (size_t i = 0; i < 3; i++)
        cells[i].ratio = NAN; /* --compute-us: one amount */
    run.cell_count = 1;
    check("host: 90 % of the communication is hidden at 64K", NULL, "more launches");
}

TEST(of_others_nothing_is_said)
{
    check(NULL, NULL, ""); /* no cell */
    add("host", NAN, 0);
    json_object_set_new(run.head, "benchmark", json_string("null"));
    check(NULL, NULL, "");
    json_object_set_new(run.head, "benchmark", json_string("fft3d"));
    check(NULL, NULL, "");
}

AROUND(begin, end)

/* What OMB would praise: the ends of the calls are hidden, and the program takes twice as long. */
TEST(a_thread_that_loses_beside_what_omb_says)
{
    add("host", 1 << 20, 5);
    struct ovl_cell *c = add("thread", 1 << 20, 3);
    c->offload_efficiency = (struct ovl_estimate){0.5, 0.48, 0.52};
    c->omb_percent = 83;
    check("host: 5 % of the communication is hidden at 1M",
          "thread: 3 % of the communication is hidden at 1M; at 1M the total is 2.00 times the host's (1.92 to 2.08), "
          "where OMB's formula says 83 % overlap",
          "-t 8");
    c->omb_percent = 12; /* says as much */
    check("host: 5 % of the communication is hidden at 1M",
          "thread: 3 % of the communication is hidden at 1M; at 1M the total is 2.00 times the host's (1.92 to 2.08)",
          "-t 8");
    c->omb_percent = 83;
    c->offload_efficiency = (struct ovl_estimate){1.2, 1.1, 1.3}; /* it wins */
    check("host: 5 % of the communication is hidden at 1M",
          "thread: 3 % of the communication is hidden at 1M; at 1M the total is 0.83 times the host's (0.77 to 0.91)",
          "-t 8");
}
