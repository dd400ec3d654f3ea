/* Schedules of many ranks, made one after the other and kept in few bytes; of one node alone where all are alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/ranks.h"
#include "offload/coll/algorithm.h"
#include "offload/coll/schedule_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(const struct ovl_sim_ranks *t, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the schedules of %d ranks", t->ranks);
}

static bool receives(int kind)
{
    return kind == OVL_STEP_RECV || kind == OVL_STEP_REDUCE;
}

/* The number of a rank, of 2^n, with its bits from behind; the rank itself where nothing is to be reversed. */
static int in_order(const struct ovl_sim_ranks *t, int rank)
{
    int other = 0;
    for (int bit = 1; bit < t->ranks; bit *= 2)
        other = 2 * other + !!(rank & bit);
    return t->reversed ? other : rank;
}

static struct ovl_schedule *schedule_by(const struct ovl_sim_ranks *t, struct ovl_coll_shape shape, int rank)
{
    shape.rank = in_order(t, rank);
    shape.root = in_order(t, shape.root);
    if (shape.operation == OVL_ISENDRECV) { /* each member has its own end of the message */
        shape.to = rank == t->shape.from ? t->shape.to : -1;
        shape.from = rank == t->shape.to ? t->shape.from : -1;
    }
    shape.placement = &t->placement;
    struct ovl_schedule *s = ovl_schedule_make(&shape);
    for (size_t i = 0; s && i < s->steps; i++)
        s->step[i].peer = s->step[i].peer < 0 ? -1 : in_order(t, s->step[i].peer);
    return s;
}

/* Tags of the second operation are none of the first. */
enum { LATER = 1U << 30 };

/* The steps of both, those of `b` behind all rounds of `a`; takes them. */
static struct ovl_schedule *joined(struct ovl_schedule *a, struct ovl_schedule *b)
{
    struct ovl_schedule *s = a && b ? calloc(1, sizeof *s) : NULL;
    if (s) {
        s->step = malloc((a->steps + b->steps + 1) * sizeof *s->step);
        s->in_round = malloc((size_t)(a->rounds + b->rounds + 1) * sizeof *s->in_round);
    }
    if (!s || !s->step || !s->in_round) {
        ovl_schedule_free(s);
        s = NULL;
    } else {
        memcpy(s->step, a->step, a->steps * sizeof *s->step);
        memcpy(s->in_round, a->in_round, (size_t)a->rounds * sizeof *s->in_round);
        memcpy(s->step + a->steps, b->step, b->steps * sizeof *s->step);
        memcpy(s->in_round + a->rounds, b->in_round, (size_t)b->rounds * sizeof *s->in_round);
        s->steps = a->steps + b->steps;
        s->rounds = a->rounds + b->rounds;
        for (size_t i = a->steps; i < s->steps; i++) {
            s->step[i].round += a->rounds;
            s->step[i].first_round += a->rounds;
            s->step[i].tag |= LATER;
        }
    }
    ovl_schedule_free(a);
    ovl_schedule_free(b);
    return s;
}

static struct ovl_schedule *schedule_of(const struct ovl_sim_ranks *t, int rank)
{
    struct ovl_schedule *first = schedule_by(t, t->shape, rank);
    return t->then.operation == OVL_NO_OPERATION ? first : joined(first, schedule_by(t, t->then, rank));
}

static struct ovl_sim_step kept(const struct ovl_step *s)
{
    uint64_t times = s->kind == OVL_STEP_STRIDED ? s->blocks : 1;
    return (struct ovl_sim_step){.bytes = s->bytes * times,
                                 .peer = s->peer,
                                 .tag = s->tag,
                                 .round = (uint32_t)s->round,
                                 .first_round = (uint32_t)s->first_round,
                                 .kind = (uint8_t)s->kind,
                                 .times = (uint32_t)(s->peer >= 0 && s->blocks > 1 ? s->blocks : 1)};
}

static _Thread_local const struct ovl_sim_step *sorted; /* of qsort's comparison */

static int by_peer(const void *a, const void *b)
{
    const struct ovl_sim_step *x = &sorted[*(const uint32_t *)a], *y = &sorted[*(const uint32_t *)b];
    return x->peer != y->peer ? (x->peer > y->peer) - (x->peer < y->peer) : (x->tag > y->tag) - (x->tag < y->tag);
}

static int add_rank(struct ovl_sim_ranks *t, int number, struct ovl_error *err)
{
    struct ovl_sim_rank *r = &t->rank[number];
    struct ovl_schedule *s = schedule_of(t, number);
    if (!s)
        return no_memory(t, err);
    r->steps = (uint32_t)s->steps;
    r->rounds = (uint32_t)s->rounds;
    r->ended = NAN;
    size_t bytes = s->steps * sizeof *r->step + (size_t)s->rounds * sizeof *r->pending;
    for (size_t i = 0; i < s->steps; i++)
        r->receives += receives((int)s->step[i].kind);
    bytes += r->receives * sizeof *r->receiving;
    r->step = malloc(bytes + 1); /* one block for the three */
    if (!r->step) {
        ovl_schedule_free(s);
        return no_memory(t, err);
    }
    r->pending = (uint32_t *)(r->step + s->steps);
    r->receiving = r->pending + s->rounds;
    for (uint32_t i = 0, n = 0; i < r->steps; i++) {
        r->step[i] = kept(&s->step[i]);
        t->messages += s->step[i].kind == OVL_STEP_SEND ? r->step[i].times : 0;
        if (receives(r->step[i].kind))
            r->receiving[n++] = i;
    }
    for (uint32_t i = 0; i < r->rounds; i++)
        r->pending[i] = s->in_round[i];
    ovl_schedule_free(s);
    sorted = r->step;
    qsort(r->receiving, r->receives, sizeof *r->receiving, by_peer);
    t->memory += bytes;
    return 0;
}

/* The next message of a schedule from step `at` on, or NULL. */
static const struct ovl_step *next_message(const struct ovl_schedule *s, size_t *at)
{
    while (*at < s->steps && s->step[*at].peer < 0)
        ++*at;
    return *at < s->steps ? &s->step[(*at)++] : NULL;
}

/* A tag whose part below that of its kind is the number of a rank, moved by so many. */
static uint32_t tag_moved(const struct ovl_sim_ranks *t, uint32_t tag, int by)
{
    const uint32_t of_rank = ovl_tag(1) - 1, n = (uint32_t)t->ranks;
    return (tag & ~of_rank) | (((tag & of_rank) + (uint32_t)by) % n);
}

/* Are the messages of the rank of another node those of the first node's, moved by so many ranks, or with those bits
   turned over? A copy may be one, or two where it goes round an end. */
static int moved_alike(const struct ovl_sim_ranks *t, int rank, int by)
{
    struct ovl_schedule *a = schedule_of(t, rank), *b = schedule_of(t, rank + by);
    const struct ovl_step *x = NULL, *y = NULL;
    int alike = !a || !b ? -1 : a->rounds == b->rounds;
    for (size_t i = 0, k = 0; alike > 0;) {
        x = next_message(a, &i);
        y = next_message(b, &k);
        if (!x || !y)
            break;
        int peer = t->turned ? x->peer ^ by : (x->peer + by) % t->ranks;
        bool moves = t->tags_move && ovl_sim_node(t, x->peer) != ovl_sim_node(t, rank);
        uint32_t tag = moves ? tag_moved(t, x->tag, by) : x->tag;
        alike = x->kind == y->kind && x->round == y->round && x->first_round == y->first_round && tag == y->tag &&
                x->bytes == y->bytes && peer == y->peer;
    }
    if (alike > 0)
        alike = !x && !y; /* both have ended */
    ovl_schedule_free(a);
    ovl_schedule_free(b);
    return alike;
}

/* 1 where all nodes do alike, by a look at the next, the last and some between; a tree is not alike. 0, or -1 without
   memory. */
static int look_alike(const struct ovl_sim_ranks *t)
{
    int alike = 1, nodes = t->ranks / t->per_node;
    for (int i = 0; i < t->per_node && alike > 0; i++) {
        for (int n = 1; n < nodes - 1 && alike > 0; n *= 4)
            alike = moved_alike(t, i, n * t->per_node);
        if (alike > 0 && nodes > 1)
            alike = moved_alike(t, i, (nodes - 1) * t->per_node);
    }
    return alike;
}

/* Parts of a vector, of which some have a number more than others, all have it. */
static void even_out(struct ovl_coll_shape *s, int parts)
{
    size_t unit = s->element * (size_t)parts;
    if (s->operation == OVL_IALLREDUCE || s->operation == OVL_IREDUCE)
        s->bytes = (s->bytes + unit - 1) / unit * unit;
}

static void set_alike(struct ovl_sim_ranks *t, enum ovl_sim_alike alike)
{
    t->tags_move = alike == OVL_SIM_TAGS_MOVED;
    t->turned = alike == OVL_SIM_TURNED;
    if (alike != OVL_SIM_UNLIKE)
        even_out(&t->shape, t->placement.nodes); /* of one rank each for a library that knows none */
}

/* The first way that fits. -1 without memory. */
static int nodes_alike(struct ovl_sim_ranks *t, enum ovl_sim_alike *alike)
{
    bool powers = (t->ranks & (t->ranks - 1)) == 0 && (t->per_node & (t->per_node - 1)) == 0;
    enum ovl_sim_alike last = powers ? OVL_SIM_TURNED : OVL_SIM_TAGS_MOVED;
    int found = 0;
    *alike = OVL_SIM_UNLIKE;
    if (t->ranks % t->per_node != 0 || t->first != 0 || t->stride != 1)
        return 0;
    while (found == 0 && *alike < last) {
        ++*alike;
        set_alike(t, *alike);
        found = look_alike(t);
    }
    *alike = found > 0 ? *alike : OVL_SIM_UNLIKE;
    return found < 0 ? -1 : 0;
}

/* -1 without memory. */
static double guess_steps(const struct ovl_sim_ranks *t)
{
    double steps = 0;
    int last = t->ranks < t->per_node ? t->ranks : t->per_node;
    for (int r = t->ranks - last; r < t->ranks && steps >= 0; r++) {
        struct ovl_schedule *s = schedule_of(t, r);
        steps = s ? steps + (double)s->steps * t->ranks / last : -1;
        ovl_schedule_free(s);
    }
    return steps;
}

static int begin(struct ovl_sim_ranks *t, const struct ovl_sim_operation *o, int per_node, struct ovl_error *err)
{
    int n = o->shape.ranks;
    *t = (struct ovl_sim_ranks){.ranks = n,
                                .per_node = per_node,
                                .first = o->first,
                                .stride = o->stride,
                                .shape = o->shape,
                                .then = o->then,
                                .reversed = o->reversed};
    t->tuning = *o->shape.tuning;
    t->tuning.ring_rounds = o->ring_rounds > 0 ? o->ring_rounds : OVL_SIM_RING_ROUNDS;
    t->shape.tuning = t->then.tuning = &t->tuning;
    int *node = malloc((size_t)n * sizeof *node);
    for (int r = 0; r < n && node; r++)
        node[r] = o->flat ? r : ovl_sim_node(t, r);
    int rc = node ? ovl_placement_make(&t->placement, node, n) : -1;
    free(node);
    return rc == 0 ? 0 : no_memory(t, err);
}

int ovl_sim_ranks_guess(const struct ovl_sim_operation *o, int per_node, bool look, double *steps,
                        enum ovl_sim_alike *alike, struct ovl_error *err)
{
    struct ovl_sim_ranks t;
    int rc = begin(&t, o, per_node, err);
    *alike = OVL_SIM_UNLIKE;
    if (rc == 0) {
        *steps = guess_steps(&t);
        if (*steps < 0 || (look && nodes_alike(&t, alike) != 0))
            rc = no_memory(&t, err);
    }
    ovl_sim_ranks_free(&t);
    return rc;
}

int ovl_sim_ranks_make(struct ovl_sim_ranks *t, const struct ovl_sim_operation *o, int per_node,
                       enum ovl_sim_alike alike, struct ovl_error *err)
{
    int rc = begin(t, o, per_node, err);
    t->folded = alike != OVL_SIM_UNLIKE;
    set_alike(t, alike);
    int count = t->folded ? per_node : t->ranks;
    t->rank = rc == 0 ? calloc((size_t)count, sizeof *t->rank) : NULL;
    if (rc == 0 && !t->rank)
        return no_memory(t, err);
    t->count = t->rank ? count : 0;
    t->memory = (size_t)t->count * sizeof *t->rank;
    for (int r = 0; r < t->count && rc == 0; r++)
        rc = add_rank(t, r, err);
    if (t->folded)
        t->messages *= (double)t->ranks / per_node;
    return rc;
}

void ovl_sim_ranks_free(struct ovl_sim_ranks *t)
{
    for (int r = 0; r < t->count; r++)
        free(t->rank[r].step);
    free(t->rank);
    ovl_placement_free(&t->placement);
}

int ovl_sim_receiver(const struct ovl_sim_ranks *t, int sender, int peer, int *known_as, uint32_t *tag)
{
    *known_as = sender;
    if (!t->folded)
        return peer;
    int away = peer / t->per_node, nodes = t->ranks / t->per_node;
    if (t->tags_move && away > 0)
        *tag = tag_moved(t, *tag, t->ranks - away * t->per_node);
    *known_as = (t->turned ? away : (nodes - away) % nodes) * t->per_node + sender;
    return peer % t->per_node;
}

int ovl_sim_sender(const struct ovl_sim_ranks *t, int peer)
{
    return t->folded ? peer % t->per_node : peer;
}

uint32_t ovl_sim_receiving(const struct ovl_sim_rank *r, int peer, uint32_t tag)
{
    uint32_t low = 0, high = r->receives - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct ovl_sim_step *s = &r->step[r->receiving[middle]];
        if (s->peer < peer || (s->peer == peer && s->tag < tag))
            low = middle + 1;
        else
            high = middle;
    }
    return r->receiving[low];
}
