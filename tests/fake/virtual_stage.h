/* A stage on a virtual clock: one rank, and a synthetic operation of which f progresses alone. Nothing here takes real
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_VIRTUAL_STAGE_H
#define OVL_TESTS_FAKE_VIRTUAL_STAGE_H

#include "base/rng.h"
#include "bench/loop.h"

/* Noise of the times of a sample: a factor whose median is 1, by a normal number z that is autocorrelated from block to
   block. */
struct virtual_noise {
    double sigma;
    double correlation; /* of z with that of the block before: AR(1) */
    enum {
        VIRTUAL_NORMAL,   /* 1 + sigma z */
        VIRTUAL_SKEWED,   /* 1 + sigma (e^z - 1): a long tail of slow samples */
        VIRTUAL_OUTLIERS, /* as normal, but one of twenty is slower by 20 sigma */
    } shape;
    bool common; /* one z for all samples of a block: the machine's speed */
    struct ovl_rng rng;
    double z[OVL_QUANTITIES]; /* of each kind's last sample */
};

struct virtual_stage {
    int64_t now;
    int64_t read_ns;                     /* that a clock read takes */
    double unit_ns;                      /* true length of a unit */
    double believed_unit_ns;             /* what the calibration says */
    double operation_ns[2], fraction[2]; /* per mode */
    double blocking_ns;
    double behind_ns; /* that an operation takes longer which is posted right behind another */
    double theft;     /* share of the core taken while an operation is under way */
    double drift;     /* growth of all times per block */
    int late_every;   /* every n-th start is late by late_ns; 0: none */
    int64_t late_ns;
    bool no_common_clock;
    double residual; /* that comparing the clocks shows, seconds */
    int renewals;
    int interrupt, interrupt_at; /* this signal comes with the interrupt_at-th sample; 0: never */
    struct virtual_noise noise;

    bool active;
    double alone_until, inside;
    int64_t ended; /* the last operation */
    int starts;
    double speed;  /* 1 + drift so far */
    double slower; /* the present sample: speed times its noise */
    char order[4096];
    int taken;
};

extern const struct ovl_stage_ops virtual_stage_ops;

#endif
