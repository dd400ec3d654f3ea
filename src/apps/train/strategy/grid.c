/* Piece c x stages + s of the model is chunk c of stage s. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"
#include "apps/train/strategy/tensor.h"

#include <stdio.h>
#include <stdlib.h>

enum { TURNS_MOST = 30000000 }; /* of all stages: 480 MB */

int ovl_grid_stages(const struct ovl_train_ask *ask)
{
    int all = ask->ranks / ask->tensor;
    return ask->stages > 0 ? ask->stages : all > 0 ? all : 1;
}

int ovl_grid_microbatches(const struct ovl_train_ask *ask)
{
    return ask->microbatches > 0 ? ask->microbatches : 2 * ovl_grid_stages(ask);
}

/* The stages whose weights are tied. */
static void tie(struct ovl_train_grid *g)
{
    const struct ovl_model *m = g->ask->model;
    int stages = g->pipeline.stages;
    if (m->tied.by == 0)
        return;
    int of = ovl_piece_of(g->pieces, m->tied.of), by = ovl_piece_of(g->pieces, m->tied.by);
    int apart = abs(of % stages - by % stages), low = of % stages < by % stages ? of % stages : by % stages;
    if (apart == 0 || (g->stage != of % stages && g->stage != by % stages))
        return;
    g->tied_chunk = (g->stage == of % stages ? of : by) / stages;
    g->tied =
        (struct ovl_event){.operation = OVL_IALLREDUCE,
                           .bytes = ovl_model_element(m, OVL_OF_GRADIENTS) * m->layers[m->tied.of].numbers / g->tensor,
                           .team = {OVL_AXIS_TIED, g->first + low * g->tensor, 2, apart * g->tensor}};
}

double ovl_grid_bytes(const struct ovl_train_grid *g, int piece)
{
    return g->ask->batch * g->pieces[piece].bytes / (g->ask->sequence ? g->tensor : 1);
}

struct ovl_event ovl_grid_gradients(const struct ovl_train_grid *g, int chunk)
{
    int across = g->tensor * g->pipeline.stages;
    double numbers = g->pieces[chunk * g->pipeline.stages + g->stage].numbers / g->tensor;
    return (struct ovl_event){.operation = OVL_IALLREDUCE,
                              .bytes = ovl_model_element(g->ask->model, OVL_OF_GRADIENTS) * numbers,
                              .team = {OVL_AXIS_DATA, (g->first + g->stage * g->tensor) % across, g->replicas, across}};
}

double ovl_grid_numbers(const struct ovl_train_grid *g)
{
    double numbers = 0;
    for (int c = 0; c < g->pipeline.chunks; c++)
        numbers += g->pieces[c * g->pipeline.stages + g->stage].numbers / g->tensor;
    return numbers;
}

double ovl_grid_numbers_most(const struct ovl_train_ask *ask)
{
    int stages = ovl_grid_stages(ask);
    double most = 0;
    struct ovl_piece *pieces = ovl_check_alloc(calloc((size_t)stages * (size_t)ask->interleave, sizeof *pieces));
    ovl_pieces_cut(ask->model, stages, ask->interleave, pieces);
    for (int s = 0; s < stages; s++) {
        double numbers = 0;
        for (int c = 0; c < ask->interleave; c++)
            numbers += pieces[c * stages + s].numbers / ask->tensor;
        most = numbers > most ? numbers : most;
    }
    free(pieces);
    return most;
}

int ovl_grid_like(const struct ovl_train_ask *ask, int rank)
{
    return rank / ask->tensor % ovl_grid_stages(ask) * ask->tensor;
}

struct ovl_train_team ovl_grid_team(const struct ovl_train_ask *ask, struct ovl_train_team team, int rank)
{
    int moved = rank - ovl_grid_like(ask, rank), member = rank % ask->tensor;
    if (team.axis == OVL_AXIS_DATA)
        team.first = rank % (ask->tensor * ovl_grid_stages(ask));
    else if (team.axis != OVL_AXIS_OF_ALL)
        team.first += moved - (team.axis == OVL_AXIS_TENSOR ? member : 0);
    return team;
}

int *ovl_grid_received(struct ovl_train_grid *g, bool back, int chunk, int microbatch)
{
    return &g->got[((back ? g->pipeline.chunks : 0) + chunk) * g->pipeline.microbatches + microbatch];
}

/* With the number that would do: chunks, ranks, or stages that divide the ranks. */
static int too_many_stages(const struct ovl_train_ask *ask, int stages, struct ovl_error *err)
{
    int units = ask->model->units, fit = units;
    const char *too = ask->interleave > 1 ? ", without --interleave" : "";
    char what[160], mend[128];
    while (ask->ranks / ask->tensor % fit != 0)
        fit--;
    if (units >= stages)
        snprintf(mend, sizeof mend, "--interleave %d or less", units / stages);
    else if (ask->stages > 0)
        snprintf(mend, sizeof mend, "--pp %d%s", fit, too);
    else
        snprintf(mend, sizeof mend, "%d ranks or fewer, or --strategy 3d --pp %d%s", units * ask->tensor, fit, too);
    snprintf(what, sizeof what, "--model %s: %d units are too few for %d stages of %d", ask->model->name, units, stages,
             ask->interleave);
    return ovl_error_set(err, OVL_USAGE, "%s; give %s", what, mend);
}

static int check(const struct ovl_train_ask *ask, struct ovl_error *err)
{
    int stages = ovl_grid_stages(ask), across = ask->tensor * stages, m = ovl_grid_microbatches(ask);
    if (ask->ranks % across != 0)
        return ovl_error_set(err, OVL_USAGE, "--tp %d, --pp %d: %d ranks are no multiple of %d; give other numbers",
                             ask->tensor, stages, ask->ranks, across);
    if ((double)stages * ask->interleave > ask->model->units)
        return too_many_stages(ask, stages, err);
    if (2.0 * stages * ((double)m * ask->interleave + 2.0 * stages) > TURNS_MOST)
        return ovl_error_set(err, OVL_USAGE,
                             "--microbatches %d: the schedule of %d stages has over %d turns; give fewer", m, stages,
                             TURNS_MOST);
    if (ask->interleave > 1 && (stages == 1 || m % stages != 0))
        return ovl_error_set(err, OVL_USAGE,
                             "--interleave %d: %d microbatches on %d stages; give 2 stages or more, and a multiple of "
                             "them as --microbatches",
                             ask->interleave, m, stages);
    if (ask->sequence && ask->tensor == 1)
        return ovl_error_set(err, OVL_USAGE, "--strategy 3d:sequence: a team of one rank splits no tokens; give --tp");
    if (ask->tensor == 1)
        return 0;
    return ovl_need_transformer(ask->model, "3d", err) == 0 ? ovl_tensor_check(ask, false, err) : -1;
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
    ovl_pieces_cut(ask->model, g->pipeline.stages, ask->interleave, g->pieces);
    tie(g);
    return 0;
}

void ovl_grid_close(struct ovl_train_grid *g)
{
    ovl_pipeline_close(&g->pipeline);
    free(g->pieces);
    free(g->got);
}
