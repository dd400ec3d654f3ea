/* Which launch stands against which. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/launch_pairs.h"
#include "tool/cells/turns.h"
#include "tool/cells/unlike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A launch of either side, and what it is paired by. */
struct entry {
    const struct ovl_member *member;
    long number;
    double start; /* seconds; 0 where the record does not say when */
};

static int by_number(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->member->side > y->member->side) - (x->member->side < y->member->side);
}

static int by_start(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->member->side > y->member->side) - (x->member->side < y->member->side);
}

/* Did another of the launches begin between these two? */
static bool apart(const struct entry *a, const struct entry *b, const struct entry *e, size_t n)
{
    double first = fmin(a->start, b->start), last = fmax(a->start, b->start);
    for (size_t i = 0; i < n && first > 0; i++)
        if (e[i].start > first && e[i].start < last)
            return true;
    return false;
}

static void make(struct ovl_launch_pairs *p, size_t room)
{
    *p = (struct ovl_launch_pairs){.old = ovl_alloc(room, sizeof *p->old), .new = ovl_alloc(room, sizeof *p->new)};
}

void ovl_launch_pairs_free(struct ovl_launch_pairs *p)
{
    free(p->old);
    free(p->new);
    *p = (struct ovl_launch_pairs){0};
}

/* Sorts by number; false when a launch has none, or a side has one twice. */
static bool numbered(struct entry *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        e[i].number = ovl_launch_number(e[i].member->run->file);
        if (e[i].number < 0)
            return false;
    }
    qsort(e, n, sizeof *e, by_number);
    for (size_t i = 1; i < n; i++)
        if (e[i].number == e[i - 1].number && e[i].member->side == e[i - 1].member->side)
            return false;
    return true;
}

/* The most pairs, and then the shortest, of neighbours among the first launches in order of their starts. */
struct best {
    size_t pairs;
    double apart;
    bool taken; /* the last one is paired with the one before it */
};

/* taken[i]: entries i - 1 and i are a pair. */
static void pair_neighbours(struct entry *e, size_t n, struct best *best, bool *taken)
{
    qsort(e, n, sizeof *e, by_start);
    best[0] = best[1] = (struct best){0, 0, false};
    for (size_t i = 1; i < n; i++) {
        best[i + 1] = (struct best){best[i].pairs, best[i].apart, false};
        struct best with = {best[i - 1].pairs + 1, best[i - 1].apart + e[i].start - e[i - 1].start, true};
        if (e[i].member->side != e[i - 1].member->side &&
            (with.pairs > best[i].pairs || (with.pairs == best[i].pairs && with.apart < best[i].apart)))
            best[i + 1] = with;
    }
    for (size_t i = n; i > 0; i -= best[i].taken ? 2 : 1)
        taken[i - 1] = best[i].taken;
}

/* What drifts goes with the order of a pair, too: all pairs in one order do not tell them apart. */
static void look_at_order(struct ovl_launch_pairs *p)
{
    size_t first[2] = {0, 0};
    for (size_t i = 0; i < p->count; i++) {
        double old = ovl_run_began(p->old[i]->run), new = ovl_run_began(p->new[i]->run);
        first[0] += old > 0 && old < new; /* 0: it is not told, and says nothing for turns */
        first[1] += new > 0 && new < old;
    }
    p->one_order = p->count > 1 && (first[0] == 0) != (first[1] == 0);
    p->in_turns = first[0] > 0 && first[1] > 0;
    for (size_t i = 0; i < p->count; i++)
        p->in_turns = p->in_turns && ovl_share_machine(p->old[i]->run, p->new[i]->run);
}

static void take(struct ovl_launch_pairs *p, const struct entry *a, const struct entry *b, ovl_launch_usable *usable,
                 const void *with)
{
    if (!usable(a->member, with) || !usable(b->member, with) || ovl_pair_paused(a->member->run, b->member->run) ||
        !(ovl_run_began(a->member->run) > 0) || !(ovl_run_began(b->member->run) > 0)) {
        p->unusable += 2;
        return;
    }
    p->old[p->count] = a->member->side == 0 ? a->member : b->member;
    p->new[p->count++] = a->member->side == 0 ? b->member : a->member;
}

void ovl_launch_pairs_match(struct ovl_launch_pairs *p, const struct ovl_group *group, ovl_launch_usable *usable,
                            const void *with)
{
    size_t n = group->count;
    struct entry *e = ovl_alloc(n, sizeof *e);
    struct best *best = ovl_alloc(n + 1, sizeof *best);
    bool *taken = ovl_alloc(n, sizeof *taken);
    make(p, n);
    for (size_t i = 0; i < n; i++) {
        e[i].member = &group->member[i];
        e[i].start = ovl_run_began(e[i].member->run);
    }
    p->by_number = numbered(e, n);
    for (size_t i = 1; p->by_number && i < n; i++) {
        taken[i] = e[i].number == e[i - 1].number;
        if (taken[i] && apart(&e[i - 1], &e[i], e, n)) {
            taken[i] = false;
            p->apart += 2;
        }
    }
    if (!p->by_number)
        pair_neighbours(e, n, best, taken);
    p->unmatched = n;
    for (size_t i = 1; i < n; i++)
        if (taken[i]) {
            take(p, &e[i - 1], &e[i], usable, with);
            p->unmatched -= 2;
        }
    look_at_order(p);
    free(e);
    free(best);
    free(taken);
}

static size_t gather(const struct ovl_group *group, size_t side, const struct ovl_member **to, size_t *unusable,
                     ovl_launch_usable *usable, const void *with)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (usable(&m[i], with))
            to[kept++] = &m[i];
    *unusable += n - kept;
    return kept;
}

struct valued {
    const struct ovl_member *member;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct valued *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->member < y->member ? -1 : x->member > y->member;
}

/* Moves as many to the front, evenly spaced in the order of their values: so a part of them has what all have, whatever
   their names and days are, and nobody chooses them. */
static void thin(const struct ovl_member **from, size_t n, size_t kept, ovl_launch_value *value, const void *with)
{
    struct valued *all = ovl_alloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct valued){from[i], value(from[i], with)};
    if (kept < n)
        qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < kept; i++)
        from[i] = all[((2 * i + 1) * n - (i % 2 == 0)) / (2 * kept)].member; /* of two in the middle by turns */
    free(all);
}

void ovl_launch_pairs_level(struct ovl_launch_pairs *p, const struct ovl_group *group, ovl_launch_usable *usable,
                            ovl_launch_value *value, const void *with)
{
    make(p, group->count);
    size_t old = gather(group, 0, p->old, &p->unusable, usable, with),
           new = gather(group, 1, p->new, &p->unusable, usable, with);
    p->count = old < new ? old : new;
    p->unmatched = old + new - 2 * p->count;
    thin(p->old, old, p->count, value, with);
    thin(p->new, new, p->count, value, with);
}
