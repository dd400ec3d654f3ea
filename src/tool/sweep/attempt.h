/* One attempt at a launch of a sweep: s->launch, and s->attempt of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_ATTEMPT_H
#define OVL_TOOL_SWEEP_ATTEMPT_H

#include "tool/sweep/state.h"

/* Makes a folder that may be there. -1 and OVL_ENVIRONMENT. */
int ovl_sweep_make_folder(const char *folder, struct ovl_error *err);

/* All of it: its line in the log, hooks, the launch, and what it came to. -1 where the sweep cannot go on. */
int ovl_sweep_attempt_run(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err);

/* Its parts where there are no hooks: the line in the log, the start, and, when it has ended, naming what it came to.
   The line with the record's SHA-256 is in the log before the record has its name: a sweep that is killed between the
   two can go on with it (adopt). `lost` is why a hook lost it, or "". */
int ovl_sweep_attempt_open(struct ovl_sweeping *s, struct ovl_error *err);
int ovl_sweep_attempt_start(const struct ovl_sweeping *s, struct ovl_process_running *running, struct ovl_error *err);
int ovl_sweep_attempt_conclude(struct ovl_sweeping *s, const struct ovl_process *p, const char *lost,
                               struct ovl_error *err);

/* Before anything starts: what launches left that were under way when the sweep was killed becomes partial, and where
   it has wrong data the log says so from then on, by the line of an end. */
int ovl_sweep_attempt_tell_killed(struct ovl_sweeping *s, struct ovl_error *err);

/* Prints which it is, "3/10 job, launch 2: ". */
void ovl_sweep_attempt_tell(const struct ovl_sweeping *s, size_t i);

/* Did the launch fail, or is it to come, whose work this one should do? */
bool ovl_sweep_lacks_work(const struct ovl_sweeping *s, const struct ovl_launch *l);

/* Was what ended interrupted, or does a signal wait since? Then p->how is that: nothing more is started. */
bool ovl_sweep_interrupted(struct ovl_process *p);

/* Have as many failed as --max-failures allows? Does the sweep end after what ended so? */
bool ovl_sweep_failed_enough(const struct ovl_sweeping *s);
bool ovl_sweep_ends(const struct ovl_sweeping *s, struct ovl_process *p);

/* Is there nothing to do for the launch of that index? That is counted or told. */
bool ovl_sweep_passes_over(struct ovl_sweeping *s, size_t i);

#endif
