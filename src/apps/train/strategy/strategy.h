/* The strategies of parallel training: a row each, which makes the events of a step at a rank from the model and a few
   numbers. Pure functions: what they say is the same at every rank and in every launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_STRATEGY_H
#define OVL_APPS_TRAIN_STRATEGY_STRATEGY_H

#include "apps/train/strategy/events.h"
#include "apps/train/strategy/model.h"
#include "cli/moe/options.h"

/* Buckets that a user gives: the parameters of each, in the order in which they are posted. */
struct ovl_bucket_list {
    size_t count;
    double *numbers, sum;
};

/* bucket_file.c. Whole numbers between blanks and line ends; # begins a comment. -1 with *err: OVL_ENVIRONMENT where it
   cannot be read, OVL_WRONG_DATA with the line that is damaged, OVL_USAGE where they are not all the model's; then
   there is nothing to free. */
int ovl_bucket_list_read(struct ovl_bucket_list *b, const char *file, const struct ovl_model *model,
                         struct ovl_error *err);
void ovl_bucket_list_free(struct ovl_bucket_list *b);

/* ZeRO as DeepSpeed has it, by deepspeed/runtime/zero of version 0.19 and its default configuration. Sizes are in
   numbers. */
struct ovl_deepspeed {
    bool on;
    bool overlap; /* overlap_comm */
    /* Of stage 3: stage3_prefetch_bucket_size, _max_live_parameters, _max_reuse_distance, _param_persistence_threshold.
     */
    double prefetch, live, reuse, persistent;
};

/* Which activations are computed again in the backward pass: none, the attention's own, or all of a block. */
enum ovl_recompute { OVL_RECOMPUTE_NONE, OVL_RECOMPUTE_SELECTIVE, OVL_RECOMPUTE_FULL };

/* What a step is made from. */
struct ovl_train_ask {
    const struct ovl_model *model;
    int ranks;
    int local;                   /* most ranks of a node: Horovod rounds its threshold by them */
    double batch;                /* samples of a rank, of a pipeline those of a microbatch */
    double first_bucket, bucket; /* bytes that close a bucket of DDP and ZeRO */
    struct ovl_bucket_list list; /* in place of these two; count 0: none */
    double fusion;               /* bytes of Horovod's fusion buffer; 0: nothing is fused */
    /* Horovod: multiply-adds of a cycle. 0: a cycle ends when the fusion buffer is full; INFINITY: at the end of the
       backward pass. The messages of these two are the same. */
    double cycle;
    int microbatches; /* of a pipeline; 0: twice its stages */
    int tensor;       /* of 3d: ranks that share a layer's work */
    int stages;       /* of a pipeline; 0: all ranks, or all teams of 3d. What ranks are left are replicas */
    int interleave;   /* of a pipeline: chunks of the model that a stage has */
    bool sequence;    /* of tensor parallelism: what lies between the halves of blocks is split by tokens */
    struct ovl_deepspeed deepspeed;
    enum ovl_recompute recompute; /* for the formula of memory; nothing else heeds it */
    struct ovl_moe moe;
};

struct ovl_strategy {
    const char *name, *about;
    /* The events of a rank; -1 and OVL_USAGE where the model or the number of ranks does not fit, the same at all
       ranks. */
    int (*build)(const struct ovl_train_ask *ask, int rank, struct ovl_events *e, struct ovl_error *err);
    bool alike;                                         /* all ranks have as many events; else those of a stage */
    double (*memory)(const struct ovl_train_ask *ask);  /* bytes a rank, by the published formula */
    int zero;                                           /* 1 + the stage of ZeRO that it is; 0: it splits otherwise */
    double (*samples)(const struct ovl_train_ask *ask); /* of a step of all ranks */
    double (*bubble)(
        const struct ovl_train_ask *ask); /* of a pipeline: its idle time by the time of its work; or NULL */
};

/* All of them, NULL at the end. */
extern const struct ovl_strategy *const ovl_strategies[];

/* The strategy of a text "NAME" or "NAME:PRESET", and what that presets in `ask`. NULL with *err. */
const struct ovl_strategy *ovl_strategy_find(const char *text, struct ovl_train_ask *ask, struct ovl_error *err);

/* Defaults of everything but the model and the ranks. */
struct ovl_train_ask ovl_train_ask_default(void);

/* The tensors' gradients in buckets, in reverse order of registration. Bucket i holds the tensors from low[i] up to the
   one before low[i - 1]. */
struct ovl_buckets {
    size_t count;
    size_t *low;
    double *bytes;
    double *after; /* multiply-adds of the backward pass before which it is not posted */
    int most;      /* so many operations at once at most: the next one waits; 0: as many as there are */
    bool at_once;  /* each is waited for where it is posted */
};

/* PyTorch's rule: a bucket closes as soon as it has `bucket` bytes, the first one with `first_bucket`. Those of a list
   may end inside a tensor, which must be ready for both. */
void ovl_buckets_ddp(struct ovl_buckets *b, const struct ovl_train_ask *ask);
/* DeepSpeed's: a bucket closes when the next tensor is ready and does not fit into `bucket` bytes. Stage 1 without
   overlap_comm fills its buckets in order of registration, behind the backward pass: zero.c. */
void ovl_buckets_deepspeed(struct ovl_buckets *b, const struct ovl_train_ask *ask);
/* Horovod's: tensors that are ready at the end of a cycle are fused while they fit. */
void ovl_buckets_horovod(struct ovl_buckets *b, const struct ovl_train_ask *ask);
void ovl_buckets_free(struct ovl_buckets *b);

/* Multiply-adds of the backward pass: 2 to each of the forward pass (gradients of inputs, and of weights). */
double ovl_backward_macs(const struct ovl_train_ask *ask);

/* An allgather of so many parameters from the one at `number` on, or a reduce-scatter of their gradients; its id. */
int ovl_events_post_shards(struct ovl_events *e, const struct ovl_train_ask *ask, enum ovl_operation operation,
                           double numbers, double number);
/* The forward pass as one piece of work. */
void ovl_events_forward(struct ovl_events *e, const struct ovl_train_ask *ask);
/* The backward pass, with an operation of all ranks for each bucket as soon as its tensors are ready, or behind it. */
void ovl_events_backward(struct ovl_events *e, const struct ovl_train_ask *ask, const struct ovl_buckets *b,
                         enum ovl_operation operation, bool behind);
/* zero3_deepspeed.c: the events of zero3:deepspeed. */
void ovl_zero3_deepspeed(const struct ovl_train_ask *ask, struct ovl_events *e);
/* An update of so many numbers by SGD with momentum, two multiply-adds each, which reads the results of `count`
   operations from `takes` on, and all bulk work before it. */
void ovl_events_update(struct ovl_events *e, double numbers, int takes, int count);

/* Memory of a rank in training with numbers of 2 and 4 bytes (mixed precision), parameters split in `ranks` parts by
   ZeRO's stage z, 0 to 3: k p (/d at z = 3) + 3 K p (/d at z >= 1) + k p (/d at z >= 2) with k = 2, K = 4 (Rajbhandari
   et al., SC 2020). And activations of a transformer, in numbers of 2 bytes: s b h L (34 + 5 a s / h); of a rank where
   t of them share each block's work s b h L (10 + 24 / t + 5 a s / (h t)), with sequence parallelism 34 / t for the
   first. With selective recomputation the term of the attention, 5 a s / h, goes; with full recomputation 2 s b h L is
   left (Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022, table 2). */
double ovl_memory_of_states(double parameters, int ranks, int z);
/* Of these states what is kept between steps, when the gradients are freed. */
double ovl_memory_kept(double parameters, int ranks, int z);
double ovl_memory_of_activations(const struct ovl_train_ask *ask);
/* The same of a rank where `tensor` of them share each block's work. */
double ovl_memory_of_shared_activations(const struct ovl_train_ask *ask, int tensor);

/* Bytes of what a transformer's block hands on: batch x sequence x hidden. */
double ovl_activations_of_block(const struct ovl_train_ask *ask);

/* -1 and OVL_USAGE where the model is none. */
int ovl_need_transformer(const struct ovl_model *model, const char *strategy, struct ovl_error *err);

/* Of strategies in which each rank takes samples of its own. */
double ovl_samples_of_all(const struct ovl_train_ask *ask);

extern const struct ovl_strategy ovl_strategy_ddp, ovl_strategy_horovod, ovl_strategy_zero1, ovl_strategy_zero2,
    ovl_strategy_zero3, ovl_strategy_fsdp, ovl_strategy_tp, ovl_strategy_moe, ovl_strategy_pp, ovl_strategy_3d;

#endif
