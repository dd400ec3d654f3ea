/* What the nodes of a run say about measuring overlap on them: one verdict, from the record alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_NOISE_H
#define OVL_RECORD_DERIVED_NOISE_H

#include "record/record.h"

/* A limit, and why it stands where it does. */
struct ovl_noise_limit {
    const char *name;
    double limit;
    const char *why;
};

enum ovl_noise_limits {
    OVL_NOISE_LOST,      /* share of the time */
    OVL_NOISE_STEAL,     /* share of the time */
    OVL_NOISE_SLEW,      /* ppm */
    OVL_NOISE_DRIFT,     /* ppm */
    OVL_NOISE_COMM,      /* s */
    OVL_NOISE_LATE,      /* of C */
    OVL_NOISE_READS,     /* of the clock, in C */
    OVL_NOISE_RESIDUAL,  /* of C */
    OVL_NOISE_PACE,      /* times the median node's */
    OVL_NOISE_LATENCY,   /* times the median pair's */
    OVL_NOISE_BANDWIDTH, /* times the median pair's */
    OVL_NOISE_LIMITS,
};

extern const struct ovl_noise_limit ovl_noise_limits[OVL_NOISE_LIMITS];

/* In the order in which one finding is taken for the verdict. */
enum ovl_noise_kind {
    OVL_NOISE_OVERSUBSCRIBED,
    OVL_NOISE_CLOCKS,
    OVL_NOISE_NOISY,
    OVL_NOISE_STOLEN,
    OVL_NOISE_STARTS,
    OVL_NOISE_UNEVEN,
    OVL_NOISE_NETWORK,
    OVL_NOISE_UNFINISHED, /* nothing found, but not all was measured */
    OVL_NOISE_KINDS,
};

struct ovl_noise_pairs {
    size_t count;
    double latency, bytes_per_second;             /* of the median pair; NaN without pairs */
    const struct ovl_node *slow_from, *thin_from; /* NULL without pairs */
    const struct ovl_node_pair *slow, *thin;      /* with the longest latency, with the least bandwidth */
};

struct ovl_noise_verdict {
    char finding[OVL_NOISE_KINDS][320]; /* "" where there is none */
    double comm_least; /* s: cells with a shorter C will not be ok; NaN where nothing was measured that tells */
    const char *comm_why;
    struct ovl_noise_pairs pairs;
};

/* "noisy", the word before the reason. */
const char *ovl_noise_word(enum ovl_noise_kind kind);

/* The first finding's kind, or OVL_NOISE_KINDS when it is quiet. */
enum ovl_noise_kind ovl_noise_first(const struct ovl_noise_verdict *v);

void ovl_noise_judge(const struct ovl_run *run, struct ovl_noise_verdict *v);

/* A number of the end line's `starts`, NaN where there is none. */
double ovl_noise_starts(const struct ovl_run *run, const char *name);

#endif
