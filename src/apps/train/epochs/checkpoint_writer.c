/* One checkpoint is under way at a time; the next one waits for its end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/checkpoint_writer.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ovl_checkpoint_mode_words[OVL_CHECKPOINT_MODES] = {"none", "root", "thread", "helper", "sharded"};

void ovl_checkpoint_writer_begin(struct ovl_checkpoint_writer *k, enum ovl_checkpoint_mode mode)
{
    k->mode = mode;
    k->stall_seconds = k->persist_seconds = k->bytes = 0;
    k->count = 0;
    ovl_intervals_start(&k->intervals);
}

/* The part that this rank writes; false: none. */
static bool part_of(const struct ovl_checkpoint_writer *k, struct ovl_checkpoint *c)
{
    bool sharded = k->mode == OVL_CHECKPOINT_SHARDED;
    uint64_t ranks = sharded ? (uint64_t)k->ranks : 1, rank = sharded ? (uint64_t)k->rank : 0;
    *c = k->whole;
    c->parts = (uint32_t)ranks;
    c->part = (uint32_t)rank;
    c->first = c->all / ranks * rank + (rank < c->all % ranks ? rank : c->all % ranks);
    c->count = c->all / ranks + (rank < c->all % ranks);
    return k->mode != OVL_CHECKPOINT_NONE && (sharded || k->rank == 0);
}

static bool same(const struct ovl_checkpoint *a, const struct ovl_checkpoint *b)
{
    return a->step == b->step && a->part == b->part && a->parts == b->parts;
}

/* It is on disk: the oldest of three goes. */
static void persisted(struct ovl_checkpoint_writer *k, const struct ovl_helper_answer *answer)
{
    k->persist_seconds += answer->seconds;
    ovl_intervals_add(&k->intervals, OVL_SPAN_PERSIST,
                      k->mode == OVL_CHECKPOINT_THREAD || k->mode == OVL_CHECKPOINT_HELPER, answer->begin,
                      answer->begin + (int64_t)(1e9 * answer->seconds));
    if (answer->rc != 0) {
        k->rc = -1;
        k->err = answer->err;
        return;
    }
    k->count++;
    k->bytes += (double)(k->present.count * k->present.element);
    const struct ovl_checkpoint *old = &k->kept[1];
    if (same(&k->kept[0], &k->present))
        return;
    if (old->parts && !same(old, &k->present))
        ovl_checkpoint_remove(k->folder, old->step, old->part, old->parts);
    k->kept[1] = k->kept[0];
    k->kept[0] = k->present;
}

static void write_it(struct ovl_checkpoint_writer *k, const void *data)
{
    k->answer.begin = ovl_clock_ns();
    k->answer.rc = ovl_checkpoint_write(k->folder, &k->present, data, &k->answer.err);
    k->answer.seconds = ovl_clock_since(k->answer.begin);
}

static void *in_thread(void *writer)
{
    struct ovl_checkpoint_writer *k = writer;
    write_it(k, k->copy);
    return NULL;
}

static void finish(struct ovl_checkpoint_writer *k)
{
    int64_t begin = ovl_clock_ns();
    if (!k->busy)
        return;
    k->busy = false;
    if (k->mode == OVL_CHECKPOINT_THREAD)
        pthread_join(k->thread, NULL);
    else if (ovl_helper_answer(k->helper, k->rank, &k->answer, &k->err) != 0) {
        k->rc = -1;
        return;
    }
    ovl_intervals_add(&k->intervals, OVL_SPAN_STALL, false, begin, ovl_clock_ns());
    persisted(k, &k->answer);
}

static int fail(struct ovl_checkpoint_writer *k, const char *what)
{
    return ovl_error_set(&k->err, OVL_ENVIRONMENT, "--checkpoint %s: %s", ovl_checkpoint_mode_words[k->mode], what);
}

/* From a copy, beside the steps that follow. */
static int hand_over(struct ovl_checkpoint_writer *k, const char *data)
{
    size_t bytes = k->present.count * k->present.element;
    if (k->mode == OVL_CHECKPOINT_HELPER) {
        struct ovl_helper_ask ask = {.checkpoint = k->present};
        snprintf(ask.folder, sizeof ask.folder, "%.199s", k->folder);
        memcpy(k->helper->shared, data, bytes);
        return ovl_helper_ask(k->helper, k->rank, &ask, &k->err);
    }
    k->copy = k->copy ? k->copy : malloc(bytes + 1);
    if (!k->copy)
        return fail(k, "no memory for a copy of the parameters");
    memcpy(k->copy, data, bytes);
    return pthread_create(&k->thread, NULL, in_thread, k) == 0 ? 0 : fail(k, "cannot start a thread");
}

void ovl_checkpoint_writer_write(struct ovl_checkpoint_writer *k, uint64_t step, const void *data)
{
    struct ovl_checkpoint part;
    int64_t begin = ovl_clock_ns();
    if (!part_of(k, &part))
        return;
    ovl_intervals_pause(&k->intervals);
    finish(k); /* the one before */
    if (k->rc == 0) {
        const char *from = (const char *)data + part.first * part.element;
        part.step = step;
        k->present = part;
        if (k->mode == OVL_CHECKPOINT_ROOT || k->mode == OVL_CHECKPOINT_SHARDED) {
            write_it(k, from);
            persisted(k, &k->answer);
        } else {
            int64_t copies = ovl_clock_ns();
            k->rc = hand_over(k, from);
            k->busy = k->rc == 0;
            ovl_intervals_add(&k->intervals, OVL_SPAN_SNAPSHOT, false, copies, ovl_clock_ns());
        }
    }
    k->stall_seconds += ovl_clock_since(begin);
    ovl_intervals_resume(&k->intervals);
}

void ovl_checkpoint_writer_finish(struct ovl_checkpoint_writer *k)
{
    int64_t begin = ovl_clock_ns();
    ovl_intervals_pause(&k->intervals);
    if (k->busy) {
        finish(k);
        k->stall_seconds += ovl_clock_since(begin);
    }
}

void ovl_checkpoint_writer_close(struct ovl_checkpoint_writer *k)
{
    ovl_checkpoint_writer_finish(k);
    free(k->copy);
    k->copy = NULL;
}
