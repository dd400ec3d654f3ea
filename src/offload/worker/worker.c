/* The worker's loop: rings, control messages, copies, rounds; and what it does when there is nothing to do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/cpu.h"
#include "offload/mem/local.h"
#include "offload/worker/state.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

static int make_memory(struct ovl_worker *w, struct ovl_error *err)
{
    ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a worker");
    w->peer_workers = calloc((size_t)w->config.workers, sizeof *w->peer_workers);
    w->credit = (uint32_t)(ovl_worker_eager_bytes(w->config.workers) / (size_t)w->config.workers);
    for (int i = 0; i < w->config.workers && w->peer_workers; i++)
        w->peer_workers[i].credit = w->credit;
    return w->peer_workers ? ovl_frag_open(w, err) : -1;
}

struct ovl_worker *ovl_worker_open(const struct ovl_worker_config *config, struct ovl_error *err)
{
    struct ovl_worker *w = calloc(1, sizeof *w);
    if (!w) {
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a worker");
        return NULL;
    }
    w->config = *config;
    w->parent = getppid();
    w->listens = config->bell && config->idle == OVL_IDLE_SLEEP && config->transport->listen &&
                 config->transport->listen(config->transport->state, config->bell) == 0;
    if (make_memory(w, err) == 0)
        return w;
    ovl_worker_close(w);
    return NULL;
}

static void free_client(struct ovl_worker *w, struct ovl_client *c)
{
    for (size_t r = 0; r < c->rank_mem.count; r++)
        if (c->rank_mem.regions[r].number && w->config.path->unmap)
            w->config.path->unmap(&c->rank_mem.regions[r]);
    ovl_teams_free(w, c);
    free(c->rank_mem.regions);
}

void ovl_worker_close(struct ovl_worker *w)
{
    if (!w)
        return;
    while (w->rdmas > 0) /* of ranks that left without waiting; an endpoint on which nothing moves is lost some time */
        ovl_worker_poll_eps(w);
    for (int side = 0; side < OVL_SIDES; side++)
        ovl_match_free(&w->table[side]);
    if (w->ops) /* of ranks that left without waiting */
        w->config.transport->cancel(w->config.transport->state);
    while (w->ops)
        ovl_op_drop(w, w->ops);
    ovl_cache_drop(w, NULL);
    for (int c = 0; c < w->client_count; c++)
        free_client(w, &w->clients[c]);
    free(w->teams.bucket);
    free(w->gone.team);
    for (struct ovl_p2p_req *t = w->free_reqs, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    ovl_frag_close(w);
    free(w->clients);
    free(w->peer_workers);
    free(w);
}

/* To poll one endpoint of a group is to poll all of it. */
static bool first_of_group(const struct ovl_worker *w, const struct ovl_ep *ep)
{
    for (int c = 0; c < w->client_count && ep; c++)
        if (w->clients[c].ep && ep->group && w->clients[c].ep->group == ep->group)
            return false;
    return ep;
}

int ovl_worker_serve(struct ovl_worker *w, struct ovl_cmdq *cmdq, struct ovl_ep *ep, int socket, bool own)
{
    struct ovl_client *more = realloc(w->clients, ((size_t)w->client_count + 1) * sizeof *more);
    if (!more)
        return -1;
    w->clients = more;
    bool polls = first_of_group(w, ep);
    w->remote = w->remote || ep;
    w->clients[w->client_count++] =
        (struct ovl_client){.cmdq = cmdq,
                            .ep = ep,
                            .socket = socket,
                            .own = own,
                            .polls = polls,
                            .rank_mem = {.pid = socket ? ovl_local_pid(socket) : 0, .rank = cmdq->rank, .ep = ep}};
    if (own)
        w->present++;
    else
        w->foreign_present++;
    return 0;
}

static int drain_rings(struct ovl_worker *w)
{
    uint32_t doorbell = atomic_load_explicit(&w->config.status->doorbell, memory_order_acquire);
    bool all = doorbell != w->doorbell;
    int n = 0;
    for (int c = 0; c < w->client_count; c++)
        if (all || w->clients[c].own)
            n += ovl_worker_poll_cmds(w, &w->clients[c]);
    w->doorbell = doorbell;
    return n;
}

static void complete(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    t->complete(w, t);
}

/* With a slowdown, what this turn did takes so much longer: its steps end at `not_before`. */
static void delay(struct ovl_worker *w, int64_t begin, int64_t now, bool moved)
{
    struct ovl_p2p_req *t;
    if (moved) {
        int64_t from = w->not_before > now ? w->not_before : now;
        w->not_before = from + (int64_t)((w->config.slowdown - 1) * (double)(now - begin));
    }
    while ((t = ovl_queue_pop(&w->finishing))) {
        t->due = w->not_before;
        ovl_queue_push(&w->delayed, t);
    }
    while (w->delayed.first && w->delayed.first->due <= now)
        complete(w, ovl_queue_pop(&w->delayed));
}

/* Do all its ranks sleep until it has done something? Then nobody computes on their cores. */
static bool all_ranks_sleep(const struct ovl_worker *w)
{
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].own && !w->clients[c].detached && !atomic_load(&w->clients[c].cmdq->rank_sleeping))
            return false;
    return w->present > 0;
}

static bool nothing_asked(const struct ovl_worker *w)
{
    return w->op_count == 0 && w->config.transport->quiet(w->config.transport->state);
}

/* The longest sleep: other workers want an answer now and then, and ranks may have died. */
static int64_t share_ns(const struct ovl_worker *w)
{
    double share = w->config.timeout / 8;
    return (int64_t)((share < 0.5 ? share : 0.5) * SECOND);
}

static bool rings_are_empty(const struct ovl_worker *w)
{
    for (int c = 0; c < w->client_count; c++) {
        const struct ovl_client *client = &w->clients[c];
        if (client->own && !client->detached &&
            atomic_load(&client->cmdq->ring[client->taken % OVL_RING].sequence) == client->taken + 1)
            return false;
    }
    return true;
}

static bool may_park(const struct ovl_worker *w)
{
    if (w->present == 0 || !nothing_asked(w))
        return false;
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].own && !w->clients[c].detached && !atomic_load(&w->clients[c].cmdq->may_park))
            return false;
    return true;
}

/* Sleeps on the status page's word, at most so long, unless something has come since it was last looked at. */
static void nap(struct ovl_worker *w, bool alone, int64_t ns)
{
    enum { BRIEF_NS = 100000 };
    struct ovl_worker_status *b = w->config.status;
    if (w->remote && ns > BRIEF_NS) /* nobody could ring */
        ns = BRIEF_NS;
    enum ovl_worker_state state = ns > BRIEF_NS ? OVL_WORKER_SLEEP_LONG : OVL_WORKER_SLEEP_SHORT;
    atomic_store(&b->state, state); /* sequentially consistent, as the looks that follow */
    if (all_ranks_sleep(w) == alone && atomic_load(&b->doorbell) == w->doorbell && rings_are_empty(w) && !may_park(w))
        ovl_futex_wait(&b->state, state, ns);
    atomic_store(&b->state, OVL_WORKER_RUNNING);
}

/* Sleeps with the transport: data, control messages and posts wake it, so that no length of time is guessed. Only those
   who must be asked now and then end it besides. */
static void listen_to_all(struct ovl_worker *w)
{
    enum { MOST_NS = SECOND / 10 };
    const struct ovl_transport *by = w->config.transport;
    struct ovl_worker_status *b = w->config.status;
    int64_t share = share_ns(w), most = nothing_asked(w) || share < MOST_NS ? share : MOST_NS;
    if (w->delayed.first) {
        int64_t due = w->delayed.first->due - ovl_clock_ns();
        most = due < 0 ? 0 : due < most ? due : most;
    }
    atomic_store(&b->state, OVL_WORKER_LISTENS); /* sequentially consistent, as the looks that follow */
    if (atomic_load(&b->doorbell) == w->doorbell && rings_are_empty(w) && !may_park(w))
        by->sleep(by->state, most);
    atomic_store(&b->state, OVL_WORKER_RUNNING);
}

/* Returns whether it slept. */
static bool idle(struct ovl_worker *w, unsigned turns, int64_t still_ns)
{
    /* A turn reads 64 KiB at most off a connection (UCX's segment): it takes some to read what came during a
       sleep, and the fifth ends a chunk. */
    const struct ovl_transport *by = w->config.transport;
    enum { SOON_NS = 5000, AWAKE_TURNS = 4, AWAKE_NS = 100000, SLEEP_NS = 1000000 };
    bool alone = all_ranks_sleep(w), shares = w->config.idle == OVL_IDLE_SLEEP;
    bool rings = w->rdmas == 0; /* the end of an RDMA does so for nobody */
    if (w->listens && !w->remote && rings) {
        listen_to_all(w);
        return true;
    }
    bool until_rung_for = !alone && rings && nothing_asked(w) && ovl_worker_may_sleep_long(w, still_ns);
    if (!until_rung_for && (w->config.idle == OVL_IDLE_YIELD || (shares && !rings))) {
        sched_yield();
        return false;
    }
    /* Ranks that sleep do not ring, and what comes by the transport wakes the worker: no core is spent on looking. */
    if (shares && alone && by->sleep && !w->delayed.first && still_ns > SOON_NS) {
        by->sleep(by->state, SLEEP_NS);
        return true;
    }
    if (shares ? (alone ? still_ns < AWAKE_NS : turns < AWAKE_TURNS) : !until_rung_for) {
        ovl_cpu_pause();
        return false;
    }
    ovl_worker_learn_rate(w, ovl_clock_ns());
    nap(w, alone, until_rung_for ? share_ns(w) : ovl_worker_backoff(w, alone, still_ns));
    return true;
}

/* Where an endpoint writes, nobody wakes: a nap, a look. */
static void park_remote(const struct ovl_worker *w, int64_t until)
{
    enum { NAP_NS = 200000 };
    while (ovl_clock_ns() < until && may_park(w) && rings_are_empty(w))
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/* Sleeps on the status page's word; wakes now and then all the same, to answer other workers. */
static void park(struct ovl_worker *w)
{
    struct ovl_worker_status *b = w->config.status;
    atomic_store(&b->state, OVL_WORKER_PARKED); /* sequentially consistent, as the looks that follow */
    bool may = may_park(w);
    if (may)
        atomic_fetch_add(&b->parks, 1);
    ovl_worker_publish(w);
    if (w->remote)
        park_remote(w, ovl_clock_ns() + share_ns(w));
    else if (may && atomic_load(&b->doorbell) == w->doorbell)
        ovl_futex_wait(&b->state, OVL_WORKER_PARKED, share_ns(w));
    atomic_store(&b->state, OVL_WORKER_RUNNING);
    ovl_worker_publish(w);
}

static const struct ovl_transport_events events = {.on_ctrl = ovl_worker_on_ctrl,
                                                   .on_complete = ovl_worker_on_complete};

bool ovl_worker_progress(struct ovl_worker *w)
{
    const struct ovl_transport *by = w->config.transport;
    int64_t begin = w->config.slowdown > 1 ? ovl_clock_ns() : 0;
    int moved = drain_rings(w);
    moved += ovl_worker_poll_eps(w);
    moved += by->poll(by->state, &events, w);
    moved += ovl_op_progress_all(w);
    moved += ovl_worker_admit(w);
    moved += ovl_op_progress_all(w);
    if (w->config.slowdown > 1)
        delay(w, begin, ovl_clock_ns(), moved > 0);
    return moved > 0;
}

/* What has been told to others is on its way, or is so after a moment. */
static void send_last_words(struct ovl_worker *w)
{
    const struct ovl_transport *by = w->config.transport;
    for (int64_t until = ovl_clock_ns() + SECOND / 10; !by->quiet(by->state) && ovl_clock_ns() < until;)
        by->poll(by->state, &events, w);
    if (ovl_worker_reporter(w) != OVL_WORKER_REPORTS) /* else one line is enough */
        ovl_worker_publish(w);
}

static void check_processes(struct ovl_worker *w, int64_t now)
{
    enum { MOST_NS = SECOND / 10 }; /* of one look */
    w->lived += now - w->watched < MOST_NS ? now - w->watched : MOST_NS;
    w->watched = now;
    ovl_worker_watch(w, now);
    if (now >= w->next_beat) {
        ovl_worker_keepalive(w);
        w->next_beat = now + (int64_t)(w->config.timeout / 8 * SECOND);
    }
}

int ovl_worker_run(struct ovl_worker *w)
{
    enum { BUSY_TURNS = 1024 };
    const struct ovl_transport *by = w->config.transport;
    unsigned still = 0; /* turns since something moved or the worker woke */
    bool has_moved = true;
    int64_t moved = w->watched = ovl_clock_ns();
    for (uint64_t heartbeat = 1; !w->failed; heartbeat++) {
        atomic_store_explicit(&w->config.status->heartbeat, heartbeat, memory_order_relaxed);
        if (w->remote)
            ovl_worker_publish_heartbeat(w, ovl_clock_ns());
        if (ovl_worker_progress(w)) {
            still = 0;
            has_moved = true;
            if (heartbeat % BUSY_TURNS == 0)
                check_processes(w, ovl_clock_ns());
            continue;
        }
        if (w->present == 0 && w->foreign_present == 0 && by->quiet(by->state))
            return 0;
        int64_t now = ovl_clock_ns();
        if (has_moved)
            moved = now;
        has_moved = false;
        check_processes(w, now);
        if (may_park(w))
            park(w);
        else
            still = idle(w, still, now - moved) ? 0 : still + 1;
    }
    send_last_words(w);
    return -1;
}

enum ovl_reporter ovl_worker_reporter(const struct ovl_worker *w)
{
    for (int c = 0; c < w->client_count; c++)
        if (w->clients[c].ep && w->clients[c].ep->lost)
            return OVL_WORKER_REPORTS;
    return w->reporter;
}
