/* A plan of launches: read, checked and put in order; launch.h makes commands of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PLAN_PLAN_H
#define OVL_TOOL_SWEEP_PLAN_PLAN_H

#include "base/error.h"
#include "cli/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define OVL_PLAN_NONCE "OVL_NONCE" /* the variable that carries the plan's nonce into each record */

struct ovl_launch {
    json_t *job;    /* lent by the plan */
    size_t of;      /* the index of its job in the plan */
    size_t place;   /* when all are counted job by job, from 0 */
    size_t number;  /* 1 .. launches of its job */
    double seconds; /* its time limit */
    double grace;   /* seconds from asking it to end until it is killed */
};

struct ovl_plan {
    json_t *json;              /* a plain one, whatever its file includes and scans (read.h) */
    size_t scanned;            /* jobs that scans made */
    bool included;             /* a part is of another file */
    struct ovl_launch *launch; /* in the order in which they are to run */
    size_t count;
    json_t *index;     /* of its jobs, by their names */
    json_t *variables; /* all that it sets for any job: one that has such a one from elsewhere must tell that, too */
    size_t *first;     /* the place of each job's first launch, and behind the last job `count` */
};

/* `set`: values of its variables, each NAME=VALUE; NULL: none. -1 with *err: OVL_WRONG_DATA with file, line and field
   when the plan is damaged, OVL_USAGE when a variable is not there or has no value. */
int ovl_plan_load(struct ovl_plan *p, const char *path, const struct ovl_texts *set, struct ovl_error *err);
void ovl_plan_free(struct ovl_plan *p);

const char *ovl_launch_job(const struct ovl_launch *l);

/* What a job says itself, else what the plan says for all; lent, NULL where neither does. */
json_t *ovl_plan_said(const struct ovl_plan *p, const json_t *job, const char *name);

/* What `--name VALUE` or `--name=VALUE` gives among a job's options, the last of several, also by the beginning of the
   name that the program of ovl takes for it; "" where nothing stands behind it; NULL: the option is not there. Lent. */
const char *ovl_plan_option(const json_t *job, const char *name);

/* What a variable is set to for a job; NULL where the plan does not set it. Lent. */
const char *ovl_plan_variable(const struct ovl_plan *p, const json_t *job, const char *name);

/* The words of a job's hook `before` or `after`, lent; NULL where the plan has none. And its time limit. */
const json_t *ovl_plan_hook(const struct ovl_plan *p, const json_t *job, const char *hook);
double ovl_plan_hook_seconds(const struct ovl_plan *p, const json_t *job, const char *hook);
/* Those of both hooks together, of which the plan has none, one or two. */
double ovl_plan_hooks_seconds(const struct ovl_plan *p, const json_t *job);

/* What the plan says that all records of its launches must hold; NULL where it says nothing. */
const char *ovl_plan_nonce(const struct ovl_plan *p);

/* The name by which limits compare with the host cells of that job: "" for a job that is judged itself. */
const char *ovl_plan_baseline(const struct ovl_plan *p, size_t job);

/* The job of that name; NULL: the plan has none. Lent. */
json_t *ovl_plan_job(const struct ovl_plan *p, const char *name);

/* Is its program a proxy of an application (cli/catalog.h)? Those take their work by options of their own. */
bool ovl_plan_of_proxy(const json_t *job);

/* The job whose first launch sets the work of that job's launches; NULL where none does. */
json_t *ovl_plan_work_of(const struct ovl_plan *p, const json_t *job);

/* Of each job by its index: does its first launch set the work of others? The caller frees them. */
bool *ovl_plan_sources(const struct ovl_plan *p);

/* How many launches the job of that index has. */
size_t ovl_plan_launches(const struct ovl_plan *p, size_t job);

/* The place of a launch when all are counted job by job, from 0; p->count when the plan has no such launch. */
size_t ovl_plan_place(const struct ovl_plan *p, const char *job, size_t number);

#endif
