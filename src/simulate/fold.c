/* May one node stand for all? Operations of a plan are looked at, each kind once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "simulate/operation.h"
#include "simulate/state.h"

/* From so many steps on one node stands for all, where it can: playing all takes seconds then. */
enum { FOLDS_FROM = 200000 };

/* All operations of a plan together, in multiples of the largest that one may be: that takes minutes. */
enum { PLAYS_MOST = 5 };

static int refuse(const struct ovl_sim_play *p, const struct ovl_coll_shape *s, double steps, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_USAGE,
                         "%d ranks, %d a node: %s by %s has %.0f steps, and its nodes are not alike, so that all "
                         "had to be played; give fewer ranks, or as many on each node",
                         p->ranks, p->machine->per_node, ovl_operations[s->operation].name, s->algorithm->name, steps);
}

const struct ovl_sim_guess *ovl_sim_guess(struct ovl_sim_play *p, const struct ovl_sim_operation *o, bool look,
                                          struct ovl_error *err)
{
    uint64_t key = ovl_schedule_key(&o->shape);
    for (size_t i = 0; i < p->guesses; i++)
        if (p->guess[i].key == key)
            return &p->guess[i];
    p->guess = ovl_grow_one(p->guess, p->guesses, sizeof *p->guess);
    struct ovl_sim_guess *g = &p->guess[p->guesses];
    g->key = key;
    if (ovl_sim_ranks_guess(o, p->machine->per_node, look, &g->steps, &g->alike, err) != 0)
        return NULL;
    p->guesses++;
    return g;
}

int ovl_sim_choose_fold(struct ovl_sim_play *p, struct ovl_error *err)
{
    const struct ovl_sim_program *g = p->program;
    enum ovl_sim_fold fold = p->machine->fold;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double all = 0, most = 0;
    bool alike = g->alike && fold != OVL_SIM_FOLD_NEVER;
    struct ovl_coll_shape largest = {.rank = -1};
    for (int lane = 0; lane < OVL_LANES && g->alike && g->mask != OVL_MASK_WORK; lane++)
        for (size_t i = 0; i < g->plan->groups[lane]; i++) {
            int n = g->plan->group(g->plan->of, 0, (enum ovl_app_lane)lane, i, steps);
            for (int k = 0; k < n; k++) {
                if ((steps[k].kind != OVL_APP_POST && steps[k].kind != OVL_APP_SYNC) ||
                    steps[k].needs == OVL_NEEDS_NOBODY)
                    continue;
                struct ovl_sim_operation o = g->operation(g->of, 0, &steps[k]);
                o.ring_rounds = p->machine->ring_rounds;
                const struct ovl_sim_guess *its = ovl_sim_guess(p, &o, alike, err);
                ovl_sim_shape_free(&o.shape);
                if (!its)
                    return -1;
                alike = alike && its->alike != OVL_SIM_UNLIKE;
                all += its->steps;
                if (its->steps > most) {
                    most = its->steps;
                    largest = o.shape;
                }
            }
        }
    p->folded = alike && (fold == OVL_SIM_FOLD_ALWAYS || all > FOLDS_FROM);
    bool much = most > OVL_SIM_STEPS_MOST || all > PLAYS_MOST * (double)OVL_SIM_STEPS_MOST;
    if (!p->folded && (fold == OVL_SIM_FOLD_ALWAYS || much) && largest.algorithm)
        return refuse(p, &largest, most, err);
    return 0;
}
