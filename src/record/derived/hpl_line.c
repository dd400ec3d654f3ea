/* The result of a solved system as HPL prints it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/hpl_line.h"
#include "record/proxy.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

static int whole(const struct ovl_cell *c, const char *name)
{
    return (int)json_integer_value(json_object_get(c->problem, name));
}

/* Of the broadcast: as HPL counts them. */
static char digit_of(const struct ovl_cell *c)
{
    static const char *const names[] = {"ring", "ring-m", "2ring", "2ring-m", "long", "long-m", "ibcast"};
    const char *bcast = json_string_value(json_object_get(c->problem, "bcast"));
    if (strcmp(c->mode, "dpu") == 0)
        return '7';
    for (int i = 0; i < (int)(sizeof names / sizeof *names) && bcast; i++)
        if (strcmp(names[i], bcast) == 0)
            return (char)('0' + i);
    return '?';
}

void ovl_cell_hpl_line(const struct ovl_cell *c, char text[OVL_HPL_LINE])
{
    const char *procs = json_string_value(json_object_get(c->problem, "procs"));
    double median = ovl_stats_summarise_series(c->samples.max[OVL_TOTAL], c->samples.blocks).median;
    bool known = median > 0, by_columns = json_object_get(c->problem, "pmap");
    int rows = 0, columns = 0;
    double seconds = known ? median : 0;
    if (procs)
        sscanf(procs, "%8dx%8d", &rows, &columns);
    snprintf(text, OVL_HPL_LINE, "W%c%d%cR2L8%12d %5d %5d %5d %18.2f %22.4e", by_columns ? 'C' : 'R', whole(c, "depth"),
             digit_of(c), whole(c, "n"), whole(c, "nb"), rows, columns, seconds,
             known ? ovl_proxy_gflops(c, seconds) : 0);
}
