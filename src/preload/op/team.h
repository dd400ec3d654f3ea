/* Communicators as teams of the workers. Nothing is communicated for them: the number of a team follows from how its
 * communicator came to be, which all members saw alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_TEAM_H
#define OVL_PRELOAD_OP_TEAM_H

#include "offload/client/client.h"
#include "preload/pmpi/pmpi.h"

#include <stdatomic.h>

struct ovl_group_made; /* how often MPI_Comm_create_group made a communicator of the same members and tag */

struct ovl_comm_team {
    uint64_t id;
    int rank, ranks;
    int *members;           /* ranks in MPI_COMM_WORLD */
    uint64_t made;          /* communicators, from this one, by collective calls */
    _Atomic int uses;       /* the communicator itself, and operations; the last one frees it */
    bool attached;          /* the carrier knows it: from its first operation on */
    struct ovl_team engine; /* the team at the carrier, once `attached` */
    int in_flight, waiting; /* operations that a carrier has; that wait for a slot */
    uint64_t stays; /* number of the last pass over the waiting operations (drain) that had to leave one of this team's
                       waiting */
    struct ovl_group_made *groups;
};

/* The team of MPI_COMM_WORLD; with it all others can be made. */
void ovl_comm_team_begin(void);
void ovl_comm_team_end(void);

/* NULL: its operations stay in the program's MPI library, at all members alike. */
struct ovl_comm_team *ovl_comm_team_of(H comm);

/* Whatever an operation holds; the lock of the library must be free. */
void ovl_comm_team_release(struct ovl_comm_team *team);

/* The number of a communicator that all members of `parent` make together: to be taken before the call. 0 where the
   parent has no team. */
uint64_t ovl_comm_team_next(H parent);
/* The same of one that only the members of `group` make. */
uint64_t ovl_comm_team_next_of_group(H parent, H group, int tag);
/* Gives a new communicator its team. `like` is a communicator of the same members in the same order whose team is taken
   over, or MPI_COMM_NULL: the members are asked for. */
void ovl_comm_team_set(MPI_Comm made, uint64_t number, H like);

/* A team of its own, of the same members, for a persistent collective that all members of `comm` make together: workers
   match operations by their order in the team, and persistent ones may be started in another order at each rank
   (MPI 4.0, 6.13). NULL where the communicator has no team. The caller releases it. */
struct ovl_comm_team *ovl_comm_team_of_persistent(H comm);

#endif
