/* How long a plan takes in a model: each rank on a core of its own, taking up bulk where its chain waits, and each
   direction of a node's link serving first who comes first. A schedule that can be had, so that no bound may exceed it.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_MODEL_H
#define OVL_PLAN_MODEL_H

#include "plan/bound.h"

/* `seconds` as `least` of ovl_app_bounds_of. -1 and OVL_ENVIRONMENT when there is no memory; OVL_USAGE where the plan
   never ends. */
int plan_model(const struct ovl_app_steps *s, const struct ovl_app_ops *ops, const struct ovl_app_machine *m,
               const double *seconds, double *total, struct ovl_error *err);

#endif
