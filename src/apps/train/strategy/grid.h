/* Ranks in three dimensions: teams that share the work of a layer, stages of a pipeline, replicas. Rank
   t + tensor * (stage + stages * replica) is member t of its team. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_GRID_H
#define OVL_APPS_TRAIN_STRATEGY_GRID_H

#include "apps/train/strategy/pipeline.h"
#include "apps/train/strategy/strategy.h"

/* Units of a model (struct ovl_layer.unit), one at least. */
struct ovl_piece {
    int first, end; /* layers */
    int halves;     /* halves of a transformer's blocks; where it is not known which layers these are, by their work */
    double macs, weights; /* as a layer's */
    double numbers;       /* parameters, and those that are tied to others of another stage */
    double bytes;         /* what it hands on of a sample: its last layer's output, and skips that reach over its end */
};

/* cut.c: cuts a model of stages x chunks units or more into as many pieces. The piece that has most work has as little
   as can be, and the ends of the others lie as near to equal parts of the work as they can then. */
void ovl_pieces_cut(const struct ovl_model *model, int stages, int chunks, struct ovl_piece *pieces);
/* The piece that has a layer. */
int ovl_piece_of(const struct ovl_piece *pieces, int layer);

struct ovl_train_grid {
    const struct ovl_train_ask *ask;
    struct ovl_events *e;
    int tensor, replicas;
    int stage; /* of this rank */
    int first; /* its place in the first stage of its replica */
    int team;  /* the first rank of its team */
    struct ovl_pipeline pipeline;
    struct ovl_piece *pieces; /* [chunks * stages] */
    /* The allreduce of the tied weights' gradients, which are in a chunk of this rank and in another rank; of 0 bytes
       where they are not. */
    struct ovl_event tied;
    int tied_chunk;
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
/* Bytes that a rank of a piece hands to the next piece of a microbatch: all, or its part of the tokens. */
double ovl_grid_bytes(const struct ovl_train_grid *g, int piece);
/* The allreduce of a chunk's gradients by the replicas; of 0 bytes where its layers have no parameters. */
struct ovl_event ovl_grid_gradients(const struct ovl_train_grid *g, int chunk);
/* Parameters of this rank, and of the rank that has most. */
double ovl_grid_numbers(const struct ovl_train_grid *g);
double ovl_grid_numbers_most(const struct ovl_train_ask *ask);
/* The rank that stands for a rank: member 0 of its stage in the first replica. They do the same, in teams that are
   moved: `team` of the one is which team of the other. */
int ovl_grid_like(const struct ovl_train_ask *ask, int rank);
struct ovl_train_team ovl_grid_team(const struct ovl_train_ask *ask, struct ovl_train_team team, int rank);
int *ovl_grid_received(struct ovl_train_grid *g, bool back, int chunk, int microbatch);

#endif
