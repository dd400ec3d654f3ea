/* Layers are cut into pieces of about the same work: piece c x stages + s is chunk c of stage s. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"

#include <math.h>
#include <stdlib.h>

int ovl_grid_stages(const struct ovl_train_ask *ask)
{
    int all = ask->ranks / ask->tensor;
    return ask->stages > 0 ? ask->stages : all > 0 ? all : 1;
}

int ovl_grid_microbatches(const struct ovl_train_ask *ask)
{
    return ask->microbatches > 0 ? ask->microbatches : 2 * ovl_grid_stages(ask);
}

static void cut(struct ovl_train_grid *g)
{
    const struct ovl_model *m = g->ask->model;
    int count = g->pipeline.stages * g->pipeline.chunks, layers = (int)m->layer_count, l = 0;
    double before = 0, blocks = 2 * m->transformer.blocks / m->macs;
    for (int i = 0; i < count; i++) {
        struct ovl_piece *p = &g->pieces[i];
        *p = (struct ovl_piece){.first = l, .halves = -(int)round(blocks * before)};
        do {
            before += m->layers[l].macs;
            p->macs += m->layers[l].macs;
            p->numbers += m->layers[l++].numbers;
        } while (layers - l > count - i - 1 && (i + 1 == count || before < m->macs * (i + 1) / count));
        p->end = l;
        p->halves += (int)round(blocks * before);
    }
}

double ovl_grid_bytes(const struct ovl_train_grid *g, int piece)
{
    return g->ask->batch * g->ask->model->layers[g->pieces[piece].end - 1].activation_bytes;
}

struct ovl_event ovl_grid_gradients(const struct ovl_train_grid *g, int chunk)
{
    int across = g->tensor * g->pipeline.stages;
    double numbers = g->pieces[chunk * g->pipeline.stages + g->stage].numbers / g->tensor;
    return (struct ovl_event){.operation = OVL_IALLREDUCE,
                              .bytes = g->ask->model->element * numbers,
                              .team = {OVL_AXIS_DATA, (g->first + g->stage * g->tensor) % across, g->replicas, across}};
}

double ovl_grid_numbers(const struct ovl_train_grid *g)
{
    double numbers = 0;
    for (int c = 0; c < g->pipeline.chunks; c++)
        numbers += g->pieces[c * g->pipeline.stages + g->stage].numbers / g->tensor;
    return numbers;
}

int *ovl_grid_received(struct ovl_train_grid *g, bool back, int chunk, int microbatch)
{
    return &g->got[((back ? g->pipeline.chunks : 0) + chunk) * g->pipeline.microbatches + microbatch];
}

static int check(const struct ovl_train_ask *ask, struct ovl_error *err)
{
    int stages = ovl_grid_stages(ask), across = ask->tensor * stages, m = ovl_grid_microbatches(ask);
    if (ask->ranks % across != 0)
        return ovl_error_set(err, OVL_USAGE, "--tp %d, --pp %d: %d ranks are no multiple of %d; give other numbers",
                             ask->tensor, stages, ask->ranks, across);
    if ((size_t)stages * (size_t)ask->interleave > ask->model->layer_count)
        return ovl_error_set(err, OVL_USAGE,
                             "--model %s: %zu layers are too few for %d stages of %d; give fewer stages",
                             ask->model->name, ask->model->layer_count, stages, ask->interleave);
    if (ask->interleave > 1 && (stages == 1 || m % stages != 0))
        return ovl_error_set(err, OVL_USAGE,
                             "--interleave %d: %d microbatches on %d stages; give 2 stages or more, and a multiple of "
                             "them as --microbatches",
                             ask->interleave, m, stages);
    return ask->tensor > 1 ? ovl_need_transformer(ask->model, "3d", err) : 0;
}

int ovl_grid_open(struct ovl_train_grid *g, const struct ovl_train_ask *ask, int rank, struct ovl_error *err)
{
    *g = (struct ovl_train_grid){.ask = ask, .tensor = ask->tensor};
    if (check(ask, err) != 0)
        return -1;
    int stage = rank / ask->tensor;
    g->replicas = ask->ranks / (ask->tensor * ovl_grid_stages(ask));
    g->stage = stage % ovl_grid_stages(ask);
    g->first = rank - g->stage * ask->tensor;
    g->team = stage * ask->tensor;
    g->pipeline = (struct ovl_pipeline){
        .stages = ovl_grid_stages(ask), .chunks = ask->interleave, .microbatches = ovl_grid_microbatches(ask)};
    size_t pieces = (size_t)ovl_grid_stages(ask) * (size_t)ask->interleave;
    size_t passes = 2 * (size_t)ask->interleave * (size_t)g->pipeline.microbatches;
    ovl_pipeline_open(&g->pipeline);
    g->pieces = ovl_check_alloc(calloc(pieces, sizeof *g->pieces));
    g->got = ovl_check_alloc(malloc(passes * sizeof *g->got));
    for (size_t i = 0; i < passes; i++)
        g->got[i] = -1;
    cut(g);
    return 0;
}

void ovl_grid_close(struct ovl_train_grid *g)
{
    ovl_pipeline_close(&g->pipeline);
    free(g->pieces);
    free(g->got);
}
