/* A stage on a virtual clock: one rank, and a synthetic operation of which f progresses alone. Nothing here takes real
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_VIRTUAL_STAGE_H
#define OVL_TESTS_UNIT_VIRTUAL_STAGE_H

#include "bench/loop.h"

struct virtual_stage {
    int64_t now;
    int64_t read_ns;                     /* that a clock read takes */
    double unit_ns;                      /* true length of a unit */
    double believed_unit_ns;             /* what the calibration says */
    double operation_ns[2], fraction[2]; /* per mode */
    double blocking_ns;
    double theft;   /* share of the core taken while an operation is under way */
    double drift;   /* growth of all times per block */
    int late_every; /* every n-th start is late by late_ns; 0: none */
    int64_t late_ns;
    bool no_common_clock;
    int interrupt, interrupt_at; /* this signal comes with the interrupt_at-th sample; 0: never */

    int mode;
    bool active;
    double alone_until, inside;
    int starts, samples_in_block;
    double speed; /* 1 + drift so far */
    char order[4096];
    int taken;
};

extern const struct ovl_stage_ops virtual_stage_ops;

#endif
