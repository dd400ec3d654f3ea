/* Can a plan be played? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/check.h"

#include <stdint.h>
#include <stdlib.h>

/* The first buffer that is in both of two stretches; 0 where there is none. */
static int shared(int a, int a_count, int b, int b_count)
{
    int first = a > b ? a : b;
    return a && b && first < a + a_count && first < b + b_count ? first : 0;
}

/* Do they share a buffer that one of them writes? That buffer, or 0. */
static int conflict(const struct ovl_app_step *a, const struct ovl_app_step *b)
{
    int na = a->buffers > 1 ? a->buffers : 1, nb = b->buffers > 1 ? b->buffers : 1;
    int found = shared(a->write, na, b->write, nb);
    found = found ? found : shared(a->write, na, b->read, nb);
    return found ? found : shared(a->read, na, b->write, nb);
}

/* The chain alone: between POST and WAIT. */
static int check_chain(const struct ovl_app_list *chain, int rank, int slots, size_t *posted, struct ovl_error *err)
{
    for (int i = 0; i < slots; i++)
        posted[i] = SIZE_MAX;
    for (size_t i = 0; i < chain->count; i++) {
        const struct ovl_app_step *t = &chain->steps[i];
        if (t->kind == OVL_APP_WAIT) {
            posted[t->slot] = SIZE_MAX;
            continue;
        }
        for (int o = 0; o < slots; o++) {
            int buffer = posted[o] == SIZE_MAX ? 0 : conflict(&chain->steps[posted[o]], t);
            if (buffer)
                return ovl_error_set(err, OVL_USAGE,
                                     "rank %d, step %zu: buffer %d belongs to the operation that step %zu posted", rank,
                                     i, buffer, posted[o]);
        }
        if (t->kind == OVL_APP_POST)
            posted[t->slot] = i;
    }
    return 0;
}

/* The step of the chain at which that one of its steps ends to hold its buffers. */
static size_t release_of(const struct ovl_app_list *chain, size_t index)
{
    const struct ovl_app_step *t = &chain->steps[index];
    size_t i = index;
    if (t->kind == OVL_APP_POST)
        for (i++; chain->steps[i].kind != OVL_APP_WAIT || chain->steps[i].slot != t->slot; i++)
            ;
    return i;
}

/* A step of the chain holds its buffers from its begin to `end`. The bulk touches them before, where the chain waits
   for that group of the bulk before it comes to the step, and after, where the bulk waits for the chain's group of the
   end. `behind` becomes, for each step of the bulk, how many groups of the chain it has waited for. */
static int check_lanes(const struct ovl_app_list *chain, const struct ovl_app_list *bulk, int rank, size_t *behind,
                       struct ovl_error *err)
{
    for (size_t b = 0; b < bulk->count; b++)
        behind[b] = b > 0 && behind[b - 1] > bulk->steps[b].after ? behind[b - 1] : bulk->steps[b].after;
    size_t before = 0, first = 0; /* groups of the bulk that have ended, and its first step behind them */
    for (size_t c = 0; c < chain->count; c++) {
        const struct ovl_app_step *t = &chain->steps[c];
        before = t->after > before ? t->after : before;
        while (first < bulk->count && bulk->group[first] < before)
            first++;
        if (t->kind == OVL_APP_WAIT || (!t->read && !t->write))
            continue;
        size_t end = chain->group[release_of(chain, c)];
        for (size_t b = first; b < bulk->count && behind[b] <= end; b++) {
            int buffer = conflict(t, &bulk->steps[b]);
            if (buffer)
                return ovl_error_set(err, OVL_USAGE,
                                     "rank %d: step %zu of the chain and step %zu of the bulk touch buffer %d in no "
                                     "fixed order",
                                     rank, c, b, buffer);
        }
    }
    return 0;
}

static int check_buffers(const struct ovl_app_steps *s, struct ovl_error *err)
{
    int rc = 0;
    for (int r = 0; r < s->ranks && rc == 0; r++) {
        const struct ovl_app_list *chain = ovl_app_list(s, r, OVL_LANE_CHAIN),
                                  *bulk = ovl_app_list(s, r, OVL_LANE_BULK);
        size_t *room = ovl_alloc(bulk->count + (size_t)s->slots, sizeof *room);
        rc = check_chain(chain, r, s->slots, room, err);
        if (rc == 0)
            rc = check_lanes(chain, bulk, r, room, err);
        free(room);
    }
    return rc;
}

int ovl_app_check(const struct ovl_app_steps *s, bool *apart, struct ovl_error *err)
{
    struct ovl_app_ops ops;
    struct ovl_error ignored;
    if (ovl_app_ops_match(&ops, s, err) != 0)
        return -1;
    struct ovl_app_at *order = ovl_alloc(s->count, sizeof *order);
    int rc = check_buffers(s, err);
    for (int mask = OVL_MASK_TOTAL; mask <= OVL_MASK_WORK && rc == 0; mask++)
        rc = ovl_app_play(s, &ops, (enum ovl_app_mask)mask, order, err);
    *apart = rc == 0 && ovl_app_play(s, &ops, OVL_MASK_APART, order, &ignored) == 0;
    free(order);
    ovl_app_ops_free(&ops);
    return rc;
}
