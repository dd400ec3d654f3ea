/* Ranks of a stage do the same in other teams, and what an operation brings in goes with its bytes: so operations of
   one kind are added up, once for each stage. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/node_links.h"
#include "apps/train/strategy/grid.h"

#include <stdlib.h>

enum { KINDS = OVL_TRAIN_AXES + OVL_OPERATIONS }; /* one on each axis, but on that of all several */

struct ovl_node_link {
    int count;
    struct kind {
        enum ovl_operation operation;
        struct ovl_train_team team;
        double bytes;
    } kinds[KINDS];
};

void ovl_node_links_open(struct ovl_node_links *l, const struct ovl_train_plan *plan, int per_node)
{
    *l = (struct ovl_node_links){
        .plan = plan, .per_node = per_node, .stages = plan->strategy->alike ? 1 : ovl_grid_stages(&plan->ask)};
    l->links = ovl_check_alloc(calloc((size_t)l->stages, sizeof *l->links));
}

/* Bytes of tokens from each member to each one, in both passes, once for all groups of members. */
static void add_tokens(struct ovl_node_links *l)
{
    const struct ovl_moe_counts *c = &l->plan->counts;
    const struct ovl_moe *moe = &l->plan->ask.moe;
    const double hidden = l->plan->ask.model->transformer.hidden, passes = 2 * OVL_TRAIN_WORD;
    const double there = passes * (double)ovl_train_token_words(l->plan, moe->dispatch.bytes * hidden);
    const double back = passes * (double)ovl_train_token_words(l->plan, moe->combine.bytes * hidden);
    size_t m = (size_t)c->members, cells = (size_t)(c->blocks * c->parts);
    if (l->in)
        return;
    l->members = c->members;
    l->in = ovl_check_alloc(calloc(m * m, sizeof *l->in));
    l->out = ovl_check_alloc(calloc(m * m, sizeof *l->out));
    for (size_t i = 0; i < cells * m * m; i++) {
        l->in[i % (m * m)] += there * c->copies[i];
        l->out[i % (m * m)] += back * c->copies[i];
    }
}

/* What comes in over a node's link for a rank. */
static double tokens_in(const struct ovl_node_links *l, int rank)
{
    double in = 0;
    int member = l->members ? rank % l->members : 0;
    for (int m = 0; m < l->members; m++)
        if ((rank - member + m) / l->per_node != rank / l->per_node)
            in += l->in[m * l->members + member] + l->out[member * l->members + m];
    return in;
}

void ovl_node_links_close(struct ovl_node_links *l)
{
    free(l->links);
    free(l->in);
    free(l->out);
    l->links = NULL;
    l->in = l->out = NULL;
}

void ovl_node_links_add(struct ovl_node_links *l, int which)
{
    const struct ovl_events *e = &l->plan->own.events;
    struct ovl_node_link *link = &l->links[which];
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *t = &e->list[e->posted_at[id]];
        int k = 0;
        if (t->route)
            add_tokens(l);
        if (t->route)
            continue;
        if (t->operation == OVL_ISENDRECV && t->from < 0)
            continue;
        while (k < link->count &&
               (link->kinds[k].operation != t->operation || link->kinds[k].team.axis != t->team.axis))
            k++;
        if (k == link->count)
            link->kinds[link->count++] = (struct kind){t->operation, t->team, 0};
        link->kinds[k].bytes += ovl_train_bytes(l->plan, t);
    }
}

static double in_of(const void *of, int first, int end)
{
    const struct ovl_node_links *l = of;
    const struct ovl_train_ask *ask = &l->plan->ask;
    double in = 0;
    for (int r = first; r < end && !l->plan->compressed; r++) {
        in += tokens_in(l, r);
        const struct ovl_node_link *link = &l->links[l->stages > 1 ? ovl_grid_like(ask, r) / ask->tensor : 0];
        for (int k = 0; k < link->count; k++) {
            const struct kind *kind = &link->kinds[k];
            struct ovl_train_team team = l->plan->strategy->alike ? kind->team : ovl_grid_team(ask, kind->team, r);
            if (l->members && team.axis == OVL_AXIS_DATA) /* those with the same experts */
                team.first = r % l->members;
            int here, nodes = ovl_nodes_of_team(team.first, team.ranks, team.stride, l->per_node, r, &here);
            in += ovl_train_link_share(kind->operation, kind->bytes, team.ranks, nodes, here);
        }
    }
    return in;
}

struct ovl_busiest ovl_node_links_busiest(const struct ovl_node_links *l)
{
    return ovl_busiest_of(l->plan->ask.ranks, l->per_node, l->plan->ask.ranks, in_of, l);
}
