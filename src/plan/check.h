/* Can a plan be played? Every rule is one line of what it refuses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PLAN_CHECK_H
#define OVL_PLAN_CHECK_H

#include "plan/play.h"

/* -1 and OVL_USAGE with one line on the first thing wrong:
     - a step that no plan may have, such as communication in the bulk;
     - a slot that is posted into while it is taken, waited on while it is empty, or never waited for;
     - members of a team that do not post the same operations in the same order, or not all of them;
     - a buffer that is touched between POST and WAIT, or by chain and bulk in no fixed order;
     - a rank that never ends.
   Not asked: a SYNC holds both lanes of a rank that plays in time (run.h), so ranks that take up SYNCs of two teams in
   different orders can wait for each other. An application with SYNCs in both lanes fixes the order by gates (`after`)
   or by the hook `agree`.
   *apart: may the operations be run each by itself (OVL_MASK_APART)? */
int ovl_app_check(const struct ovl_app_steps *s, bool *apart, struct ovl_error *err);

#endif
