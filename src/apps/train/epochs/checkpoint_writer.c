/* One checkpoint is under way at a time; the next one waits for its end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/checkpoint_writer.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_checkpoint_mode_row ovl_checkpoint_modes[OVL_CHECKPOINT_MODES] = {
    [OVL_CHECKPOINT_NONE] = {"none", false, OVL_CHECKPOINT_BY_RANK},
    [OVL_CHECKPOINT_ROOT] = {"root", false, OVL_CHECKPOINT_BY_RANK},
    [OVL_CHECKPOINT_THREAD] = {"thread", false, OVL_CHECKPOINT_BY_THREAD},
    [OVL_CHECKPOINT_HELPER] = {"helper", false, OVL_CHECKPOINT_BY_HELPER},
    [OVL_CHECKPOINT_SHARDED] = {"sharded", true, OVL_CHECKPOINT_BY_RANK},
    [OVL_CHECKPOINT_SHARDED_THREAD] = {"sharded-thread", true, OVL_CHECKPOINT_BY_THREAD},
    [OVL_CHECKPOINT_SHARDED_HELPER] = {"sharded-helper", true, OVL_CHECKPOINT_BY_HELPER},
};

static enum ovl_checkpoint_by by(const struct ovl_checkpoint_writer *k)
{
    return ovl_checkpoint_modes[k->mode].by;
}

void ovl_checkpoint_writer_begin(struct ovl_checkpoint_writer *k, enum ovl_checkpoint_mode mode)
{
    k->mode = mode;
    k->stall_seconds = k->copy_seconds = k->persist_seconds = k->bytes = 0;
    k->count = 0;
    ovl_intervals_start(&k->intervals);
}

/* The part that this rank writes; false: none. */
static bool part_of(const struct ovl_checkpoint_writer *k, struct ovl_checkpoint *c)
{
    bool sharded = ovl_checkpoint_modes[k->mode].sharded;
    *c = k->whole;
    ovl_checkpoint_split(c, sharded ? (uint32_t)k->rank : 0, sharded ? (uint32_t)k->ranks : 1);
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
    ovl_intervals_add(&k->intervals, OVL_SPAN_PERSIST, by(k) != OVL_CHECKPOINT_BY_RANK, answer->begin,
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
    if (by(k) == OVL_CHECKPOINT_BY_THREAD)
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
    return ovl_error_set(&k->err, OVL_ENVIRONMENT, "--checkpoint %s: %s", ovl_checkpoint_modes[k->mode].word, what);
}

static void copy(struct ovl_checkpoint_writer *k, void *to, const char *data)
{
    int64_t begin = ovl_clock_ns();
    memcpy(to, data, k->present.count * k->present.element);
    k->copy_seconds += ovl_clock_since(begin);
}

/* From a copy, beside the steps that follow. */
static int hand_over(struct ovl_checkpoint_writer *k, const char *data)
{
    if (by(k) == OVL_CHECKPOINT_BY_HELPER) {
        struct ovl_helper_ask ask = {.checkpoint = k->present};
        snprintf(ask.folder, sizeof ask.folder, "%.199s", k->folder);
        copy(k, k->helper->shared, data);
        return ovl_helper_ask(k->helper, k->rank, &ask, &k->err);
    }
    k->copy = k->copy ? k->copy : malloc(k->whole.all * k->whole.element + 1); /* a part, or all in another mode */
    if (!k->copy)
        return fail(k, "no memory for a copy of the parameters");
    copy(k, k->copy, data);
    return pthread_create(&k->thread, NULL, in_thread, k) == 0 ? 0 : fail(k, "cannot start a thread");
}

void ovl_checkpoint_writer_write(struct ovl_checkpoint_writer *k, uint64_t step, const void *data, uint64_t first)
{
    struct ovl_checkpoint part;
    int64_t begin = ovl_clock_ns();
    if (!part_of(k, &part))
        return;
    ovl_intervals_pause(&k->intervals);
    finish(k); /* the one before */
    if (k->rc == 0) {
        const char *from = (const char *)data + (part.first - first) * part.element;
        part.step = step;
        k->present = part;
        if (by(k) == OVL_CHECKPOINT_BY_RANK) {
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

int ovl_checkpoint_writer_fail(struct ovl_checkpoint_writer *k, bool dies)
{
    if (!dies || by(k) != OVL_CHECKPOINT_BY_HELPER || (k->rank > 0 && !ovl_checkpoint_modes[k->mode].sharded)) {
        double stalled = k->stall_seconds; /* what this waits for is part of the restart */
        ovl_checkpoint_writer_finish(k);
        k->stall_seconds = stalled;
        ovl_intervals_resume(&k->intervals);
        return k->rc;
    }
    if (k->busy && ovl_helper_has_answered(k->helper)) /* that one is on disk, and stays */
        finish(k);
    if (ovl_helper_kill(k->helper, k->rank, &k->err) != 0)
        k->rc = -1;
    if (k->busy) { /* whether it has come to disk in the meantime or not */
        ovl_checkpoint_sweep(k->folder, &k->present);
        ovl_checkpoint_remove(k->folder, k->present.step, k->present.part, k->present.parts);
        if (same(&k->kept[0], &k->present)) {
            k->kept[0] = k->kept[1];
            k->kept[1].parts = 0;
        }
    }
    k->busy = false;
    return k->rc;
}

void ovl_checkpoint_writer_forget(struct ovl_checkpoint_writer *k)
{
    for (int i = 0; i < 2; i++) {
        if (k->kept[i].parts)
            ovl_checkpoint_remove(k->folder, k->kept[i].step, k->kept[i].part, k->kept[i].parts);
        k->kept[i].parts = 0;
    }
}

void ovl_checkpoint_writer_close(struct ovl_checkpoint_writer *k)
{
    ovl_checkpoint_writer_finish(k);
    free(k->copy);
    k->copy = NULL;
}
