/* Inside a worker: what its files share. One thread, so nothing here is atomic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_WORKER_STATE_H
#define OVL_OFFLOAD_WORKER_WORKER_STATE_H

#include "offload/worker/worker.h"

enum {
    OVL_CHUNK = 256 << 10,  /* of data into memory that the worker can address, and of a copy between two polls */
    OVL_WINDOW = 16,        /* chunks of one message whose receives are posted at once */
    OVL_BLOCK = 1 << 20,    /* a staging block, and the largest chunk */
    OVL_BLOCKS = 2,         /* for each direction: one fills while the other empties */
    OVL_CARRIERS = 4,       /* chunks at a time between ranks at the far ends of endpoints */
    OVL_CREDIT = 256 << 10, /* bytes of eager messages to one worker that it need not have consumed */
    OVL_SCHEDULES = 8,      /* kept for each team */
    OVL_MATCH_BUCKETS = 1 << 12
};

struct ovl_op;
struct ovl_p2p_req;

/* Entry of a match table: a posted request that waits for the peer, or a control message that came before its request
   was posted. */
struct ovl_match_entry {
    struct ovl_match_entry *next;
    struct ovl_key key;
    struct ovl_p2p_req *req; /* the posted request; NULL for an early control message, which the next two describe: */
    int from;                /* the worker that sent it */
    struct ovl_ctrl_msg msg; /* its payload lies behind the entry */
};

/* Sends and receives have a match table each. A send request waits for its CTS in table[OVL_SENDING] of the sender's
   worker. */
enum ovl_side { OVL_SENDING, OVL_RECEIVING, OVL_SIDES };

struct ovl_match_table {
    struct ovl_match_entry *bucket[OVL_MATCH_BUCKETS];
    size_t unanswered; /* posted requests in the table to which the peer has not replied */
};

/* A step with a peer, while it runs; of a copy, only what is needed. */
struct ovl_p2p_req {
    void (*complete)(struct ovl_worker *w, struct ovl_p2p_req *t); /* after its last byte; set by the operation */
    struct ovl_match_entry entry;
    struct ovl_op *op;
    const struct ovl_step *step;
    int worker;                     /* the peer's */
    char *addr;                     /* the message in memory that can be addressed; NULL: staged through blocks */
    char *recv_tmp;                 /* of a reduction off another node: memory to receive into */
    int tag;                        /* data tag, -1 when it has none */
    size_t chunk;                   /* bytes of a chunk of data */
    size_t cts_bytes, begun, ended; /* byte counts: allowed by CTS; started; finished */
    int inflight;                   /* chunks under way */
    bool done;
    bool waits_for_buf;       /* among those that wait for a block to send */
    struct ovl_p2p_req *next; /* in the one queue it is in */

    /* A receive that this worker copies: from where, and who is told. */
    const char *source;                  /* address; NULL when the worker cannot address it: then read at */
    const struct ovl_rank_mem *rank_mem; /* raddr in the memory of this rank */
    uint64_t raddr;
    struct ovl_p2p_req *sender; /* the send request, when it is at this worker; NULL: the peer's worker gets a FIN */

    int64_t due; /* when it may end, with a slowdown */
};

struct ovl_queue {
    struct ovl_p2p_req *first, **last;
};

/* Schedules are kept, since programs repeat themselves. */
struct ovl_cached_schedule {
    struct ovl_schedule *schedule;
    uint64_t used; /* 0: never */
    int ops;       /* that run by it */
    int operation, root, in_place;
    size_t bytes, element;
};

struct ovl_worker_team {
    uint64_t id, sequence; /* operations begun */
    int rank, ranks;
    int *world_rank, *node; /* of each member */
    struct ovl_cached_schedule plans[OVL_SCHEDULES];
    uint64_t uses;
};

/* A rank that this worker serves. */
struct ovl_client {
    struct ovl_cmdq *cmdq;
    struct ovl_ep *ep; /* NULL: the command queue is shared with the rank */
    bool own, detached;
    uint64_t taken; /* commands */
    struct ovl_rank_mem rank_mem;
    struct ovl_worker_team **teams; /* by the rank's number for them; NULL when detached */
    size_t team_room;
};

/* An operation of one rank, while it runs. */
struct ovl_op {
    struct ovl_op *next;           /* in the list of those that may advance */
    struct ovl_op *before, *after; /* in the list of all */
    bool on_ready_list;
    struct ovl_client *client;
    struct ovl_worker_team *team;
    struct ovl_command command;
    struct ovl_cached_schedule *plan; /* NULL: the schedule is its own */
    const struct ovl_schedule *schedule;
    uint64_t sequence; /* in the team */
    size_t payload;
    char *temporary;
    int round;
    size_t begun;             /* steps */
    uint32_t *pending;        /* steps that each round still waits for */
    struct ovl_p2p_req req[]; /* one per step */
};

/* A chunk of data under way: between the workers, and where it is staged also between a block and its rank. */
struct ovl_flight {
    struct ovl_flight *next;
    struct ovl_errand errand;
    struct ovl_p2p_req *req;
    size_t offset, bytes;
    char *block; /* staging block, or NULL */
    bool sends;
};

/* A chunk on its way from one rank at the far end of an endpoint to another. */
struct ovl_carrier {
    struct ovl_p2p_req *req; /* NULL: there is none */
    struct ovl_errand errand;
    size_t offset, bytes;
    char *block;
};

/* Another worker. */
struct ovl_peer_worker {
    uint32_t credit;           /* eager bytes that may still be sent to it */
    uint32_t credit_to_return; /* that it may send again, and has not been told yet */
    int64_t ping_sent_ns;      /* ns: the first ping since its last control message, or 0 */
    bool needed;               /* some transfer waits for it */
};

struct ovl_worker {
    struct ovl_worker_config plan;
    struct ovl_client *clients;
    int client_count, present; /* present: own clients that have not left */
    int foreign_present;
    struct ovl_peer_worker *peer_workers;
    struct ovl_match_table table[OVL_SIDES];
    struct ovl_op *ops, *ready;
    size_t op_count;
    struct ovl_queue copies;             /* receives that are copied here, a chunk at a turn */
    struct ovl_queue hungry[OVL_SIDES];  /* transfers that wait for a staging block */
    struct ovl_queue delayed, finishing; /* with a slowdown: steps done but not to be known yet */
    char *blocks[OVL_SIDES][OVL_BLOCKS];
    int free_blocks[OVL_SIDES];
    char *scratch[3]; /* a chunk each: what came, and the two operands of a reduction */
    char *bounce;     /* a chunk for what goes by an endpoint from or to memory that is not lodged */
    struct ovl_carrier carriers[OVL_CARRIERS];
    struct ovl_queue to_carry; /* copies of which not all is begun */
    int carrying;              /* chunks */
    bool remote;               /* some rank is at the far end of an endpoint */
    int64_t next_showing;      /* of the status page, there */
    struct ovl_flight *free_flights;
    struct ovl_flight *fetching, **last_fetching; /* on errands, in the order begun */
    size_t coming, landed;                        /* bytes: in posted receives; received since rx_since */
    int64_t rx_since;                             /* ns */
    double paced_ns, paced_bytes;                 /* what data took of late: ovl_worker_keep_pace */
    uint64_t *tags_taken;                         /* a bit each */
    int next_tag;
    uint32_t doorbell; /* seen */
    int64_t not_before;
    int64_t next_beat;
    bool failed;
};

/* The other half's entry, taken out of the table, or NULL. */
struct ovl_match_entry *ovl_match_take(struct ovl_match_table *t, const struct ovl_key *key);
void ovl_match_put(struct ovl_match_table *t, struct ovl_match_entry *e);

static inline void ovl_queue_put(struct ovl_queue *q, struct ovl_p2p_req *t)
{
    t->next = NULL;
    if (!q->first)
        q->last = &q->first;
    *q->last = t;
    q->last = &t->next;
}

static inline struct ovl_p2p_req *ovl_queue_take(struct ovl_queue *q)
{
    struct ovl_p2p_req *t = q->first;
    if (t)
        q->first = t->next;
    return t;
}

/* After the last byte of a step: its end, at once, or with a slowdown when its time has come. */
static inline void ovl_p2p_complete(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (w->plan.slowdown > 1)
        ovl_queue_put(&w->finishing, t);
    else
        t->complete(w, t);
}

/* worker_fault.c. The worker gives up: what is said stands on the status page. */
void ovl_worker_fail(struct ovl_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Errno `why` came of reaching for that rank's memory. */
void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_rank_mem *rank_mem, int why);

/* worker_am.c. Sends a control message, with the credit that is owed to that worker. */
void ovl_worker_send_ctrl(struct ovl_worker *w, int to, struct ovl_ctrl_msg *msg, const void *payload);
/* What an eager message of so many bytes costs of the credit. */
uint32_t ovl_worker_eager_cost(size_t bytes);
/* Room in that worker's memory is free again; it is told with the next control message, or by one of its own when it is
 * much. */
void ovl_worker_return_credit(struct ovl_worker *w, int from, size_t bytes);

/* worker_cmd.c. Takes what stands in a client's ring. Returns how many commands that was. */
int ovl_worker_poll_cmds(struct ovl_worker *w, struct ovl_client *c);

/* worker_op.c */
void ovl_op_begin(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *command);
/* Takes it out of the list and frees it, ended or not; its rank hears nothing. */
void ovl_op_drop(struct ovl_worker *w, struct ovl_op *t);
/* Begins what may begin in operations whose round has ended. Returns how many there were. */
int ovl_op_progress_all(struct ovl_worker *w);
void ovl_worker_team_free(struct ovl_worker_team *team);

/* worker_mem.c. The address of a position in an operation's buffer, or NULL when the worker cannot address it: *raddr
   is then the address in the rank's memory. */
char *ovl_op_addr(const struct ovl_op *op, struct ovl_bufref ref, uint64_t *raddr);
int ovl_op_get(struct ovl_worker *w, const struct ovl_op *op, void *to, struct ovl_bufref from, size_t bytes);
int ovl_op_put(struct ovl_worker *w, const struct ovl_op *op, struct ovl_bufref to, const void *from, size_t bytes);
/* What came for a receiving transfer goes where it belongs: bytes from `offset` of the message. */
void ovl_p2p_deliver(struct ovl_worker *w, struct ovl_p2p_req *t, const char *data, size_t offset, size_t bytes);

/* worker_copy.c. One chunk of the first copy in the queue. */
int ovl_worker_copy(struct ovl_worker *w);
/* All of a copy is there. */
void ovl_p2p_copy_done(struct ovl_worker *w, struct ovl_p2p_req *t);

/* worker_carry.c. Is this copy one between ranks at the far ends of endpoints? Then it is carried. */
bool ovl_p2p_is_carried(const struct ovl_p2p_req *t);
void ovl_p2p_carry(struct ovl_worker *w, struct ovl_p2p_req *t);
/* Goes on with what has been read or written. Returns how many chunks that was. */
int ovl_worker_carry(struct ovl_worker *w);

/* worker_p2p.c. A copy of this worker's, in the way that its memory allows. */
void ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_worker_on_ctrl(void *worker, int from, const struct ovl_ctrl_msg *msg, const void *payload);

/* worker_backoff.c. How long to sleep now that nothing has moved for so long; `alone`: all its ranks sleep too. */
int64_t ovl_worker_backoff(const struct ovl_worker *w, bool alone, int64_t still_ns);
/* Before a sleep: learns how fast data comes. */
void ovl_worker_keep_pace(struct ovl_worker *w, int64_t now);

/* worker_publish.c. The status page as it is now to the far ends of all endpoints; and now and then. */
void ovl_worker_publish(struct ovl_worker *w);
void ovl_worker_publish_heartbeat(struct ovl_worker *w, int64_t now);

/* worker_rndv.c. Ends errands. Returns how many there were. */
int ovl_worker_errands(struct ovl_worker *w);
void ovl_p2p_send_cts(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_p2p_send_data(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_worker_flight(void *worker, void *flight);

/* worker_keepalive.c. Asks peer workers that are waited for whether they live. */
void ovl_worker_keepalive(struct ovl_worker *w, int64_t now);

#endif
