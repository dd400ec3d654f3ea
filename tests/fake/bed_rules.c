/* The rules R1 to R4 broken from outside: the linker gives calls of these functions to the __wrap_ ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"
#include "tests/fake/bed_state.h"

/* Begins the definition of a function that stands before one of the engine. */
#define WRAP(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

static unsigned broken;
static struct ovl_p2p_req *holders[BED_OPS * BED_RANKS]; /* R2: each has one buffer and waits for another */
static int held[BED_OPS * BED_RANKS], holder_count;      /* its number */
static struct {
    struct ovl_frag *frag;
    const struct ovl_cmdq *cmdq;
    uint64_t sequence;       /* of the operation that keeps it */
} kept[BED_OPS * BED_RANKS]; /* R3 */
static int kept_count;

void bed_break_rules(unsigned rules)
{
    broken = rules;
    holder_count = kept_count = 0;
}

/* R1: nothing tells what is granted before the sender has begun from the rest. */
static enum ovl_claim claim_of(enum ovl_claim claim)
{
    return broken & BED_R1 && claim == OVL_CLAIM_EARLY ? OVL_CLAIM_MANY : claim;
}

WRAP(bool, ovl_pool_has, const struct ovl_pool *p, enum ovl_claim claim, int n, bool behind)
{
    return __real_ovl_pool_has(p, claim_of(claim), n, behind);
}

WRAP(int, ovl_pool_alloc, struct ovl_pool *p, enum ovl_claim claim)
{
    return __real_ovl_pool_alloc(p, claim_of(claim));
}

WRAP(void, ovl_pool_free, struct ovl_pool *p, enum ovl_claim claim, int number)
{
    __real_ovl_pool_free(p, claim_of(claim), number);
}

/* R2: who needs two buffers takes the one that there is, and holds it while it waits for the other. */
WRAP(struct ovl_frag *, ovl_frag_alloc, struct ovl_worker *w, struct ovl_p2p_req *t, size_t bytes, enum ovl_claim claim,
     bool *behind)
{
    if (!(broken & BED_R2) || ovl_frag_buffers(t) < 2)
        return __real_ovl_frag_alloc(w, t, bytes, claim, behind);
    int class = t->step->bytes <= w->config.limits.eager ? OVL_SMALL : OVL_LARGE, i = 0;
    struct ovl_pool *p = &w->pools[OVL_RECEIVING].buffers[class];
    while (i < holder_count && holders[i] != t)
        i++;
    if (i < holder_count) {
        __real_ovl_pool_free(p, OVL_CLAIM_ONE, held[i]);
        holders[i] = holders[--holder_count];
        held[i] = held[holder_count];
    }
    struct ovl_frag *f = __real_ovl_frag_alloc(w, t, bytes, claim, behind);
    if (!f && __real_ovl_pool_has(p, OVL_CLAIM_ONE, 1, false)) {
        holders[holder_count] = t;
        held[holder_count++] = __real_ovl_pool_alloc(p, OVL_CLAIM_ONE);
    }
    return f;
}

/* R3: what a received fragment holds is kept until its operation ends. */
WRAP(void, ovl_frag_free, struct ovl_frag *f)
{
    const struct ovl_op *op = f->req->op;
    if (!(broken & BED_R3) || f->req->route != OVL_ROUTE_RECEIVE) {
        __real_ovl_frag_free(f);
        return;
    }
    kept[kept_count].frag = f;
    kept[kept_count].cmdq = op->client->cmdq;
    kept[kept_count++].sequence = op->command.sequence;
}

WRAP(void, ovl_cmdq_complete, struct ovl_cmdq *s, struct ovl_ep *ep, struct ovl_completion *at, uint64_t sequence,
     int result)
{
    for (int i = kept_count; i-- > 0;)
        if (kept[i].cmdq == s && kept[i].sequence == sequence) {
            __real_ovl_frag_free(kept[i].frag);
            kept[i] = kept[--kept_count];
        }
    __real_ovl_cmdq_complete(s, ep, at, sequence, result);
}

/* R4: a ring is not read while an operation of its rank is under way. */
WRAP(int, ovl_worker_poll_cmds, struct ovl_worker *w, struct ovl_client *c)
{
    return broken & BED_R4 && c->ops > 0 ? 0 : __real_ovl_worker_poll_cmds(w, c);
}
