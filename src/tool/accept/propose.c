/* Proposing limits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/propose.h"
#include "record/derived/show.h"
#include "stats/prediction.h"
#include "stats/stats.h"
#include "table/columns.h"
#include "tool/cells/match.h"
#include "tool/cells/metric.h"
#include "tool/cells/setting.h"
#include "tool/cells/unlike.h"
#include "tool/sweep/jobs.h"
#include "tool/util/atomic_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST = 6 };
static const double error = 0.05, told = 1.1; /* few per cent are work that was calibrated anew */

struct rule {
    const struct ovl_group *group;
    json_t *match;
    size_t launches;
    double median, limit;
    double fails; /* the change from which on a like system FAILs whatever chance does; as the metric is compared */
};

struct proposal {
    const struct ovl_field *metric;
    struct rule *rule;
    size_t count, left_out, alike, unlike; /* cells with too few launches; with the point of others; of unlike work */
    size_t most;                           /* launches of a cell */
    double work;                           /* the most work of a launch over the least of one of its cell */
};

static bool is_ratio(const struct ovl_field *m)
{
    return m->scale == OVL_METRIC_RATIO;
}

/* Losses of the launches that count: more is worse; logarithms of ratios. NaN where there is none. */
static size_t losses_of(const struct ovl_field *m, const struct ovl_group *g, double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        double value = ovl_metric_of(m, &g->member[i]).value;
        double loss = (is_ratio(m) ? log(value) : value) * (m->more_is_better ? -1 : 1);
        if (isfinite(loss))
            x[n++] = loss;
    }
    return n;
}

static double value_of(const struct ovl_field *m, double loss)
{
    double x = m->more_is_better ? -loss : loss;
    return is_ratio(m) ? exp(x) : x;
}

/* Away from the values, to three digits: a limit is read by people. */
static double rounded(const struct ovl_field *m, double x)
{
    double unit = x != 0 ? pow(10, floor(log10(fabs(x))) - 2) : 1;
    double steps = m->more_is_better ? floor(x / unit * (1 + 1e-12)) : ceil(x / unit * (1 - 1e-12));
    char text[32];
    snprintf(text, sizeof text, "%.3g", steps * unit);
    return strtod(text, NULL);
}

static void set_limit(const struct proposal *p, struct rule *r, const struct ovl_propose_options *o)
{
    double *x = ovl_alloc(r->group->count + 1, sizeof *x);
    size_t n = losses_of(p->metric, r->group, x);
    struct ovl_summary s = ovl_stats_summarise(x, n);
    double bound = ovl_prediction_bound(x, n, p->most * p->count, error);
    bound += is_ratio(p->metric) ? log1p(o->margin) : o->margin;
    r->limit = rounded(p->metric, value_of(p->metric, bound));
    r->median = value_of(p->metric, s.median);
    double to = is_ratio(p->metric) ? log(r->limit) : r->limit;
    to = p->metric->more_is_better ? -to : to;
    r->fails = is_ratio(p->metric) ? exp(to - s.min) : to - s.min;
    free(x);
}

static void make(struct proposal *p, const struct ovl_groups *groups, const struct ovl_propose_options *o)
{
    p->rule = ovl_alloc(groups->count + 1, sizeof *p->rule);
    for (size_t g = 0; g < groups->count; g++) {
        double *x = ovl_alloc(groups->group[g].count + 1, sizeof *x);
        size_t n = losses_of(p->metric, &groups->group[g], x);
        free(x);
        if (n < LEAST) {
            p->left_out++;
            continue;
        }
        json_t *match = ovl_match_only(groups, &groups->group[g]);
        if (!match) {
            p->alike++;
            continue;
        }
        if (ovl_metric_unlike(p->metric, groups->group[g].member, groups->group[g].count)) {
            json_decref(match);
            p->unlike++;
            continue;
        }
        p->work = fmax(p->work, ovl_members_work_ratio(groups->group[g].member, groups->group[g].count));
        p->rule[p->count++] = (struct rule){.group = &groups->group[g], .match = match, .launches = n};
        p->most = n > p->most ? n : p->most;
    }
    for (size_t i = 0; i < p->count; i++)
        set_limit(p, &p->rule[i], o);
}

static const struct ovl_column columns[] = {
    {.show = {"cell", 1, 0, 0, false}, .left = 2},
    {.show = {"median us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"limit us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"margin", 1, 3, 9, false}},
    {.show = {"fails", 1, 3, 9, false}},
    {.show = {"launches", 1, 0, 9, false}},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct proposal *p = of;
    const struct rule *r = &p->rule[i];
    bool more = p->metric->more_is_better;
    double margin = !is_ratio(p->metric) ? fabs(r->limit - r->median)
                    : more               ? r->median / r->limit
                                         : r->limit / r->median;
    ovl_table_text(t, "%s", r->group->label);
    ovl_table_number(t, r->median);
    ovl_table_number(t, r->limit);
    ovl_table_number(t, margin);
    ovl_table_number(t, r->fails);
    ovl_table_text(t, "%zu", r->launches);
    ovl_table_row_end(t);
}

static void print(FILE *out, const struct proposal *p, const struct ovl_groups *groups)
{
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, 0, false);
    t.metric = p->metric;
    fprintf(out, "# ovl accept --propose: %s, %s is better\n#\n", p->metric->name,
            p->metric->more_is_better ? "more" : "less");
    ovl_table_print(t, p->count, put_row, p);
    fprintf(
        out,
        "#\n# limit    what %zu launches of each of the %zu cells keep, all of them, with 95 %% where nothing changed "
        "and\n#          launches are normal%s: by Student's prediction interval, rounded away\n"
        "# margin   from the median to the limit, %s\n"
        "# fails    the change of every launch by which the best of these is beyond the limit: from there on it "
        "FAILs\n",
        p->most, p->count, is_ratio(p->metric) ? " as logarithms" : "",
        is_ratio(p->metric) ? "a ratio" : "a difference");
    if (p->left_out > 0)
        fprintf(out, "# note     %zu cell%s no rule, as fewer than %d launches count: measure more\n", p->left_out,
                p->left_out == 1 ? " has" : "s have", LEAST);
    if (p->alike > 0)
        fprintf(out, "# note     %zu cell%s no rule, as it would be about another job's cell, too\n", p->alike,
                p->alike == 1 ? " has" : "s have");
    if (p->unlike > 0)
        fprintf(out,
                "# note     %zu cell%s no rule, as launches did unlike work: give all the units of one record "
                "(work_of)\n",
                p->unlike, p->unlike == 1 ? " has" : "s have");
    if (p->metric->of_work && p->work > told)
        fprintf(out,
                "# note     launches of a cell differ in work by up to %.3g times, and the limits are as much wider "
                "(work_of)\n",
                p->work);
    ovl_setting_note_mixed(out, "# note    ", groups);
}

static json_t *limits_of(const struct proposal *p)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < p->count; i++)
        json_array_append_new(rules, json_pack("{s:O, s:s, s:s, s:f}", "match", p->rule[i].match, "metric",
                                               p->metric->name, "operator",
                                               p->metric->more_is_better ? ">=" : "<=", "limit", p->rule[i].limit));
    return json_pack("{s:i, s:o}", "limits", 1, "rules", rules);
}

static int write_limits(json_t *limits, const char *path, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    if (ovl_atomic_file_open(&o, path, err) != 0)
        return -1;
    json_dumpf(limits, o.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', o.file);
    return ovl_atomic_file_close(&o, err);
}

static int propose(const struct ovl_groups *groups, const struct ovl_field *metric, const struct ovl_propose_options *o,
                   struct ovl_error *err)
{
    struct proposal p = {.metric = metric};
    size_t wrong = 0;
    int rc = -1;
    for (size_t i = 0; i < groups->member_count; i++)
        wrong += groups->members[i].cell->validated == 0;
    if (wrong > 0)
        return ovl_error_set(err, OVL_WRONG_DATA, "%zu cell%s wrong data: no limit follows from such launches", wrong,
                             wrong == 1 ? " has" : "s have");
    make(&p, groups, o);
    if (p.count == 0) {
        ovl_error_set(err, OVL_USAGE, "no cell has %d launches that count: %s", LEAST,
                      p.alike > 0    ? "a rule would be about all jobs that measured it"
                      : p.unlike > 0 ? "they did unlike work (work_of)"
                                     : "no limit follows from fewer");
    } else {
        json_t *limits = limits_of(&p);
        print(stdout, &p, groups);
        rc = write_limits(limits, o->output, err);
        json_decref(limits);
    }
    for (size_t i = 0; i < p.count; i++)
        json_decref(p.rule[i].match);
    free(p.rule);
    return rc != 0 ? -1 : p.left_out + p.alike + p.unlike > 0 ? OVL_INCONCLUSIVE : OVL_OK;
}

/* The launches that `ovl accept` judges: those of a plan's baselines have no limits. Its runs are to be freed. */
static struct ovl_record judged_of(const struct ovl_record *all, const struct ovl_jobs *jobs)
{
    struct ovl_record judged = *all;
    judged.runs = ovl_alloc(all->run_count + 1, sizeof *judged.runs);
    judged.run_count = 0;
    for (size_t r = 0; r < all->run_count; r++)
        if (!*ovl_jobs_baseline(jobs, r))
            judged.runs[judged.run_count++] = all->runs[r];
    return judged;
}

int ovl_propose(const char *folder, const struct ovl_propose_options *o, struct ovl_error *err)
{
    struct ovl_inputs inputs = {.failed = true};
    struct ovl_record record = {.runs = NULL}, judged = {.runs = NULL};
    struct ovl_groups groups = {0};
    struct ovl_jobs jobs = {.run = NULL};
    size_t copies = 0;
    const struct ovl_field *metric = ovl_metric_find(o->metric, err);
    int rc = -1;
    if (metric && ovl_inputs_add(&inputs, folder, err) == 0 &&
        ovl_inputs_read(&inputs, ovl_metric_brief(metric), &record, &copies, err) == 0 &&
        ovl_atomic_file_check(o->output, err) == 0 && ovl_jobs_make(&jobs, &record, err) == 0) {
        judged = judged_of(&record, &jobs);
        const struct ovl_record *const one[] = {&judged};
        ovl_groups_make(&groups, one, 1);
        ovl_inputs_note_unended(stdout, &record, "");
        ovl_inputs_note_beside(stdout, &inputs);
        if (judged.run_count < record.run_count)
            printf("# note     %zu launches of baselines have no rule, as none judges them\n",
                   record.run_count - judged.run_count);
        rc = propose(&groups, metric, o, err);
        rc = rc < 0 ? rc : ovl_inputs_exit(&inputs, rc);
    }
    ovl_groups_free(&groups);
    free(judged.runs);
    ovl_jobs_free(&jobs);
    ovl_record_free(&record);
    ovl_inputs_free(&inputs);
    return rc;
}
