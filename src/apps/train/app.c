/* ovl_train: a step of parallel training, whose gradients travel while the backward pass goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/strategy/parts.h"
#include "apps/train/values/data.h"
#include "offload/boot/agree_mpi.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_train *t = (struct ovl_train *)job;
    if (ovl_train_options_parse(argc, argv, &t->options, err) != 0)
        return -1;
    bool leaves = t->options.common.help || t->options.common.version;
    return leaves ? 0 : ovl_train_choose(&t->options, &t->choice, err);
}

/* Helpers: one that has room for the parameters, and those of --offload. Where the job has workers they are started
   beside them, too, and sleep. */
static int prepare(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_train *t = (struct ovl_train *)job;
    struct ovl_model model = {.numbers = 0};
    struct ovl_checkpoint whole;
    struct ovl_error untold;
    int rc = 0;
    bool keeps = strstr(t->options.checkpoint, "helper") != NULL;
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its write */
    if ((!keeps && !t->options.offload) || ovl_train_choice_model(&t->options, &t->choice, &model, &untold) != 0)
        return 0; /* begin() tells */
    ovl_train_checkpoint_of(&t->options, &model, &whole);
    if (keeps)
        rc = ovl_helper_start(&t->helper, whole.all * whole.element, t->options.mtbf > 0, err);
    if (t->options.offload && rc == 0)
        rc = ovl_train_helper_pool_open(t, &model, err);
    ovl_bucket_list_free(&t->choice.ask.list);
    ovl_model_free(&model);
    return rc;
}

static size_t largest_message(const struct ovl_train_plan *p)
{
    const struct ovl_events *e = &p->own.events;
    size_t most = 0;
    for (int id = 0; id < e->ids; id++) {
        size_t n = ovl_train_numbers(p, &e->list[e->posted_at[id]]);
        most = n > most ? n : most;
    }
    return most;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err)
{
    struct ovl_train *t = (struct ovl_train *)job;
    const struct ovl_lossy *lossy = &t->choice.compressions[problem].lossy;
    if (ovl_agree(job->comm, ovl_train_messages_fit(&t->plan, lossy, err), err) != 0 ||
        ovl_agree(job->comm, ovl_gradients_fit(&t->gradients, t->options.gradients, largest_message(&t->plan), err),
                  err) != 0)
        return -1;
    double mine = (double)(t->gradients.count * sizeof *t->gradients.file);
    mine += ovl_train_messages_bytes(&t->plan, lossy) + ovl_train_lists_bytes(&t->plan) + ovl_train_tokens_bytes(t);
    if (t->options.checkpoint_dir || t->options.offload) { /* the parameters, a copy, what a check reads, and makes */
        struct ovl_checkpoint whole;
        ovl_train_checkpoint_of(&t->options, &t->model, &whole);
        int times = (t->options.checkpoint_dir ? 4 : 2) + t->options.resume + (t->options.mtbf > 0);
        mine += times * (double)(whole.all * whole.element);
    }
    mine += ovl_train_data_bytes(t);
    if (t->options.offload) { /* and the rank's own batch */
        const struct ovl_helper_pool_sizes *s = &t->pool->sizes;
        mine += ovl_helper_pool_bytes(s) + (double)s->sample_bytes * (double)(s->samples * sizeof(float) + 1);
    }
    double most;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, job->comm);
    *need = ovl_train_need(t, most);
    return 0;
}

static size_t problems(const struct ovl_app_job *job)
{
    return (size_t)((const struct ovl_train *)job)->choice.compression_count;
}

static void end(struct ovl_app_job *job)
{
    struct ovl_train *t = (struct ovl_train *)job;
    struct ovl_error err;
    if (ovl_timeline_close(&t->timeline, &err) != 0) {
        fprintf(stderr, "ovl_train: %s\n", err.text);
        job->unproved = true; /* exit 5 */
    }
    ovl_train_epochs_close(t);
    ovl_helper_end(&t->helper);
    if (t->pool)
        ovl_helper_pool_close(t->pool);
    free(t->pool);
    free(t->tiny);
    ovl_gradients_free(&t->gradients);
    ovl_train_plan_close(&t->plan);
    ovl_bucket_list_free(&t->choice.ask.list);
    ovl_model_free(&t->model);
}

const struct ovl_app ovl_app = {
    .name = "train",
    .about = "Measure how much of a training step's communication can hide behind its computation: operations of a\n"
             "network's real sizes by PyTorch's and Horovod's rules, sums of gradients checked to the byte.\n",
    .size = sizeof(struct ovl_train),
    .options_at = offsetof(struct ovl_train, options),
    .rows = ovl_train_option_rows,
    .parse = parse,
    .print = ovl_train_print,
    .prepare = prepare,
    .begin = ovl_train_begin,
    .need = need,
    .problems = problems,
    .kernel = "training",
    .describe = ovl_train_describe,
    .schemes = &ovl_train_schemes,
    .end = end,
};
