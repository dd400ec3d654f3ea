/* Inside a worker: what its files share. One thread, so nothing here is atomic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_STATE_H
#define OVL_OFFLOAD_WORKER_STATE_H

#include "offload/worker/frag.h"
#include "offload/worker/match.h"

enum {
    OVL_CHUNK =
        256 << 10, /* of data into memory that the worker can address, and of what it copies between two polls */
    OVL_LARGE_CHUNK = 1 << 20, /* the largest: so much a kernel's socket buffers hold */
    OVL_WINDOW = 16,           /* fragments of one message under way */
    OVL_CREDIT = 256 << 10,    /* bytes of eager messages that one other worker need not have consumed */
    OVL_CREDITS = 32 << 20,    /* bytes of eager messages that all other workers together need not have consumed */
    OVL_KEPT_BYTES = 16 << 20  /* of schedules that no operation runs by */
};

struct ovl_op;
struct ovl_p2p_req;

enum { OVL_SCHEDULE_BUCKETS = 512 };

/* What requests wait for: fragments to send, fragments to receive, fragments to copy (of the receiving side's pools).
 */
enum ovl_wait { OVL_WAIT_SEND, OVL_WAIT_RECEIVE, OVL_WAIT_COPY, OVL_WAITS };

/* Stages through which the fragments of a request go: in by a GET, from the peer, or there already; out by a PUT or a
   copy, to the peer as data, or to the peer as an eager message. */
enum ovl_frag_route { OVL_ROUTE_SEND, OVL_ROUTE_EAGER, OVL_ROUTE_RECEIVE, OVL_ROUTE_COPY };

/* A step with a peer, while it runs; of a copy, only what is needed. */
struct ovl_p2p_req {
    void (*complete)(struct ovl_worker *w, struct ovl_p2p_req *t); /* after its last byte; set by the operation */
    void (*moved)(struct ovl_worker *w, struct ovl_p2p_req *t); /* a fragment has gone through; set by the protocol */
    struct ovl_match_entry entry;
    struct ovl_op *op;
    const struct ovl_step *step;        /* of the schedule, or `own` */
    struct ovl_step own;                /* of a message whose bytes the schedule does not know */
    struct ovl_p2p_req *before, *after; /* in the operation's list of those under way */
    int worker;                         /* the peer's */
    enum ovl_frag_route route;
    struct ovl_location from, to, operand; /* those that the step has */
    int tag;                               /* data tag, -1 when it has none */
    enum ovl_claim tag_claim;
    size_t chunk;                   /* bytes of a fragment */
    size_t cts_bytes, begun, ended; /* byte counts: allowed by CTS; started; finished */
    int inflight;                   /* fragments under way */
    bool waiting, rts_seen;
    struct ovl_p2p_req *next;       /* in the one queue it is in */
    struct ovl_frag *first, **last; /* to be sent in this order, as data of one tag must be */
    struct ovl_early *payload;      /* an eager message that came before there was room to deliver it */
    struct ovl_p2p_req
        *sender; /* of a copy: the send request, when it is at this worker; NULL: its worker gets a FIN */

    int64_t due; /* when it may end, with a slowdown */
};

struct ovl_queue {
    struct ovl_p2p_req *first, **last;
};

/* Schedules are kept, since programs repeat themselves: the longest unused goes when all together are too many bytes.
 */
struct ovl_cached_schedule {
    struct ovl_cached_schedule *next;          /* in its bucket */
    struct ovl_cached_schedule *newer, *older; /* of the worker's list */
    struct ovl_worker_team *team;
    struct ovl_schedule *schedule;
    size_t kept_bytes;
    int ops;      /* operations that run by it */
    uint64_t key; /* ovl_schedule_key of its shape */
};

/* What teams of the same members share. */
struct ovl_members {
    struct ovl_members *next; /* in its bucket */
    uint64_t hash;
    size_t uses; /* teams */
    int ranks;
    int *world_rank;
    struct ovl_placement placement;
};

struct ovl_worker_team {
    struct ovl_worker_team *next; /* in its bucket */
    uint64_t id, sequence;        /* operations begun */
    int rank, ranks;
    const int *world_rank, *node; /* of each member, lent by `members` */
    struct ovl_members *members;
    struct ovl_op *ops; /* those that have not ended */
    bool early;         /* some receive ended before its RTS came, if one was sent at all */
};

/* Those of them that were detached, and to which such an RTS may still come (worker/gone.c). */
struct ovl_gone {
    struct ovl_gone_team {
        uint64_t id;
        int rank;
    } * team;
    size_t count, room;
    size_t asked;  /* the first of them, which may be forgotten when all have answered; 0: nobody was asked */
    uint64_t ping; /* number of the last question */
};

enum { OVL_MEMBER_BUCKETS = 256 };

struct ovl_team_table {
    struct ovl_worker_team **bucket; /* by id and rank */
    size_t buckets, count;
    struct ovl_members *members[OVL_MEMBER_BUCKETS];
};

/* A rank that this worker serves. */
struct ovl_client {
    struct ovl_cmdq *cmdq;
    struct ovl_ep *ep; /* NULL: the command queue is shared with the rank */
    int socket;        /* to its process, or 0 */
    bool own, detached;
    bool polls;                  /* the first of its endpoint's group */
    uint64_t taken;              /* commands */
    struct ovl_completion *more; /* slots from OVL_SLOTS to OVL_MOST_SLOTS, or NULL */
    struct ovl_rank_mem rank_mem;
    struct ovl_worker_team **teams; /* by the rank's number for them; NULL when detached */
    size_t team_room;
    struct {
        struct ovl_op *first, **last; /* whose requests wait */
        int64_t deficit;              /* bytes that it may still begin in this round (R7) */
    } wait[OVL_WAITS];
    struct {
        int frags, buffers[OVL_CLASSES];
    } held[OVL_SIDES]
          [2];    /* by fragments that may wait for its endpoint (R6); [1]: early, which takes nothing from others */
    uint64_t ops; /* under way */
};

/* An operation of one rank, while it runs. */
struct ovl_op {
    struct ovl_op *next;           /* in the list of those that may advance */
    struct ovl_op *before, *after; /* in the list of all */
    struct ovl_op *team_before, *team_after;
    bool on_ready_list;
    struct ovl_client *client;
    struct ovl_worker_team *team;
    struct ovl_command command;
    struct ovl_cached_schedule *cached;
    const struct ovl_schedule *schedule;
    uint64_t sequence;     /* in the team */
    uint64_t number;       /* among all that this worker ever began */
    size_t payload, whole; /* bytes: in the rank's receive buffer; ovl_algorithm_measure */
    char *temporary;
    int round;
    size_t begun;             /* steps */
    uint32_t *pending;        /* steps that each round still waits for */
    struct ovl_p2p_req *reqs; /* under way */
    size_t early;             /* receives that ended by an early grant, and to which an RTS may still come */
    struct {
        struct ovl_queue reqs; /* requests that wait */
        struct ovl_op *next;   /* operation with waiting requests */
        bool listed;           /* the operation is in the client's list */
    } wait[OVL_WAITS];
};

/* Another worker. */
struct ovl_peer_worker {
    uint32_t credit;                  /* eager bytes that may still be sent to it */
    uint32_t credit_to_return;        /* bytes of credit that this worker still has to return to it */
    int64_t ping_sent_ns;             /* on the clock `lived`: the first ping since its last control message, or 0 */
    uint64_t answered;                /* the last of ovl_gone.ping that it has answered */
    const struct ovl_p2p_req *needed; /* a request that waits for it, found by keep-alive */
};

enum { OVL_PROBE_BYTES = 64 };

/* A rank asks whether its memory can be reached. */
struct ovl_probe {
    struct ovl_client *client; /* NULL: nobody does */
    struct ovl_command command;
    struct ovl_rdma rdma;
    char *memory;
};

struct ovl_worker {
    struct ovl_worker_config config;
    struct ovl_client *clients;
    int client_count, present; /* present: own clients that have not left */
    int foreign_present;
    struct ovl_peer_worker *peer_workers;
    uint32_t credit; /* of each of them */
    struct ovl_match_table table[OVL_SIDES];
    struct ovl_op *ops, *ready, *resting; /* resting: as ready, after some computation; the oldest first */
    uint64_t ops_begun;
    size_t op_count, unbegun; /* unbegun: those of which some step has not begun */
    struct ovl_team_table teams;
    struct ovl_gone gone;
    struct ovl_pools pools[OVL_SIDES];
    char *memory; /* memory of all staging buffers, and at its end of the probe */
    struct ovl_pool tags;
    int waiting[OVL_WAITS];  /* requests that wait */
    int turn[OVL_WAITS];     /* the client that is next */
    bool in_turn[OVL_WAITS]; /* the client lacked something in its turn */
    bool retry[OVL_WAITS];   /* something has changed: some may begin now */
    size_t copy_bytes;       /* bytes that this turn of the loop may still copy */
    int begun;               /* fragments in this turn */
    struct ovl_p2p_req *free_reqs;
    struct ovl_queue delayed, finishing; /* with a slowdown: steps done but not to be known yet */
    struct ovl_cached_schedule *schedules[OVL_SCHEDULE_BUCKETS], *newest, *oldest;
    size_t kept_bytes; /* of schedules that no operation runs by */
    struct ovl_probe probe;
    bool listens;                 /* it may sleep until the transport, or a rank by the bell, wakes it */
    bool remote;                  /* some rank is at the far end of an endpoint */
    int rdmas;                    /* under way */
    int64_t next_showing;         /* when remote ranks get the status page again */
    size_t coming, landed;        /* bytes: in posted receives; received since rx_since */
    int64_t rx_since;             /* ns */
    double paced_ns, paced_bytes; /* what data took of late: ovl_worker_learn_rate */
    uint32_t doorbell;            /* seen */
    int64_t not_before;
    int64_t next_beat, next_watch;
    int64_t watched; /* when the loop was last seen to run */
    int64_t lived;   /* ns in which it ran: time in which all were stopped counts for nothing */
    pid_t parent;    /* the launcher's process that began this one */
    bool failed;
    enum ovl_reporter reporter;
};

static inline void ovl_queue_push(struct ovl_queue *q, struct ovl_p2p_req *t)
{
    t->next = NULL;
    if (!q->first)
        q->last = &q->first;
    *q->last = t;
    q->last = &t->next;
}

static inline struct ovl_p2p_req *ovl_queue_pop(struct ovl_queue *q)
{
    struct ovl_p2p_req *t = q->first;
    if (t)
        q->first = t->next;
    return t;
}

/* The command has completed, with 0 or an errno. */
static inline void ovl_client_complete(struct ovl_client *c, const struct ovl_command *k, int result)
{
    struct ovl_completion *at = k->slot < OVL_SLOTS ? &c->cmdq->slot[k->slot] : &c->more[k->slot - OVL_SLOTS];
    ovl_cmdq_complete(c->cmdq, c->ep, at, k->sequence, result);
}

/* After the last byte of a step: its end, at once, or with a slowdown when its time has come. */
static inline void ovl_p2p_complete(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (w->config.slowdown > 1)
        ovl_queue_push(&w->finishing, t);
    else
        t->complete(w, t);
}

/* worker/fault.c. The worker gives up: the text stands on the status page, and its ranks print it. */
void ovl_worker_fail(struct ovl_worker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As ovl_worker_fail, but `reporter` prints the text. */
void ovl_worker_fail_reported(struct ovl_worker *w, enum ovl_reporter reporter, const char *text);
/* The transport has refused what is for or from that worker; errno says why. */
void ovl_worker_refused(struct ovl_worker *w, int worker);

/* worker/am.c. Sends a control message, with the credit that is owed to that worker. */
void ovl_worker_send_ctrl(struct ovl_worker *w, int to, struct ovl_ctrl_msg *msg, const void *payload);
/* What an eager message of so many bytes costs of the credit. */
uint32_t ovl_worker_eager_cost(size_t bytes);
/* Room for that worker's messages is free again: the credit goes with the next control message to it, or, when it is
 * much, by one of its own. */
void ovl_worker_return_credit(struct ovl_worker *w, int from, size_t bytes);

/* worker/cmd.c. Takes what stands in a client's ring. Returns how many commands that was. */
int ovl_worker_poll_cmds(struct ovl_worker *w, struct ovl_client *c);

/* worker/team.c. What attach and detach ask; an errno, or 0. The team of that id and rank, or NULL. */
int ovl_team_attach(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *k);
void ovl_team_detach(struct ovl_worker *w, struct ovl_client *c, unsigned number);
struct ovl_worker_team *ovl_team_find(const struct ovl_worker *w, uint64_t id, int rank);
/* All teams of a client that goes. */
void ovl_teams_free(struct ovl_worker *w, struct ovl_client *c);

/* worker/gone.c. A team that goes is noted where an RTS of it may still come; was it one of those? */
void ovl_gone_add(struct ovl_worker *w, const struct ovl_worker_team *team);
bool ovl_gone_has(const struct ovl_gone *g, uint64_t id, int rank);

/* worker/cache.c. The schedule of that shape, kept or new; NULL when there is no memory. To be released when the
   operation that ran by it has ended. */
struct ovl_cached_schedule *ovl_cache_acquire(struct ovl_worker *w, struct ovl_worker_team *team,
                                              const struct ovl_coll_shape *shape);
void ovl_cache_release(struct ovl_worker *w, struct ovl_cached_schedule *cached);
/* Forgets those of a team; of NULL all. */
void ovl_cache_drop(struct ovl_worker *w, const struct ovl_worker_team *team);

/* worker/op.c */
void ovl_op_begin(struct ovl_worker *w, struct ovl_client *c, const struct ovl_command *command);
/* Takes it out of the list and frees it, ended or not; its rank hears nothing. */
void ovl_op_drop(struct ovl_worker *w, struct ovl_op *t);
/* Begins what may begin in operations whose round has ended. Returns how many there were. */
int ovl_op_progress_all(struct ovl_worker *w);

/* worker/admit.c. The request has something to begin: it waits until it is admitted. */
void ovl_wait_enqueue(struct ovl_worker *w, struct ovl_p2p_req *t, enum ovl_wait what);
/* Begins what may begin. Returns how many fragments that was. */
int ovl_worker_admit(struct ovl_worker *w);
/* A receive whose RTS is not here is granted all the same, if there is something for it (R5). */
void ovl_grant_early(struct ovl_worker *w, struct ovl_p2p_req *t);

/* worker/agree.c. A control message that says what this half of a message is. */
struct ovl_ctrl_msg ovl_p2p_msg(const struct ovl_p2p_req *t, enum ovl_ctrl_kind kind);
/* Is the other half, which says that of itself, of the same operation and sizes? */
bool ovl_p2p_same(const struct ovl_p2p_req *t, const struct ovl_ctrl_msg *msg);
/* As ovl_p2p_same, of a receiver; where it is not, the worker gives up and says what differs. */
bool ovl_p2p_accept(struct ovl_worker *w, const struct ovl_p2p_req *receiver, const struct ovl_ctrl_msg *msg);

/* worker/p2p.c. A copy of this worker's. */
void ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t);
void ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t);
/* RTS that came to receives of this operation after their early grants are forgotten. */
void ovl_p2p_forget(struct ovl_worker *w, const struct ovl_op *op);
void ovl_worker_on_ctrl(void *worker, int from, const struct ovl_ctrl_msg *msg, const void *payload);

/* worker/backoff.c. How long to sleep now that nothing has moved for so long; `alone`: all its ranks sleep too. */
int64_t ovl_worker_backoff(const struct ovl_worker *w, bool alone, int64_t still_ns);
/* Whether nothing has moved for so long that a worker of which nobody wants anything sleeps until it is rung for. One
   that has a core of its own looks for OVL_WORKER_SPIN_NS. */
enum { OVL_WORKER_SPIN_NS = 5000000 };
bool ovl_worker_may_sleep_long(const struct ovl_worker *w, int64_t still_ns);
/* Before a sleep: learns how fast data comes. */
void ovl_worker_learn_rate(struct ovl_worker *w, int64_t now);

/* worker/publish.c. The status page as it is now to the far ends of all endpoints; and now and then. */
void ovl_worker_publish(struct ovl_worker *w);
/* To the status page itself: the most that was ever held. */
void ovl_worker_publish_high_water(struct ovl_worker *w);
void ovl_worker_publish_heartbeat(struct ovl_worker *w, int64_t now);

/* worker/watch.c. Looks now and then whether its ranks live, and the launcher; where not, it gives up. */
void ovl_worker_watch(struct ovl_worker *w, int64_t now);
/* Errno `why` came of reaching for that rank's memory. */
void ovl_worker_unreached(struct ovl_worker *w, const struct ovl_client *c, int why);
/* Asks peer workers that are waited for whether they live. */
void ovl_worker_keepalive(struct ovl_worker *w);
/* Another worker has seen somebody's death. */
void ovl_worker_on_lost(struct ovl_worker *w, const char *text, size_t bytes);

#endif
