/* Each list of an option (compressors, designs) is parsed here, and faulted by its part that is wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/options.h"
#include "apps/train/drawn/faults.h"
#include "apps/train/epochs/checkpoint.h"
#include "apps/train/tiny/tiny.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MTBF_TIMES = 100 }; /* most steps that are played for one */

static int parse_compressions(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_error *err)
{
    const char *at = o->compress;
    c->compression_count = 0;
    do {
        struct ovl_train_compression *compression = &c->compressions[c->compression_count];
        size_t n = strcspn(at, ",");
        if (c->compression_count++ == OVL_TRAIN_COMPRESSIONS || n >= sizeof compression->name)
            return ovl_error_set(err, OVL_USAGE, "--compress %s: give %d at most, each under %zu characters",
                                 o->compress, OVL_TRAIN_COMPRESSIONS, sizeof compression->name);
        snprintf(compression->name, sizeof compression->name, "%.*s", (int)n, at);
        if (ovl_lossy_parse(compression->name, &compression->lossy, err) != 0)
            return -1;
        for (const struct ovl_train_compression *before = c->compressions; before < compression; before++)
            if (strcmp(before->name, compression->name) == 0)
                return ovl_error_set(err, OVL_USAGE, "--compress %s: %s stands twice", o->compress, before->name);
        c->lossy |= ovl_lossy_on(&compression->lossy);
        at += n;
    } while (*at++ == ',');
    return 0;
}

static int parse_compress(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_error *err)
{
    if (parse_compressions(o, c, err) != 0)
        return -1;
    if (o->gradients && (!c->lossy || o->tiny))
        return ovl_error_set(err, OVL_USAGE, "--gradients: %s; give %s",
                             o->tiny ? "--tiny has its own" : "only compressed ones are like those of a network",
                             o->tiny ? "a --model" : "--compress, too");
    if (c->compression_count > 1 && o->tiny)
        return ovl_error_set(err, OVL_USAGE, "--compress %s: --tiny learns one way; give one of them", o->compress);
    if (c->lossy && o->tiny && (o->checkpoint_dir || o->offload))
        return ovl_error_set(
            err, OVL_USAGE, "--compress %s: %s are held against exact sums; leave one of them out", o->compress,
            o->checkpoint_dir ? "checkpoints of --tiny" : "weights of --tiny that --offload validates");
    if (c->lossy && c->row != &ovl_strategy_ddp && c->row != &ovl_strategy_horovod)
        return ovl_error_set(err, OVL_USAGE, "--compress %s: not with --strategy %s; give ddp or horovod", o->compress,
                             c->row->name);
    return 0;
}

static int check_checkpoint(const struct ovl_train_options *o, const struct ovl_train_choice *c, struct ovl_error *err)
{
    bool any = strcmp(o->checkpoint, "none") != 0;
    if ((any || o->resume) && !o->checkpoint_dir)
        return ovl_error_set(err, OVL_USAGE, "--%s: give --checkpoint-dir, too", any ? "checkpoint" : "resume");
    if (o->checkpoint_dir && strlen(o->checkpoint_dir) >= OVL_CHECKPOINT_FOLDER)
        return ovl_error_set(err, OVL_USAGE, "--checkpoint-dir: give a path of under %d characters",
                             OVL_CHECKPOINT_FOLDER);
    if (any && o->checkpoints_per_epoch > o->steps_per_epoch)
        return ovl_error_set(err, OVL_USAGE,
                             "--checkpoints-per-epoch %.0f: an epoch has %.0f steps; give --steps-per-epoch",
                             (double)o->checkpoints_per_epoch, (double)o->steps_per_epoch);
    if (o->state_bytes && (o->tiny || o->state > 1))
        return ovl_error_set(err, OVL_USAGE, "--state-bytes: %s; leave one of them out",
                             o->tiny ? "--tiny has numbers of its own" : "--state says what it is");
    if ((any || o->resume) && o->tiny && o->state > 1)
        return ovl_error_set(err, OVL_USAGE, "--state 2: --tiny has no momentum; leave it out");
    if ((any || o->resume) && o->tiny && (c->row == &ovl_strategy_zero3 || c->row == &ovl_strategy_fsdp))
        return ovl_error_set(err, OVL_USAGE,
                             "--checkpoint: with --tiny, a rank of %s has a part of the parameters only; give ddp, "
                             "horovod, zero1 or zero2",
                             c->row->name);
    return 0;
}

/* No thread is killed alone; and an epoch must end. What a helper writes is on disk when the next one is due, at the
   latest: of two intervals without a failure one stays. */
static int check_mtbf(const struct ovl_train_options *o, struct ovl_error *err)
{
    double steps = (double)o->steps_per_epoch, interval = steps >= 4 ? floor(steps / 4) : 1;
    if (!(o->mtbf > 0))
        return 0;
    if (strcmp(o->checkpoint, "none") == 0)
        return ovl_error_set(err, OVL_USAGE, "--mtbf: give --checkpoint, too");
    if (strstr(o->checkpoint, "thread"))
        return ovl_error_set(err, OVL_USAGE, "--mtbf: a thread is not killed alone; give helper or sharded-helper");
    double wanted = interval * (strstr(o->checkpoint, "helper") ? 2 : 1), played = ovl_faults_played(o->mtbf, wanted);
    if (played <= MTBF_TIMES * interval)
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--mtbf %g: %.0f steps without a failure would take %.3g; give a larger one, or fewer "
                         "--steps-per-epoch",
                         o->mtbf, wanted, played);
}

static int check_offload(const struct ovl_train_options *o, const struct ovl_train_choice *c, struct ovl_error *err)
{
    if (o->offload && c->row->samples != ovl_samples_of_all)
        return ovl_error_set(
            err, OVL_USAGE,
            "--offload: the ranks of %s have no batches of their own; give ddp, horovod, zero1, zero2, "
            "zero3, fsdp or moe",
            c->row->name);
    if (o->offload && o->tiny && (c->row == &ovl_strategy_zero3 || c->row == &ovl_strategy_fsdp))
        return ovl_error_set(err, OVL_USAGE,
                             "--offload: with --tiny, a rank of %s has a part of the parameters only; give ddp, "
                             "horovod, zero1 or zero2",
                             c->row->name);
    if (o->offload && strcmp(o->checkpoint, "none") != 0 && !o->tiny && c->row->zero >= 2)
        return ovl_error_set(err, OVL_USAGE,
                             "--offload: its helpers take whole parameters, and checkpoints of %s are of parts; leave "
                             "--checkpoint out",
                             c->row->name);
    if (!o->offload || !strstr(o->offload, "o-n"))
        return 0;
    if ((c->row != &ovl_strategy_ddp && c->row != &ovl_strategy_horovod) || o->tiny || c->lossy)
        return ovl_error_set(err, OVL_USAGE,
                             "--offload o-n: a helper's gradients go into an allreduce of all ranks' whole numbers; "
                             "give --strategy ddp or horovod, and neither --tiny nor --compress");
    return o->batch >= 2 ? 0
                         : ovl_error_set(err, OVL_USAGE,
                                         "--offload o-n: a rank and its helper share the batch, and have a sample "
                                         "each at least; give --batch 2 or more");
}

static int check_dataset(const struct ovl_train_options *o, const struct ovl_train_choice *c, struct ovl_error *err)
{
    if (!o->dataset || (c->row->samples == ovl_samples_of_all && !o->tiny))
        return 0;
    return ovl_error_set(err, OVL_USAGE, "--dataset: %s; give %s",
                         o->tiny ? "--tiny has samples of its own"
                                 : "the ranks of this strategy have no batches of their own",
                         o->tiny ? "a --model" : "ddp, horovod, zero1, zero2, zero3, fsdp or moe");
}

static int check_moe(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_error *err)
{
    const char *word = o->experts         ? "experts"
                       : o->top           ? "top-k"
                       : o->capacity > 0  ? "capacity"
                       : o->gate_skew > 0 ? "gate-skew"
                       : o->dispatch      ? "dispatch"
                       : o->combine       ? "combine"
                       : o->overlap       ? "overlap"
                       : o->dispatch_per  ? "dispatch-per"
                                          : NULL;
    if (word && c->row != &ovl_strategy_moe)
        return ovl_error_set(err, OVL_USAGE, "--%s: %s has no experts; give --strategy moe", word, c->row->name);
    c->ask.moe.experts = (int)o->experts;
    c->ask.moe.top = (int)o->top;
    c->ask.moe.capacity = o->capacity;
    c->ask.moe.skew = o->gate_skew;
    ovl_moe_words(&c->ask.moe, o->dispatch, o->combine, o->overlap, o->dispatch_per);
    return 0;
}

/* An option of which nothing that is asked for takes notice. */
static int check_unheeded(const struct ovl_train_options *o, const struct ovl_train_choice *c, struct ovl_error *err)
{
    const struct ovl_train_given *g = &o->given;
    const struct ovl_strategy *s = c->row;
    bool fuses = s == &ovl_strategy_horovod, stages = s->bubble;
    bool fills = s == &ovl_strategy_ddp || s == &ovl_strategy_zero1 || s == &ovl_strategy_zero2 ||
                 s == &ovl_strategy_moe || c->ask.deepspeed.on;
    bool writes = strcmp(o->checkpoint, "none") != 0, keeps = writes || o->resume, epochs = writes || o->offload;
    const struct {
        bool unheeded;
        const char *word, *why;
    } rows[] = {
        {o->tiny && g->model, "model", "--tiny has its own; leave one of them out"},
        {!stages && o->microbatches, "microbatches", "only pipelines have them; give --strategy pp or 3d"},
        {!fuses && g->fusion != UINT64_MAX, "fusion", "only horovod has a fusion buffer; give --strategy horovod"},
        {!fuses && g->cycle, "cycle", "only horovod has cycles; give --strategy horovod"},
        {g->device_rate > 0 && (!fuses || !(o->cycle_ms > 0) || isinf(o->cycle_ms)), "device-rate",
         "only a cycle in ms is counted by it; give --strategy horovod and --cycle, such as 5"},
        {!fills && g->bucket, "bucket", "this strategy has no buckets; give --strategy ddp, zero1, zero2 or moe"},
        {!fills && g->first_bucket, "first-bucket",
         "this strategy has no buckets; give --strategy ddp, zero1, zero2 or moe"},
        {o->buckets && g->bucket, "bucket", "--buckets has all of them; leave one of them out"},
        {o->buckets && g->first_bucket, "first-bucket", "--buckets has all of them; leave one of them out"},
        {!o->real && g->scale_flops > 0, "scale-flops", "give --compute-real, too"},
        {o->timeline && (o->dry_run_text || o->dump), "timeline", "nothing is measured; leave it out"},
        {!keeps && o->checkpoint_dir, "checkpoint-dir", "give --checkpoint, too, such as root"},
        {!keeps && g->state, "state", "give --checkpoint, too, such as root"},
        {!keeps && o->state_bytes, "state-bytes", "give --checkpoint, too, such as root"},
        {!writes && g->checkpoints_per_epoch, "checkpoints-per-epoch", "give --checkpoint, too, such as root"},
        {!epochs && g->steps_per_epoch, "steps-per-epoch", "give --checkpoint or --offload, too"},
        {!epochs && !o->dataset && g->epochs, "epochs", "give --checkpoint, --offload or --dataset, too"},
        {o->resume && o->checkpoint_dir && !epochs && !o->tiny, "resume",
         "no step goes on from it; give --checkpoint, too, such as root"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].unheeded)
            return ovl_error_set(err, OVL_USAGE, "--%s: %s", rows[i].word, rows[i].why);
    return 0;
}

int ovl_train_choose(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_error *err)
{
    *c = (struct ovl_train_choice){.ask = ovl_train_ask_default()};
    c->row = ovl_strategy_find(o->strategy, &c->ask, err);
    if (!c->row || check_unheeded(o, c, err) != 0)
        return -1;
    if (o->tiny && c->row->bubble)
        return ovl_error_set(err, OVL_USAGE,
                             "--tiny: its gradients are whole at each rank; give another --strategy than %s",
                             c->row->name);
    if (o->tiny && c->ask.deepspeed.on && c->row == &ovl_strategy_zero3)
        return ovl_error_set(err, OVL_USAGE,
                             "--tiny: %s gathers small tensors in other parts than it reduces them; give zero3",
                             o->strategy);
    if (o->buckets && c->ask.deepspeed.on)
        return ovl_error_set(err, OVL_USAGE, "--buckets: %s makes its own, of --bucket bytes; give %s", o->strategy,
                             c->row->name);
    c->retyped = o->dtype != NULL;
    if (o->dtype && ovl_number_types_parse(o->dtype, &c->types, err) != 0)
        return -1;
    if (o->tiny && o->dtype)
        return ovl_error_set(err, OVL_USAGE, "--dtype: the numbers of --tiny are its own; leave one of them out");
    if (o->buckets && c->row != &ovl_strategy_ddp && c->row != &ovl_strategy_zero1 && c->row != &ovl_strategy_zero2)
        return ovl_error_set(err, OVL_USAGE, "--buckets: %s makes none of them; give --strategy ddp, zero1 or zero2",
                             c->row->name);
    if ((o->tensor || o->stages) && c->row != &ovl_strategy_3d)
        return ovl_error_set(err, OVL_USAGE, "--tp and --pp: only 3d has them; give --strategy 3d");
    if (o->interleave && !c->row->bubble)
        return ovl_error_set(err, OVL_USAGE, "--interleave: only pipelines have it; give --strategy pp or 3d");
    if (o->tiny && (o->batch > 1 || o->scale_bytes > 1))
        return ovl_error_set(err, OVL_USAGE,
                             "--tiny: has %d samples a step of all ranks; leave out --batch and "
                             "--scale-bytes",
                             OVL_TINY_SAMPLES);
    if (check_moe(o, c, err) != 0)
        return -1;
    c->ask.bucket = (double)o->bucket;
    c->ask.first_bucket = (double)o->first_bucket;
    c->ask.fusion = (double)o->fusion;
    c->ask.microbatches = (int)o->microbatches;
    c->ask.tensor = o->tensor ? (int)o->tensor : 1;
    c->ask.stages = (int)o->stages;
    c->ask.interleave = o->interleave ? (int)o->interleave : 1;
    if (parse_compress(o, c, err) != 0 || check_checkpoint(o, c, err) != 0 || check_mtbf(o, err) != 0 ||
        check_offload(o, c, err) != 0 || check_dataset(o, c, err) != 0)
        return -1;
    c->ask.batch = (double)o->batch;
    return 0;
}

/* What works on gradients of single precision alone. */
static int check_types(const struct ovl_train_options *o, const struct ovl_train_choice *c,
                       const struct ovl_model *model, struct ovl_error *err)
{
    const struct ovl_number *g = model->types.of[OVL_OF_GRADIENTS];
    const char *word = c->lossy ? "--compress" : o->offload && strstr(o->offload, "o-n") ? "--offload o-n" : NULL;
    if (!word || o->tiny || g == &ovl_numbers[OVL_F32])
        return 0;
    return ovl_error_set(err, OVL_USAGE, "%s: takes gradients of f32, and these are %s; give another --dtype", word,
                         g->name);
}

int ovl_train_choice_model(const struct ovl_train_options *o, struct ovl_train_choice *c, struct ovl_model *model,
                           struct ovl_error *err)
{
    if (o->tiny) {
        ovl_tiny_model(model);
        model->types = ovl_number_types_all(&ovl_numbers[c->lossy ? OVL_F32 : OVL_I64]); /* floats are compressed */
    } else if (ovl_model_load(model, o->model, err) != 0)
        return -1;
    if (c->retyped)
        ovl_model_retype(model, &c->types);
    if (check_types(o, c, model, err) != 0) {
        ovl_model_free(model);
        return -1;
    }
    if (!o->buckets || ovl_bucket_list_read(&c->ask.list, o->buckets, model, err) == 0)
        return 0;
    ovl_model_free(model);
    return -1;
}

struct ovl_train_ask ovl_train_choice_ask(const struct ovl_train_options *o, const struct ovl_train_choice *c,
                                          const struct ovl_model *model, int ranks)
{
    struct ovl_train_ask ask = c->ask;
    ask.model = model;
    ask.ranks = ranks;
    if (!o->tiny)
        ask.bucket = ovl_strategy_bucket_bytes(o->strategy, ask.bucket, ovl_model_element(model, OVL_OF_GRADIENTS));
    ask.local = o->dry_run_per_node > 0 ? o->dry_run_per_node : 1;
    ask.local = ask.local < ranks ? ask.local : ranks;          /* as a run of them finds it */
    ask.cycle = o->cycle_ms * 1e-3 * o->device_rate * 1e12 / 2; /* two flops a multiply-add */
    return ask;
}
