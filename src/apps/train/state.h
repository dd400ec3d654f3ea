/* One run of ovl_train. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STATE_H
#define OVL_APPS_TRAIN_STATE_H

#include "apps/train/epochs/checkpoint_writer.h"
#include "apps/train/epochs/helper_pool.h"
#include "apps/train/input/data_set.h"
#include "apps/train/lossy/gradients.h"
#include "apps/train/lossy/lossy_allreduce.h"
#include "apps/train/options.h"
#include "apps/train/strategy/steps.h"
#include "apps/train/timeline/timeline.h"
#include "apps/train/tiny/tiny.h"
#include "base/rng.h"
#include "bench/app/message.h"
#include "machine/work.h"
#include "record/derived/size_class.h"

enum { OVL_TRAIN_KEPT = 63, OVL_TRAIN_LOSSES = 50 }; /* samples of T whose exposed times are kept */

struct ovl_train {
    struct ovl_app_job job; /* the first */
    struct ovl_train_options options;
    struct ovl_train_choice choice; /* of them */
    struct ovl_model model;
    struct ovl_train_plan plan;
    struct ovl_app_plan blocking; /* its twin */
    struct ovl_work work;
    struct ovl_timeline timeline;
    struct ovl_moe moe;    /* of --strategy moe, settled */
    struct ovl_tiny *tiny; /* the network of --tiny, as this rank has it; NULL without */

    /* Operations of this rank, by id, and the communicators that they are on. */
    struct ovl_exchange *messages;
    int message_count;
    int *lists; /* counts and displacements of the messages whose calls take them */
    struct ovl_helper helper;
    struct ovl_checkpoint_writer *writer; /* NULL without epochs */
    struct ovl_helper_pool *pool;         /* NULL without --offload */
    struct ovl_data_set data;             /* of --dataset */
    struct ovl_train_batch_split {
        bool on;          /* while a helper has a share of each batch */
        double rank_part; /* the rank's share of the work of forward and backward passes */
        size_t from;      /* the first sample that is the helper's */
        uint64_t step;
        double stall; /* seconds for which the rank waited for gradients */
    } split;
    struct ovl_checkpoint held; /* which elements of the state this rank has: all, or its part by ZeRO */
    double everywhere;          /* by its stages 1 and 2 so much of each part, its begin, is parameters of all ranks */
    uint32_t *weights;          /* those, in epochs without --tiny: other ones after each step */
    char *collected;            /* at rank 0, where each rank has a part: all of them, on their way to a file */
    void *resumed;              /* the parameters of --resume, and how many steps they have seen */
    uint64_t resumed_step;
    struct ovl_wrong_token { /* of a token that came wrong; by `any` 0: none has */
        int any, rank, block, part, back, returns, from, token;
    } wrong_token[OVL_LOOP_MODES];                   /* of each scheme */
    struct ovl_lossy_allreduces lossy_allreduces;    /* of allreduces that go compressed; without a compressor empty */
    struct ovl_lossy_channels channels;              /* of those with several stages: one for each slot */
    struct ovl_gradients gradients;                  /* what they sum up */
    double largest_error;                            /* of a compressed sum, as this rank got it */
    const struct ovl_train_compression *compression; /* the present one */
    double plain[OVL_LOOP_MODES];                    /* seconds of each scheme without compression; 0: not known */
    MPI_Comm comm[OVL_TRAIN_AXES];
    struct ovl_team team[OVL_TRAIN_AXES];
    bool attached[OVL_TRAIN_AXES];
    bool opened;

    uint64_t plays, key; /* samples that were played; key of the data of the last one that computed */
    uint64_t fills;      /* of the tiny network's parameters, and of what is given, others each time */
    uint64_t *units;     /* [events]: of the kernel */
    bool *made;          /* [ids]: does some work fill what is sent? */
    bool *given;         /* [ids]: is it there before a sample begins, as a rank's part of the parameters is? */
    uint64_t given_key;  /* of these data */
    uint64_t *copied;    /* [ids]: of others, the key of the data that are there */
    uint64_t *looked;    /* [ids]: the key of the data at which it was looked by the clock */
    bool *bad;           /* [ids]: were they wrong there, since all were last checked? */
    double units_a_mac;
    double filling; /* seconds of a step's work in which messages are filled */

    struct ovl_train_player {
        struct ovl_train *train;
        const struct ovl_mode *mode;
        int in_slot[OVL_TRAIN_SLOTS]; /* ids */
        struct ovl_app_run run;
        double classes[OVL_SIZE_CLASSES]; /* of the slowest rank: seconds of its operations of a class, one by one */
        double *alone;   /* [ids]: seconds of each operation with nothing beside it, the median of this rank's */
        double *exposed; /* [OVL_TRAIN_KEPT][ids]: of the T of the last blocks that count */
        double *last;    /* [ids]: of the last T of any kind */
        size_t kept;
        double *plain;  /* the scheme's in struct ovl_train */
        json_t *epochs; /* at rank 0: what epochs with checkpoints took; NULL */
        double step_seconds, checkpoint_seconds[OVL_CHECKPOINT_MODES]; /* of these: a step without, a stall; 0: none */
        json_t *faults;                  /* at rank 0: what epochs with failures took; NULL */
        json_t *phases;                  /* at rank 0: what epochs with helpers took; NULL */
        json_t *dataset;                 /* at rank 0: what epochs that read files took; NULL */
        json_t *lanes;                   /* at rank 0: of the sample that was traced; NULL */
        double losses[OVL_TRAIN_LOSSES]; /* with --tiny: of the steps of its training */
    } * players;                         /* [schemes] of the present problem; NULL between problems */
};

extern const struct ovl_app_schemes_row ovl_train_schemes;

/* The key of the data of a sample. */
static inline uint64_t ovl_train_sample_key(const struct ovl_train *t, uint64_t plays)
{
    return ovl_rng_mix(t->job.options->seed ^ ovl_rng_mix(plays));
}

/* begin.c. Collective, as ovl_app.begin: the model and the plan of the options that were chosen. */
int ovl_train_begin(struct ovl_app_job *job, struct ovl_error *err);

/* print.c: --plan and --dump-plan, as ovl_app.print. */
int ovl_train_print(struct ovl_app_job *job, struct ovl_error *err);

/* messages.c. Collective: communicators, teams of workers, memory and descriptions of all operations. -1 with *err, the
   same at all ranks; then ovl_train_messages_close all the same. */
int ovl_train_messages_open(struct ovl_train *t, struct ovl_error *err);
void ovl_train_messages_close(struct ovl_train *t);
/* -1 and OVL_USAGE where a message has more numbers than MPI counts. */
int ovl_train_messages_fit(const struct ovl_train_plan *p, const struct ovl_lossy *lossy, struct ovl_error *err);
/* Bytes of the operations' buffers at this rank; of messages that do not fit at most. */
double ovl_train_messages_bytes(const struct ovl_train_plan *p, const struct ovl_lossy *lossy);
/* With the words for it. */
struct ovl_app_need ovl_train_need(const struct ovl_train *t, double bytes);
/* The parts of what an operation brings, each of one source. */
int ovl_train_segments(const struct ovl_exchange *x);
struct ovl_segment ovl_train_segment(const struct ovl_exchange *x, int k);

/* message_data.c. Fills what an operation sends, by the key of the data. */
void ovl_train_message_fill(struct ovl_train *t, int id);
/* The same of all that is given, with other data each time. Not by the clock: no step takes time for it. */
void ovl_train_messages_give(struct ovl_train *t);
/* The key of an operation's data in the next sample. */
uint64_t ovl_train_next_key(const struct ovl_train *t, int id);
/* By the clock, where an operation of a T is said to be complete, before anything goes on: a few numbers of it, drawn
   anew for each T. What is wrong is kept for ovl_train_messages_wrong. */
void ovl_train_message_look(struct ovl_train *t, int id);
/* How many of this rank's operations brought wrong data in the last T, or did where they were looked at since the last
   call. */
int ovl_train_messages_wrong(struct ovl_train *t);
/* The same behind an epoch, of its last step and of the looks in all; none of it passes for what another epoch brings.
   With --tiny the parameters tell. */
int ovl_train_epoch_wrong(struct ovl_train *t);

/* tokens.c: the operations that bring tokens to their experts and back. What is sent: tokens by a key, or answers to
 * those that came. */
void ovl_train_tokens_fill(struct ovl_train *t, int id, uint64_t key);
/* Is what was brought wrong, by the key of the tokens? The first place of the scheme that answered last is kept. */
bool ovl_train_tokens_wrong(struct ovl_train *t, int id, uint64_t key);
/* Is a word of it right, at a place that is drawn? */
bool ovl_train_tokens_right(const struct ovl_train *t, int id, uint64_t key, uint64_t drawn);
/* No place of any scheme is wrong: before another problem. */
void ovl_train_tokens_forget(struct ovl_train *t);
/* Collective: a scheme's first wrong place of all ranks at all of them, for ovl_train_tokens_fault. */
void ovl_train_tokens_locate(struct ovl_app_job *job, int scheme);
/* Words on that place; empty where there is none. */
void ovl_train_tokens_fault(const struct ovl_app_job *job, int scheme, double error, char text[128]);
/* What a rank keeps to know where tokens go; rank 0 also for all others. */
double ovl_train_tokens_bytes(const struct ovl_train *t);
/* At rank 0: what a cell has of a mixture of experts, and in `curve`. */
json_t *ovl_train_tokens_json(const struct ovl_train *t);
void ovl_train_tokens_curve(const struct ovl_train *t, json_t *curve);

/* learn.c, with --tiny: around a sample that computes; what an event of work computes of the network; and what an
   operation sends that no work makes. */
void ovl_train_learn_begin(struct ovl_train *t);
void ovl_train_learn_end(struct ovl_train *t);
void ovl_train_learn(struct ovl_train *t, const struct ovl_event *e);
void ovl_train_learn_copy(struct ovl_train *t, int id);
/* Not 0 where parameters that this rank keeps differ in a bit from the serial program's after one sample. */
int ovl_train_learn_wrong(struct ovl_train *t);
/* Collective: a training by a scheme, held against the serial one: how many steps differ. */
double ovl_train_learn_all(struct ovl_train *t, int scheme);

/* trace.c. Collective: of three samples the one of middle length, for --timeline and the record, where one is asked
   for. */
void ovl_train_trace(struct ovl_train *t, int scheme);

/* epochs.c, with --checkpoint-dir. What a checkpoint has. */
void ovl_train_checkpoint_of(const struct ovl_train_options *o, const struct ovl_model *model,
                             struct ovl_checkpoint *whole);
/* Collective: memory, and what --resume reads; then ovl_train_epochs_close in any case. -1, the same at all ranks. */
int ovl_train_epochs_open(struct ovl_train *t, struct ovl_error *err);
void ovl_train_epochs_close(struct ovl_train *t);
/* The state from which each training begins: of step 0, or that of --resume. */
void ovl_train_start(struct ovl_train *t);
/* Collective: the epochs of a scheme, those without checkpoints too, in turns. -1, the same at all ranks. */
int ovl_train_epochs(struct ovl_train *t, int scheme, struct ovl_error *err);

/* All parts of a checkpoint, to memory for all elements. -1 as ovl_checkpoint_read. */
int ovl_train_read_checkpoint(struct ovl_train *t, void *to, uint64_t step, uint32_t parts, struct ovl_error *err);
/* fault_epochs.c, with --mtbf. Collective: epochs of a scheme with failures, behind those without. -1, the same at all
   ranks. */
int ovl_train_faults(struct ovl_train *t, int scheme, struct ovl_error *err);

/* Collective, one step of an epoch: a sample of T; and with an update of the parameters. */
void ovl_train_sample(struct ovl_train *t, int scheme);
void ovl_train_step(struct ovl_train *t, int scheme);
/* The parameters that this rank has, t->held of them; what all they are after so many steps: those of the serial
   program, or words that no other step has. */
void *ovl_train_parameters(struct ovl_train *t);
void ovl_train_exact(const struct ovl_train *t, uint64_t steps, void *to);

/* data_epochs.c, with --dataset. Collective: the data set is there, made if it was not, and each record what it must
   be; before the first epoch. -1, the same at all ranks. */
int ovl_train_data_open(struct ovl_train *t, struct ovl_error *err);
/* Memory of its epochs at this rank. */
double ovl_train_data_bytes(const struct ovl_train *t);
/* Collective: epochs of a scheme in each order, in turns. -1, the same at all ranks. */
int ovl_train_data_epochs(struct ovl_train *t, int scheme, struct ovl_error *err);

/* helper_epochs.c, with --offload. Bytes of a sample before it is augmented; 0: not known. */
size_t ovl_train_sample_bytes(const struct ovl_train_options *o, const struct ovl_model *model);
/* Before MPI: the helpers. -1 with OVL_ENVIRONMENT. */
int ovl_train_helper_pool_open(struct ovl_train *t, const struct ovl_model *model, struct ovl_error *err);
/* Collective: epochs of a scheme in each design, in turns. -1, the same at all ranks. */
int ovl_train_helper_epochs(struct ovl_train *t, int scheme, struct ovl_error *err);

/* batch_split.c: while a helper has a share of each batch. What of an event's units is the rank's own. */
uint64_t ovl_train_rank_units(const struct ovl_train *t, const struct ovl_event *e, uint64_t units);
/* As ovl_train_message_fill, with the helper's gradients added. */
void ovl_train_message_make(struct ovl_train *t, int id);
/* Lays out what a helper does in a step: -1 with OVL_USAGE where it has no room. And lets it begin the next sample. */
int ovl_train_batch_split_open(struct ovl_train *t, struct ovl_error *err);
void ovl_train_batch_split_begin(struct ovl_train *t, const struct ovl_batch *batch, uint64_t units);

/* report.c: what is kept of each block that counts, and so of no epoch, no warm-up and no repeat for --energy. */
void ovl_train_keep_block(struct ovl_app_job *job, size_t block);
/* What only its cells have. */
void ovl_train_describe(struct ovl_app_job *job, json_t *line);
void ovl_train_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *cell);

#endif
