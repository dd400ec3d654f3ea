/* The largest set without a bad pair. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/good_set.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200000 };

struct search {
    size_t nodes;
    const size_t (*bad)[2];
    size_t count;
    size_t *degree;        /* bad pairs of a node among those that are left */
    bool *left, *best;     /* nodes that are left; the largest set so far */
    size_t removed, least; /* from `left`; from `best` */
    size_t steps;
    bool cut; /* for want of steps some sets were not looked at */
};

static size_t worst_node(struct search *s)
{
    size_t worst = 0;
    memset(s->degree, 0, s->nodes * sizeof *s->degree);
    for (size_t k = 0; k < s->count; k++)
        if (s->left[s->bad[k][0]] && s->left[s->bad[k][1]]) {
            s->degree[s->bad[k][0]]++;
            s->degree[s->bad[k][1]]++;
        }
    for (size_t i = 1; i < s->nodes; i++)
        if (s->degree[i] > s->degree[worst])
            worst = i;
    return worst;
}

/* Bad pairs that are left, divided by the most that one node can take away, must be removed at least. */
static bool hopeless(const struct search *s, size_t most)
{
    size_t pairs = 0;
    for (size_t i = 0; i < s->nodes; i++)
        pairs += s->degree[i];
    return s->removed + (pairs / 2 + most - 1) / most >= s->least;
}

static void take_out(struct search *s, size_t node)
{
    s->left[node] = false;
    s->removed++;
}

static void put_back(struct search *s, size_t node)
{
    s->left[node] = true;
    s->removed--;
}

/* Either the node goes, or all that it is in a bad pair with. */
static void look(struct search *s)
{
    size_t node = worst_node(s), most = s->degree[node];
    if (most == 0) {
        if (s->removed < s->least) {
            s->least = s->removed;
            memcpy(s->best, s->left, s->nodes * sizeof *s->best);
        }
        return;
    }
    if (hopeless(s, most))
        return;
    if (s->steps++ >= STEPS && s->least < s->nodes) {
        s->cut = true;
        return;
    }
    take_out(s, node);
    look(s);
    put_back(s, node);
    if (most == 1) /* the two of a pair that touches no other are alike */
        return;
    size_t *out = ovl_alloc(most, sizeof *out), n = 0;
    for (size_t k = 0; k < s->count; k++)
        for (int end = 0; end < 2; end++) {
            size_t other = s->bad[k][1 - end];
            if (s->bad[k][end] == node && s->left[other]) {
                take_out(s, other);
                out[n++] = other;
            }
        }
    look(s);
    while (n > 0)
        put_back(s, out[--n]);
    free(out);
}

bool ovl_good_set(size_t nodes, const size_t (*bad)[2], size_t count, bool *good)
{
    struct search s = {.nodes = nodes,
                       .bad = bad,
                       .count = count,
                       .degree = ovl_alloc(nodes + 1, sizeof *s.degree),
                       .left = ovl_alloc(nodes + 1, sizeof *s.left),
                       .best = good,
                       .least = nodes + 1};
    memset(s.left, true, nodes * sizeof *s.left);
    if (nodes > 0)
        look(&s);
    free(s.degree);
    free(s.left);
    return !s.cut;
}
