/* The rank's side: it announces work by a counter for each helper, and waits on one counter for all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/helper_pool.h"
#include "base/clock.h"
#include "base/cpu.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNED = 64, SPIN_NS = 30000, LOOK_NS = 50000000 };

/* The parts of the shared memory, in their order: their places from `base` on, or, where that is NULL, none. Returns
   the bytes of all. */
static size_t lay_out(struct ovl_helper_pool *c, char *base)
{
    const struct ovl_helper_pool_sizes *s = &c->sizes;
    const struct {
        void **part;
        size_t bytes;
    } parts[] = {
        {(void **)&c->shared, sizeof *c->shared},
        {(void **)&c->batches, s->helpers * OVL_POOL_BUFFERS * s->samples * s->sample_bytes * sizeof(float)},
        {(void **)&c->weights, s->words * sizeof *c->weights},
        {(void **)&c->gradients, s->numbers * sizeof *c->gradients},
        {(void **)&c->pieces, s->pieces * sizeof *c->pieces},
        {(void **)&c->entries, s->entries * sizeof *c->entries},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (base)
            *parts[i].part = base + at;
        at += (parts[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return at;
}

double ovl_helper_pool_bytes(const struct ovl_helper_pool_sizes *sizes)
{
    struct ovl_helper_pool none = {.sizes = *sizes};
    return (double)lay_out(&none, NULL);
}

int ovl_helper_pool_open(struct ovl_helper_pool *c, struct ovl_error *err)
{
    c->bytes = lay_out(c, NULL);
    char *base = ovl_helper_memory(c->bytes, err);
    if (!base)
        return -1;
    lay_out(c, base);
    for (size_t h = 0; h < c->sizes.helpers; h++)
        if (ovl_helper_fork(&c->helper[h], ovl_helper_pool_work, c, err) != 0)
            return -1;
    return 0;
}

void ovl_helper_pool_close(struct ovl_helper_pool *c)
{
    for (size_t h = 0; h < c->sizes.helpers; h++)
        ovl_helper_end(&c->helper[h]);
    if (c->shared)
        munmap(c->shared, c->bytes);
    c->shared = NULL;
}

static void call(struct ovl_helper_pool *c, size_t helper)
{
    atomic_fetch_add(&c->shared->work[helper], 1);
    ovl_futex_wake(&c->shared->work[helper]);
}

static void call_all(struct ovl_helper_pool *c)
{
    for (size_t h = 0; h < c->sizes.helpers; h++)
        call(c, h);
}

void ovl_helper_pool_check_alive(struct ovl_helper_pool *c)
{
    for (size_t h = 0; h < c->sizes.helpers && c->rc == 0; h++)
        if (!ovl_helper_lives(&c->helper[h]))
            c->rc = ovl_error_set(&c->err, OVL_ENVIRONMENT,
                                  "helper %zu of rank %d (process %ld) has ended; start the job again", h, c->rank,
                                  (long)c->helper[h].process);
}

/* Waits until *word is `value`: spins for a moment, then sleeps, and looks now and then who lives. */
static void await(struct ovl_helper_pool *c, _Atomic uint64_t *word, uint64_t value)
{
    int64_t begin = ovl_clock_ns(), looked = begin;
    while (c->rc == 0) {
        uint32_t seen = atomic_load(&c->shared->done);
        if (atomic_load(word) == value)
            return;
        int64_t now = ovl_clock_ns();
        if (now - begin < SPIN_NS) {
            ovl_cpu_pause();
            continue;
        }
        if (now - looked >= LOOK_NS) {
            looked = now;
            ovl_helper_pool_check_alive(c);
        }
        ovl_futex_wait(&c->shared->done, seen, LOOK_NS);
    }
}

static void await_rest(struct ovl_helper_pool *c, size_t helper)
{
    while (atomic_load(&c->shared->busy[helper]) != 0 && ovl_helper_lives(&c->helper[helper]))
        ovl_futex_wait(&c->shared->done, atomic_load(&c->shared->done), 1000000);
}

void ovl_helper_pool_wait_idle(struct ovl_helper_pool *c)
{
    struct ovl_helper_pool_shared *s = c->shared;
    atomic_store(&s->resting, 1);
    for (size_t h = 0; h < c->sizes.helpers; h++)
        await_rest(c, h);
    atomic_store(&s->limit, 0);
    atomic_store(&s->slices, 0);
    atomic_store(&s->next_slice, 0);
    atomic_store(&s->slices_done, 0);
    atomic_store(&s->steps_asked, atomic_load(&s->steps_done));
    atomic_store(&s->calibration, 0);
    for (size_t b = 0; b < OVL_POOL_BUFFERS * c->sizes.helpers; b++)
        atomic_store(&s->buffer[b].full, 0);
    for (size_t h = 0; h < c->sizes.helpers; h++)
        s->next[h] = h;
    atomic_store(&s->resting, 0);
}

void ovl_helper_pool_set_loading(struct ovl_helper_pool *c, const struct ovl_batch *first, uint64_t units)
{
    c->shared->batch = *first;
    c->shared->units = units;
}

void ovl_helper_pool_allow_batches(struct ovl_helper_pool *c, uint64_t limit)
{
    atomic_store(&c->shared->limit, limit);
    call_all(c);
}

static size_t buffer_of(const struct ovl_helper_pool *c, uint64_t k)
{
    return (size_t)(k % (OVL_POOL_BUFFERS * c->sizes.helpers));
}

const float *ovl_helper_pool_wait_batch(struct ovl_helper_pool *c, uint64_t k, double *made_in)
{
    size_t b = buffer_of(c, k);
    await(c, &c->shared->buffer[b].full, k + 1);
    if (c->rc != 0)
        return NULL;
    *made_in = c->shared->buffer[b].seconds;
    return c->batches + b * c->sizes.samples * c->sizes.sample_bytes;
}

void ovl_helper_pool_release_batch(struct ovl_helper_pool *c, uint64_t k)
{
    atomic_store(&c->shared->buffer[buffer_of(c, k)].full, 0);
    call(c, (size_t)(k % c->sizes.helpers)); /* who fills it next */
}

void ovl_helper_pool_start_validation(struct ovl_helper_pool *c, const void *weights, uint64_t key,
                                      uint64_t slice_units)
{
    memcpy(c->weights, weights, c->sizes.words * sizeof *c->weights);
    c->shared->key = key;
    c->shared->slice_units = slice_units;
    atomic_store(&c->shared->slices, OVL_POOL_SLICES);
    call_all(c);
}

void ovl_helper_pool_wait_validation(struct ovl_helper_pool *c, uint32_t *answers, double *seconds)
{
    await(c, &c->shared->slices_done, OVL_POOL_SLICES);
    memcpy(answers, c->shared->answers, sizeof c->shared->answers);
    *seconds = 0;
    for (int i = 0; i < OVL_POOL_SLICES; i++)
        *seconds += c->shared->slice_seconds[i];
}

void ovl_helper_pool_start_step(struct ovl_helper_pool *c, uint64_t step, const struct ovl_batch *batch, uint64_t units)
{
    c->shared->batch = *batch;
    c->shared->units = units;
    atomic_store(&c->shared->steps_asked, step + 1);
    call(c, 0);
}

const float *ovl_helper_pool_wait_gradients(struct ovl_helper_pool *c, uint64_t step, size_t entry)
{
    await(c, &c->entries[entry].there, step + 1);
    return c->gradients + c->entries[entry].at;
}

void ovl_helper_pool_wait_step(struct ovl_helper_pool *c, uint64_t step, double *seconds)
{
    await(c, &c->shared->steps_done, step + 1);
    *seconds = c->shared->share_seconds;
}

double ovl_helper_pool_calibrate(struct ovl_helper_pool *c, const struct ovl_work *work, uint64_t units)
{
    atomic_store(&c->shared->calibration_done, 0);
    atomic_store(&c->shared->calibration, units);
    call(c, 0);
    int64_t begin = ovl_clock_ns();
    work->kernel->run(work->scratch, units);
    double seconds = ovl_clock_since(begin);
    await(c, &c->shared->calibration_done, units);
    return c->rc == 0 ? seconds / c->shared->calibration_seconds : NAN;
}
