/* The last launch against all before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/history/last.h"
#include "base/clock.h"
#include "base/printable.h"
#include "stats/prediction.h"
#include "stats/stats.h"
#include "table/columns.h"
#include "tool/cells/owed.h"
#include "tool/cells/turns.h"
#include "tool/util/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double DAY = 86400;

static double start_of(const struct ovl_run *run)
{
    double began = ovl_run_began(run);
    return began > 0 ? began : NAN;
}

/* Values in which more is worse, as logarithms where that can be. To be freed. */
static double *losses_of(const struct ovl_history *h, const struct ovl_history_point *p)
{
    double *x = ovl_alloc(p->count + 1, sizeof *x);
    bool logs = h->how.metric->scale == OVL_METRIC_RATIO;
    for (size_t i = 0; i < p->count; i++)
        logs = logs && p->value[i] > 0;
    for (size_t i = 0; i < p->count; i++)
        x[i] = (logs ? log(p->value[i]) : p->value[i]) * (h->how.metric->more_is_better ? -1 : 1);
    return x;
}

/* Is it one of another point of the same cell, of other work or another processor, that is looked at itself? */
static bool is_of_another(const struct ovl_history *h, const struct ovl_history_point *p, const struct ovl_member *m)
{
    for (size_t i = 0; i < h->count; i++) {
        const struct ovl_history_point *q = &h->point[i];
        for (size_t k = 0; k < q->count && q != p && q->group == p->group && q->count > OVL_LAST_LEAST; k++)
            if (q->launch[k] == m)
                return true;
    }
    return false;
}

/* Began a launch of it after the last one that counts? */
static bool has_later(const struct ovl_history *h, const struct ovl_history_point *p)
{
    for (size_t i = 0; i < p->group->count && p->count > 0; i++)
        if (start_of(p->group->member[i].run) > start_of(p->launch[p->count - 1]->run) &&
            !is_of_another(h, p, &p->group->member[i]))
            return true;
    return false;
}

/* Has a launch of that night, such as an attempt that was made again, or a later one wrong data? Where none counts,
 * any. */
static bool found_wrong(const struct ovl_history_point *p)
{
    double last = p->count > 0 ? start_of(p->launch[p->count - 1]->run) : -INFINITY;
    for (size_t i = 0; i < p->group->count; i++)
        if (p->group->member[i].cell->validated == 0 && start_of(p->group->member[i].run) > last - OVL_LAST_NIGHT)
            return true;
    return false;
}

/* Of a record, the time of the last launch that left none and owed the point a cell. */
static double last_unwritten(const struct ovl_history_point *p, const struct ovl_record *record)
{
    double last = -INFINITY;
    for (size_t u = 0; u < record->unwritten_count; u++)
        if (ovl_group_unwritten(p->group, 0, &record->unwritten[u]))
            last = fmax(last, ovl_clock_utc_seconds(record->unwritten[u].started));
    return last;
}

/* The same of those with one that did not come to their end, or lack the cell. */
static double last_lost(const struct ovl_history_point *p, const struct ovl_groups *groups)
{
    bool *lost = ovl_groups_lost(groups, p->group, 0);
    double last = -INFINITY;
    for (size_t r = 0; r < groups->record[0]->run_count; r++)
        if (lost[r])
            last = fmax(last, start_of(&groups->record[0]->runs[r]));
    free(lost);
    return last;
}

static void look_at(struct ovl_last_point *l, const struct ovl_history *h, double newest,
                    const struct ovl_groups *groups)
{
    const struct ovl_history_point *p = l->point;
    size_t before = p->count > 0 ? p->count - 1 : 0;
    double last = p->count > 0 ? start_of(p->launch[before]->run) : NAN;
    l->value = p->count > 0 ? p->value[before] : NAN;
    l->usual = ovl_stats_summarise(p->value, before).median;
    l->wrong = found_wrong(p);
    l->fault = l->wrong                                      ? "wrong data in a launch of that night or a later one"
               : before < OVL_LAST_LEAST                     ? "fewer than 20 launches before"
               : has_later(h, p)                             ? "a later launch carries no claim, or did other work"
               : last_unwritten(p, groups->record[0]) > last ? "a later launch left no record"
               : last < newest - OVL_LAST_NIGHT              ? "no launch within half a day of the last one of all"
               : last_lost(p, groups) > last                 ? "a later launch was cut short, or lacks the cell"
                                                             : NULL;
    if (l->fault)
        return;
    double *x = losses_of(h, p);
    l->worse = ovl_prediction_p(x, before, x[before]);
    for (size_t i = 0; i < p->count; i++)
        x[i] = -x[i];
    l->better = ovl_prediction_p(x, before, x[before]);
    free(x);
}

static void adjust(struct ovl_last *l)
{
    double *p = ovl_alloc(2 * l->count + 1, sizeof *p), *better = p + l->count;
    for (size_t i = 0; i < l->count; i++) {
        p[i] = l->point[i].worse;
        better[i] = l->point[i].better;
    }
    ovl_prediction_holm(p, l->count);
    ovl_prediction_holm(better, l->count);
    for (size_t i = 0; i < l->count; i++) {
        l->point[i].worse = p[i];
        l->point[i].better = better[i];
        l->worse += p[i] < OVL_LAST_ALPHA || l->point[i].wrong;
        l->better += better[i] < OVL_LAST_ALPHA;
        l->faults += l->point[i].fault != NULL;
    }
    l->looked_at = l->count - l->faults;
    free(p);
}

static int latest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (y > x) - (y < x);
}

/* Of a nightly job the pauses are a day, and some are as long as a week-end or as what kept it from running once. */
static double usual_days(double *start, size_t n)
{
    qsort(start, n, sizeof *start, latest_first);
    double longest = DAY, night = n > 0 ? start[0] : 0; /* when the last launch began of the one that is looked at */
    for (size_t i = 1, nights = 1; i < n && nights < OVL_LAST_LEAST; i++) {
        longest = fmax(longest, start[i - 1] - start[i]);
        if (night - start[i] > OVL_LAST_NIGHT) {
            night = start[i];
            nights++;
        }
    }
    return OVL_LAST_PAUSES * longest / DAY;
}

/* Returns when it began; -INFINITY where none tells. */
double ovl_last_find_newest(struct ovl_last *l, const struct ovl_record *record, double within)
{
    size_t all = record->run_count + record->unwritten_count, n = 0;
    double *start = ovl_alloc(all + 1, sizeof *start), newest = -INFINITY;
    for (size_t i = 0; i < all; i++) {
        double seconds = i < record->run_count
                             ? start_of(&record->runs[i])
                             : ovl_clock_utc_seconds(record->unwritten[i - record->run_count].started);
        if (isnan(seconds))
            continue;
        start[n++] = seconds;
        newest = fmax(newest, seconds);
    }
    time_t latest = n > 0 ? (time_t)newest : 0;
    if (n > 0)
        strftime(l->newest, sizeof l->newest, "%Y-%m-%dT%H:%M:%SZ", gmtime(&latest));
    l->days = ((double)time(NULL) - newest) / DAY;
    l->within = within > 0 ? within : usual_days(start, n);
    l->ahead = l->days < -1;
    l->stale = n > 0 && (l->ahead || l->days > l->within);
    free(start);
    return newest;
}

static double began(const struct ovl_history_point *p)
{
    return p->count > 0 ? start_of(p->launch[p->count - 1]->run) : NAN;
}

/* Has another point of the same cell, of other work or another processor, a launch of a later night? Of the cell that
   one is looked at. */
static bool is_over(const struct ovl_history *h, const struct ovl_history_point *p)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->point[i].group == p->group && began(&h->point[i]) > began(p) + OVL_LAST_NIGHT)
            return true;
    return false;
}

void ovl_last_make(struct ovl_last *l, const struct ovl_history *h, const struct ovl_groups *groups, double within)
{
    *l = (struct ovl_last){.point = ovl_alloc(h->count + 1, sizeof *l->point)};
    double newest = ovl_last_find_newest(l, groups->record[0], within);
    for (size_t i = 0; i < h->count; i++) {
        if (is_over(h, &h->point[i]))
            continue;
        l->point[l->count] = (struct ovl_last_point){.point = &h->point[i], .worse = NAN, .better = NAN};
        look_at(&l->point[l->count++], h, newest, groups);
    }
    adjust(l);
}

void ovl_last_free(struct ovl_last *l)
{
    free(l->point);
    *l = (struct ovl_last){.count = 0};
}

static const char *word_of(const struct ovl_last_point *p)
{
    return p->wrong                     ? "WRONG DATA"
           : p->fault                   ? "not looked at"
           : p->worse < OVL_LAST_ALPHA  ? "WORSE"
           : p->better < OVL_LAST_ALPHA ? "better"
                                        : "ok";
}

static const struct ovl_column columns[] = {
    {.show = {"cell", 1, 0, 0, false}, .left = 2},
    {.show = {"usual us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"last us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"p", 1, 0, 9, false}},
    {.show = {"launches", 1, 0, 9, false}},
    {.show = {"verdict", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_last_point *p = &((const struct ovl_last *)of)->point[i];
    double least = fmin(p->worse, p->better);
    char text[32] = "-";
    if (!p->fault)
        snprintf(text, sizeof text, least < 0.001 ? "%.1e" : "%.3f", least);
    ovl_table_text(t, "%s", p->point->label);
    ovl_table_number(t, p->usual);
    ovl_table_number(t, p->value);
    ovl_table_text(t, "%s", text);
    ovl_table_text(t, "%zu", p->point->count);
    ovl_table_text(t, "%s%s%s", word_of(p), p->fault ? ": " : "", p->fault ? p->fault : "");
    ovl_table_row_end(t);
}

void ovl_last_print(FILE *out, const struct ovl_last *l, const struct ovl_history *h)
{
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, 0, false);
    t.metric = h->how.metric;
    fputs("#\n", out);
    ovl_table_print(t, l->count, put_row, l);
    fprintf(
        out,
        "#\n# last     %zu of %zu cells looked at: the last launch is worse in %zu, better in %zu\n"
        "# p        of \"the last launch is as all before\", one-sided, by Student's prediction interval%s, adjusted "
        "for all\n"
        "#          cells by Holm's steps; worse below %g: so often a night is an alarm where launches are normal\n",
        l->looked_at, l->count, l->worse, l->better, h->how.metric->scale == OVL_METRIC_RATIO ? " on logarithms" : "",
        OVL_LAST_ALPHA);
    ovl_last_print_newest(out, l);
}

void ovl_last_print_newest(FILE *out, const struct ovl_last *l)
{
    if (*l->newest)
        fprintf(out, "# newest   launch of %s, %.1f days ago\n", l->newest, l->days);
    if (l->ahead)
        fputs("# not known the newest launch is dated in the future: is the clock of its node right?\n", out);
    else if (l->stale)
        fprintf(out,
                "# not known the newest launch is older than %.1f days: is the job still run? --within DAYS says how "
                "old it may be\n",
                l->within);
}

json_t *ovl_last_newest_answer(const struct ovl_last *l)
{
    return json_pack("{s:s, s:o, s:f, s:b}", "started", l->newest, "days_ago", ovl_answer_number(l->days),
                     "within_days", l->within, "stale", (int)l->stale);
}

json_t *ovl_last_answer(const struct ovl_last *l)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const struct ovl_last_point *p = &l->point[i];
        json_array_append_new(rows, json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:s}", "label",
                                              ovl_printable_json(p->point->label), "usual", ovl_answer_number(p->usual),
                                              "value", ovl_answer_number(p->value), "p_worse",
                                              ovl_answer_number(p->worse), "p_better", ovl_answer_number(p->better),
                                              "verdict", word_of(p), "reason", p->fault ? p->fault : ""));
    }
    return rows;
}

int ovl_last_exit(const struct ovl_last *l)
{
    return l->worse > 0 ? OVL_MISSED : l->faults > 0 || l->count == 0 || l->stale ? OVL_INCONCLUSIVE : OVL_OK;
}
