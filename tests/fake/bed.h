/* Workers and ranks in one thread, stepped in an order that follows from a seed: the engine's own code between ranks
 * whose posts and waits are a legal program, a transport that delivers in any order that MPI allows, and endpoints
 * whose RDMA ends in any order. A hang is seen at once: somebody has not finished, and nothing can step. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_BED_H
#define OVL_TESTS_FAKE_BED_H

#include "offload/worker/worker.h"
#include "tests/fake/deal.h"

enum { BED_RANKS = 17, BED_WORKERS = 17, BED_TEAMS = 3, BED_OPS = 96, BED_ACTIONS = 2 * BED_OPS, BED_FRAGMENT = 256 };

/* How workers reach memory: they address it, they copy it (cma), or by endpoints. */
enum bed_path { BED_DIRECT, BED_STAGED, BED_REMOTE, BED_PATHS };

/* The engine's rules (src/README) that a test may break, to see that they are needed: bits. */
enum bed_rule { BED_R1 = 1, BED_R2 = 2, BED_R3 = 4, BED_R4 = 8 };

struct bed_action {
    bool wait;
    int op;
};

/* Who does what. Ranks post the operations of a team in one order, those of several teams in any; a rank waits for an
   operation only when it has posted all of its own that come before it in the array, so that the program is legal. */
struct bed_job {
    int ranks, workers, node[BED_RANKS], worker[BED_RANKS];
    enum bed_path path;
    struct ovl_worker_limits limits;
    int window;           /* of the schedules */
    unsigned broken;      /* enum bed_rule */
    bool late[BED_RANKS]; /* steps only when nobody else can */
    bool strict;          /* no send completes before its receive has been polled */
    int stuck;            /* the rank whose endpoint ends nothing, or -1 */
    int teams, members[BED_TEAMS], member[BED_TEAMS][BED_RANKS];
    int ops, team[BED_OPS];
    struct deal deal[BED_OPS];
    int actions[BED_RANKS];
    struct bed_action action[BED_RANKS][BED_ACTIONS];
};

/* One of many, by its seed: all operations, 1 to 17 ranks, 1 to 4 workers, pools of one, two, three and more. */
void bed_job_of(struct bed_job *job, uint64_t seed);
/* Fills in the actions: posts in some order; waits as early as is legal now and then, or all at the end. */
void bed_job_actions(struct bed_job *job, uint64_t seed, bool waits_early);

/* One made by hand: ranks on nodes of their own, a worker each, a team of all; pools of `pool`, no eager messages. */
void bed_job_begin(struct bed_job *job, int ranks, enum bed_path path, int pool);
void bed_add_team(struct bed_job *job, int n, const int *members);
/* Returns its number. */
int bed_add_operation(struct bed_job *job, enum ovl_operation operation, int team, size_t count);
void bed_act(struct bed_job *job, int rank, bool wait, int op);

/* a posts X then Y; b posts Y, waits for it, and then posts X: a's only receive must not be granted to X before b has
   begun it. */
void bed_opposite_orders(struct bed_job *job, enum bed_path path, int pool, enum ovl_operation operation);

enum bed_end { BED_FINE, BED_HANGS, BED_WRONG };

struct bed_result {
    enum bed_end end;
    char text[256]; /* what is wrong, or who has not finished */
    int unfinished; /* ranks */
    bool finished[BED_RANKS];
    uint64_t steps;
    uint64_t messages[OVL_CTRL_KINDS], data; /* sent */
    uint64_t cts_behind_data;                /* to the same worker, in one turn of the sender's loop */
    uint32_t high_water[OVL_HIGH_WATERS];    /* the largest of all workers */
    int64_t completed[BED_OPS][BED_RANKS];   /* step at which a rank saw it complete */
};

/* Runs it in the order of a seed. */
struct bed_result bed_run(const struct bed_job *job, uint64_t seed);

/* Runs it in rounds, in each of which all arrives that was sent before: `steps` counts them. */
struct bed_result bed_run_in_rounds(const struct bed_job *job);

/* Runs it in all orders of arrival there are, up to `most` of them; workers do all they can in between. The first that
   is not fine, or the last. *orders: how many were run. */
struct bed_result bed_run_all(const struct bed_job *job, uint64_t most, uint64_t *orders);

#endif
