/* What `ovl offload` found, on the page of `ovl report`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/offload.h"
#include "record/offload/lines.h"
#include "table/escape.h"
#include "tool/offload/pairs.h"

#include <stdio.h>
#include <stdlib.h>

static void put_pairs(FILE *out, const struct ovl_offload_pairs *p)
{
    fprintf(out, "<p>%zu pairs of launches in random order: ", p->pairs);
    for (size_t i = 0; i < json_array_size(p->command); i++) {
        fputs(i ? " " : "<code>", out);
        ovl_escape_xml(out, json_string_value(json_array_get(p->command, i)));
    }
    fputs("</code>. Each end of the intervals holds for all rows together with 95 %.", out);
    if (*p->lacking)
        fprintf(out, " Nothing is shown: %s.", p->lacking);
    else if (p->planned == 0)
        fputs(" How many pairs were planned is not told.", out);
    fputs("</p>\n", out);
    ovl_offload_pairs_table(out, &ovl_table_html, p);
}

static void put_report(FILE *out, const struct ovl_offload_report *r)
{
    char *text = NULL;
    size_t length = 0;
    FILE *all = open_memstream(&text, &length);
    if (!all)
        return;
    ovl_offload_report_print(all, r);
    fclose(all);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Where the time went\"><pre>", out);
    ovl_escape_xml(out, text);
    fputs("</pre></div>\n", out);
    free(text);
}

void ovl_page_offloads(FILE *out, const struct ovl_record *record)
{
    struct ovl_offload_report r;
    struct ovl_offload_pairs p;
    struct ovl_error none;
    if (json_array_size(record->offloads) == 0)
        return;
    fputs("<section id=\"offload\"><h2>Unmodified programs</h2>\n", out);
    json_t *ids = ovl_offload_pairs_ids(record);
    for (size_t i = 0; i < json_array_size(ids); i++) {
        ovl_offload_pairs_make(&p, record, json_string_value(json_array_get(ids, i)));
        put_pairs(out, &p);
        if (p.report && ovl_offload_from_json(p.report, &r, &none) == 0) {
            fputs("<p>Where the time went, in the launch of the median wall time:</p>\n", out);
            put_report(out, &r);
        }
        ovl_offload_pairs_free(&p);
    }
    json_decref(ids);
    for (size_t i = 0; i < json_array_size(record->offloads); i++) {
        const json_t *line = json_array_get(record->offloads, i);
        if (json_object_get(line, "comparison") || ovl_offload_from_json(line, &r, &none) != 0)
            continue;
        fputs("<p>", out);
        ovl_escape_xml(out, r.program);
        fputs(", ended ", out);
        ovl_escape_xml(out, r.ended);
        fputs("</p>\n", out);
        put_report(out, &r);
    }
    fputs("</section>\n", out);
}
