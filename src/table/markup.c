/* Tables for texts of somebody's: Markdown as GitHub reads it, and LaTeX with the package booktabs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "table/columns.h"
#include "table/escape.h"

#include <math.h>

static void text_markdown(FILE *out, const char *text)
{
    static const struct ovl_escape list[] = {{"\\", "\\\\"}, {"|", "\\|"}, {"*", "\\*"},  {"_", "\\_"},  {"`", "\\`"},
                                             {"[", "\\["},   {"]", "\\]"}, {"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"},
                                             {"~", "\\~"},   {"#", "\\#"}, {"$", "\\$"},  {"!", "\\!"},  {NULL, NULL}};
    ovl_escape(out, text, list, " ");
}

/* Two of the last four in a row are one character to TeX (ligatures). */
static void text_latex(FILE *out, const char *text)
{
    static const struct ovl_escape list[] = {{"\\", "\\textbackslash{}"},
                                             {"{", "\\{"},
                                             {"}", "\\}"},
                                             {"$", "\\$"},
                                             {"&", "\\&"},
                                             {"#", "\\#"},
                                             {"_", "\\_"},
                                             {"%", "\\%"},
                                             {"~", "\\textasciitilde{}"},
                                             {"^", "\\textasciicircum{}"},
                                             {"<", "\\textless{}"},
                                             {">", "\\textgreater{}"},
                                             {"|", "\\textbar{}"},
                                             {"\"", "\\char34{}"},
                                             {"[", "{[}"},
                                             {"-", "-{}"},
                                             {"`", "`{}"},
                                             {"'", "'{}"},
                                             {NULL, NULL}};
    ovl_escape(out, text, list, " ");
}

/* How a row is written, what stands on both sides of a number, and the brackets of an interval. */
struct style {
    const char *begin, *gap, *end, *math, *open, *close;
};

static const struct style *style_of(const struct ovl_table *t)
{
    static const struct style markdown = {"| ", " | ", " |\n", "", "\\[", "\\]"},
                              latex = {"", " & ", " \\\\\n", "$", "[", "]"};
    return t->writer == &ovl_table_latex ? &latex : &markdown;
}

static void gap(struct ovl_table *t)
{
    fputs(t->written++ == 0 ? style_of(t)->begin : style_of(t)->gap, t->out);
}

static void row_end(struct ovl_table *t)
{
    fputs(style_of(t)->end, t->out);
}

static void put_heads(struct ovl_table *t)
{
    char head[96];
    t->written = 0;
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));) {
        ovl_column_head(t, c, head);
        gap(t);
        t->writer->text(t->out, head);
    }
    row_end(t);
}

static void begin_markdown(struct ovl_table *t)
{
    put_heads(t);
    fputc('|', t->out);
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));)
        fputs(c->left ? " :-- |" : " --: |", t->out);
    fputc('\n', t->out);
}

static void begin_latex(struct ovl_table *t)
{
    fputs("\\begin{tabular}{", t->out);
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));)
        fputc(c->left ? 'l' : 'r', t->out);
    fputs("}\n\\toprule\n", t->out);
    put_heads(t);
    fputs("\\midrule\n", t->out);
}

static void end_latex(struct ovl_table *t)
{
    fputs("\\bottomrule\n\\end{tabular}\n", t->out);
}

/* "17.14 [16.90, 17.31]"; the interval where there is one. */
static void put_number(struct ovl_table *t, const struct ovl_column *c, const struct ovl_estimate *x)
{
    const struct style *s = style_of(t);
    const struct ovl_show show = ovl_column_show(t, c);
    char value[32], low[32], high[32];
    ovl_show_text(value, &show, x->value);
    ovl_show_text(low, &show, x->ci_low);
    ovl_show_text(high, &show, x->ci_high);
    if (!isfinite(x->value))
        fputs("n/a", t->out);
    else
        fprintf(t->out, "%s%s%s", s->math, value, s->math);
    if (isfinite(x->value) && isfinite(x->ci_low) && isfinite(x->ci_high) && c->interval)
        fprintf(t->out, " %s%s%s, %s%s%s", s->math, s->open, low, high, s->close, s->math);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    gap(t);
    if (v->kind == OVL_VALUE_NUMBER)
        put_number(t, c, &v->x);
    else
        t->writer->text(t->out, v->text);
    if (v->reason && *v->reason) {
        fputs(": ", t->out);
        t->writer->text(t->out, v->reason);
    }
    if (v->note && *v->note) {
        fputc(' ', t->out);
        t->writer->text(t->out, v->note);
    }
}

const struct ovl_table_writer ovl_table_markdown = {.in = OVL_IN_MARKUP,
                                                    .begin = begin_markdown,
                                                    .put = put,
                                                    .row_end = row_end,
                                                    .text = text_markdown},
                              ovl_table_latex = {.in = OVL_IN_MARKUP,
                                                 .begin = begin_latex,
                                                 .put = put,
                                                 .row_end = row_end,
                                                 .end = end_latex,
                                                 .text = text_latex};
