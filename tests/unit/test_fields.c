/* The table of fields, walked: each row is whole, and what is made from it agrees with the cells that are written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input_options.h"
#include "record/derived/efficiency.h"
#include "record/derived/field_schema.h"
#include "record/derived/show.h"
#include "record/field.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"
#include "tool/cells/facet.h"
#include "tool/cells/metric.h"
#include "tool/cells/point.h"
#include "tool/util/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_cell cell;
static struct ovl_run run;

static void setup(void)
{
    sample_cell(&cell, "r", 1024, 20);
    run = (struct ovl_run){.head = sample_run_line("r")};
}

static void teardown(void)
{
    json_decref(run.head);
    ovl_cell_free(&cell);
}

TEST(rows_are_whole)
{
    const struct ovl_field *f, *g;
    for (size_t i = 0; (f = ovl_field_row(i)); i++) {
        ck_assert_ptr_nonnull(f->name);
        ck_assert_msg(strlen(f->path) < 64, "%s is longer than its readers take", f->path);
        ck_assert_msg(f->about && strlen(f->about) > 3, "%s says nothing", f->path);
        ck_assert_msg(!f->axis == !f->phrase, "%s: an axis needs a phrase, and a phrase an axis", f->path);
        ck_assert_msg(f->part != OVL_PART_POINT || !strchr(f->path, '*'), "%s identifies no single value", f->path);
        ck_assert_msg(!f->metric || f->quantity || f->derived || f->again || f->kind == OVL_FIELD_SUMMARY,
                      "%s cannot be computed from samples", f->path);
        for (size_t k = 0; k < i; k++) {
            g = ovl_field_row(k);
            ck_assert_msg(!(f->line & g->line) || strcmp(f->path, g->path) != 0, "%s stands twice", f->path);
            bool both = (f->part == OVL_PART_POINT || f->metric) && (g->part == OVL_PART_POINT || g->metric);
            ck_assert_msg(!both || strcmp(f->name, g->name) != 0, "%s names two fields", f->name);
        }
    }
    for (int q = 0; q < OVL_QUANTITIES; q++)
        ck_assert_ptr_nonnull(ovl_field_of_quantity((enum ovl_quantity)q)->path);
    for (int d = 0; d < OVL_DERIVED; d++)
        ck_assert_ptr_nonnull(ovl_field_of_derived((enum ovl_derived)d)->path);
}

/* Sets a row's value to another one, wherever it stands. */
static void change(const struct ovl_field *f)
{
    char path[64], *dot;
    void *member = (char *)&cell + f->offset;
    if (f->worker_only)
        strcpy(cell.engine, "worker");
    if (f->thread_only)
        strcpy(cell.mode, "thread");
    if (f->size > 0 && f->kind == OVL_FIELD_TEXT)
        strcpy(member, "x");
    else if (f->size > 0 && f->kind == OVL_FIELD_TRUTH)
        *(int *)member = 1;
    else if (f->size > 0)
        *(double *)member = 77;
    if (f->size > 0)
        return;
    json_t *value = f->kind == OVL_FIELD_TEXT    ? json_string("x")
                    : f->kind == OVL_FIELD_TRUTH ? json_true()
                                                 : json_integer(77);
    snprintf(path, sizeof path, "%s", f->path);
    dot = strchr(path, '.');
    if (f->line == OVL_LINE_CELL) {
        cell.problem = cell.problem ? cell.problem : json_object();
        json_object_set_new(cell.problem, dot + 1, value);
    } else if (!dot) {
        json_object_set_new(run.head, path, value);
    } else {
        *dot = '\0';
        if (!json_object_get(run.head, path))
            json_object_set_new(run.head, path, json_object());
        json_object_set_new(json_object_get(run.head, path), dot + 1, value);
    }
}

/* Cells that differ in one row only are different points, and the row's text says so. */
static int points(void)
{
    int n = 0;
    while (ovl_fields_point[n].path)
        n++;
    return n;
}

/* What is in a file that an option names is told, and launches that read another are in another setting. */
TEST(files_that_options_name_are_of_the_setting)
{
    for (const struct ovl_input_option *o = ovl_input_options; o->name; o++) {
        char name[64];
        snprintf(name, sizeof name, "input_files.%s", o->name);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : *c;
        const struct ovl_field *f = ovl_field_row(0);
        for (size_t i = 0; f && strcmp(f->name, name) != 0; i++)
            f = ovl_field_row(i + 1);
        ck_assert_msg(f && f->part == OVL_PART_SETTING, "%s", name);
    }
}

LOOP_TEST(each_row_of_the_point_tells_cells_apart, 0, points())
{
    const struct ovl_field *f = &ovl_fields_point[_i];
    char before[OVL_FIELD_TEXT_ROOM], after[OVL_FIELD_TEXT_ROOM], said[200];
    if (f->worker_only)
        strcpy(cell.engine, "worker");
    if (f->thread_only)
        strcpy(cell.mode, "thread");
    char *key = ovl_point_key(&run, &cell, NULL), *but = ovl_point_key(&run, &cell, f->name);
    ovl_field_text(before, f, &run, &cell);
    change(f);
    char *other = ovl_point_key(&run, &cell, NULL), *other_but = ovl_point_key(&run, &cell, f->name);
    ovl_field_text(after, f, &run, &cell);
    ck_assert_msg(strcmp(before, after) != 0, "%s: %s", f->name, after);
    ck_assert_msg(strcmp(key, other) != 0, "%s is not in the key", f->name);
    ck_assert_str_eq(but, other_but);
    ovl_field_say(said, sizeof said, f, after);
    ck_assert_msg(!f->phrase || (*said && !strstr(said, "%s") && !strstr(said, "(s)")), "%s: %s", f->name, said);
    free(key);
    free(but);
    free(other);
    free(other_but);
}

/* A chart tells points apart by the same rows as the key does: all but its own x axis and legend, and the engine, which
   goes with bcast or placement. */
TEST(charts_tell_points_apart)
{
    static const char *const otherwise[] = {"benchmark", "mode", "size_bytes", "engine"};
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        bool told = f->axis != OVL_AXIS_NONE;
        for (size_t i = 0; i < sizeof otherwise / sizeof *otherwise; i++)
            told |= strcmp(f->name, otherwise[i]) == 0;
        ck_assert_msg(told, "%s is in no chart", f->name);
    }
    ck_assert_msg(!ovl_facet(OVL_FACETS), "more facets than OVL_FACETS: the last ones are in no chart");
}

/* A member of `problem` that the table does not know, as of a later version, is part of the point too. */
TEST(an_unknown_part_of_a_problem_tells_cells_apart)
{
    cell.problem = json_pack("{s:s}", "model", "a");
    char *one = ovl_point_key(&run, &cell, NULL);
    json_object_set_new(cell.problem, "model", json_string("b"));
    char *two = ovl_point_key(&run, &cell, NULL);
    ck_assert_str_ne(one, two);
    free(one);
    free(two);
}

/* However long it is; and neither the order of the members nor how a number is written makes another point. */
TEST(unknown_parts_count_whole)
{
    char text[3000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    cell.problem = json_pack("{s:s, s:i, s:i}", "future", text, "a", 1, "b", 2);
    char *one = ovl_point_key(&run, &cell, NULL);
    text[sizeof text - 2] = 'b';
    json_object_set_new(cell.problem, "future", json_string(text));
    char *two = ovl_point_key(&run, &cell, NULL);
    json_decref(cell.problem);
    cell.problem = json_pack("{s:f, s:f, s:s}", "b", 2.0, "a", 1.0, "future", text);
    char *three = ovl_point_key(&run, &cell, NULL);
    ck_assert_str_ne(one, two);
    ck_assert_str_eq(two, three);
    free(one);
    free(two);
    free(three);
}

TEST(large_sizes_stay_different)
{
    char one[OVL_FIELD_TEXT_ROOM], two[OVL_FIELD_TEXT_ROOM];
    cell.size_bytes = 0x1p40 + 1;
    ovl_field_text(one, ovl_point_find("size_bytes"), &run, &cell);
    cell.size_bytes++;
    ovl_field_text(two, ovl_point_find("size_bytes"), &run, &cell);
    ck_assert_str_eq(one, "1099511627777");
    ck_assert_str_eq(two, "1099511627778");
}

/* The interval of the ratio of two modes is that of their own blocks: what both share cancels. */
TEST(efficiency_has_the_interval_of_joint_blocks)
{
    enum { BLOCKS = 30 };
    struct ovl_cell dpu = {.clock_read_seconds = 2e-8, .bootstrap_seed = 7};
    struct ovl_samples host;
    ovl_samples_make(&host, BLOCKS);
    ovl_samples_make(&dpu.samples, BLOCKS);
    host.blocks = dpu.samples.blocks = BLOCKS;
    for (int b = 0; b < BLOCKS; b++) { /* the machine's speed changes by a third, the ratio by a hundredth */
        host.max[OVL_TOTAL][b] = 2e-3 * (1 + b * 7 % BLOCKS / 90.0);
        dpu.samples.max[OVL_TOTAL][b] = host.max[OVL_TOTAL][b] / (2 + b % 3 / 100.0);
    }
    struct ovl_estimate e = ovl_cell_offload_efficiency(&dpu, &host);
    ck_assert(e.ci_low > 1.9 && e.ci_low < e.value && e.value < e.ci_high && e.ci_high < 2.1);
    for (int b = 5; b < BLOCKS; b++)
        host.max[OVL_TOTAL][b] = NAN;
    e = ovl_cell_offload_efficiency(&dpu, &host);
    ck_assert(isfinite(e.value) && isnan(e.ci_low) && isnan(e.ci_high));
    host.blocks = 5; /* no blocks of the same loop */
    ck_assert(isnan(ovl_cell_offload_efficiency(&dpu, &host).ci_low));
    ovl_samples_free(&host);
    ovl_samples_free(&dpu.samples);
}

/* A ratio to a host cell that is no measurement is none. */
TEST(efficiency_needs_a_claim_on_both_sides)
{
    struct ovl_cell cells[2] = {cell, cell};
    struct ovl_run both = {.head = run.head, .cells = cells, .cell_count = 2};
    strcpy(cells[1].mode, "dpu");
    ck_assert_double_eq(ovl_run_offload_efficiency(&both, &cells[1]), 1);
    ck_assert(isnan(ovl_run_offload_efficiency(&both, &cells[0])));
    strcpy(cells[0].status, "invalid");
    ck_assert(isnan(ovl_run_offload_efficiency(&both, &cells[1])));
    strcpy(cells[0].status, "ok");
    cells[1].unshaped = 1;
    ck_assert(isnan(ovl_run_offload_efficiency(&both, &cells[1])));
}

TEST(versions)
{
    static const struct {
        const char *schema, *word; /* NULL: read */
    } all[] = {{"2.0.0", NULL},        {"2.13.7", NULL},        {"1.0.0", "ovl 0.1"},
               {"3.0.0", "newer ovl"}, {"10.0.0", "newer ovl"}, {"2.", "2.0.0"},
               {"2.banana", "2.0.0"},  {"2.0.0 ", "2.0.0"},     {"", "2.0.0"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        json_object_set_new(run.head, "schema", json_string(all[i].schema));
        const char *why = ovl_record_foreign(run.head);
        ck_assert_msg(all[i].word ? why && strstr(why, all[i].word) : !why, "%s: %s", all[i].schema,
                      why ? why : "read");
    }
    json_object_del(run.head, "schema");
    ck_assert_ptr_nonnull(strstr(ovl_record_foreign(run.head), "missing"));
}

/* What is printed before it is written is printed again from the record, also next to where the last digit turns. */
TEST(rounded_as_the_record_holds_it)
{
    for (int up = 0; up < 2; up++) {
        double x = ovl_field_round(nextafter(9.355e-7, up));
        json_t *line = json_pack("{s:f}", "x", x);
        char *text = json_dumps(line, JSON_REAL_PRECISION(12));
        json_t *again = json_loads(text, 0, NULL);
        ck_assert_double_eq(json_real_value(json_object_get(again, "x")), x);
        free(text);
        json_decref(again);
        json_decref(line);
    }
    ck_assert(isnan(ovl_field_round(NAN)));
}

TEST(long_texts_stay_different)
{
    char text[300], one[OVL_FIELD_TEXT_ROOM], two[OVL_FIELD_TEXT_ROOM];
    const struct ovl_field *device = ovl_point_find("device");
    strcpy(cell.engine, "worker");
    memset(text, 'a', sizeof text);
    text[299] = '\0';
    json_object_set_new(run.head, "options", json_pack("{s:s}", "device", text));
    ovl_field_text(one, device, &run, &cell);
    text[298] = 'b';
    json_object_set_new(run.head, "options", json_pack("{s:s}", "device", text));
    ovl_field_text(two, device, &run, &cell);
    ck_assert_str_ne(one, two);
}

TEST(lists)
{
    json_t *line =
        json_pack("{s:[{s:s, s:[{s:s}]}, {s:s, s:[]}, {s:s, s:[{s:s}, {s:s}]}], s:[s, s, s]}", "hosts", "cpu",
                  "Linux 6.1.0-28", "adapters", "name", "mlx5_1", "cpu", "Linux 6.1.0", "adapters", "cpu",
                  "Linux 6.1.0-28", "adapters", "name", "mlx5_0", "name", "mlx5_1", "binding", "1", "0", "1");
    char *cpus = ovl_field_list(&(struct ovl_field){.path = "hosts[].cpu"}, line);
    char *adapters = ovl_field_list(&(struct ovl_field){.path = "hosts[].adapters[].name"}, line);
    char *binding = ovl_field_list(&(struct ovl_field){.path = "binding[]"}, line);
    ck_assert_str_eq(cpus, "Linux 6.1.0; Linux 6.1.0-28 x 2");
    ck_assert_str_eq(adapters, "mlx5_0; mlx5_1 x 2");
    ck_assert_str_eq(binding, "1 0 1");
    free(cpus);
    free(adapters);
    free(binding);
    json_decref(line);
}

/* What a later version adds is passed over. */
TEST(unknown_fields_are_passed_over)
{
    struct ovl_cell back;
    json_t *line = ovl_cell_to_json(&cell);
    json_object_set_new(line, "entropy", json_pack("{s:[i]}", "deep", 1));
    json_object_set_new(json_object_get(line, "comm_seconds"), "p999", json_real(1));
    json_t *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, &err);
    ck_assert_uint_eq(ovl_schema_check(schema, line, NULL, NULL), 0);
    ck_assert_int_eq(ovl_cell_from_json(line, true, &back, &err), 0);
    ck_assert_double_eq(back.summary[OVL_COMM].median, cell.summary[OVL_COMM].median);
    ovl_cell_free(&back);
    ovl_schema_free(schema);
    json_decref(table);
    json_decref(line);
}

/* Each metric of a cell is what the samples give, and as the line has it. */
TEST(metrics_follow_from_samples)
{
    size_t n = 0;
    for (const struct ovl_field *m = NULL; (m = ovl_metric_next(m));) {
        double again = ovl_metric_again(m, "median", &run, &cell), stored = ovl_field_estimate(m, &cell).value;
        ck_assert_msg((isnan(again) && isnan(stored)) || fabs(again - stored) <= 1e-9 * fabs(stored), "%s: %g, %g",
                      m->name, again, stored);
        n += !isnan(again);
        ck_assert_ptr_eq(ovl_metric_find(m->name, &err), m);
    }
    ck_assert_uint_gt(n, 12);
    ck_assert_ptr_null(ovl_metric_find("hiden_fraction", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "hidden_fraction"));
}

AROUND(setup, teardown)
