/* Waiting for a worker, and seeing that it lives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "offload/mem/bell.h"
#include "offload/mem/local.h"

#include <sched.h>

enum { SPIN_NS = 20000, LOOK_NS = 1000000, SLEEP_NS = 10000000 };

static void count_time(struct ovl_client_watch *w, int64_t now)
{
    enum { MOST_NS = 100000000 }; /* of one look */
    int64_t step = now - w->looked < MOST_NS ? now - w->looked : MOST_NS;
    w->looked = now;
    w->waited += step;
    w->still += step;
}

/* The worker, which knows more, has time to find it out by its own retries and to say what it was. */
static int check_endpoint(const struct ovl_worker_conn *l, struct ovl_client_watch *w, struct ovl_error *err)
{
    enum { GRACE_S = 5 };
    l->ep->kind->poll(l->ep);
    if (!l->ep->lost)
        return 0;
    if (!w->lost)
        w->lost = w->waited;
    return w->waited - w->lost < GRACE_S * INT64_C(1000000000)
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT, "%s is cut off: %s", l->name, l->ep->lost);
}

/* A worker ends the job, and says why; where that is of no use, this rank does. */
static int check_end(const struct ovl_worker_conn *l, struct ovl_client_watch *w, struct ovl_error *err)
{
    enum { GRACE_S = 3 };
    if (!w->lost)
        w->lost = w->waited;
    return w->waited - w->lost < GRACE_S * INT64_C(1000000000)
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT, "%s", l->status->text);
}

/* Has the worker given up, died, or lost another one? */
static int check_worker(const struct ovl_client_ctx *h, const struct ovl_worker_conn *l, struct ovl_client_watch *w,
                        int64_t now, struct ovl_error *err)
{
    const struct ovl_worker_status *b = l->status;
    uint64_t heartbeat = atomic_load_explicit(&b->heartbeat, memory_order_relaxed);
    count_time(w, now);
    uint32_t fault = atomic_load_explicit(&b->fault, memory_order_acquire);
    if (fault == OVL_FAULT_LOST)
        return check_end(l, w, err);
    if (fault)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s gave up: %s", l->name, b->text);
    if (l->ep && check_endpoint(l, w, err) != 0)
        return -1;
    if (heartbeat != w->heartbeat) {
        w->heartbeat = heartbeat;
        w->still = 0;
    }
    if (ovl_local_closed(l->socket))
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s died: its process has ended", l->name);
    if (1e-9 * (double)w->still > h->timeout)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s shows no life for %g s: it died or was stopped (--worker-timeout sets the time)",
                             l->name, h->timeout);
    int unresponsive = atomic_load_explicit(&b->unresponsive, memory_order_relaxed);
    w->silent = unresponsive < 0 ? 0 : w->silent ? w->silent : w->waited;
    if (unresponsive >= 0 && 1e-9 * (double)(w->waited - w->silent) > h->timeout &&
        1e-9 * (double)w->waited > 2 * h->timeout)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s does not answer %s for %g s: it died or was stopped (--worker-timeout sets the time)",
                             h->worker_name(unresponsive), l->name, h->timeout);
    return 0;
}

void ovl_worker_wakeup(const struct ovl_worker_conn *l)
{
    struct ovl_worker_status *b = l->status;
    uint32_t state = atomic_load(&b->state);
    if (state == OVL_WORKER_RUNNING || state == OVL_WORKER_WAKING ||
        !atomic_compare_exchange_strong(&b->state, &state, OVL_WORKER_WAKING))
        return;
    if (state == OVL_WORKER_LISTENS)
        ovl_bell_ring(l->bell);
    else
        ovl_futex_wake(&b->state);
}

/* A rank that goes to sleep changes how a worker looks for work, but for one that listens, to which it is all one. */
static void tell_of_sleep(const struct ovl_worker_conn *l)
{
    if (atomic_load(&l->status->state) != OVL_WORKER_LISTENS)
        ovl_worker_wakeup(l);
}

/* Leaves the core to the worker: sleeps until something completes, or for a moment. */
static void sleep_for_worker(const struct ovl_worker_conn *l, bool (*done)(void *of, const struct ovl_request *request),
                             void *of, const struct ovl_request *request)
{
    _Atomic uint32_t *rank_sleeping = &l->cmdq->rank_sleeping;
    /* Only exchanged, here and by the worker after `done`: of two exchanges the second sees what stood before the
     * first. */
    atomic_exchange(rank_sleeping, 1);
    tell_of_sleep(l);
    if (!done(of, request))
        ovl_futex_wait(rank_sleeping, 1, SLEEP_NS);
    atomic_exchange(rank_sleeping, 0);
}

int ovl_client_wait_for(struct ovl_client_ctx *h, const struct ovl_worker_conn *l,
                        bool (*done)(void *of, const struct ovl_request *request), void *of,
                        const struct ovl_request *request, struct ovl_error *err)
{
    int64_t begin = ovl_clock_ns(), now = begin, next = begin + LOOK_NS;
    struct ovl_client_watch w = {.looked = begin};
    w.heartbeat = atomic_load_explicit(&l->status->heartbeat, memory_order_relaxed);
    for (;;) {
        bool give = h->oversubscribed && now - begin > SPIN_NS;
        for (int i = 0; i < (give ? 1 : 32); i++) {
            if (done(of, request))
                return 0;
            ovl_cpu_pause();
        }
        if (give && of == l && !l->ep)
            sleep_for_worker(l, done, of, request);
        else if (give) /* what the status page shows is not rung for, nor what comes by an endpoint */
            sched_yield();
        now = ovl_clock_ns();
        if (now > next) {
            if (check_worker(h, l, &w, now, err) != 0)
                return done(of, request) ? 0 : -1; /* a worker that has been dismissed answers, and ends */
            next = now + LOOK_NS;
        }
    }
}

void ovl_client_sleep(struct ovl_client_ctx *h, const struct ovl_request *request, int64_t ns)
{
    const struct ovl_worker_conn *l = &h->conns[h->own];
    atomic_exchange(&l->cmdq->rank_sleeping, 1);
    tell_of_sleep(l);
    if (!request || atomic_load(&ovl_conn_completion(l, request->slot)->done) < request->sequence)
        ovl_futex_wait(&l->cmdq->rank_sleeping, 1, ns);
    atomic_exchange(&l->cmdq->rank_sleeping, 0);
}

bool ovl_client_end_reported(const struct ovl_client_ctx *h)
{
    const struct ovl_worker_conn *own = h->conns ? &h->conns[h->own] : NULL;
    return own && own->status && !own->ep && atomic_exchange(&own->status->end_reported, 1) != 0;
}

int ovl_client_check_worker(struct ovl_client_ctx *h, struct ovl_client_watch *w, struct ovl_error *err)
{
    return check_worker(h, &h->conns[h->own], w, ovl_clock_ns(), err);
}
