/* A step as others draw it: the events of all ranks in Chrome's trace format (about:tracing, ui.perfetto.dev), and as
   lanes of a Gantt chart in the record (record/derived/lanes.h), of one sample of each scheme. Times are those since
   the rank left a barrier. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_TIMELINE_TIMELINE_H
#define OVL_APPS_TRAIN_TIMELINE_TIMELINE_H

#include "apps/train/strategy/events.h"
#include "base/error.h"
#include "record/derived/lanes.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* A sample's times in ns. */
struct ovl_trace {
    int64_t start;
    struct ovl_span {
        int64_t begin, end;
    } * spans; /* [events]: of work, and of operations from their post to where they were seen to have ended */
    struct ovl_span *waits; /* [ids] */
};

struct ovl_timeline {
    FILE *out; /* at rank 0; NULL elsewhere, and where none was asked for */
    char name[256];
    bool any;             /* something is in the file */
    struct ovl_trace now; /* of the sample that is traced; NULLs while none is */
};

/* At rank 0. -1 and OVL_USAGE where the file holds something else than a timeline. */
int ovl_timeline_check(const char *file, struct ovl_error *err);
/* The same, and then in its place. -1 and OVL_ENVIRONMENT where it cannot be written. */
int ovl_timeline_open(struct ovl_timeline *t, const char *file, struct ovl_error *err);
/* -1 as above where something is lacking in the file. Where none was opened, 0. */
int ovl_timeline_close(struct ovl_timeline *t, struct ovl_error *err);

struct ovl_trace ovl_trace_open(const struct ovl_events *e);
void ovl_trace_close(struct ovl_trace *trace);

/* While a sample is traced: what begins or ends now; `spans` may be NULL. */
void ovl_span_begins(struct ovl_span *spans, int i);
void ovl_span_ends(struct ovl_span *spans, int i);

/* Of so many traced samples, by their seconds, the place of the middle one. */
enum { OVL_TRACES = 3 };
int ovl_trace_middle(const double seconds[OVL_TRACES]);

/* Both collective. Writes a sample under the name of the scheme. */
void ovl_timeline_write(struct ovl_timeline *t, const struct ovl_events *e, const struct ovl_trace *trace,
                        const char *scheme, int number, MPI_Comm comm);
/* At rank 0 the lanes of the first ranks, of events from `first` to the one before `end`; NULL elsewhere, and where one
   of them has more events than a record keeps. */
json_t *ovl_timeline_lanes(const struct ovl_events *e, size_t first, size_t end, const struct ovl_trace *trace,
                           MPI_Comm comm);

#endif
