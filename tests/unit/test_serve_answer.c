/* Would workers help, on made-up cells: what the last line of ovl_serve's table says, and why. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/serve.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4 };

static struct ovl_cell cells[CELLS];
static struct ovl_run run;

static void begin(void)
{
    run = (struct ovl_run){.cells = cells, .head = sample_run_line("x")};
}

static void end(void)
{
    for (size_t i = 0; i < run.cell_count; i++)
        json_decref(cells[i].extra);
    json_decref(run.head);
}

/* T with an interval of 1 % to each side, and what is exposed of it, in ms. */
static struct ovl_cell *add(const char *mode, double total, double exposed)
{
    struct ovl_cell *c = &cells[run.cell_count++];
    ovl_cell_clear(c);
    strcpy(c->benchmark, "serve");
    strcpy(c->mode, mode);
    strcpy(c->status, "ok");
    c->marks = 0;
    c->summary[OVL_TOTAL].median = 1e-3 * total;
    c->summary[OVL_TOTAL].ci_low = 0.99e-3 * total;
    c->summary[OVL_TOTAL].ci_high = 1.01e-3 * total;
    c->exposed.value = 1e-3 * exposed;
    c->bound_ratio.value = 1.5;
    return c;
}

/* The line, or lines, without head and breaks. */
static void check(const char *wanted)
{
    char *text, *at;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ovl_table_serve_answer(out, &run);
    fclose(out);
    while ((at = strstr(text, "\n#           ")) != NULL)
        memmove(at + 1, at + 13, strlen(at + 13) + 1), *at = ' ';
    at = strncmp(text, "# answer    ", 12) == 0 ? text + 12 : text;
    at[strcspn(at, "\n")] = '\0';
    ck_assert_str_eq(at, wanted);
    free(text);
}

TEST(workers_help_where_t_is_less_and_intervals_do_not_meet)
{
    add("blocking", 200, 100);
    add("host", 150, 50);
    struct ovl_cell *dpu = add("dpu", 105, 5);
    check("yes, workers help: the trace takes 105 ms with dpu, and 150 ms with host, the quickest without; 30 % "
          "less; "
          "why: host leaves 50 ms of communication exposed, dpu 5 ms");
    /* What it costs is said, too. */
    dpu->marks = 1U << OVL_MARK_LATER_FIRST;
    dpu->extra = json_pack("{s:{s:f}}", "serving", "decode_slowed", 1.08);
    check("yes, workers help: the trace takes 105 ms with dpu, and 150 ms with host, the quickest without; 30 % "
          "less; "
          "why: host leaves 50 ms of communication exposed, dpu 5 ms; but first tokens are later than with blocking "
          "calls; but beside what comes the work takes 8 % longer");
    /* The quickest one without may be the blocking one. */
    cells[0].summary[OVL_TOTAL] = dpu->summary[OVL_TOTAL];
    cells[0].summary[OVL_TOTAL].median *= 1.001;
    check("not told apart: the trace takes 105 ms with dpu, and 105 ms with blocking, the quickest without; their "
          "intervals meet; why: dpu leaves 5 ms of communication exposed, blocking 100 ms");
}

TEST(without_an_interval_nothing_is_told_apart)
{
    add("host", 200, 100)->summary[OVL_TOTAL].ci_low = NAN;
    add("dpu", 100, 10);
    check("not told apart: the trace takes 100 ms with dpu, and 200 ms with host, the quickest without; one of them "
          "has too "
          "few good blocks for an interval; why: dpu leaves 10 ms of communication exposed, host 100 ms");
}

TEST(why_workers_do_not_help_is_the_first_reason_that_holds)
{
    struct ovl_cell *host = add("host", 100, 2);
    add("dpu", 110, 1);
    check("no, workers do not help: the trace takes 110 ms with dpu, and 100 ms with host, the quickest without; "
          "why: "
          "the work hides all but 2 ms of the communication of host, and no worker saves more");
    host->exposed.value = 20e-3;
    host->bound_ratio.value = 1.02;
    check("no, workers do not help: the trace takes 110 ms with dpu, and 100 ms with host, the quickest without; "
          "why: "
          "T of host is 1.02 times what the order of the steps allows, whoever carries");
    host->bound_ratio.value = NAN; /* unknown is no reason */
    json_object_set_new(run.head, "offload", json_pack("{s:b}", "cores_shared", 1));
    check("no, workers do not help: the trace takes 110 ms with dpu, and 100 ms with host, the quickest without; "
          "why, "
          "maybe: the workers share the ranks' cores, which a DPU's do not");
}

TEST(without_results_of_both_there_is_no_answer)
{
    add("host", 100, 30);
    check("none: dpu was not measured; of 100 ms, the trace with host, workers save 30 ms of exposed communication "
          "at "
          "most");
    strcpy(add("dpu", 50, 0)->status, "invalid");
    check("none: no row of dpu has a result, as its status says");
    strcpy(cells[1].status, "ok");
    cells[0].unshaped = 1;
    check("none: no row without workers has a result, as its status says");
    run.cell_count = 0;
    check("");
}

AROUND(begin, end)
