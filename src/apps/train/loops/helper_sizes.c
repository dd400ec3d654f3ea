/* How much memory helpers share with their rank, which is known before MPI begins. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"

#include <stdlib.h>
#include <string.h>

size_t ovl_train_sample_bytes(const struct ovl_train_options *o, const struct ovl_model *model)
{
    double bytes = o->dlio ? o->dlio->record_bytes / o->scale_bytes : model->sample_bytes / sizeof(float);
    return bytes >= 1 ? (size_t)bytes : model->sample_bytes > 0;
}

int ovl_train_helper_pool_open(struct ovl_train *t, const struct ovl_model *model, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    struct ovl_checkpoint whole;
    bool trains = strstr(o->offload, "o-n") != NULL;
    size_t lists = t->choice.ask.list.count,
           operations = (model->tensor_count > lists ? model->tensor_count : lists) + 64;
    ovl_train_checkpoint_of(o, model, &whole);
    t->pool = ovl_check_alloc(calloc(1, sizeof *t->pool));
    *t->pool = (struct ovl_helper_pool){.kernel = o->kernel, .slowdown = o->helper_slowdown};
    t->pool->sizes = (struct ovl_helper_pool_sizes){
        .helpers = o->helpers,
        .samples = o->batch,
        .sample_bytes = ovl_train_sample_bytes(o, model),
        .words = whole.all * whole.element / sizeof(uint32_t),
        .numbers = trains ? (size_t)(model->numbers / o->scale_bytes) + operations : 0,
        .pieces = trains ? 2 * (model->layer_count + operations) : 0,
        .entries = trains ? operations : 0,
    };
    return ovl_helper_pool_open(t->pool, err);
}
