/* Medians over launches in charts: of those that carry a claim, from 6 launches on; and the points that they become. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/test.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"
#include "tool/chart/launches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 8 };

static struct ovl_cell launch[LAUNCHES], joined;
static const struct ovl_cell *launches[LAUNCHES];

/* Totals of 10, 11, 12 ..., hidden parts of 0.1, 0.2, 0.3 ... */
static void set_up(void)
{
    for (int i = 0; i < LAUNCHES; i++) {
        ovl_cell_clear(&launch[i]);
        strcpy(launch[i].status, "ok");
        launch[i].units = 1000;
        struct ovl_summary *total = &launch[i].summary[OVL_TOTAL];
        total->median = total->min = total->max = 10 + i;
        launch[i].derived[OVL_HIDDEN] = (struct ovl_estimate){.value = 0.1 * (i + 1), .ci_low = -1, .ci_high = 2};
        launches[i] = &launch[i];
    }
}

static void tear_down(void)
{
    for (int i = 0; i < LAUNCHES; i++)
        ovl_cell_free(&launch[i]);
}

TEST(medians_have_intervals_over_launches)
{
    ck_assert(ovl_chart_launches_join(&joined, launches, 7));
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 13);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].ci_low, 10);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].ci_high, 16);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].value, 0.4, 1e-12);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].ci_low, 0.1, 1e-12);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].ci_high, 0.7, 1e-12);
    ck_assert_double_eq(joined.units, 1000);
}

TEST(the_bound_is_the_median_over_launches)
{
    ck_assert(isnan(ovl_chart_launches_bound(launches, 7)));
    for (int i = 0; i < LAUNCHES; i++)
        launch[i].extra = json_pack("{s:{s:f}}", "bound_seconds", "median", 8.0 - i);
    ck_assert_double_eq(ovl_chart_launches_bound(launches, 7), 5);
    ck_assert_double_eq(ovl_chart_launches_bound(launches, 1), 8);
}

TEST(fewer_launches_have_no_median)
{
    ck_assert(!ovl_chart_launches_join(&joined, launches, OVL_CHART_LAUNCHES - 1));
}

TEST(values_that_are_missing_make_no_number)
{
    for (int i = 0; i < LAUNCHES; i++)
        launch[i].derived[OVL_HIDDEN].value = NAN;
    ck_assert(ovl_chart_launches_join(&joined, launches, 8));
    ck_assert(isnan(joined.derived[OVL_HIDDEN].value));
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 13.5);
}

TEST(unlike_work_is_told)
{
    launch[3].units = 1001;
    ck_assert(ovl_chart_launches_join(&joined, launches, 8));
    ck_assert(isnan(joined.units));
}

TEST(other_launches_are_other_work)
{
    struct ovl_cell other;
    for (int i = 0; i < LAUNCHES; i++) {
        launch[i].units = 1000 + i;
        snprintf(launch[i].block_group, sizeof launch[i].block_group, "run-%d/0", i);
    }
    ck_assert(ovl_chart_launches_join(&joined, launches, 7));
    ck_assert(ovl_chart_launches_join(&other, launches, 7));
    ck_assert_str_ne(joined.block_group, "");
    ck_assert_str_eq(joined.block_group, other.block_group);
    ck_assert(ovl_chart_launches_join(&other, launches, 8));
    ck_assert_str_ne(joined.block_group, other.block_group);
    *launch[6].block_group = '\0';
    ck_assert(ovl_chart_launches_join(&joined, launches, 7));
    ck_assert_str_eq(joined.block_group, "");
}

/* A run for each launch, the later ones behind. */
static struct ovl_run run[LAUNCHES];
static const char *ended[LAUNCHES]; /* "complete" where nothing else stands here */

static void make_figure(struct ovl_chart_data *figure, size_t cells)
{
    struct ovl_record record = {.runs = run, .run_count = LAUNCHES / cells};

    for (size_t i = 0; i < LAUNCHES; i++) {
        snprintf(launch[i].run_id, sizeof launch[i].run_id, "run-%zu", i);
        strcpy(launch[i].benchmark, cells > 1 && i % cells == 0 ? "halo" : "train");
        strcpy(launch[i].mode, "host");
    }
    for (size_t r = 0; r < record.run_count; r++) {
        char started[32];
        snprintf(started, sizeof started, "2026-01-0%zu", r + 1);
        run[r] = (struct ovl_run){.file = "run.jsonl",
                                  .head = json_pack("{s:s, s:s}", "benchmark", "train", "started", started),
                                  .end = json_pack("{s:s}", "status", ended[r] ? ended[r] : "complete"),
                                  .cells = &launch[cells * r],
                                  .cell_count = cells};
    }
    ovl_chart_data_make(figure, &record, "train");
    for (size_t r = 0; r < record.run_count; r++)
        json_decref(run[r].head);
}

static void free_figure(struct ovl_chart_data *figure, size_t cells)
{
    ovl_chart_data_free(figure);
    for (size_t r = 0; r < LAUNCHES / cells; r++)
        json_decref(run[r].end);
    memset(ended, 0, sizeof ended);
}

TEST(launches_without_a_claim_do_not_count)
{
    struct ovl_chart_data figure;
    strcpy(launch[0].status, "invalid");
    ended[1] = "failed";
    make_figure(&figure, 1);
    ck_assert_uint_eq(figure.launches[1], 6);
    ck_assert_double_eq(figure.points[0].cell->summary[OVL_TOTAL].median, 14.5);
    ck_assert_double_eq(figure.points[0].cell->summary[OVL_TOTAL].ci_low, 12);
    ck_assert_int_eq(ovl_chart_status(&figure.points[0]), 0);
    ck_assert_str_eq(figure.medians, "; medians over 6 launches, 2 cells without a claim left out");
    free_figure(&figure, 1);
    launch[2].validated = 0;
    ended[1] = "failed";
    make_figure(&figure, 1);
    ck_assert_uint_eq(figure.launches[1], 0);
    ck_assert_str_eq(figure.medians, "");
    free_figure(&figure, 1);
}

TEST(a_point_without_a_claim_has_a_cross_that_says_why)
{
    struct ovl_chart_data figure;
    char note[OVL_FIGURE_LABEL] = "";
    for (size_t r = 0; r < LAUNCHES; r++)
        ended[r] = "failed";
    make_figure(&figure, 1);
    ck_assert_int_eq(ovl_chart_status(&figure.points[0]), 2);
    ck_assert_str_eq(ovl_chart_crosses(&figure, 0, 1), "cut short");
    ovl_chart_panels_note(note, &figure, 0, 1);
    ck_assert_msg(strstr(note, "; 1 of no claim (cut short)"), "%s", note);
    launch[LAUNCHES - 1].validated = 0;
    ck_assert_str_eq(ovl_chart_crosses(&figure, 0, 1), "wrong");
    free_figure(&figure, 1);
    make_figure(&figure, 1);
    launch[LAUNCHES - 1].validated = 1;
    ck_assert_str_eq(ovl_chart_crosses(&figure, 0, 1), "");
    free_figure(&figure, 1);
}

TEST(a_point_is_on_the_nodes_of_the_launch_whose_samples_it_has)
{
    struct ovl_chart_data figure;
    strcpy(launch[LAUNCHES - 1].status, "invalid");
    make_figure(&figure, 1);
    ck_assert_uint_eq(figure.point_count, 1);
    ck_assert_double_eq(figure.points[0].cell->summary[OVL_TOTAL].median, 13);
    ck_assert_str_eq(figure.points[0].cell->run_id, launch[LAUNCHES - 2].run_id);
    ck_assert_ptr_eq(figure.points[0].run, &run[LAUNCHES - 2]);
    free_figure(&figure, 1);
}

TEST(a_run_may_begin_with_a_cell_of_another_benchmark)
{
    struct ovl_chart_data figure;
    make_figure(&figure, 2);
    ck_assert_uint_eq(figure.point_count, 1);
    ck_assert_str_eq(figure.points[0].cell->benchmark, "train");
    free_figure(&figure, 2);
}

TEST(samples_are_drawn_with_their_own_median)
{
    struct ovl_point point = {.cell = &joined}; /* series 0: T */
    char *text = NULL;
    size_t length = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        ovl_samples_make(&launch[i].samples, 3);
        launch[i].samples.blocks = 3;
        for (int b = 0; b < 3; b++)
            launch[i].samples.max[OVL_TOTAL][b] = 10 + i;
    }
    ck_assert(ovl_chart_launches_join(&joined, launches, LAUNCHES));
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 13.5);
    FILE *out = open_memstream(&text, &length);
    ck_assert(ovl_chart_samples_line(out, NULL, &point));
    fclose(out);
    ck_assert_msg(strncmp(text, "1\t10\t0\t10\t", 10) == 0, "%s", text);
    free(text);
}

TEST(over_nodes_as_many_ranks_are_compared)
{
    static struct ovl_chart_data figure;
    struct ovl_point points[2] = {{.series = 0}, {.series = 1}};
    char *text = NULL;
    size_t length = 0;
    run[0] = (struct ovl_run){.head = json_pack("{s:i}", "nodes", 2), .end = json_pack("{s:s}", "status", "complete")};
    for (int i = 0; i < 2; i++) {
        points[i].run = &run[0];
        points[i].cell = &launch[2 * i]; /* totals of 10 and 12 */
        launch[2 * i].summary[OVL_TOTAL].ci_low = launch[2 * i].summary[OVL_TOTAL].ci_high = NAN;
        figure.series[i].mode = i == 0 ? OVL_SERIES_HOST : OVL_SERIES_DPU;
    }
    figure.points = points;
    figure.point_count = figure.series_count = 2;
    launch[0].ranks = launch[2].ranks = 4;
    FILE *out = open_memstream(&text, &length);
    ck_assert(ovl_chart_nodes_line(out, &figure, &points[1]));
    launch[2].ranks = 8;
    ck_assert(ovl_chart_nodes_line(out, &figure, &points[1]));
    fclose(out);
    ck_assert_str_eq(text, "2\t12\t12\t12\t-20\t0\t1\n2\t12\t12\t12\tNaN\t0\t1\n");
    free(text);
    json_decref(run[0].head);
    json_decref(run[0].end);
}

AROUND(set_up, tear_down)
