/* Launches of two ways against each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stalls.h"
#include "stats/stats.h"
#include "tool/cells/turns.h"
#include "tool/cells/unlike.h"
#include "tool/show/place.h"
#include "tool/show/ways.h"

#include <math.h>
#include <stdlib.h>

static double total_of(const struct ovl_cell *c)
{
    return c->summary[OVL_TOTAL].median;
}

/* In what launches i and k are not alike; NULL: nothing. */
static const char *apart(const struct ovl_way *one, size_t i, const struct ovl_way *other, size_t k)
{
    const struct ovl_run *a = one->group->member[i].run, *b = other->group->member[k].run;
    return a == b                     ? NULL
           : !ovl_share_machine(a, b) ? "hosts[].machine"
                                      : ovl_place_differs(one->place[i], other->place[k]);
}

/* The launch of the other way that stands against member i: of its run; else of its number, where all have one of their
   own, or as early a one. */
static size_t beside(const struct ovl_way *one, size_t i, const struct ovl_way *other)
{
    const struct ovl_run *run = one->group->member[i].run;
    size_t count = other->group->count, k = 0;
    while (k < count && other->group->member[k].run != run)
        k++;
    if (k < count)
        return k;
    if (!one->numbered || !other->numbered)
        return i;
    for (k = 0; k < count && ovl_launch_number(other->group->member[k].run->file) != ovl_launch_number(run->file);)
        k++;
    return k;
}

/* Member i's partner, which did as much; with `any` one without a claim, too. NULL: it has none. */
static const struct ovl_member *partner(const struct ovl_way *one, size_t i, const struct ovl_way *other, bool any)
{
    const struct ovl_member *m = &one->group->member[i], *with = other->group->member;
    size_t k = beside(one, i, other);
    bool as_much = k < other->group->count && (with[k].run == m->run || ovl_same_units(with[k].cell, m->cell));
    bool counts = as_much && !apart(one, i, other, k) && (any || (ovl_member_claims(m) && ovl_member_claims(&with[k])));
    return counts ? &with[k] : NULL;
}

static const struct ovl_run *run_of(const struct ovl_way *r, size_t i)
{
    return i < r->group->count ? r->group->member[i].run : NULL;
}

bool ovl_way_in_turns(const struct ovl_way *one, const struct ovl_way *other)
{
    size_t pairs = 0, missed = 0;
    for (size_t i = 0; i < one->group->count; i++) {
        const struct ovl_member *with = partner(one, i, other, false);
        size_t k = beside(one, i, other);
        const struct ovl_run *near[] = {run_of(one, i - 1), run_of(one, i + 1), run_of(other, k - 1),
                                        run_of(other, k + 1)};
        pairs += with != NULL;
        missed += with && with->run != run_of(one, i) && ovl_began_between(run_of(one, i), with->run, near, 4);
    }
    return !ovl_turns_missed(missed, pairs);
}

/* T of one by T of the other, of each pair of launches. Returns how many there are. */
static size_t ratios_of(const struct ovl_way *one, const struct ovl_way *other, bool any, double *ratios)
{
    size_t n = 0;
    for (size_t i = 0; i < one->group->count; i++) {
        const struct ovl_member *with = partner(one, i, other, any);
        double ratio = with ? total_of(one->group->member[i].cell) / total_of(with->cell) : NAN;
        if (isfinite(ratio))
            ratios[n++] = ratio;
    }
    return n;
}

size_t ovl_way_pairs(const struct ovl_way *one, const struct ovl_way *other, size_t *unmatched)
{
    double *ratios = ovl_alloc(one->group->count + 1, sizeof *ratios);
    size_t n = ratios_of(one, other, false, ratios);
    free(ratios);
    *unmatched = one->launches - n + (other->launches > n ? other->launches - n : 0);
    return n;
}

size_t ovl_way_stalls(const struct ovl_way *one, const struct ovl_way *other)
{
    size_t room = one->group->count + 1;
    double *loss = ovl_alloc(2 * room, sizeof *loss), *none = loss + room; /* which stays 0 */
    size_t n = ratios_of(one, other, false, loss);
    for (size_t i = 0; i < n; i++)
        loss[i] = log(loss[i]);
    size_t stalls = ovl_stalls_count(none, loss, n, log1p(OVL_STALLS_MARGIN));
    free(loss);
    return 2 * stalls < n ? stalls : 0;
}

struct ovl_estimate ovl_way_ratio(const struct ovl_way *one, const struct ovl_way *other)
{
    bool any = one->launches == 0 || other->launches == 0;
    double *ratios = ovl_alloc(one->group->count + 1, sizeof *ratios);
    size_t n = ratios_of(one, other, any, ratios);
    struct ovl_summary s = ovl_stats_summarise(ratios, n);
    free(ratios);
    return (struct ovl_estimate){s.median, any ? NAN : s.ci_low, any ? NAN : s.ci_high};
}

const char *ovl_way_apart(const struct ovl_way *one, const struct ovl_way *other)
{
    const char *differs = NULL;
    for (size_t i = 0; i < one->group->count; i++)
        for (size_t k = 0; k < other->group->count; k++)
            if (!(differs = apart(one, i, other, k)))
                return NULL;
    return differs;
}
