/* The plan of an application on ranks that nobody has: simulated in all ways, printed and recorded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_SIMULATED_PLAN_H
#define OVL_BENCH_APP_SIMULATED_PLAN_H

#include "bench/app/simulation.h"
#include "plan/plan.h"

struct ovl_simulated_plan {
    struct ovl_simulation s; /* the caller's part of it */
    const char *problem;     /* "resnet50, ddp, batch 32" */
    const char *model;       /* of a training, by its name; NULL */
    const char *sample;      /* what T is of: "a step" */
    const char *left_out;    /* what is not simulated, or otherwise, for the head; NULL */
    /* What is played, and what is where all is waited for at once. */
    const struct ovl_app_plan *plan, *blocking;
    double equal;                 /* how many equal parts T is of, such as variables: times are told of one */
    bool host_polls;              /* tests between pieces of the work are the host's own, not those of host-t */
    bool alike;                   /* all ranks do the same, and each operation is of all of them */
    const void *of, *blocking_of; /* for these, of the one and of the other */
    /* Multiply-adds and the like of a COMPUTE, two flops each where `flops_a_unit` is 2. */
    double (*units)(const void *of, int rank, const struct ovl_app_step *compute);
    double flops_a_unit;
    /* Of a POST or SYNC, without its algorithm. Lists of the shape are freed by ovl_sim_shape_free. */
    struct ovl_sim_operation (*operation)(const void *of, int rank, const struct ovl_app_step *step);
    const struct ovl_algorithm *asked; /* of workers, by --algorithm; NULL: the table's choice */
    double work_seconds, ratio;        /* W, or W as a multiple of C of blocking, where no rate is; NaN: not known */
    bool own_work;                     /* W is these, whatever rate records have */
    double link_bytes;                 /* over the link of the busiest node, each way */
};

/* With what all programs give; the rest is the caller's: one sample of operations that are counted in flops, all of
   which have a rate. `program` and `tests` as in struct ovl_simulation. */
struct ovl_simulated_plan ovl_simulated_plan_of(const char *program, const char *plan_text, int ranks, int per_node,
                                                const char *tests, const struct ovl_network_options *options,
                                                const struct ovl_app_options *common);

/* Plays the same with and without blocking: `of` of both. */
void ovl_simulated_plan_play(struct ovl_simulated_plan *p, const struct ovl_app_plan *plan, const void *of);

/* Prints one table, whose least T is the largest of W, of what the busiest node's link takes and of T if messages took
   no time. -1 with *err filled: what is missing or wrong, in one line. */
int ovl_simulated_plan_print(struct ovl_simulated_plan *p, struct ovl_error *err);

#endif
