/* A plan of launches: read, checked, put in order, and each made into a command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_PLAN_H
#define OVL_TOOL_PLAN_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

struct ovl_launch {
    json_t *job;    /* lent by the plan */
    size_t number;  /* 1 .. launches of its job */
    double seconds; /* its time limit */
};

struct ovl_plan {
    json_t *json;
    struct ovl_launch *launch; /* in the order in which they are to run */
    size_t count;
};

/* -1 with *err: OVL_WRONG_DATA with file, line and field when the plan is damaged. */
int ovl_plan_load(struct ovl_plan *p, const char *path, struct ovl_error *err);
void ovl_plan_free(struct ovl_plan *p);

const char *ovl_launch_job(const struct ovl_launch *l);

/* How many launches the job of that index has. */
size_t ovl_plan_launches(const struct ovl_plan *p, size_t job);

/* The place of a launch when all are counted job by job, from 0; p->count when the plan has no such launch. */
size_t ovl_plan_place(const struct ovl_plan *p, const char *job, size_t number);

/* The words of a launch that appends its record to `record`, and the variables that it sets besides, both as new
   arrays and objects of texts; NULL when there is no memory. */
json_t *ovl_launch_command(const struct ovl_plan *p, const struct ovl_launch *l, const char *record);
json_t *ovl_launch_environment(const struct ovl_plan *p, const struct ovl_launch *l);

#endif
