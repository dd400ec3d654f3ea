/* `ovl published`: figures of publications on training and serving (share/ovl/published.json), each beside what records
   have of the same case, as a table. The two are never mixed: a figure here is of records, or it is not there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/report/page.h"
#include "tool/report/published_row.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"

#include <stdlib.h>
#include <string.h>

struct published_options {
    int help;
    const char *output;
};

#define AT(member) offsetof(struct published_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "FILE", "write a page, whole or not at all, in place of text", OVL_OPTION_TEXT, AT(output), 0, 0,
     NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* Texts all; of the last one the lines may be long. On a page notes stand below. */
static const struct ovl_column columns[] = {
    {.show = {"row", 1, 0, 3, false}, .page = "Row", .left = 1},
    {.show = {"case", 1, 0, 51, false}, .page = "Case", .left = 1},
    {.show = {"varies", 1, 0, 11, false}, .page = "Varies", .left = 1},
    {.show = {"formula", 1, 0, 19, false}, .page = "Formula", .left = 1},
    {.show = {"published", 1, 0, 46, false}, .page = "Published", .left = 1},
    {.show = {"here", 1, 0, 21, false}, .page = "Here", .left = 1},
    {.show = {"of", 1, 0, 0, false}, .page = "Of", .left = 1},
    {.field = NULL},
};

/* All rows, and the records. */
struct published {
    const json_t *all;
    const struct ovl_groups *groups;
};

static const char *source_of(const json_t *all, const json_t *row)
{
    return ovl_published_text(json_object_get(all, "sources"), ovl_published_text(row, "source"));
}

/* What the source prints, with what, and who it is; and a note where there is one. */
static void put_source(FILE *out, const json_t *all, const json_t *row)
{
    fprintf(out, "%s; %s; %s", ovl_published_text(row, "printed"), ovl_published_text(row, "setup"),
            source_of(all, row));
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct published *p = of;
    const json_t *row = json_array_get(json_object_get(p->all, "rows"), i);
    bool page = t->writer->in == OVL_IN_PAGE;
    struct ovl_published_here *here = ovl_alloc(OVL_PUBLISHED_LINES, sizeof *here);
    char figures[OVL_PUBLISHED_FIGURE], *source = NULL;
    const char *varies = ovl_published_text(row, "varies");
    size_t length, n = ovl_published_find(here, row, p->groups);
    FILE *text = ovl_check_alloc(open_memstream(&source, &length));
    put_source(text, p->all, row);
    fclose(text);
    ovl_published_figures(row, figures);
    for (size_t k = 0; k < n; k++) {
        ovl_table_text(t, "%s", ovl_published_text(row, "row"));
        ovl_table_put(t, &(struct ovl_value){.text = ovl_published_text(row, "what"),
                                             .note = page ? ovl_published_text(row, "note") : NULL});
        ovl_table_text(t, "%s", *varies ? varies : "-");
        ovl_table_text(t, "%s", ovl_published_formula_text(row));
        ovl_table_put(t, &(struct ovl_value){.text = figures, .note = page ? source : NULL});
        ovl_table_text(t, "%s", here[k].figure);
        t->class = strcmp(here[k].figure, "-") == 0 ? "soft" : NULL;
        ovl_table_text(t, "%s", here[k].from);
        ovl_table_row_end(t);
    }
    free(source);
    free(here);
}

/* Below the table in text: what a page has as notes. */
static void print_sources(const json_t *all)
{
    size_t i;
    json_t *row;
    puts("#\n# what the sources print");
    json_array_foreach(json_object_get(all, "rows"), i, row) {
        printf("# %-3s %s: ", ovl_published_text(row, "row"), ovl_published_text(row, "what"));
        put_source(stdout, all, row);
        printf("%s%s\n", *ovl_published_text(row, "note") ? "; note: " : "", ovl_published_text(row, "note"));
    }
}

static void put_table(FILE *out, const struct ovl_table_writer *writer, const struct published *p)
{
    struct ovl_table t = ovl_table_to(out, writer, columns, 0, false);
    t.caption = "Published figures and ours";
    ovl_table_print(t, json_array_size(json_object_get(p->all, "rows")), put_row, p);
}

static int write_page(const char *file, const struct published *p, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    if (ovl_atomic_file_open(&o, file, err) != 0)
        return -1;
    int rc = ovl_page_head(o.file, "Published figures and ours", err);
    if (rc == 0) {
        fputs(
            "<main id=\"main\" class=\"published\">\n<p>Set-ups differ: a figure in one column says nothing about the "
            "other. Published are the sources' own figures; here are medians over the launches in the records given, "
            "by the same formula, where the same thing varies.</p>\n",
            o.file);
        put_table(o.file, &ovl_table_html, p);
        rc = ovl_page_end(o.file, err);
    }
    if (rc == 0)
        return ovl_atomic_file_close(&o, err);
    ovl_atomic_file_abandon(&o);
    return -1;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct published_options o = {0};
    struct ovl_inputs sources = {.count = 0};
    struct ovl_record record = {.runs = NULL};
    const struct ovl_record *const one[] = {&record};
    struct ovl_groups groups;
    struct ovl_path path;
    size_t copies;
    int first, rc = 0;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (o.help) {
        ovl_command_help(&ovl_command_published);
        return OVL_OK;
    }
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&sources, argv[i], err);
    if (rc == 0 && sources.count > 0)
        rc = ovl_inputs_read(&sources, false, &record, &copies, err);
    ovl_groups_make(&groups, one, 1);
    json_t *all = rc == 0 && ovl_command_share("published.json", &path, err) == 0
                      ? ovl_json_file_load(path.text, NULL, err)
                      : NULL;
    rc = all && ovl_published_check(all, path.text, err) == 0 ? 0 : -1;
    if (rc == 0 && o.output)
        rc = write_page(o.output, &(struct published){all, &groups}, err);
    else if (rc == 0) {
        put_table(stdout, &ovl_table_plain, &(struct published){all, &groups});
        print_sources(all);
    }
    json_decref(all);
    ovl_groups_free(&groups);
    ovl_record_free(&record);
    ovl_inputs_free(&sources);
    return rc == 0 ? OVL_OK : -1;
}

const struct ovl_tool_command ovl_command_published = {
    .name = "published",
    .arguments = "[FILE...] [options]",
    .summary = "figures of publications on training and serving beside those of records",
    .options = options,
    .run = run,
};
