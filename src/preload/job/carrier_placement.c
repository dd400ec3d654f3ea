/* Ranks are sorted by node once; what each of them needs is counted from that. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/carrier_placement.h"

#include <stdlib.h>

struct row {
    uint64_t node;
    int rank, lowest, place, size; /* the lowest rank of its node; its place among that node's ranks */
};

static int by_node(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_rank(const void *a, const void *b)
{
    return ((const struct row *)a)->rank - ((const struct row *)b)->rank;
}

static void find_nodes(struct row *rows, const struct ovl_rank_location *locations, int ranks, int node_ranks)
{
    for (int r = 0; r < ranks; r++)
        rows[r] = (struct row){.node = locations[r].node, .rank = r};
    qsort(rows, (size_t)ranks, sizeof *rows, by_node);
    for (int i = 0, n; i < ranks; i += n) {
        for (n = 1; i + n < ranks && rows[i + n].node == rows[i].node && n != node_ranks;)
            n++;
        for (int k = 0; k < n; k++) {
            rows[i + k].lowest = rows[i].rank;
            rows[i + k].place = k;
            rows[i + k].size = n;
        }
    }
    qsort(rows, (size_t)ranks, sizeof *rows, by_rank);
}

static void number(struct ovl_carrier_placement *s, const struct row *rows, int ranks, int workers)
{
    for (int r = 0; r < ranks; r++) { /* the lowest rank of a node comes before its others */
        const struct row *me = &rows[r];
        int count = me->size < workers ? me->size : workers, first = s->carriers;
        if (me->lowest == r) {
            s->peers[r].node = s->nodes++;
            s->starts[r] = count;
            s->carriers += count;
        } else {
            s->peers[r].node = s->peers[me->lowest].node;
            first = s->peers[me->lowest].worker;
        }
        s->peers[r].worker = first + (int)((int64_t)me->place * count / me->size);
    }
}

static void describe_rank(struct ovl_carrier_placement *s, const struct row *rows,
                          const struct ovl_rank_location *locations, int ranks, int rank)
{
    s->node = s->peers[rank].node;
    s->first = s->peers[rows[rank].lowest].worker;
    s->node_carriers = s->starts[rows[rank].lowest];
    int sharing = 0;
    CPU_ZERO(&s->node_cpus);
    CPU_ZERO(&s->machine_cpus);
    for (int r = 0; r < ranks; r++) {
        if (locations[r].machine != locations[rank].machine)
            continue;
        int threads = locations[r].threads > 1 ? locations[r].threads : 1;
        s->machine_ranks++;
        s->machine_threads += threads;
        s->machine_carriers += s->starts[r];
        if (locations[r].quota.group == locations[rank].quota.group)
            sharing += threads + s->starts[r];
    }
    s->over_quota = sharing > locations[rank].quota.cpus;
}

void ovl_carrier_placement_make(struct ovl_carrier_placement *s, const struct ovl_rank_location *locations, int ranks,
                                int rank, int workers, int node_ranks)
{
    struct row *rows = ovl_check_alloc(calloc((size_t)ranks, sizeof *rows));
    *s = (struct ovl_carrier_placement){.peers = ovl_check_alloc(calloc((size_t)ranks, sizeof *s->peers)),
                                        .starts = ovl_check_alloc(calloc((size_t)ranks, sizeof *s->starts))};
    find_nodes(rows, locations, ranks, node_ranks);
    number(s, rows, ranks, workers);
    describe_rank(s, rows, locations, ranks, rank);
    free(rows);
}

void ovl_carrier_placement_add_cpus(struct ovl_carrier_placement *s, int other, const cpu_set_t *cpus)
{
    CPU_OR(&s->machine_cpus, &s->machine_cpus, cpus);
    if (s->peers[other].node == s->node)
        CPU_OR(&s->node_cpus, &s->node_cpus, cpus);
}

void ovl_carrier_placement_free(struct ovl_carrier_placement *s)
{
    free(s->peers);
    free(s->starts);
    s->peers = NULL;
    s->starts = NULL;
}
