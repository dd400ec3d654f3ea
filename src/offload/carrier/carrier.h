/* Carriers: workers without MPI, in processes of their own, which one process of each node starts and which are joined
 * by addresses alone. What processes must tell each other is plain bytes; how it travels is the caller's (an
 * allgather):
 *
 *   one process of a node     ovl_carrier_start for each carrier there, which gives its address
 *   all                       gather the addresses, and agree on the job
 *   those who started one     ovl_carrier_send_job: the carriers join each other and wait for their ranks
 *   all                       ovl_carrier_attach: the rank's end is ready; agree whether all are
 *   all                       ovl_client_attach and so on, as of any worker (client.h); at the end ovl_client_leave
 *   all                       ovl_carrier_detach
 *
 * A carrier ends by itself when its ranks have left; when one of them has died and the others have read why, or the
 * job's timeout has gone by; and when whoever started it is gone, or has sent no job for ten minutes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CARRIER_CARRIER_H
#define OVL_OFFLOAD_CARRIER_CARRIER_H

#include "offload/client/client.h"
#include "offload/mem/local.h"
#include "offload/transport/tcp_join.h"
#include "offload/worker/worker.h"

#include <sched.h>

/* Where others find a carrier. */
struct ovl_carrier_address {
    struct ovl_tcp_address tcp; /* where other carriers connect */
    char local[OVL_LOCAL_NAME]; /* where ranks of its node connect */
    char node[64];
    int32_t pid;
};

/* What all ranks and carriers have in common. Carriers are numbered in the order of the addresses. */
struct ovl_carrier_job {
    int ranks, carriers;
    const struct ovl_carrier_address *addresses;
    const struct ovl_rank_info *peers; /* of each rank its carrier (`worker`), and any number for its node */
    int idle;                          /* enum ovl_idle */
    bool high;                /* carriers that sleep when idle ask for a high priority: ovl_worker_raise_process */
    double slowdown, timeout; /* as in struct ovl_worker_config; `timeout` is also the time to join and attach */
    uint64_t memory;          /* ovl_worker_limits_of */
};

/* A carrier at the process that started it. */
struct ovl_carrier {
    int socket;
    struct ovl_carrier_address address;
};

/* Starts the program (ovl_carrier) on `cpus` (NULL: on all that this process may have), in a session of its own, with
   nothing of this process but stderr, and that only until it answers. It listens at `host`, a numeric address of this
   machine that other nodes reach, and has answered by the address within `seconds`. -1 and OVL_ENVIRONMENT with nothing
   left behind. */
int ovl_carrier_start(struct ovl_carrier *c, const char *program, const char *host, const cpu_set_t *cpus,
                      double seconds, struct ovl_error *err);

/* Sends it the job, and its number among the carriers. Does not wait: what goes wrong there is what
   ovl_carrier_attach says. */
int ovl_carrier_send_job(struct ovl_carrier *c, const struct ovl_carrier_job *job, int number, struct ovl_error *err);

/* Closes the socket to it: a carrier that has got its job lives on, any other ends. May be called twice. */
void ovl_carrier_release(struct ovl_carrier *c);

/* Has the carrier the high priority? Of one of this machine that was attached; false where that cannot be known. */
bool ovl_carrier_raised(const struct ovl_carrier_address *address);

/* A rank's end, which its ovl_client_ctx stands on. */
struct ovl_carrier_conns {
    struct ovl_shared mine, *status; /* the rank's queues; the status page of each carrier of its node */
    int *sockets, *bells;
    char (*name)[96];
    int count;
};

/* Joins a rank with the carriers of its node: fills `conns` and *h but for its path, which ovl_client_probe finds. -1
   with nothing left open: a carrier is not there, or what it says why it cannot serve, such as that it does not reach
   another one. */
int ovl_carrier_attach(struct ovl_carrier_conns *conns, struct ovl_client_ctx *h, const struct ovl_carrier_job *job,
                       int rank, struct ovl_error *err);
/* After ovl_client_leave, or to give up. */
void ovl_carrier_detach(struct ovl_carrier_conns *conns, struct ovl_client_ctx *h);

#endif
