/* Plays the lanes of all ranks of a plan, in no time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/play.h"

#include <stdlib.h>

struct play {
    const struct ovl_app_steps *s;
    const struct ovl_app_ops *ops;
    enum ovl_app_mask mask;
    size_t *at;     /* [ranks][OVL_LANES]: steps that have ended */
    bool *entered;  /* [ranks][OVL_LANES]: has it posted what it is now waiting for? */
    int *posted;    /* [ops]: members that did */
    bool *root_did; /* [ops] */
    struct ovl_app_at *order;
    size_t played;
};

/* Have all posted that this rank needs? */
static bool met(const struct play *p, size_t number, int rank)
{
    const struct ovl_app_op *op = &p->ops->ops[number];
    if (!ovl_app_gets(op, rank))
        return true;
    return op->needs == OVL_NEEDS_ROOT ? rank == op->root || p->root_did[number] : p->posted[number] == op->ranks;
}

static void post(struct play *p, size_t number, int rank)
{
    p->posted[number]++;
    if (rank == p->ops->ops[number].root)
        p->root_did[number] = true;
}

/* Does the step end now? */
static bool ends(struct play *p, int rank, enum ovl_app_lane lane, const struct ovl_app_step *t, size_t op)
{
    bool *entered = &p->entered[rank * OVL_LANES + lane];
    bool waits = t->kind == OVL_APP_SYNC || (t->kind == OVL_APP_WAIT && p->mask != OVL_MASK_APART) ||
                 (t->kind == OVL_APP_POST && p->mask == OVL_MASK_APART);
    if (t->kind == OVL_APP_COMPUTE || p->mask == OVL_MASK_WORK)
        return true;
    if (t->kind != OVL_APP_WAIT && !*entered)
        post(p, op, rank);
    *entered = waits && !met(p, op, rank);
    return !*entered;
}

/* As far as this lane goes. */
static bool advance(struct play *p, int rank, enum ovl_app_lane lane)
{
    const struct ovl_app_list *list = ovl_app_list(p->s, rank, lane);
    const struct ovl_app_list *other = ovl_app_list(p->s, rank, 1 - lane);
    size_t *at = &p->at[rank * OVL_LANES + lane], ended = ovl_app_ended(other, p->at[rank * OVL_LANES + 1 - lane]);
    bool moved = false;
    while (*at < list->count) {
        const struct ovl_app_step *t = &list->steps[*at];
        if (t->after > ended || !ends(p, rank, lane, t, p->ops->of[list->first + *at]))
            break;
        p->order[p->played++] = (struct ovl_app_at){rank, lane, (*at)++};
        moved = true;
    }
    return moved;
}

static int stuck(const struct play *p, struct ovl_error *err)
{
    static const char *const masks[] = {"", " in its communication alone", " in its work alone",
                                        " where its operations run apart"};
    for (int r = 0; r < p->s->ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(p->s, r, (enum ovl_app_lane)lane);
            size_t at = p->at[r * OVL_LANES + lane];
            if (at < list->count)
                return ovl_error_set(err, OVL_USAGE, "rank %d never ends%s: step %zu of its %s waits for ever%s", r,
                                     masks[p->mask], at, lane == OVL_LANE_BULK ? "bulk" : "chain",
                                     list->steps[at].kind == OVL_APP_COMPUTE ? " for the other lane" : "");
        }
    return 0;
}

int ovl_app_play(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, enum ovl_app_mask mask,
                 struct ovl_app_at *order, struct ovl_error *err)
{
    struct play p = {.s = s, .ops = ops, .mask = mask, .order = order};
    p.at = ovl_alloc((size_t)s->ranks * OVL_LANES, sizeof *p.at);
    p.entered = ovl_alloc((size_t)s->ranks * OVL_LANES, sizeof *p.entered);
    p.posted = ovl_alloc(ops->count, sizeof *p.posted);
    p.root_did = ovl_alloc(ops->count, sizeof *p.root_did);
    for (bool moved = true; moved;) {
        moved = false;
        for (int r = 0; r < s->ranks; r++)
            for (int lane = 0; lane < OVL_LANES; lane++)
                moved = advance(&p, r, (enum ovl_app_lane)lane) || moved;
    }
    int rc = stuck(&p, err);
    free(p.at);
    free(p.entered);
    free(p.posted);
    free(p.root_did);
    return rc;
}
