/* What the files of `ovl sweep` share: one sweep at work in its folder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_STATE_H
#define OVL_TOOL_SWEEP_STATE_H

#include "tool/sweep/log.h"
#include "tool/sweep/time.h"
#include "tool/util/lock.h"

#include <stdint.h>

struct ovl_sweep_options {
    int help, dry_run, resume, check, status, digests;
    uint64_t max_failures, retry; /* 0: go on whatever fails; once */
    uint64_t at_once;             /* launches; 0 and 1: one after the other */
    const char *output, *work_from, *budget, *job, *json, *sign;
    struct ovl_texts set; /* values of the plan's variables */
};

struct ovl_sweeping {
    const struct ovl_sweep_options *options;
    struct ovl_plan plan;
    struct ovl_path log_path; /* DIR/sweep.log */
    struct ovl_sweep_lock lock;
    struct ovl_sweep_log log;
    double budget;                   /* seconds; 0: as long as it takes */
    bool *cut;                       /* launches, by their index in the plan, that it or --job leaves out */
    size_t left_out, other_jobs;     /* by the budget, by --job */
    struct ovl_sweep_left left;      /* what is still to run, once launches start */
    const struct ovl_launch *launch; /* that is at work, and which attempt */
    size_t attempt;
    size_t done, failed, doubtful, skipped;
    char other_build[OVL_ERROR_TEXT]; /* why a launch was of another build, which ends the sweep; "" */
};

/* What an attempt leaves: DIR/JOB/003.log, its record .003.jsonl, which no command reads with its folder, and that as
   003.partial when it failed; of the second attempt 003-2.log and so on. */
struct ovl_path ovl_sweep_path(const struct ovl_sweeping *s, const struct ovl_launch *l, size_t attempt,
                               const char *dot, const char *kind);

/* The whole record, of whichever attempt: DIR/JOB/003.jsonl; and is it there? */
struct ovl_path ovl_sweep_record_path(const struct ovl_sweeping *s, const struct ovl_launch *l);
bool ovl_sweep_is_there(const struct ovl_sweeping *s, const struct ovl_launch *l);

/* Which launches --job and the budget leave out. -1 and OVL_USAGE when they leave nothing to run. */
int ovl_sweep_choose(struct ovl_sweeping *s, struct ovl_error *err);

/* What is to run, how long it takes, and what was left out, as comments. */
void ovl_sweep_tell_choice(const struct ovl_sweeping *s);

/* Prints the commands that would run, and what is left out. Returns OVL_OK. */
int ovl_sweep_dry_run(const struct ovl_sweeping *s);

/* Prints what became of each job's launches, and what is at work, by the folder of a sweep that may be. Returns OVL_OK
   when all are done, OVL_WRONG_DATA when an attempt found wrong data, OVL_MISSED when some have failed, else
   OVL_INCONCLUSIVE; -1 where it is no sweep's folder. */
int ovl_sweep_status(const char *folder, struct ovl_sweep_options *o, struct ovl_error *err);

/* How many launches are neither done nor failed: left out by the budget, without the record that sets their work, or
   not reached. And what came of all, at the end. */
size_t ovl_sweep_to_go(const struct ovl_sweeping *s);
void ovl_sweep_summary(const struct ovl_sweeping *s, bool interrupted);
void ovl_sweep_tell_wrong(const struct ovl_sweeping *s);

/* How many attempts found wrong data by the log, whatever a later one did. */
size_t ovl_sweep_wrong(const struct ovl_sweeping *s);

/* What a sweep, or who asks for its status, ends with: OVL_WRONG_DATA, OVL_MISSED where launches have failed,
   OVL_INCONCLUSIVE where something is not known, else OVL_OK. */
int ovl_sweep_code(const struct ovl_sweeping *s, size_t failed, bool unknown);

/* Before the first launch: what is to run. */
void ovl_sweep_begin_left(struct ovl_sweeping *s);

/* Ends the line of the launch of that index, which is not to run any more, with the time that the rest takes;
   with --digests or --sign another one has the SHA-256 of the log's last line, which stands for all lines before. */
void ovl_sweep_tell_left(struct ovl_sweeping *s, size_t launch);

#endif
