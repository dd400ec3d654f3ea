/* Plays the plan of one rank, in time: what computes and what communicates are hooks. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_RUN_H
#define OVL_PLAN_RUN_H

#include "plan/play.h"

/* Every hook gets `self`. */
struct ovl_app_hooks {
    int64_t (*now)(void *self);                                                     /* ns */
    void (*compute)(void *self, const struct ovl_app_step *step, int from, int to); /* units from .. to - 1 */
    void (*post)(void *self, const struct ovl_app_step *step);
    bool (*test)(void *self, int slot); /* true when complete; asked again after that, too */
    void (*wait)(void *self, int slot);
    void (*sync)(void *self, const struct ovl_app_step *step);
    /* NULL, or, for ranks whose computation communicates behind the plan's back, so that they must take up their lanes
       in the same order: has what a WAIT was tested for ended at all of them? The same answer at all. */
    bool (*agree)(void *self, bool complete);
};

/* The hook `now` of all that run in time: the clock of base/clock.h. */
int64_t ovl_app_now(void *self);

/* What the steps of a rank took. */
enum ovl_app_phase { OVL_PHASE_COMPUTE, OVL_PHASE_SYNC, OVL_PHASE_POST, OVL_PHASE_TEST, OVL_PHASE_WAIT, OVL_PHASES };

enum { OVL_APP_SLOTS_MOST = 64 };

struct ovl_app_run {
    const struct ovl_app_plan *plan; /* that ovl_app_check accepts, with OVL_APP_SLOTS_MOST slots at most */
    int rank;
    const struct ovl_app_hooks *hooks;
    void *self;
    enum ovl_app_mask mask;
    bool polls; /* test what is outstanding between the units of computation; may change with each POST */
    int stride; /* units of the bulk between two tests of what the chain waits for; 0 stands for 1 */

    /* Results of ovl_app_run. */
    int64_t ns[OVL_PHASES];
    /* The caller's, or NULL: seconds of each step of a lane in its order, of COMPUTE without the tests in it. */
    double *seconds[OVL_LANES];
    size_t room[OVL_LANES]; /* of these */
    double *exposed;        /* the caller's, or NULL: seconds of POST, SYNC, WAIT and of tests for it, by their mark */
    size_t marks;

    /* While it runs. */
    struct ovl_app_cursor {
        struct ovl_app_step steps[OVL_APP_GROUP_MOST];
        int count, at, unit;
        size_t group; /* that `steps` are of: those before have ended */
        size_t index; /* of the step in its lane */
    } lanes[OVL_LANES];
    int outstanding[OVL_APP_SLOTS_MOST], posted; /* slots, the oldest first */
    bool pending;                                /* may one of them be incomplete, as far as polls have seen? */
    int64_t polled_ns, aside_ns;                 /* in the present step */
};

/* Plays all of it. */
void ovl_app_run(struct ovl_app_run *run);

/* What that took, all phases together, in seconds. */
double ovl_app_run_seconds(const struct ovl_app_run *run);

/* From within `compute`, for an application that has better points for it than the ends of units: one test of each
   outstanding operation, the oldest first, up to one that is not complete, which makes progress on all of them. */
void ovl_app_poll(struct ovl_app_run *run);

/* From within `compute`: of its time so much went into communication of its own, which is no work; it is booked for the
   SYNC step before it in its group, where there is one. */
void ovl_app_aside(struct ovl_app_run *run, int64_t ns);

/* Of `compute` too: so many ns of it went to operations under way, as a poll's do: they are tests. */
void ovl_app_polled(struct ovl_app_run *run, int64_t ns);

#endif
