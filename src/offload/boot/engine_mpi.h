/* The engine in an MPI job: who becomes a worker, how ranks and workers find each other, teams of communicators. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_ENGINE_MPI_H
#define OVL_OFFLOAD_BOOT_ENGINE_MPI_H

#include "offload/boot/job_map.h"
#include "offload/client/client.h"
#include "offload/mem/verbs.h"
#include "offload/worker/worker.h"

#include <mpi.h>

enum { OVL_AUTO = -1 };

struct ovl_engine_options {
    int workers; /* on each node, unless some were started as ovl_worker; 0: only those */
    enum ovl_map map;
    int idle;           /* enum ovl_idle, or OVL_AUTO: sleep where cores are shared, else spin */
    int path;           /* index into ovl_mem_paths, or OVL_AUTO: the first that works */
    bool high_priority; /* workers that sleep when idle ask for a high priority */
    bool tcp;           /* workers reach each other by TCP, at `interface` or, where it is "", at any; else by MPI */
    char interface[16];
    double slowdown, timeout;
    uint64_t memory;        /* bytes of each worker for data on its way; the same of all */
    char device[2][80];     /* NAME[:PORT] of the ranks' adapter and of the workers'; "": the nearest */
    const char *dpu_map;    /* file that says which nodes are DPUs of which, or NULL; only the leader's counts */
    bool cold;              /* each operation registers its memory anew */
    unsigned registrations; /* at most so many buffers of a rank stay registered; 0: all */
    int pretend_nodes;      /* tests: each so many processes in a row count as a node; 0: MPI's nodes */
};

extern const struct ovl_engine_options ovl_engine_options_default;

struct ovl_engine {
    struct ovl_engine_options options;
    struct ovl_job_map job_map;
    bool worker;            /* this process is one */
    bool first;             /* this process speaks for the job */
    int world_rank, leader; /* world rank of the one that does */
    char rendezvous[32];    /* UCX_RNDV_THRESH of the workers, "" where unset */
    bool tuned;             /* the engine set it, not the user */
    MPI_Comm comm;          /* the ranks, or the workers: each has its own */
    enum ovl_idle idle;
    bool raised;                  /* all workers have got the high priority that was asked for */
    struct ovl_client_ctx client; /* of a rank, once connected */
    bool connected;
    int *sockets;           /* of a rank to each worker, of a worker to each rank; 0: none. Until the parting */
    struct ovl_shared mine; /* of a rank its command queues, of a worker its status page */
    struct ovl_shared *others;
    int other_count;
    bool remote;             /* ranks and workers are joined by endpoints, not by shared memory */
    struct ovl_verbs *verbs; /* this process's adapter, where `remote` */
    struct ovl_ep **eps;     /* of a rank one, of a worker one for each of its ranks, in their order */
    int ep_count;
    unsigned bluefield; /* wired, and all workers are on BlueFields of another machine: the lowest generation */
};

/* Before MPI_Init: in a process that will be a worker, as far as the launcher's variables tell (it is among the last
   `workers` of its node; workers < 0: in any case), sets what workers want of the MPI library unless the user has set
   it: UCX_RNDV_THRESH=inf, no rendezvous, which would wait for a processor at the other side. */
void ovl_engine_prepare(int workers);

/* Collective over MPI_COMM_WORLD, first of all: what each process says of itself. A process that cannot go on gives
   `err` with its code and text, one that has nothing to do (--help) `leave`; then all leave: -1 everywhere, err->code
   being the largest code. On -1 the process with e->first has err->text to print, unless it is empty. The options that
   count are those of the first process that is no ovl_worker. Afterwards e->comm holds the ranks, or the workers. */
int ovl_engine_bootstrap(struct ovl_engine *e, bool worker_program, const struct ovl_engine_options *options,
                         bool leave, struct ovl_error *err);

/* Collective over MPI_COMM_WORLD: workers serve until their ranks leave, and then return; ranks return connected, with
   a path that was probed. On -1 all ranks have the same error; those that are connected all the same must release their
   workers. Ranks of a job without workers return 0 and are not connected. A worker that gives up does not return. */
int ovl_engine_connect(struct ovl_engine *e, struct ovl_error *err);

/* What the results of connected workers stand for: "emulated-processor" where some process has one; "bluefield" where
   all of them run on aarch64, on BlueFields of other machines than their ranks; "other-machine", or "host-core". */
const char *ovl_engine_placement(const struct ovl_engine *e);

/* Ranks of the same number are on one node, as workers see it: by endpoints these are the ranks of one worker. */
int ovl_engine_node(const struct ovl_engine *e, int rank);

/* At ranks, collective: the workers leave their loops, and teams and memory go. -1 as ovl_client_wait. At workers:
   gives back what they mapped. Where nothing is connected, nothing. */
int ovl_engine_release(struct ovl_engine *e, struct ovl_error *err);
/* Collective over MPI_COMM_WORLD, last: the leader's exit code everywhere. Also after ovl_engine_bootstrap has failed.
 */
int ovl_engine_agree_exit_code(struct ovl_engine *e, int code);

/* Collective over `comm`, a communicator of ranks: not for timed parts. */
int ovl_engine_attach(struct ovl_engine *e, struct ovl_team *team, MPI_Comm comm, struct ovl_error *err);
int ovl_engine_detach(struct ovl_engine *e, struct ovl_team *team, MPI_Comm comm, struct ovl_error *err);

/* Collective over the ranks: memory at all of them, or at none. With --path auto, where one has no room for shared
   memory, all take the next path from then on. */
int ovl_engine_alloc(struct ovl_engine *e, void **memory, size_t bytes, struct ovl_error *err);

/* MPI_Finalize after the parting; returns the code. Where it does not come back in 5 s, and 10 ms more for each
   process, the process leaves with the code all the same: everything is said and written by then. UCX's tcp transport
   is known to hang there, with any program (https://github.com/openucx/ucx/issues/8738), and with three processes
   mostly does. Under srun a code other than 0 ends all processes at once, without MPI_Finalize. */
int ovl_engine_finalize(int code);

/* Says why on stderr, unless there is no text, and ends the job with that error's code: not even MPI_Finalize can be
   reached any more. Under srun, where MPI_Abort's code is lost, by a signal to the whole step (USR2); a process that
   was killed still makes srun's code 137. */
_Noreturn void ovl_engine_abort(const char *program, const struct ovl_error *err);

#endif
