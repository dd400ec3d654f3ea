/* A rank connects to all carriers of its node; its own one does its operations, the others only reach its memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/carrier/handshake.h"
#include "offload/mem/bell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const char *name_of(int carrier)
{
    static char text[40];
    snprintf(text, sizeof text, "carrier %d", carrier);
    return text;
}

/* Those of a node are the ones that its ranks name. The first of them from `carrier` on, or `carriers`. */
static int next_of_node(const struct ovl_carrier_job *job, int node, int carrier)
{
    int best = job->carriers;
    for (int r = 0; r < job->ranks; r++)
        if (job->peers[r].node == node && job->peers[r].worker >= carrier && job->peers[r].worker < best)
            best = job->peers[r].worker;
    return best;
}

static int make_conns(struct ovl_carrier_conns *e, struct ovl_client_ctx *h, const struct ovl_carrier_job *job,
                      int rank, struct ovl_error *err)
{
    const struct ovl_rank_info *me = &job->peers[rank];
    for (int c = -1; (c = next_of_node(job, me->node, c + 1)) < job->carriers; e->count++)
        if (c == me->worker)
            h->own = e->count;
    e->sockets = calloc((size_t)e->count, sizeof *e->sockets);
    e->bells = calloc((size_t)e->count, sizeof *e->bells);
    e->status = calloc((size_t)e->count, sizeof *e->status);
    e->name = calloc((size_t)e->count, sizeof *e->name);
    h->conns = calloc((size_t)e->count, sizeof *h->conns);
    if (!e->sockets || !e->bells || !e->status || !e->name || !h->conns)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of carriers");
    if (ovl_shared_create(&e->mine, ovl_cmdq_set_bytes(e->count, job->ranks), err) != 0)
        return -1;
    ovl_cmdq_set_init(e->mine.base, e->count, h->own, rank, job->ranks);
    return 0;
}

/* Has the carrier sent an error in place of its status page? */
static bool refused(int socket, struct ovl_error *why)
{
    ssize_t n;
    do
        n = recv(socket, why, sizeof *why, MSG_PEEK | MSG_DONTWAIT);
    while (n < 0 && (errno == EINTR || errno == ECONNRESET)); /* told once, before what was sent */
    why->text[sizeof why->text - 1] = '\0';
    return n == sizeof *why;
}

static double seconds_until(int64_t end)
{
    int64_t left = end - ovl_clock_ns();
    return left > 0 ? 1e-9 * (double)left : 0;
}

/* The carrier gives its status page when it has taken the rank's queues, or says why it cannot. */
static int join(struct ovl_carrier_conns *e, int i, const struct ovl_carrier_address *address, int rank, double seconds,
                struct ovl_error *err)
{
    struct ovl_error theirs;
    int64_t end = ovl_clock_ns() + (int64_t)(1e9 * seconds);
    e->sockets[i] = ovl_local_connect(address->local, rank, seconds);
    if (!e->sockets[i])
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s is not there any more, or of another user", e->name[i]);
    int why = ovl_local_send_file(e->sockets[i], 0, e->mine.file); /* fails where the carrier has refused already */
    if (!ovl_timed_wait(e->sockets[i], seconds_until(end)))
        why = ETIMEDOUT;
    else if (refused(e->sockets[i], &theirs))
        return ovl_error_set(err, theirs.code, "%s: %s", e->name[i], theirs.text);
    if (why == 0)
        why = ovl_shared_map(&e->status[i], e->sockets[i], 0);
    if (why == 0 && !ovl_timed_wait(e->sockets[i], seconds_until(end)))
        why = ETIMEDOUT;
    if (why == 0 && !(e->bells[i] = ovl_local_receive_file(e->sockets[i], OVL_BELL_NUMBER)))
        why = errno;
    return why == 0 ? 0
                    : ovl_error_set(err, OVL_ENVIRONMENT, "%s did not take rank %d in: %s", e->name[i], rank,
                                    why == ETIMEDOUT ? "it gave no answer within the time"
                                    : why == EBADMSG || why == ECONNRESET || why == EPIPE ? "it ended before"
                                                                                          : strerror(why));
}

int ovl_carrier_attach(struct ovl_carrier_conns *conns, struct ovl_client_ctx *h, const struct ovl_carrier_job *job,
                       int rank, struct ovl_error *err)
{
    *conns = (struct ovl_carrier_conns){.count = 0};
    *h = (struct ovl_client_ctx){.rank = rank,
                                 .oversubscribed = job->idle != OVL_IDLE_SPIN,
                                 .copies_own = job->idle != OVL_IDLE_SPIN && job->slowdown <= 1,
                                 .timeout = job->timeout,
                                 .worker_name = name_of};
    int rc = make_conns(conns, h, job, rank, err);
    for (int i = 0, c = -1; i < conns->count && rc == 0; i++) {
        c = next_of_node(job, job->peers[rank].node, c + 1);
        const struct ovl_carrier_address *address = &job->addresses[c];
        snprintf(conns->name[i], sizeof *conns->name, "carrier %d (process %d) on node %.40s", c, address->pid,
                 address->node);
        rc = join(conns, i, address, rank, job->timeout, err);
        h->conns[h->conn_count++] = (struct ovl_worker_conn){.cmdq = ovl_cmdq_of_set(conns->mine.base, i),
                                                             .status = conns->status[i].base,
                                                             .socket = conns->sockets[i],
                                                             .bell = conns->bells[i],
                                                             .name = conns->name[i]};
    }
    ovl_shared_close_file(&conns->mine);
    if (rc != 0)
        ovl_carrier_detach(conns, h);
    return rc;
}

void ovl_carrier_detach(struct ovl_carrier_conns *conns, struct ovl_client_ctx *h)
{
    for (int i = 0; i < conns->count; i++) {
        if (conns->status)
            ovl_shared_close(&conns->status[i]);
        if (conns->sockets)
            ovl_local_close(&conns->sockets[i]);
        if (conns->bells)
            ovl_local_close(&conns->bells[i]);
    }
    ovl_shared_close(&conns->mine);
    free(conns->status);
    free(conns->sockets);
    free(conns->bells);
    free(conns->name);
    free(h->conns);
    *conns = (struct ovl_carrier_conns){.count = 0};
    h->conns = NULL;
    h->conn_count = 0;
}
