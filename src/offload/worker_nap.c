/* How long a worker sleeps between two looks, where it shares a core with a rank that computes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker_state.h"

/* Late ranks and the like are no measure of the wire, so that nothing counts for more than twice what was expected. */
void ovl_worker_keep_pace(struct ovl_worker *w, int64_t now)
{
    enum { KEPT = 4 << 20 };
    if (w->landed == 0)
        return;
    double ns = (double)(now - w->since), bytes = (double)w->landed;
    if (w->paced_bytes > 0 && ns > 2 * bytes * w->paced_ns / w->paced_bytes)
        ns = 2 * bytes * w->paced_ns / w->paced_bytes;
    if (w->paced_bytes > KEPT) {
        w->paced_bytes /= 2;
        w->paced_ns /= 2;
    }
    w->paced_bytes += bytes;
    w->paced_ns += ns;
    w->landed = 0;
    w->since = now;
}

/* Something else of theirs can only begin when what is under way has come. */
static bool more_to_begin(const struct ovl_worker *w)
{
    for (const struct ovl_task *t = w->tasks; t; t = t->after)
        if (t->begun < t->schedule->steps)
            return true;
    return false;
}

/* To wake costs the rank that computes on this core tens of microseconds, whatever is done then. So the longer the
   longer; but where only data is missing that is under way, nearly until it is due, since the kernel's buffers hold
   what comes meanwhile: a chunk where others wait for it, else a block, which these buffers have room for everywhere.
   While its ranks sleep too, the worker need only leave something to other workers. */
int64_t ovl_worker_nap(const struct ovl_worker *w, bool alone, int64_t still_ns)
{
    enum {
        LEAST_NS = 50000,
        MOST_NS = 1000000,
        MOST_FOR_DATA_NS = 8000000,
        LEAST_ALONE_NS = 4000,
        MOST_ALONE_NS = 20000
    };
    if (alone)
        return still_ns < LEAST_ALONE_NS ? LEAST_ALONE_NS : still_ns < MOST_ALONE_NS ? still_ns : MOST_ALONE_NS;
    int64_t due = 0, most = MOST_NS, ns = still_ns;
    if (w->coming >= OVL_CHUNK && w->paced_bytes > 0 &&
        w->table[OVL_SENDING].unanswered + w->table[OVL_RECEIVING].unanswered == 0) {
        double pace = w->paced_ns / w->paced_bytes;
        double held = pace * (more_to_begin(w) ? OVL_CHUNK : OVL_BLOCK);
        due = (int64_t)(pace * (double)w->coming);
        ns = still_ns < due ? (due - still_ns) * 9 / 10 : still_ns - due;
        ns = ns < due / 4 ? due / 4 : ns;
        most = still_ns >= due ? MOST_NS : held < MOST_FOR_DATA_NS ? (int64_t)held : MOST_FOR_DATA_NS;
    }
    ns = ns < most ? ns : most;
    return ns < LEAST_NS ? LEAST_NS : ns;
}
