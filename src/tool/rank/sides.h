/* Which side each cell is of, and which work it did. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_RANK_SIDES_H
#define OVL_TOOL_RANK_SIDES_H

#include "tool/cells/metric.h"

struct ovl_rank_cell {
    const struct ovl_member *member;
    char *work;     /* the point but for the way in which it is solved */
    size_t side;    /* index of its name */
    size_t launch;  /* index of its number among all of them; or of its launch among its side's */
    bool lost_many; /* in one cell of a side and work: it has lost too many launches (tool/cells/lost.h) */
};

/* A path, or a job of one, all of whose launches are lost: none left a cell. */
struct ovl_rank_lost {
    char *name;
    size_t launches;
};

struct ovl_rank_sides {
    struct ovl_rank_cell *cell; /* by work, side and launch */
    size_t count;
    char **name; /* sorted; taken by who keeps them */
    size_t names;
    size_t launches;            /* how many of them a side may have */
    size_t left_out;            /* cells of launches that gave others their work */
    struct ovl_rank_lost *lost; /* taken by who keeps them */
    size_t losts;
};

/* *paired: launches of one number are one index of all sides; it becomes true where there is one path, whose launches
   were taken in turns, as those of a sweep are. Lost are launches without a value of the metric, too. -1 and OVL_USAGE
   where it is asked for and there are no numbers. What was made is to be freed in any case. */
int ovl_rank_sides_make(struct ovl_rank_sides *s, const struct ovl_groups *groups, char *const *paths,
                        size_t path_count, const struct ovl_field *metric, bool *paired, struct ovl_error *err);

/* The path that the file is in, the job, or both, as names of sides begin. To be freed. */
char *ovl_rank_place_of(const struct ovl_groups *groups, const char *file, char *const *paths, size_t count);

/* lost_sides.c. Adds places of which launches are known, and no cell, or none of a mode that their options had.
   `filtered`: of launches without a record, those of a benchmark that no cell has were not asked for. */
void ovl_rank_find_lost(struct ovl_rank_sides *s, const struct ovl_groups *groups, char *const *paths, size_t count,
                        bool filtered);

/* Is W / C of some side, in the median over its launches that claim, unlike that of another, and were the units other
   ones? What is hidden follows it. `c`: the cells of a work, by sides. */
bool ovl_rank_sides_beside_unlike(const struct ovl_rank_cell *c, size_t count);

/* But for the names. */
void ovl_rank_sides_free(struct ovl_rank_sides *s);

#endif
