/* The helper's side: it looks for work of each kind in turn, and sleeps on its counter where there is none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/helper_pool.h"
#include "apps/train/values/whole.h"
#include "base/clock.h"
#include "base/cpu.h"

#include <stdlib.h>

enum { SLEEP_NS = 1000000000 };
static const double least_pause = 200e-6; /* a sleep shorter than that is mostly its own overhead */

void ovl_helper_pool_make_samples(const struct ovl_sample_maker *m, const struct ovl_batch *b, size_t from, size_t to,
                                  uint64_t units)
{
    for (size_t s = from; s < to; s++) {
        int64_t begin = ovl_clock_ns();
        uint64_t n = units * (s + 1) / b->samples - units * s / b->samples;
        ovl_batch_make(b, s, m->raw, m->data);
        if (n > 0)
            m->work->kernel->run(m->work->scratch, n);
        if (m->pause)
            m->pause(ovl_clock_since(begin), m->of);
    }
}

uint32_t ovl_helper_pool_validate_slice(const struct ovl_work *work, const uint32_t *weights, size_t words,
                                        uint32_t slice, uint64_t key, uint64_t units)
{
    uint32_t answer = ovl_validation_answer(weights, words, slice, OVL_POOL_SLICES, key);
    if (units > 0)
        work->kernel->run(work->scratch, units);
    return answer;
}

/* A helper. */
struct member {
    struct ovl_helper_pool *pool;
    struct ovl_helper_pool_shared *shared;
    size_t number;
    struct ovl_work work;
    uint8_t *raw;
    double owed; /* seconds that it still has to be slower */
};

/* Be as slow as the slowdown says, after so many seconds of work. */
static void pause_for(double seconds, void *of)
{
    struct member *m = of;
    m->owed += (m->pool->slowdown - 1) * seconds;
    if (m->owed < least_pause)
        return;
    int64_t begin = ovl_clock_ns();
    struct timespec t = {(time_t)m->owed, (long)(1e9 * (m->owed - (double)(time_t)m->owed))};
    nanosleep(&t, NULL);
    m->owed -= ovl_clock_since(begin);
}

static void report_done(struct member *m)
{
    atomic_fetch_add(&m->shared->done, 1);
    ovl_futex_wake(&m->shared->done);
}

static bool make_batch(struct member *m)
{
    struct ovl_helper_pool_shared *s = m->shared;
    uint64_t k = s->next[m->number];
    size_t n = OVL_POOL_BUFFERS * m->pool->sizes.helpers, at = (size_t)(k % n);
    if (k >= atomic_load(&s->limit) || atomic_load(&s->buffer[at].full) != 0)
        return false;
    int64_t begin = ovl_clock_ns();
    struct ovl_batch b = s->batch;
    float *data = m->pool->batches + at * b.samples * b.bytes;
    b.first += k * b.samples;
    ovl_helper_pool_make_samples(&(struct ovl_sample_maker){&m->work, m->raw, data, pause_for, m}, &b, 0, b.samples,
                                 s->units);
    s->buffer[at].seconds = ovl_clock_since(begin);
    s->next[m->number] = k + m->pool->sizes.helpers;
    atomic_store(&s->buffer[at].full, k + 1);
    return true;
}

static bool make_slice(struct member *m)
{
    struct ovl_helper_pool_shared *s = m->shared;
    uint64_t slice = atomic_load(&s->next_slice);
    if (slice >= atomic_load(&s->slices) || !atomic_compare_exchange_strong(&s->next_slice, &slice, slice + 1))
        return false;
    int64_t begin = ovl_clock_ns();
    s->answers[slice] = ovl_helper_pool_validate_slice(&m->work, m->pool->weights, m->pool->sizes.words,
                                                       (uint32_t)slice, s->key, s->slice_units);
    pause_for(ovl_clock_since(begin), m);
    s->slice_seconds[slice] = ovl_clock_since(begin);
    atomic_fetch_add(&s->slices_done, 1);
    return true;
}

static void make_piece(struct member *m, const struct ovl_helper_pool_piece *p, uint64_t step)
{
    int64_t begin = ovl_clock_ns();
    if (p->units > 0)
        m->work.kernel->run(m->work.scratch, p->units);
    for (uint32_t i = 0; i < p->count; i++) {
        struct ovl_helper_pool_gradients *g = &m->pool->entries[p->makes + i];
        ovl_train_whole_fill(&ovl_numbers[OVL_F32], m->pool->gradients + g->at, g->numbers, g->key, g->rank, g->ranks);
    }
    pause_for(ovl_clock_since(begin), m);
    for (uint32_t i = 0; i < p->count; i++)
        atomic_store(&m->pool->entries[p->makes + i].there, step + 1);
    if (p->count > 0)
        report_done(m);
}

static bool make_share(struct member *m)
{
    struct ovl_helper_pool_shared *s = m->shared;
    uint64_t step = atomic_load(&s->steps_done);
    if (m->number != 0 || atomic_load(&s->steps_asked) == step)
        return false;
    int64_t begin = ovl_clock_ns();
    const struct ovl_batch *b = &s->batch;
    const struct ovl_sample_maker maker = {&m->work, m->raw, m->pool->batches, pause_for, m};
    ovl_helper_pool_make_samples(&maker, b, s->from, b->samples, s->units);
    for (uint32_t i = 0; i < s->pieces; i++)
        make_piece(m, &m->pool->pieces[i], atomic_load(&s->steps_asked) - 1);
    s->share_seconds = ovl_clock_since(begin);
    atomic_store(&s->steps_done, atomic_load(&s->steps_asked));
    return true;
}

static bool calibration(struct member *m)
{
    struct ovl_helper_pool_shared *s = m->shared;
    uint64_t units = atomic_load(&s->calibration);
    if (m->number != 0 || units == 0 || atomic_load(&s->calibration_done) == units)
        return false;
    int64_t begin = ovl_clock_ns();
    for (int i = 0; i < 16; i++) { /* in pieces, as its other work */
        int64_t from = ovl_clock_ns();
        m->work.kernel->run(m->work.scratch, units * (uint64_t)(i + 1) / 16 - units * (uint64_t)i / 16);
        pause_for(ovl_clock_since(from), m);
    }
    s->calibration_seconds = ovl_clock_since(begin);
    atomic_store(&s->calibration_done, units);
    return true;
}

void ovl_helper_pool_work(const struct ovl_helper *h, void *pool)
{
    struct ovl_helper_pool *c = pool;
    struct member m = {.pool = c, .shared = c->shared, .number = (size_t)(h - c->helper)};
    struct ovl_error err;
    m.raw = malloc(c->sizes.sample_bytes + 1);
    if (!m.raw || ovl_work_open(&m.work, c->kernel, &err) != 0)
        return; /* the rank sees that */
    for (;;) {
        uint32_t seen = atomic_load(&m.shared->work[m.number]);
        bool did = false;
        atomic_store(&m.shared->busy[m.number], 1);
        if (atomic_load(&m.shared->resting) == 0)
            did = make_share(&m) || make_batch(&m) || make_slice(&m) || calibration(&m);
        atomic_store(&m.shared->busy[m.number], 0);
        if (did)
            report_done(&m);
        else
            ovl_futex_wait(&m.shared->work[m.number], seen, SLEEP_NS);
    }
}
