/* Which launches belong together, and how many of them count: those of a job of a sweep, as its plan says, or all that
 * were started with one command. A launch that should be there and is not must not go unseen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_JOBS_H
#define OVL_TOOL_SWEEP_JOBS_H

#include "tool/cells/group.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/sweep/log.h"

#include <sys/types.h>

/* A sweep of which records were given: FOLDER/JOB/NNN.jsonl with FOLDER/plan.json. */
struct ovl_sweep {
    char *folder, *plan_path;
    char *log_path;                       /* FOLDER/sweep.log; NULL when it is not there and attempts are not known */
    char plan_sha256[65], log_sha256[65]; /* taken before they were read */
    struct ovl_plan plan;
    struct ovl_sweep_log log;
    size_t *runs; /* that were given, of each launch, by ovl_plan_place() */
    dev_t device; /* of plan.json: two names of one folder are one sweep */
    ino_t inode;
};

enum { OVL_NO_SWEEP = -1 };

struct ovl_job {
    int sweep;      /* or OVL_NO_SWEEP */
    size_t of_plan; /* its index among the jobs of the sweep's plan */
    char *key;
    size_t launches; /* that count: the plan's; without a plan, the runs of the same folder, benchmark, ranks, nodes,
                        cluster and effective options */
};

struct ovl_jobs {
    const struct ovl_record *record;
    struct ovl_sweep *sweep;
    size_t sweep_count;
    struct ovl_job *job;
    size_t count;
    size_t planless; /* runs beside a sweep.log whose plan.json is gone: what else the sweep had nobody knows */
    json_t *index;   /* of the jobs, by their keys */
    struct ovl_job_run {
        size_t job, launch; /* launch from 0 */
    } * run;                /* of each run of the record */
};

/* Puts the files that have a plan first, so that of two copies of a launch the one of the sweep is read. */
void ovl_jobs_order(struct ovl_inputs *sources);

/* Finds the jobs of all runs of a record, which must outlive *j. A file in the folder of a sweep that is none of its
   launches, and a damaged plan or log, is OVL_WRONG_DATA. Free *j in any case. */
int ovl_jobs_make(struct ovl_jobs *j, const struct ovl_record *record, struct ovl_error *err);
void ovl_jobs_free(struct ovl_jobs *j);

/* The sweep that a run is of, NULL without; *attempts becomes what its log says of that launch, NULL without a log. */
const struct ovl_sweep *ovl_jobs_sweep(const struct ovl_jobs *j, size_t run, const struct ovl_attempts **attempts);

/* The plan's word for the job of a run when that is not judged but compared with ("tuned"); else "". */
const char *ovl_jobs_baseline(const struct ovl_jobs *j, size_t run);

/* Did neither job's launch before or behind end between these two of a sweep, by its log? A plan takes launches of one
   number in turns. */
bool ovl_jobs_in_turns(const struct ovl_jobs *j, size_t run, size_t other);

/* How many launches should have the cell: all launches of the jobs that have a member in the group. slot[i] becomes the
   launch of member i, from 0. */
size_t ovl_jobs_slots(const struct ovl_jobs *j, const struct ovl_group *group, size_t *slot);

#endif
