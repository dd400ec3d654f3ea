/* What a run of ovl_train has before its problems: the model, gradients of a file, the plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "bench/input_files.h"
#include "offload/boot/agree_mpi.h"

#include <stdio.h>
#include <stdlib.h>

/* Most ranks of a node. */
static int local(const struct ovl_app_job *job)
{
    const int *node = job->schemes.node;
    int most = 1, *here, nodes = 0;
    for (int r = 0; r < job->ranks; r++)
        nodes = node[r] < nodes ? nodes : node[r] + 1;
    here = ovl_alloc((size_t)nodes + 1, sizeof *here);
    for (int r = 0; r < job->ranks; r++)
        most = ++here[node[r]] > most ? here[node[r]] : most;
    free(here);
    return most;
}

static int read_gradients(struct ovl_train *t, struct ovl_error *err)
{
    const char *file = t->options.gradients;
    char what[256];
    if (!file)
        return 0;
    if (ovl_gradients_read(&t->gradients, file, err) != 0)
        return -1;
    snprintf(what, sizeof what, "--gradients %s", file);
    for (int i = 0; i < t->choice.compression_count; i++)
        if (ovl_lossy_check_range(&t->choice.compressions[i].lossy, t->gradients.most, what, err) != 0)
            return -1;
    return 0;
}

int ovl_train_begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_train *t = (struct ovl_train *)job;
    if (ovl_agree(job->comm, ovl_train_choice_model(&t->options, &t->choice, &t->model, err), err) != 0 ||
        ovl_agree(job->comm, read_gradients(t, err), err) != 0 ||
        ovl_agree(job->comm, ovl_input_files_same(job->comm, err), err) != 0)
        return -1;
    t->plan = (struct ovl_train_plan){.ask = ovl_train_choice_ask(&t->options, &t->choice, &t->model, job->ranks),
                                      .strategy = t->choice.row,
                                      .scale_bytes = t->options.scale_bytes,
                                      .compressed = t->choice.compressions[0].lossy.compressor != NULL,
                                      .halves = t->choice.compressions[0].lossy.halves,
                                      .tests = (int)t->options.common.test_lines,
                                      .node = job->schemes.node};
    t->plan.ask.local = local(job);
    t->moe = t->plan.ask.moe;
    if (t->plan.strategy == &ovl_strategy_moe &&
        ovl_agree(job->comm, ovl_moe_settle(&t->moe, job->ranks, t->plan.ask.batch, err), err) != 0)
        return -1;
    if (t->options.tiny) {
        t->tiny = ovl_check_alloc(calloc(1, sizeof *t->tiny));
        ovl_tiny_start(t->tiny);
    }
    bool own = t->options.timeline && job->rank == 0;
    if (ovl_agree(job->comm, own ? ovl_timeline_check(t->options.timeline, err) : 0, err) != 0 ||
        ovl_agree(job->comm, ovl_train_plan_open(&t->plan, job->rank, err), err) != 0 ||
        ovl_train_epochs_open(t, err) != 0 || ovl_train_data_open(t, err) != 0)
        return -1;
    /* Behind all that may be refused: it takes the place of an old one. */
    return ovl_agree(job->comm, own ? ovl_timeline_open(&t->timeline, t->options.timeline, err) : 0, err);
}
