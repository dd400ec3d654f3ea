/* What cells can be compared and judged by: the rows of the table of fields that are metrics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_METRIC_H
#define OVL_TOOL_CELLS_METRIC_H

#include "record/field.h"
#include "record/status.h"
#include "tool/cells/group.h"

/* The metrics, one by one: starts with NULL, ends with NULL. */
const struct ovl_field *ovl_metric_next(const struct ovl_field *before);

/* The row of that name, or of a percentile, such as total_seconds.p99, whose values come from the samples: see
   ovl_metric_brief. NULL and OVL_USAGE, which lists the names. */
const struct ovl_field *ovl_metric_find(const char *name, struct ovl_error *err);

/* Do records without their samples do for it? NULL: no metric is wanted. */
bool ovl_metric_brief(const struct ovl_field *m);

/* Again from the samples. `statistic` is one of median, min, max, mean, p99 (from 368 values on) over the blocks; other
   than median only for summaries. */
double ovl_metric_again(const struct ovl_field *m, const char *statistic, const struct ovl_run *run,
                        const struct ovl_cell *cell);

/* What launches differ in so far that no value of them all says anything (ovl_members_unlike): where the metric does
   not follow the work, their model alone. NULL: nothing. */
const char *ovl_metric_unlike(const struct ovl_field *m, const struct ovl_member *members, size_t count);

/* Over launches: the median of their values with its exact interval, which needs 6 of them; of one launch its own
   value and interval. *n is how many launches have a value and a claim to it; none, where they are
   unlike (ovl_metric_unlike). */
struct ovl_estimate ovl_metric_over(const struct ovl_field *m, const struct ovl_member *members, size_t count,
                                    size_t *n);

/* What is stored of one; NaN where it has no claim to it, or no measurement can have given it. */
struct ovl_estimate ovl_metric_of(const struct ovl_field *m, const struct ovl_member *member);

/* How many launches of a group have a claim. */
size_t ovl_group_claims(const struct ovl_group *g);

/* Has one of them data that nobody checked? */
bool ovl_group_unchecked(const struct ovl_group *g);

#endif
