/* The messages of an application: memory where workers reach it, and layers of neighbours around a
   ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_MESSAGE_H
#define OVL_BENCH_APP_MESSAGE_H

#include "bench/app/app.h"

/* Memory for messages, of `offload` where that is not NULL. -1 with *err filled. */
int ovl_app_memory(struct ovl_offload *offload, void **memory, size_t bytes, struct ovl_error *err);
void ovl_app_memory_free(struct ovl_offload *offload, void *memory); /* NULL: none */

/* Collective: the same, of zeros, until the problem is closed: OVL_APP_BLOCKS_MOST in a problem. NULL at all ranks
   where one has no memory. */
void *ovl_app_memory_of_problem(struct ovl_app_job *job, size_t bytes, struct ovl_error *err);
void ovl_app_memory_end(struct ovl_app_job *job); /* the frame's: the problem is closed */

/* Slabs of a field around a ring of ranks: `layers` own layers of so many doubles, between one of the rank below and
   one of the rank above. Both exchanges that bring these: upwards and downwards. */
void ovl_app_layers_make(struct ovl_exchange both[2], const struct ovl_app_job *job, double *field, size_t layers,
                         size_t doubles);

/* The same in a plan, in four slots from `slot` on: a message needs nobody but its sender, so what is sent and what
   comes are operations of their own. The field has five buffers from `field` on: layer from below, lowest own one, what
   is between, highest own one, layer from above. Writes the steps of that kind (POST, WAIT or SYNC), and returns how
   many: none where the rank is alone. */
int ovl_app_layers_steps(const struct ovl_app_job *job, int rank, enum ovl_app_kind kind, int slot, int field,
                         size_t doubles, struct ovl_app_step *steps);

/* All schemes of a job on one plan of such exchanges; the blocking one plays the plan's blocking twin. */
struct ovl_app_layers {
    struct ovl_app_plan plan, blocking; /* of `plan` the application sets groups, `of` and `group`, */
    struct ovl_exchange *exchanges;     /* of the slots 2 i and 2 i + 1, */
    int slots;
    void (*compute)(struct ovl_app_job *job, const struct ovl_app_step *step, int from, int to);
    struct ovl_app_player {
        struct ovl_app_layers *layers;
        struct ovl_app_job *job;
        const struct ovl_mode *mode;
        struct ovl_app_run run;
    } players[OVL_LOOP_MODES];
};

/* Collective: gives each scheme of the job its run; where there are workers, the ranks are a team of theirs. Stays
   where it is. -1 with *err filled, the same at all ranks. */
int ovl_app_layers_open(struct ovl_app_layers *s, struct ovl_app_job *job, struct ovl_error *err);

#endif
