/* The operations of a plan: the n-th one of each member of a team is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/match.h"

#include <stdlib.h>
#include <string.h>

/* The operations of each team, in its order. */
struct team {
    size_t *ops;
    size_t count, room;
};

struct match {
    const struct ovl_app_steps *s;
    struct ovl_app_ops *out;
    size_t room;
    struct team *teams;
    int team_count;
    size_t *turn;  /* [teams]: operations of the present rank */
    size_t *slots; /* [slots]: the operation in each, of the present rank */
    struct ovl_error *err;
};

/* Rules that a step keeps or not by itself. */
static int check_step(const struct ovl_app_steps *s, const struct ovl_app_step *t, enum ovl_app_lane lane)
{
    if (t->read < 0 || t->write < 0 || t->buffers < 0 || t->mark < -1)
        return -1;
    if (t->kind == OVL_APP_COMPUTE)
        return t->units >= 1 ? 0 : -1;
    if (lane == OVL_LANE_BULK && t->kind != OVL_APP_SYNC)
        return -1;
    if (t->kind != OVL_APP_SYNC && (t->slot < 0 || t->slot >= s->slots))
        return -1;
    return t->kind == OVL_APP_WAIT || (t->team >= 0 && t->ranks >= 1 && t->ranks <= s->ranks && t->root >= 0 &&
                                       t->root < s->ranks && t->in >= 0 && t->out >= 0)
               ? 0
               : -1;
}

/* A new operation of a team. */
static void add_op(struct match *m, struct team *team, const struct ovl_app_step *t, enum ovl_app_lane lane)
{
    if (m->out->count == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->out->ops = ovl_grow(m->out->ops, m->room, sizeof *m->out->ops);
    }
    if (team->count == team->room) {
        team->room = team->room ? 2 * team->room : 8;
        team->ops = ovl_grow(team->ops, team->room, sizeof *team->ops);
    }
    struct ovl_app_op op = {t->team, t->ranks, t->root, t->what, t->kind, t->needs, lane, team->count, NULL, 0};
    op.members = ovl_alloc((size_t)t->ranks, sizeof *op.members);
    m->out->ops[m->out->count] = op;
    team->ops[team->count++] = m->out->count++;
}

/* The operation of a POST or SYNC. */
static int begin(struct match *m, int rank, size_t index, enum ovl_app_lane lane, size_t *number)
{
    const struct ovl_app_step *t = &ovl_app_list(m->s, rank, lane)->steps[index];
    struct team *team = &m->teams[t->team];
    size_t turn = m->turn[t->team]++;
    if (team->count > 0 && m->out->ops[team->ops[0]].lane != lane)
        return ovl_error_set(m->err, OVL_USAGE, "rank %d, step %zu: team %d has operations in both lanes, in no order",
                             rank, index, t->team);
    if (turn >= team->count)
        add_op(m, team, t, lane);
    *number = team->ops[turn];
    struct ovl_app_op *op = &m->out->ops[*number];
    if (op->kind != t->kind || op->what != t->what || op->ranks != t->ranks || op->root != t->root ||
        op->needs != t->needs)
        return ovl_error_set(
            m->err, OVL_USAGE,
            "rank %d, step %zu: operation %zu of team %d is another than at rank %d: members must post "
            "alike",
            rank, index, turn, t->team, op->members[0].rank);
    if (op->count == op->ranks)
        return ovl_error_set(m->err, OVL_USAGE,
                             "rank %d, step %zu: operation %zu of team %d has its %d members already", rank, index,
                             turn, t->team, op->ranks);
    op->members[op->count++] = (struct ovl_app_member){rank, index, index};
    return 0;
}

static int chain_step(struct match *m, int rank, size_t index)
{
    const struct ovl_app_list *list = ovl_app_list(m->s, rank, OVL_LANE_CHAIN);
    const struct ovl_app_step *t = &list->steps[index];
    size_t *of = &m->out->of[list->first + index];
    if (t->kind == OVL_APP_COMPUTE)
        return 0;
    if (t->kind == OVL_APP_SYNC)
        return begin(m, rank, index, OVL_LANE_CHAIN, of);
    bool taken = m->slots[t->slot] != OVL_APP_NO_OP, post = t->kind == OVL_APP_POST;
    if (taken == post)
        return ovl_error_set(m->err, OVL_USAGE, "rank %d, step %zu: slot %d %s", rank, index, t->slot,
                             post ? "is taken: more operations are outstanding than there are slots"
                                  : "is empty: nothing was posted to wait for");
    if (post) {
        if (begin(m, rank, index, OVL_LANE_CHAIN, of) != 0)
            return -1;
        m->slots[t->slot] = *of;
        return 0;
    }
    *of = m->slots[t->slot];
    m->slots[t->slot] = OVL_APP_NO_OP;
    struct ovl_app_op *op = &m->out->ops[*of];
    op->members[op->count - 1].wait = index; /* ranks come one after the other */
    return 0;
}

static int rank_steps(struct match *m, int rank)
{
    memset(m->turn, 0, (size_t)m->team_count * sizeof *m->turn);
    for (int i = 0; i < m->s->slots; i++)
        m->slots[i] = OVL_APP_NO_OP;
    const struct ovl_app_list *chain = ovl_app_list(m->s, rank, OVL_LANE_CHAIN),
                              *bulk = ovl_app_list(m->s, rank, OVL_LANE_BULK);
    for (size_t i = 0; i < chain->count; i++)
        if (chain_step(m, rank, i) != 0)
            return -1;
    for (size_t i = 0; i < bulk->count; i++)
        if (bulk->steps[i].kind == OVL_APP_SYNC && begin(m, rank, i, OVL_LANE_BULK, &m->out->of[bulk->first + i]) != 0)
            return -1;
    for (int i = 0; i < m->s->slots; i++)
        if (m->slots[i] != OVL_APP_NO_OP)
            return ovl_error_set(m->err, OVL_USAGE, "rank %d: what it posts in slot %d is never waited for", rank, i);
    return 0;
}

/* Each step by itself, and the number of teams. */
static int check_steps(struct match *m)
{
    const struct ovl_app_steps *s = m->s;
    for (int r = 0; r < s->ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(s, r, (enum ovl_app_lane)lane);
            for (size_t i = 0; i < list->count; i++) {
                const struct ovl_app_step *t = &list->steps[i];
                if (check_step(s, t, (enum ovl_app_lane)lane) != 0)
                    return ovl_error_set(m->err, OVL_USAGE, "rank %d, step %zu of the %s: no plan may have such a step",
                                         r, i, lane == OVL_LANE_BULK ? "bulk, which posts nothing" : "chain");
                bool begins = t->kind == OVL_APP_POST || t->kind == OVL_APP_SYNC;
                if (begins && t->team >= m->team_count)
                    m->team_count = t->team + 1;
            }
        }
    return 0;
}

static int match_all(struct match *m)
{
    if (check_steps(m) != 0)
        return -1;
    m->out->of = ovl_alloc(m->s->count, sizeof *m->out->of);
    m->teams = ovl_alloc((size_t)m->team_count, sizeof *m->teams);
    m->turn = ovl_alloc((size_t)m->team_count, sizeof *m->turn);
    m->slots = ovl_alloc((size_t)m->s->slots, sizeof *m->slots);
    for (size_t i = 0; i < m->s->count; i++)
        m->out->of[i] = OVL_APP_NO_OP;
    for (int r = 0; r < m->s->ranks; r++)
        if (rank_steps(m, r) != 0)
            return -1;
    for (size_t i = 0; i < m->out->count; i++) {
        const struct ovl_app_op *op = &m->out->ops[i];
        if (op->count != op->ranks)
            return ovl_error_set(m->err, OVL_USAGE, "operation %zu of team %d is for %d ranks, and %d post it",
                                 op->place, op->team, op->ranks, op->count);
    }
    return 0;
}

int ovl_app_ops_match(struct ovl_app_ops *ops, const struct ovl_app_steps *s, struct ovl_error *err)
{
    struct match m = {.s = s, .out = ops, .err = err};
    memset(ops, 0, sizeof *ops);
    int rc = match_all(&m);
    for (int t = 0; t < m.team_count && m.teams; t++)
        free(m.teams[t].ops);
    free(m.teams);
    free(m.turn);
    free(m.slots);
    if (rc != 0)
        ovl_app_ops_free(ops);
    return rc;
}

void ovl_app_ops_free(struct ovl_app_ops *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        free(ops->ops[i].members);
    free(ops->ops);
    free(ops->of);
    memset(ops, 0, sizeof *ops);
}
