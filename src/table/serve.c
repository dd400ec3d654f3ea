/* Percentiles over requests, and how many met --slo. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/serve.h"
#include "base/number.h"

#include <math.h>

static double number(const json_t *of, const char *name)
{
    const json_t *v = json_object_get(of, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static double percentile(const struct ovl_cell *c, const char *of, const char *which)
{
    return number(json_object_get(json_object_get(c->extra, "serving"), of), which);
}

double ovl_table_serve_median(const struct ovl_cell *c, const char *of)
{
    return percentile(c, of, "p50");
}

static void put(FILE *out, const struct ovl_cell *c, const char *head, const char *of)
{
    fprintf(out, "%s %s, %s, %s", head, OVL_TIME(percentile(c, of, "p50")), OVL_TIME(percentile(c, of, "p90")),
            OVL_TIME(percentile(c, of, "p99")));
}

void ovl_table_serve_notes(FILE *out, const struct ovl_cell *c)
{
    const json_t *s = json_object_get(c->extra, "serving");
    const json_t *tier = json_object_get(s, "tier");
    const json_t *pushed = json_object_get(s, "preempted");
    double met = number(s, "goodput"), found = number(tier, "found") / number(tier, "blocks");
    if (!s)
        return;
    fprintf(out, "# %s%s, p50, p90, p99 of %.0f requests: ", c->mode, ovl_cell_tests(c) ? "-t" : "",
            number(s, "requests"));
    put(out, c, "first token", "ttft_seconds");
    put(out, c, "; without queue", "ttft_unqueued_seconds");
    if (isfinite(percentile(c, "ttft_bound_seconds", "p50")))
        put(out, c, ", and at least", "ttft_bound_seconds");
    put(out, c, ";\n#   each further token", "tpot_seconds");
    if (!isnan(met))
        fprintf(out, "; %s %% within %s and %s", OVL_PERCENT(1, met), OVL_TIME(number(s, "slo_ttft_seconds")),
                OVL_TIME(number(s, "slo_tpot_seconds")));
    if (isfinite(found))
        fprintf(out, "; %s %% of the blocks of prompts came back", OVL_PERCENT(1, found));
    if (pushed)
        fprintf(out, ";\n#   %.0f of them pushed out, %.0f times: %.0f tokens read again, %s MiB to a tier and back",
                number(pushed, "requests"), number(pushed, "times"), number(pushed, "tokens_read_again"),
                ovl_number_text((char[32]){""}, 1.0 / (1 << 20), 1, false, number(pushed, "moved_bytes")));
    fputc('\n', out);
}
