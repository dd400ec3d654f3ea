/* The thread plays the order, use by use; a read that came sooner than the rate allows is held back, as by a slow disk,
   which does nothing while nobody asks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/input/reader.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double ovl_reader_bytes(const struct ovl_data_set *set, size_t batch, uint32_t room)
{
    return (double)set->stored * ((double)OVL_READER_BATCHES * (double)batch + room);
}

static void hold_back(struct ovl_reader *r, int64_t began)
{
    if (!(r->rate > 0))
        return;
    r->free_at = (r->free_at > began ? r->free_at : began) + llround(1e9 * (double)r->set->stored / r->rate);
    for (int64_t left; (left = r->free_at - ovl_clock_ns()) > 0;) {
        struct timespec t = {left / 1000000000, left % 1000000000};
        nanosleep(&t, NULL);
    }
}

/* What came of a sample. */
struct brought {
    uint64_t reads, hits, bytes;
    double seconds;
};

static int bring(struct ovl_reader *r, const struct ovl_order_use *use, char *to, struct brought *b,
                 struct ovl_error *err)
{
    size_t stored = r->set->stored;
    char *slot = use->slot == OVL_ORDER_NO_SLOT ? NULL : r->slots + use->slot * stored;
    if (use->hit) {
        memcpy(to, slot, stored);
        b->hits++;
        return 0;
    }
    int64_t began = ovl_clock_ns();
    uint64_t before = r->file.bytes;
    if (ovl_data_set_read(r->set, &r->file, use->sample, to, err) != 0)
        return -1;
    hold_back(r, began);
    b->seconds += ovl_clock_since(began);
    b->reads++;
    b->bytes += r->file.bytes - before;
    if (slot)
        memcpy(slot, to, stored);
    return 0;
}

static void note(struct ovl_reader *r, const struct brought *b, int rc, const struct ovl_error *err)
{
    r->reads += b->reads;
    r->hits += b->hits;
    r->bytes += b->bytes;
    r->read_seconds += b->seconds;
    r->made += rc == 0;
    if (rc != 0) {
        r->failed = true;
        r->err = *err;
    }
    pthread_cond_broadcast(&r->changed);
}

static bool has_work(const struct ovl_reader *r)
{
    return r->begun > r->epoch && r->made < r->order->steps && r->made < r->released + OVL_READER_BATCHES && !r->failed;
}

static void *read_batches(void *of)
{
    struct ovl_reader *r = of;
    pthread_mutex_lock(&r->lock);
    while (!r->leaves) {
        if (!has_work(r)) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        uint64_t k = r->made;
        const struct ovl_order_use *uses = ovl_order_batch(r->order, r->epoch, k);
        char *to = r->batches + k % OVL_READER_BATCHES * r->order->batch * r->set->stored;
        struct brought b = {.reads = 0};
        struct ovl_error err;
        int rc = 0;
        pthread_mutex_unlock(&r->lock);
        for (size_t i = 0; i < r->order->batch && rc == 0; i++)
            rc = bring(r, &uses[i], to + i * r->set->stored, &b, &err);
        pthread_mutex_lock(&r->lock);
        note(r, &b, rc, &err);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

int ovl_reader_open(struct ovl_reader *r, const struct ovl_data_set *set, const struct ovl_order *order, uint32_t room,
                    double rate, struct ovl_error *err)
{
    void *slots = NULL, *batches = NULL;
    *r = (struct ovl_reader){.set = set, .order = order, .rate = rate};
    int no_slots = posix_memalign(&slots, OVL_DATA_SET_BLOCK, (size_t)(room + 1) * set->stored);
    int no_batches = posix_memalign(&batches, OVL_DATA_SET_BLOCK, OVL_READER_BATCHES * order->batch * set->stored);
    r->slots = no_slots ? NULL : slots;
    r->batches = no_batches ? NULL : batches;
    if (no_slots || no_batches)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a buffer of %.0f records of %.0f bytes", (double)room,
                             (double)set->bytes);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->running = pthread_create(&r->thread, NULL, read_batches, r) == 0;
    return r->running ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a thread that reads");
}

void ovl_reader_close(struct ovl_reader *r)
{
    if (r->running) {
        pthread_mutex_lock(&r->lock);
        r->leaves = true;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
        pthread_mutex_destroy(&r->lock);
        pthread_cond_destroy(&r->changed);
    }
    ovl_data_set_close(&r->file);
    free(r->slots);
    free(r->batches);
    *r = (struct ovl_reader){.set = NULL};
}

void ovl_reader_begin(struct ovl_reader *r)
{
    pthread_mutex_lock(&r->lock);
    r->epoch = r->begun++;
    r->made = r->released = 0;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

const char *ovl_reader_wait(struct ovl_reader *r, uint64_t k)
{
    pthread_mutex_lock(&r->lock);
    while (r->made <= k && !r->failed)
        pthread_cond_wait(&r->changed, &r->lock);
    bool there = r->made > k;
    pthread_mutex_unlock(&r->lock);
    return there ? r->batches + k % OVL_READER_BATCHES * r->order->batch * r->set->stored : NULL;
}

void ovl_reader_release(struct ovl_reader *r, uint64_t k)
{
    pthread_mutex_lock(&r->lock);
    r->released = k + 1;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

bool ovl_reader_failed(struct ovl_reader *r, struct ovl_error *err)
{
    pthread_mutex_lock(&r->lock);
    bool failed = r->failed;
    if (failed)
        *err = r->err;
    pthread_mutex_unlock(&r->lock);
    return failed;
}
