/* Tables as text: a line per row. Texts never touch: one that is too long for its column moves the next ones to the
   right; a number only until their own room makes up for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"

#include <string.h>

static void put_text(struct ovl_table *t, const struct ovl_column *c, const char *text)
{
    int width = c->interval ? c->interval : ovl_column_show(t, c).width;
    int gap = c->left ? t->due + c->left - t->written : t->due + width - t->written - (int)strlen(text);
    int least = c->left ? t->due > 0 ? c->left : 0 : t->written > 0;
    t->written += fprintf(t->out, "%*s%s", gap > least ? gap : least, "", text);
    t->due += c->left + (width ? width : t->widest);
    t->due = c->left && t->written > t->due ? t->written : t->due;
}

static void begin(struct ovl_table *t)
{
    char head[96];
    fputc('#', t->out);
    t->written = 1;
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));) {
        ovl_column_head(t, c, head);
        put_text(t, c, head);
    }
    fputc('\n', t->out);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    char text[96];
    if (v->kind == OVL_VALUE_NUMBER)
        ovl_column_text(t, c, v, text);
    put_text(t, c, v->kind == OVL_VALUE_NUMBER ? text : v->text);
    if (v->reason && *v->reason)
        fprintf(t->out, ": %s", v->reason);
    if (v->note && *v->note)
        fprintf(t->out, v->kind == OVL_VALUE_VERDICT ? " (%s)" : " %s", v->note);
}

static void row_end(struct ovl_table *t)
{
    fputc('\n', t->out);
}

static void text(FILE *out, const char *of)
{
    fputs(of, out);
}

const struct ovl_table_writer ovl_table_plain = {
    .in = OVL_IN_TEXT, .begin = begin, .put = put, .row_end = row_end, .text = text};
