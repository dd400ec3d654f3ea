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

static void begin_markdown(struct ovl_table *t)
{
    ovl_table_heads(t);
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
    ovl_table_heads(t);
    fputs("\\midrule\n", t->out);
}

/* "17.14 [16.90, 17.31]"; the interval where there is one. */
static void put_number(struct ovl_table *t, const struct ovl_column *c, const struct ovl_estimate *x)
{
    bool latex = t->writer == &ovl_table_latex;
    const char *math = latex ? "$" : "", *open = latex ? "[" : "\\[", *close = latex ? "]" : "\\]";
    const struct ovl_show show = ovl_column_show(t, c);
    char value[32], low[32], high[32];
    ovl_show_text(value, &show, x->value);
    ovl_show_text(low, &show, x->ci_low);
    ovl_show_text(high, &show, x->ci_high);
    if (!isfinite(x->value))
        fputs("n/a", t->out);
    else
        fprintf(t->out, "%s%s%s", math, value, math);
    if (isfinite(x->value) && isfinite(x->ci_low) && isfinite(x->ci_high) && c->interval)
        fprintf(t->out, " %s%s%s, %s%s%s", math, open, low, high, close, math);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    const char *const parts[] = {v->number ? NULL : v->text, v->reason, v->note};
    if (v->number)
        put_number(t, c, &v->x);
    for (int i = 0; i < 3; i++)
        if (parts[i] && *parts[i]) {
            fputs(i == 0 ? "" : i == 1 ? ": " : " ", t->out);
            t->writer->text(t->out, parts[i]);
        }
}

const struct ovl_table_writer ovl_table_markdown = {.in = OVL_IN_MARKUP,
                                                    .row = "| ",
                                                    .gap = " | ",
                                                    .row_end = " |\n",
                                                    .end = "",
                                                    .begin = begin_markdown,
                                                    .put = put,
                                                    .text = text_markdown},
                              ovl_table_latex = {.in = OVL_IN_MARKUP,
                                                 .row = "",
                                                 .gap = " & ",
                                                 .row_end = " \\\\\n",
                                                 .end = "\\bottomrule\n\\end{tabular}\n",
                                                 .begin = begin_latex,
                                                 .put = put,
                                                 .text = text_latex};
