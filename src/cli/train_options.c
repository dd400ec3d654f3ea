/* What strategies, compressors and helpers make of these stands with them, in apps/train/options.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/train_options.h"
#include "cli/input_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_train_options, member)

const struct ovl_option ovl_train_option_rows[] = {
    {0, "model", "NAME", "a model of share/ovl/models, or a file (default edsr_x2)", OVL_OPTION_TEXT, AT(model), 0, 0,
     NULL, NULL},
    {0, "tiny", NULL,
     "train a small network that really learns, in place of a model; by ddp, horovod, zero1, zero2, zero3 or fsdp",
     OVL_OPTION_ON, AT(tiny), 0, 0, NULL, NULL},
    {0, "strategy", "NAME",
     "ddp, horovod (also horovod:0.19, horovod:0.25), zero1, zero2 (also with :deepspeed, :overlap_comm), zero3 (also "
     "zero3:deepspeed), fsdp, tp, moe, pp or 3d (tp and 3d also with :sequence), as ovl_train(1) describes them "
     "(default ddp)",
     OVL_OPTION_TEXT, AT(strategy), 0, 0, NULL, NULL},
    {0, "dtype", "P[:G[:A]]",
     "numbers of parameters, gradients and activations: f32, bf16, f16, f8 or i8; what is left out is as P (default "
     "those of the model, f32)",
     OVL_OPTION_TEXT, AT(dtype), 0, 0, NULL, NULL},
    {'b', "batch", "B", "samples of a rank in a step (default 1)", OVL_OPTION_COUNT, AT(batch), 1, 1e6, NULL, NULL},
    {0, "bucket", "SIZE",
     "bytes that close a bucket of ddp, zero1, zero2 and moe (default 25M), and DeepSpeed's (default 2e9)",
     OVL_OPTION_SIZE, AT(bucket), 0, 0, NULL, NULL},
    {0, "first-bucket", "SIZE", "the same of its first bucket (default 1M)", OVL_OPTION_SIZE, AT(first_bucket), 0, 0,
     NULL, NULL},
    {0, "buckets", "FILE", "the buckets of ddp, zero1 and zero2 in place of these: the parameters of each in FILE",
     OVL_OPTION_TEXT, AT(buckets), 0, 0, NULL, NULL},
    {0, "fusion", "SIZE", "horovod's fusion buffer; 0: nothing is fused (default 64M)", OVL_OPTION_SIZE, AT(fusion), -1,
     0, NULL, NULL},
    {0, "cycle", "WHEN",
     "when a cycle of horovod ends: full, with the fusion buffer; all, with the backward pass; or after so many ms "
     "of it at --device-rate (default full)",
     OVL_OPTION_TEXT, AT(cycle), 0, 0, NULL, NULL},
    {0, "microbatches", "M", "microbatches of pp and 3d, of --batch samples (default twice the stages)",
     OVL_OPTION_COUNT, AT(microbatches), 1, 1e4, NULL, NULL},
    {0, "tp", "T", "of 3d: ranks that share each block's work (default 1)", OVL_OPTION_COUNT, AT(tensor), 1, 1e4, NULL,
     NULL},
    {0, "pp", "P", "of 3d: stages of its pipeline (default: the ranks by T)", OVL_OPTION_COUNT, AT(stages), 1, 1e4,
     NULL, NULL},
    {0, "interleave", "V", "of pp and 3d: chunks of the model that a stage has (default 1)", OVL_OPTION_COUNT,
     AT(interleave), 1, 1e4, NULL, NULL},
    {0, "experts", "E",
     "of moe: experts of each block; a multiple or a divisor of the ranks (default 8, or the next multiple)",
     OVL_OPTION_COUNT, AT(experts), 1, OVL_MOE_EXPERTS_MOST, NULL, NULL},
    {0, "top-k", "K", "of moe: experts that a token goes to (default 2)", OVL_OPTION_COUNT, AT(top), 1,
     OVL_MOE_TOP_MOST, NULL, NULL},
    {0, "capacity", "F",
     "of moe: tokens that an expert takes of a rank, in multiples of the mean; others are dropped (default: all are "
     "taken)",
     OVL_OPTION_NUMBER, AT(capacity), 1e-3, 1e6, NULL, NULL},
    {0, "gate-skew", "Z", "of moe: the n-th most popular expert has a weight of 1/n^Z (default 0: all are alike)",
     OVL_OPTION_NUMBER, AT(gate_skew), 0, 10, NULL, NULL},
    {0, "dispatch", "TYPE", "of moe: numbers of tokens on the way to experts: f8, bf16 or f32 (default f8)",
     OVL_OPTION_WORD, AT(dispatch), 0, 0, "f8|bf16|f32", NULL},
    {0, "combine", "TYPE", "of moe: numbers on the way back: bf16 or f32 (default bf16)", OVL_OPTION_WORD, AT(combine),
     0, 0, "bf16|f32", NULL},
    {0, "overlap", "HOW",
     "of moe: what is done while tokens travel: none, nothing; shared, the work of an expert for all tokens; two, the "
     "other half of the batch (default none)",
     OVL_OPTION_WORD, AT(overlap), 0, 0, "none|shared|two", NULL},
    {0, "dispatch-per", "WHAT",
     "of moe: send a token once for each rank that has some of its experts, or for each expert (default rank)",
     OVL_OPTION_WORD, AT(dispatch_per), 0, 0, "rank|expert", NULL},
    {0, "compress", "LIST",
     "compress the gradients of ddp and horovod: none, szx:EB with the largest error of one, fp16 or bf16; several "
     "with commas, one after the other at the work of the first (default none)",
     OVL_OPTION_TEXT, AT(compress), 0, 0, NULL, NULL},
    {0, "gradients", "FILE",
     "with --compress: take gradients from FILE, which has numbers of single precision, in place of drawn ones",
     OVL_OPTION_TEXT, AT(gradients), 0, 0, NULL, NULL},
    {0, "checkpoint", "LIST",
     "time epochs with checkpoints by root, thread or helper, or in parts by sharded, sharded-thread or "
     "sharded-helper, with commas, beside those with none (default none)",
     OVL_OPTION_WORDS, AT(checkpoint), 0, 0, "none|root|thread|helper|sharded|sharded-thread|sharded-helper", NULL},
    {0, "checkpoint-dir", "DIR", "folder of the checkpoints", OVL_OPTION_TEXT, AT(checkpoint_dir), 0, 0, NULL, NULL},
    {0, "checkpoints-per-epoch", "N", "checkpoints of an epoch (default 4)", OVL_OPTION_COUNT,
     AT(checkpoints_per_epoch), 1, 1e6, NULL, NULL},
    {0, "steps-per-epoch", "N", "steps of an epoch (default 40)", OVL_OPTION_COUNT, AT(steps_per_epoch), 1, 1e9, NULL,
     NULL},
    {0, "epochs", "N", "epochs of each kind, in turns (default 3)", OVL_OPTION_COUNT, AT(epochs), 1, 16, NULL, NULL},
    {0, "state", "N", "numbers in a checkpoint for each parameter: 1, or 2 with momentum (default 1)", OVL_OPTION_COUNT,
     AT(state), 1, 2, NULL, NULL},
    {0, "state-bytes", "B",
     "bytes in a checkpoint for each parameter, in place of that: 12 for Adam's three numbers, 14 with parameters of "
     "two "
     "bytes",
     OVL_OPTION_COUNT, AT(state_bytes), 1, 64, NULL, NULL},
    {0, "mtbf", "STEPS",
     "of --checkpoint: time epochs, too, in which after so many steps in the mean a rank fails, and all go back to the "
     "last checkpoint",
     OVL_OPTION_NUMBER, AT(mtbf), 2, 1e9, NULL, NULL},
    {0, "resume", NULL, "go on from the newest whole checkpoint of --checkpoint-dir", OVL_OPTION_ON, AT(resume), 0, 0,
     NULL, NULL},
    {0, "offload", "LIST",
     "time epochs in which helpers do a part of the training: none, o-n, o-da, o-mv or o-hy, as ovl_train(1) "
     "describes them, with commas",
     OVL_OPTION_WORDS, AT(offload), 0, 0, "none|o-n|o-da|o-mv|o-hy", NULL},
    {0, "helpers", "H", "of --offload: helpers of a rank (default 1)", OVL_OPTION_COUNT, AT(helpers), 1, 16, NULL,
     NULL},
    {0, "helper-slowdown", "F", "of --offload: helpers take F times as long (default 1)", OVL_OPTION_NUMBER,
     AT(helper_slowdown), 1, 1e4, NULL, NULL},
    {0, "phases", "A:V",
     "of --offload: shares of an epoch that augmentation and validation have where the rank does them, or those of "
     "resnet20, resnet56 or shufflenetv2 (default those of the model, else what loading takes, and 0)",
     OVL_OPTION_TEXT, AT(phases_text), 0, 0, NULL, NULL},
    {0, "records", "NAME",
     "of --offload and --dataset: records, batch and computation of unet3d, resnet50 or cosmoflow as in DLIO, on "
     "NAME:h100 (default) or NAME:a100",
     OVL_OPTION_TEXT, AT(records), 0, 0, NULL, NULL},
    {0, "dataset", "DIR",
     "time epochs whose samples are read from files in DIR, which are made where there are none yet, in the orders of "
     "--order",
     OVL_OPTION_TEXT, AT(dataset), 0, 0, NULL, NULL},
    {0, "samples", "N", "of --dataset: samples that are made (default 16 of each in a step)", OVL_OPTION_COUNT,
     AT(samples), 1, 1 << 24, NULL, NULL},
    {0, "order", "LIST",
     "of --dataset: random, which keeps nothing; lru, with buffers of what was used last; or solar, where samples go "
     "to the ranks that have kept them; with commas (default random)",
     OVL_OPTION_WORDS, AT(order), 0, 0, "random|lru|solar", NULL},
    {0, "local-buffer", "F",
     "of --dataset: share of the samples that stay in memory, of all ranks together (default 0.25)", OVL_OPTION_NUMBER,
     AT(local_buffer), 0, 1, NULL, NULL},
    {0, "read-rate", "SIZE", "of --dataset: bytes a second that a rank reads at most (default: as fast as they come)",
     OVL_OPTION_SIZE, AT(read_rate), 0, 0, NULL, NULL},
    {0, "device-rate", "TFLOPS", "speed at which --cycle counts ms (default 5.8)", OVL_OPTION_NUMBER, AT(device_rate),
     1e-6, 1e9, NULL, NULL},
    {0, "scale-bytes", "F", "make all messages F times smaller (default 1)", OVL_OPTION_NUMBER, AT(scale_bytes), 1, 1e9,
     NULL, NULL},
    {0, "compute", "KERNEL", "what computes: " OVL_KERNEL_HELP, OVL_OPTION_WORD, AT(kernel), 0, 0, OVL_KERNEL_WORDS,
     NULL},
    {0, "compute-ratio", "R", "work of a step, in multiples of the host's communication time (default 1)",
     OVL_OPTION_NUMBER, AT(ratio), 0, 1000, NULL, NULL},
    {0, "compute-us", "T", "work of a step in microseconds, in place of that", OVL_OPTION_NUMBER, AT(us), 1, 1e9, NULL,
     NULL},
    {0, "compute-units", "N",
     "work of a step in units of the kernel at rank 0, as compute.units of a record has them, in place of that: "
     "launches with as many do the same",
     OVL_OPTION_NUMBER, AT(units), 100, 1e15, NULL, NULL},
    {0, "compute-real", NULL, "work of a step: the model's multiply-adds, in place of that", OVL_OPTION_ON, AT(real), 0,
     0, NULL, NULL},
    {0, "scale-flops", "F", "with --compute-real: F times fewer of them (default 1)", OVL_OPTION_NUMBER,
     AT(scale_flops), 1, 1e12, NULL, NULL},
    {0, "mode", "LIST", "schemes: blocking, host, host-t, thread, dpu, with commas (default blocking,host)",
     OVL_OPTION_WORDS, AT(common.offload.modes), 0, 0, "blocking|host|host-t|thread|dpu", NULL},
    {'t', "tests", "N", "test what is in flight N times a layer, in host-t if --mode has that; 0: never (default 0)",
     OVL_OPTION_COUNT, AT(common.test_lines), 0, 1e6, NULL, NULL},
    OVL_OPTION_ROWS(ovl_train_options, common.offload, ovl_offload_option_rows),
    OVL_OPTION_ROWS(ovl_train_options, common, ovl_app_loop_option_rows),
    {0, "plan", "RANKS[:N]",
     "measure nothing: print memory and messages of a step on so many ranks, N on a node; with a network simulate it",
     OVL_OPTION_TEXT, AT(dry_run_text), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_train_options, network, ovl_network_option_rows),
    OVL_OPTION_ROWS(ovl_train_options, network, ovl_network_work_option_rows),
    {0, "timeline", "FILE", "write a sample of each scheme to FILE in Chrome's trace format", OVL_OPTION_TEXT,
     AT(timeline), 0, 0, NULL, NULL},
    {0, "dump-plan", NULL, "measure nothing: print a rank's events as JSON, of the ranks of --plan or of 2",
     OVL_OPTION_ON, AT(dump), 0, 0, NULL, NULL},
    {0, "plan-rank", "R", "the rank of --dump-plan (default 0)", OVL_OPTION_COUNT, AT(dry_run_rank), 0, 1e7, NULL,
     NULL},
    OVL_OPTION_ROWS(ovl_train_options, common, ovl_app_option_rows),
    {.name = NULL}};

static struct ovl_train_options defaults(void)
{
    return (struct ovl_train_options){
        .common = ovl_app_options_default("blocking,host"),
        .strategy = "ddp",
        .kernel = "fma",
        .compress = "none",
        .checkpoint = "none",
        .fusion = UINT64_MAX, /* nothing was said */
        .local_buffer = -1,   /* nothing was said */
        .scale_bytes = 1,
        .ratio = NAN,
        .us = NAN,
        .units = NAN,
        .network = ovl_network_options_default,
    };
}

/* What was not given. */
static void fill_defaults(struct ovl_train_options *o)
{
    o->model = o->model ? o->model : OVL_MODEL_USUAL;
    o->cycle = o->cycle ? o->cycle : "full";
    o->device_rate = o->device_rate > 0 ? o->device_rate : 5.8;
    o->scale_flops = o->scale_flops > 0 ? o->scale_flops : 1;
    o->state = o->state ? o->state : 1;
    o->checkpoints_per_epoch = o->checkpoints_per_epoch ? o->checkpoints_per_epoch : 4;
    o->steps_per_epoch = o->steps_per_epoch ? o->steps_per_epoch : 40;
    o->epochs = o->epochs ? o->epochs : 3;
}

static int parse_cycle(struct ovl_train_options *o, struct ovl_error *err)
{
    const char *end;
    o->cycle_ms = o->cycle && strcmp(o->cycle, "all") == 0 ? INFINITY : 0;
    if (!o->cycle || strcmp(o->cycle, "all") == 0 || strcmp(o->cycle, "full") == 0)
        return 0;
    if (ovl_options_number(o->cycle, &o->cycle_ms, &end) != 0 || (*end && strcmp(end, "ms") != 0) ||
        !(o->cycle_ms >= 1e-3 && o->cycle_ms <= 1e9))
        return ovl_error_set(err, OVL_USAGE, "--cycle %s: give full, all or a time in ms, such as 5", o->cycle);
    return 0;
}

/* Sizes that were not given are those of the strategy's preset. */
static int parse_sizes(struct ovl_train_options *o, struct ovl_error *err)
{
    const struct ovl_strategy_preset *p = ovl_strategy_preset_find(o->strategy);
    uint64_t preset = p ? p->bucket : 0;
    if (preset && o->first_bucket)
        return ovl_error_set(err, OVL_USAGE,
                             "--first-bucket: DeepSpeed's first bucket is as its others; give --bucket");
    o->bucket = o->bucket ? o->bucket : preset ? preset : 25 << 20;
    o->first_bucket = o->first_bucket ? o->first_bucket : preset ? o->bucket : 1 << 20;
    if (o->fusion == UINT64_MAX)
        o->fusion = p && p->fusion ? p->fusion : 64 << 20;
    return 0;
}

static int parse_plan(struct ovl_train_options *o, struct ovl_error *err)
{
    if (ovl_app_plan_parse(o->dry_run_text, &o->dry_run_ranks, &o->dry_run_per_node, err) != 0)
        return -1;
    if (o->dump && !o->dry_run_ranks) {
        o->dry_run_ranks = 2;
        o->dry_run_per_node = 1;
    }
    if (ovl_network_misplaced(&o->network, o->dump ? NULL : o->dry_run_text, err) != 0)
        return -1;
    if (o->dry_run_rank && !o->dump)
        return ovl_error_set(err, OVL_USAGE, "--plan-rank: give --dump-plan, too");
    if (o->dump && o->dry_run_rank >= (uint64_t)o->dry_run_ranks)
        return ovl_error_set(err, OVL_USAGE, "--plan-rank %.0f: ranks are 0 to %d; give --plan with more of them",
                             (double)o->dry_run_rank, o->dry_run_ranks - 1);
    return 0;
}

/* What records bring: their batch, and their computation. */
static int parse_records(struct ovl_train_options *o, struct ovl_error *err)
{
    double seconds;
    if (!o->records)
        return 0;
    if (!o->offload && !o->dataset)
        return ovl_error_set(err, OVL_USAGE, "--records: give --dataset or --offload, too");
    o->dlio = ovl_records_find(o->records, &seconds, err);
    if (!o->dlio)
        return -1;
    o->dlio_scaled = (o->batch && o->batch != o->dlio->batch) || o->real || o->us > 0 || o->scale_bytes > 1;
    o->batch = o->batch ? o->batch : o->dlio->batch;
    if (o->units > 0)
        return ovl_error_set(err, OVL_USAGE, "--records gives the work; leave --compute-units out");
    if (!isnan(o->ratio))
        return ovl_error_set(err, OVL_USAGE, "--records gives the work; leave --compute-ratio out");
    if (!o->real && !(o->us > 0))
        o->us = 1e6 * seconds / o->scale_bytes;
    return 0;
}

static int parse_dataset(struct ovl_train_options *o, struct ovl_error *err)
{
    const char *word = o->samples             ? "samples"
                       : o->order             ? "order"
                       : o->local_buffer >= 0 ? "local-buffer"
                       : o->read_rate         ? "read-rate"
                                              : NULL;
    if (word && !o->dataset)
        return ovl_error_set(err, OVL_USAGE, "--%s: give --dataset, too", word);
    o->order = o->order ? o->order : "random";
    if (o->local_buffer >= 0 && !ovl_options_has_word(o->order, "lru", 3) &&
        !ovl_options_has_word(o->order, "solar", 5))
        return ovl_error_set(err, OVL_USAGE, "--local-buffer: --order %s keeps nothing; give lru or solar, too",
                             o->order);
    o->local_buffer = o->local_buffer >= 0 ? o->local_buffer : 0.25;
    return 0;
}

static int parse_offload(struct ovl_train_options *o, struct ovl_error *err)
{
    const char *word = o->helpers           ? "helpers"
                       : o->helper_slowdown ? "helper-slowdown"
                       : o->phases_text     ? "phases"
                                            : NULL;
    if (word && !o->offload)
        return ovl_error_set(err, OVL_USAGE, "--%s: give --offload, too, such as none,o-da", word);
    if (o->phases_text ? ovl_phases_parse(o->phases_text, &o->phases, err) != 0 : false)
        return -1;
    if (!o->phases_text && !o->records && !o->tiny)
        ovl_phases_find(o->model, &o->phases);
    o->helpers = o->helpers ? o->helpers : 1;
    o->helper_slowdown = o->helper_slowdown > 0 ? o->helper_slowdown : 1;
    return 0;
}

int ovl_train_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_train_options *o = options;
    *o = defaults();
    if (ovl_app_options_parse(ovl_train_option_rows, argc, argv, o, &o->common, err) != 0)
        return -1;
    if (o->common.help || o->common.version)
        return 0;
    if (parse_cycle(o, err) != 0)
        return -1;
    o->given = (struct ovl_train_given){
        o->model,           o->cycle,  o->bucket,      o->first_bucket, o->fusion, o->state, o->checkpoints_per_epoch,
        o->steps_per_epoch, o->epochs, o->device_rate, o->scale_flops};
    fill_defaults(o);
    /* --flops with --compute-real: the model's multiply-adds at that rate. */
    const struct ovl_work_way ways[] = {{o->real, "--compute-real"},
                                        {o->us > 0, "--compute-us"},
                                        {o->units > 0, "--compute-units"},
                                        {!isnan(o->ratio), "--compute-ratio"},
                                        {!isnan(o->network.flops) && !o->real, "--flops"}};
    if (ovl_work_said_once(ways, sizeof ways / sizeof *ways, o->dry_run_text, err) != 0)
        return -1;
    if (parse_records(o, err) != 0 || parse_dataset(o, err) != 0 || parse_offload(o, err) != 0)
        return -1;
    o->batch = o->batch ? o->batch : 1;
    o->ratio = isnan(o->ratio) ? 1 : o->ratio;
    if (o->real && strcmp(o->kernel, "sleep") == 0)
        return ovl_error_set(err, OVL_USAGE, "--compute-real: sleep has no multiply-adds; give --compute fma");
    return parse_sizes(o, err) == 0 ? parse_plan(o, err) : -1;
}

/* Ways to compress, each a problem. */
static size_t kinds_of(const struct ovl_train_options *o)
{
    size_t kinds = 1;
    for (const char *at = o->compress; *at; at++)
        kinds += *at == ',';
    return kinds;
}

double ovl_train_options_seconds(const void *options)
{
    const struct ovl_train_options *o = options;
    return o->offload || o->checkpoint_dir || o->dataset
               ? NAN
               : (double)kinds_of(o) * o->common.max_time; /* epochs take what they take */
}

size_t ovl_train_options_cells(const void *options, const char *mode)
{
    const struct ovl_train_options *o = options;
    return kinds_of(o) * ovl_app_options_schemes(&o->common, mode);
}
