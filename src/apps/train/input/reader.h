/* A reader: a thread that brings the batches of a rank, one ahead, by a given order: samples out of the rank's buffer,
   or out of files, at a given rate if one is given. It counts what it reads. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_INPUT_READER_H
#define OVL_APPS_TRAIN_INPUT_READER_H

#include "apps/train/drawn/order.h"
#include "apps/train/input/data_set.h"

#include <pthread.h>

enum { OVL_READER_BATCHES = 2 };

struct ovl_reader {
    const struct ovl_data_set *set;
    const struct ovl_order *order;
    double rate; /* bytes a second at most; 0: as they come */
    char *slots, *batches;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;

    /* Under the lock. */
    bool running, leaves;
    uint64_t epoch, begun, made, released; /* epochs that were begun; batches of the present one */
    bool failed;
    struct ovl_error err;
    uint64_t reads, bytes, hits; /* since the reader was opened; of reads and bytes what read(2) brought */
    double read_seconds;         /* in which it read, or was held back */

    /* The thread's. */
    struct ovl_data_set_file file;
    int64_t free_at; /* when the rate lets it read again, in ns of the clock */
};

/* Bytes that a reader takes, with `room` samples in its buffer. */
double ovl_reader_bytes(const struct ovl_data_set *set, size_t batch, uint32_t room);

/* Starts the thread; `set` and `order` must stay. -1 with OVL_ENVIRONMENT; then ovl_reader_close all the same. */
int ovl_reader_open(struct ovl_reader *r, const struct ovl_data_set *set, const struct ovl_order *order, uint32_t room,
                    double rate, struct ovl_error *err);
void ovl_reader_close(struct ovl_reader *r);

/* It may bring the batches of an epoch, after those of the one before; the first is epoch 0, and then one after the
   other. */
void ovl_reader_begin(struct ovl_reader *r);
/* Waits for batch k of the present epoch; sample i of it is at i x set->stored. NULL: the reader has failed. */
const char *ovl_reader_wait(struct ovl_reader *r, uint64_t k);
/* Batch k may be written over. */
void ovl_reader_release(struct ovl_reader *r, uint64_t k);

/* Has it failed, and why? Any thread. */
bool ovl_reader_failed(struct ovl_reader *r, struct ovl_error *err);

#endif
