/* Epochs whose samples are read from files, in each order in turns. In the clock a rank looks at a place of each
   sample; behind it at the last batch as a whole, and at what was read, which the order says beforehand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/input/reader.h"
#include "apps/train/state.h"
#include "apps/train/turns/turns.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { STALL, CHECK, READ, EPOCHS = OVL_TURNS_EPOCHS };

/* Of an order. */
struct reading {
    struct ovl_order order;
    struct ovl_reader reader;
    struct ovl_order_ask ask;
    const char *last;                    /* the last batch of an epoch */
    uint64_t wrong, place[3];            /* samples that were others; the first: its number, batch and epoch */
    uint64_t bytes_before, reads_before; /* of the present epoch */
    double begun, first;                 /* of the clock: its start, and the end of its first step */
    double au[EPOCHS];                   /* mean of the ranks */
    double bytes[EPOCHS], reads[EPOCHS], hits[EPOCHS]; /* of all ranks */
};

struct epochs {
    struct ovl_train *t;
    int scheme;
    double work; /* seconds that a step computes, at the rank that has most of it */
};

static double now(void)
{
    return 1e-9 * (double)ovl_clock_ns();
}

static int settle(struct ovl_train *t, struct ovl_data_set *d, int found, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    uint64_t a_step = (uint64_t)t->job.ranks * o->batch, bytes = ovl_train_sample_bytes(o, &t->model);
    if (found < 0)
        return -1;
    if (found && (d->bytes != bytes || (o->samples && o->samples != d->samples)))
        return ovl_error_set(err, OVL_USAGE,
                             "--dataset %s: has %.0f samples of %.0f bytes, and %.0f of %.0f are wanted; give another "
                             "folder",
                             d->folder, (double)d->samples, (double)d->bytes,
                             (double)(o->samples ? o->samples : d->samples), (double)bytes);
    if (!found) {
        d->samples = o->samples ? o->samples : 16 * a_step;
        d->bytes = bytes;
        d->seed = o->common.seed;
    }
    if (d->bytes == 0)
        return ovl_error_set(err, OVL_USAGE, "--dataset: model %s has no sample_bytes; add them, or give --records",
                             t->model.name);
    if (d->samples < 2 * a_step || d->samples > OVL_DATA_SET_SAMPLES) /* of one step alone there is no AU */
        return ovl_error_set(err, OVL_USAGE,
                             "--dataset %s: %.0f samples, and two steps take %.0f, the fewest of an epoch; give "
                             "--samples from that to %d",
                             d->folder, (double)d->samples, 2 * (double)a_step, OVL_DATA_SET_SAMPLES);
    return found ? 0 : ovl_data_set_make(d, err);
}

int ovl_train_data_open(struct ovl_train *t, struct ovl_error *err)
{
    struct ovl_data_set *d = &t->data, root;
    if (!t->options.dataset)
        return 0;
    d->folder = t->options.dataset;
    if (ovl_agree(t->job.comm, t->job.rank == 0 ? settle(t, d, ovl_data_set_find(d, err), err) : 0, err) != 0)
        return -1;
    root = *d;
    MPI_Bcast(&root.samples, 1, MPI_UINT64_T, 0, t->job.comm);
    MPI_Bcast(&root.seed, 1, MPI_UINT64_T, 0, t->job.comm);
    int found = ovl_data_set_find(d, err);
    if (found >= 0 && (!found || d->samples != root.samples || d->seed != root.seed))
        found = ovl_error_set(
            err, OVL_USAGE,
            "--dataset %s: rank %d finds another one there than rank 0; give a folder that all nodes share", d->folder,
            t->job.rank);
    if (ovl_agree(t->job.comm, found < 0 ? -1 : 0, err) != 0)
        return -1;
    uint64_t ranks = (uint64_t)t->job.ranks, rank = (uint64_t)t->job.rank;
    return ovl_agree(t->job.comm,
                     ovl_data_set_check(d, d->samples * rank / ranks, d->samples * (rank + 1) / ranks, err), err);
}

static struct ovl_order_ask ask_of(const struct ovl_train *t, enum ovl_order_kind kind)
{
    const struct ovl_train_options *o = &t->options;
    return (struct ovl_order_ask){
        .kind = kind,
        .samples = (uint32_t)t->data.samples,
        .ranks = (uint32_t)t->job.ranks,
        .batch = (uint32_t)o->batch,
        .epochs = (uint32_t)o->epochs + 1,
        .room = kind == OVL_ORDER_RANDOM ? 0 : (uint32_t)(o->local_buffer * (double)t->data.samples / t->job.ranks),
        .seed = o->common.seed};
}

static bool is_asked(const struct ovl_train *t, enum ovl_order_kind kind)
{
    const char *word = ovl_order_words[kind];
    return ovl_options_has_word(t->options.order, word, strlen(word));
}

double ovl_train_data_bytes(const struct ovl_train *t)
{
    double bytes = 0;
    for (int k = 0; k < OVL_ORDERS && t->options.dataset; k++) {
        struct ovl_order_ask ask = ask_of(t, (enum ovl_order_kind)k);
        if (is_asked(t, ask.kind))
            bytes += ovl_order_bytes(&ask) + ovl_reader_bytes(&t->data, ask.batch, ask.room);
    }
    return bytes;
}

static int begin_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    struct reading *r = k->what;
    (void)of, (void)err;
    r->bytes_before = r->reader.bytes;
    r->reads_before = r->reader.reads;
    k->spent[READ] = -r->reader.read_seconds;
    return 0;
}

static void start_epoch(void *of, struct ovl_turns_kind *k)
{
    struct reading *r = k->what;
    (void)of;
    r->begun = now();
    ovl_reader_begin(&r->reader);
}

static void look(struct reading *r, const struct ovl_turns_kind *k, uint64_t step, const char *data)
{
    const struct ovl_order_use *uses = ovl_order_batch(&r->order, k->n, step);
    for (size_t i = 0; i < r->order.batch; i++)
        if (!ovl_data_set_spot(r->reader.set, uses[i].sample, k->n << 32 ^ step, data + i * r->reader.set->stored) &&
            r->wrong++ == 0)
            memcpy(r->place, (uint64_t[3]){uses[i].sample, step, k->n}, sizeof r->place);
}

static void get_batch(void *of, struct ovl_turns_kind *k, uint64_t step)
{
    struct reading *r = k->what;
    (void)of;
    int64_t begin = ovl_clock_ns();
    r->last = ovl_reader_wait(&r->reader, step);
    k->spent[STALL] += ovl_clock_since(begin);
    begin = ovl_clock_ns();
    if (r->last)
        look(r, k, step, r->last);
    k->spent[CHECK] += ovl_clock_since(begin);
}

static uint64_t end_batch(void *of, struct ovl_turns_kind *k, uint64_t step)
{
    struct reading *r = k->what;
    (void)of;
    ovl_reader_release(&r->reader, step);
    if (step == 0)
        r->first = now();
    return step + 1;
}

/* DLIO's accelerator utilisation: of the steps behind the first, what is computation. */
static void finish_epoch(void *of, struct ovl_turns_kind *k)
{
    const struct epochs *e = of;
    struct reading *r = k->what;
    r->au[k->n] = (double)(k->steps - 1) * e->work / (now() - r->first);
}

static int end_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    const struct epochs *e = of;
    struct reading *r = k->what;
    double mine[4] = {(double)(r->reader.bytes - r->bytes_before), (double)(r->reader.reads - r->reads_before),
                      (double)r->order.hits[k->n], r->au[k->n]},
           all[4];
    k->spent[READ] += r->reader.read_seconds;
    MPI_Allreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, e->t->job.comm);
    r->bytes[k->n] = all[0];
    r->reads[k->n] = all[1];
    r->hits[k->n] = all[2];
    r->au[k->n] = all[3] / e->t->job.ranks;
    return ovl_reader_failed(&r->reader, err) ? -1 : 0;
}

/* Behind the last step no batch is under way: the counts of the reader stand still. */
static int check_epoch(void *of, struct ovl_turns_kind *k, struct ovl_error *err)
{
    const struct epochs *e = of;
    struct reading *r = k->what;
    const char *order = ovl_order_words[r->ask.kind];
    int rank = e->t->job.rank;
    uint64_t wanted = r->order.steps * r->order.batch - r->order.hits[k->n], reads = r->reader.reads - r->reads_before,
             bytes = r->reader.bytes - r->bytes_before;
    const struct ovl_order_use *uses = ovl_order_batch(&r->order, k->n, k->steps - 1);
    for (size_t i = 0; i < r->order.batch && r->wrong == 0; i++)
        if (!ovl_data_set_whole(r->reader.set, uses[i].sample, r->last + i * r->reader.set->stored)) {
            r->wrong = 1;
            memcpy(r->place, (uint64_t[3]){uses[i].sample, k->steps - 1, k->n}, sizeof r->place);
        }
    if (r->wrong > 0)
        return ovl_error_set(err, OVL_WRONG_DATA,
                             "wrong data: sample %.0f in batch %.0f of epoch %.0f of rank %d, --order %s",
                             (double)r->place[0], (double)r->place[1], (double)r->place[2], rank, order);
    if (reads != wanted || bytes != wanted * r->reader.set->stored)
        return ovl_error_set(
            err, OVL_WRONG_DATA,
            "rank %d read %.0f samples, %.0f bytes, where --order %s has %.0f of %.0f bytes in epoch %.0f", rank,
            (double)reads, (double)bytes, order, (double)wanted, (double)r->reader.set->stored, (double)k->n);
    return 0;
}

static int wrong(void *of)
{
    return ovl_train_epoch_wrong(((struct epochs *)of)->t);
}

static void play_step(void *of)
{
    struct epochs *e = of;
    ovl_train_sample(e->t, e->scheme);
}

static const struct ovl_turns_hooks hooks = {.begin = begin_epoch,
                                             .start = start_epoch,
                                             .before = get_batch,
                                             .after = end_batch,
                                             .finish = finish_epoch,
                                             .end = end_epoch,
                                             .check = check_epoch};

/* Of the epochs behind the first, in which buffers fill. */
static json_t *list(const double *x, size_t n)
{
    json_t *all = json_array();
    for (size_t i = 1; i < n; i++)
        json_array_append_new(all, json_real(x[i]));
    return all;
}

static double mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum / (double)(n - 1);
}

static json_t *json_of_order(const struct epochs *e, struct ovl_turns_kind *k, const struct ovl_turns_kind *first)
{
    const struct reading *r = k->what;
    double a_step = (double)r->order.batch * e->t->job.ranks, hits = mean(r->hits, k->n), reads = mean(r->reads, k->n);
    json_t *au = list(r->au, k->n), *bytes = list(r->bytes, k->n);
    json_t *limits = ovl_turns_limits(ovl_bootstrap_mean, r->au + 1, NULL, k->n - 1, e->t->job.options->seed);
    double cold = k->seconds[0], utilisation = mean(r->au, k->n), first_bytes = r->bytes[0];
    ovl_turns_drop_first(k);
    double seconds = ovl_turns_seconds(k);
    json_t *told = json_pack(
        "{s:s, s:I, s:I, s:o, s:f, s:f, s:f, s:o, s:o, s:f, s:o, s:f, s:f, s:f, s:f, s:f}", "order",
        ovl_order_words[r->ask.kind], "room", (json_int_t)r->ask.room, "steps", (json_int_t)k->steps, "seconds",
        ovl_turns_list(k), "median_seconds", seconds, "samples_per_second", (double)k->steps * a_step / seconds, "au",
        utilisation, "au_ci", limits, "epoch_au", au, "hit_rate", hits / (hits + reads), "read_bytes", bytes,
        "first_seconds", cold, "first_read_bytes", first_bytes, "stall_seconds", ovl_turns_value(k, STALL),
        "read_seconds", ovl_turns_value(k, READ), "check_seconds", ovl_turns_value(k, CHECK));
    if (k != first)
        json_object_set_new(told, "less", ovl_turns_less(k, first, e->t->job.options->seed));
    return told;
}

static json_t *json_of_all(const struct epochs *e, struct ovl_turns_kind *kinds, size_t n)
{
    const struct ovl_train_options *o = &e->t->options;
    const struct reading *r = kinds[0].what;
    char file_system[16];
    json_t *orders = json_array();
    ovl_checkpoint_file_system(o->dataset, file_system);
    json_t *told =
        json_pack("{s:I, s:I, s:I, s:I, s:f, s:b, s:s, s:f}", "samples", (json_int_t)e->t->data.samples, "record_bytes",
                  (json_int_t)e->t->data.bytes, "stored_bytes", (json_int_t)e->t->data.stored, "batch",
                  (json_int_t)o->batch, "local_buffer", o->local_buffer, "direct", r->reader.file.direct, "file_system",
                  file_system, "work_seconds", e->work);
    json_object_set_new(told, "read_rate", o->read_rate ? json_real((double)o->read_rate) : json_null());
    json_object_set_new(told, "records", o->dlio ? json_string(o->records) : json_null());
    json_object_set_new(told, "au_wanted", o->dlio && !o->dlio_scaled ? json_real(o->dlio->pass) : json_null());
    for (size_t i = 0; i < n; i++)
        json_array_append_new(orders, json_of_order(e, &kinds[i], &kinds[0]));
    json_object_set_new(told, "orders", orders);
    return told;
}

static int open_readings(struct epochs *e, struct reading *all, struct ovl_turns_kind *kinds, size_t *n,
                         struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    int rc = 0;
    for (int k = 0; k < OVL_ORDERS && rc == 0; k++) {
        struct reading *r = &all[*n];
        if (!is_asked(t, (enum ovl_order_kind)k))
            continue;
        r->ask = ask_of(t, (enum ovl_order_kind)k);
        rc = ovl_order_make(&r->order, &r->ask, (uint32_t)t->job.rank, err);
        if (rc == 0)
            rc = ovl_reader_open(&r->reader, &t->data, &r->order, r->ask.room, (double)t->options.read_rate, err);
        kinds[(*n)++] = (struct ovl_turns_kind){.hooks = &hooks, .what = r, .steps = r->order.steps};
    }
    return ovl_agree(t->job.comm, rc, err);
}

/* What a step computes; filling the messages is work, too. */
static double work_of(const struct ovl_train *t)
{
    double units = 0, most;
    for (size_t i = 0; i < t->plan.own.events.count; i++)
        units += (double)t->units[i];
    units /= t->work.rate;
    MPI_Allreduce(&units, &most, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
    return most + t->filling;
}

int ovl_train_data_epochs(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    struct epochs e = {.t = t, .scheme = scheme};
    struct ovl_turns turns = {.comm = t->job.comm, .of = &e, .step = play_step, .wrong = wrong};
    struct ovl_turns_kind *kinds;
    size_t n = 0;
    if (!t->options.dataset)
        return 0;
    struct reading *all = ovl_check_alloc(calloc(OVL_ORDERS, sizeof *all));
    kinds = ovl_check_alloc(calloc(OVL_ORDERS, sizeof *kinds));
    e.work = work_of(t);
    int rc = open_readings(&e, all, kinds, &n, err);
    if (rc == 0) {
        ovl_offload_wake(&t->job.offload, t->players[scheme].mode->offloads);
        rc = ovl_turns_play_all(&turns, kinds, n, t->options.epochs + 1, err);
        ovl_offload_wake(&t->job.offload, true);
    }
    if (rc == 0 && t->job.rank == 0)
        t->players[scheme].dataset = json_of_all(&e, kinds, n);
    for (size_t i = 0; i < n; i++) {
        ovl_reader_close(&all[i].reader);
        ovl_order_free(&all[i].order);
    }
    free(all);
    free(kinds);
    return rc < 0 ? -1 : 0;
}
