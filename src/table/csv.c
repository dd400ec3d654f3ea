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

static void put_number(FILE *out, const char *before, double x)
{
    fputs(before, out);
    if (isfinite(x))
        fprintf(out, "%.12g", x);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    if (!v->number)
        text(t->out, v->text);
    if (v->number)
        put_number(t->out, "", v->x.value);
    if (v->number && c->interval) {
        put_number(t->out, ",", v->x.ci_low);
        put_number(t->out, ",", v->x.ci_high);
    } else if (c->interval) {
        fprintf(t->out, ",%s_ci_low,%s_ci_high", v->text, v->text);
    }
}

const struct ovl_table_writer ovl_table_csv = {
    .row = "", .gap = ",", .row_end = "\n", .end = "", .begin = ovl_table_heads, .put = put, .text = text};
