/* The tables of a report's page, and what is said of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/escape.h"
#include "tool/compare/table.h"
#include "tool/export/export.h"
#include "tool/report/page.h"

#include <stdlib.h>

void ovl_page_changes(FILE *out, const struct ovl_changes *changes, const struct ovl_gate *gate)
{
    fprintf(
        out,
        "<p>Change of %s from old launches to new ones (%s); worse than %.4g is REGRESSED. Verdicts, p and each end of "
        "the intervals hold for all cells together with 95 %%. <em>MDE</em>, the minimum detectable effect: the "
        "true change that so many launches call REGRESSED in 80 %% of cases.</p>\n",
        gate->metric->name, gate->metric->scale == OVL_METRIC_RATIO ? "new / old" : "new - old", ovl_gate_line(gate));
    ovl_compare_table(out, &ovl_table_html, changes, gate);
}

/* What is said of it stands below, in words as `ovl history` prints them. */
void ovl_page_history(FILE *out, const struct ovl_history *h)
{
    char *text = NULL;
    size_t length = 0;
    FILE *said = ovl_check_alloc(open_memstream(&text, &length));
    fprintf(
        out,
        "<section id=\"history\"><h2>History</h2><p>Changes of %s over launches in order of time (Matteson and James, "
        "2014). Before and after are medians between changes.%s",
        h->how.metric->name, *h->since ? " New is what may have changed at " : "");
    ovl_escape_xml(out, h->since);
    fputs(*h->since ? " or later.</p>\n" : "</p>\n", out);
    ovl_history_table(out, &ovl_table_html, h);
    ovl_history_put_method(said, h);
    ovl_history_put_left_out(said, h);
    ovl_history_put_outcome(said, h);
    fclose(said);
    ovl_page_lines(out, text);
    free(text);
    fputs("</section>\n", out);
}

void ovl_page_cells(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups)
{
    fputs("<section id=\"cells\"><h2>Cells</h2><p>Medians over launches, of each launch its median. The interval over "
          "launches is exact if they are independent, and needs 6 of them; a single launch has the interval of its own "
          "blocks, which says nothing "
          "of another launch.</p>\n",
          out);
    ovl_export_cells(out, &ovl_table_html, &(struct ovl_exporting){.record = record, .groups = groups});
    ovl_page_words(out, groups);
    fputs("</section>\n", out);
}
