/* Each launch has one value, of its own epochs: launches are what an interval is over. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/show/epochs.h"
#include "stats/stats.h"
#include "tool/cells/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *of, const char *name)
{
    const char *value = json_string_value(json_object_get(of, name));
    return value ? value : "";
}

/* What has the kinds of a cell's epochs: checkpoints, orders, or intervals between checkpoints. */
static const json_t *kinds_of(const struct ovl_cell *cell, const char *name)
{
    const json_t *all = json_object_get(cell->extra, name);
    return strcmp(name, "dataset") == 0  ? json_object_get(all, "orders")
           : strcmp(name, "faults") == 0 ? json_object_get(all, "kinds")
                                         : all;
}

static const json_t *named(const json_t *kinds, const char *name, const char *value)
{
    const json_t *kind;
    size_t i;
    json_array_foreach(kinds, i, kind) {
        if (strcmp(text(kind, name), value) == 0)
            return kind;
    }
    return NULL;
}

static double excess_of_root(const json_t *kinds, const json_t *kind)
{
    double none = number(named(kinds, "checkpoint", "none"), "median_seconds"),
           root = number(named(kinds, "checkpoint", "root"), "median_seconds") - none;
    return kind == named(kinds, "checkpoint", "none") || kind == named(kinds, "checkpoint", "root") ||
                   !(root > 0) /* a noise, of which nothing is a part */
               ? NAN
               : (number(kind, "median_seconds") - none) / root;
}

static double rate_of_random(const json_t *kinds, const json_t *kind)
{
    const json_t *random = named(kinds, "order", "random");
    return kind == random ? NAN : number(kind, "samples_per_second") / number(random, "samples_per_second");
}

static double goodput_of_expected(const json_t *kinds, const json_t *kind)
{
    (void)kinds;
    return number(kind, "goodput") / number(kind, "expected_goodput");
}

static double goodput_of_drawn(const json_t *kinds, const json_t *kind)
{
    (void)kinds;
    return number(kind, "goodput") / number(kind, "drawn_goodput");
}

static const struct ratio {
    const char *of, *name, *more; /* the list, and what its kinds are called by */
    const char *same[5];          /* numbers that launches must share, of what has the list or of the kind */
    double (*value)(const json_t *kinds, const json_t *kind);
    const char *words;
} ratios[] = {
    {"epochs", "checkpoint", NULL, {"steps", "count", "bytes"}, excess_of_root, "of root's excess"},
    {"dataset",
     "order",
     NULL,
     {"samples", "record_bytes", "local_buffer", "read_rate"},
     rate_of_random,
     "times random's samples/s"},
    {"faults", "checkpoint", "by", {"mtbf_steps", "steps"}, goodput_of_expected, "of the goodput that is expected"},
    {"faults", "checkpoint", "by", {"mtbf_steps", "steps"}, goodput_of_drawn, "of what these failures leave"},
};

static bool alike(const struct ratio *r, const struct ovl_cell *a, const json_t *kind, const struct ovl_cell *b,
                  const json_t *other)
{
    bool both = strcmp(text(kind, r->name), text(other, r->name)) == 0 &&
                (!r->more || strcmp(text(kind, r->more), text(other, r->more)) == 0);
    for (size_t i = 0; r->same[i] && both; i++) {
        const json_t *of_a = json_object_get(a->extra, r->of), *of_b = json_object_get(b->extra, r->of);
        double x = number(json_is_array(of_a) ? kind : of_a, r->same[i]),
               y = number(json_is_array(of_b) ? other : of_b, r->same[i]);
        both = x == y || (isnan(x) && isnan(y));
    }
    return both;
}

/* A ratio of a kind in all launches of a cell that have it. */
static size_t collect(const struct ovl_group *g, const struct ratio *r, const json_t *kind, double *values)
{
    size_t n = 0;
    for (size_t m = 0; m < g->count; m++) {
        const struct ovl_cell *cell = g->member[m].cell;
        const json_t *kinds = kinds_of(cell, r->of), *other;
        size_t i;
        json_array_foreach(kinds, i, other) {
            double value = ovl_member_claims(&g->member[m]) && alike(r, g->member[0].cell, kind, cell, other)
                               ? r->value(kinds, other)
                               : NAN;
            if (isfinite(value)) { /* one a launch: a record may have the kind twice */
                values[n++] = value;
                break;
            }
        }
    }
    return n;
}

static void put(FILE *out, const struct ratio *r, const json_t *kind, double *values, size_t n)
{
    struct ovl_summary s = ovl_stats_summarise(values, n);
    fprintf(out, "#   %s%s%s: %.3f", text(kind, r->name), r->more ? ", " : "", r->more ? text(kind, r->more) : "",
            s.median);
    if (!isnan(s.ci_low))
        fprintf(out, " [%.3f, %.3f]", s.ci_low, s.ci_high);
    fprintf(out, " %s, %zu launches\n", r->words, n);
}

static void put_group(FILE *out, const struct ovl_group *g, double *values)
{
    bool begun = false;
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        const json_t *kinds = kinds_of(g->member[0].cell, ratios[r].of), *kind;
        size_t i;
        json_array_foreach(kinds, i, kind) {
            size_t n = collect(g, &ratios[r], kind, values);
            if (n < 2)
                continue;
            if (!begun)
                fprintf(out, "\n# %s, epochs over launches: medians, with exact 95 %% intervals from 6 on\n", g->label);
            begun = true;
            put(out, &ratios[r], kind, values, n);
        }
    }
}

void ovl_show_epochs(FILE *out, const struct ovl_record *record)
{
    struct ovl_groups groups;
    ovl_groups_make(&groups, &record, 1);
    double *values = ovl_alloc(groups.member_count + 1, sizeof *values);
    for (size_t g = 0; g < groups.count; g++)
        if (strcmp(groups.group[g].member[0].cell->benchmark, "train") == 0)
            put_group(out, &groups.group[g], values);
    free(values);
    ovl_groups_free(&groups);
}
