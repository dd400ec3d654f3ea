/* Who lives? Where a rank or the launcher has died, the job ends: all others would wait for it. Of other workers only
   those are asked that something waits for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/local.h"
#include "offload/worker/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WATCH_NS = 200000000 };

/* The ranks of this worker see its status page; the others hear of it by their workers. */
static void notify_all(struct ovl_worker *w, const char *text)
{
    struct ovl_ctrl_msg lost = {.kind = OVL_CTRL_LOST, .bytes = (uint32_t)strlen(text) + 1};
    for (int to = 0; to < w->config.workers; to++)
        if (to != w->config.index)
            ovl_worker_send_ctrl(w, to, &lost, text);
}

void ovl_worker_on_lost(struct ovl_worker *w, const char *text, size_t bytes)
{
    char copy[sizeof w->config.status->text];
    snprintf(copy, sizeof copy, "%.*s", (int)bytes, text);
    ovl_worker_fail_reported(w, OVL_OTHERS_REPORT, copy);
}

/* First said here: what fails as the others are told is not the reason. */
static void lose(struct ovl_worker *w, enum ovl_reporter reporter, const char *text)
{
    ovl_worker_fail_reported(w, reporter, text);
    if (reporter == OVL_WORKER_REPORTS)
        notify_all(w, text);
}

/* A rank has died, or has ended the job: its own worker notifies the others. */
static void lose_rank(struct ovl_worker *w, const struct ovl_client *c)
{
    char text[sizeof w->config.status->text];
    bool said = atomic_load(&c->cmdq->ends_job);
    if (w->failed)
        return;
    snprintf(text, sizeof text, "rank %d on node %s %s", c->cmdq->rank, w->config.node,
             said ? "has ended the job" : "died: its process has ended");
    lose(w, c->own && !said ? OVL_WORKER_REPORTS : OVL_OTHERS_REPORT, text);
}

/* A process that is no more is seen by this before the watch looks at its socket. */
void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_client *c, int why)
{
    const struct ovl_rank_mem *m = &c->rank_mem;
    if (why == ESRCH && m->pid > 0)
        lose_rank(w, c);
    else
        ovl_worker_fail(w, "cannot reach the memory of rank %d: %s%s", m->rank,
                        m->ep && m->ep->lost ? m->ep->lost : strerror(why),
                        why == EFAULT ? ": is the buffer on a GPU, freed, or read-only? Give one of the host" : "");
}

void ovl_worker_watch(struct ovl_worker *w, int64_t now)
{
    if (now < w->next_watch || w->failed)
        return;
    w->next_watch = now + WATCH_NS;
    for (int i = 0; i < w->client_count && !w->failed; i++) {
        const struct ovl_client *c = &w->clients[i];
        if (!c->detached && ovl_local_closed(c->socket))
            lose_rank(w, c);
    }
    if (!w->config.orphan &&
        getppid() != w->parent) /* of all workers one tells it, and none that another sees it first */
        lose(w, w->config.index == 0 ? OVL_WORKER_REPORTS : OVL_OTHERS_REPORT, "the launcher's process has ended");
}

/* What is copied, or has only to be sent, is in this worker's hands. */
static bool awaits_peer(const struct ovl_p2p_req *r)
{
    return r->step->peer >= 0 && (r->route == OVL_ROUTE_SEND || r->route == OVL_ROUTE_RECEIVE);
}

static void find_awaited(struct ovl_worker *w)
{
    for (int f = 0; f < w->config.workers; f++)
        w->peer_workers[f].needed = NULL;
    for (const struct ovl_op *t = w->ops; t; t = t->after)
        for (const struct ovl_p2p_req *r = t->reqs; r; r = r->after)
            if (awaits_peer(r))
                w->peer_workers[r->worker].needed = r;
    w->peer_workers[w->config.index].needed = NULL;
}

/* It has ended as it should, with all that its ranks asked for. */
static void miss(struct ovl_worker *w, const struct ovl_p2p_req *r)
{
    const struct ovl_worker_team *team = r->op->team;
    ovl_worker_fail(w,
                    "rank %d waits in %s for rank %d, which has ended all its collectives: all ranks of a communicator "
                    "must call the same ones, with counts that match",
                    team->world_rank[team->rank], ovl_operations[r->op->command.operation].name,
                    team->world_rank[r->step->peer]);
}

void ovl_worker_keepalive(struct ovl_worker *w)
{
    int64_t now = w->lived + 1;
    const struct ovl_transport *by = w->config.transport;
    int unresponsive = -1;
    find_awaited(w);
    for (int i = 0; i < w->config.workers; i++) {
        struct ovl_peer_worker *f = &w->peer_workers[i];
        if (!f->needed)
            f->ping_sent_ns = 0;
        else if (f->ping_sent_ns == 0) {
            struct ovl_ctrl_msg ping = {.kind = OVL_CTRL_PING};
            f->ping_sent_ns = now;
            ovl_worker_send_ctrl(w, i, &ping, NULL);
        } else if (1e-9 * (double)(now - f->ping_sent_ns) <= w->config.timeout)
            continue;
        else if (by->left && by->left(by->state, i))
            miss(w, f->needed);
        else
            unresponsive = i;
    }
    atomic_store_explicit(&w->config.status->unresponsive, unresponsive, memory_order_relaxed);
}
