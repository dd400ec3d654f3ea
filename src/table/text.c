/* Tables as text: a line per row. Texts never touch: one that is too long for its column moves the next ones to the
   right; a number only until their own room makes up for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"

#include <string.h>

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    char number[96];
    const char *text = v->text ? v->text : number;
    if (!v->text)
        ovl_column_text(t, c, v->x, number);
    int width = c->interval ? c->interval : ovl_column_show(t, c).width;
    int gap = c->left ? t->due + c->left - t->at : t->due + width - t->at - (int)strlen(text);
    int least = c->left ? t->due > 0 ? c->left : 0 : t->at > 0;
    t->at += fprintf(t->out, "%*s%s", gap > least ? gap : least, "", text);
    t->due += c->left + (width ? width : t->widest);
    t->due = c->left && t->at > t->due ? t->at : t->due;
    if (v->reason && *v->reason)
        fprintf(t->out, ": %s", v->reason);
    if (v->note && *v->note)
        fprintf(t->out, v->number ? " %s" : " (%s)", v->note);
}

static void begin(struct ovl_table *t)
{
    t->at = fprintf(t->out, "#");
    ovl_table_heads(t);
}

static void text(FILE *out, const char *of)
{
    fputs(of, out);
}

const struct ovl_table_writer ovl_table_plain = {
    .in = OVL_IN_TEXT, .row = "", .gap = "", .row_end = "\n", .end = "", .begin = begin, .put = put, .text = text};
