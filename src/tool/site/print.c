/* What is said of a site's systems. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/show.h"
#include "table/columns.h"
#include "tool/site/site.h"
#include "tool/util/answer.h"

#include <math.h>
#include <string.h>

static const struct ovl_column columns[] = {
    {.show = {"system", 1, 0, 0, false}, .left = 2},
    {.show = {"value", 1, 0, 14, false}},
    {.show = {"of launches", 1, 0, 26, false}},
    {.show = {"expected", 1, 0, 14, false}},
    {.show = {"launches", 1, 0, 9, false}},
    {.show = {"cell", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static double expected_of(const struct ovl_site_row *r)
{
    return json_number_value(json_object_get(r->rule, "value"));
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_site_row *r = &((const struct ovl_site *)of)->row[i];
    const struct ovl_show show = ovl_show_of_unit(r->metric);
    char value[32], expected[32], low[32], high[32];
    ovl_show_text(value, &show, r->value);
    ovl_show_text(low, &show, r->low);
    ovl_show_text(high, &show, r->high);
    ovl_show_text(expected, &show, expected_of(r));
    ovl_table_text(t, "%s", r->system);
    ovl_table_text(t, "%s%s", value, isnan(r->value) ? "" : show.head);
    ovl_table_text(t, "%s .. %s", low, high);
    ovl_table_text(t, "%s%s", expected, show.head);
    ovl_table_text(t, "%zu", r->launches);
    ovl_table_text(t, "%s %s: %s%s%s%s%s", r->label, r->metric->name, ovl_site_words[r->word], *r->reason ? ": " : "",
                   r->reason, *r->told ? ": " : "", r->told);
    ovl_table_row_end(t);
}

void ovl_site_print(FILE *out, const struct ovl_site *s)
{
    size_t count[OVL_SITE_WORDS] = {0};
    for (size_t i = 0; i < s->count; i++)
        count[s->row[i].word]++;
    ovl_table_print(ovl_table_to(out, &ovl_table_plain, columns, 0, false), s->count, put_row, s);
    fputs("#\n# ", out);
    for (int w = OVL_SITE_WORDS - 1; w >= 0; w--)
        fprintf(out, "%s%zu %s", w < OVL_SITE_WORDS - 1 ? ", " : "", count[w], ovl_site_words[w]);
    fputs("\n", out);
    if (s->wrong > 0) {
        fprintf(out, "# wrong    data in %zu cell%s that no rule is of: ", s->wrong, s->wrong == 1 ? "" : "s");
        ovl_printable_put(out, s->wrong_first);
        fputs("\n", out);
    }
    if (s->absent > 0)
        fprintf(out, "# note     no launch is of %zu system%s, whose rules were not asked: %s%s\n", s->absent,
                s->absent == 1 ? "" : "s", s->absent_first, s->absent == 1 ? "" : ", and others");
    if (s->strangers > 0) {
        fprintf(out, "# note     %zu launch%s on hosts of no system: ", s->strangers,
                s->strangers == 1 ? " was" : "es were");
        ovl_printable_put(out, s->stranger->file);
        fputs("\n", out);
    }
    if (s->gone > 0) {
        fprintf(out, "# not known %zu launch%s of jobs that left no cell: ", s->gone, s->gone == 1 ? "" : "es");
        ovl_printable_put(out, s->gone_first);
        fputs("\n", out);
    }
    fputs("# of launches: the interval of their median, or of fewer than 6 the least and the most\n", out);
}

json_t *ovl_site_answer(const struct ovl_site *s)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const struct ovl_site_row *r = &s->row[i];
        json_array_append_new(rows, json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "system",
                                              ovl_printable_json(r->system), "label", ovl_printable_json(r->label),
                                              "metric", r->metric->name, "verdict", ovl_site_words[r->word], "reason",
                                              ovl_printable_json(r->reason), "value", ovl_answer_number(r->value),
                                              "low", ovl_answer_number(r->low), "high", ovl_answer_number(r->high),
                                              "expected", ovl_answer_number(expected_of(r)), "launches",
                                              (json_int_t)r->launches, "beyond", (json_int_t)r->beyond));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "strangers", (json_int_t)s->strangers, "gone", (json_int_t)s->gone,
                     "wrong_data", (json_int_t)s->wrong, "rows", rows);
}
