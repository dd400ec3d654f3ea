/* The rank's end of the engine: posting, testing and waiting, memory for messages, and rest for workers. No MPI here;
   connect_mpi.h makes a host of a rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_HOST_H
#define OVL_OFFLOAD_HOST_H

#include "offload/operation.h"
#include "offload/path.h"

#include <stdbool.h>

/* The line from this rank to one worker. */
struct ovl_link {
    struct ovl_channel *segment;
    struct ovl_board *board;
    struct ovl_wire *wire; /* NULL: both are shared with the worker; else they are copies */
    int process;           /* a pidfd of the worker, or 0 */
    const char *name;      /* "worker 2 on node a" */
    uint64_t free;         /* a bit per slot that holds nothing the rank has still to see */
    uint64_t posted;       /* commands */
    uint64_t in_slot[OVL_SLOTS];
};

struct ovl_host {
    int rank; /* among all ranks of the job */
    const struct ovl_path *path;
    struct ovl_link *lines; /* to each worker that serves this rank's node; [own] is its own worker's */
    int line_count, own;
    bool crowded;   /* cores are shared: give them away while waiting */
    double timeout; /* seconds without a sign of life after which a worker counts as dead */
    bool cold;      /* each operation registers its memory anew, which is then of no other operation under way */
    const char *(*worker_name)(int worker); /* for a worker of another node that went silent */

    struct ovl_region *regions; /* by address */
    size_t region_count, region_room;
    unsigned region_numbers; /* ever given */
    unsigned teams;          /* ever attached */

    uint64_t operations, bytes; /* posted since the last ovl_host_proof_begin: what the workers must show */
    uint64_t operations_before, bytes_before;
};

/* A team of ranks: those of a communicator. */
struct ovl_team {
    uint16_t number; /* of the rank's teams */
    uint64_t id;     /* the leader's rank in the job, and how many teams the leader had attached before */
    int rank, ranks;
};

/* What to post. Buffers lie in memory of ovl_host_obtain, or anywhere where the path is cma. */
struct ovl_call {
    enum ovl_operation operation;
    const struct ovl_team *team;
    const void *send; /* not used in place */
    void *recv;       /* bcast: the buffer */
    size_t bytes;     /* as in struct ovl_shape */
    size_t payload;   /* bytes that it will leave in `recv`: the proof is checked against it */
    bool in_place;
    int root;
    enum ovl_number number; /* reductions; counts of v-forms count it */
    enum ovl_combiner combiner;
    const int *send_counts, *send_displs, *recv_counts, *recv_displs; /* as in struct ovl_shape */
};

struct ovl_ticket {
    uint64_t sequence;
    uint32_t slot;
};

/* No system call, no MPI, no allocation. Waits only where 64 operations are outstanding; then -1 as ovl_host_wait. */
int ovl_host_post(struct ovl_host *h, const struct ovl_call *call, struct ovl_ticket *ticket, struct ovl_error *err);
/* True when complete. A ticket may be tested again after that. */
bool ovl_host_test(struct ovl_host *h, const struct ovl_ticket *ticket);
/* -1 and OVL_ENVIRONMENT when a worker gave up or shows no life: the job cannot go on, not even to MPI_Finalize. */
int ovl_host_wait(struct ovl_host *h, const struct ovl_ticket *ticket, struct ovl_error *err);

/* Memory for messages, zeroed, page aligned, reached by all workers of the node. NULL with *err filled. */
void *ovl_host_obtain(struct ovl_host *h, size_t bytes, struct ovl_error *err);
/* With nothing outstanding on it. NULL is passed over. */
int ovl_host_abandon(struct ovl_host *h, void *memory, struct ovl_error *err);

/* Whether workers can reach this rank's memory by the path: each of them reads and writes a little of it. */
int ovl_host_probe(struct ovl_host *h, const struct ovl_path *path, struct ovl_error *err);

/* Lets the own worker sleep, as soon as all its ranks do and nothing is under way. Returns when it sleeps. */
int ovl_host_rest(struct ovl_host *h, struct ovl_error *err);
/* Lets it sleep, and does not wait for that. */
void ovl_host_may_rest(struct ovl_host *h);
/* Returns when it is awake. */
int ovl_host_rouse(struct ovl_host *h, struct ovl_error *err);

/* Proof of offload: from `begin` to `end`, has the worker completed what was posted? `end` returns 0 when it has and
   -1 with both numbers when not; *operations and *bytes are what the worker did. With nothing outstanding. */
void ovl_host_proof_begin(struct ovl_host *h);
int ovl_host_proof_end(struct ovl_host *h, uint64_t *operations, uint64_t *bytes, struct ovl_error *err);

/* Attaches a team: `members` are the ranks in the job, in the team's order. Returns when the own worker knows it; all
   members must have returned before one posts to it. */
int ovl_host_attach(struct ovl_host *h, struct ovl_team *team, uint64_t id, int rank, int ranks, const int *members,
                    struct ovl_error *err);
/* With nothing outstanding on the team at any member. */
int ovl_host_detach(struct ovl_host *h, struct ovl_team *team, struct ovl_error *err);

/* The last call: workers are told that this rank needs them no more. */
int ovl_host_leave(struct ovl_host *h, struct ovl_error *err);

#endif
