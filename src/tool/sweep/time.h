/* How long launches will take: as the log of their sweep has it, else as their options allow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_TIME_H
#define OVL_TOOL_SWEEP_TIME_H

#include "tool/sweep/log.h"

struct ovl_sweep_time {
    double *launch; /* seconds of a launch, by the index of its job: the mean of those that the log has as done. Of a
                       job without one: what it should take, in the proportion in which others did. A program of ovl
                       should take what its options give to measuring, --max-time for each cell of a driver and each
                       problem of an application, without the time that it takes to start; nothing more than its
                       time limit, and what is none of ovl's just that. */
    bool measured;  /* the log has one that is done, of whichever job */
};

/* *t is to be freed. */
void ovl_sweep_time_make(struct ovl_sweep_time *t, const struct ovl_plan *p, const struct ovl_sweep_log *log);
void ovl_sweep_time_free(struct ovl_sweep_time *t);

/* What all wanted launches of the plan, by their index in it, will take. */
double ovl_sweep_time_sum(const struct ovl_sweep_time *t, const struct ovl_plan *p, const bool *wanted);

/* The seconds of "90s", "20m", "1.5h" or "2d". -1 when it is none of these. */
double ovl_sweep_time_read(const char *text);

/* What --budget gives: such a time, or "allocation", what is left of the job of Slurm that this process is in, less
   what it takes to end; 0 where that has no limit. -1 and OVL_USAGE. */
int ovl_sweep_time_budget(const char *text, double *seconds, struct ovl_error *err);

/* "45 s", "12 min", "3.5 h" or "5.2 days". */
void ovl_sweep_time_text(double seconds, char text[32]);

/* Which launches are to run so that all together take no longer than `budget`: wanted[i], given for each launch of the
   plan, becomes false for the others. First come launches that set the work of others, then jobs by priority, those
   without one last, in the order of the plan, and of a job the launches by number. From the first that does not fit on
   all are left out. Returns how many. */
size_t ovl_sweep_time_cut(const struct ovl_sweep_time *t, const struct ovl_plan *p, double budget, bool *wanted);

#endif
