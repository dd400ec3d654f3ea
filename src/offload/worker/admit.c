/* Who may begin the next fragment. A message takes something from a pool only when both sides have begun it (R1), takes
 * all that the fragment needs at once (R2), and from then on the fragment ends by the two workers and their adapters
 * alone (R3). Ranks take turns by bytes, a rank's operations one fragment each (deficit round robin, M. Shreedhar and
 * G. Varghese, "Efficient Fair Queueing Using Deficit Round Robin", SIGCOMM 1995); messages of one fragment have a
 * reserve (R7). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

enum { QUANTUM = 4 }; /* fragments that a rank begins in its turn */

/* Has somebody whose turn it was lacked something? Who holds a tag waits for fragments only, and is not held up by who
   waits for a tag. */
struct behind {
    bool frags, tags;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void append_op(struct ovl_client *c, struct ovl_op *op, enum ovl_wait what)
{
    if (!c->wait[what].first)
        c->wait[what].last = &c->wait[what].first;
    op->wait[what].next = NULL;
    *c->wait[what].last = op;
    c->wait[what].last = &op->wait[what].next;
    op->wait[what].listed = true;
}

/* Those that hold a tag are first, so that no other one's want of a tag hides them. */
static void enqueue_in_order(struct ovl_queue *q, struct ovl_p2p_req *t)
{
    if (t->begun == 0) {
        ovl_queue_push(q, t);
        return;
    }
    t->next = q->first;
    if (!q->first)
        q->last = &t->next;
    q->first = t;
}

void ovl_wait_enqueue(struct ovl_worker *w, struct ovl_p2p_req *t, enum ovl_wait what)
{
    struct ovl_op *op = t->op;
    w->retry[what] = true;
    if (t->waiting)
        return;
    t->waiting = true;
    w->waiting[what]++;
    if (!op->wait[what].listed)
        append_op(op->client, op, what);
    enqueue_in_order(&op->wait[what].reqs, t);
}

/* Bytes of the fragment that it could begin next; 0: none now. */
static size_t next_bytes(const struct ovl_p2p_req *t)
{
    size_t end = t->route == OVL_ROUTE_SEND ? t->cts_bytes : t->step->bytes;
    return t->inflight < OVL_WINDOW ? least(t->chunk, end - t->begun) : 0;
}

/* Is it done within this call, by this worker's own hands? Then only so much of it in one turn of the loop. */
static bool is_copied_here(const struct ovl_p2p_req *t)
{
    return t->route == OVL_ROUTE_COPY && (t->from.addr || !t->from.client->ep) && (t->to.addr || !t->to.client->ep);
}

static bool alloc_tag(struct ovl_worker *w, struct ovl_p2p_req *t, enum ovl_claim claim, struct behind *behind)
{
    if (t->route != OVL_ROUTE_RECEIVE || t->tag >= 0)
        return true;
    if (!ovl_pool_has(&w->tags, claim, 1, behind->tags)) {
        behind->tags = true;
        return false;
    }
    t->tag = ovl_pool_alloc(&w->tags, claim);
    t->tag_claim = claim;
    return true;
}

static void free_tag(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    if (t->route == OVL_ROUTE_RECEIVE && t->begun == 0 && t->tag >= 0) {
        ovl_pool_free(&w->tags, t->tag_claim, t->tag);
        t->tag = -1;
    }
}

static void send_cts(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    struct ovl_ctrl_msg msg = ovl_p2p_msg(t, OVL_CTRL_CTS);
    msg.raddr = t->cts_bytes = t->begun;
    msg.chunk = (uint32_t)t->chunk;
    msg.rank = t->tag;
    ovl_worker_send_ctrl(w, t->worker, &msg, NULL);
}

/* As many fragments as there is room for, within `allowed` bytes: the last may go beyond. Returns the bytes begun.
 *again: it could begin more, but for want of something or of its turn; else it may have ended, and be no more. */
static size_t begin(struct ovl_worker *w, struct ovl_p2p_req *t, enum ovl_claim claim, size_t allowed,
                    struct behind *behind, bool *again)
{
    size_t all = 0, bytes;
    bool here = is_copied_here(t), receives = t->route == OVL_ROUTE_RECEIVE;
    while ((bytes = next_bytes(t)) > 0 && all < allowed && !(here && w->copy_bytes == 0) && !w->failed) {
        struct ovl_frag *f = alloc_tag(w, t, claim, behind) ? ovl_frag_alloc(w, t, bytes, claim, &behind->frags) : NULL;
        if (!f) {
            free_tag(w, t);
            break;
        }
        bool last = t->begun + bytes == t->step->bytes;
        if (here)
            w->copy_bytes -= least(w->copy_bytes, bytes);
        all += bytes;
        w->begun++;
        t->waiting = !last;
        ovl_frag_start(f);
        if (last && !receives) {
            *again = false;
            return all;
        }
    }
    t->waiting = *again = bytes > 0;
    if (all && receives)
        send_cts(w, t);
    return all;
}

static enum ovl_claim claim_of(const struct ovl_p2p_req *t)
{
    return t->step->bytes <= t->chunk ? OVL_CLAIM_ONE : OVL_CLAIM_MANY;
}

/* The reserve for messages of one fragment is for whoever finds it. */
static bool may_begin(const struct ovl_client *c, enum ovl_wait what, const struct behind *behind)
{
    return c->wait[what].deficit > 0 || behind->frags || behind->tags;
}

/* One rank's turn: its operations in turn, as long as it may and something can begin. Returns whether something did. */
static bool serve(struct ovl_worker *w, struct ovl_client *c, enum ovl_wait what, struct behind *behind)
{
    bool any = false;
    const struct ovl_op *stop = NULL; /* the first of those that could begin nothing */
    for (struct ovl_op *op; (op = c->wait[what].first) && op != stop && may_begin(c, what, behind) && !w->failed;) {
        struct ovl_p2p_req *t = ovl_queue_pop(&op->wait[what].reqs);
        bool again;
        size_t chunk = t->chunk;
        c->wait[what].first = op->wait[what].next;
        w->waiting[what]--;
        size_t bytes = begin(w, t, claim_of(t), what == OVL_WAIT_RECEIVE ? OVL_WINDOW * chunk : chunk, behind, &again);
        c->wait[what].deficit -= (int64_t)bytes;
        if (again) {
            w->waiting[what]++;
            enqueue_in_order(&op->wait[what].reqs, t);
        }
        op->wait[what].listed = false;
        if (op->wait[what].reqs.first)
            append_op(c, op, what);
        if (bytes) {
            any = true;
            stop = NULL;
        } else if (!stop && op->wait[what].reqs.first)
            stop = op;
    }
    if (!c->wait[what].first)
        c->wait[what].deficit = 0;
    return any;
}

/* The rank that first lacked something goes on with its turn next time. */
static void admit(struct ovl_worker *w, enum ovl_wait what)
{
    int still = 0, lacking = -1;
    int64_t quantum = QUANTUM * (int64_t)w->config.limits.fragment;
    struct behind behind = {false, false};
    for (w->retry[what] = false; w->waiting[what] > 0 && still < w->client_count && !w->failed;) {
        struct ovl_client *c = &w->clients[w->turn[what]];
        bool begun = false, anybody = behind.frags || behind.tags;
        if (c->wait[what].first) {
            if (!anybody && !w->in_turn[what])
                c->wait[what].deficit += c->wait[what].deficit < quantum ? quantum : 0;
            begun = may_begin(c, what, &behind) ? serve(w, c, what, &behind) : true;
        }
        if (!anybody && (behind.frags || behind.tags))
            lacking = w->turn[what];
        still = begun ? 0 : still + 1;
        w->in_turn[what] = false;
        w->turn[what] = (w->turn[what] + 1) % w->client_count;
    }
    w->in_turn[what] = lacking >= 0;
    if (lacking >= 0)
        w->turn[what] = lacking;
}

int ovl_worker_admit(struct ovl_worker *w)
{
    w->begun = 0;
    w->copy_bytes = OVL_CHUNK;
    if (w->waiting[OVL_WAIT_COPY] > 0)
        w->retry[OVL_WAIT_COPY] = true;
    /* Receives and copies take from the same pools: the copies come first where they lacked something the last time.
       Both come before sends: a transport sends in order, and a CTS behind this worker's data lets the peer's wait for
       them. */
    bool copies = w->in_turn[OVL_WAIT_COPY];
    const enum ovl_wait order[OVL_WAITS] = {copies ? OVL_WAIT_COPY : OVL_WAIT_RECEIVE,
                                            copies ? OVL_WAIT_RECEIVE : OVL_WAIT_COPY, OVL_WAIT_SEND};
    for (int i = 0; i < OVL_WAITS; i++)
        if (w->retry[order[i]])
            admit(w, order[i]);
    return w->begun;
}

void ovl_grant_early(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    bool again, others = w->waiting[OVL_WAIT_RECEIVE] > 0;
    struct behind behind = {others, others};
    begin(w, t, OVL_CLAIM_EARLY, OVL_WINDOW * t->chunk, &behind, &again);
    t->waiting = false; /* for the rest the RTS must be here, or data */
}
