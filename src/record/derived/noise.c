/* The verdict on nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/noise.h"
#include "base/number.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_noise_limit ovl_noise_limits[OVL_NOISE_LIMITS] = {
    [OVL_NOISE_LOST] = {"lost", 0.01,
                        "as for steal, from which a cell is marked noisy: it lengthens W and T by as much"},
    [OVL_NOISE_STEAL] = {"steal", 0.01, "a cell with more is marked noisy"},
    [OVL_NOISE_SLEW] = {"slew", 500, "the most that NTP steers; times are wrong by as much"},
    [OVL_NOISE_DRIFT] = {"drift", 100, "crystals are within 50 ppm each; more is a fault of the clock source"},
    [OVL_NOISE_COMM] = {"comm", 50e-6, "a common start is good when its median lateness is 1 us: C from 50 us on"},
    [OVL_NOISE_LATE] = {"late", 0.02,
                        "a cell is ok if the latest rank is late by this share of C at most, or by 3 reads"},
    [OVL_NOISE_READS] = {"reads", 20, "a ratio has no value if its divisor takes fewer reads of the clock"},
    [OVL_NOISE_RESIDUAL] = {"residual", 0.03, "a cell is ok if clocks are modelled to this share of C"},
    [OVL_NOISE_PACE] = {"pace", 1.1, "all ranks do equal work, and a sample is that of the slowest"},
    [OVL_NOISE_LATENCY] = {"latency", 2, "a collective waits for its slowest pair; two switch levels are within 2"},
    [OVL_NOISE_BANDWIDTH] = {"bandwidth", 0.5, "the same"},
};

#define LIMIT(name) (ovl_noise_limits[OVL_NOISE_##name].limit)

const char *ovl_noise_word(enum ovl_noise_kind kind)
{
    static const char *const words[OVL_NOISE_KINDS + 1] = {
        [OVL_NOISE_OVERSUBSCRIBED] = "oversubscribed",
        [OVL_NOISE_CLOCKS] = "clocks",
        [OVL_NOISE_NOISY] = "noisy",
        [OVL_NOISE_STOLEN] = "stolen",
        [OVL_NOISE_STARTS] = "starts",
        [OVL_NOISE_UNEVEN] = "uneven",
        [OVL_NOISE_NETWORK] = "network",
        [OVL_NOISE_UNFINISHED] = "unfinished",
        [OVL_NOISE_KINDS] = "quiet",
    };
    return words[kind];
}

enum ovl_noise_kind ovl_noise_first(const struct ovl_noise_verdict *v)
{
    int kind = 0;
    while (kind < OVL_NOISE_KINDS && !*v->finding[kind])
        kind++;
    return (enum ovl_noise_kind)kind;
}

double ovl_noise_starts(const struct ovl_run *run, const char *name)
{
    const json_t *value = json_object_get(json_object_get(run->end, "starts"), name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void look_at_pairs(const struct ovl_run *run, struct ovl_noise_pairs *p)
{
    size_t most = 1, n = 0, rated = 0;
    for (size_t i = 0; i < run->node_count; i++)
        most += run->nodes[i].pair_count;
    double *latency = ovl_alloc(2 * most, sizeof *latency), *rate = latency + most;
    for (size_t i = 0; i < run->node_count; i++)
        for (const struct ovl_node_pair *x = run->nodes[i].pairs; x < run->nodes[i].pairs + run->nodes[i].pair_count;
             x++) {
            if (isfinite(x->latency)) {
                latency[n++] = x->latency;
                if (!p->slow || x->latency > p->slow->latency)
                    p->slow = x, p->slow_from = &run->nodes[i];
            }
            if (isfinite(x->bytes_per_second)) {
                rate[rated++] = x->bytes_per_second;
                if (!p->thin || x->bytes_per_second < p->thin->bytes_per_second)
                    p->thin = x, p->thin_from = &run->nodes[i];
            }
        }
    p->count = n;
    p->latency = ovl_stats_median(latency, n);
    p->bytes_per_second = ovl_stats_median(rate, rated);
    free(latency);
}

/* Between ranks of one node the two ends may share a cache or not: there is no pair that others must be like. */
static void judge_pairs(struct ovl_noise_verdict *v, const struct ovl_run *run)
{
    const struct ovl_noise_pairs *p = &v->pairs;
    char *text = v->finding[OVL_NOISE_NETWORK];
    if (run->node_count < 2 || p->count < 3)
        return;
    double slower = p->slow->latency / p->latency;
    double thinner = p->thin ? p->thin->bytes_per_second / p->bytes_per_second : NAN;
    if (slower > LIMIT(LATENCY))
        snprintf(text, sizeof v->finding[0], "pair %.80s-%.80s is %.1f x slower than the median pair",
                 p->slow_from->name, p->slow->with, slower);
    else if (thinner < LIMIT(BANDWIDTH))
        snprintf(text, sizeof v->finding[0], "pair %.80s-%.80s has %.2f of the median pair's bandwidth",
                 p->thin_from->name, p->thin->with, thinner);
}

static void judge_noise(struct ovl_noise_verdict *v, const struct ovl_node *n, double *worst)
{
    char period[48] = "";
    if (isfinite(n->quanta.lost) && n->quanta.lost > LIMIT(LOST) && n->quanta.lost > *worst) {
        if (isfinite(n->quanta.period))
            snprintf(period, sizeof period, " every %s", OVL_TIME(n->quanta.period));
        else
            snprintf(period, sizeof period, ", %.3g a second", n->quanta.per_second);
        snprintf(v->finding[OVL_NOISE_NOISY], sizeof v->finding[0], "node %.80s loses %s %% to detours of %s%s",
                 n->name, OVL_PERCENT(1, n->quanta.lost), OVL_TIME(n->quanta.typical), period);
        *worst = n->quanta.lost;
    }
}

static void judge_clocks(struct ovl_noise_verdict *v, const struct ovl_node *n)
{
    char *text = v->finding[OVL_NOISE_CLOCKS];
    if (*text)
        return;
    if (n->backward > 0 || n->backward_between > 0)
        snprintf(text, sizeof v->finding[0],
                 "node %.80s goes back in time: %.0f times within a rank, %.0f between ranks", n->name,
                 fmax(n->backward, 0), fmax(n->backward_between, 0));
    else if (n->common == 1 && fabs(n->offset) > n->offset_error)
        snprintf(text, sizeof v->finding[0],
                 "node %.80s has rank 0's boot_id, as a cloned guest may, but its clock is %s apart", n->name,
                 OVL_TIME(fabs(n->offset)));
    else if (n->monotonic.system_call == 1)
        snprintf(text, sizeof v->finding[0], "node %.80s reads its clock by a system call, %s each (clock source %s)",
                 n->name, OVL_TIME(n->monotonic.read), n->source);
    else if (fabs(n->slew_ppm) > LIMIT(SLEW))
        snprintf(text, sizeof v->finding[0], "node %.80s steers its clock by %.0f ppm", n->name, n->slew_ppm);
    else if (n->common == 0 && fabs(n->drift_ppm) > LIMIT(DRIFT))
        snprintf(text, sizeof v->finding[0], "node %.80s drifts from rank 0's by %.0f ppm", n->name, n->drift_ppm);
}

static void judge_crowd(struct ovl_noise_verdict *v, const struct ovl_node *n)
{
    if (n->ranks_on_machine > n->cores && !*v->finding[OVL_NOISE_OVERSUBSCRIBED])
        snprintf(v->finding[OVL_NOISE_OVERSUBSCRIBED], sizeof v->finding[0],
                 "%.0f ranks on %.0f cores; all that was measured holds the waiting for a core", n->ranks_on_machine,
                 n->cores);
}

static void judge_pace(struct ovl_noise_verdict *v, const struct ovl_run *run)
{
    double *usual = ovl_alloc(run->node_count, sizeof *usual), median;
    const struct ovl_node *slow = NULL;
    size_t n = 0;
    for (size_t i = 0; i < run->node_count; i++)
        if (isfinite(run->nodes[i].quanta.usual)) {
            usual[n++] = run->nodes[i].quanta.usual;
            if (!slow || run->nodes[i].quanta.usual > slow->quanta.usual)
                slow = &run->nodes[i];
        }
    median = ovl_stats_median(usual, n);
    if (n >= 3 && slow->quanta.usual > LIMIT(PACE) * median)
        snprintf(v->finding[OVL_NOISE_UNEVEN], sizeof v->finding[0],
                 "node %.80s takes %.2f times as long as the median node for the same work", slow->name,
                 slow->quanta.usual / median);
    free(usual);
}

static void need(struct ovl_noise_verdict *v, double comm, const char *why)
{
    if (isfinite(comm) && !(comm <= v->comm_least)) {
        v->comm_least = comm;
        v->comm_why = why;
    }
}

static const char of_lateness[] = "the lateness of the latest rank";

static void tell_late(struct ovl_noise_verdict *v, double late, const struct ovl_node *most)
{
    const char *least = OVL_TIME(v->comm_least);
    if (v->comm_why != of_lateness)
        snprintf(v->finding[OVL_NOISE_STARTS], sizeof v->finding[0],
                 "cells with C under %s will not be ok here, for %s", least, v->comm_why);
    else
        snprintf(v->finding[OVL_NOISE_STARTS], sizeof v->finding[0],
                 "the latest rank is %s late in the median%s%.80s: cells with C under %s will not be ok here",
                 OVL_TIME(late), most ? ", most often on node " : "", most ? most->name : "", least);
}

/* From which C on cells can be ok. */
static void judge_starts(struct ovl_noise_verdict *v, const struct ovl_run *run)
{
    double read = json_number_value(json_object_get(json_object_get(run->head, "clock"), "read_seconds"));
    double late = ovl_noise_starts(run, "late_median_seconds");
    const struct ovl_node *most = NULL;
    if (read > 0)
        need(v, LIMIT(READS) * read, "the cost of a clock read");
    if (late > 3 * read)
        need(v, late / LIMIT(LATE), of_lateness);
    for (size_t i = 0; i < run->node_count; i++) {
        const struct ovl_node *n = &run->nodes[i];
        if (n->common == 0)
            need(v, n->residual / LIMIT(RESIDUAL), "the residual of the clocks");
        if (isfinite(n->latest) && (!most || n->latest > most->latest))
            most = n;
    }
    if (ovl_noise_starts(run, "count") > 0 && isnan(late))
        snprintf(
            v->finding[OVL_NOISE_STARTS], sizeof v->finding[0],
            "clocks could not be synchronised: ranks start after a bare barrier, which shows overlap that is none");
    else if (v->comm_least > LIMIT(COMM))
        tell_late(v, late, most);
}

/* What should have been measured and was not. */
static void judge_rest(struct ovl_noise_verdict *v, const struct ovl_run *run)
{
    json_int_t ranks = json_integer_value(json_object_get(run->head, "ranks"));
    bool quanta = run->node_count > 0, starts = isfinite(ovl_noise_starts(run, "count"));
    bool pairs = v->pairs.count > 0 || ranks < 2;
    for (size_t i = 0; i < run->node_count; i++)
        quanta = quanta && isfinite(run->nodes[i].quanta.lost);
    if (!quanta || !starts || !pairs)
        snprintf(v->finding[OVL_NOISE_UNFINISHED], sizeof v->finding[0], "not measured:%s%s%s", quanta ? "" : " noise",
                 starts ? "" : " starts", pairs ? "" : " round trips");
}

void ovl_noise_judge(const struct ovl_run *run, struct ovl_noise_verdict *v)
{
    double lost = 0, stolen = LIMIT(STEAL);
    *v = (struct ovl_noise_verdict){.comm_least = NAN, .pairs = {.latency = NAN, .bytes_per_second = NAN}};
    for (size_t i = 0; i < run->node_count; i++) {
        const struct ovl_node *n = &run->nodes[i];
        judge_crowd(v, n);
        judge_clocks(v, n);
        judge_noise(v, n, &lost);
        if (isfinite(n->steal) && n->steal > stolen) {
            stolen = n->steal;
            snprintf(v->finding[OVL_NOISE_STOLEN], sizeof v->finding[0],
                     "other guests take %s %% of the cores of node %.80s", OVL_PERCENT(1, stolen), n->name);
        }
    }
    judge_starts(v, run);
    judge_pace(v, run);
    look_at_pairs(run, &v->pairs);
    judge_pairs(v, run);
    judge_rest(v, run);
}
