/* `ovl export`, forms of JSON: Bencher Metric Format, github-action-benchmark, and Extra-P's JSON Lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "base/utf8.h"
#include "record/derived/show.h"
#include "record/status.h"
#include "tool/cells/point.h"
#include "tool/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNIQUE = 280 };

static int dump(FILE *out, json_t *json, struct ovl_error *err)
{
    int rc = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(json);
    fputs("\n", out);
    return rc == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "the output cannot be written");
}

/* Labels are cut where they are long, and may be alike then: such a one gets a number, so that no cell is lost. */
static void put_unique(char name[UNIQUE], json_t *taken, const char *label)
{
    char first[UNIQUE];
    snprintf(first, sizeof first, "%s", label);
    ovl_printable_bytes(first);
    json_int_t n = json_integer_value(json_object_get(taken, first));
    snprintf(name, UNIQUE, "%s", first);
    while (n > 0 && json_object_get(taken, name))
        snprintf(name, UNIQUE, "%.255s (%lld)", first, (long long)++n);
    json_object_set_new(taken, first, json_integer(n > 0 ? n : 1));
    json_object_set_new(taken, name, json_integer(1));
}

/* Launches that count, whose data nobody looked at. */
static size_t unchecked(const struct ovl_group *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++)
        n += ovl_member_claims(&g->member[i]) && ovl_cell_unchecked(g->member[i].cell);
    return n;
}

/* Bencher Metric Format: {NAME: {MEASURE: {value, lower_value, upper_value}}}. A cell without a claim has its launches
   only. */
static int write_bmf(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    json_t *all = json_object(), *taken = json_object();
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        json_t *measures = json_object();
        char label[OVL_GROUP_LABEL], name[UNIQUE];
        for (size_t i = 0; e->metrics[i]; i++) {
            const struct ovl_field *m = e->metrics[i];
            size_t n;
            struct ovl_estimate x = ovl_metric_over(m, group->member, group->count, &n);
            if (!isfinite(x.value))
                continue;
            json_t *measure = json_pack("{s:f}", "value", x.value);
            if (isfinite(x.ci_low) && isfinite(x.ci_high)) {
                json_object_set_new(measure, "lower_value", json_real(x.ci_low));
                json_object_set_new(measure, "upper_value", json_real(x.ci_high));
            }
            json_object_set_new(measures, m->name, measure);
        }
        ovl_group_name(group, label);
        put_unique(name, taken, label);
        size_t claims = ovl_group_claims(group);
        json_object_set_new(measures, "launches", json_pack("{s:i}", "value", (int)claims));
        json_object_set_new(measures, "launches_without_claim",
                            json_pack("{s:i}", "value", (int)(group->count - claims)));
        if (unchecked(group) > 0)
            json_object_set_new(measures, "launches_unchecked", json_pack("{s:i}", "value", (int)unchecked(group)));
        json_object_set(all, name, measures);
        json_decref(measures);
    }
    json_decref(taken);
    return dump(out, all, err);
}

/* The custom form of github-action-benchmark: [{name, unit, value, range, extra}]. */
static int write_gha(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    json_t *all = json_array(), *taken = json_object();
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        size_t n, unclaimed = group->count - ovl_group_claims(group);
        char range[64], extra[1400], without[48] = "", name[UNIQUE];
        struct ovl_estimate x = ovl_metric_over(e->metric, group->member, group->count, &n);
        if (!isfinite(x.value))
            continue;
        put_unique(name, taken, group->label);
        json_t *entry = json_pack("{s:s, s:s, s:f}", "name", name, "unit", e->metric->unit, "value", x.value);
        if (isfinite(x.ci_low) && isfinite(x.ci_high)) {
            snprintf(range, sizeof range, "%.6g .. %.6g", x.ci_low, x.ci_high);
            json_object_set_new(entry, "range", json_string(range));
        }
        if (unclaimed > 0)
            snprintf(without, sizeof without, ", %zu without a claim left out", unclaimed);
        ovl_utf8_print(extra, sizeof extra, "%s\n%zu launch%s%s%s\n%s", e->metric->name, n, n == 1 ? "" : "es", without,
                       ovl_group_unchecked(group) ? ", data not checked" : "", e->groups->common);
        json_object_set_new(entry, "extra", ovl_printable_json(extra));
        json_array_append_new(all, entry);
    }
    json_decref(taken);
    return dump(out, all, err);
}

/* What Extra-P models by, where cells differ in it. */
static const char *const parameters[] = {"ranks", "size_bytes", "n"};

enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static void text_of(char text[OVL_FIELD_TEXT_ROOM], const struct ovl_field *f, const struct ovl_group *g)
{
    ovl_field_text(text, f, g->member->run, g->member->cell);
}

static bool differs(const struct ovl_groups *groups, const struct ovl_field *f)
{
    char text[2][OVL_FIELD_TEXT_ROOM]; /* the first, and another */
    for (size_t g = 0; g < groups->count; g++) {
        text_of(text[g > 0], f, &groups->group[g]);
        if (strcmp(text[0], text[g > 0]) != 0)
            return true;
    }
    return false;
}

/* Ranks too where cells differ in nothing: Extra-P wants a parameter. */
static void choose_parameters(const struct ovl_groups *groups, const struct ovl_field *chosen[PARAMETERS])
{
    bool any = false;
    for (size_t i = 0; i < PARAMETERS; i++) {
        const struct ovl_field *f = ovl_point_find(parameters[i]);
        chosen[i] = differs(groups, f) ? f : NULL;
        any |= chosen[i] != NULL;
    }
    if (!any)
        chosen[0] = ovl_point_find(parameters[0]);
}

static json_t *coordinates(const struct ovl_group *g, const struct ovl_field *const chosen[PARAMETERS],
                           struct ovl_error *err)
{
    json_t *params = json_object();
    for (size_t i = 0; i < PARAMETERS; i++) {
        char text[OVL_FIELD_TEXT_ROOM];
        if (!chosen[i])
            continue;
        text_of(text, chosen[i], g);
        if (!*text) {
            json_decref(params);
            ovl_error_set(err, OVL_USAGE,
                          "--to extrap: %s has no %s, in which other cells differ, and Extra-P wants each parameter of "
                          "each value: export such cells apart",
                          g->label, chosen[i]->name);
            return NULL;
        }
        json_object_set_new(params, chosen[i]->name, json_real(strtod(text, NULL)));
    }
    return params;
}

/* "ialltoall->host->kernel=fma": what identifies the cell besides its parameters. */
static json_t *callpath(const struct ovl_groups *groups, const struct ovl_group *g,
                        const struct ovl_field *const chosen[PARAMETERS])
{
    char path[2048] = "", text[OVL_FIELD_TEXT_ROOM], unknown[512] = "";
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        bool named = strcmp(f->name, "benchmark") == 0 || strcmp(f->name, "mode") == 0, taken = false;
        for (size_t i = 0; i < PARAMETERS; i++)
            taken |= chosen[i] == f;
        text_of(text, f, g);
        size_t n = strlen(path);
        if (!taken && *text && (named || differs(groups, f)))
            ovl_utf8_print(path + n, sizeof path - n, "%s%s%s%s", n ? "->" : "", named ? "" : f->name, named ? "" : "=",
                           text);
    }
    ovl_point_unknown(unknown, sizeof unknown, g->member->cell);
    size_t n = strlen(path);
    if (*unknown)
        ovl_utf8_print(path + n, sizeof path - n, "->%s", unknown + 1);
    n = strlen(path);
    if (g->member->apart)
        ovl_utf8_print(path + n, sizeof path - n, "->job=%s", g->member->job);
    return ovl_printable_json(path);
}

static int write_group(FILE *out, const struct ovl_exporting *e, const struct ovl_group *g, json_t *params,
                       json_t *path)
{
    for (size_t k = 0; e->metrics[k]; k++)
        for (size_t i = 0; i < g->count; i++) {
            const struct ovl_field *m = e->metrics[k];
            double x = ovl_metric_of(m, &g->member[i]).value;
            if (!isfinite(x))
                continue;
            json_t *line =
                json_pack("{s:O, s:O, s:s, s:f}", "params", params, "callpath", path, "metric", m->name, "value", x);
            int rc = json_dumpf(line, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
            json_decref(line);
            if (rc != 0 || fputc('\n', out) == EOF)
                return -1;
        }
    return 0;
}

/* Extra-P's JSON Lines: {params, callpath, metric, value} for each launch of each cell. */
static int write_extrap(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    const struct ovl_field *chosen[PARAMETERS];
    choose_parameters(e->groups, chosen);
    for (size_t g = 0; g < e->groups->count; g++) {
        const struct ovl_group *group = &e->groups->group[g];
        json_t *params = coordinates(group, chosen, err);
        if (!params)
            return -1;
        json_t *path = callpath(e->groups, group, chosen);
        int rc = write_group(out, e, group, params, path);
        json_decref(params);
        json_decref(path);
        if (rc != 0)
            return ovl_error_set(err, OVL_ENVIRONMENT, "the output cannot be written");
    }
    return 0;
}

const struct ovl_export_form ovl_export_bmf = {.name = "bmf", .keeps_all = true, .write = write_bmf},
                             ovl_export_gha = {.name = "gha", .metric = "total_seconds", .write = write_gha},
                             ovl_export_extrap = {.name = "extrap", .write = write_extrap};
