/* The record reader on any bytes: read, checked against the schema, printed in both formats, sorted into charts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"
#include "record/derived/field_schema.h"
#include "record/field.h"
#include "table/table.h"
#include "tests/fuzz/fuzz.h"
#include "tool/chart/chart.h"
#include "tool/util/command.h"
#include "tool/util/schema.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ovl_schema *schema;
static FILE *nowhere;

static void open_once(void)
{
    struct ovl_error err;
    if (schema)
        return;
    json_t *table = ovl_field_schema();
    schema = ovl_schema_make(table, &err);
    json_decref(table);
    nowhere = fopen("/dev/null", "w");
    MUST(schema && nowhere);
    MUST(freopen("/dev/null", "w", stdout));
}

static void print(const struct ovl_format *format, const struct ovl_run *run, bool full)
{
    format->head(nowhere, run, full);
    for (size_t c = 0; c < run->cell_count; c++)
        format->row(nowhere, run, &run->cells[c], full);
    format->foot(nowhere, run, full);
}

static void draw(const struct ovl_record *record, const char *benchmark)
{
    struct ovl_chart_data figure;
    char note[OVL_FIGURE_LABEL];
    ovl_chart_data_make(&figure, record, benchmark);
    for (const struct ovl_chart *chart = ovl_charts; chart->name; chart++) {
        ovl_chart_write(chart, nowhere, &figure, 0, figure.panel_count);
        MUST(chart->boxes(&figure) > 0);
        if (chart->note)
            chart->note(note, &figure, 0, figure.panel_count);
    }
    for (size_t p = 0; p < figure.panel_count; p++)
        ovl_chart_crossover(&figure, p);
    ovl_chart_data_free(&figure);
}

static int check_line(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    (void)number, (void)err;
    *(size_t *)to += json_is_null(line) ? 0 : ovl_schema_check(schema, line, NULL, NULL);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], program[] = "validate", *argv[] = {program, path, NULL};
    struct ovl_record record = {.runs = NULL};
    struct ovl_error err = {0};
    size_t problems = 0;
    open_once();
    int fd = memfd_create("record", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    bool readable = ovl_record_read(&record, path, &err) == 0;
    if (!readable)
        fuzz_check_refusal(&err, 1 << OVL_WRONG_DATA);
    for (size_t r = 0; r < record.run_count; r++) {
        print(&ovl_format_table, &record.runs[r], true);
        print(&ovl_format_omb, &record.runs[r], true);
        print(&ovl_format_noise, &record.runs[r], true);
        draw(&record, ovl_run_text(&record.runs[r], "benchmark"));
    }
    ovl_record_free(&record);
    if (ovl_record_lines(path, check_line, &problems, &err) != 0)
        fuzz_check_refusal(&err, 1 << OVL_WRONG_DATA);
    /* The bootstrap of `ovl validate` takes its time: one of sixteen. */
    if (readable && fuzz_sum(data, size) % 16 == 0) {
        int code = ovl_command_validate.run(2, argv, &err);
        MUST(code == OVL_OK || code == OVL_WRONG_DATA);
    }
    close(fd);
    return 0;
}

FUZZ_JSON
