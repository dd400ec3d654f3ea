/* Tables of a page, which sort by their heads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "table/columns.h"
#include "table/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void put_lines(FILE *out, const char *text)
{
    char *copy = ovl_check_alloc(strdup(text)), *rest = copy;
    for (const char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        ovl_escape_xml(out, line);
        fputs(rest ? "<br>" : "", out);
    }
    free(copy);
}

/* A number sorts by its value, an interval by its lower end. */
static void put_number(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    char text[96];
    double x = c->interval ? v->x.ci_low : v->x.value;
    if (!isfinite(x) || (c->interval && !isfinite(v->x.ci_high))) {
        fputs("<td data-v=\"\">-", t->out);
        return;
    }
    ovl_column_text(t, c, v->x, text);
    fprintf(t->out, "<td data-v=\"%.9g\">%s", ovl_column_show(t, c).factor * x, text);
}

static void put(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    const char *note = v->note ? v->note : "";
    if (v->number) {
        put_number(t, c, v);
    } else if (v->reason) {
        fprintf(t->out, "<td class=\"text wide\"><span class=\"%s\">%s</span>%s", v->text, v->text,
                *v->reason || *note ? ": " : "");
        ovl_escape_xml(t->out, v->reason);
        fputs(*v->reason && *note ? "; " : "", t->out);
    } else {
        fprintf(t->out, "<td class=\"%s%s%s\">", c->left ? "text" : "", t->class ? " " : "", t->class ? t->class : "");
        put_lines(t->out, v->text);
        fputs(*note ? "<br><span class=\"soft\">" : "", t->out);
    }
    ovl_escape_xml(t->out, note);
    fputs(!v->number && !v->reason && *note ? "</span></td>" : "</td>", t->out);
}

const struct ovl_table_writer ovl_table_html = {.in = OVL_IN_PAGE,
                                                .row = "<tr>",
                                                .gap = "",
                                                .row_end = "</tr>\n",
                                                .end = "</tbody></table></div>\n",
                                                .begin = begin,
                                                .put = put,
                                                .text = ovl_escape_xml};
