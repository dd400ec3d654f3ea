/* Pipelines (pipeline.h), alone and in three dimensions (Narayanan et al., SC 2021): tensor-parallel teams inside, then
   stages, then replicas. All ranks post in one order of all messages, by the time at which the schedule has them made:
   so the blocking twin ends, too, even where a send waits for its receiver. Gradients of weights are nobody's to wait
   for: they fill the bubbles (Qi et al., Zero Bubble Pipeline Parallelism, 2023), and replicas add them up behind the
   schedule. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"
#include "apps/train/strategy/tensor.h"

#include <stdlib.h>

/* What a microbatch or a chunk hands on is filled where it is sent, behind so many pieces of bulk work. Returns the id.
 */
static int hand_on(struct ovl_train_grid *g, enum ovl_event_work work, struct ovl_event post, int after)
{
    ovl_events_compute(
        g->e, (struct ovl_event){.work = work, .makes = ovl_events_next(g->e), .makes_count = 1, .after = after});
    return ovl_events_post(g->e, post);
}

/* The gradients of tied weights, when all else is done (Megatron-LM): each end's own, or what its replicas summed up in
   operation `summed`. */
static void sum_tied(struct ovl_train_grid *g, int summed)
{
    if (!(g->tied.bytes > 0))
        return;
    ovl_events_compute(g->e, (struct ovl_event){.work = OVL_EVENT_BACKWARD,
                                                .takes = summed,
                                                .takes_count = summed >= 0,
                                                .makes = ovl_events_next(g->e),
                                                .makes_count = 1,
                                                .after = g->e->bulks});
    ovl_events_wait(g->e, ovl_events_post(g->e, g->tied));
}

/* The gradients of each chunk, that of the last layers first, as its weights' are there: `made[chunks]` pieces of bulk
   work. Returns the operation of those that are tied, or -1. */
static int sum_replicas(struct ovl_train_grid *g, const int *made)
{
    int summed = -1;
    for (int chunk = g->pipeline.chunks - 1; chunk >= 0; chunk--) {
        struct ovl_event gradients = ovl_grid_gradients(g, chunk);
        if (g->replicas == 1 || !(gradients.bytes > 0))
            continue;
        int id = hand_on(g, OVL_EVENT_BACKWARD, gradients, made[chunk]);
        summed = chunk == g->tied_chunk ? id : summed;
    }
    ovl_events_wait_all(g->e);
    return summed;
}

/* The message that a stage's turn makes, if this rank sends or receives it. */
static void pass(struct ovl_train_grid *g, int stage, const struct ovl_turn *t)
{
    int stages = g->pipeline.stages, piece = t->chunk * stages + stage, next = piece + (t->back ? -1 : 1);
    int other = (next + stages) % stages, low = other < stage ? other : stage;
    if (!t->runs || next < 0 || next >= stages * g->pipeline.chunks || (stage != g->stage && other != g->stage))
        return;
    enum ovl_train_axis axis = t->back ? OVL_AXIS_BACK_EVEN : OVL_AXIS_FORTH_EVEN;
    axis = (enum ovl_train_axis)((int)axis + (next / stages != t->chunk ? 2 : low % 2)); /* 2: last stage to first */
    struct ovl_event post = {.operation = OVL_ISENDRECV,
                             .of = OVL_OF_ACTIVATIONS,
                             .bytes = ovl_grid_bytes(g, piece < next ? piece : next),
                             .team = {axis, g->first + low * g->tensor, 2, abs(other - stage) * g->tensor},
                             .to = stage == g->stage ? other > stage : -1,
                             .from = stage == g->stage ? -1 : stage > other};
    if (stage == g->stage)
        hand_on(g, t->back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD, post, 0);
    else
        *ovl_grid_received(g, t->back, next / stages, t->microbatch) = ovl_events_post(g->e, post);
}

static struct ovl_train_team team_of(const struct ovl_train_grid *g)
{
    return (struct ovl_train_team){OVL_AXIS_TENSOR, g->team, g->tensor, 1};
}

/* Behind the replicas' sums, of all chunks together. */
static void sum_alone(struct ovl_train_grid *g)
{
    double numbers = 0;
    for (int chunk = 0; chunk < g->pipeline.chunks && g->tensor > 1; chunk++) {
        const struct ovl_piece *piece = &g->pieces[chunk * g->pipeline.stages + g->stage];
        numbers += ovl_tensor_alone(g->ask, piece->first, piece->end);
    }
    ovl_tensor_sum_alone(g->e, g->ask, team_of(g), numbers);
}

/* What a team does of the words' embedding or of the head, if the piece has it. */
static void words(struct ovl_train_grid *g, const struct ovl_piece *piece, bool back, bool embedding)
{
    const struct ovl_tie *tied = &g->ask->model->tied;
    int layer = embedding ? tied->of : tied->by;
    if (g->tensor > 1 && tied->by > 0 && layer >= piece->first && layer < piece->end)
        (embedding ? ovl_tensor_embedding : ovl_tensor_head)(g->e, g->ask, team_of(g), back);
}

/* A pass over a microbatch; split over a team, half a block after the other. Backwards, it is twice the work, that of
   the weights' gradients apart. */
static void compute(struct ovl_train_grid *g, const struct ovl_turn *t)
{
    const struct ovl_piece *piece = &g->pieces[t->chunk * g->pipeline.stages + g->stage];
    int got = *ovl_grid_received(g, t->back, t->chunk, t->microbatch), halves = g->tensor > 1 ? piece->halves : 0;
    double each = g->ask->batch / g->tensor / (halves ? halves : 1), weights = each * piece->weights;
    struct ovl_event work = {.work = t->back ? OVL_EVENT_BACKWARD : OVL_EVENT_FORWARD,
                             .macs = each * piece->macs,
                             .first_layer = piece->first,
                             .layers = halves ? 1 : piece->end - piece->first,
                             .takes = got,
                             .takes_count = !halves && got >= 0};
    if (got >= 0)
        ovl_events_wait(g->e, got);
    words(g, piece, t->back, !t->back);
    for (int h = 0; h < halves; h++)
        ovl_tensor_half(g->e, g->ask, team_of(g), work, weights, t->back);
    work.macs = t->back ? 2 * work.macs - weights : work.macs;
    if (!halves)
        ovl_events_compute(g->e, work);
    work.takes_count = 0;
    work.macs = weights;
    if (!halves && t->back)
        ovl_events_bulk(g->e, work);
    words(g, piece, t->back, t->back);
}

int ovl_grid_build(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err)
{
    struct ovl_train_grid g;
    if (ovl_grid_open(&g, ask, rank, err) != 0)
        return -1;
    const struct ovl_pipeline *p = &g.pipeline;
    int *made = ovl_check_alloc(calloc((size_t)p->chunks, sizeof *made));
    g.e = e;
    for (size_t time = 0; time < p->times; time++) {
        const struct ovl_turn *mine = ovl_pipeline_turn(p, time, g.stage);
        if (mine->runs)
            compute(&g, mine);
        for (int stage = 0; stage < p->stages; stage++)
            pass(&g, stage, ovl_pipeline_turn(p, time, stage));
        if (mine->runs && mine->back)
            made[mine->chunk] = e->bulks;
    }
    ovl_events_wait_all(e);
    int summed = sum_replicas(&g, made);
    sum_alone(&g);
    sum_tied(&g, summed);
    free(made);
    ovl_events_update(e, ovl_grid_numbers(&g), 0, 0);
    ovl_events_step(e);
    ovl_grid_close(&g);
    return 0;
}
