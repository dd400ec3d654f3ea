/* Communicators as teams: numbers, members, and an attribute that goes with the communicator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/team.h"
#include "base/rng.h"
#include "preload/library/state.h"

#include <stdlib.h>
#include <string.h>

struct ovl_group_made {
    uint64_t key, times;
    struct ovl_group_made *next;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    return ovl_rng_mix(ovl_rng_mix(a) ^ b);
}

static void detach(struct ovl_comm_team *t)
{
    struct ovl_error err;
    pthread_mutex_lock(&ovl_library.lock);
    int rc = t->attached && ovl_library.on ? ovl_client_detach(&ovl_library.client, &t->engine, &err) : 0;
    pthread_mutex_unlock(&ovl_library.lock);
    if (rc != 0)
        ovl_library_die(&err);
}

void ovl_comm_team_release(struct ovl_comm_team *t)
{
    if (atomic_fetch_sub(&t->uses, 1) > 1)
        return;
    detach(t);
    for (struct ovl_group_made *g = t->groups, *next; g; g = next) {
        next = g->next;
        free(g);
    }
    free(t->members);
    free(t);
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    ovl_comm_team_release(value);
    return MPI_SUCCESS;
}

static int do_not_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

struct ovl_comm_team *ovl_comm_team_of(H comm)
{
    void *value = NULL;
    int flag = 0;
    P->Comm_get_attr(comm, ovl_library.keyval, &value, &flag);
    return flag ? value : NULL;
}

/* The ranks in MPI_COMM_WORLD of a group's members; NULL where one is of another world. The caller frees it. */
static int *world_ranks(H group, int *count)
{
    MPI_Group world;
    P->Group_size(group, count);
    int n = *count, *of = ovl_library_check_alloc(malloc((size_t)n * sizeof *of)),
        *to = ovl_library_check_alloc(malloc((size_t)n * sizeof *to));
    for (int r = 0; r < n; r++)
        of[r] = r;
    P->Comm_group(MPI_COMM_WORLD, &world);
    P->Group_translate_ranks(group, n, of, world, to);
    P->Group_free(&world);
    free(of);
    for (int r = 0; r < n; r++)
        if (to[r] == MPI_UNDEFINED) {
            free(to);
            return NULL;
        }
    return to;
}

static int *members_of(MPI_Comm comm, int *count)
{
    MPI_Group group;
    P->Comm_group(comm, &group);
    int *members = world_ranks(group, count);
    P->Group_free(&group);
    return members;
}

static int lowest(const int *members, int count)
{
    int least = members[0];
    for (int r = 1; r < count; r++)
        least = members[r] < least ? members[r] : least;
    return least;
}

/* The members become the team's. */
static struct ovl_comm_team *team_of(uint64_t number, int *members, int count)
{
    struct ovl_comm_team *t = ovl_library_check_alloc(calloc(1, sizeof *t));
    t->id = mix(number, (uint64_t)lowest(members, count));
    t->members = members;
    t->ranks = count;
    t->uses = 1;
    while (members[t->rank] != ovl_library.rank)
        t->rank++;
    return t;
}

static int *same_members(const struct ovl_comm_team *t)
{
    size_t bytes = (size_t)t->ranks * sizeof *t->members;
    return memcpy(ovl_library_check_alloc(malloc(bytes)), t->members, bytes);
}

void ovl_comm_team_begin(void)
{
    int count, *members;
    P->Comm_create_keyval(do_not_copy, on_delete, &ovl_library.keyval, NULL);
    members = members_of(MPI_COMM_WORLD, &count);
    P->Comm_set_attr(MPI_COMM_WORLD, ovl_library.keyval, team_of(1, members, count));
}

void ovl_comm_team_end(void)
{
    P->Comm_delete_attr(MPI_COMM_WORLD, ovl_library.keyval);
    P->Comm_free_keyval(&ovl_library.keyval);
}

uint64_t ovl_comm_team_next(H parent)
{
    struct ovl_comm_team *t = ovl_library.on && (MPI_Comm)parent != MPI_COMM_NULL ? ovl_comm_team_of(parent) : NULL;
    return t ? mix(t->id, 2 * ++t->made) : 0;
}

/* The callers need not be all members of the parent, so that its counter would not do. */
uint64_t ovl_comm_team_next_of_group(H parent, H group, int tag)
{
    struct ovl_comm_team *t = ovl_library.on && (MPI_Comm)parent != MPI_COMM_NULL ? ovl_comm_team_of(parent) : NULL;
    bool asks = t && (MPI_Group)group != MPI_GROUP_NULL; /* MPI refuses that by the communicator's error handler */
    int count, *members = asks ? world_ranks(group, &count) : NULL;
    if (!members)
        return 0;
    uint64_t key = mix(t->id, (uint64_t)tag);
    for (int r = 0; r < count; r++)
        key = mix(key, (uint64_t)members[r]);
    free(members);
    pthread_mutex_lock(&ovl_library.lock);
    struct ovl_group_made *g = t->groups;
    while (g && g->key != key)
        g = g->next;
    if (!g) {
        g = ovl_library_check_alloc(calloc(1, sizeof *g));
        g->key = key;
        g->next = t->groups;
        t->groups = g;
    }
    uint64_t number = mix(key, 2 * ++g->times + 1);
    pthread_mutex_unlock(&ovl_library.lock);
    return number;
}

void ovl_comm_team_set(MPI_Comm made, uint64_t number, H like)
{
    int count, *members, inter = 0;
    struct ovl_comm_team *t;
    if (number == 0 || made == MPI_COMM_NULL)
        return;
    if ((MPI_Comm)like != MPI_COMM_NULL) {
        if (!(t = ovl_comm_team_of(like)))
            return;
        count = t->ranks;
        members = same_members(t);
    } else {
        P->Comm_test_inter(made, &inter);
        members = inter ? NULL : members_of(made, &count);
        if (!members)
            return;
    }
    P->Comm_set_attr(made, ovl_library.keyval, team_of(number, members, count));
}

struct ovl_comm_team *ovl_comm_team_of_persistent(H comm)
{
    struct ovl_comm_team *t = ovl_comm_team_of(comm);
    return t ? team_of(ovl_comm_team_next(comm), same_members(t), t->ranks) : NULL;
}
