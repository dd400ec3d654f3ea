/* Cells of several launches that are the same point (tool/cells/point.h), of each job of a plan by themselves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_GROUP_H
#define OVL_TOOL_CELLS_GROUP_H

#include "record/record.h"

#include <stdio.h>

enum { OVL_MEMBER_JOB = 104, OVL_GROUP_LABEL = 256 };

struct ovl_member {
    size_t side; /* 0, 1: index of the record it came from */
    const struct ovl_run *run;
    const struct ovl_cell *cell;
    char *key;
    char job[OVL_MEMBER_JOB]; /* of the plan beside its folder; "" without */
    bool apart;               /* another job of the plan measured the same point: the group is of this job (apart.h) */
    bool twice;               /* its run has the cell twice, both with a claim: nobody knows which is it */
    bool again; /* it has the very samples of a member before it, of another launch: it measured nothing */
};

struct ovl_group {
    const struct ovl_member *member; /* by side, then by the time their run began; one of each launch */
    size_t count;
    char label[OVL_GROUP_LABEL]; /* "ialltoall host 64K", and what tells it from others; "…" ends one that is cut */
};

struct ovl_groups {
    struct ovl_member *members;
    size_t member_count;
    struct ovl_group *group; /* in the order of ovl_fields_point: benchmark first, size and mode late */
    size_t count;
    size_t repeated; /* cells that a run has twice */
    size_t again;    /* cells that have the very samples of another launch's, and the first one */
    const struct ovl_member *again_first;
    const struct ovl_record *record[2]; /* of each side; lent */
    size_t record_count;
    char common[1024]; /* what all groups share besides their label */
};

/* Gathers the cells of up to two records, which must outlive it. Of a cell that a run has twice the one without a claim
   counts, and where both have one neither (`twice`). */
void ovl_groups_make(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count);

/* The same of one record, where a cell that a run has twice is two members: a judge takes the worse one. */
void ovl_groups_make_all(struct ovl_groups *g, const struct ovl_record *record);
void ovl_groups_free(struct ovl_groups *g);

/* "repeated": it is `again` or `twice`; "impossible": its stored values cannot be; NULL: neither. */
const char *ovl_member_odd(const struct ovl_member *m);

/* Why no value of it may be taken for a measurement over launches: ovl_run_no_claim (record/record.h), or else
   ovl_member_odd. NULL: it may. */
const char *ovl_member_no_claim(const struct ovl_member *m);
bool ovl_member_claims(const struct ovl_member *m);

/* May it by its samples, too (ovl_cell_claims_again), by a clock that is no slower than the run line says? */
bool ovl_member_claims_again(const struct ovl_member *m);

/* How many members of that side a group has; *first is the first of them. */
size_t ovl_group_side(const struct ovl_group *g, size_t side, const struct ovl_member **first);

/* Prints a note of `again`. */
void ovl_groups_note_again(FILE *out, const struct ovl_groups *g);

/* "ialltoall/host/64K": the label with slashes, for tools that want one word. */
void ovl_group_name(const struct ovl_group *g, char name[OVL_GROUP_LABEL]);

/* What identifies the point, but for what is "", as an object, numbers as numbers. */
json_t *ovl_group_json(const struct ovl_group *g);

#endif
