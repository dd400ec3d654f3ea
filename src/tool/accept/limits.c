/* Judging by rules; limits_load.c reads them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/limits.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/baseline.h"
#include "tool/accept/evidence/attempts.h"
#include "tool/accept/odd_rule.h"
#include "tool/cells/match.h"
#include "tool/cells/metric.h"
#include "tool/cells/turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double limit_of(const json_t *rule)
{
    const json_t *limit = json_object_get(rule, "limit");
    double reference = json_number_value(json_object_get(rule, "reference"));
    double room = json_number_value(json_object_get(rule, "tolerance")) * fabs(reference);
    return limit                                       ? json_number_value(limit)
           : ovl_rule_word(rule, "operator")[0] == '<' ? reference + room
                                                       : reference - room;
}

static bool satisfies(const char *operator, double x, double limit)
{
    return strcmp(operator, "<=") == 0  ? x <= limit
           : strcmp(operator, "<") == 0 ? x < limit
           : strcmp(operator, ">") == 0 ? x > limit
                                        : x >= limit;
}

/* 12 digits, as everywhere in a record. */
static json_t *number(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    return isfinite(x) ? json_real(strtod(text, NULL)) : json_null();
}

static json_t *entry_of(const json_t *rule, size_t i)
{
    return json_pack("{s:i, s:s?, s:s, s:s, s:s, s:o}", "rule", (int)i + 1, "name",
                     json_string_value(json_object_get(rule, "name")), "metric", ovl_rule_word(rule, "metric"),
                     "statistic", ovl_rule_word(rule, "statistic"), "operator", ovl_rule_word(rule, "operator"),
                     "limit", number(limit_of(rule)));
}

static void put_verdict(json_t *entry, const char *verdict, const char *reason)
{
    json_object_set_new(entry, "verdict", json_string(verdict));
    json_object_set_new(entry, "reason", *reason ? ovl_printable_json(reason) : json_null());
}

static void decide(json_t *entry, const struct ovl_summary *s, const char *operator, double limit)
{
    char reason[96];
    bool low = satisfies(operator, s->ci_low, limit), high = satisfies(operator, s->ci_high, limit);
    if (s->n < OVL_RULES_LAUNCHES) {
        snprintf(reason, sizeof reason, "%zu launch%s: an interval needs %d", s->n, s->n == 1 ? "" : "es",
                 OVL_RULES_LAUNCHES);
        put_verdict(entry, "INCONCLUSIVE", reason);
    } else if (low && high) {
        put_verdict(entry, "PASS", "");
    } else if (!low && !high) {
        put_verdict(entry, "FAIL", "the whole interval misses the limit");
    } else {
        put_verdict(entry, "INCONCLUSIVE", "the limit lies inside the interval");
    }
}

enum { OVL_NO_JOB = -1 }; /* in place of a job: all launches of no sweep */

/* A cell over the launches that count. */
struct values {
    size_t n, lacking, bad; /* launches without the cell; with a cell that is invalid, unshaped or without a value */
    struct ovl_summary over;
};

/* What is judged: a rule, the cells that are its subject, and with `baseline` their ratio to that. */
struct subject {
    json_t *rule;
    size_t number;                 /* of the rule, from 0 */
    const struct ovl_group *group; /* of one sweep, without baselines of the plan */
    const struct ovl_group *of;    /* the whole group that this is a part of */
    const struct ovl_alike *alike;
    struct ovl_baseline *baseline; /* or NULL */
};

static double value_of(const struct subject *s, const struct ovl_member *m)
{
    struct ovl_error none;
    const struct ovl_field *metric = ovl_metric_find(ovl_rule_word(s->rule, "metric"), &none);
    return s->baseline ? ovl_baseline_ratio(s->baseline, m)
                       : ovl_metric_again(metric, ovl_rule_word(s->rule, "statistic"), m->run, m->cell);
}

/* Fills x with the value of each launch, which slot[] names for each member of the group. Without the cell a launch has
   the value that is worst for the rule; so has a bad cell, and of a launch that measured the cell twice the worse value
   counts. */
static void take_values(struct values *v, double *x, const struct subject *s, const size_t *slot)
{
    bool less = ovl_rule_word(s->rule, "operator")[0] == '<';
    const double worst = less ? INFINITY : -INFINITY;
    for (size_t i = 0; i < v->n; i++)
        x[i] = NAN;
    for (size_t l = 0; l < s->group->count; l++) {
        const struct ovl_member *m = &s->group->member[l];
        bool claims = ovl_member_claims_again(m);
        double *of = &x[slot[l]], one = claims ? value_of(s, m) : NAN;
        v->bad += !claims || (!isfinite(one) && !s->baseline);
        one = isfinite(one) ? one : worst;
        *of = isnan(*of) || (less ? one > *of : one < *of) ? one : *of;
    }
    for (size_t i = 0; i < v->n; i++)
        if (isnan(x[i])) {
            x[i] = worst;
            v->lacking++;
        }
}

/* The values as JSON. */
static json_t *values_of(struct values *v, const struct subject *s)
{
    size_t *slot = ovl_alloc(s->group->count, sizeof *slot);
    *v = (struct values){.n = ovl_jobs_slots(s->alike->jobs, s->group, slot)};
    double *x = ovl_alloc(v->n, sizeof *x);
    json_t *values = json_array();
    take_values(v, x, s, slot);
    for (size_t l = 0; l < v->n; l++)
        json_array_append_new(values, number(x[l]));
    v->over = ovl_stats_summarise(x, v->n);
    free(slot);
    free(x);
    return values;
}

/* A launch that is not there, or invalid, counts against who claims: where the cell is required it decides alone, else
   nothing that the others show is accepted. */
static void decide_lacking(json_t *entry, const struct values *v, bool required)
{
    char reason[160];
    const char *verdict = json_string_value(json_object_get(entry, "verdict"));
    if (v->lacking > 0 && v->bad > 0)
        snprintf(reason, sizeof reason,
                 "%zu of %zu launches lack this cell, %zu are invalid, unshaped or without a value", v->lacking, v->n,
                 v->bad);
    else if (v->lacking > 0)
        snprintf(reason, sizeof reason, "%zu of %zu launches lack this cell", v->lacking, v->n);
    else
        snprintf(reason, sizeof reason, "%zu of %zu launches are invalid, unshaped or without a value", v->bad, v->n);
    if (v->lacking + v->bad > 0 && (required || strcmp(verdict, "PASS") == 0))
        put_verdict(entry, required ? "FAIL" : "INCONCLUSIVE", reason);
}

/* Of `n` launches, in so many blocking calls take far longer than they need. */
static void decide_slowed(json_t *entry, size_t slowed, size_t n)
{
    char reason[160];
    if (slowed == 0 || strcmp(json_string_value(json_object_get(entry, "verdict")), "PASS") != 0)
        return;
    snprintf(reason, sizeof reason,
             "blocking calls take over 2.5 times as long as non-blocking ones alone in %zu of %zu launches: "
             "find out what slows them",
             slowed, n);
    put_verdict(entry, "INCONCLUSIVE", reason);
}

/* What cannot be compared is not shown to be better. */
static void decide_baseline(json_t *entry, const struct ovl_baseline *b, const struct values *v, bool required)
{
    char reason[400];
    if (b->lacking > 0) {
        snprintf(reason, sizeof reason, "no valid cell of the baseline %.100s beside %zu of %zu launches", b->name,
                 b->lacking, v->n);
        if (required || strcmp(json_string_value(json_object_get(entry, "verdict")), "FAIL") != 0)
            put_verdict(entry, required ? "FAIL" : "INCONCLUSIVE", reason);
    } else if (b->unlike > 0) {
        snprintf(reason, sizeof reason,
                 "different work than the baseline %.100s in %zu of %zu launches: give all the units of one record "
                 "(ovl sweep --work-from)",
                 b->name, b->unlike, v->n);
        put_verdict(entry, "INCONCLUSIVE", reason);
    } else if (b->apart > 0) {
        snprintf(reason, sizeof reason, "another setting than the baseline %.40s in %zu of %zu launches: %s", b->name,
                 b->apart, v->n, b->what);
        put_verdict(entry, "INCONCLUSIVE", reason);
    } else if (ovl_turns_missed(b->later, v->n)) {
        snprintf(reason, sizeof reason,
                 "%zu of %zu launches were not taken in turns with those of the baseline %.100s, as the plan has it",
                 b->later, v->n, b->name);
        put_verdict(entry, "INCONCLUSIVE", reason);
    } else if (*b->passed && strcmp(json_string_value(json_object_get(entry, "verdict")), "PASS") == 0)
        put_verdict(entry, "PASS", b->passed);
}

/* Launches of several machines are no sample of one. */
static void decide_setting(json_t *entry, const struct subject *s)
{
    const struct ovl_record *all = s->alike->jobs->record;
    const struct ovl_group *g = s->group;
    char what[OVL_ALIKE_WHAT], reason[256];
    const char *verdict = json_string_value(json_object_get(entry, "verdict"));
    for (size_t i = 1; i < g->count && strcmp(verdict, "PASS") == 0; i++) {
        if (ovl_alike(s->alike, (size_t)(g->member[0].run - all->runs), (size_t)(g->member[i].run - all->runs), what))
            continue;
        snprintf(reason, sizeof reason, "its launches differ in %s", what);
        put_verdict(entry, "INCONCLUSIVE", reason);
        return;
    }
}

/* What is passed may be no merit. */
static void tell_rule(json_t *entry, const struct subject *s, double value)
{
    struct ovl_error none;
    const char *verdict = json_string_value(json_object_get(entry, "verdict")),
               *why = json_string_value(json_object_get(entry, "reason"));
    const struct ovl_odd_rule rule = {.metric = ovl_metric_find(ovl_rule_word(s->rule, "metric"), &none),
                                      .ratio = s->baseline,
                                      .above = ovl_rule_word(s->rule, "operator")[0] == '>',
                                      .pass = strcmp(verdict, "PASS") == 0,
                                      .limit = limit_of(s->rule)};
    char odd[OVL_ODD_RULE] = "", reason[400];
    if (strcmp(verdict, "INCONCLUSIVE") != 0)
        ovl_odd_rule(&rule, value, odd);
    if (!*odd && rule.pass)
        ovl_odd_launches(&rule, json_object_get(entry, "values"), odd);
    snprintf(reason, sizeof reason, "%s%s%s", rule.pass ? "" : why ? why : "", rule.pass ? "but " : "; ", odd);
    if (*odd)
        put_verdict(entry, verdict, reason);
}

static void judge_values(json_t *all, const struct subject *s)
{
    struct values v;
    bool required = !json_is_false(json_object_get(s->rule, "required"));
    json_t *values = values_of(&v, s), *entry = entry_of(s->rule, s->number);
    json_object_set_new(entry, "cell", ovl_group_json(s->group));
    json_object_set_new(entry, "label", json_string(s->group->label));
    json_object_set_new(entry, "value", number(v.over.median));
    json_object_set_new(entry, "ci_low", number(v.over.ci_low));
    json_object_set_new(entry, "ci_high", number(v.over.ci_high));
    json_object_set_new(entry, "n", json_integer((json_int_t)v.n));
    json_object_set_new(entry, "lacking", json_integer((json_int_t)v.lacking));
    json_object_set_new(entry, "invalid", json_integer((json_int_t)v.bad));
    json_object_set_new(entry, "values", values);
    decide(entry, &v.over, ovl_rule_word(s->rule, "operator"), limit_of(s->rule));
    if (s->baseline) {
        json_object_set_new(entry, "ratio_to", json_string(s->baseline->name));
        decide_baseline(entry, s->baseline, &v, required);
    }
    decide_slowed(entry,
                  s->baseline ? s->baseline->slowed : ovl_baseline_slowed(s->group, ovl_rule_word(s->rule, "metric")),
                  v.n);
    decide_lacking(entry, &v, required);
    decide_setting(entry, s);
    tell_rule(entry, s, v.over.median);
    json_array_append_new(all, entry);
}

/* One verdict for each baseline: the best of them is kept only if all are. */
static void judge_ratios(json_t *all, const struct subject *s, const struct ovl_groups *groups)
{
    const json_t *names = json_object_get(s->rule, "ratio_to");
    for (size_t i = 0; i < json_array_size(names); i++) {
        struct ovl_baseline b;
        struct subject with = *s;
        with.baseline = &b;
        ovl_baseline_open(&b, json_string_value(json_array_get(names, i)), groups, s->of, s->alike);
        judge_values(all, &with);
        ovl_baseline_close(&b);
    }
}

/* The launches of one job of a plan, or with OVL_NO_JOB all that are of no sweep, without those of a baseline. Returns
   how many there are. */
static size_t keep_judged(struct ovl_member *kept, const struct ovl_group *group, const struct ovl_jobs *jobs, int job)
{
    size_t n = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t run = (size_t)(group->member[i].run - jobs->record->runs), of = jobs->run[run].job;
        int sample = jobs->job[of].sweep == OVL_NO_SWEEP ? OVL_NO_JOB : (int)of;
        if (sample == job && !*ovl_jobs_baseline(jobs, run))
            kept[n++] = group->member[i];
    }
    return n;
}

/* Is another job of that sweep judged by the same cell? */
static bool has_siblings(const struct ovl_group *group, const struct ovl_jobs *jobs, const struct ovl_job *job)
{
    for (size_t i = 0; i < group->count; i++) {
        size_t run = (size_t)(group->member[i].run - jobs->record->runs);
        const struct ovl_job *other = &jobs->job[jobs->run[run].job];
        if (other != job && other->sweep == job->sweep && !*ovl_jobs_baseline(jobs, run))
            return true;
    }
    return false;
}

/* The label of a sample: the group's, with the sweep and the job where there are several. */
static void label_sample(struct ovl_group *judged, const struct ovl_group *group, const struct ovl_jobs *jobs, int at)
{
    const struct ovl_job *job = at == OVL_NO_JOB ? NULL : &jobs->job[at];
    char sweep[32] = "", name[64] = "";
    if (job && job->sweep > 0)
        snprintf(sweep, sizeof sweep, "sweep %d", job->sweep + 1);
    if (job && has_siblings(group, jobs, job)) {
        const json_t *of_plan =
            json_array_get(json_object_get(jobs->sweep[job->sweep].plan.json, "jobs"), job->of_plan);
        ovl_utf8_print(name, sizeof name, "job %.50s", ovl_rule_word(of_plan, "name"));
    }
    if (*sweep || *name)
        ovl_utf8_print(judged->label, sizeof judged->label, "%.150s (%s%s%s)", group->label, sweep,
                       *sweep && *name ? ", " : "", name);
    else
        memcpy(judged->label, group->label, sizeof judged->label);
}

/* Each job of a sweep is a sample of its own, and so are all launches that are of none: one must not thin out another.
 *found is counted up where the group has a cell that is judged. */
static void judge_cell(json_t *all, json_t *rule, size_t i, const struct ovl_groups *groups,
                       const struct ovl_group *group, const struct ovl_alike *alike, size_t *found)
{
    struct ovl_member *kept = ovl_alloc(group->count, sizeof *kept);
    struct ovl_group judged = *group;
    struct subject s = {rule, i, &judged, group, alike, NULL};
    judged.member = kept;
    for (int job = OVL_NO_JOB; job < (int)alike->jobs->count; job++) {
        judged.count = keep_judged(kept, group, alike->jobs, job);
        if (judged.count == 0)
            continue;
        ++*found;
        label_sample(&judged, group, alike->jobs, job);
        if (json_object_get(rule, "ratio_to"))
            judge_ratios(all, &s, groups);
        else
            judge_values(all, &s);
    }
    free(kept);
}

static bool is_judged(const struct ovl_group *group, const struct ovl_jobs *jobs)
{
    for (size_t i = 0; i < group->count; i++)
        if (!*ovl_jobs_baseline(jobs, (size_t)(group->member[i].run - jobs->record->runs)))
            return true;
    return false;
}

/* The sizes that a rule lists and no cell has. */
static void judge_missing(json_t *all, const json_t *rule, size_t i, const struct ovl_groups *groups,
                          const struct ovl_jobs *jobs, size_t found)
{
    json_t *match = json_object_get(rule, "match"), *sizes = json_object_get(match, "size_bytes");
    bool required = !json_is_false(json_object_get(rule, "required"));
    for (size_t k = 0; k < json_array_size(sizes); k++) {
        double size = json_number_value(json_array_get(sizes, k));
        bool there = false;
        for (size_t g = 0; g < groups->count && !there; g++)
            there = ovl_match(match, &groups->group[g]) && groups->group[g].member->cell->size_bytes == size &&
                    is_judged(&groups->group[g], jobs);
        if (there)
            continue;
        char reason[96];
        json_t *entry = entry_of(rule, i);
        snprintf(reason, sizeof reason, "not measured: %.0f bytes", size);
        put_verdict(entry, required ? "FAIL" : "SKIPPED", reason);
        json_array_append_new(all, entry);
    }
    if (found > 0 || json_array_size(sizes) > 0)
        return;
    json_t *entry = entry_of(rule, i);
    put_verdict(entry, required ? "FAIL" : "SKIPPED", "not measured: no cell matches");
    json_array_append_new(all, entry);
}

json_t *ovl_limits_judge(json_t *limits, const struct ovl_groups *groups, const struct ovl_jobs *jobs)
{
    json_t *rules = json_object_get(limits, "rules"), *all = json_array();
    struct ovl_alike alike;
    ovl_alike_open(&alike, jobs, limits);
    for (size_t i = 0; i < json_array_size(rules); i++) {
        json_t *rule = json_array_get(rules, i);
        size_t found = 0;
        for (size_t g = 0; g < groups->count; g++)
            if (ovl_match(json_object_get(rule, "match"), &groups->group[g]))
                judge_cell(all, rule, i, groups, &groups->group[g], &alike, &found);
        judge_missing(all, rule, i, groups, jobs, found);
    }
    ovl_alike_close(&alike);
    ovl_attempts_judge(jobs, (size_t)json_integer_value(json_object_get(limits, "retries")), all);
    return all;
}
