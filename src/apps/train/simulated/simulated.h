/* A step of training on ranks that nobody has, simulated. No MPI job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_SIMULATED_SIMULATED_H
#define OVL_APPS_TRAIN_SIMULATED_SIMULATED_H

#include "apps/train/strategy/steps.h"
#include "cli/train_options.h"

/* Prints it. `plan` has ask, strategy, halves and scale; it is opened here, and closed by the caller. -1 and OVL_USAGE
   where the strategy has other operations than those of all ranks, or what ovl_simulated_plan_print refuses. */
int ovl_train_simulate(struct ovl_train_plan *plan, const struct ovl_train_options *options, struct ovl_error *err);

#endif
