/* Epochs of each design in turns, all timed. In the clock a rank looks at a place of each sample; after the epoch each
   batch, sum and answer is made again, and compared: the last batch as a whole. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/loops/helper_epochs.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_STEPS = 10 };

/* What a scheme's epochs have in common. */
struct epochs {
    struct ovl_train *t;
    int scheme;
    size_t samples, bytes; /* of a batch, and of a sample */
    uint64_t number;       /* of the epoch */
    uint64_t units, slice_units;
    uint8_t *raw;
    float *data;
    const float *last;    /* the batch with which the next epoch would begin, as its helper made it */
    uint32_t (*spots)[2]; /* [steps + 1]: of the rank's samples, and of its helper's */
    uint32_t answers[OVL_POOL_SLICES];
    uint64_t validated; /* the step after which the weights were those that were validated */
    double *spent;
};

static const struct ovl_design *design_of(const struct ovl_turns_kind *kind)
{
    return ((const struct ovl_design_epochs *)kind->what)->design;
}

static void add_time(struct epochs *e, enum ovl_spent on, int64_t begin)
{
    e->spent[on] += ovl_clock_since(begin);
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

/* Samples of a batch that the rank makes itself: all, or those before the first of its helper. */
static size_t own(const struct epochs *e)
{
    return e->t->split.on ? e->t->split.from : e->samples;
}

/* A look at the samples of batch k: which of them, and by whom. */
static void look(struct epochs *e, uint64_t k, bool helpers, size_t from, size_t to, const float *data)
{
    int64_t begin = ovl_clock_ns();
    struct ovl_batch b = batch_of(e, k);
    e->spots[k][helpers] = ovl_batch_spots(&b, from, to, data);
    add_time(e, OVL_SPENT_CHECK, begin);
}

static void get_batch(void *of, struct ovl_turns_kind *kind, uint64_t k)
{
    struct epochs *e = of;
    const struct ovl_design *d = design_of(kind);
    struct ovl_batch b = batch_of(e, k);
    int64_t begin = ovl_clock_ns();
    double made_in = 0;
    if (!d)
        return;
    if (d->loads) {
        const float *data = ovl_helper_pool_wait_batch(e->t->pool, k, &made_in);
        add_time(e, OVL_SPENT_STALL, begin);
        e->spent[OVL_SPENT_AUGMENT] += made_in;
        if (data)
            look(e, k, false, 0, b.samples, data);
        return;
    }
    if (d->trains)
        ovl_train_batch_split_begin(e->t, &b, e->units);
    make_samples(e, &b, own(e), e->units);
    add_time(e, OVL_SPENT_AUGMENT, begin);
    add_time(e, OVL_SPENT_STALL, begin);
    look(e, k, false, 0, own(e), e->data);
}

/* After the step: the buffer may be filled again. */
static uint64_t end_batch(void *of, struct ovl_turns_kind *kind, uint64_t k)
{
    struct epochs *e = of;
    const struct ovl_design *d = design_of(kind);
    double seconds = 0;
    int64_t begin = ovl_clock_ns();
    if (d && d->loads)
        ovl_helper_pool_release_batch(e->t->pool, k);
    if (d && d->trains) {
        ovl_helper_pool_wait_step(e->t->pool, e->t->split.step, &seconds);
        add_time(e, OVL_SPENT_WAIT, begin);
        look(e, k, true, own(e), e->samples, e->t->pool->batches);
    }
    return k + 1;
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
static void finish_epoch(void *of, struct ovl_turns_kind *kind)
{
    struct epochs *e = of;
    const struct ovl_design *d = design_of(kind);
    int64_t begin = ovl_clock_ns();
    double seconds = 0;
    if (!d)
        return;
    if (d->loads) {
        e->last = ovl_helper_pool_wait_batch(e->t->pool, kind->steps, &seconds);
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

/* Collective: how large the share of a helper is, by how fast it is, and what it does. */
static int open_split(struct epochs *e, struct ovl_design_epochs *d, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    const double try = 20e-3;
    uint64_t units = ovl_work_units(&t->work, try);
    double rate = ovl_helper_pool_calibrate(t->pool, &t->work, units ? units : 1), all;
    rate = isfinite(rate) ? rate : 0;
    MPI_Allreduce(&rate, &all, 1, MPI_DOUBLE, MPI_MIN, t->job.comm);
    size_t helpers = (size_t)lround((double)e->samples * all / (1 + all));
    helpers = helpers < 1 ? 1 : helpers > e->samples - 1 ? e->samples - 1 : helpers;
    d->rate = all;
    d->samples = e->samples;
    d->from = e->samples - helpers;
    t->split.on = true;
    t->split.from = d->from;
    t->split.rank_part = (double)d->from / (double)e->samples;
    return ovl_agree(t->job.comm, t->pool->rc != 0 ? (*err = t->pool->err, -1) : ovl_train_batch_split_open(t, err),
                     err);
}

/* Before the clock starts: the batch with which the epoch begins is there, as behind any other epoch. */
static int begin_epoch(void *of, struct ovl_turns_kind *kind, struct ovl_error *err)
{
    struct epochs *e = of;
    struct ovl_design_epochs *d = kind->what;
    double made_in;
    e->spent = kind->spent;
    e->last = NULL;
    e->number++;
    e->t->split.on = false;
    e->t->split.stall = 0;
    if (!d->design)
        return 0;
    if (d->design->trains && open_split(e, d, err) != 0)
        return -1;
    if (d->design->loads) {
        struct ovl_batch b = batch_of(e, 0);
        ovl_helper_pool_set_loading(e->t->pool, &b, e->units);
        ovl_helper_pool_allow_batches(e->t->pool, 1);
        ovl_helper_pool_wait_batch(e->t->pool, 0, &made_in);
    }
    return 0;
}

static void start_epoch(void *of, struct ovl_turns_kind *kind)
{
    struct epochs *e = of;
    const struct ovl_design *d = design_of(kind);
    if (d && d->loads)
        ovl_helper_pool_allow_batches(e->t->pool, kind->steps + 1);
    if (d && d->validates)
        start_validation(e);
}

static int end_epoch(void *of, struct ovl_turns_kind *kind, struct ovl_error *err)
{
    struct epochs *e = of;
    (void)kind;
    ovl_helper_pool_wait_idle(e->t->pool);
    e->spent[OVL_SPENT_WAIT] += e->t->split.stall;
    return e->t->pool->rc == 0 ? 0 : (*err = e->t->pool->err, -1);
}

static bool has_failed(void *of)
{
    struct epochs *e = of;
    ovl_helper_pool_check_alive(e->t->pool);
    return e->t->pool->rc != 0;
}

static int wrong(void *of)
{
    return ovl_train_epoch_wrong(((struct epochs *)of)->t);
}

static void play_step(void *of)
{
    struct epochs *e = of;
    ovl_train_step(e->t, e->scheme);
}

static int wrong_batch(const struct epochs *e, uint64_t k, const char *whose, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "wrong data: batch %.0f of epoch %.0f of rank %d, as %s made it",
                         (double)k, (double)e->number, e->t->job.rank, whose);
}

/* Samples from `from` to the one before `to` of batch k, all of them, as they lie in `data`. */
static int check_whole(const struct epochs *e, uint64_t k, size_t from, size_t to, const float *data, const char *whose,
                       struct ovl_error *err)
{
    struct ovl_batch b = batch_of(e, k);
    uint32_t there = ovl_batch_crc(&b, from, to, data);
    make_samples(e, &b, to, 0);
    return there == ovl_batch_crc(&b, from, to, e->data) ? 0 : wrong_batch(e, k, whose, err);
}

static int check_batches(const struct epochs *e, const struct ovl_design *d, uint64_t steps, struct ovl_error *err)
{
    size_t from = own(e);
    const char *whose = d->loads ? "its helper" : "it";
    int rc = d->loads ? (e->last ? check_whole(e, steps, 0, e->samples, e->last, whose, err) : 0)
                      : check_whole(e, steps - 1, 0, from, e->data, whose, err);
    if (rc == 0 && from < e->samples)
        rc = check_whole(e, steps - 1, from, e->samples, e->t->pool->batches, "its helper", err);
    for (uint64_t k = 0; k < steps && rc == 0; k++) {
        struct ovl_batch b = batch_of(e, k);
        make_samples(e, &b, b.samples, 0);
        if (ovl_batch_spots(&b, 0, from, e->data) != e->spots[k][0])
            rc = wrong_batch(e, k, whose, err);
        else if (from < e->samples && ovl_batch_spots(&b, from, b.samples, e->data) != e->spots[k][1])
            rc = wrong_batch(e, k, "its helper", err);
    }
    return rc;
}

/* Are the batches of the epoch and the answers about its weights what they must be? Each
   batch is made again; the weights are those of their step. */
static int check(struct epochs *e, const struct ovl_design *d, uint64_t steps, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    uint64_t key = key_of(e);
    if (check_batches(e, d, steps, err) != 0)
        return -1;
    void *weights = ovl_check_alloc(malloc(t->pool->sizes.words * sizeof(uint32_t)));
    ovl_train_exact(t, e->validated, weights);
    int rc = 0;
    for (uint32_t s = 0; s < OVL_POOL_SLICES && rc == 0; s++)
        if (ovl_validation_answer(weights, t->pool->sizes.words, s, OVL_POOL_SLICES, key) != e->answers[s])
            rc = ovl_error_set(err, OVL_WRONG_DATA,
                               "wrong data: validation of rank %d's weights of step %.0f, answer %u, as %s gave it",
                               t->job.rank, (double)e->validated, s, d->validates ? "its helper" : "it");
    free(weights);
    return rc;
}

static int check_epoch(void *of, struct ovl_turns_kind *kind, struct ovl_error *err)
{
    struct epochs *e = of;
    const struct ovl_design *d = design_of(kind);
    return d ? check(e, d, kind->steps, err) : 0;
}

static const struct ovl_turns_hooks hooks = {.begin = begin_epoch,
                                             .start = start_epoch,
                                             .before = get_batch,
                                             .after = end_batch,
                                             .finish = finish_epoch,
                                             .end = end_epoch,
                                             .check = check_epoch};

/* Collective: units of augmentation and validation for the shares that were asked for, after what their data take. */
static bool share_phases(struct epochs *e, const struct ovl_turns *turns, struct ovl_turns_kind *bare)
{
    const struct ovl_train_options *o = &e->t->options;
    const struct ovl_phases *p = &o->phases;
    uint64_t steps = o->steps_per_epoch < WARM_STEPS ? o->steps_per_epoch : WARM_STEPS;
    struct ovl_batch b = batch_of(e, 0);
    double seconds, data[2] = {INFINITY, INFINITY};
    e->spent = bare->spent;
    for (int i = 0; i < 2; i++) /* the first warms up */
        if (ovl_turns_play(turns, bare, steps, &seconds))
            return false;
    for (int i = 0; i < 3; i++) {
        int64_t begin = ovl_clock_ns();
        make_samples(e, &b, b.samples, 0);
        data[0] = fmin(data[0], ovl_clock_since(begin));
        begin = ovl_clock_ns();
        validate_here(e, 0);
        data[1] = fmin(data[1], ovl_clock_since(begin));
    }
    MPI_Allreduce(MPI_IN_PLACE, data, 2, MPI_DOUBLE, MPI_MAX, e->t->job.comm);
    double whole = seconds / (double)steps / (1 - p->augment - p->validate);
    double augment = fmax(0, p->augment * whole - data[0]);
    double validate = fmax(0, p->validate * whole * (double)o->steps_per_epoch - data[1]);
    e->units = (uint64_t)llround(augment * e->t->work.rate);
    e->slice_units = (uint64_t)llround(validate * e->t->work.rate / OVL_POOL_SLICES);
    return true;
}

static int play_all(struct epochs *e, struct ovl_error *err)
{
    struct ovl_train *t = e->t;
    struct ovl_design_epochs designs[OVL_DESIGNS + 1] = {{.design = NULL}};
    struct ovl_turns_kind kinds[OVL_DESIGNS + 1];
    struct ovl_turns turns = {.comm = t->job.comm, .of = e, .step = play_step, .wrong = wrong, .failed = has_failed};
    size_t n = 1;
    for (size_t d = 0; d < OVL_DESIGNS; d++) {
        const char *name = ovl_designs[d].name;
        if (d == 0 || ovl_options_has_word(t->options.offload, name, strlen(name)))
            designs[n++].design = &ovl_designs[d];
    }
    for (size_t i = 0; i < n; i++)
        kinds[i] = (struct ovl_turns_kind){.hooks = &hooks, .what = &designs[i], .steps = t->options.steps_per_epoch};
    ovl_train_start(t);
    ovl_train_exact(t, t->plays, ovl_train_parameters(t));
    int rc = share_phases(e, &turns, &kinds[0]) ? ovl_turns_play_all(&turns, kinds, n, t->options.epochs, err) : 1;
    if (rc == 0 && t->job.rank == 0)
        t->players[e->scheme].phases = ovl_train_phases(t, kinds, n);
    if (rc > 0 && t->pool->rc != 0)
        *err = t->pool->err;
    return rc < 0 ? -1 : ovl_agree(t->job.comm, t->pool->rc, err);
}

int ovl_train_helper_epochs(struct ovl_train *t, int scheme, struct ovl_error *err)
{
    const struct ovl_train_options *o = &t->options;
    if (!o->offload)
        return 0;
    struct epochs e = {
        .t = t, .scheme = scheme, .samples = t->pool->sizes.samples, .bytes = t->pool->sizes.sample_bytes};
    if (e.bytes == 0)
        return ovl_error_set(err, OVL_USAGE, "--offload: model %s has no sample_bytes; add them, or give --records",
                             t->model.name);
    t->pool->rank = t->job.rank;
    e.raw = malloc(e.bytes + 1);
    e.data = malloc(e.samples * e.bytes * sizeof *e.data + 1);
    e.spots = malloc((o->steps_per_epoch + 1) * sizeof *e.spots);
    int rc = ovl_agree(
        t->job.comm,
        e.raw && e.data && e.spots
            ? 0
            : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a batch of %.0f bytes", (double)(e.samples * e.bytes)),
        err);
    if (rc == 0) {
        uint64_t plays = t->plays;
        ovl_offload_wake(&t->job.offload, t->players[scheme].mode->offloads);
        ovl_helper_pool_wait_idle(t->pool);
        rc = play_all(&e, err);
        t->split.on = false;
        ovl_offload_wake(&t->job.offload, true);
        t->plays += plays;
    }
    free(e.raw);
    free(e.data);
    free(e.spots);
    return rc;
}
