/* What joins a rank and a worker that share no memory. Each end has a copy of status page and command queue, writes
 * only what is its own to write, and pushes that to the other end's copy; the worker moves data of the rank by RDMA. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_EP_H
#define OVL_OFFLOAD_MEM_EP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_worker_status;
struct ovl_cmdq;
struct ovl_ep;

/* One RDMA READ or WRITE of a rank's memory, in as many requests as the adapter needs. The one who begins it keeps it
   and both memories until it has ended. */
struct ovl_rdma {
    void (*complete)(struct ovl_rdma *r); /* it has ended; may begin others */
    void *of;                             /* whose it is, for `complete` */
    int why;                              /* 0, or an errno: it ended without doing what it should */

    /* The endpoint's: */
    struct ovl_rdma *next;
    struct ovl_ep *ep;
    char *here;
    uint64_t there;
    uint32_t key, local_key;
    size_t waiting;     /* bytes not asked for yet */
    unsigned under_way; /* requests */
    bool put;           /* a WRITE, towards the rank */
};

struct ovl_ep_ops;

struct ovl_ep {
    const struct ovl_ep_ops *kind;
    struct ovl_worker_status *status; /* the copies at this end */
    struct ovl_cmdq *channel;
    const char *lost;  /* why nothing goes through it any more, or NULL */
    const void *group; /* endpoints of one group have one completion queue: to poll one is to poll all */
};

struct ovl_ep_ops {
    /* What stands at `what` in this end's copy goes to the other end's: 4 bytes or a multiple of 8, seen there after
       all that was pushed before. Words of one push may be seen in any order. Nothing on a lost endpoint. */
    void (*push)(struct ovl_ep *w, const void *what, size_t bytes);
    /* Bytes `there` in the rank's memory, of the region with that key, to or from `here`, which is memory of the path's
       alloc_local. Does not wait: `complete` is called by a later poll, in any order, and not before this returns. What
       was put is at the rank before anything that is pushed after the end. True: it has ended at once, in r->why. */
    bool (*begin)(struct ovl_ep *w, struct ovl_rdma *r);
    /* Ends what the group has under way, and looks whether an endpoint of it is lost: then all of that endpoint's ends.
       Returns whether anything happened. */
    bool (*poll)(struct ovl_ep *w);
};

/* `w` is NULL where the memory is shared. */
static inline void ovl_ep_put_flag(struct ovl_ep *w, const void *what, size_t bytes)
{
    if (w)
        w->kind->push(w, what, bytes);
}

#endif
