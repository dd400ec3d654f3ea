/* Holding launches against what a site expects. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/site/site.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "stats/stats.h"
#include "tool/cells/lost.h"
#include "tool/cells/match.h"
#include "tool/cells/owed.h"
#include "tool/cells/setting.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

const char *const ovl_site_words[OVL_SITE_WORDS] = {"OK",           "EXPECTED", "FIXED", "BETTER",
                                                    "INCONCLUSIVE", "MISSING",  "WORSE", "WRONG DATA"};

/* The value at which it is worse, or better, than the rule allows. */
static double bound_of(const struct ovl_field *m, const json_t *rule, bool worse)
{
    const json_t *said = json_object_get(rule, worse ? "worse" : "better");
    double value = json_number_value(json_object_get(rule, "value")), by = said ? json_number_value(said) : INFINITY;
    bool up = worse != (m->more_is_better != 0);
    double step = m->scale == OVL_METRIC_RATIO ? fabs(value) * by : by;
    return up ? value + step : value - step;
}

/* Launches whose work is that of the rule. */
static bool did_its_work(const struct ovl_member *m, const json_t *rule)
{
    const json_t *units = json_object_get(rule, "units");
    return !units || m->cell->units == json_number_value(units);
}

static enum ovl_site_word word_of(const struct ovl_site_row *r)
{
    double worse = bound_of(r->metric, r->rule, true), better = bound_of(r->metric, r->rule, false);
    double low = r->low, high = r->high;
    if (r->metric->more_is_better) { /* turned, so that more is worse */
        low = -r->high;
        high = -r->low;
        worse = -worse;
        better = -better;
    }
    return low > worse                      ? OVL_SITE_WORSE
           : high < better                  ? OVL_SITE_BETTER
           : high <= worse && low >= better ? OVL_SITE_OK
                                            : OVL_SITE_INCONCLUSIVE;
}

/* A median within its bounds says nothing of the launches that are not. */
static void tell_beyond(struct ovl_site_row *r, const double *x)
{
    double worse = bound_of(r->metric, r->rule, true);
    for (size_t i = 0; i < r->launches; i++)
        r->beyond += r->metric->more_is_better ? x[i] < worse : x[i] > worse;
    if (r->beyond > 0 && (r->word == OVL_SITE_OK || r->word == OVL_SITE_BETTER))
        snprintf(r->told, sizeof r->told,
                 "%zu of %zu launches are worse than the bound: the interval is that of their median", r->beyond,
                 r->launches);
}

/* One bound for launches of two libraries says little of either. */
static void tell_mixed(struct ovl_site_row *r, const struct ovl_group *g)
{
    char mixed[OVL_SETTING_MIXED];
    size_t n = strlen(r->told);
    ovl_setting_mixed(g, NULL, mixed);
    if (*mixed)
        snprintf(r->told + n, sizeof r->told - n, "%slaunches differ in %s", n > 0 ? "; " : "", mixed);
}

/* A failure that is known fails nothing, and one that is known and gone is told. */
static void settle(struct ovl_site_row *r)
{
    if (!json_object_get(r->rule, "expect"))
        return;
    if (r->word == OVL_SITE_WORSE) {
        r->word = OVL_SITE_EXPECTED;
        r->reason = json_string_value(json_object_get(r->rule, "why"));
    } else if (r->word == OVL_SITE_OK || r->word == OVL_SITE_BETTER) {
        r->word = OVL_SITE_FIXED;
        r->reason = "take \"expect\" out of the rule";
    }
}

static bool usable(const struct ovl_member *m, const void *row)
{
    const struct ovl_site_row *r = row;
    return isfinite(ovl_metric_of(r->metric, m).value) && did_its_work(m, r->rule);
}

/* Why few launches of many say nothing; "": they are not so few. */
static const char *lost_of(const struct ovl_site_row *r, const struct ovl_groups *groups, const struct ovl_group *g,
                           size_t other)
{
    return !ovl_lost_many(groups, g, 0, usable, r) ? ""
           : other > r->launches / 2
               ? "other units of work in too many launches"
               : "too many launches are unusable, were cut short or lack the cell: measure them again";
}

static void judge(struct ovl_site_row *r, const struct ovl_groups *groups, const struct ovl_group *g)
{
    double *x = ovl_alloc(g->count + 1, sizeof *x);
    size_t other = 0, n = 0;
    bool wrong = false;
    for (size_t i = 0; i < g->count; i++) {
        const struct ovl_member *m = &g->member[i];
        wrong = wrong || m->cell->validated == 0;
        other += !did_its_work(m, r->rule);
        if (usable(m, r))
            x[n++] = ovl_metric_of(r->metric, m).value;
    }
    struct ovl_summary s = ovl_stats_summarise(x, n);
    bool interval = !isnan(s.ci_low);
    r->launches = n;
    r->value = s.median;
    r->low = interval ? s.ci_low : s.min;
    r->high = interval ? s.ci_high : s.max;
    const char *lost = lost_of(r, groups, g, other);
    r->word = wrong ? OVL_SITE_WRONG : n == 0 || *lost ? OVL_SITE_INCONCLUSIVE : word_of(r);
    r->reason = wrong ? "" : n > 0 ? lost : other > 0 ? "other units of work" : "no launch carries a claim";
    if (r->word == OVL_SITE_INCONCLUSIVE && !*r->reason)
        r->reason = interval ? "a bound is within the interval" : "launches on both sides of a bound";
    tell_beyond(r, x);
    tell_mixed(r, g);
    settle(r);
    free(x);
}

static struct ovl_site_row *add_row(struct ovl_site *s, const json_t *system, const json_t *rule)
{
    struct ovl_error none;
    s->row = ovl_grow_one(s->row, s->count, sizeof *s->row);
    s->row[s->count] =
        (struct ovl_site_row){.system = json_string_value(json_object_get(system, "name")),
                              .rule = rule,
                              .metric = ovl_metric_find(json_string_value(json_object_get(rule, "metric")), &none),
                              .value = NAN,
                              .low = NAN,
                              .high = NAN,
                              .word = OVL_SITE_MISSING,
                              .reason = ""};
    return &s->row[s->count++];
}

static char *text_of(const json_t *match)
{
    char *text = json_dumps(match, JSON_COMPACT | JSON_SORT_KEYS), *all = ovl_text("%.240s", text ? text : "");
    free(text);
    return all;
}

/* Wrong data in a cell that no rule is of. */
static void find_wrong(struct ovl_site *s, const json_t *system, const struct ovl_group *g)
{
    json_t *rule;
    size_t i, wrong = ovl_lost_wrong(g, 0);
    json_array_foreach(json_object_get(system, "rules"), i, rule) {
        if (ovl_match(json_object_get(rule, "match"), g))
            return;
    }
    s->wrong += wrong > 0;
    if (wrong > 0 && !*s->wrong_first)
        snprintf(s->wrong_first, sizeof s->wrong_first, "%.200s", g->label);
}

/* Each size of a list must be there; without one, or where cells were left out, a cell. */
static void add_missing(struct ovl_site *s, const json_t *system, const json_t *rule, const struct ovl_groups *groups,
                        bool found, bool filtered)
{
    json_t *match = json_object_get(rule, "match"), *size = json_object_get(match, "size_bytes");
    const char *name = json_string_value(json_object_get(rule, "name"));
    size_t n = json_is_array(size) && !filtered ? json_array_size(size) : 0;
    for (size_t k = 0; k < n; k++) {
        char *all;
        double wanted = json_number_value(json_array_get(size, k));
        bool there = false;
        for (size_t g = 0; g < groups->count && !there; g++)
            there = groups->group[g].member->cell->size_bytes == wanted && ovl_match(match, &groups->group[g]);
        if (there)
            continue;
        all = name ? ovl_text("%s", name) : text_of(match);
        add_row(s, system, rule)->label = ovl_text("%s: %.0f bytes", all, wanted);
        free(all);
    }
    if (n == 0 && !found)
        add_row(s, system, rule)->label = name ? ovl_text("%s", name) : text_of(match);
}

static void judge_system(struct ovl_site *s, const json_t *system, const struct ovl_groups *groups, bool filtered)
{
    json_t *rule;
    size_t i;
    s->systems++;
    json_array_foreach(json_object_get(system, "rules"), i, rule) {
        json_t *match = json_object_get(rule, "match");
        const char *name = json_string_value(json_object_get(rule, "name"));
        size_t before = s->count;
        for (size_t g = 0; g < groups->count; g++)
            if (ovl_match(match, &groups->group[g])) {
                struct ovl_site_row *r = add_row(s, system, rule);
                r->label = ovl_text("%s%s%s", name ? name : "", name ? ": " : "", groups->group[g].label);
                judge(r, groups, &groups->group[g]);
            }
        if (!json_is_false(json_object_get(rule, "required")))
            add_missing(s, system, rule, groups, s->count > before, filtered);
    }
    for (size_t g = 0; g < groups->count; g++)
        find_wrong(s, system, &groups->group[g]);
}

/* Wrong data count on hosts of no system, too. */
static void count_wrong(struct ovl_site *s, const struct ovl_run *run)
{
    for (size_t c = 0; c < run->cell_count; c++) {
        bool wrong = run->cells[c].validated == 0;
        if (wrong && !*s->wrong_first)
            ovl_utf8_print(s->wrong_first, sizeof s->wrong_first, "%.200s", run->file);
        s->wrong += wrong;
    }
}

static bool is_on(const struct ovl_run *run, const char *hosts)
{
    const json_t *all = json_object_get(run->head, "hosts");
    regex_t expression;
    bool on = hosts && json_array_size(all) > 0 && regcomp(&expression, hosts, REG_EXTENDED | REG_NOSUB) == 0;
    if (!on)
        return false;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(all, i), "name"));
        on = on && name && regexec(&expression, name, 0, NULL, 0) == 0;
    }
    regfree(&expression);
    return on;
}

/* The system of a launch, by its index; their number: none. */
static size_t system_of(const json_t *systems, const char *named, const struct ovl_run *run)
{
    size_t i = 0;
    for (; i < json_array_size(systems); i++) {
        const json_t *system = json_array_get(systems, i);
        if (named ? strcmp(json_string_value(json_object_get(system, "name")), named) == 0
                  : is_on(run, json_string_value(json_object_get(system, "hosts"))))
            break;
    }
    return i;
}

static int refuse(const struct ovl_site *s, const json_t *systems, const char *named, struct ovl_error *err)
{
    char names[300] = "";
    for (size_t i = 0; i < json_array_size(systems); i++) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? ", " : "",
                 json_string_value(json_object_get(json_array_get(systems, i), "name")));
    }
    if (named)
        return ovl_error_set(err, OVL_USAGE, "--system %.60s: no such system; there are %.300s", named, names);
    return ovl_error_set(err, OVL_USAGE,
                         "no launch is on hosts of one of these systems (%.200s): %.150s; give --system", names,
                         s->stranger ? s->stranger->file : "there is none");
}

/* Of launches without a record: those that are of a job of one of these cells are counted there. */
static void note_known(const struct ovl_groups *groups, const struct ovl_record *record, bool *known)
{
    for (size_t u = 0; u < record->unwritten_count; u++)
        for (size_t g = 0; g < groups->count && !known[u]; g++)
            known[u] = ovl_group_unwritten(&groups->group[g], 0, &record->unwritten[u]);
}

/* Is some rule about such a benchmark? One whose program is none of ours may have any. */
static bool is_asked(const json_t *systems, const char *benchmark)
{
    json_t *system, *rule;
    size_t i, k;
    bool asked = !*benchmark;
    json_array_foreach(systems, i, system) {
        json_array_foreach(json_object_get(system, "rules"), k, rule) {
            asked = asked || strcmp(json_string_value(json_object_get(json_object_get(rule, "match"), "benchmark")),
                                    benchmark) == 0;
        }
    }
    return asked;
}

/* Has the record, of which a filter left what was asked for, a cell of that benchmark? */
static bool has_benchmark(const struct ovl_record *record, const char *benchmark)
{
    bool has = !*benchmark;
    for (size_t r = 0; r < record->run_count && !has; r++)
        has = record->runs[r].cell_count > 0 && strcmp(ovl_run_text(&record->runs[r], "benchmark"), benchmark) == 0;
    return has;
}

/* The rest is of jobs of which nothing is there: the cells of others must not stand for theirs. */
static void find_gone(struct ovl_site *s, const json_t *systems, const struct ovl_record *record, const bool *known,
                      bool filtered)
{
    for (size_t u = 0; u < record->unwritten_count; u++)
        if (!known[u] && is_asked(systems, record->unwritten[u].benchmark) &&
            (!filtered || has_benchmark(record, record->unwritten[u].benchmark)) && s->gone++ == 0)
            s->gone_first = record->unwritten[u].file;
}

int ovl_site_make(struct ovl_site *s, const json_t *references, const char *system, const struct ovl_record *record,
                  bool filtered, struct ovl_error *err)
{
    const json_t *systems = json_object_get(references, "systems");
    size_t count = json_array_size(systems);
    *s = (struct ovl_site){.count = 0};
    struct ovl_run *runs = ovl_alloc(record->run_count + 1, sizeof *runs);
    bool *known = ovl_alloc(record->unwritten_count + 1, sizeof *known);
    for (size_t i = 0; i <= count; i++) {
        /* What left no record is of the jobs and folders of what did. */
        struct ovl_record own = {
            .runs = runs, .unwritten = record->unwritten, .unwritten_count = record->unwritten_count};
        for (size_t r = 0; r < record->run_count; r++)
            if (system_of(systems, system, &record->runs[r]) == i)
                runs[own.run_count++] = record->runs[r]; /* its lines stay the record's */
        if (own.run_count == 0 && i < count && !system && s->absent++ == 0)
            s->absent_first = json_string_value(json_object_get(json_array_get(systems, i), "name"));
        if (own.run_count == 0)
            continue;
        if (i == count) {
            s->strangers = own.run_count;
            for (size_t r = 0; r < record->run_count && !s->stranger; r++)
                if (system_of(systems, system, &record->runs[r]) == count)
                    s->stranger = &record->runs[r];
            for (size_t r = 0; r < own.run_count; r++)
                count_wrong(s, &runs[r]);
            continue;
        }
        const struct ovl_record *const one[] = {&own};
        struct ovl_groups groups;
        ovl_groups_make(&groups, one, 1);
        judge_system(s, json_array_get(systems, i), &groups, filtered);
        note_known(&groups, record, known);
        ovl_groups_free(&groups);
    }
    find_gone(s, systems, record, known, filtered);
    free(known);
    free(runs);
    return s->systems > 0 ? 0 : refuse(s, systems, system, err);
}

void ovl_site_free(struct ovl_site *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->row[i].label);
    free(s->row);
    *s = (struct ovl_site){.count = 0};
}

int ovl_site_exit(const struct ovl_site *s)
{
    enum ovl_site_word worst = OVL_SITE_OK;
    for (size_t i = 0; i < s->count; i++)
        worst = s->row[i].word > worst ? s->row[i].word : worst;
    return worst == OVL_SITE_WRONG || s->wrong > 0                                         ? OVL_WRONG_DATA
           : worst == OVL_SITE_WORSE                                                       ? OVL_MISSED
           : worst > OVL_SITE_EXPECTED || s->strangers > 0 || s->gone > 0 || s->count == 0 ? OVL_INCONCLUSIVE
                                                                                           : OVL_OK;
}
