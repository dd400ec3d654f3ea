/* The schedule of a pipeline of stages: 1F1B (Narayanan et al., SOSP 2019), where each stage has one chunk of the
   model, and interleaved 1F1B (Narayanan et al., SC 2021), where it has more. Passes over a microbatch count as equally
   long: the times say in which order messages are sent, not how long anything takes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_PIPELINE_H
#define OVL_APPS_TRAIN_STRATEGY_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

struct ovl_turn {
    bool runs; /* false: the stage waits */
    bool back;
    int chunk, microbatch;
};

/* Chunk c of stage s is the model's piece c * stages + s. */
struct ovl_pipeline {
    int stages, chunks, microbatches; /* with more chunks than 1 microbatches are a multiple of the stages */
    size_t times;
    struct ovl_turn *turns; /* [times][stages] */
};

/* Of stages, chunks and microbatches: all the rest. */
void ovl_pipeline_open(struct ovl_pipeline *p);
void ovl_pipeline_close(struct ovl_pipeline *p);

static inline const struct ovl_turn *ovl_pipeline_turn(const struct ovl_pipeline *p, size_t time, int stage)
{
    return &p->turns[time * (size_t)p->stages + (size_t)stage];
}

#endif
