/* `ovl export`, OpenMetrics 1.0 text format (https://openmetrics.io): a family of gauges per metric, a metric per cell,
   with the fields that identify it as labels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "record/derived/show.h"
#include "table/escape.h"
#include "tool/cells/point.h"
#include "tool/export/export.h"

#include <math.h>
#include <string.h>

/* Backslash, quote and line's end are escaped, in help texts too. */
static void put_text(FILE *out, const char *text)
{
    static const struct ovl_escape list[] = {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}, {NULL, NULL}};
    ovl_escape(out, text, list, NULL);
}

/* A unit has to be the end of the family's name. */
static const char *unit_of(const struct ovl_field *m)
{
    static const struct {
        const char *unit, *word;
    } units[] = {{"s", "seconds"}, {"%", "percent"}, {"B", "bytes"}};
    size_t length = strcspn(m->name, ".");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].word);
        if (strcmp(m->unit, units[i].unit) == 0 && length > n && m->name[length - n - 1] == '_' &&
            strncmp(m->name + length - n, units[i].word, n) == 0)
            return units[i].word;
    }
    return NULL;
}

/* The family of a metric, and its unit or NULL: total_p99_9_seconds of the percentile total_seconds.p99.9. */
static const char *name_family(const struct ovl_field *m, char family[96])
{
    const char *unit = unit_of(m), *percentile = m->percent > 0 ? strchr(m->name, '.') : NULL;
    snprintf(family, 96, "%s", m->name);
    if (percentile)
        snprintf(family, 96, "%.*s%s%s%s", (int)(percentile - m->name - (unit ? (ptrdiff_t)strlen(unit) + 1 : 0)),
                 m->name, percentile, unit ? "_" : "", unit ? unit : "");
    for (char *c = family; *c; c++)
        *c = *c == '.' ? '_' : *c;
    return unit;
}

static void put_labels(FILE *out, const struct ovl_group *g, const char *statistic)
{
    char text[OVL_FIELD_TEXT_ROOM], unknown[1024] = "";
    const char *gap = "";
    fputc('{', out);
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        ovl_field_text(text, f, g->member->run, g->member->cell);
        if (!*text)
            continue;
        fprintf(out, "%s%s=\"", gap, f->name);
        put_text(out, text);
        fputc('"', out);
        gap = ",";
    }
    ovl_point_unknown(unknown, sizeof unknown, g->member->cell);
    if (*unknown) {
        fprintf(out, "%sother=\"", gap);
        put_text(out, unknown + 1);
        fputc('"', out);
    }
    if (g->member->apart) {
        fprintf(out, "%sjob=\"", gap);
        put_text(out, g->member->job);
        fputc('"', out);
    }
    if (statistic)
        fprintf(out, "%sstatistic=\"%s\"", gap, statistic);
    fputc('}', out);
}

/* When the last launch began that has a value of the metric, or, where that is NULL, any; members are in order of time.
 */
static double began(const struct ovl_group *g, const struct ovl_field *metric)
{
    size_t i = g->count - 1;
    while (metric && i > 0 && !isfinite(ovl_metric_of(metric, &g->member[i]).value))
        i--;
    return ovl_clock_utc_seconds(ovl_run_text(g->member[i].run, "started"));
}

/* `metric`: what is put, NULL for a count. */
static void put_sample(FILE *out, const struct ovl_exporting *e, const struct ovl_group *g,
                       const struct ovl_field *metric, const char *family, const char *statistic, double value)
{
    if (!isfinite(value))
        return;
    fprintf(out, "ovl_%s", family);
    put_labels(out, g, statistic);
    fprintf(out, " %.12g", value);
    double at = e->timestamps ? began(g, metric) : NAN;
    if (at >= 0)
        fprintf(out, " %.0f", at);
    fputc('\n', out);
}

static bool has_value(const struct ovl_exporting *e, const struct ovl_field *m)
{
    size_t n;
    for (size_t g = 0; g < e->groups->count; g++)
        if (isfinite(ovl_metric_over(m, e->groups->group[g].member, e->groups->group[g].count, &n).value))
            return true;
    return false;
}

static void put_metric(FILE *out, const struct ovl_exporting *e, const struct ovl_field *m)
{
    char family[96];
    const char *unit = name_family(m, family);
    fprintf(out, "# TYPE ovl_%s gauge\n", family);
    if (unit)
        fprintf(out, "# UNIT ovl_%s %s\n", family, unit);
    fprintf(out, "# HELP ovl_%s ", family);
    put_text(out, m->about);
    fputs("; over launches\n", out);
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        size_t n;
        struct ovl_estimate x = ovl_metric_over(m, group->member, group->count, &n);
        put_sample(out, e, group, m, family, "median", x.value);
        put_sample(out, e, group, m, family, "ci_low", x.ci_low);
        put_sample(out, e, group, m, family, "ci_high", x.ci_high);
    }
}

static void put_counts(FILE *out, const struct ovl_exporting *e, const char *family, const char *help, bool claims)
{
    fprintf(out, "# TYPE ovl_%s gauge\n# HELP ovl_%s %s\n", family, family, help);
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        size_t n = ovl_group_claims(group);
        put_sample(out, e, group, NULL, family, NULL, (double)(claims ? n : group->count - n));
    }
}

static int write_openmetrics(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    (void)err;
    for (size_t i = 0; e->metrics[i]; i++)
        if (has_value(e, e->metrics[i]))
            put_metric(out, e, e->metrics[i]);
    put_counts(out, e, "launches", "launches that the values are of", true);
    put_counts(out, e, "launches_without_claim",
               "launches left out: invalid, unshaped, emulated, of one rank, wrong, cut short, repeated or impossible",
               false);
    fputs("# EOF\n", out);
    return 0;
}

const struct ovl_export_form ovl_export_openmetrics = {
    .name = "openmetrics", .keeps_all = true, .write = write_openmetrics};
