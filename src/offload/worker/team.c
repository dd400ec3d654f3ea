/* The teams of all clients. What a team of so many ranks needs is kept once for all teams of the same members, since
 * most are those of a communicator at each of a worker's ranks, or of its copies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "offload/worker/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_worker_team **bucket_of(const struct ovl_team_table *t, uint64_t id, int rank)
{
    return &t->bucket[ovl_rng_mix(id ^ ovl_rng_mix((uint64_t)rank)) & (t->buckets - 1)];
}

struct ovl_worker_team *ovl_team_find(const struct ovl_worker *w, uint64_t id, int rank)
{
    struct ovl_worker_team *team = w->teams.bucket ? *bucket_of(&w->teams, id, rank) : NULL;
    while (team && (team->id != id || team->rank != rank))
        team = team->next;
    return team;
}

static void link_team(struct ovl_team_table *t, struct ovl_worker_team *team)
{
    struct ovl_worker_team **at = bucket_of(t, team->id, team->rank);
    team->next = *at;
    *at = team;
}

/* Room for one more: twice as many buckets as teams, or as many as before where there is no memory. */
static int make_room(struct ovl_team_table *t)
{
    enum { LEAST = 64 };
    size_t buckets = t->buckets ? 2 * t->buckets : LEAST, before = t->buckets;
    if (t->count < t->buckets)
        return 0;
    struct ovl_worker_team **old = t->bucket, **more = calloc(buckets, sizeof *more);
    if (!more)
        return old ? 0 : ENOMEM;
    t->bucket = more;
    t->buckets = buckets;
    for (size_t b = 0; b < before; b++)
        for (struct ovl_worker_team *team = old[b], *next; team; team = next) {
            next = team->next;
            link_team(t, team);
        }
    free(old);
    return 0;
}

static uint64_t hash_of(const int *world_rank, int ranks)
{
    uint64_t hash = (uint64_t)ranks;
    for (int r = 0; r < ranks; r++)
        hash = ovl_rng_mix(hash ^ (uint64_t)(uint32_t)world_rank[r]);
    return hash;
}

static void free_members(struct ovl_members *m)
{
    free(m->world_rank);
    ovl_placement_free(&m->placement);
    free(m);
}

static struct ovl_members *make_members(const struct ovl_worker *w, const int *world_rank, int ranks)
{
    struct ovl_members *m = calloc(1, sizeof *m);
    size_t bytes = (size_t)ranks * sizeof *world_rank;
    int *node = malloc(bytes + 1);
    if (m && (m->world_rank = malloc(bytes + 1)) && node) {
        memcpy(m->world_rank, world_rank, bytes);
        for (int r = 0; r < ranks; r++)
            node[r] = w->config.peers[world_rank[r]].node;
        m->ranks = ranks;
        if (ovl_placement_make(&m->placement, node, ranks) == 0) {
            free(node);
            return m;
        }
    }
    free(node);
    if (m)
        free_members(m);
    return NULL;
}

/* Those that are there, or new ones; NULL when there is no memory. */
static struct ovl_members *share_members(struct ovl_worker *w, const int *world_rank, int ranks)
{
    uint64_t hash = hash_of(world_rank, ranks);
    struct ovl_members **at = &w->teams.members[hash % OVL_MEMBER_BUCKETS], *m = *at;
    while (m && (m->hash != hash || m->ranks != ranks ||
                 memcmp(m->world_rank, world_rank, (size_t)ranks * sizeof *world_rank) != 0))
        m = m->next;
    if (!m && (m = make_members(w, world_rank, ranks))) {
        m->hash = hash;
        m->next = *at;
        *at = m;
    }
    if (m)
        m->uses++;
    return m;
}

static void leave_members(struct ovl_worker *w, struct ovl_members *m)
{
    struct ovl_members **at = &w->teams.members[m->hash % OVL_MEMBER_BUCKETS];
    if (--m->uses > 0)
        return;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    free_members(m);
}

static int make_client_room(struct ovl_client *c, unsigned number)
{
    if (number < c->team_room)
        return 0;
    size_t room = 2 * (size_t)number + 8;
    struct ovl_worker_team **more = realloc(c->teams, room * sizeof(struct ovl_worker_team *));
    if (!more)
        return ENOMEM;
    memset(more + c->team_room, 0, (room - c->team_room) * sizeof(struct ovl_worker_team *));
    c->teams = more;
    c->team_room = room;
    return 0;
}

int ovl_team_attach(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k)
{
    if (make_client_room(c, k->team) != 0 || make_room(&w->teams) != 0)
        return ENOMEM;
    struct ovl_worker_team *team = calloc(1, sizeof *team);
    struct ovl_members *m = team ? share_members(w, ovl_cmdq_args(c->cmdq, k), (int)k->ranks) : NULL;
    if (!m) {
        free(team);
        return ENOMEM;
    }
    *team = (struct ovl_worker_team){.id = k->send,
                                     .rank = (int)k->rank,
                                     .ranks = m->ranks,
                                     .world_rank = m->world_rank,
                                     .node = m->placement.node,
                                     .members = m};
    link_team(&w->teams, team);
    w->teams.count++;
    c->teams[k->team] = team;
    return 0;
}

static void free_team(struct ovl_worker *w, struct ovl_worker_team *team)
{
    struct ovl_worker_team **at = bucket_of(&w->teams, team->id, team->rank);
    while (*at != team)
        at = &(*at)->next;
    *at = team->next;
    w->teams.count--;
    leave_members(w, team->members);
    free(team);
}

void ovl_team_detach(struct ovl_worker *w, struct ovl_client *c, unsigned number)
{
    struct ovl_worker_team *team = number < c->team_room ? c->teams[number] : NULL;
    if (!team)
        return;
    if (team->early)
        ovl_gone_add(w, team);
    ovl_cache_drop(w, team);
    free_team(w, team);
    c->teams[number] = NULL;
}

void ovl_teams_free(struct ovl_worker *w, struct ovl_client *c)
{
    for (size_t t = 0; t < c->team_room; t++)
        if (c->teams[t])
            free_team(w, c->teams[t]);
    free(c->teams);
    c->teams = NULL;
    c->team_room = 0;
}
