/* The schemes of a problem: each plays a plan, all are measured in the same blocks by the loop of the drivers, and each
   becomes a cell with the bounds of its plan. What an application adds is a row of hooks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_SCHEMES_H
#define OVL_BENCH_APP_SCHEMES_H

#include "bench/app/bounds.h"
#include "bench/exchange/mode.h"
#include "bench/loop.h"
#include "plan/run.h"
#include "record/cell.h"

struct ovl_app_job;

enum { OVL_APP_PARTS = 8, OVL_APP_RECENT = 255 };

/* What T was spent on, in seconds. */
struct ovl_app_parts {
    double present[OVL_APP_PARTS], recent[OVL_APP_PARTS][OVL_APP_RECENT]; /* of this rank */
    size_t kept;
    double least[OVL_APP_PARTS], mean[OVL_APP_PARTS], most[OVL_APP_PARTS]; /* of all ranks' medians, at rank 0 */
};

/* What T cannot go below. */
enum ovl_app_bound { OVL_APP_BOUND, OVL_APP_BOUND_HERE, OVL_APP_ANY_BOUND, OVL_APP_BOUNDS };

struct ovl_app_scheme {
    /* By ovl_app_schemes_choose, from --mode: blocking, host, host-t, thread, dpu. */
    const char *name;            /* in the record */
    const struct ovl_mode *mode; /* of the blocking scheme that of the host */
    bool polls;                  /* does it test while it computes, where the options say how often? */

    /* The application's, while a problem is open. */
    struct ovl_app_run *run; /* plays its plan: `plan`, `rank`, `hooks` and `self` are set */
    int plan;                /* schemes of the same number have the same plan, and share W */

    int first;    /* the first scheme of the same plan */
    double error; /* this rank's largest so far */
    struct ovl_app_bounder bounder;
    double *bounds[OVL_APP_BOUNDS]; /* at rank 0: a value per block */
    struct ovl_app_parts parts;
};

/* Of an application whose schemes stand on the loop. Every hook gets the job. */
struct ovl_app_schemes_row {
    const char *check;        /* name of the figure by which answers are judged */
    const char *const *parts; /* names of what T is spent on, up to NULL; NULL: compute, post, test, wait */
    /* Collective, the same at all ranks: puts a problem with its schemes in place; -1 with *err filled. And, or
       NULL, takes it away, whatever there is of it. */
    int (*open)(struct ovl_app_job *job, size_t problem, struct ovl_error *err);
    void (*close)(struct ovl_app_job *job);
    /* The data of every sample, others each time, so that what messages brought before is wrong for these; and, after a
       T, collective, this rank's largest error in what became of them. */
    void (*fill)(struct ovl_app_job *job);
    double (*error)(struct ovl_app_job *job);
    /* NULL, or, before each T: NaNs where the data of messages are to come, which show in the answer where they bring
       nothing. */
    void (*poison)(struct ovl_app_job *job);
    /* NULL, or a further test of a scheme before anything is measured. Collective. */
    double (*validate)(struct ovl_app_job *job, int scheme);
    /* NULL: ovl_app_run of its run. Collective. */
    void (*play)(struct ovl_app_job *job, int scheme, enum ovl_app_mask mask);
    /* With `parts`: the seconds of each, in the last T. */
    void (*part)(const struct ovl_app_job *job, int scheme, double *seconds);
    /* NULL, or, after each block that counts, collective: what the application keeps of it. */
    void (*kept)(struct ovl_app_job *job, size_t block);
    /* NULL, or, collective, once, where a scheme's answers are wrong: gathers at rank 0 what `fault` tells
       of it. */
    void (*locate)(struct ovl_app_job *job, int scheme);
    /* NULL, or what is wrong with the answers of a scheme, in words; where it has none it is said how large the error
       is. */
    void (*fault)(const struct ovl_app_job *job, int scheme, double error, char text[128]);
    /* At rank 0: `problem` of the cell, and what only this application has. */
    void (*tell)(const struct ovl_app_job *job, int scheme, struct ovl_cell *cell);
};

struct ovl_app_schemes {
    int count, blocking; /* `blocking` is the number of that scheme, or -1 */
    struct ovl_app_scheme scheme[OVL_LOOP_MODES];
    struct ovl_app_machine machine;
    int *node; /* [ranks], from 0: provenance's */

    /* The application's, while a problem is open. */
    char problem[80]; /* in messages: "grid 64x64x64" */
    double equal; /* how many equal parts the problem has, such as variables: times in the record are those of one */
    double limit; /* a larger error is wrong data */

    /* Of the present problem. */
    /* As filled; after a C, which sent them; after a T; after a W. */
    enum { OVL_DATA_GOOD, OVL_DATA_SENT, OVL_DATA_ANSWERED, OVL_DATA_SPOILT } data;
    int answered;      /* the scheme of the last T */
    double seconds;    /* of a T when it was validated */
    double wire_bytes; /* that come in over the busiest node's link, for one of the equal parts; NaN on one node */
    int crowded;       /* do ranks outnumber cores? Then W holds the waiting for one, and is no bound */
};

/* From the options: which schemes there are. */
void ovl_app_schemes_choose(struct ovl_app_job *job);

/* Collective: validates, measures, proves and tells all problems. -1 with *err filled, the same at all ranks, where one
   cannot be opened, a plan is none, or there is no memory. Wrong data are told, and are no such error. */
int ovl_app_schemes_measure(struct ovl_app_job *job, struct ovl_error *err);

/* Collective, while a problem is open: data of known answer through every scheme. Are all answers right? The same at
   all ranks. */
bool ovl_app_schemes_validate(struct ovl_app_job *job);

/* Warns where blocks of samples that take about so long go far beyond --max-time; once in a run. */
void ovl_app_schemes_foresee(struct ovl_app_job *job, double sample_seconds);

/* Names of what T is spent on. */
const char *const *ovl_app_parts(const struct ovl_app_job *job);

/* blocks.c. Collective: what is kept of each block. -1 as above; ovl_app_blocks_close all the same. */
int ovl_app_blocks_open(struct ovl_app_job *job, struct ovl_error *err);
void ovl_app_blocks_close(struct ovl_app_job *job);
/* After a T; collective after a block; collective after all of them. */
void ovl_app_keep_parts(struct ovl_app_job *job, int scheme);
void ovl_app_keep_block(struct ovl_app_job *job, size_t kept);
void ovl_app_share_parts(struct ovl_app_job *job);

/* The scheme with the largest error, if that is wrong; else -1. */
int ovl_app_wrong_scheme(const struct ovl_app_schemes *schemes, const double error[OVL_LOOP_MODES]);

/* cells.c. At rank 0: lines and rows of a problem's schemes. `error` has that of each, over all ranks; where one is
   wrong no cell is valid. */
int ovl_app_schemes_report(struct ovl_app_job *job, const struct ovl_loop *loop, struct ovl_loop_result *result,
                           const double error[OVL_LOOP_MODES], struct ovl_error *err);

#endif
