/* Cells of several launches that are the same point: they agree in all that identifies a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_GROUP_H
#define OVL_TOOL_GROUP_H

#include "record/record.h"

enum { OVL_IDENTITY_TEXT = 128 };

/* One thing that tells cells apart. */
struct ovl_identity {
    const char *name; /* as limits files and exports call it */
    bool number;
    /* Writes it, "" where the cell has none. */
    void (*text)(char text[OVL_IDENTITY_TEXT], const struct ovl_run *run, const struct ovl_cell *cell);
    const char *usual; /* what needs no word in a label */
};

enum { OVL_IDENTITIES = 37 };
extern const struct ovl_identity ovl_identities[OVL_IDENTITIES];

/* The row of that name, or NULL. */
const struct ovl_identity *ovl_identity_find(const char *name);

struct ovl_member {
    size_t side; /* 0, 1: index of the record it came from */
    const struct ovl_run *run;
    const struct ovl_cell *cell;
    char *key;
};

struct ovl_group {
    const struct ovl_member *member; /* by side, then by the time their run began; one of each launch */
    size_t count;
    char label[256]; /* "ialltoall host 64K", and what tells it from others */
};

struct ovl_groups {
    struct ovl_member *members;
    size_t member_count;
    struct ovl_group *group; /* in the order of the identities: benchmark first, size and mode last */
    size_t count;
    size_t repeated;   /* cells that a run has twice; the first is taken */
    char common[1024]; /* what all groups share besides their label */
};

/* Gathers the cells of up to two records, which must outlive it. -1 when there is no memory. */
int ovl_groups_make(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count,
                    struct ovl_error *err);
void ovl_groups_free(struct ovl_groups *g);

/* How many members of that side a group has; *first is the first of them. */
size_t ovl_group_side(const struct ovl_group *g, size_t side, const struct ovl_member **first);

/* "ialltoall/host/64K": the label with slashes, for tools that want one word. */
void ovl_group_name(const struct ovl_group *g, char name[256]);

/* The identities that are not "" as an object, numbers as numbers. NULL when there is no memory. */
json_t *ovl_group_json(const struct ovl_group *g);

#endif
