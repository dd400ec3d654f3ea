/* What a change of a history is: for the worse or the better, and by how much. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "stats/stalls.h"
#include "stats/stats.h"
#include "tool/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the launches between two changes. */
struct level {
    double median, mean;
};

/* From one level to another; value as in struct ovl_history_change. */
struct shift {
    double value, size;
    bool worse;
};

/* Where change k begins; `change_count`: where the launches end. */
static size_t begin(const struct ovl_history_point *p, size_t k)
{
    return k < p->change_count ? p->change[k].at : p->count;
}

static bool all_positive(const struct ovl_history_point *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->value[i] <= 0)
            return false;
    return true;
}

/* That before change k, or behind the last one. Of the mean the one worst launch is left out, where there are two: one
   launch alone is chance, and median and mean both say so. */
static struct level level_of(const struct ovl_field *m, const struct ovl_history_point *p, size_t k)
{
    bool logs = m->scale == OVL_METRIC_RATIO && all_positive(p);
    size_t from = k > 0 ? begin(p, k - 1) : 0, n = begin(p, k) - from;
    double *x = ovl_alloc(n, sizeof *x), sum = 0;
    struct level level = {.median = ovl_stats_summarise(p->value + from, n).median};
    memcpy(x, p->value + from, n * sizeof *x);
    ovl_stats_sort(x, n);
    size_t first = n > 1 && m->more_is_better, end = n > 1 && !m->more_is_better ? n - 1 : n;
    for (size_t i = first; i < end; i++)
        sum += logs ? log(x[i]) : x[i];
    sum /= (double)(end - first);
    level.mean = logs ? exp(sum) : sum;
    free(x);
    return level;
}

/* Of the launches before change k, or behind the last one: how many are slow, that is, worse than their median by over
   5 standard deviations, by the median deviation. */
static size_t slow_of(const struct ovl_field *m, const struct ovl_history_point *p, size_t k, size_t *n)
{
    const double far = 5 * 1.4826;
    size_t from = k > 0 ? begin(p, k - 1) : 0, slow = 0;
    *n = begin(p, k) - from;
    double *x = ovl_alloc(*n, sizeof *x), median = ovl_stats_summarise(p->value + from, *n).median;
    for (size_t i = 0; i < *n; i++)
        x[i] = fabs(p->value[from + i] - median);
    double spread = ovl_stats_summarise(x, *n).median;
    for (size_t i = 0; i < *n; i++)
        slow += (m->more_is_better ? median - p->value[from + i] : p->value[from + i] - median) > far * spread;
    free(x);
    return slow;
}

/* Are launches slow more often from change k up to the next one than from `first` on up to that before it? */
static bool stall_more(const struct ovl_field *m, const struct ovl_history_point *p, size_t first, size_t k)
{
    size_t old, new, before = slow_of(m, p, first, &old), after = slow_of(m, p, k + 1, &new);
    return ovl_stalls_more(before, old, after, new, OVL_STALLS_LEVEL);
}

static struct shift shift_of(const struct ovl_field *m, double before, double after)
{
    double difference = after - before;
    struct shift s = {difference, fabs(difference), m->more_is_better ? difference < 0 : difference > 0};
    if (m->scale == OVL_METRIC_RATIO) {
        bool positive = before > 0 && after > 0; /* else there is no ratio, and a change from 0 is large */
        s.value = positive ? after / before : NAN;
        s.size = positive ? fmax(s.value, 1 / s.value) - 1 : s.size > 0 ? s.size / fabs(before) : 0;
    }
    return s;
}

/* Of median and mean that which is worse by more than delta, or worse at all; else the median. The mean of launches
   that are slow no more often says nothing against the median. */
static struct shift worst_shift(const struct ovl_history *h, const struct level *before, const struct level *after,
                                bool stalls, bool *by_mean)
{
    struct shift median = shift_of(h->how.metric, before->median, after->median),
                 mean = shift_of(h->how.metric, before->mean, after->mean);
    bool far = mean.size > h->how.delta && median.size <= h->how.delta;
    *by_mean = stalls && mean.worse && (!median.worse || far);
    return *by_mean ? mean : median;
}

static void judge_change(struct ovl_history *h, const struct ovl_history_point *p, size_t k)
{
    struct ovl_history_change *c = &p->change[k];
    struct level before = level_of(h->how.metric, p, k), after = level_of(h->how.metric, p, k + 1);
    struct shift shift = worst_shift(h, &before, &after, stall_more(h->how.metric, p, k, k), &c->by_mean);
    c->before = before.median;
    c->after = after.median;
    c->value = shift_of(h->how.metric, c->before, c->after).value;
    c->mean = shift_of(h->how.metric, before.mean, after.mean).value;
    c->worse = shift.worse;
    c->within = shift.size <= h->how.delta;
    c->fresh = *h->since && strcmp(ovl_run_text(p->launch[c->last]->run, "started"), h->since) >= 0;
}

/* Margins must not add up: a small change for the worse is held against the level at `since`, too, that is, before the
   first of the new changes. */
static void judge_sum(struct ovl_history *h, const struct ovl_history_point *p)
{
    size_t first = 0;
    while (first < p->change_count && !p->change[first].fresh)
        first++;
    for (size_t k = first + 1; k < p->change_count; k++) {
        struct ovl_history_change *c = &p->change[k];
        struct level before = level_of(h->how.metric, p, first), after = level_of(h->how.metric, p, k + 1);
        bool by_mean;
        struct shift sum = worst_shift(h, &before, &after, stall_more(h->how.metric, p, first, k), &by_mean);
        c->in_sum = c->fresh && c->worse && c->within && sum.worse && sum.size > h->how.delta;
        c->sum = sum.value;
    }
}

void ovl_history_judge(struct ovl_history *h, const struct ovl_history_point *p)
{
    for (size_t k = 0; k < p->change_count; k++)
        judge_change(h, p, k);
    judge_sum(h, p);
    for (size_t k = 0; k < p->change_count; k++) {
        const struct ovl_history_change *c = &p->change[k];
        h->worse += c->worse && !c->within;
        h->better += !c->worse && !c->within;
        h->new_worse += c->fresh && ovl_history_fails(c);
        h->in_sum += c->in_sum;
        h->by_mean += c->by_mean && ovl_history_fails(c);
    }
}

bool ovl_history_fails(const struct ovl_history_change *c)
{
    return c->worse && (!c->within || c->in_sum);
}

/* Adds words, and a value where there is one: of a ratio from or to a level that is not above 0 there is none. */
static void add_value(char text[OVL_HISTORY_VERDICT], const char *words, double value)
{
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, OVL_HISTORY_VERDICT - n, "%s", words);
    if (!isnan(value))
        snprintf(text + n, OVL_HISTORY_VERDICT - n, " %.3f", value);
}

void ovl_history_verdict(const struct ovl_history *h, const struct ovl_history_change *c,
                         char text[OVL_HISTORY_VERDICT])
{
    snprintf(text, OVL_HISTORY_VERDICT, "%s%s", c->fresh ? "new " : "", c->worse ? "WORSE" : "BETTER");
    if (c->by_mean)
        add_value(text, " in the mean", c->mean);
    size_t n = strlen(text);
    if (c->within)
        snprintf(text + n, OVL_HISTORY_VERDICT - n, ", within %g", h->how.delta);
    if (c->in_sum) {
        add_value(text, isnan(c->sum) ? ", but not" : ", but", c->sum);
        n = strlen(text);
        snprintf(text + n, OVL_HISTORY_VERDICT - n, " since %.20s", h->since);
    }
}
