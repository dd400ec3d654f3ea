/* What joins a rank and a worker that share no memory. Each end has a copy of status page and command queue, writes
 * only what is its own to write, and pushes that to the other end's copy; the worker moves data of the rank by errands.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_EP_H
#define OVL_OFFLOAD_MEM_EP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_worker_status;
struct ovl_cmdq;

/* A piece of a rank's memory on its way to the worker, or back. The one who begins it keeps it and both memories until
   it has ended. All but `why` belongs to the endpoint. */
struct ovl_errand {
    struct ovl_errand *next;
    char *here;
    uint64_t there;
    uint32_t key, local_key;
    size_t waiting;     /* bytes not asked for yet */
    unsigned under_way; /* requests */
    bool put;           /* towards the rank */
    int why;            /* 0, or an errno: it ended without doing what it should */
};

static inline bool ovl_errand_ended(const struct ovl_errand *e)
{
    return e->why || (e->waiting == 0 && e->under_way == 0);
}

struct ovl_ep_ops;

struct ovl_ep {
    const struct ovl_ep_ops *kind;
    struct ovl_worker_status *status; /* the copies at this end */
    struct ovl_cmdq *channel;
    const char *lost; /* why nothing goes through it any more, or NULL */
};

struct ovl_ep_ops {
    /* What stands at `what` in this end's copy goes to the other end's: 4 bytes or a multiple of 8, seen there after
       all that was pushed before. Words of one push may be seen in any order. Nothing on a lost endpoint. */
    void (*push)(struct ovl_ep *w, const void *what, size_t bytes);
    /* Bytes `there` in the rank's memory, of the region with that key, to or from `here`, which is memory of the path's
       `lodge`. Does not wait. What was put is at the rank before anything that is pushed after the errand's end. */
    void (*begin)(struct ovl_ep *w, struct ovl_errand *e);
    /* Ends errands, and looks whether the endpoint is lost: then all errands end. Returns whether anything happened. */
    bool (*poll)(struct ovl_ep *w);
};

/* `w` is NULL where the memory is shared. */
static inline void ovl_ep_put_flag(struct ovl_ep *w, const void *what, size_t bytes)
{
    if (w)
        w->kind->push(w, what, bytes);
}

#endif
