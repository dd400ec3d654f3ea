/* Ranking the sides of each work, and of all works together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/rank/rank.h"
#include "base/utf8.h"
#include "cli/sizes.h"
#include "stats/stalls.h"
#include "stats/stats.h"
#include "tool/cells/point.h"
#include "tool/cells/turns.h"
#include "tool/cells/unlike.h"
#include "tool/rank/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a work's fault. */
static const char wrong_data[] = "a launch has wrong data";

/* Less is better, and ratios are differences. NaN: no such launch counts. */
static double loss_of(const struct ovl_rank *r, double value)
{
    const struct ovl_field *m = r->how.metric;
    double x = m->scale == OVL_METRIC_RATIO ? log(value) : value;
    return m->more_is_better ? -x : x;
}

static bool between(double x, double a, double b)
{
    return a > 0 && b > 0 && x > fmin(a, b) && x < fmax(a, b);
}

/* Of two sides, by the starts of their launches (0: none): is over a quarter of the pairs none (turns.h)? */
static bool out_of_turns(const struct ovl_run *const *x, const struct ovl_run *const *y, const double *a,
                         const double *b, size_t launches)
{
    size_t pairs = 0, apart = 0;
    bool *missed = ovl_alloc(launches + 1, 1);
    size_t last[2] = {0, 0}; /* the launch of either side before this one, by its index + 1 */
    for (size_t l = 0; l < launches; l++) {
        const double *of[] = {a, b};
        for (int side = 0; side < 2; side++) {
            if (!(of[side][l] > 0))
                continue;
            size_t k = last[side];
            if (k > 0) {
                missed[k - 1] |= between(of[side][l], a[k - 1], b[k - 1]);
                missed[l] |= between(of[side][k - 1], a[l], b[l]);
            }
            last[side] = l + 1;
        }
    }
    for (size_t l = 0; l < launches; l++) {
        bool pair = x[l] && y[l], told = a[l] > 0 && b[l] > 0;
        pairs += pair;
        apart += pair && (!told || missed[l] || ovl_pair_paused(x[l], y[l]));
    }
    free(missed);
    return ovl_turns_missed(apart, pairs);
}

/* Are launches of one number of all sides of a work in turns, two sides at a time? The cells are sorted by sides and
   numbers. */
static bool in_turns(const struct ovl_rank_cell *c, size_t count, size_t launches)
{
    size_t sides = 0;
    bool well = true;
    for (size_t i = 0; i < count; i++)
        sides += i == 0 || c[i].side != c[i - 1].side;
    double *began = ovl_alloc(sides * launches + 1, sizeof *began);
    const struct ovl_run **run = ovl_alloc(sides * launches + 1, sizeof *run);
    for (size_t i = 0, mine = 0; i < count; i++) {
        mine += i > 0 && c[i].side != c[i - 1].side ? launches : 0;
        run[mine + c[i].launch] = c[i].member->run;
        began[mine + c[i].launch] = ovl_run_began(c[i].member->run);
    }
    for (size_t x = 0; x < sides; x++)
        for (size_t y = 0; y < x; y++)
            well = well && !out_of_turns(run + x * launches, run + y * launches, began + x * launches,
                                         began + y * launches, launches);
    free(run);
    free(began);
    return well;
}

static const char different_work[] =
    "different work: give all launches the units of one record (work_of, --work-from), "
    "or rank all the same by --any-work";

/* Why launches of one work that count cannot be held against each other. */
static const char *fault_of(const struct ovl_rank *r, const struct ovl_rank_sides *s, size_t first, size_t count)
{
    const struct ovl_rank_cell *c = s->cell + first;
    const struct ovl_member *one = NULL;
    bool several = false;
    for (size_t i = 0; i < count; i++)
        if (c[i].member->cell->validated == 0)
            return wrong_data;
    for (size_t i = 0; i < count; i++) {
        const struct ovl_member *m = c[i].member;
        if (c[i].lost_many)
            return "too many launches of a side are unusable, were cut short or lack the cell: measure them again";
        several = several || c[i].side != c[0].side;
        if (!ovl_member_claims(m))
            continue;
        one = one ? one : m;
        if (!ovl_same_model(m->run, one->run))
            return "different work: the model's file was another one";
        if (r->how.metric->of_work && !r->how.any_work && !ovl_same_units(m->cell, one->cell))
            return different_work;
    }
    if (r->how.metric->derived > 0 && !r->how.any_work && ovl_rank_sides_beside_unlike(c, count))
        return different_work;
    if (r->how.paired && several && !in_turns(c, count, s->launches))
        return "launches of one number were not taken in turns, as pairs have to be: measure them again in one sweep";
    return several ? NULL : "one side only";
}

/* The last launch of a side that counts, by its index + 1. */
static size_t last_of(const struct ovl_ranking *k, size_t side)
{
    size_t l = k->launches;
    while (l > 0 && isnan(k->side[side].value[l - 1]))
        l--;
    return l;
}

/* Has one of two sides, for more than a third of their launches, none of the number that the other has? A side that was
   to have fewer ends sooner. */
static bool lacks_partners(const struct ovl_ranking *k)
{
    for (size_t a = 0; a < k->count; a++)
        for (size_t b = 0; b < a; b++) {
            size_t both = 0, one = 0, x = last_of(k, a), y = last_of(k, b);
            for (size_t l = 0; l < x && l < y; l++) {
                bool mine = !isnan(k->side[a].value[l]), theirs = !isnan(k->side[b].value[l]);
                both += mine && theirs;
                one += mine != theirs;
            }
            if (2 * one > both)
                return true;
        }
    return false;
}

static const char no_partners[] = "too many launches have no partner: give all sides as many, taken in turns";

/* One entry a side, with its losses by launch. */
static void fill(struct ovl_rank_work *w, const struct ovl_rank *r, const struct ovl_rank_sides *s, size_t first,
                 size_t count)
{
    size_t sides = 0;
    w->entry = ovl_alloc(count, sizeof *w->entry);
    w->ranking = (struct ovl_ranking){.side = ovl_alloc(count, sizeof *w->ranking.side), .launches = s->launches};
    w->order = ovl_alloc(count, sizeof *w->order);
    w->fault = fault_of(r, s, first, count);
    for (size_t i = 0, n; i < count; i += n) {
        double *value = ovl_alloc(s->launches + 1, sizeof *value), *seen = ovl_alloc(count + 1, sizeof *seen);
        struct ovl_rank_entry *e = &w->entry[sides];
        *e = (struct ovl_rank_entry){.side = s->cell[first + i].side};
        for (size_t k = 0; k < s->launches; k++)
            value[k] = NAN;
        for (n = 0; i + n < count && s->cell[first + i + n].side == e->side; n++) {
            const struct ovl_rank_cell *c = &s->cell[first + i + n];
            double x = ovl_metric_of(r->how.metric, c->member).value;
            value[c->launch] = loss_of(r, x);
            if (!isfinite(x))
                continue;
            if (!isfinite(value[c->launch])) { /* a ratio of what is not above 0 */
                value[c->launch] = NAN;
                w->fault = w->fault ? w->fault : "a value is not above 0, and has no ratio";
            }
            seen[e->launches++] = x;
        }
        e->all = n;
        e->median = ovl_stats_median(seen, e->launches);
        free(seen);
        w->ranking.side[sides++].value = value;
    }
    w->ranking.count = sides;
    if (!w->fault && r->how.paired && lacks_partners(&w->ranking))
        w->fault = no_partners;
}

static size_t index_of(const struct ovl_rank_work *w, size_t side)
{
    size_t i = 0;
    while (i < w->ranking.count && w->entry[i].side != side)
        i++;
    return i;
}

bool ovl_rank_lacks(const struct ovl_rank *r, const struct ovl_rank_work *w, size_t side)
{
    bool lacks = false;
    if (index_of(w, side) < w->ranking.count)
        return false;
    for (size_t i = 0; i < r->count && !lacks; i++)
        lacks =
            strcmp(r->work[i].benchmark, w->benchmark) == 0 && index_of(&r->work[i], side) < r->work[i].ranking.count;
    return lacks;
}

static double shift_of(const struct ovl_rank_work *w, size_t i)
{
    double x = w->ranking.side[i].shift.value;
    return isnan(x) ? INFINITY : x;
}

/* By how far they are from the reference: few enough to be put in order one by one. */
static void put_in_order(struct ovl_rank_work *w)
{
    for (size_t i = 0; i < w->ranking.count; i++) {
        size_t k = i;
        for (; k > 0 && shift_of(w, w->order[k - 1]) > shift_of(w, i); k--)
            w->order[k] = w->order[k - 1];
        w->order[k] = i;
    }
}

static void judge(struct ovl_rank *r, struct ovl_rank_work *w)
{
    w->ranking.paired = r->how.paired;
    w->ranking.margin = r->how.metric->scale == OVL_METRIC_RATIO ? log1p(OVL_STALLS_MARGIN) : OVL_STALLS_MARGIN;
    w->ranking.named = r->how.reference != NULL;
    w->ranking.reference = r->reference < r->sides ? index_of(w, r->reference) : w->ranking.count;
    if (!w->fault && r->reference < r->sides && w->ranking.reference == w->ranking.count)
        w->fault = "the reference has no launch of it";
    if (!w->fault)
        ovl_ranking_make(&w->ranking);
    put_in_order(w);
}

/* Over all works, the mean loss of those launches that have each of them; and of those sides. */
static void put_together(struct ovl_rank *r)
{
    struct ovl_rank_work *all = &r->all;
    size_t launches = r->count > 0 ? r->work[0].ranking.launches : 0, works = 0;
    for (size_t i = 0; i < r->count; i++)
        works += !r->work[i].fault;
    if (works < 2 || works < r->count || r->how.metric->scale != OVL_METRIC_RATIO)
        return;
    all->entry = ovl_alloc(r->sides, sizeof *all->entry);
    all->order = ovl_alloc(r->sides, sizeof *all->order);
    all->ranking = (struct ovl_ranking){.side = ovl_alloc(r->sides, sizeof *all->ranking.side), .launches = launches};
    snprintf(all->label, sizeof all->label, "all %zu together (geometric mean)", works);
    for (size_t s = 0; s < r->sides; s++) {
        double *value = ovl_alloc(launches + 1, sizeof *value);
        size_t has = 0, counted = 0;
        for (size_t i = 0; i < r->count; i++) {
            size_t at = index_of(&r->work[i], s);
            has += at < r->work[i].ranking.count;
            for (size_t k = 0; k < launches && at < r->work[i].ranking.count; k++)
                value[k] += r->work[i].ranking.side[at].value[k] / (double)works;
        }
        for (size_t k = 0; k < launches; k++)
            counted += !isnan(value[k]);
        if (has < r->count) {
            free(value);
            continue;
        }
        all->entry[all->ranking.count] = (struct ovl_rank_entry){s, NAN, counted, counted};
        all->ranking.side[all->ranking.count++].value = value;
    }
    all->fault = all->ranking.count < 2                           ? "fewer than two sides have all of it"
                 : r->how.paired && lacks_partners(&all->ranking) ? no_partners
                                                                  : NULL;
}

/* What tells works apart, of each of which one cell is given: benchmark and size, and all else in which they differ. */
static void label(struct ovl_rank_work *w, const struct ovl_member *const *one, size_t works,
                  const struct ovl_member *m)
{
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char text[OVL_FIELD_TEXT_ROOM], other[OVL_FIELD_TEXT_ROOM], size[24];
        bool always = strcmp(f->name, "benchmark") == 0 || strcmp(f->name, "size_bytes") == 0, differs = false;
        size_t n = strlen(w->label);
        if (f->way)
            continue;
        ovl_field_text(text, f, m->run, m->cell);
        for (size_t i = 0; i < works && !always && !differs; i++) {
            ovl_field_text(other, f, one[i]->run, one[i]->cell);
            differs = strcmp(text, other) != 0;
        }
        if (!*text || !(always || differs))
            continue;
        if (strcmp(f->name, "size_bytes") == 0) {
            ovl_options_size_text((uint64_t)m->cell->size_bytes, size);
            snprintf(text, sizeof text, "%s", size);
        }
        ovl_utf8_print(w->label + n, sizeof w->label - n, "%s%s%s%s", n ? " " : "", always ? "" : f->name,
                       always ? "" : "=", text);
    }
}

static int find_reference(struct ovl_rank *r, struct ovl_error *err)
{
    char names[300] = "";
    r->reference = r->sides;
    for (size_t i = 0; i < r->sides; i++) {
        size_t n = strlen(names);
        if (r->how.reference && strcmp(r->side[i], r->how.reference) == 0)
            r->reference = i;
        snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", r->side[i]);
    }
    if (r->sides + r->losts < 2)
        return ovl_error_set(err, OVL_USAGE, "a ranking needs two sides, and here is one: %.200s", names);
    return !r->how.reference || r->reference < r->sides
               ? 0
               : ovl_error_set(err, OVL_USAGE, "--reference %.100s: no such side; there are %.300s", r->how.reference,
                               names);
}

int ovl_rank_make(struct ovl_rank *r, const struct ovl_groups *groups, const struct ovl_rank_how *how,
                  char *const *paths, size_t path_count, struct ovl_error *err)
{
    struct ovl_rank_sides s;
    *r = (struct ovl_rank){.how = *how};
    int rc = ovl_rank_sides_make(&s, groups, paths, path_count, how->metric, &r->how.paired, err);
    ovl_rank_find_lost(&s, groups, paths, path_count, how->filtered);
    r->side = s.name;
    r->sides = s.names;
    r->left_out = s.left_out;
    r->lost = s.lost;
    r->losts = s.losts;
    if (rc == 0)
        rc = find_reference(r, err);
    r->work = ovl_alloc(s.count + 1, sizeof *r->work);
    const struct ovl_member **one = ovl_alloc(s.count + 1, sizeof *one);
    for (size_t i = 0, n; i < s.count && rc == 0; i += n) {
        for (n = 1; i + n < s.count && strcmp(s.cell[i + n].work, s.cell[i].work) == 0;)
            n++;
        one[r->count] = s.cell[i].member;
        r->work[r->count].benchmark = s.cell[i].member->cell->benchmark;
        fill(&r->work[r->count++], r, &s, i, n);
    }
    for (size_t i = 0; i < r->count; i++)
        label(&r->work[i], one, r->count, one[i]);
    free(one);
    if (rc == 0) {
        put_together(r);
        judge(r, &r->all);
        /* One reference for all: the best of all together, where they are. */
        if (!how->reference && r->all.ranking.count > 1 && !r->all.fault)
            r->reference = r->all.entry[r->all.ranking.reference].side;
        for (size_t i = 0; i < r->count; i++)
            judge(r, &r->work[i]);
        r->needed = ovl_ranking_needed(r->sides, r->how.paired);
    }
    ovl_rank_sides_free(&s);
    return rc;
}

static void free_work(struct ovl_rank_work *w)
{
    for (size_t i = 0; i < w->ranking.count; i++)
        free((double *)(uintptr_t)w->ranking.side[i].value);
    free(w->ranking.side);
    free(w->entry);
    free(w->order);
}

void ovl_rank_free(struct ovl_rank *r)
{
    for (size_t i = 0; i < r->count; i++)
        free_work(&r->work[i]);
    free_work(&r->all);
    for (size_t i = 0; i < r->sides; i++)
        free(r->side[i]);
    for (size_t i = 0; i < r->losts; i++)
        free(r->lost[i].name);
    free(r->lost);
    free(r->work);
    free(r->side);
    *r = (struct ovl_rank){.count = 0};
}

/* Does any side have a place that another cannot have? */
static bool tells_apart(const struct ovl_rank_work *w)
{
    for (size_t i = 0; i < w->ranking.count; i++)
        if (w->ranking.side[i].first > 1 || w->ranking.side[i].last < w->ranking.count)
            return true;
    return false;
}

int ovl_rank_exit(const struct ovl_rank *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->work[i].fault == wrong_data)
            return OVL_WRONG_DATA;
    for (size_t i = 0; i < r->count; i++)
        if (r->work[i].fault)
            return OVL_INCONCLUSIVE;
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->work[i].ranking.count; k++)
            if (r->work[i].ranking.side[k].n < r->needed && !tells_apart(&r->work[i]))
                return OVL_INCONCLUSIVE;
    return r->count > 0 && r->losts == 0 ? OVL_OK : OVL_INCONCLUSIVE;
}
