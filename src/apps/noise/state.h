/* A run of ovl_noise. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_NOISE_STATE_H
#define OVL_APPS_NOISE_STATE_H

#include "apps/noise/clocks.h"
#include "bench/app/app.h"
#include "cli/noise_options.h"
#include "machine/work.h"

#include <mpi.h>

/* The clock of rank 0 beside that of this node, at one time. */
struct ovl_noise_offset {
    int64_t at;           /* ns, on this node's CLOCK_MONOTONIC_RAW */
    double offset, error; /* s; NaN: not known */
};

enum { OVL_NOISE_BEGIN, OVL_NOISE_END, OVL_NOISE_OFFSETS };

struct ovl_noise_job {
    struct ovl_app_job job; /* the first */
    struct ovl_noise_options options;
    MPI_Comm node, leaders;                   /* the ranks of this node, the first one of each node (NULL elsewhere) */
    int node_rank, node_ranks, nodes, number; /* number: of the node, 0 to nodes - 1 */
    struct ovl_work work;
    struct ovl_clocks_pair clocks;
    struct ovl_noise_offset
        offsets[OVL_NOISE_OFFSETS]; /* at the leader of a node: when the phases begin, and when they have ended */

    struct ovl_node mine;   /* what this rank found; of a leader then the node, with its pairs */
    struct ovl_node *found; /* at rank 0: the nodes */
    json_t *starts;         /* at rank 0: of the end line */
};

/* Collective, once the provenance is known: who is on which node, and what is said of a node beforehand. */
void ovl_noise_open(struct ovl_noise_job *j);
void ovl_noise_close(struct ovl_noise_job *j);

/* Collective: has a signal come to a rank? Then no further phase begins. */
bool ovl_noise_stopped(struct ovl_noise_job *j);

/* The phases, collective, with so many seconds for each. What was measured when a signal came is kept. */
int ovl_noise_quanta_run(struct ovl_noise_job *j, double seconds, struct ovl_error *err);
void ovl_noise_starts_run(struct ovl_noise_job *j, double seconds);
int ovl_noise_trips_run(struct ovl_noise_job *j, double seconds, struct ovl_error *err);

/* Collective over the node: messages that arrived before they were sent, as this rank saw them; NaN where it is alone.
   On either clock. */
double ovl_noise_early_messages(const struct ovl_noise_job *j);

/* Collective over the leaders, in O(log N) rounds. With one node it does nothing. */
void ovl_noise_measure_clocks(struct ovl_noise_job *j, int look);

/* Collective: what the ranks found comes together in j->found at rank 0. */
void ovl_noise_gather(struct ovl_noise_job *j);

#endif
