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

/* What is still to run and how long it will take, kept as launches end: each costs the same, however many there are. */
struct ovl_sweep_left {
    size_t count;    /* launches still to run */
    bool *open;      /* which, by their places (ovl_plan_place) */
    double *seconds; /* by place: what it took, 0 where that is not known */
    struct ovl_sweep_left_job {
        size_t open, done; /* launches to run, and of known seconds */
        double seconds;    /* of the latter all together */
        double expected;   /* what one should take, by its options */
    } * job;
    double known;        /* seconds of those to run of jobs that have one done */
    double unknown;      /* and of all other jobs, by their options */
    double took, should; /* of all of known seconds: what they took, and what they should have by their options */
};

/* `wanted`: which are to run, by their index in the plan. *left is to be freed. */
void ovl_sweep_left_make(struct ovl_sweep_left *left, const struct ovl_plan *p, const struct ovl_sweep_log *log,
                         const bool *wanted);
void ovl_sweep_left_free(struct ovl_sweep_left *left);

/* It is not to run any more; and it took so long (0: that is not known). */
void ovl_sweep_left_take(struct ovl_sweep_left *left, const struct ovl_launch *l);
void ovl_sweep_left_took(struct ovl_sweep_left *left, const struct ovl_launch *l, double seconds);

/* What all that is to run will take. */
double ovl_sweep_left_seconds(const struct ovl_sweep_left *left);

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
