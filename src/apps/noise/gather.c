/* What ranks found, at rank 0: first a node's ranks at its leader, then the leaders. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/merge.h"
#include "apps/noise/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collective over the node. */
static void gather_node(struct ovl_noise_job *j)
{
    bool leads = j->node_rank == 0;
    struct ovl_node *all = leads ? ovl_check_alloc(malloc((size_t)j->node_ranks * sizeof *all)) : NULL;
    MPI_Gather(&j->mine, sizeof j->mine, MPI_BYTE, all, sizeof j->mine, MPI_BYTE, 0, j->node);
    for (int i = 1; leads && i < j->node_ranks; i++)
        ovl_noise_merge(&j->mine, &all[i]);
    free(all);
}

/* ppm: where round trips leave more open, as on shared cores, no drift is told. */
static const double doubt_most = 50;

/* Drift over the whole run. */
static void fill_clocks(struct ovl_noise_job *j, struct ovl_node *n)
{
    const struct ovl_noise_offset *a = &j->offsets[OVL_NOISE_BEGIN], *b = &j->offsets[OVL_NOISE_END];
    double span = 1e-9 * (double)(b->at - a->at);
    n->slew_ppm = ovl_clocks_slew(j->clocks, ovl_clocks_both());
    if (j->nodes < 2)
        return;
    n->offset = 0 - a->offset; /* this node's clock less rank 0's: positive where it is ahead */
    n->offset_error = a->error;
    if (span > 0.1 && 1e6 * (a->error + b->error) / span <= doubt_most)
        n->drift_ppm = 1e6 * (a->offset - b->offset) / span;
}

/* Collective over `comm`: the pairs of all members, in order, at rank 0; elsewhere `counts` and what is returned are
   NULL. */
static struct ovl_node_pair *gather_pairs(MPI_Comm comm, const struct ovl_node *mine, int *counts)
{
    int size, count = (int)(mine->pair_count * sizeof *mine->pairs), sum = 0;
    MPI_Comm_size(comm, &size);
    int *places = counts ? ovl_check_alloc(malloc((size_t)size * sizeof *places)) : NULL;
    struct ovl_node_pair *all = NULL;
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, comm);
    for (int i = 0; counts && i < size; i++) {
        places[i] = sum;
        sum += counts[i];
    }
    if (counts)
        all = ovl_check_alloc(malloc((size_t)sum + 1));
    MPI_Gatherv(mine->pairs, count, MPI_BYTE, all, counts, places, MPI_BYTE, 0, comm);
    free(places);
    return all;
}

/* Hosts may be emulated, or have a name in common: then a number tells them apart. */
static void number_same_names(struct ovl_node *nodes, int n)
{
    json_t *seen = json_object();
    for (int i = 0; i < n; i++) {
        char *name = nodes[i].name;
        const json_t *before = json_object_get(seen, name);
        json_int_t times = json_integer_value(before) + 1;
        json_object_set_new(seen, name, json_integer(times));
        if (times > 1) {
            size_t length = strlen(name), most = sizeof nodes[i].name - 24;
            snprintf(name + (length < most ? length : most), 24, "#%lld", (long long)times);
        }
    }
    json_decref(seen);
}

/* At rank 0: gives each node its pairs, and names for the numbers in them. */
static void hand_out(struct ovl_noise_job *j, const struct ovl_node_pair *all, const int *counts, int members)
{
    size_t at = 0;
    for (int i = 0; i < members; i++) {
        size_t n = (size_t)counts[i] / sizeof *all;
        struct ovl_node *node = &j->found[j->nodes > 1 ? i : 0];
        for (size_t k = 0; k < n; k++) {
            struct ovl_node_pair *p = &node->pairs[node->pair_count++];
            *p = all[at++];
            snprintf(p->with, sizeof p->with, "%s", j->found[atoi(p->with)].name);
        }
    }
}

void ovl_noise_gather(struct ovl_noise_job *j)
{
    bool first = j->job.rank == 0;
    gather_node(j);
    MPI_Comm members = j->nodes > 1 ? j->leaders : j->job.comm;
    int size = j->nodes > 1 ? j->nodes : j->job.ranks;
    int *counts = first ? ovl_check_alloc(malloc((size_t)size * sizeof *counts)) : NULL;
    struct ovl_node_pair *pairs = members != MPI_COMM_NULL ? gather_pairs(members, &j->mine, counts) : NULL;
    if (j->node_rank == 0) {
        fill_clocks(j, &j->mine);
        j->found = first ? ovl_check_alloc(calloc((size_t)j->nodes, sizeof *j->found)) : NULL;
        MPI_Gather(&j->mine, sizeof j->mine, MPI_BYTE, j->found, sizeof j->mine, MPI_BYTE, 0, j->leaders);
    }
    if (pairs) {
        size_t most = 0;
        for (int i = 0; i < size; i++)
            most += (size_t)counts[i] / sizeof *pairs;
        number_same_names(j->found, j->nodes);
        for (int i = 0; i < j->nodes; i++) {
            size_t room = j->nodes > 1 ? (size_t)counts[i] / sizeof *pairs : most;
            j->found[i].pairs = ovl_check_alloc(calloc(room + 1, sizeof *pairs));
            j->found[i].pair_count = 0;
            snprintf(j->found[i].run_id, sizeof j->found[i].run_id, "%s", ovl_run_text(&j->job.output.run, "run_id"));
        }
        hand_out(j, pairs, counts, size);
    }
    free(pairs);
    free(counts);
}
