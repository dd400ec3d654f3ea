/* What a rank did in an epoch, as spans that become lanes of the record (record/derived/lanes.h): steps, and what
   checkpoints took, by the rank itself and by who writes beside it. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_INTERVALS_H
#define OVL_APPS_TRAIN_EPOCHS_INTERVALS_H

#include "record/derived/lanes.h"

#include <stdbool.h>
#include <stdint.h>

struct ovl_intervals {
    int64_t start, since; /* of the epoch; of the steps since the last checkpoint */
    size_t count;
    bool over; /* there were more than fit */
    struct ovl_interval {
        enum ovl_span_kind kind;
        bool beside; /* not by the rank itself */
        int64_t begin, end;
    } list[1000];
};

void ovl_intervals_start(struct ovl_intervals *s);
/* In ns of the clock. */
void ovl_intervals_add(struct ovl_intervals *s, enum ovl_span_kind kind, bool beside, int64_t begin, int64_t end);
/* The steps end, till a checkpoint has been taken: then they go on. */
void ovl_intervals_pause(struct ovl_intervals *s);
void ovl_intervals_resume(struct ovl_intervals *s);

/* Lanes of the rank and, where there are spans beside it, of `who`; NULL where there were too many. */
json_t *ovl_intervals_lanes(const struct ovl_intervals *s, const char *rank, const char *who);

#endif
