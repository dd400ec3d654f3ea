/* What a sweep finds in its folder: records that earlier parts of it left, and the attempts at each launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_THERE_H
#define OVL_TOOL_SWEEP_THERE_H

#include "tool/sweep/state.h"

/* What the log has of a launch. */
struct ovl_attempts *ovl_sweep_attempts(const struct ovl_sweeping *s, const struct ovl_launch *l);

/* The number of the next attempt: no earlier one is written over, not even one that the log lost. */
size_t ovl_sweep_next_attempt(const struct ovl_sweeping *s, const struct ovl_launch *l);

/* Is what has the name of the launch's record a whole record of it, as --resume asks? Else its attempts say no_record,
   and *why. Nothing of that name is neither. */
bool ovl_sweep_there_ask(const struct ovl_sweeping *s, const struct ovl_launch *l, char why[OVL_ERROR_TEXT]);

/* Are there records, and a sweep.log that is gone or empty, or, once it was read, without a whole line? Then nobody
 * knows how many attempts they took. */
bool ovl_sweep_there_untold(const struct ovl_sweeping *s);

/* At the end: are the log and the records that the sweep made still there, as they were? Else -1 and OVL_ENVIRONMENT.
 */
int ovl_sweep_there_still(const struct ovl_sweeping *s, struct ovl_error *err);

/* Before anything starts. A file that has a record's name and is not the whole record of that launch is renamed to what
   a failed attempt leaves, so that the launch is to run; a whole one that a killed sweep could not name gets its name.
 */
int ovl_sweep_there_look(struct ovl_sweeping *s, struct ovl_error *err);

#endif
