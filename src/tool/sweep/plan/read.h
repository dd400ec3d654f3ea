/* Plans as people write them, made into plain ones: files that they include, and scans over values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_PLAN_READ_H
#define OVL_TOOL_SWEEP_PLAN_READ_H

#include "base/error.h"
#include "cli/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OVL_PLAN_JOBS = 500, OVL_PLAN_EACH = 2000 }; /* that scans, and "each", may make a plan have */

/* Where a job stands that people wrote, for faults; and its name there where a scan made several of it, else NULL. */
struct ovl_plan_source {
    char *file;
    size_t job;
    char *base;
};

struct ovl_plan_read {
    json_t *json; /* the plain plan: one object, one number of ranks per job, no `include` or `each` */
    struct ovl_plan_source *source; /* of each of its jobs */
    size_t count;
    size_t scanned; /* jobs that scans made */
    bool included;  /* a part is of another file */
};

/* Reads a plan and all that it includes, with the values that `set` gives its variables (-S; NULL: none). Included
   files come first, in their order: what the file says itself counts before what they say, and of variables each by
   itself. A path is relative to the file that names it. A job whose `ranks` or `nodes` is a list, or one of whose
   `options` is one, becomes a job per combination, named by the values; `work_of` such a job means the one of the same
   values. -1 with file, line and field, or as variables.h says. */
int ovl_plan_read(struct ovl_plan_read *r, const char *path, const struct ovl_texts *set, struct ovl_error *err);
void ovl_plan_read_free(struct ovl_plan_read *r);

/* Adds what a job of a file becomes; see plan_scan.c. */
int ovl_plan_scan(struct ovl_plan_read *r, const char *file, const json_t *jobs, size_t job, struct ovl_error *err);

#endif
