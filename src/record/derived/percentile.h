/* Percentiles of a cell's samples: any of a quantity that is a metric, by a name such as total_seconds.p99.9. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_PERCENTILE_H
#define OVL_RECORD_DERIVED_PERCENTILE_H

#include "cli/options.h"
#include "record/field.h"

/* The row of that percentile: that of the quantity with `percent` set, for all that takes a metric's row. The same for
   the same name, and never freed. NULL: there is no such quantity or percentile. */
const struct ovl_field *ovl_percentile_field(const char *name);
const struct ovl_field *ovl_percentile_field_of(const struct ovl_field *quantity, double percent);

/* Its value in a cell with its interval, of the slowest rank: from the samples, or as the record says where these were
   not read. It may be shown; a claim is one with both ends of the interval (stats/percentile.h), as
   ovl_field_estimate gives it. */
struct ovl_estimate ovl_percentile_of(const struct ovl_field *f, const struct ovl_cell *cell);

/* Those that the runs were asked for (--percentiles), each once; that options of a run line ask for besides. */
void ovl_percentiles_asked(const struct ovl_run *runs, size_t count, struct ovl_numbers *asked);
void ovl_percentiles_add(struct ovl_numbers *asked, const json_t *options);

/* The run is shown as if it had been asked for these. */
void ovl_percentiles_ask(struct ovl_run *run, const struct ovl_numbers *asked);

/* How many blocks give each of them an interval with both ends; 0 for none. */
size_t ovl_percentiles_blocks(const struct ovl_numbers *asked);

/* Of which quantities these are shown: those of communication that have a start of their own, C, B, T and streams. */
bool ovl_percentile_shown(const struct ovl_field *quantity);

/* Puts into a cell with its samples those that the run was asked for, of each of these quantities that was sampled, as
   they stand in its line: {"total_seconds": {"p99": {"value": ...}}}. */
void ovl_percentiles_fill(struct ovl_cell *cell, const struct ovl_run *run);

#endif
