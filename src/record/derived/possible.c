/* What is compared are stored values: samples, most of a record, are not read here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/possible.h"
#include "record/derived/percentile.h"
#include "record/derived/show.h"
#include "record/proxy.h"
#include "record/status.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-9;
static const double read_share = 0.25; /* of a clock read: there is one between the two that take a time */
static const double noise = 0.5;       /* what disturbed W or a bound may be so much of it, as T does not have it */

/* Where a median may be. */
struct range {
    double low, high;
};

static bool outside(double x, struct range r)
{
    double some = rounding * fmax(fabs(r.low), fabs(r.high)) + 1e-11;
    return x < r.low - some || x > r.high + some;
}

static bool differs(double stored, double again)
{
    return isfinite(stored) && !(fabs(stored - again) <= rounding * fabs(again));
}

/* Do all blocks have that quantity? Parts of T are where T is. */
static bool everywhere(const struct ovl_cell *cell, int q)
{
    return (double)cell->summary[q].n == cell->blocks && (double)cell->summary[OVL_TOTAL].n == cell->blocks &&
           q != OVL_OWN_EXPOSED && (!ovl_cell_solves(cell) || cell->blocks_kept == cell->blocks);
}

/* A mean over ranks is not above the slowest one, and has its share of it; what a rank exposes may be less than nothing
   by the noise of its W. */
static struct range mean_of(const struct ovl_cell *cell, int q)
{
    const struct ovl_summary *s = &cell->summary[q];
    double least = q == OVL_OWN_EXPOSED ? -noise * cell->summary[OVL_COMPUTE].max : s->min / cell->ranks;
    return (struct range){least, s->max};
}

static struct range median_of(const struct ovl_cell *cell, int q, bool all)
{
    const struct ovl_summary *s = &cell->summary[q];
    double some = rounding * fabs(s->median);
    return all ? (struct range){s->median - some, s->median + some} : (struct range){s->min, s->max};
}

/* The values of a row for terms at either end of their ranges: each formula is monotonic in each of its terms, but for
   min(W, C), whose bend is no further out. */
static struct range value_of(const struct ovl_derived_row *row, const struct range *term)
{
    struct range of = {INFINITY, -INFINITY};
    double m[OVL_QUANTITIES];
    for (unsigned left = row->terms, corner = left;; corner = (corner - 1) & left) {
        for (int q = 0; q < OVL_QUANTITIES; q++)
            m[q] = corner >> q & 1 ? term[q].high : term[q].low;
        double x = row->of(m);
        of.low = fmin(of.low, x);
        of.high = fmax(of.high, x);
        if (corner == 0)
            return of;
    }
}

/* By ovl_derived_rows, from the medians that are stored. */
static bool follows(const struct ovl_cell *cell, enum ovl_derived d)
{
    const struct ovl_derived_row *row = &ovl_derived_rows[d];
    double value = cell->derived[d].value, least = (1 - rounding) * 20 * cell->clock_read_seconds;
    struct range term[OVL_QUANTITIES] = {{0, 0}};
    bool all = !row->rank_mean;
    for (int q = 0; q < OVL_QUANTITIES; q++)
        all = all && (!(row->terms >> q & 1) || everywhere(cell, q));
    for (int q = 0; q < OVL_QUANTITIES && isfinite(value); q++) {
        if (!(row->terms >> q & 1))
            continue;
        term[q] = row->rank_mean ? mean_of(cell, q) : median_of(cell, q, all);
        if (!isfinite(term[q].low) || !isfinite(term[q].high))
            return true; /* records of before do not tell all */
        if (row->divide >> q & 1 && term[q].high < least)
            return false;
    }
    return !isfinite(value) || !outside(value, value_of(row, term));
}

/* Nothing hides more of C than all, but for a tenth of it that disturbed W (plausible.h), once more for the interval;
   means over ranks may hold one C alone. */
static bool hides_too_much(const struct ovl_cell *cell, enum ovl_derived d)
{
    bool hidden = d == OVL_HIDDEN || d == OVL_HIDDEN_RANK_MEAN || d == OVL_HIDDEN_OWN || d == OVL_HIDDEN_OWN_MEAN;
    double most = 1 + 0.2 * (ovl_derived_rows[d].rank_mean ? cell->ranks : 1);
    const struct ovl_estimate *e = &cell->derived[d];
    bool apart = e->value > e->ci_high + (e->ci_high - e->ci_low) + rounding;
    return hidden && strcmp(cell->mode, "blocking") != 0 && e->value > most && (e->ci_low > most || apart);
}

/* Each driver times its samples, and posts and waits, between two reads of the clock; so do applications but for the
   parts of T, which are sums and may be none. An operation of a stream is one of eight. */
static double least_of(const struct ovl_cell *cell, const struct ovl_field *f)
{
    int q = f->quantity - 1;
    bool always =
        ovl_quantity_late(q) >= 0 || (!ovl_cell_solves(cell) && (q == OVL_INIT || q == OVL_WAIT || q == OVL_INNER));
    double least = read_share * cell->clock_read_seconds / (q == OVL_STREAM ? 8 : 1);
    return always ? fmax(0, least) : 0;
}

static struct ovl_summary summary_of(const struct ovl_cell *cell, const struct ovl_field *f)
{
    return f->size > 0 ? *(const struct ovl_summary *)((const char *)cell + f->offset)
                       : ovl_proxy_summary(cell, f->name);
}

/* Of what is timed at all nothing takes no time, or a part of a clock read. */
static bool is_a_time(const struct ovl_cell *cell, const struct ovl_field *f)
{
    struct ovl_summary s = summary_of(cell, f);
    double least = least_of(cell, f), tiny = read_share * cell->clock_read_seconds / 8;
    if ((s.median <= 0 || f->negative) && outside(s.median, (struct range){s.min, s.max}))
        return false;
    return f->negative || !(s.median < least || (s.median > 0 && s.median < tiny));
}

/* It is made from the samples, of which the cell has median, least and largest as well. */
static bool is_a_percentile(const struct ovl_cell *cell, const struct ovl_field *f)
{
    int q = f->quantity - 1;
    struct ovl_summary stored = cell->summary[q],
                       again = ovl_stats_summarise(cell->samples.max[q], cell->samples.blocks);
    double value = ovl_percentile_of(f, cell).value;
    if (cell->samples.blocks > 0 &&
        (differs(stored.median, again.median) || differs(stored.min, again.min) || differs(stored.max, again.max)))
        return false;
    return !outside(value, (struct range){stored.min, stored.max}) && (f->negative || !(value < least_of(cell, f)));
}

/* T by a bound of its plan; which of the samples have one is not told. */
static bool keeps(const struct ovl_cell *cell, double ratio, const char *name)
{
    const struct ovl_summary bound = ovl_proxy_summary(cell, name), *total = &cell->summary[OVL_TOTAL];
    return !(ratio < noise || outside(ratio, (struct range){total->min / bound.max, total->max / bound.min}));
}

/* HPL tells what its ranks waited for broadcasts; the others T - W. */
static bool exposes(const struct ovl_cell *cell)
{
    bool apart = !isnan(ovl_cell_problem_number(cell, "n")),
         all = everywhere(cell, OVL_TOTAL) && everywhere(cell, OVL_COMPUTE);
    struct range total = median_of(cell, OVL_TOTAL, all), work = median_of(cell, OVL_COMPUTE, all);
    double value = cell->exposed.value;
    return apart ? !(value < 0 || (value > 0 && value < read_share * cell->clock_read_seconds))
                 : !outside(value, (struct range){total.low - work.high, total.high - work.low});
}

/* Made from the samples of both; here T's medians stand for them, which may be of other blocks. */
static bool is_an_efficiency(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *host = ovl_run_host_beside(run, cell);
    const struct ovl_estimate *e = &cell->offload_efficiency;
    double most = host ? host->summary[OVL_TOTAL].median / cell->summary[OVL_TOTAL].median * (1 + noise)
                       : e->ci_high + 3 * (e->ci_high - e->ci_low) + rounding; /* a filter left it out */
    return !(e->value > most);
}

/* Rates, and T beside something, each by its name. */
static bool by_name(const struct ovl_run *run, const struct ovl_cell *cell, const char *name)
{
    double total = cell->summary[OVL_TOTAL].median;
    double update = ovl_proxy_summary(cell, "update_seconds").median,
           apart = ovl_proxy_summary(cell, "update_apart_seconds").median;
    const json_t *told = json_object_get(cell->extra, "update_slowdown_ratio");
    double slower = json_number_value(told);
    struct ovl_cell again = *cell;
    ovl_cell_derive_work(&again);
    return strcmp(name, "work_per_core") == 0          ? !differs(cell->work_per_core.value, again.work_per_core.value)
           : strcmp(name, "offload_efficiency") == 0   ? is_an_efficiency(run, cell)
           : !ovl_cell_solves(cell)                    ? true
           : strcmp(name, "gflops") == 0               ? !differs(cell->gflops.value, ovl_proxy_gflops(cell, total))
           : strcmp(name, "samples_per_second") == 0   ? !differs(cell->samples_rate.value, cell->step_samples / total)
           : strcmp(name, "exposed_comm_seconds") == 0 ? exposes(cell)
           : strcmp(name, "bound_ratio") == 0          ? keeps(cell, cell->bound_ratio.value, "bound_seconds")
           : strcmp(name, "bound_here_ratio") == 0     ? keeps(cell, cell->here_ratio.value, "bound_here_seconds")
           : strcmp(name, "update_slowdown_ratio") == 0
               ? !(json_is_number(told) && (slower <= 0 || differs(slower, update / apart)))
               : true;
}

bool ovl_value_is_possible(const struct ovl_run *run, const struct ovl_cell *cell, const struct ovl_field *metric)
{
    enum ovl_derived d = (enum ovl_derived)(metric->derived - 1);
    return metric->percent > 0                 ? is_a_percentile(cell, metric)
           : metric->derived > 0               ? follows(cell, d) && !hides_too_much(cell, d)
           : metric->kind == OVL_FIELD_SUMMARY ? is_a_time(cell, metric)
                                               : by_name(run, cell, metric->name);
}
