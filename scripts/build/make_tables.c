/* Prints what is made from tables while building: the options, fields and exit codes of the manual pages, and JSON
   Schemas. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/exit_codes.h"
#include "cli/driver_options.h"
#include "record/derived/field_schema.h"
#include "record/field.h"

#include <stdio.h>
#include <string.h>

static int options(const char *input)
{
    (void)input;
    ovl_options_mdoc(ovl_driver_option_rows, stdout);
    return 0;
}

static int exit_codes(const char *command)
{
    return ovl_exit_codes_mdoc(command, stdout);
}

static int dump(json_t *json)
{
    int rc = json ? json_dumpf(json, stdout, JSON_INDENT(2)) : -1;
    json_decref(json);
    putchar('\n');
    return rc;
}

static int record_schema(const char *input)
{
    (void)input;
    return dump(ovl_field_schema());
}

/* The schema of limits files, whose `match` gets the fields that identify a point; those that it has already stay. */
static int limits_schema(const char *input)
{
    json_error_t at;
    json_t *schema = json_load_file(input, JSON_REJECT_DUPLICATES, &at), *match = ovl_field_match_schema();
    json_t *there = json_object_get(json_object_get(json_object_get(schema, "$defs"), "match"), "properties");
    if (!there || !match) {
        fprintf(stderr, "%s:%d: %s\n", input, at.line, schema ? "no $defs.match.properties" : at.text);
        return -1;
    }
    json_object_update_missing(there, match);
    json_decref(match);
    return dump(schema);
}

/* Of the fields that the pages tell apart. */
static bool is_value(const struct ovl_field *f)
{
    return f->kind == OVL_FIELD_SUMMARY || f->kind == OVL_FIELD_ESTIMATE || f->kind == OVL_FIELD_SAMPLES || f->own ||
           f->metric;
}

static void put_mdoc(const char *text)
{
    for (; *text; text++)
        printf(*text == '\\' ? "\\e" : "%c", *text);
}

static const char *kind_of(const struct ovl_field *f)
{
    static const char *const names[] = {
        [OVL_FIELD_TEXT] = "text",       [OVL_FIELD_WHOLE] = "whole number", [OVL_FIELD_NUMBER] = "number",
        [OVL_FIELD_TRUTH] = "truth",     [OVL_FIELD_ANY] = "any value",      [OVL_FIELD_OBJECT] = "object",
        [OVL_FIELD_SUMMARY] = "summary", [OVL_FIELD_ESTIMATE] = "estimate",  [OVL_FIELD_SAMPLES] = "samples",
    };
    return names[f->kind];
}

/* "(number, s; part of the point)". */
static void put_notes(const struct ovl_field *f)
{
    const char *gap = "", *kind = kind_of(f);
    const char *const notes[] = {kind,
                                 f->unit ? f->unit : "",
                                 f->null ? "or null" : "",
                                 f->of == OVL_OF_PROXY        ? "proxies"
                                 : f->of == OVL_OF_COLLECTIVE ? "collectives"
                                                              : "",
                                 f->part == OVL_PART_POINT     ? "point"
                                 : f->part == OVL_PART_SETTING ? "setting"
                                 : f->part == OVL_PART_NOTE    ? "note"
                                 : f->part == OVL_PART_BUILD   ? "build"
                                                               : "",
                                 f->metric ? (f->more_is_better ? "metric, more is better" : "metric") : ""};
    printf("(");
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (*notes[i]) {
            printf("%s%s", gap, notes[i]);
            gap = ", ";
        }
    printf(")\n");
}

/* A list of rows, as mdoc: of a line, without those of the point; of the point, in whatever line they stand. Of a cell
   line either what was measured, or the rest. */
static int fields(enum ovl_field_line line, bool point, bool value)
{
    const struct ovl_field *f;
    printf(".Bl -tag -width Ds\n");
    for (size_t i = 0; (f = ovl_field_row(i)); i++) {
        bool in_line = point ? true : line == OVL_LINE_CELL ? f->line == line : f->line & line;
        if (!in_line || (f->part == OVL_PART_POINT) != point || (line == OVL_LINE_CELL && is_value(f) != value))
            continue;
        printf(".It %s", f->path);
        if (strcmp(f->name, f->path) != 0)
            printf(" , %s", f->name);
        printf("\n");
        put_mdoc(f->about);
        printf("\n");
        if (f->words)
            printf("(%s)\n", f->words);
        put_notes(f);
    }
    printf(".El\n");
    return 0;
}

static int run_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_RUN, false, false);
}

static int point_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_CELL, true, false);
}

static int cell_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_CELL, false, false);
}

static int value_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_CELL, false, true);
}

static int node_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_NODE, false, false);
}

static int offload_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_OFFLOAD, false, false);
}

static int launch_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_LAUNCH, false, false);
}

static int end_fields(const char *input)
{
    (void)input;
    return fields(OVL_LINE_END, false, false);
}

/* "C W T" of the bits of quantities. */
static void put_terms(unsigned bits)
{
    static const char *const names[OVL_QUANTITIES] = {
        [OVL_COMM] = "C",    [OVL_COMPUTE] = "W", [OVL_BLOCKING] = "B", [OVL_TOTAL] = "T",
        [OVL_INIT] = "init", [OVL_TEST] = "test", [OVL_WAIT] = "wait",  [OVL_INNER] = "inner"};
    const char *gap = "";
    for (int q = 0; q < OVL_QUANTITIES; q++)
        if (bits >> q & 1) {
            printf("%s%s", gap, names[q]);
            gap = " ";
        }
}

static int derived_terms(const char *input)
{
    (void)input;
    printf(".Bl -column \"hidden_fraction_rank_mean\" \"inner W\" \"C W\"\n.It Em name Ta Em terms Ta Em divisors\n");
    for (int d = 0; d < OVL_DERIVED; d++) {
        const struct ovl_derived_row *row = &ovl_derived_rows[d];
        printf(".It %s Ta \"", ovl_field_of_derived((enum ovl_derived)d)->name);
        put_terms(row->terms);
        printf("\" Ta \"");
        put_terms(row->divide);
        printf("\"\n");
    }
    printf(".El\n");
    return 0;
}

static const struct {
    const char *name;
    int (*print)(const char *input);
} tables[] = {
    {"options", options},
    {"exit-codes", exit_codes},
    {"record-schema", record_schema},
    {"limits-schema", limits_schema},
    {"run-fields", run_fields},
    {"point-fields", point_fields},
    {"cell-fields", cell_fields},
    {"value-fields", value_fields},
    {"derived-terms", derived_terms},
    {"end-fields", end_fields},
    {"node-fields", node_fields},
    {"offload-fields", offload_fields},
    {"launch-fields", launch_fields},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables && argc > 1; i++)
        if (strcmp(argv[1], tables[i].name) == 0)
            return tables[i].print(argc > 2 ? argv[2] : "") == 0 && fflush(stdout) == 0 ? 0 : 1;
    fputs("give the name of a table\n", stderr);
    return 1;
}
