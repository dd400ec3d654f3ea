/* Epochs of each design in turns, all timed; each batch, sum and answer is made again after its epoch, and compared. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/helper_epochs.h"
#include "base/clock.h"
#include "bench/interrupt.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 8, WARM_STEPS = 10 }; /* steps between looks at who has failed */

/* What a scheme's epochs have in common. */
struct epochs {
    struct ovl_train *t;
    int scheme;
    size_t samples, bytes; /* of a batch, and of a sample */
    uint64_t number;       /* of the epoch */
    uint64_t units, slice_units;
    uint8_t *raw;
    float *data;
    uint32_t (*crc)[2]; /* [steps + 1]: of the rank's samples, and of its helper's */
    uint32_t answers[OVL_POOL_SLICES];
    uint64_t validated; /* the step after which the weights were those that were validated */
    double *spent;
};

static void add_time(struct epochs *e, enum ovl_spent on, int64_t begin)
{
    e->spent[on] += ovl_clock_since(begin);
}

static size_t sample_bytes(const struct ovl_train_options *o, const struct ovl_model *model)
{
    double bytes = o->dataset ? o->dataset->record_bytes / o->scale_bytes : model->sample_bytes / sizeof(float);
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
        .sample_bytes = sample_bytes(o, model),
        .words = whole.all * whole.element / sizeof(uint32_t),
        .numbers = trains ? (size_t)(model->numbers / o->scale_bytes) + operations : 0,
        .pieces = trains ? 2 * (model->layer_count + operations) : 0,
        .entries = trains ? operations : 0,
    };
    return ovl_helper_pool_open(t->pool, err);
}

static struct ovl_batch batch_of(const struct epochs *e, uint64_t k)
{
    const struct ovl_train *t = e->t;
    return (struct ovl_batch){.source = ovl_rng_mix(t->job.options->seed ^ ovl_rng_mix((uint64_t)t->job.rank + 1)),
                              .epoch = e->number,
                              .first = k * e->samples,
                              .samples = e->samples,
                              .bytes = e->bytes};
}

static void make_samples(const struct epochs *e, const struct ovl_batch *b, size_t to, uint64_t units)
{
    const struct ovl_sample_maker maker = {.work = &e->t->work, .raw = e->raw, .data = e->data};
    ovl_helper_pool_make_samples(&maker, b, 0, to, units);
}

/* The rank makes its samples itself: all of them, or those that are not its helper's. */
static void make_own(struct epochs *e, uint64_t k, uint64_t units)
{
    struct ovl_batch b = batch_of(e, k);
    size_t to = e->t->split.on ? e->t->split.from : b.samples;
    make_samples(e, &b, to, units);
    e->crc[k][0] = ovl_batch_crc(&b, 0, to, e->data);
}

static void get_batch(struct epochs *e, const struct ovl_design *d, uint64_t k)
{
    struct ovl_helper_pool *c = e->t->pool;
    int64_t begin = ovl_clock_ns();
    if (d->loads) {
        double made_in = 0;
        const float *data = ovl_helper_pool_wait_batch(c, k, &made_in);
        add_time(e, OVL_SPENT_STALL, begin);
        e->spent[OVL_SPENT_AUGMENT] += made_in;
        begin = ovl_clock_ns();
        struct ovl_batch b = batch_of(e, k);
        if (data)
            e->crc[k][0] = ovl_batch_crc(&b, 0, b.samples, data);
        add_time(e, OVL_SPENT_CHECK, begin);
        return;
    }
    if (d->trains) {
        struct ovl_batch b = batch_of(e, k);
        ovl_train_batch_split_begin(e->t, &b, e->units);
    }
    make_own(e, k, e->units);
    add_time(e, OVL_SPENT_AUGMENT, begin);
    add_time(e, OVL_SPENT_STALL, begin);
}

/* After the step: the buffer may be filled again. */
static void end_batch(struct epochs *e, const struct ovl_design *d, uint64_t k)
{
    double seconds = 0;
    int64_t begin = ovl_clock_ns();
    if (d->loads)
        ovl_helper_pool_release_batch(e->t->pool, k);
    if (d->trains) {
        ovl_helper_pool_wait_step(e->t->pool, e->t->split.step, &e->crc[k][1], &seconds);
        add_time(e, OVL_SPENT_WAIT, begin);
    }
}

static uint64_t key_of(const struct epochs *e)
{
    return ovl_rng_mix(e->number ^ ovl_rng_mix((uint64_t)e->t->job.rank));
}

static void validate_here(struct epochs *e, uint64_t units)
{
    int64_t begin = ovl_clock_ns();
    for (uint32_t s = 0; s < OVL_POOL_SLICES; s++)
        e->answers[s] = ovl_helper_pool_validate_slice(&e->t->work, ovl_train_parameters(e->t), e->t->pool->sizes.words,
                                                       s, key_of(e), units);
    e->validated = e->t->plays;
    add_time(e, OVL_SPENT_VALIDATE, begin);
}

/* The weights with which the epoch begins, those of the end of the one before, are validated beside it. */
static void start_validation(struct epochs *e)
{
    int64_t begin = ovl_clock_ns();
    ovl_helper_pool_start_validation(e->t->pool, ovl_train_parameters(e->t), key_of(e), e->slice_units);
    e->validated = e->t->plays;
    add_time(e, OVL_SPENT_COPY, begin);
}

/* What stands behind the last step: the batch that the next epoch begins with, and validation. */
static void end_epoch(struct epochs *e, const struct ovl_design *d, uint64_t steps)
{
    int64_t begin = ovl_clock_ns();
    double seconds = 0;
    if (d->loads) {
        ovl_helper_pool_wait_batch(e->t->pool, steps, &seconds);
        add_time(e, OVL_SPENT_STALL, begin);
    }
    begin = ovl_clock_ns();
    if (!d->validates)
        validate_here(e, e->slice_units);
    else {
        ovl_helper_pool_wait_validation(e->t->pool, e->answers, &seconds);
        e->spent[OVL_SPENT_VALIDATE] += seconds;
        add_time(e, OVL_SPENT_WAIT, begin);
    }
}

/* Before the clock starts: the batch with which the epoch begins is there, as behind any other epoch. */
static void begin_loading(struct epochs *e)
{
    double made_in;
    struct ovl_batch b = batch_of(e, 0);
    ovl_helper_pool_set_loading(e->t->pool, &b, e->units);
    ovl_helper_pool_allow_batches(e->t->pool, 1);
    ovl_helper_pool_wait_batch(e->t->pool, 0, &made_in);
}

/* Collective: an epoch of so many steps, which ends early where a helper has ended or a signal has come: then true.
 *seconds are those of the slowest rank. */
static bool play_epoch(struct epochs *e, const struct ovl_design *d, uint64_t steps, double *seconds)
{
    struct ovl_train *t = e->t;
    bool over = false;
    double mine;
    if (d && d->loads)
        begin_loading(e);
    MPI_Barrier(t->job.comm);
    int64_t begin = ovl_clock_ns();
    if (d && d->loads)
        ovl_helper_pool_allow_batches(t->pool, steps + 1);
    if (d && d->validates)
        start_validation(e);
    for (uint64_t k = 0; k < steps && !over; k++) {
        if (d)
            get_batch(e, d, k);
        ovl_train_step(t, e->scheme);
        if (d)
            end_batch(e, d, k);
        if (k % LOOK_EVERY < LOOK_EVERY - 1)
            continue;
        ovl_helper_pool_check_alive(t->pool);
        over = ovl_train_any_rank(t, t->pool->rc != 0 || ovl_interrupt_signal() != 0);
    }
    if (d && !over)
        end_epoch(e, d, steps);
    mine = ovl_clock_since(begin);
    MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, t->job.comm);
    over = ovl_train_any_rank(t, over || t->pool->rc != 0 || ovl_interrupt_signal() != 0);
    ovl_helper_pool_wait_idle(t->pool);
    e->number++;
    return over;
}

static int wrong_batch(const struct epochs *e, uint64_t k, const char *whose, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "wrong data: batch %.0f of epoch %.0f of rank %d, as %s made it",
                         (double)k, (double)e->number, e->t->job.rank, whose);
}

/* Are all batches of the epoch before, the sums of its last step, and the answers about its weights what they must be?
   Each batch is made again; the weights are those of their step. */
static int check(struct epochs *e, const struct ovl_design *d, uint64_t steps, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    e->number--;
    uint64_t key = key_of(e);
    int rc = 0;
    for (uint64_t k = 0; k < steps && rc == 0; k++) {
        struct ovl_batch b = batch_of(e, k);
        size_t from = t->split.on ? t->split.from : b.samples;
        make_samples(e, &b, b.samples, 0);
        if (ovl_batch_crc(&b, 0, from, e->data) != e->crc[k][0])
            rc = wrong_batch(e, k, d->loads ? "its helper" : "it", err);
        else if (t->split.on && ovl_batch_crc(&b, from, b.samples, e->data) != e->crc[k][1])
            rc = wrong_batch(e, k, "its helper", err);
    }
    e->number++;
    if (rc != 0)
        return rc;
    int wrong = t->tiny ? 0 : ovl_train_messages_wrong(t);
    if (wrong > 0)
        return ovl_error_set(err, OVL_WRONG_DATA, "wrong data: --offload %s, rank %d: %d sums of gradients", d->name,
                             t->job.rank, wrong);
    void *weights = ovl_check_alloc(malloc(t->pool->sizes.words * sizeof(uint32_t)));
    ovl_train_exact(t, e->validated, weights);
    for (uint32_t s = 0; s < OVL_POOL_SLICES && rc == 0; s++)
        if (ovl_validation_answer(weights, t->pool->sizes.words, s, OVL_POOL_SLICES, key) != e->answers[s])
            rc = ovl_error_set(err, OVL_WRONG_DATA,
                               "wrong data: validation of rank %d's weights of step %.0f, answer %u, as %s gave it",
                               t->job.rank, (double)e->validated, s, d->validates ? "its helper" : "it");
    free(weights);
    return rc;
}

/* Collective: how large the share of a helper is, by how fast it is, and what it does. */
static int open_split(struct epochs *e, struct ovl_design_epochs *k, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    const double try = 20e-3;
    uint64_t units = ovl_work_units(&t->work, try);
    double rate = ovl_helper_pool_calibrate(t->pool, &t->work, units ? units : 1), all;
    rate = isfinite(rate) ? rate : 0;
    MPI_Allreduce(&rate, &all, 1, MPI_DOUBLE, MPI_MIN, t->job.comm);
    size_t helpers = (size_t)lround((double)e->samples * all / (1 + all));
    helpers = helpers < 1 ? 1 : helpers > e->samples - 1 ? e->samples - 1 : helpers;
    k->rate = all;
    k->samples = e->samples;
    k->from = e->samples - helpers;
    t->split.on = true;
    t->split.from = k->from;
    t->split.rank_part = (double)k->from / (double)e->samples;
    return ovl_agree(t->job.comm, t->pool->rc != 0 ? (*err = t->pool->err, -1) : ovl_train_batch_split_open(t, err),
                     err);
}

/* Collective: an epoch of a kind. -1 where something was wrong, 1 where it is over. */
static int one_epoch(struct epochs *e, struct ovl_design_epochs *k, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    uint64_t steps = t->options.steps_per_epoch;
    double spent[OVL_SPENT_KINDS] = {0}, most[OVL_SPENT_KINDS];
    e->spent = spent;
    t->split.stall = 0;
    if (k->design && k->design->trains && open_split(e, k, err) != 0)
        return -1;
    bool over = play_epoch(e, k->design, steps, &k->seconds[k->n]);
    spent[OVL_SPENT_WAIT] += t->split.stall;
    int rc = t->pool->rc;
    if (rc != 0)
        *err = t->pool->err;
    rc = ovl_agree(t->job.comm, rc, err);
    if (rc == 0 && !over && k->design)
        rc = ovl_agree(t->job.comm, check(e, k->design, steps, err), err);
    t->split.on = false;
    MPI_Allreduce(spent, most, OVL_SPENT_KINDS, MPI_DOUBLE, MPI_MAX, t->job.comm);
    for (int i = 0; i < OVL_SPENT_KINDS; i++)
        k->spent[i][k->n] = most[i];
    k->n++;
    return rc != 0 ? -1 : over;
}

/* Collective: units of augmentation and validation for the shares that were asked for, after what their data take. */
static bool share_phases(struct epochs *e)
{
    const struct ovl_train_options *o = &e->t->options;
    const struct ovl_phases *p = &o->phases;
    uint64_t steps = o->steps_per_epoch < WARM_STEPS ? o->steps_per_epoch : WARM_STEPS;
    double bare, data[2] = {INFINITY, INFINITY}, spent[OVL_SPENT_KINDS] = {0};
    e->spent = spent;
    for (int i = 0; i < 2; i++) /* the first warms up */
        if (play_epoch(e, NULL, steps, &bare))
            return false;
    for (int i = 0; i < 3; i++) {
        int64_t begin = ovl_clock_ns();
        make_own(e, 0, 0);
        data[0] = fmin(data[0], ovl_clock_since(begin));
        begin = ovl_clock_ns();
        validate_here(e, 0);
        data[1] = fmin(data[1], ovl_clock_since(begin));
    }
    MPI_Allreduce(MPI_IN_PLACE, data, 2, MPI_DOUBLE, MPI_MAX, e->t->job.comm);
    double whole = bare / (double)steps / (1 - p->augment - p->validate);
    double augment = fmax(0, p->augment * whole - data[0]);
    double validate = fmax(0, p->validate * whole * (double)o->steps_per_epoch - data[1]);
    e->units = (uint64_t)llround(augment * e->t->work.rate);
    e->slice_units = (uint64_t)llround(validate * e->t->work.rate / OVL_POOL_SLICES);
    return true;
}

/* Collective: all epochs, no kind always first. */
static int play_all(struct epochs *e, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    struct ovl_design_epochs *kinds = ovl_check_alloc(calloc(OVL_DESIGNS + 1, sizeof *kinds));
    size_t n = 1;
    for (size_t d = 0; d < OVL_DESIGNS; d++) {
        const char *name = ovl_designs[d].name;
        if (d == 0 || ovl_options_has_word(t->options.offload, name, strlen(name)))
            kinds[n++].design = &ovl_designs[d];
    }
    ovl_train_start(t);
    ovl_train_exact(t, t->plays, ovl_train_parameters(t));
    int rc = share_phases(e) ? 0 : 1;
    for (uint64_t round = 0; round < t->options.epochs && rc == 0; round++)
        for (size_t i = 0; i < n && rc == 0; i++)
            rc = one_epoch(e, &kinds[(i + round) % n], err);
    if (rc == 0 && t->job.rank == 0)
        t->players[e->scheme].phases = ovl_train_phases(t, kinds, n);
    if (rc > 0 && t->pool->rc != 0)
        *err = t->pool->err;
    rc = rc < 0 ? -1 : ovl_agree(t->job.comm, t->pool->rc, err);
    free(kinds);
    return rc;
}

int ovl_train_helper_epochs(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    if (!o->offload)
        return 0;
    struct epochs e = {
        .t = t, .scheme = scheme, .samples = t->pool->sizes.samples, .bytes = t->pool->sizes.sample_bytes};
    if (e.bytes == 0)
        return ovl_error_set(err, OVL_USAGE, "--offload: model %s has no sample_bytes; add them, or give --dataset",
                             t->model.name);
    t->pool->rank = t->job.rank;
    e.raw = malloc(e.bytes + 1);
    e.data = malloc(e.samples * e.bytes * sizeof *e.data + 1);
    e.crc = malloc((o->steps_per_epoch + 1) * sizeof *e.crc);
    int rc =
        ovl_agree(t->job.comm,
                  e.raw && e.data && e.crc ? 0
                                           : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a batch of %.0f bytes",
                                                           (double)(e.samples * e.bytes)),
                  err);
    if (rc == 0) {
        uint64_t plays = t->plays;
        ovl_offload_wake(&t->job.offload, t->players[scheme].mode->offloads);
        ovl_helper_pool_wait_idle(t->pool);
        rc = play_all(&e, err);
        ovl_offload_wake(&t->job.offload, true);
        t->plays += plays;
    }
    free(e.raw);
    free(e.data);
    free(e.crc);
    return rc;
}
