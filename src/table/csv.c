/* Tables as CSV by RFC 4180: numbers in the units of the record, under the names of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"
#include "table/escape.h"

#include <math.h>
#include <string.h>

/* Quotes round what holds a comma, a quote or a line's end, and quotes inside doubled. Spreadsheets run what begins
   like a formula, and take it for a text behind a quote of their own. */
static void text(FILE *out, const char *of)
{
    static const struct ovl_escape list[] = {{"\"", "\"\""}, {NULL, NULL}};
    const char *quote = strpbrk(of, ",\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", quote, *of && strchr("=+-@\t\r", *of) ? "'" : "");
    ovl_escape(out, of, list, NULL);
    fputs(quote, out);
}

static void row_end(struct ovl_table *t)
{
    fputc('\n', t->out);
}

static const char *gap(struct ovl_table *t)
{
    return t->written++ == 0 ? "" : ",";
}

static void begin(struct ovl_table *t)
{
    char head[96];
    t->written = 0;
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));) {
        ovl_column_head(t, c, head);
        const char *name = c->field ? c->field : head;
        fprintf(t->out, c->interval ? "%s%s,%s_ci_low,%s_ci_high" : "%s%s", gap(t), name, name, name);
    }
    row_end(t);
}

static void put_number(FILE *out, const char *before, double x)
{
    fputs(before, out);
    if (isfinite(x))
        fprintf(out, "%.12g", x);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    put_number(t->out, gap(t), v->kind == OVL_VALUE_NUMBER ? v->x.value : NAN);
    if (v->kind != OVL_VALUE_NUMBER)
        text(t->out, v->text);
    if (c->interval) {
        put_number(t->out, ",", v->x.ci_low);
        put_number(t->out, ",", v->x.ci_high);
    }
}

const struct ovl_table_writer ovl_table_csv = {.begin = begin, .put = put, .row_end = row_end, .text = text};
