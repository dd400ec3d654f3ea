/* Drawing launches with and without the library: the chart of `ovl compare` with other words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/file.h"
#include "tool/offload/pairs.h"

#include <math.h>
#include <string.h>

enum { ROWS = 60, WORSE, NOT_SHOWN, SAME, BETTER, KINDS };

static int kind_of(const struct ovl_offload_row *r)
{
    return strcmp(r->verdict, "worse") == 0 ? WORSE : strcmp(r->verdict, "better") == 0 ? BETTER : NOT_SHOWN;
}

static int fill(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err)
{
    static const char *const names[KINDS] = {
        [WORSE] = "regressed", [NOT_SHOWN] = "inconclusive", [SAME] = "ok", [BETTER] = "improved"};
    const struct ovl_offload_pairs *p = of;
    int counts[KINDS] = {0};
    size_t rows = 0;
    char head[1024] = "";
    for (size_t i = 0; i < p->count && rows < ROWS; i++) {
        const struct ovl_offload_row *r = &p->row[i];
        if (!isfinite(r->ratio))
            continue;
        fprintf(data, "%zu\t%.9g\t%.9g\t%.9g\t%d\n", ++rows, r->ratio, r->reason ? r->ratio : r->low,
                r->reason ? r->ratio : r->high, kind_of(r) - WORSE);
        ovl_gnuplot_text(g, "label", rows, r->name);
        counts[kind_of(r)]++;
    }
    for (int k = WORSE; k < KINDS; k++)
        ovl_gnuplot_number(g, names[k], 0, counts[k]);
    for (size_t i = 0, n = 0; i < json_array_size(p->command) && n + 1 < sizeof head; i++) {
        snprintf(head + n, sizeof head - n, "%s%s", i ? " " : "", json_string_value(json_array_get(p->command, i)));
        n = strlen(head);
    }
    ovl_gnuplot_number(g, "rows", 0, (double)rows);
    ovl_gnuplot_number(g, "nothing", 0, 1);
    ovl_gnuplot_number(g, "ratio", 0, 1);
    ovl_gnuplot_text(g, "names", 0, "worse not-shown same better");
    ovl_gnuplot_text(g, "axis_said", 0, "with the library / without it");
    ovl_gnuplot_text(g, "benchmark", 0, "ovl offload: launches with the library against those without it");
    ovl_gnuplot_lines(g, "head", head);
    ovl_gnuplot_number(g, "warnings", 0, 0);
    ovl_gnuplot_number(g, "notes", 0, 0);
    return rows > 0 ? 0 : ovl_error_set(err, OVL_INCONCLUSIVE, "no chart made: nothing could be compared");
}

int ovl_offload_pairs_chart(const struct ovl_offload_pairs *p, const char *file, struct ovl_error *err)
{
    return ovl_chart_file_draw(file, "compare", fill, (void *)(uintptr_t)p, err);
}
