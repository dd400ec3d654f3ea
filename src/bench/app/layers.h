/* Sweeps over a field that a ring of ranks has in layers: memory, exchanges of neighbours, and their part of the plan.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_LAYERS_H
#define OVL_BENCH_APP_LAYERS_H

#include "bench/app/app.h"

enum { OVL_APP_INSIDE, OVL_APP_OUTSIDE }; /* `what` of COMPUTE: layers that need no neighbour, and the outermost ones */

/* All schemes of a job on one plan; the blocking one plays the plan's blocking twin. Two fields: sweeps of even number
   read the first and write the second, odd ones the other way. Each has a layer of the rank below, the rank's own
   layers, and a layer of the rank above. */
struct ovl_app_layers {
    /* The application's: groups, `of` and `group`, which calls ovl_app_layers_sweep; and the computation of a step,
       whose `index` is the sweep. */
    struct ovl_app_plan plan;
    void (*compute)(struct ovl_app_job *job, const struct ovl_app_step *step, int from, int to);

    double *field[2];       /* where messages can be; of zeros at first */
    size_t layers, doubles; /* own ones, and the size of a layer */
    struct ovl_app_plan blocking;
    struct ovl_exchange exchanges[4]; /* upwards and downwards, of both fields */
    struct ovl_app_player {
        struct ovl_app_layers *layers;
        struct ovl_app_job *job;
        const struct ovl_mode *mode;
        struct ovl_app_run run;
    } players[OVL_LOOP_MODES];
};

/* Collective: memory, exchanges, and a run for each scheme of the job; where there are workers, the ranks are a team of
   theirs. Stays where it is until the problem is closed. -1 with *err filled, the same at all ranks. */
int ovl_app_layers_open(struct ovl_app_layers *s, struct ovl_app_job *job, size_t layers, size_t doubles,
                        struct ovl_error *err);

/* NaNs in the places of the neighbours' layers, if there are others. */
void ovl_app_layers_poison(struct ovl_app_layers *s, const struct ovl_app_job *job);

/* The steps of a sweep at any rank: outermost layers are posted, the inside is computed in so many units, the
   neighbours' layers are waited for, the outside is computed. Returns how many. */
int ovl_app_layers_sweep(const struct ovl_app_job *job, int rank, size_t sweep, size_t doubles, int units,
                         struct ovl_app_step *steps);

#endif
