/* How long a worker sleeps between two looks, where it shares a core with a rank that computes, and when it stops
 * looking altogether. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

/* A late rank says nothing about the speed of the link, so no interval counts for more than twice what was expected. */
void ovl_worker_learn_rate(struct ovl_worker *w, int64_t now)
{
    enum { KEPT = 4 << 20 };
    if (w->landed == 0)
        return;
    double ns = (double)(now - w->rx_since), bytes = (double)w->landed;
    if (w->paced_bytes > 0 && ns > 2 * bytes * w->paced_ns / w->paced_bytes)
        ns = 2 * bytes * w->paced_ns / w->paced_bytes;
    if (w->paced_bytes > KEPT) {
        w->paced_bytes /= 2;
        w->paced_ns /= 2;
    }
    w->paced_bytes += bytes;
    w->paced_ns += ns;
    w->landed = 0;
    w->rx_since = now;
}

/* Each wake-up costs the rank that computes on this core tens of microseconds, whatever the worker then does. So:
     - without data under way, the sleep grows with the time for which nothing has moved;
     - with data under way, it is half of the time that the data is expected to take;
     - where nothing but this data is missing, it lasts nearly until the data is due, but no longer than a large
       fragment takes to come in, since every kernel's socket buffers hold that much;
     - a control message may come at any time, so a worker that waits for one sleeps only briefly.
   While its ranks sleep too, the worker sleeps just long enough to leave the core to other workers. */
int64_t ovl_worker_backoff(const struct ovl_worker *w, bool alone, int64_t still_ns)
{
    enum { LEAST_NS = 50000, MOST_NS = 1000000, LAST_DATA_NS = 8000000, LEAST_ALONE_NS = 4000, MOST_ALONE_NS = 20000 };
    int64_t least = alone ? LEAST_ALONE_NS : LEAST_NS, most = alone ? MOST_ALONE_NS : MOST_NS, ns = still_ns;
    bool unanswered = w->table[OVL_SENDING].unanswered + w->table[OVL_RECEIVING].unanswered > 0;
    if (!alone && w->coming >= OVL_CHUNK && w->paced_bytes > 0 && !unanswered) {
        double pace = w->paced_ns / w->paced_bytes, fragment = pace * OVL_LARGE_CHUNK;
        int64_t due = (int64_t)(pace * (double)w->coming);
        if (w->unbegun > 0) /* some step can only begin when what is under way has come */
            ns = ns < due / 2 ? due / 2 : ns;
        else if (still_ns < due) {
            ns = (due - still_ns) * 9 / 10;
            ns = ns < due / 4 ? due / 4 : ns;
            most = fragment < LAST_DATA_NS ? (int64_t)fragment : LAST_DATA_NS;
        } else
            ns = still_ns - due;
    }
    ns = ns < most ? ns : most;
    return ns < least ? least : ns;
}

/* A program that computes for long, or offloads nothing at all, gets nothing for a core on which a worker spins: it
   loses the processor time of its quota, what the other hardware thread of that core could do, and the power. The first
   post after such a time wakes the worker. Where posts come by an endpoint nobody could wake it, and the core is a
   DPU's. */
bool ovl_worker_may_sleep_long(const struct ovl_worker *w, int64_t still_ns)
{
    enum { SHARED_NS = 1000000 };
    return w->config.idle == OVL_IDLE_SLEEP ? still_ns > SHARED_NS : !w->remote && still_ns > OVL_WORKER_SPIN_NS;
}
