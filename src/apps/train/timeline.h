/* A step as others draw it: the events of all ranks in Chrome's trace format (about:tracing, ui.perfetto.dev), of one
   sample of each scheme. Times are those since the rank left a barrier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_TIMELINE_H
#define OVL_APPS_TRAIN_TIMELINE_H

#include "apps/train/events.h"
#include "base/error.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

struct ovl_timeline {
    FILE *out; /* at rank 0; NULL elsewhere, and where none was asked for */
    char name[256];
    size_t written; /* events */
    /* While a sample is traced, in ns; else NULL. */
    struct ovl_span {
        int64_t begin, end;
    } * spans; /* [events]: of work, and of operations from their post to where they were seen to have ended */
    struct ovl_span *waits; /* [ids] */
};

/* At rank 0. -1 and OVL_ENVIRONMENT where it cannot be written. */
int ovl_timeline_open(struct ovl_timeline *t, const char *file, struct ovl_error *err);
/* -1 as above where something is lacking in the file. Where none was opened, 0. */
int ovl_timeline_close(struct ovl_timeline *t, struct ovl_error *err);

/* From here to ovl_timeline_end a sample is traced. Both collective. */
void ovl_timeline_begin(struct ovl_timeline *t, const struct ovl_events *e);
/* Writes it under the name of the scheme, and takes the spans away. */
void ovl_timeline_end(struct ovl_timeline *t, const struct ovl_events *e, const char *scheme, int number, int64_t start,
                      MPI_Comm comm);

#endif
