/* Fragments of messages, and all that they hold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_FRAG_H
#define OVL_OFFLOAD_WORKER_FRAG_H

#include "offload/worker/pool.h"
#include "offload/worker/worker.h"

struct ovl_op;
struct ovl_p2p_req;

/* Sends and receives have a match table each, and pools each: with one pool for both, two workers that hold nothing but
   granted receives could neither send. A send request waits for its CTS in table[OVL_SENDING] of the sender's worker.
 */
enum ovl_direction { OVL_SENDING, OVL_RECEIVING, OVL_SIDES };

/* Where bytes stand: at an address, or where that is NULL at a raddr of a client's memory. */
struct ovl_location {
    char *addr;
    uint64_t raddr;
    struct ovl_client *client;
};

/* A part of a message under way, with all that it needs till its end (R2). */
struct ovl_frag {
    struct ovl_frag *next; /* in its request's list of those to be sent */
    struct ovl_worker *w;
    struct ovl_p2p_req *req;
    size_t offset, bytes;
    char *data;                    /* where they are: in a buffer, or in memory that can be addressed */
    char *operand;                 /* of a reduction */
    int waiting;                   /* stages under way: when there are none it goes on */
    bool ready;                    /* may be sent as soon as the fragments before it are */
    int side, claim;               /* whose pools it takes from, and by which claim */
    int number;                    /* of the fragment, in its side's pool */
    int class, buffers, buffer[2]; /* staging buffers that it holds, all of one class */
    struct ovl_client *charged[2]; /* whose endpoints it may wait for */
    struct ovl_rdma rdma[2];       /* of `data`; of `operand` */
};

enum { OVL_SMALL, OVL_LARGE, OVL_CLASSES }; /* staging buffers: for eager messages, for other fragments */

/* What one side has for transfers. */
struct ovl_pools {
    struct ovl_pool frags; /* fragments, each with a request of the transport */
    struct ovl_frag *frag;
    struct ovl_pool buffers[OVL_CLASSES];
    char *memory[OVL_CLASSES];
};

/* memory.c. The pools and their memory. -1 with *err filled. */
int ovl_frag_open(struct ovl_worker *w, struct ovl_error *err);
void ovl_frag_close(struct ovl_worker *w);
/* Staging buffers that one fragment of this request holds. */
int ovl_frag_buffers(const struct ovl_p2p_req *t);
/* Takes all that a fragment of so many bytes needs, or nothing: NULL, with *behind set where a pool lacks it (else its
   endpoint has its share of one). With *behind set before, as of ovl_pool_has. */
struct ovl_frag *ovl_frag_alloc(struct ovl_worker *w, struct ovl_p2p_req *t, size_t bytes, enum ovl_claim claim,
                                bool *behind);
/* Gives back what it holds. */
void ovl_frag_free(struct ovl_frag *f);
/* The memory of the i-th staging buffer that it holds. */
char *ovl_frag_buffer(const struct ovl_frag *f, int i);

/* frag.c. A position in an operation's buffer. */
struct ovl_location ovl_op_location(const struct ovl_op *op, struct ovl_bufref ref);
/* The next fragment of its request begins. t->moved is called when it has gone through and given back all that it held:
   never from inside this call for an RDMA or a message, at once for what needs neither. */
void ovl_frag_start(struct ovl_frag *f);
/* Of the transport: a send or a receive has completed. */
void ovl_worker_on_complete(void *worker, void *frag);
/* Ends what has come of endpoints. Returns how many did. */
int ovl_worker_poll_eps(struct ovl_worker *w);

#endif
