/* Epochs: many steps with checkpoints between them, beside the same steps without, and the files held against the exact
   parameters of their steps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/values/data.h"
#include "base/clock.h"
#include "bench/interrupt.h"
#include "offload/boot/agree_mpi.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_ONE = 16 }; /* most epochs of a kind */

static bool tiny_of(const struct ovl_train *t)
{
    return t->tiny != NULL;
}

static size_t bytes_of(const struct ovl_train *t)
{
    return t->writer->whole.all * t->writer->whole.element;
}

void *ovl_train_parameters(struct ovl_train *t)
{
    return tiny_of(t) ? (void *)t->tiny->parameters : t->weights;
}

void ovl_train_exact(const struct ovl_train *t, uint64_t steps, void *to)
{
    static struct ovl_tiny serial;
    if (!tiny_of(t)) {
        ovl_train_data_words(to, (size_t)t->writer->whole.all, steps, 0);
        return;
    }
    ovl_tiny_start(&serial);
    for (uint64_t s = 1; s <= steps; s++)
        ovl_tiny_serial(&serial, s);
    memcpy(to, serial.parameters, sizeof serial.parameters);
}

void ovl_train_checkpoint_of(const struct ovl_train_options *o, const struct ovl_model *model,
                             struct ovl_checkpoint *whole)
{
    double bytes =
        model->numbers / o->scale_bytes * (double)o->state * (double)model->types.of[OVL_OF_PARAMETERS]->bytes;
    uint64_t words = (uint64_t)ceil(bytes / sizeof(uint32_t));
    *whole = (struct ovl_checkpoint){.element = o->tiny ? sizeof(double) : sizeof(uint32_t),
                                     .all = o->tiny     ? OVL_TINY_NUMBERS
                                            : words > 1 ? words
                                                        : 1};
    snprintf(whole->model, sizeof whole->model, "%.63s", model->name);
}

/* Every rank reads all parts. */
static int read_parts(struct ovl_train *t, void *to, uint64_t step, uint32_t parts, struct ovl_error *err)
{
    uint64_t found = 0;
    for (uint32_t part = 0; part < parts; part++) {
        struct ovl_checkpoint c = t->writer->whole;
        c.step = step;
        c.part = part;
        c.parts = parts;
        if (ovl_checkpoint_read(t->options.checkpoint_dir, &c, to, err) != 0)
            return -1;
        found += c.count;
    }
    return found == t->writer->whole.all ? 0
                                         : ovl_error_set(err, OVL_WRONG_DATA, "%s: step %.0f: its parts overlap",
                                                         t->options.checkpoint_dir, (double)step);
}

/* Is this file, or are these, the exact parameters of their step? */
static int check(struct ovl_train *t, const struct ovl_checkpoint *c, struct ovl_error *err)
{
    size_t bytes = bytes_of(t);
    char *read = ovl_check_alloc(calloc(2, bytes));
    int rc = read_parts(t, read, c->step, c->parts, err);
    if (rc == 0) {
        ovl_train_exact(t, c->step, read + bytes);
        if (memcmp(read, read + bytes, bytes) != 0)
            rc = ovl_error_set(err, OVL_WRONG_DATA, "%s: the checkpoint of step %.0f is not of that step",
                               t->options.checkpoint_dir, (double)c->step);
    }
    free(read);
    return rc;
}

static bool has_word(const struct ovl_train_options *o, int mode)
{
    const char *word = ovl_checkpoint_mode_words[mode];
    return ovl_options_has_word(o->checkpoint, word, strlen(word));
}

/* Known before the first epoch: a folder that takes no files. */
static int try_folder(const struct ovl_train *t, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    bool root =
        has_word(o, OVL_CHECKPOINT_ROOT) || has_word(o, OVL_CHECKPOINT_THREAD) || has_word(o, OVL_CHECKPOINT_HELPER);
    bool writes = has_word(o, OVL_CHECKPOINT_SHARDED) || (root && t->job.rank == 0);
    return writes ? ovl_checkpoint_try(o->checkpoint_dir, (uint32_t)t->job.rank, err) : 0;
}

static int resume(struct ovl_train *t, struct ovl_error *err)
{
    uint64_t step = 0;
    uint32_t parts = 0;
    int found = ovl_checkpoint_find(t->options.checkpoint_dir, &step, &parts, err);
    if (found < 0)
        return -1;
    if (found && !t->options.resume)
        return ovl_error_set(err, OVL_USAGE, "--checkpoint-dir %s: has checkpoints; give --resume, or another folder",
                             t->options.checkpoint_dir);
    if (!t->options.resume)
        return 0;
    if (!found)
        return ovl_error_set(err, OVL_USAGE, "--resume: --checkpoint-dir %s has no whole checkpoint",
                             t->options.checkpoint_dir);
    t->resumed = ovl_check_alloc(malloc(bytes_of(t)));
    t->resumed_step = step;
    return read_parts(t, t->resumed, step, parts, err);
}

int ovl_train_epochs_open(struct ovl_train *t, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    if (!o->checkpoint_dir && !o->offload)
        return 0;
    t->writer = ovl_check_alloc(calloc(1, sizeof *t->writer));
    *t->writer = (struct ovl_checkpoint_writer){
        .folder = o->checkpoint_dir, .rank = t->job.rank, .ranks = t->job.ranks, .helper = &t->helper};
    ovl_train_checkpoint_of(o, &t->model, &t->writer->whole);
    t->weights = tiny_of(t) ? NULL : malloc(bytes_of(t));
    int rc = tiny_of(t) || t->weights
                 ? (o->checkpoint_dir && (resume(t, err) != 0 || try_folder(t, err) != 0) ? -1 : 0)
                 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %.0f bytes of parameters", (double)bytes_of(t));
    return ovl_agree(t->job.comm, rc, err);
}

void ovl_train_start(struct ovl_train *t)
{
    if (tiny_of(t))
        ovl_tiny_start(t->tiny);
    if (t->resumed)
        memcpy(ovl_train_parameters(t), t->resumed, bytes_of(t));
    t->plays = t->resumed_step;
}

/* Is a checkpoint due after step i of an epoch? Each stands in the middle of its share of the steps. */
static bool checkpoint_due(uint64_t i, uint64_t steps, uint64_t checkpoints)
{
    return (2 * (i + 1) * checkpoints + steps) / (2 * steps) > (2 * i * checkpoints + steps) / (2 * steps);
}

bool ovl_train_any_rank(const struct ovl_train *t, bool here)
{
    int mine = here, any;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, t->job.comm);
    return any;
}

void ovl_train_step(struct ovl_train *t, int scheme)
{
    t->players[scheme].run.mask = OVL_MASK_TOTAL;
    t->job.app->schemes->play(&t->job, scheme, OVL_MASK_TOTAL);
    if (!tiny_of(t)) /* the update of the parameters, in epochs without checkpoints too */
        ovl_train_data_words((uint32_t *)t->weights, (size_t)t->writer->whole.all, t->plays, 0);
}

/* Collective: an epoch, which ends early, where a checkpoint is due, if one has failed or a signal has come. Seconds of
 * the slowest rank. */
static double play_epoch(struct ovl_train *t, int scheme, enum ovl_checkpoint_mode mode)
{
    const struct ovl_train_options *o = &t->options;
    uint64_t plays = t->plays;
    double seconds, slowest;
    ovl_train_start(t);
    ovl_checkpoint_writer_begin(t->writer, mode);
    MPI_Barrier(t->job.comm);
    int64_t begin = ovl_clock_ns();
    bool over = false;
    for (uint64_t i = 0; i < o->steps_per_epoch && !over; i++) {
        ovl_train_step(t, scheme);
        if (checkpoint_due(i, o->steps_per_epoch, o->checkpoints_per_epoch)) {
            ovl_checkpoint_writer_write(t->writer, t->plays, ovl_train_parameters(t));
            over = ovl_train_any_rank(t, t->writer->rc != 0 || ovl_interrupt_signal() != 0);
        }
    }
    ovl_checkpoint_writer_finish(t->writer);
    seconds = ovl_clock_since(begin);
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
    t->plays += plays;
    return slowest;
}

/* Of a kind: its epochs. */
struct kind {
    enum ovl_checkpoint_mode mode;
    double seconds[OF_ONE], stall[OF_ONE], persist[OF_ONE];
    json_t *lanes[OF_ONE]; /* at rank 0; NULL */
    double count, bytes;
    size_t n;
};

static int one_epoch(struct ovl_train *t, int scheme, struct kind *k, struct ovl_error *err)
{
    double mine[4], all[4];
    size_t n = k->n++;
    k->seconds[n] = play_epoch(t, scheme, k->mode);
    if (t->job.rank == 0)
        k->lanes[n] = ovl_intervals_lanes(&t->writer->intervals, "rank 0", ovl_checkpoint_mode_words[k->mode]);
    mine[0] = t->writer->stall_seconds;
    mine[1] = t->writer->persist_seconds;
    mine[2] = t->writer->count;
    mine[3] = t->writer->bytes;
    MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, t->job.comm);
    MPI_Allreduce(&mine[3], &all[3], 1, MPI_DOUBLE, MPI_SUM, t->job.comm);
    k->stall[n] = all[0];
    k->persist[n] = all[1];
    k->count = all[2];
    k->bytes = all[2] > 0 ? all[3] / all[2] : 0;
    int rc = t->writer->rc;
    if (rc != 0)
        *err = t->writer->err;
    if (ovl_agree(t->job.comm, rc, err) != 0)
        return -1;
    bool look = k->mode != OVL_CHECKPOINT_NONE && t->job.rank == 0 && t->writer->kept[0].parts > 0;
    return ovl_agree(t->job.comm, look ? check(t, &t->writer->kept[0], err) : 0, err);
}

/* The place of what is nearest to the median. */
static size_t nearest(const double x[OF_ONE], size_t n)
{
    double sorted[OF_ONE], median;
    size_t at = 0;
    memcpy(sorted, x, sizeof sorted);
    median = ovl_stats_median(sorted, n);
    for (size_t i = 1; i < n; i++)
        at = fabs(x[i] - median) < fabs(x[at] - median) ? i : at;
    return at;
}

static json_t *json_of_kind(const struct ovl_train *t, struct kind *k)
{
    char file_system[16];
    json_t *seconds = json_array(), *lanes = k->lanes[nearest(k->seconds, k->n)];
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(seconds, json_real(k->seconds[i]));
    ovl_checkpoint_file_system(t->options.checkpoint_dir, file_system);
    json_t *told = json_pack("{s:s, s:I, s:o, s:f, s:f, s:f, s:f, s:f, s:s}", "checkpoint",
                             ovl_checkpoint_mode_words[k->mode], "steps", (json_int_t)t->options.steps_per_epoch,
                             "seconds", seconds, "median_seconds", ovl_stats_median(k->seconds, k->n), "count",
                             k->count, "bytes", k->bytes, "stall_seconds", ovl_stats_median(k->stall, k->n),
                             "persist_seconds", ovl_stats_median(k->persist, k->n), "file_system", file_system);
    if (lanes)
        json_object_set(told, "timeline", lanes);
    return told;
}

int ovl_train_epochs(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    struct kind kinds[OVL_CHECKPOINT_MODES] = {{.mode = OVL_CHECKPOINT_NONE}};
    int n = 1, rc = 0;
    bool over = false;
    for (int k = OVL_CHECKPOINT_ROOT; k < OVL_CHECKPOINT_MODES; k++)
        if (has_word(o, k))
            kinds[n++] = (struct kind){.mode = (enum ovl_checkpoint_mode)k};
    if (n == 1 || !o->checkpoint_dir)
        return 0;
    ovl_offload_wake(&t->job.offload, t->players[scheme].mode->offloads);
    for (uint64_t round = 0; round < o->epochs && rc == 0 && !over; round++)
        for (int i = 0; i < n && rc == 0 && !over; i++) {
            rc = one_epoch(t, scheme, &kinds[((uint64_t)i + round + 1) % (uint64_t)n],
                           err); /* no kind is always first */
            over = ovl_train_any_rank(t, ovl_interrupt_signal() != 0);
        }
    ovl_offload_wake(&t->job.offload, true);
    if (rc == 0 && !over) { /* the loop tells of the signal */
        t->players[scheme].epochs = json_array();
        for (int i = 0; i < n && t->job.rank == 0; i++)
            json_array_append_new(t->players[scheme].epochs, json_of_kind(t, &kinds[i]));
    }
    for (int i = 0; i < n; i++)
        for (size_t e = 0; e < kinds[i].n; e++)
            json_decref(kinds[i].lanes[e]);
    return rc;
}

void ovl_train_epochs_close(struct ovl_train *t)
{
    if (t->writer)
        ovl_checkpoint_writer_close(t->writer);
    free(t->writer);
    free(t->weights);
    free(t->resumed);
    t->weights = t->resumed = NULL;
    t->writer = NULL;
}
