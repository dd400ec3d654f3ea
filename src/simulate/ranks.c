/* Schedules of many ranks, made one after the other and kept in few bytes; of one node alone where all are alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/ranks.h"
#include "offload/coll/algorithm.h"

#include <math.h>
#include <stdlib.h>

/* From so many steps on one node stands for all, where it can: playing all takes seconds then. */
enum { FOLDS_FROM = 200000 };

static int no_memory(const struct ovl_sim_job *job, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the schedules of %d ranks", job->shape.ranks);
}

static bool receives(int kind)
{
    return kind == OVL_STEP_RECV || kind == OVL_STEP_REDUCE;
}

static struct ovl_schedule *schedule_of(const struct ovl_sim_ranks *t, int rank)
{
    struct ovl_coll_shape shape = t->shape;
    shape.rank = rank;
    shape.placement = &t->placement;
    return ovl_schedule_make(&shape);
}

static struct ovl_sim_step kept(const struct ovl_step *s)
{
    uint64_t times = s->kind == OVL_STEP_STRIDED ? s->blocks : 1;
    return (struct ovl_sim_step){.bytes = s->bytes * times,
                                 .peer = s->peer,
                                 .tag = s->tag,
                                 .round = (uint32_t)s->round,
                                 .first_round = (uint32_t)s->first_round,
                                 .kind = (uint8_t)s->kind};
}

static _Thread_local const struct ovl_sim_step *sorted; /* of qsort's comparison */

static int by_peer(const void *a, const void *b)
{
    const struct ovl_sim_step *x = &sorted[*(const uint32_t *)a], *y = &sorted[*(const uint32_t *)b];
    return x->peer != y->peer ? (x->peer > y->peer) - (x->peer < y->peer) : (x->tag > y->tag) - (x->tag < y->tag);
}

static int add_rank(struct ovl_sim_ranks *t, const struct ovl_sim_job *job, int number, struct ovl_error *err)
{
    struct ovl_sim_rank *r = &t->rank[number];
    struct ovl_schedule *s = schedule_of(t, number);
    if (!s)
        return no_memory(job, err);
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
        return no_memory(job, err);
    }
    r->pending = (uint32_t *)(r->step + s->steps);
    r->receiving = r->pending + s->rounds;
    for (uint32_t i = 0, n = 0; i < r->steps; i++) {
        r->step[i] = kept(&s->step[i]);
        t->messages += s->step[i].kind == OVL_STEP_SEND;
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

/* Are the messages of the rank of another node those of the first node's, moved by so many ranks? A copy may be one, or
   two where it goes round an end. */
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
        alike = x->kind == y->kind && x->round == y->round && x->first_round == y->first_round && x->tag == y->tag &&
                x->bytes == y->bytes && (x->peer + by) % t->ranks == y->peer;
    }
    if (alike > 0)
        alike = !x && !y; /* both have ended */
    ovl_schedule_free(a);
    ovl_schedule_free(b);
    return alike;
}

/* 1 where all nodes do alike, by a look at the next, the last and some between: an exchange with the rank of a
   flipped bit is not alike there, nor is a tree. 0, or -1 without memory. */
static int nodes_alike(const struct ovl_sim_ranks *t)
{
    int alike = t->ranks % t->per_node == 0;
    for (int i = 0; i < t->per_node && alike > 0; i++) {
        for (int n = 1; n < t->nodes - 1 && alike > 0; n *= 4)
            alike = moved_alike(t, i, n * t->per_node);
        if (alike > 0 && t->nodes > 1)
            alike = moved_alike(t, i, (t->nodes - 1) * t->per_node);
    }
    return alike;
}

/* Steps of all ranks, if other nodes have as many as the last one. -1 without memory. */
static double guess_steps(const struct ovl_sim_ranks *t)
{
    double steps = 0;
    for (int r = t->ranks - t->per_node; r < t->ranks && steps >= 0; r++) {
        struct ovl_schedule *s = schedule_of(t, r);
        steps = s ? steps + (double)s->steps * t->nodes : -1;
        ovl_schedule_free(s);
    }
    return steps;
}

/* Parts of a vector, of which some have a number more than others, all have it. */
static void even_out(struct ovl_coll_shape *s, int parts)
{
    size_t unit = s->element * (size_t)parts;
    if (s->operation == OVL_IALLREDUCE || s->operation == OVL_IREDUCE)
        s->bytes = (s->bytes + unit - 1) / unit * unit;
}

static int choose_fold(struct ovl_sim_ranks *t, const struct ovl_sim_job *job, struct ovl_error *err)
{
    double steps = guess_steps(t);
    int alike = 0;
    if (steps < 0)
        return no_memory(job, err);
    if (job->fold == OVL_SIM_FOLD_ALWAYS || (job->fold == OVL_SIM_FOLD_LARGE && steps > FOLDS_FROM)) {
        even_out(&t->shape, t->nodes);
        alike = nodes_alike(t);
    }
    if (alike < 0)
        return no_memory(job, err);
    t->folded = alike;
    if (!alike)
        t->shape.bytes = job->shape.bytes;
    if (!alike && (job->fold == OVL_SIM_FOLD_ALWAYS || steps > OVL_SIM_STEPS_MOST))
        return ovl_error_set(err, OVL_USAGE,
                             "%d ranks, %d a node: %s by %s has %.0f steps, and its nodes are not alike, so that all "
                             "had to be played; give fewer ranks, or as many on each node",
                             t->ranks, t->per_node, ovl_operations[job->shape.operation].name,
                             job->shape.algorithm->name, steps);
    return 0;
}

int ovl_sim_ranks_make(struct ovl_sim_ranks *t, const struct ovl_sim_job *job, struct ovl_error *err)
{
    int n = job->shape.ranks, each = job->per_node < n ? job->per_node : n;
    *t = (struct ovl_sim_ranks){.ranks = n, .per_node = each, .nodes = (n + each - 1) / each, .shape = job->shape};
    int *node = malloc((size_t)n * sizeof *node);
    for (int r = 0; r < n && node; r++)
        node[r] = r / each;
    int rc = node ? ovl_placement_make(&t->placement, node, n) : -1;
    free(node);
    if (rc != 0)
        return no_memory(job, err);
    if (choose_fold(t, job, err) != 0)
        return -1;
    t->rank = calloc((size_t)(t->folded ? each : n), sizeof *t->rank);
    if (!t->rank)
        return no_memory(job, err);
    t->count = t->folded ? each : n;
    t->memory = (size_t)t->count * sizeof *t->rank;
    for (int r = 0; r < t->count && rc == 0; r++)
        rc = add_rank(t, job, r, err);
    if (t->folded)
        t->messages *= t->nodes;
    return rc;
}

void ovl_sim_ranks_free(struct ovl_sim_ranks *t)
{
    for (int r = 0; r < t->count; r++)
        free(t->rank[r].step);
    free(t->rank);
    ovl_placement_free(&t->placement);
}

int ovl_sim_receiver(const struct ovl_sim_ranks *t, int sender, int peer, int *known_as)
{
    *known_as = sender;
    if (!t->folded)
        return peer;
    int away = peer / t->per_node;
    *known_as = (t->nodes - away) % t->nodes * t->per_node + sender;
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
