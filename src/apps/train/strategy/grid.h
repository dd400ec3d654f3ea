/* Ranks in three dimensions: teams that share the work of a layer, stages of a pipeline, replicas. Rank
   t + tensor * (stage + stages * replica) is member t of its team. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_GRID_H
#define OVL_APPS_TRAIN_STRATEGY_GRID_H

#include "apps/train/strategy/pipeline.h"
#include "apps/train/strategy/strategy.h"

struct ovl_train_grid {
    const struct ovl_train_ask *ask;
    struct ovl_events *e;
    int tensor, replicas;
    int stage; /* of this rank */
    int first; /* its place in the first stage of its replica */
    int team;  /* the first rank of its team */
    struct ovl_pipeline pipeline;
    /* Layers of about equal work, one at least: [chunks * stages]. */
    struct ovl_piece {
        int first, end, halves; /* halves of a transformer's blocks, by their share of its work */
        double macs, numbers;
    } * pieces;
    int *got; /* [2][chunks][microbatches]: the id of what came, or -1 */
};

/* -1 and OVL_USAGE where model or numbers do not fit; then there is nothing to close. */
int ovl_grid_open(struct ovl_train_grid *g, const struct ovl_train_ask *ask, int rank, struct ovl_error *err);
void ovl_grid_close(struct ovl_train_grid *g);

/* pp.c: the events of a rank; -1 as ovl_grid_open. */
int ovl_grid_build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err);

/* What was left open. */
int ovl_grid_stages(const struct ovl_train_ask *ask);
int ovl_grid_microbatches(const struct ovl_train_ask *ask);
/* Bytes that a piece hands to the next one of a microbatch. */
double ovl_grid_bytes(const struct ovl_train_grid *g, int piece);
/* The allreduce of a chunk's gradients by the replicas; of 0 bytes where its layers have no parameters. */
struct ovl_event ovl_grid_gradients(const struct ovl_train_grid *g, int chunk);
/* Parameters of this rank. */
double ovl_grid_numbers(const struct ovl_train_grid *g);
int *ovl_grid_received(struct ovl_train_grid *g, bool back, int chunk, int microbatch);

#endif
