/* A carrier listens, reads its job, joins the other carriers, accepts its ranks, and works. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/carrier/serve.h"
#include "base/abi_check.h"
#include "offload/carrier/accept.h"
#include "offload/mem/bell.h"
#include "offload/transport/transport_tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int no_memory(struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the lists of ranks and carriers");
}

static int listen_to_all(struct ovl_serving *c, const struct ovl_carrier_hello *hello, struct ovl_error *err)
{
    enum { WAITING = 1024 };
    ovl_local_raise_file_limit(); /* one for each rank of the node and two for each other carrier */
    if (hello->abi != OVL_ABI_VERSION)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "ovl_carrier speaks format %d and who started it %u: take both from one version of ovl",
                             OVL_ABI_VERSION, hello->abi);
    sched_setaffinity(0, sizeof hello->cpus, &hello->cpus); /* of these, what the system lets it have */
    c->listener = ovl_tcp_listen(hello->host, &c->mine.tcp, err);
    c->local = c->listener < 0 ? 0 : ovl_local_listen(c->mine.local, WAITING, err);
    if (gethostname(c->mine.node, sizeof c->mine.node - 1) != 0)
        strcpy(c->mine.node, "?");
    c->mine.pid = (int32_t)getpid();
    return c->local ? 0 : -1;
}

/* 1: whoever started it went away, and there is nothing to do. */
static int receive_job(struct ovl_serving *c, struct ovl_error *err)
{
    enum { PLAN_S = 600, REST_S = 30, MOST = 1 << 24 };
    struct ovl_carrier_job_msg *t = &c->job;
    if (ovl_timed_read(OVL_CARRIER_FD, t, sizeof *t, PLAN_S) != 0)
        return 1;
    if (t->ranks < 1 || t->ranks > MOST || t->carriers < 1 || t->carriers > t->ranks || t->number < 0 ||
        t->number >= t->carriers)
        return ovl_error_set(err, OVL_USAGE, "carrier %d of %d for %d ranks cannot be", t->number, t->carriers,
                             t->ranks);
    c->addresses = calloc((size_t)t->carriers, sizeof *c->addresses);
    c->tcp_addresses = calloc((size_t)t->carriers, sizeof *c->tcp_addresses);
    c->peers = calloc((size_t)t->ranks, sizeof *c->peers);
    c->sockets = calloc((size_t)t->ranks, sizeof *c->sockets);
    c->queues = calloc((size_t)t->ranks, sizeof *c->queues);
    if (!c->addresses || !c->tcp_addresses || !c->peers || !c->sockets || !c->queues)
        return no_memory(err);
    if (ovl_timed_read(OVL_CARRIER_FD, c->addresses, (size_t)t->carriers * sizeof *c->addresses, REST_S) != 0 ||
        ovl_timed_read(OVL_CARRIER_FD, c->peers, (size_t)t->ranks * sizeof *c->peers, REST_S) != 0)
        return 1;
    c->node = -1;
    for (int i = 0; i < t->carriers; i++)
        c->tcp_addresses[i] = c->addresses[i].tcp;
    for (int r = 0; r < t->ranks; r++) {
        if (c->peers[r].worker < 0 || c->peers[r].worker >= t->carriers)
            return ovl_error_set(err, OVL_USAGE, "rank %d has carrier %d, and there are %d", r, c->peers[r].worker,
                                 t->carriers);
        if (c->peers[r].worker == t->number)
            c->node = c->peers[r].node;
    }
    return c->node >= 0 ? 0 : ovl_error_set(err, OVL_USAGE, "carrier %d has no rank to serve", t->number);
}

/* The queue that is this carrier's, of those that a rank has for the carriers of its node. */
static struct ovl_cmdq *queue_of(const struct ovl_serving *c, int rank)
{
    int before = 0;
    for (int w = 0; w < c->job.number; w++)
        for (int r = 0; r < c->job.ranks; r++)
            if (c->peers[r].worker == w) {
                before += c->peers[r].node == c->node;
                break;
            }
    return ovl_cmdq_of_set(c->queues[rank].base, before);
}

static bool all_gone(const struct ovl_serving *c)
{
    for (int r = 0; r < c->job.ranks; r++)
        if (c->sockets[r] && !ovl_local_closed(c->sockets[r]))
            return false;
    return true;
}

/* Ranks read on the status page why it gave up; they have time to do so. */
static void wait_for_readers(const struct ovl_serving *c)
{
    enum { LOOK_MS = 50 };
    for (double ms = 1000 * (c->job.timeout + 1); ms > 0 && !all_gone(c); ms -= LOOK_MS)
        poll(NULL, 0, LOOK_MS);
}

static int work(struct ovl_serving *c, const struct ovl_transport *transport, struct ovl_error *err)
{
    struct ovl_worker_config config = {
        .index = c->job.number,
        .workers = c->job.carriers,
        .transport = transport,
        .path = ovl_mem_paths[0],
        .peers = c->peers,
        .ranks = c->job.ranks,
        .status = c->status.base,
        .idle = (enum ovl_idle)c->job.idle,
        .slowdown = c->job.slowdown,
        .timeout = c->job.timeout,
        .tuning = ovl_tuning_default,
        .node = c->mine.node,
        .limits = ovl_worker_limits_of(c->job.memory),
        .bell = c->bell,
        .orphan = true,
    };
    ovl_worker_tune_process(config.idle);
    if (c->job.high && config.idle == OVL_IDLE_SLEEP)
        ovl_worker_raise_process(); /* who started it looks whether it was allowed */
    struct ovl_worker *w = ovl_worker_open(&config, err);
    int rc = w ? ovl_serving_accept(c, err) : -1;
    for (int r = 0; r < c->job.ranks && rc == 0; r++)
        if (c->sockets[r] &&
            ovl_worker_serve(w, queue_of(c, r), NULL, c->sockets[r], c->peers[r].worker == c->job.number) != 0)
            rc = no_memory(err);
    if (rc == 0)
        rc = ovl_serving_welcome(c, err);
    if (rc == 0 && ovl_worker_run(w) != 0) {
        wait_for_readers(c);
        *err = (struct ovl_error){.code = OVL_ENVIRONMENT};
        rc = -1;
    }
    ovl_worker_close(w);
    return rc;
}

static int join_and_work(struct ovl_serving *c, struct ovl_error *err)
{
    enum { GOODBYE_S = 5 };
    struct ovl_transport transport;
    int(*fds)[OVL_TCP_STREAMS] = calloc((size_t)c->job.carriers, sizeof *fds);
    int rc = !fds ? no_memory(err) : ovl_shared_create(&c->status, ovl_status_bytes(), err);
    if (rc == 0)
        ovl_status_init(c->status.base);
    if (rc == 0 && !(c->bell = ovl_bell_make()))
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no eventfd for a carrier: %s; raise ulimit -n", strerror(errno));
    if (rc == 0)
        rc = ovl_tcp_join(c->listener, c->tcp_addresses, c->job.carriers, c->job.number, c->job.timeout, fds, err);
    close(c->listener); /* the kernel would take the data of whoever connects */
    c->listener = -1;
    if (rc == 0 && ovl_transport_tcp_open(&transport, fds, c->job.carriers, c->job.number, err) == 0) {
        rc = work(c, &transport, err);
        ovl_transport_tcp_close(&transport, rc == 0 ? GOODBYE_S : 0);
    } else
        rc = -1;
    free(fds);
    return rc;
}

static void end(struct ovl_serving *c)
{
    for (int r = 0; r < c->job.ranks && c->sockets && c->queues; r++) {
        ovl_local_close(&c->sockets[r]);
        ovl_shared_close(&c->queues[r]);
    }
    ovl_shared_close(&c->status);
    ovl_local_close(&c->bell);
    ovl_local_close(&c->local);
    if (c->listener >= 0)
        close(c->listener);
    free(c->queues);
    free(c->sockets);
    free(c->peers);
    free(c->tcp_addresses);
    free(c->addresses);
}

int ovl_carrier_serve(struct ovl_error *err)
{
    enum { HELLO_S = 30 };
    struct ovl_serving c = {.listener = -1};
    struct ovl_carrier_hello hello;
    struct ovl_carrier_reply reply;
    if (ovl_timed_read(OVL_CARRIER_FD, &hello, sizeof hello, HELLO_S) != 0)
        return ovl_error_set(err, OVL_USAGE,
                             "ovl_carrier is started by programs that offload, not by hand: see ovl(7)");
    memset(&reply, 0, sizeof reply);
    int rc = listen_to_all(&c, &hello, &reply.err);
    reply.address = c.mine;
    dup2(0, 2); /* a launcher waits for all who hold its stderr; from here on the ranks are told what is wrong */
    if (ovl_timed_write(OVL_CARRIER_FD, &reply, sizeof reply, HELLO_S) != 0 || rc != 0)
        rc = 1; /* it is told, or has gone */
    if (rc == 0)
        rc = receive_job(&c, err);
    close(OVL_CARRIER_FD);
    if (rc == 0 && (rc = join_and_work(&c, err)) != 0 && *err->text)
        ovl_serving_refuse(&c, err);
    end(&c);
    return rc > 0 ? 0 : rc;
}
