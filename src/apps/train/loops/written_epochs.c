/* The steps of a training, and the common part of epochs with checkpoints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/loops/written_epochs.h"
#include "apps/train/values/data.h"
#include "base/clock.h"

#include <string.h>

enum { PIECE = 1 << 30 }; /* bytes of a message */

void *ovl_train_parameters(struct ovl_train *t)
{
    return t->tiny ? (void *)t->tiny->parameters : t->weights;
}

void ovl_train_start(struct ovl_train *t)
{
    if (t->tiny)
        ovl_tiny_start(t->tiny);
    if (t->resumed)
        memcpy(ovl_train_parameters(t), (const char *)t->resumed + t->held.first * t->held.element,
               t->held.count * t->held.element);
    t->plays = t->resumed_step;
}

void ovl_train_sample(struct ovl_train *t, int scheme)
{
    ovl_train_messages_give(t);
    t->players[scheme].run.mask = OVL_MASK_TOTAL;
    t->job.app->schemes->play(&t->job, scheme, OVL_MASK_TOTAL);
}

void ovl_train_step(struct ovl_train *t, int scheme)
{
    ovl_train_sample(t, scheme);
    if (!t->tiny) /* the update of the parameters, in epochs without checkpoints too */
        ovl_train_data_words_from(t->weights, (size_t)t->held.count, (size_t)t->held.first, t->plays, 0);
}

void ovl_written_epochs_begin(struct ovl_written_epochs *e, enum ovl_checkpoint_mode mode)
{
    e->plays = e->t->plays;
    ovl_train_start(e->t);
    ovl_checkpoint_writer_begin(e->t->writer, mode);
}

void ovl_written_epochs_step(void *of)
{
    struct ovl_written_epochs *e = of;
    ovl_train_step(e->t, e->scheme);
}

void ovl_written_epochs_finish(void *of, struct ovl_turns_kind *k)
{
    struct ovl_written_epochs *e = of;
    (void)k;
    ovl_checkpoint_writer_finish(e->t->writer);
}

/* Collective: all ranks' parts of the state at rank 0, in `all`, which only it has. Parameters that it has, too, are
   not sent: it writes them down. */
static void collect(struct ovl_train *t, char *all)
{
    for (int r = 0; r < t->job.ranks; r++) {
        struct ovl_checkpoint part = t->writer->whole;
        ovl_checkpoint_split(&part, (uint32_t)r, (uint32_t)t->job.ranks);
        char *at = t->job.rank == 0 ? all + part.first * part.element : (char *)t->weights;
        size_t bytes = part.count * part.element, there = (size_t)(t->everywhere * (double)part.count);
        if (r == 0 && t->job.rank == 0)
            memcpy(at, t->weights, bytes);
        else if (t->job.rank == 0)
            ovl_train_data_words_from((uint32_t *)at, there, (size_t)part.first, t->plays, 0);
        for (size_t from = there * part.element; from < bytes && r > 0; from += PIECE) {
            int n = (int)(bytes - from < PIECE ? bytes - from : PIECE);
            if (t->job.rank == 0)
                MPI_Recv(at + from, n, MPI_BYTE, r, 0, t->job.comm, MPI_STATUS_IGNORE);
            else if (t->job.rank == r)
                MPI_Send(at + from, n, MPI_BYTE, 0, 0, t->job.comm);
        }
    }
}

void ovl_written_epochs_write(struct ovl_train *t, enum ovl_checkpoint_mode mode)
{
    bool gathers = mode != OVL_CHECKPOINT_NONE && !ovl_checkpoint_modes[mode].sharded && t->held.count < t->held.all;
    int64_t begin = ovl_clock_ns();
    if (!gathers) {
        ovl_checkpoint_writer_write(t->writer, t->plays, ovl_train_parameters(t), t->held.first);
        return;
    }
    collect(t, t->collected);
    t->writer->stall_seconds += ovl_clock_since(begin);
    ovl_checkpoint_writer_write(t->writer, t->plays, t->collected, 0);
}
