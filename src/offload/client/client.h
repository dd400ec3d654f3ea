/* The rank's end of the engine: posting, testing and waiting, memory for messages, and rest for workers. No MPI here;
   engine_mpi.h joins a rank to its worker. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CLIENT_CLIENT_H
#define OVL_OFFLOAD_CLIENT_CLIENT_H

#include "offload/coll/algorithm.h"
#include "offload/mem/path.h"

#include <stdbool.h>

/* Regions that a raddr can name, and teams that a command can. */
enum { OVL_REGIONS = 1 << 16, OVL_TEAMS = 1 << 16 };

/* Slots from OVL_SLOTS on, as the queue has them, and what the rank notes of them. */
struct ovl_more_slots {
    struct ovl_region region;
    uint64_t used[(OVL_MOST_SLOTS - OVL_SLOTS) / 64], in_slot[OVL_MOST_SLOTS - OVL_SLOTS];
};

/* The line from this rank to one worker. */
struct ovl_worker_conn {
    struct ovl_cmdq *cmdq;
    struct ovl_worker_status *status;
    struct ovl_ep *ep;             /* NULL: both are shared with the worker; else they are copies */
    int socket;                    /* to the worker's process, or 0 */
    int bell;                      /* the worker's, or 0 */
    const char *name;              /* "worker 2 on node a" */
    uint64_t used[OVL_SLOTS / 64]; /* a bit per slot that holds something the rank has still to see */
    uint64_t posted, taken;        /* commands; those that the worker was seen to have taken */
    uint32_t parks;                /* ovl_worker_status.parks when this rank allowed it to park */
    uint64_t in_slot[OVL_SLOTS];
    struct ovl_more_slots *more; /* or NULL */
    uint64_t in_area[OVL_AREAS]; /* sequence of the last command with that area */
};

struct ovl_client_ctx {
    int rank; /* among all ranks of the job */
    const struct ovl_mem_path *path;
    struct ovl_worker_conn *conns; /* to each worker that serves this rank's node; [own] is its own worker's */
    int conn_count, own;
    bool oversubscribed;    /* cores are shared: give them away while waiting */
    bool copies_own;        /* the own block, too; not for a worker that stands for a slower one */
    double timeout;         /* seconds without a sign of life after which a worker counts as dead */
    bool cold;              /* each operation registers its memory anew, but for what another one under way uses */
    unsigned registrations; /* at most so many buffers stay registered, but for what is under way; 0: all */
    struct {
        uint64_t sequence; /* of the operation in that slot of the own worker's; of another command it is not */
        unsigned region[2];
    } uses[OVL_SLOTS];                      /* kept where cold, or where registrations go */
    const char *(*worker_name)(int worker); /* for a worker of another node that went silent */

    struct ovl_region *regions;                 /* by address */
    size_t region_count, region_room, promised; /* promised: those of which workers do not know yet */
    uint64_t region_taken[OVL_REGIONS / 64];    /* a bit per number; that of 0 is not used */
    unsigned teams;                             /* ever attached */
    uint64_t team_taken[OVL_TEAMS / 64];        /* a bit per number of those that are attached */

    uint64_t operations, bytes; /* posted since the last ovl_client_proof_begin: what the workers must show */
    uint64_t operations_before, bytes_before;
    /* Since then, of buffers: bytes that workers address, and that they copy through blocks of their own. */
    uint64_t mapped_bytes, staged_bytes;
    /* Since then, of a path that registers: buffers that operations used, and those of them that were registered for
     * it. */
    uint64_t buffer_uses, registered;
};

/* A team of ranks: those of a communicator. */
struct ovl_team {
    uint16_t number; /* of the rank's teams */
    uint64_t id;     /* the leader's rank in the job, and how many teams the leader had attached before */
    int rank, ranks;
};

/* What to post. Buffers lie in memory of ovl_client_alloc, or anywhere where the path is cma. */
struct ovl_coll_args {
    enum ovl_operation operation;
    const struct ovl_team *team;
    const void *send; /* not used in place */
    void *recv;       /* bcast: the buffer */
    size_t bytes;     /* as in struct ovl_coll_shape, as are the next three */
    size_t recv_bytes;
    const struct ovl_algorithm *algorithm;
    const int *send_counts, *send_displs, *recv_counts, *recv_displs;
    size_t payload; /* bytes that it will leave in `recv`: the proof is checked against it */
    bool in_place;  /* of an operation with a root: looked at there only */
    int root, to, from;
    enum ovl_dtype dtype; /* reductions; counts of v-forms count it */
    enum ovl_redop redop;
    float bound; /* allreduce_szx: no number that is compressed is off by more; above 0 */
};

struct ovl_request {
    uint64_t sequence;
    uint32_t slot;
};

/* What can be seen without looking at lists or at other ranks: -1 and OVL_USAGE where the operation, the algorithm, a
   rank that is named, or the bytes of numbers cannot be. */
int ovl_client_check(const struct ovl_coll_args *call, struct ovl_error *err);
/* Of what ovl_client_check lets pass. No MPI, no allocation, and no system call but to wake a worker that sleeps, and
   where cores are shared one beside the copy of a large block that the rank has for itself (client_own.h); but for a
   buffer of a region whose pages were only promised (ovl_client_keep_promise), which are filled then, and with
   registrations, which are made. Waits where OVL_SLOTS operations are outstanding, or OVL_MOST_SLOTS after
   ovl_client_add_slots, and for a worker that has not taken the commands before: for room in the ring, or for their
   arguments. Then -1 as ovl_client_wait. */
int ovl_client_post(struct ovl_client_ctx *h, const struct ovl_coll_args *call, struct ovl_request *request,
                    struct ovl_error *err);
/* Room for OVL_MOST_SLOTS outstanding operations in place of OVL_SLOTS, from now on: 1 MiB of shared memory. With fewer
   than OVL_SLOTS outstanding; not where an endpoint leads to the worker, or each operation registers its memory. */
int ovl_client_add_slots(struct ovl_client_ctx *h, struct ovl_error *err);
/* True when complete. A request may be tested again after that. Never looks whether the worker lives: one who only
   tests should now and then wait for something. */
bool ovl_client_test(struct ovl_client_ctx *h, const struct ovl_request *request);
/* -1 and OVL_ENVIRONMENT when a worker gave up or shows no life: the job cannot go on, not even to MPI_Finalize. */
int ovl_client_wait(struct ovl_client_ctx *h, const struct ovl_request *request, struct ovl_error *err);

/* For who waits by himself, testing, with other things to do meanwhile. Lengths of time are in ns in which this process
   ran: where all were stopped for a while, nobody is late. Zeroed to begin with. */
struct ovl_client_watch {
    int64_t looked;        /* when the worker was last looked at */
    int64_t waited, still; /* since the wait began, and since the worker was last seen to move */
    uint64_t heartbeat;
    /* `waited` when the endpoint was first seen lost, or the worker said that it ends the job; and when it first said
       that another one does not answer, of those times in which it goes on saying so. 0: not yet. */
    int64_t lost, silent;
};

/* Now and then: -1 as ovl_client_wait where the worker gave up or shows no life. Not to be called from two threads. */
int ovl_client_check_worker(struct ovl_client_ctx *h, struct ovl_client_watch *w, struct ovl_error *err);
/* The job is to end, for something that several ranks of a worker may see: has another one reported it? False for the
   first that asks, which reports it. */
bool ovl_client_end_reported(const struct ovl_client_ctx *h);
/* Leaves the core to the worker: sleeps until the request, or with NULL anything, has completed, or for `ns`. Of
   several threads that rest some may sleep for all of `ns`. */
void ovl_client_sleep(struct ovl_client_ctx *h, const struct ovl_request *request, int64_t ns);

/* Memory for messages, zeroed, page aligned, reached by all workers of the node. NULL with *err filled. */
void *ovl_client_alloc(struct ovl_client_ctx *h, size_t bytes, struct ovl_error *err);
/* The same in shared memory, whatever the path, of which workers are told by the first operation that names it; pages
   are taken when they are touched. Where that fails then, it is as memory of the rank's own, which the path must reach.
 */
void *ovl_client_promise(struct ovl_client_ctx *h, size_t bytes, struct ovl_error *err);
/* Memory of the caller's own, page aligned, with a sealed file behind all of it, which workers map; `file` is closed in
   any case. It stays the caller's: ovl_client_leave and ovl_client_free do not unmap it. */
int ovl_client_share(struct ovl_client_ctx *h, void *base, size_t bytes, int file, struct ovl_error *err);
/* With nothing outstanding on it. NULL, and memory that is none of these, are passed over. */
int ovl_client_free(struct ovl_client_ctx *h, void *memory, struct ovl_error *err);

/* Can workers reach this rank's memory by the path? Each of them reads and writes a little of it. -1 with *err where
   one cannot; the path says in it how to allow it. */
int ovl_client_probe(struct ovl_client_ctx *h, const struct ovl_mem_path *path, struct ovl_error *err);

/* Lets the own worker sleep, as soon as all its ranks do and nothing is under way. Returns when it has gone to sleep
   since this rank let it: another rank may have woken it again. -1 with *err where it is lost. */
int ovl_client_park(struct ovl_client_ctx *h, struct ovl_error *err);
/* Lets it sleep, and does not wait for that. */
void ovl_client_allow_park(struct ovl_client_ctx *h);
/* Returns when it is awake. */
int ovl_client_unpark(struct ovl_client_ctx *h, struct ovl_error *err);

/* Proof of offload: from `begin` to `end`, has the worker completed what was posted? `end` returns 0 when it has and
   -1 with both numbers when not; *operations and *bytes are what the worker did. With nothing outstanding. */
void ovl_client_proof_begin(struct ovl_client_ctx *h);
int ovl_client_proof_end(struct ovl_client_ctx *h, uint64_t *operations, uint64_t *bytes, struct ovl_error *err);

/* The most that the own worker has held at once since it began, by enum ovl_high_water. */
void ovl_client_high_water(const struct ovl_client_ctx *h, uint32_t high_water[OVL_HIGH_WATERS]);

/* Attaches a team: `members` are the ranks in the job, in the team's order. Returns when the own worker knows it.
   Members need not wait for each other: what comes for a team is kept until it is attached. An id is used once.
   `members` is not needed afterwards. -1 with *err, and nothing is attached: OVL_USAGE beyond OVL_TEAMS teams,
   OVL_ENVIRONMENT where the worker refuses or is lost. */
int ovl_client_attach(struct ovl_client_ctx *h, struct ovl_team *team, uint64_t id, int rank, int ranks,
                      const int *members, struct ovl_error *err);
/* With nothing outstanding on the team at this rank: what members still send to it is forgotten (worker/gone.c). */
int ovl_client_detach(struct ovl_client_ctx *h, struct ovl_team *team, struct ovl_error *err);

/* The last call: workers are told that this rank needs them no more. All memory of ovl_client_alloc and _promise goes
   with it, also where it returns -1. */
int ovl_client_leave(struct ovl_client_ctx *h, struct ovl_error *err);

#endif
