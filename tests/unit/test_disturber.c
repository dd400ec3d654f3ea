/* What disturbs a run, in words: made run lines and cells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/disturber.h"
#include "table/finding.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 4 };

static struct ovl_cell cells[CELLS];
static struct ovl_run run;

static void begin(void)
{
    run = (struct ovl_run){.cells = cells, .cell_count = CELLS};
    run.head = json_pack("{s:s, s:[], s:{}}", "benchmark", "ialltoall", "warnings", "disturbance");
    for (int i = 0; i < CELLS; i++) {
        ovl_cell_clear(&cells[i]);
        strcpy(cells[i].status, "ok");
        cells[i].ranks = 2;
    }
}

static void end(void)
{
    json_decref(run.head);
}

static void set(const char *name, double value)
{
    json_object_set_new(json_object_get(run.head, "disturbance"), name, json_real(value));
}

/* The warnings, one a line. */
static const char *warned(void)
{
    static char text[2048];
    json_t *warnings = json_array();
    size_t n = 0;
    ovl_disturber_warn(run.head, warnings);
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(warnings); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "\n" : "",
                              json_string_value(json_array_get(warnings, i)));
    json_decref(warnings);
    return text;
}

/* What a table says is to be tried; the rule is ovl_finding_make's. */
static const char *next(void)
{
    static struct ovl_finding finding;
    ovl_finding_make(&finding, &run);
    return finding.next;
}

static void check_next(const char *begins)
{
    ck_assert_msg(strncmp(next(), begins, strlen(begins)) == 0, "next is: %s", next());
}

static void no_cure(void)
{
    char text[OVL_DISTURBER_TEXT];
    ck_assert(!ovl_disturber_next(&run, text));
}

TEST(older_records_and_quiet_machines_say_nothing)
{
    ck_assert_str_eq(warned(), "");
    no_cure();
    json_object_del(run.head, "disturbance");
    json_object_set_new(run.head, "hosts", json_pack("[{s:s}, {s:s}]", "name", "a", "name", "b"));
    json_object_set_new(run.head, "calibration", json_pack("{s:f}", "units_per_second", 5.0));
    ck_assert_str_eq(warned(), "");
    no_cure();
    json_object_set_new(run.head, "disturbance",
                        json_pack("{s:f, s:i, s:i, s:i, s:n, s:n}", "waited_fraction", 0.4, "busy_threads", 0,
                                  "spare_cores", -1, "other_processes", 0, "quota_processes", "quota_processors"));
    ck_assert_str_eq(warned(), ""); /* more ranks than cores: the frame's own warning */
}

TEST(a_quota)
{
    set("quota_processes", 2);
    set("quota_processors", 1);
    ck_assert_str_eq(warned(), "a CPU quota leaves 2 processes the time of 1 processor; try a larger quota (cpu.max, "
                               "docker --cpus)");
    check_next("a larger quota (cpu.max, docker --cpus): a CPU quota leaves");
    set("quota_processors", 1.5);
    ck_assert_ptr_nonnull(strstr(warned(), "the time of 1.5 processors;"));
    json_object_clear(json_object_get(run.head, "disturbance"));
    cells[0].disturbance.throttled = 3; /* set while it ran, or shared with others */
    no_cure();
    cells[1].disturbance.throttled = 1;
    check_next("a larger quota (cpu.max, docker --cpus), or fewer ranks: the kernel stopped ranks in 1 period of a");
}

TEST(threads_of_the_library)
{
    set("busy_threads", 2);
    set("spare_cores", 0); /* they have cores of their own */
    ck_assert_str_eq(warned(), "");
    set("spare_cores", -2);
    ck_assert_str_eq(warned(), "oversubscribed: the ranks of a machine have 2 busy threads besides, and lack 2 cores; "
                               "try more cores for each rank (mpiexec -bind-to core:2), or OMP_NUM_THREADS=1");
    json_object_set_new(run.head, "environment",
                        json_pack("{s:s, s:s}", "MPICH_ASYNC_PROGRESS", "0", "MPIR_CVAR_ASYNC_PROGRESS", "1"));
    ck_assert_ptr_nonnull(strstr(warned(), ", or MPIR_CVAR_ASYNC_PROGRESS=0"));
    no_cure(); /* they were at rest then */
    for (int i = 0; i < CELLS; i++)
        cells[i].disturbance = (struct ovl_disturbance){.busy_threads = 2, .spare_cores = -1, .waited = 0.5};
    check_next("more cores for each rank (mpiexec -bind-to core:2), or MPIR_CVAR_ASYNC_PROGRESS=0: the ranks");
    strcpy(cells[0].status, "invalid"); /* nor does it matter what became of them */
    strcpy(cells[0].reason, "ranks start apart");
    check_next("more cores for each rank");
}

TEST(processes_of_others)
{
    set("other_processes", 1);
    set("spare_cores", 1); /* for which there is a core */
    ck_assert_str_eq(warned(), "");
    set("spare_cores", 0);
    ck_assert_str_eq(warned(), "another process runs on the ranks' cores; try cores of which nobody else makes use (ps "
                               "-eo psr,pcpu,args)");
    set("other_processes", 3);
    ck_assert_ptr_nonnull(strstr(warned(), "3 other processes run on the ranks' cores;"));
    no_cure(); /* they are gone */
    cells[1].disturbance.waited = cells[2].disturbance.waited = 0.3;
    cells[1].disturbance.spare_cores = cells[2].disturbance.spare_cores = 0;
    check_next(
        "ranks bound to cores of an idle machine; ovl_noise says what disturbs them: ranks wait 30 % of the time");
    cells[1].disturbance.others = cells[2].disturbance.others = 1;
    check_next("cores of which nobody else makes use (ps -eo psr,pcpu,args): another process runs on the ranks' cores");
    cells[1].disturbance.waited = 0.001;
    no_cure(); /* one cell of four */
    cells[0].steal_fraction = cells[3].steal_fraction = 0.2;
    check_next(
        "a machine with fewer guests; ovl_noise says which node it is: other guests of the hypervisor took 20 %");
}

static void put_hosts(int n)
{
    json_t *hosts = json_array(), *ranks = json_array();
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "node%d", i);
        json_array_append_new(hosts,
                              json_pack("{s:s, s:s, s:s, s:s}", "name", name, "cpu", "Intel(R) Xeon(R) 8480", "kernel",
                                        "Linux 6.1.0-18", "mpi_library", "Open MPI v5.0.7, package: a"));
        json_array_append_new(ranks, json_integer(i));
    }
    json_object_set_new(run.head, "hosts", hosts);
    json_object_set_new(run.head, "rank_hosts", ranks);
}

static json_t *host(size_t i)
{
    return json_array_get(json_object_get(run.head, "hosts"), i);
}

TEST(unlike_nodes)
{
    put_hosts(5);
    ck_assert_str_eq(warned(), "");
    no_cure();
    json_object_set_new(host(0), "cpu", json_string("AMD EPYC 9654"));
    ck_assert_str_eq(warned(),
                     "1 of 5 nodes differs from the others in the processor: node0 has AMD EPYC 9654, not Intel "
                     "Xeon 8480; try nodes of one kind");
    check_next("nodes of one kind: 1 of 5 nodes differs");
    json_object_set_new(host(3), "kernel", json_string("Linux 6.12.2"));
    json_object_set_new(host(4), "kernel", json_string("Linux 6.12.3"));
    json_object_set_new(host(1), "mpi_library", json_string("Open MPI v5.0.7, package: b"));
    ck_assert_ptr_nonnull(strstr(warned(),
                                 "\n2 of 5 nodes differ from the others in the kernel: node3 has Linux 6.12.2, "
                                 "not Linux 6.1.0-18; try nodes of one kind\n"));
    ck_assert_ptr_nonnull(strstr(warned(),
                                 "\n1 of 5 nodes differs from the others in the MPI library: node1 has Open MPI "
                                 "v5.0.7, package: b, not Open MPI v5.0.7, package: a; try one library on all"));
    json_object_del(host(1), "mpi_library"); /* not known */
    ck_assert_ptr_null(strstr(warned(), "library"));
}

static void put_rates(const char *rates, double nonlinearity)
{
    json_object_set_new(
        run.head, "calibration",
        json_pack("{s:f, s:o}", "nonlinearity", nonlinearity, "rank_units_per_second", json_loads(rates, 0, NULL)));
}

TEST(a_rank_of_another_pace)
{
    put_hosts(5);
    put_rates("[100, 102, 98, 101, 100]", 0.01);
    ck_assert_str_eq(warned(), "");
    no_cure();
    put_rates("[100, 100, 101, 88, 100]", 0.01);
    ck_assert_str_eq(warned(), "rank 3 on node3 computes 12 % slower than the median rank; try nodes of one pace; "
                               "ovl_noise says which is not");
    check_next("nodes of one pace; ovl_noise says which is not: rank 3 on node3 computes 12 % slower");
    put_rates("[100, 120, 101, 88, 100]", 0.01);
    ck_assert_ptr_nonnull(strstr(warned(),
                                 "rank 1 on node1 computes 20 % faster than the median rank, and 1 more is over "
                                 "3 % off;"));
    put_rates("[100, 120, 101, 88, 100]", 0.03); /* no calibration */
    ck_assert_str_eq(warned(), "");
    put_rates("[100, 80]", 0.01);
    ck_assert_ptr_nonnull(strstr(warned(), "rank 1 on node1 computes 20 % slower than rank 0;"));
    put_hosts(1); /* one node has no other kind */
    json_object_set_new(run.head, "rank_hosts", json_pack("[i, i]", 0, 0));
    ck_assert_ptr_nonnull(strstr(warned(), "rank 1 on node0 computes"));
    no_cure();
    put_rates("[1, 1, 1e300, null, {}]", 0.01); /* a hostile record */
    ck_assert_ptr_nonnull(strstr(warned(), "rank 2 on "));
    put_rates("[null, 0, \"x\"]", 0.01);
    ck_assert_str_eq(warned(), "");
    put_rates("[]", 0.01);
    ck_assert_str_eq(warned(), "");
}

AROUND(begin, end)
