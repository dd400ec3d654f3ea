/* The table of pairs of launches, and what is said beside it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/offload/lines.h"
#include "table/offload.h"
#include "tool/offload/pairs.h"

#include <math.h>

const struct ovl_column ovl_pairs_columns[] = {
    {.show = {"what", 1, 0, 20, false}, .left = 2},
    {.show = {"without", 1, -6, 13, false}},
    {.show = {"with", 1, -6, 13, false}},
    {.show = {"with/out", 1, 3, 11, false}, .page = "with / without"},
    {.show = {"interval", 1, 3, 0, false}, .interval = 21},
    {.show = {"verdict of the library", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_offload_row *r = &((const struct ovl_offload_pairs *)of)->row[i];
    ovl_table_text(t, "%s", r->name);
    ovl_table_number(t, r->without);
    ovl_table_number(t, r->with);
    ovl_table_number(t, r->ratio);
    ovl_table_estimate(t, (struct ovl_estimate){NAN, r->reason ? NAN : r->low, r->reason ? NAN : r->high});
    ovl_table_verdict(t, r->verdict, r->reason, NULL);
    ovl_table_row_end(t);
}

void ovl_offload_pairs_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_offload_pairs *p)
{
    struct ovl_table t = ovl_table_to(out, writer, ovl_pairs_columns, 0, false);
    t.caption = "Launches with the workers against launches without them";
    ovl_table_print(t, p->count, put_row, p);
}

void ovl_offload_pairs_print(FILE *out, const struct ovl_offload_pairs *p)
{
    struct ovl_offload_report report;
    struct ovl_error none;
    fprintf(out, "# ovl offload --compare: %zu pair%s of launches, with the library and without it, in random order\n#",
            p->pairs, p->pairs == 1 ? "" : "s");
    for (size_t i = 0; i < json_array_size(p->command); i++)
        fprintf(out, " %s", json_string_value(json_array_get(p->command, i)));
    fprintf(out, "\n");
    if (p->metric)
        fprintf(out, "# values   by %s; %s is better\n", p->metric, p->more_is_better ? "more" : "less");
    if (!*p->lacking && p->planned == 0)
        fprintf(out, "# note     how many pairs were planned is not told: who stops when it looks good finds it so\n");
    fprintf(out, "#\n");
    ovl_offload_pairs_table(out, &ovl_table_plain, p);
    fprintf(out,
            "#\n# medians of launches; the ratio is the median of pairs (Hodges and Lehmann); each end of an interval\n"
            "# holds for all rows together with 95 %%; better and worse where it leaves out 1\n");
    if (!p->report || ovl_offload_from_json(p->report, &report, &none) != 0)
        return;
    if (report.posted == 0)
        fprintf(out, "# note     no operation went to the workers: this is what the library costs, see --min\n");
    fprintf(out, "#\n# where the time went, in the launch of the median wall time:\n");
    ovl_offload_report_print(out, &report);
}
