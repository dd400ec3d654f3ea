/* An epoch: begin, the clock, steps with hooks around them, the end of the clock, and then what is checked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/turns/turns.h"
#include "base/clock.h"
#include "bench/interrupt.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <string.h>

enum { LOOK_EVERY = 8 }; /* steps between looks at who has failed */

static bool any_rank(const struct ovl_turns *t)
{
    int mine = ovl_interrupt_signal() != 0 || (t->failed && t->failed(t->of)), any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, t->comm);
    return any;
}

bool ovl_turns_play(const struct ovl_turns *t, struct ovl_turns_kind *k, uint64_t steps, double *seconds)
{
    const struct ovl_turns_hooks *h = k->hooks;
    bool over = false;
    uint64_t played = 0;
    MPI_Barrier(t->comm);
    int64_t begin = ovl_clock_ns();
    if (h->start)
        h->start(t->of, k);
    for (uint64_t i = 0; i < steps && !over;) {
        if (h->before)
            h->before(t->of, k, i);
        t->step(t->of);
        i = h->after ? h->after(t->of, k, i) : i + 1;
        over = ++played % LOOK_EVERY == 0 && any_rank(t);
    }
    if (h->finish && !over)
        h->finish(t->of, k);
    double mine = ovl_clock_since(begin);
    MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, t->comm);
    return any_rank(t) || over;
}

static int check_steps(const struct ovl_turns *t, struct ovl_error *err)
{
    int rank, wrong = t->wrong(t->of);
    MPI_Comm_rank(t->comm, &rank);
    return wrong == 0 ? 0
                      : ovl_error_set(err, OVL_WRONG_DATA,
                                      "wrong data: %d operation(s) of the steps of an epoch, at rank %d", wrong, rank);
}

/* Collective. -1, the same at all ranks, 1: it was broken off. */
static int one_epoch(const struct ovl_turns *t, struct ovl_turns_kind *k, struct ovl_error *err)
{
    const struct ovl_turns_hooks *h = k->hooks;
    double most[OVL_TURNS_VALUES];
    memset(k->spent, 0, sizeof k->spent);
    if (h->begin && h->begin(t->of, k, err) != 0)
        return -1;
    bool over = ovl_turns_play(t, k, k->steps, &k->seconds[k->n]);
    int rc = ovl_agree(t->comm, h->end ? h->end(t->of, k, err) : 0, err);
    if (rc == 0 && !over)
        rc = ovl_agree(t->comm, check_steps(t, err), err);
    if (rc == 0 && !over && h->check)
        rc = ovl_agree(t->comm, h->check(t->of, k, err), err);
    MPI_Allreduce(k->spent, most, OVL_TURNS_VALUES, MPI_DOUBLE, MPI_MAX, t->comm);
    for (int v = 0; v < OVL_TURNS_VALUES; v++)
        k->values[v][k->n] = most[v];
    k->n++;
    return rc != 0 ? -1 : over;
}

int ovl_turns_play_all(const struct ovl_turns *t, struct ovl_turns_kind *kinds, size_t count, uint64_t rounds,
                       struct ovl_error *err)
{
    int rc = 0;
    for (uint64_t round = 0; round < rounds && rc == 0; round++)
        for (size_t i = 0; i < count && rc == 0; i++)
            rc = one_epoch(t, &kinds[(i + round + 1) % count], err); /* the first is often one that has nothing */
    return rc;
}

void ovl_turns_drop_first(struct ovl_turns_kind *k)
{
    k->n--;
    memmove(k->seconds, k->seconds + 1, k->n * sizeof *k->seconds);
    for (int v = 0; v < OVL_TURNS_VALUES; v++)
        memmove(k->values[v], k->values[v] + 1, k->n * sizeof **k->values);
}

/* A median, which leaves the values in their order. */
static double median(const double *x, size_t n)
{
    double copy[OVL_TURNS_EPOCHS];
    memcpy(copy, x, n * sizeof *x);
    return ovl_stats_median(copy, n);
}

double ovl_turns_seconds(const struct ovl_turns_kind *k)
{
    return median(k->seconds, k->n);
}

double ovl_turns_value(const struct ovl_turns_kind *k, int value)
{
    return median(k->values[value], k->n);
}

/* Of T of a kind, B of the one that it is held against, and W of one that both are held against. */
static double less(const double *m)
{
    return 1 - m[OVL_TOTAL] / m[OVL_BLOCKING];
}

static double of_excess(const double *m)
{
    double other = m[OVL_BLOCKING] - m[OVL_COMPUTE];
    return other > 0 ? (m[OVL_TOTAL] - m[OVL_COMPUTE]) / other : NAN;
}

enum { T = 1 << OVL_TOTAL, B = 1 << OVL_BLOCKING, W = 1 << OVL_COMPUTE };
static const struct ovl_derived_row less_row = {.of = less, .terms = T | B, .divide = B},
                                    of_excess_row = {.of = of_excess, .terms = T | B | W};

static struct ovl_estimate estimate(const struct ovl_derived_row *row, const struct ovl_turns_kind *k,
                                    const struct ovl_turns_kind *other, const struct ovl_turns_kind *base,
                                    uint64_t seed)
{
    struct ovl_samples s;
    ovl_samples_make(&s, k->n);
    s.blocks = k->n;
    memcpy(s.max[OVL_TOTAL], k->seconds, k->n * sizeof(double));
    memcpy(s.max[OVL_BLOCKING], other->seconds, k->n * sizeof(double));
    memcpy(s.max[OVL_COMPUTE], base->seconds, k->n * sizeof(double));
    struct ovl_estimate e = ovl_overlap_estimate_row(&s, row, 0, seed);
    ovl_samples_free(&s);
    return e;
}

static json_t *limits(double low, double high)
{
    json_t *to = json_object();
    json_object_set_new(to, "ci_low", isfinite(low) ? json_real(low) : json_null());
    json_object_set_new(to, "ci_high", isfinite(high) ? json_real(high) : json_null());
    return to;
}

static json_t *interval(double value, double low, double high)
{
    json_t *to = limits(low, high);
    json_object_set_new(to, "value", isfinite(value) ? json_real(value) : json_null());
    return to;
}

json_t *ovl_turns_less(const struct ovl_turns_kind *k, const struct ovl_turns_kind *base, uint64_t seed)
{
    struct ovl_estimate e = estimate(&less_row, k, base, base, seed);
    return interval(e.value, e.ci_low, e.ci_high);
}

json_t *ovl_turns_more(const struct ovl_turns_kind *k, const struct ovl_turns_kind *base, uint64_t seed)
{
    struct ovl_estimate e = estimate(&less_row, k, base, base, seed);
    return interval(-e.value, -e.ci_high, -e.ci_low);
}

json_t *ovl_turns_of(const struct ovl_turns_kind *k, const struct ovl_turns_kind *other,
                     const struct ovl_turns_kind *base, uint64_t seed)
{
    struct ovl_estimate e = estimate(&of_excess_row, k, other, base, seed);
    return interval(e.value, e.ci_low, e.ci_high);
}

json_t *ovl_turns_limits(ovl_bootstrap_value *value, const double *column, const double *other, size_t n, uint64_t seed)
{
    struct ovl_estimate e = ovl_stats_bootstrap(value, (const double *[OVL_BOOTSTRAP_COLUMNS]){column, other}, n, seed);
    return limits(e.ci_low, e.ci_high);
}

json_t *ovl_turns_list(const struct ovl_turns_kind *k)
{
    json_t *seconds = json_array();
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(seconds, json_real(k->seconds[i]));
    return seconds;
}
