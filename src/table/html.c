/* Tables of a page, which sort by their heads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"
#include "table/escape.h"

#include <math.h>

static void begin(struct ovl_table *t)
{
    char head[96];
    fprintf(t->out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"sorts\"><caption>%s"
            "</caption><thead><tr>",
            t->caption, t->caption);
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));) {
        ovl_column_head(t, c, head);
        fprintf(t->out, "<th scope=\"col\"%s>", c->left ? " class=\"text\"" : "");
        ovl_escape_xml(t->out, head);
        fputs("</th>", t->out);
    }
    fputs("</tr></thead><tbody>\n", t->out);
}

/* A number sorts by its value, an interval by its lower end. */
static void put_number(struct ovl_table *t, const struct ovl_column *c, struct ovl_value v)
{
    char shown[96];
    double k = ovl_column_show(t, c).factor, x = c->interval ? v.x.ci_low : v.x.value;
    v.text = NULL;
    if (!isfinite(x) || (c->interval && !isfinite(v.x.ci_high))) {
        fputs("<td data-v=\"\">-</td>", t->out);
        return;
    }
    ovl_column_text(t, c, &v, shown);
    fprintf(t->out, "<td data-v=\"%.9g\">%s</td>", k * x, shown);
}

static void put_verdict(struct ovl_table *t, const struct ovl_value *v)
{
    const char *reason = v->reason ? v->reason : "", *note = v->note ? v->note : "";
    fprintf(t->out, "<td class=\"text wide\"><span class=\"%s\">%s</span>%s", v->text, v->text,
            *reason || *note ? ": " : "");
    ovl_escape_xml(t->out, reason);
    fputs(*reason && *note ? "; " : "", t->out);
    ovl_escape_xml(t->out, note);
    fputs("</td>", t->out);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    if (t->written++ == 0)
        fputs("<tr>", t->out);
    if (v->kind == OVL_VALUE_NUMBER) {
        put_number(t, c, *v);
    } else if (v->kind == OVL_VALUE_VERDICT) {
        put_verdict(t, v);
    } else {
        fprintf(t->out, "<td class=\"%s%s%s\">", c->left ? "text" : "", t->class ? " " : "", t->class ? t->class : "");
        ovl_escape_xml(t->out, v->text);
        fputs("</td>", t->out);
    }
}

static void row_end(struct ovl_table *t)
{
    fputs("</tr>\n", t->out);
}

static void end(struct ovl_table *t)
{
    fputs("</tbody></table></div>\n", t->out);
}

const struct ovl_table_writer ovl_table_html = {
    .in = OVL_IN_PAGE, .begin = begin, .put = put, .row_end = row_end, .end = end, .text = ovl_escape_xml};
