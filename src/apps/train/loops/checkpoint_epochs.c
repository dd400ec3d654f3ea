/* Epochs: many steps with checkpoints between them, beside the same steps without, and the files held against the exact
   parameters of their steps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/loops/written_epochs.h"
#include "apps/train/values/data.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool tiny_of(const struct ovl_train *t)
{
    return t->tiny != NULL;
}

static size_t bytes_of(const struct ovl_train *t)
{
    return t->writer->whole.all * t->writer->whole.element;
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

/* Bytes of the state for each parameter. */
static double state_of(const struct ovl_train_options *o, const struct ovl_model *model)
{
    double parameter = (double)model->types.of[OVL_OF_PARAMETERS]->bytes;
    return o->state_bytes ? (double)o->state_bytes : (double)o->state * parameter;
}

/* What of them is the parameter with which all ranks compute. In mixed precision Adam's 12 bytes come first. */
static double parameter_of(const struct ovl_train_options *o, const struct ovl_model *model)
{
    double parameter = (double)model->types.of[OVL_OF_PARAMETERS]->bytes, state = state_of(o, model);
    bool mixed = o->state_bytes && parameter < 4;
    return fmin(parameter, mixed ? fmax(0, state - 12) : state);
}

void ovl_train_checkpoint_of(const struct ovl_train_options *o, const struct ovl_model *model,
                             struct ovl_checkpoint *whole)
{
    double bytes = model->numbers / o->scale_bytes * state_of(o, model);
    uint64_t words = (uint64_t)ceil(bytes / sizeof(uint32_t));
    *whole = (struct ovl_checkpoint){.element = o->tiny ? sizeof(double) : sizeof(uint32_t),
                                     .all = o->tiny     ? OVL_TINY_NUMBERS
                                            : words > 1 ? words
                                                        : 1};
    snprintf(whole->model, sizeof whole->model, "%.63s", model->name);
}

int ovl_train_read_checkpoint(struct ovl_train *t, void *to, uint64_t step, uint32_t parts, struct ovl_error *err)
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
    int rc = ovl_train_read_checkpoint(t, read, c->step, c->parts, err);
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
    const char *word = ovl_checkpoint_modes[mode].word;
    return ovl_options_has_word(o->checkpoint, word, strlen(word));
}

/* Known before the first epoch: a folder that takes no files, or has no room for them, of all ranks. */
static int try_folder(const struct ovl_train *t, struct ovl_error *err)
{
    const struct ovl_checkpoint *whole = &t->writer->whole;
    bool writes = false;
    for (int m = OVL_CHECKPOINT_ROOT; m < OVL_CHECKPOINT_MODES; m++)
        writes = writes || (has_word(&t->options, m) && (ovl_checkpoint_modes[m].sharded || t->job.rank == 0));
    return writes ? ovl_checkpoint_try(t->options.checkpoint_dir, (uint32_t)t->job.rank,
                                       (double)whole->all * whole->element, err)
                  : 0;
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
    return ovl_train_read_checkpoint(t, t->resumed, step, parts, err);
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
    t->held = t->writer->whole;
    t->held.count = t->held.all;
    if (t->plan.strategy->zero >= 2 && !tiny_of(t) && !o->offload)
        ovl_checkpoint_split(&t->held, (uint32_t)t->job.rank, (uint32_t)t->job.ranks);
    if (t->plan.strategy->zero == 2 || t->plan.strategy->zero == 3)
        t->everywhere = parameter_of(o, &t->model) / state_of(o, &t->model);
    t->weights = tiny_of(t) ? NULL : malloc(t->held.count * t->held.element + 1);
    t->collected = t->held.count < t->held.all && t->job.rank == 0 && o->checkpoint_dir ? malloc(bytes_of(t)) : NULL;
    int rc = tiny_of(t) || (t->weights &&
                            (t->collected || t->held.count == t->held.all || t->job.rank > 0 || !o->checkpoint_dir))
                 ? (o->checkpoint_dir && (resume(t, err) != 0 || try_folder(t, err) != 0) ? -1 : 0)
                 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %.0f bytes of parameters", (double)bytes_of(t));
    return ovl_agree(t->job.comm, rc, err);
}

/* Is a checkpoint due after step i of an epoch? Each stands in the middle of its share of the steps. */
static bool checkpoint_due(uint64_t i, uint64_t steps, uint64_t checkpoints)
{
    return (2 * (i + 1) * checkpoints + steps) / (2 * steps) > (2 * i * checkpoints + steps) / (2 * steps);
}

/* Of a kind. */
struct written {
    enum ovl_checkpoint_mode mode;
    double bytes;                    /* of a checkpoint */
    json_t *lanes[OVL_TURNS_EPOCHS]; /* at rank 0; NULL */
};

enum { STALL, COPY, PERSIST, COUNT };

static int begin_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    const struct written *w = k->what;
    (void)err;
    ovl_written_epochs_begin(of, w->mode);
    return 0;
}

static uint64_t after_step(void *of, struct ovl_turns_kind *k, uint64_t i)
{
    struct ovl_written_epochs *e = of;
    const struct written *w = k->what;
    if (checkpoint_due(i, k->steps, e->t->options.checkpoints_per_epoch))
        ovl_written_epochs_write(e->t, w->mode);
    return i + 1;
}

static int end_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct ovl_written_epochs *e = of;
    struct written *w = k->what;
    struct ovl_checkpoint_writer *writer = e->t->writer;
    double all;
    ovl_checkpoint_writer_finish(writer); /* of an epoch that was broken off */
    e->t->plays += e->plays;
    if (e->t->job.rank == 0)
        w->lanes[k->n] = ovl_intervals_lanes(&writer->intervals, "rank 0", ovl_checkpoint_modes[w->mode].word);
    k->spent[STALL] = writer->stall_seconds;
    k->spent[COPY] = writer->copy_seconds;
    k->spent[PERSIST] = writer->persist_seconds;
    k->spent[COUNT] = writer->count;
    MPI_Allreduce(&writer->bytes, &all, 1, MPI_DOUBLE, MPI_SUM, e->t->job.comm);
    w->bytes = writer->count > 0 ? all / writer->count : w->bytes;
    return writer->rc == 0 ? 0 : (*err = writer->err, -1);
}

static int check_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct ovl_written_epochs *e = of;
    const struct written *w = k->what;
    bool look = w->mode != OVL_CHECKPOINT_NONE && e->t->job.rank == 0 && e->t->writer->kept[0].parts > 0;
    return look ? check(e->t, &e->t->writer->kept[0], err) : 0;
}

static int wrong(void *of)
{
    return ovl_train_epoch_wrong(((struct ovl_written_epochs *)of)->t);
}

static bool has_failed(void *of)
{
    return ((struct ovl_written_epochs *)of)->t->writer->rc != 0;
}

/* The place of what is nearest to the median. */
static size_t nearest(const struct ovl_turns_kind *k)
{
    double median = ovl_turns_seconds(k);
    size_t at = 0;
    for (size_t i = 1; i < k->n; i++)
        at = fabs(k->seconds[i] - median) < fabs(k->seconds[at] - median) ? i : at;
    return at;
}

/* `root`: the kind that writes by rank 0 alone, or NULL. */
static json_t *json_of_kind(const struct ovl_train *t, const struct ovl_turns_kind *k,
                            const struct ovl_turns_kind *none, const struct ovl_turns_kind *root)
{
    const struct written *w = k->what;
    char file_system[16];
    ovl_checkpoint_file_system(t->options.checkpoint_dir, file_system);
    json_t *told =
        json_pack("{s:s, s:I, s:o, s:f, s:f, s:f, s:f, s:f, s:s}", "checkpoint", ovl_checkpoint_modes[w->mode].word,
                  "steps", (json_int_t)k->steps, "seconds", ovl_turns_list(k), "median_seconds", ovl_turns_seconds(k),
                  "count", ovl_turns_value(k, COUNT), "bytes", w->bytes, "stall_seconds", ovl_turns_value(k, STALL),
                  "persist_seconds", ovl_turns_value(k, PERSIST), "file_system", file_system);
    if (ovl_checkpoint_modes[w->mode].by != OVL_CHECKPOINT_BY_RANK)
        json_object_set_new(told, "copy_seconds", json_real(ovl_turns_value(k, COPY)));
    if (k != none)
        json_object_set_new(told, "excess", ovl_turns_more(k, none, t->job.options->seed));
    if (root && k != none && k != root)
        json_object_set_new(told, "of_root", ovl_turns_of(k, root, none, t->job.options->seed));
    if (w->lanes[nearest(k)])
        json_object_set(told, "timeline", w->lanes[nearest(k)]);
    return told;
}

static const struct ovl_turns_hooks hooks = {.begin = begin_epoch,
                                             .after = after_step,
                                             .finish = ovl_written_epochs_finish,
                                             .end = end_epoch,
                                             .check = check_epoch};

int ovl_train_epochs(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    struct ovl_written_epochs e = {.t = t, .scheme = scheme};
    struct written written[OVL_CHECKPOINT_MODES] = {{.mode = OVL_CHECKPOINT_NONE}};
    struct ovl_turns_kind kinds[OVL_CHECKPOINT_MODES];
    struct ovl_turns turns = {
        .comm = t->job.comm, .of = &e, .step = ovl_written_epochs_step, .wrong = wrong, .failed = has_failed};
    size_t n = 0;
    for (int m = OVL_CHECKPOINT_NONE; m < OVL_CHECKPOINT_MODES; m++)
        if (m == OVL_CHECKPOINT_NONE || has_word(o, m)) {
            written[n] = (struct written){.mode = (enum ovl_checkpoint_mode)m};
            kinds[n] = (struct ovl_turns_kind){.hooks = &hooks, .what = &written[n], .steps = o->steps_per_epoch};
            n++;
        }
    if (n == 1 || !o->checkpoint_dir)
        return 0;
    ovl_offload_wake(&t->job.offload, t->players[scheme].mode->offloads);
    int rc = ovl_turns_play_all(&turns, kinds, n, o->epochs, err);
    ovl_offload_wake(&t->job.offload, true);
    if (rc == 0) { /* the loop tells of a signal */
        t->players[scheme].epochs = json_array();
        for (size_t i = 0; i < n && t->job.rank == 0; i++)
            json_array_append_new(
                t->players[scheme].epochs,
                json_of_kind(t, &kinds[i], &kinds[0], has_word(o, OVL_CHECKPOINT_ROOT) ? &kinds[1] : NULL));
    }
    t->players[scheme].step_seconds = rc == 0 ? ovl_turns_seconds(&kinds[0]) / (double)o->steps_per_epoch : 0;
    for (size_t i = 1; i < n && rc == 0; i++)
        t->players[scheme].checkpoint_seconds[written[i].mode] =
            ovl_turns_value(&kinds[i], STALL) / ovl_turns_value(&kinds[i], COUNT);
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < kinds[i].n; at++)
            json_decref(written[i].lanes[at]);
    return rc < 0 ? -1 : 0;
}

void ovl_train_epochs_close(struct ovl_train *t)
{
    if (t->writer)
        ovl_checkpoint_writer_close(t->writer);
    free(t->writer);
    free(t->weights);
    free(t->resumed);
    free(t->collected);
    t->weights = t->resumed = t->collected = NULL;
    t->writer = NULL;
}
