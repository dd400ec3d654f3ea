/* Several sides, such as the jobs of a sweep, on the same work: which is best, and how far the others are from one of
   them (stats/ranking.h). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_RANK_RANK_H
#define OVL_TOOL_RANK_RANK_H

#include "stats/ranking.h"
#include "tool/cells/group.h"
#include "tool/cells/metric.h"
#include "tool/rank/sides.h"

#include <stdio.h>

struct ovl_rank_how {
    const struct ovl_field *metric;
    const char *reference; /* the name of a side; NULL: the best one */
    bool paired;           /* launches of one number were taken in turns */
    bool any_work;         /* rank totals at unequal units too */
    bool filtered;         /* cells were chosen */
};

/* One side in one work. */
struct ovl_rank_entry {
    size_t side;     /* its index among all */
    double median;   /* of its launches that count, of the metric; of all works together NaN */
    size_t launches; /* that count */
    size_t all;      /* that it has */
};

struct ovl_rank_work {
    char label[256];       /* "ialltoall 64K"; "all 4 together" */
    const char *benchmark; /* lent by a cell; NULL of all together */
    struct ovl_rank_entry *entry;
    struct ovl_ranking ranking; /* of its entries, by index; `value` is its own */
    size_t *order;              /* entries as they are shown, the best first */
    const char *fault;          /* why there is no ranking; NULL: there is one */
};

struct ovl_rank {
    struct ovl_rank_how how;
    char **side; /* their names, in the order of the letters */
    size_t sides;
    size_t reference; /* the one, or `sides`: each work's best */
    struct ovl_rank_work *work;
    size_t count;
    struct ovl_rank_work all;   /* the geometric mean over all works, of sides that have each of them; count 0: none */
    size_t needed;              /* launches with which sides can have places of their own */
    size_t left_out;            /* cells of launches that gave others their work, which are no side */
    struct ovl_rank_lost *lost; /* what would be sides, had any of their launches left a cell */
    size_t losts;
};

/* Ranks what one record has, of which `groups` are the cells. Sides are named by the paths that were given: of one path
   its jobs, of several the paths; with the mode where a side has several. -1 and OVL_USAGE: there are not two sides,
   those without a cell counted, the reference is none, or they have no numbers to pair them by. */
int ovl_rank_make(struct ovl_rank *r, const struct ovl_groups *groups, const struct ovl_rank_how *how,
                  char *const *paths, size_t path_count, struct ovl_error *err);
void ovl_rank_free(struct ovl_rank *r);

/* Has a side no cell of a work, and one of another work of the same benchmark? So it is where its launches left a size
   out: its place there is not known. */
bool ovl_rank_lacks(const struct ovl_rank *r, const struct ovl_rank_work *w, size_t side);

/* The place of one entry of a work: "1", or "1-3" where several are possible. */
void ovl_rank_place(const struct ovl_ranking_side *s, char text[48]);

/* From the reference to the entry, with its interval: a ratio, or a difference. */
struct ovl_estimate ovl_rank_change(const struct ovl_rank *r, const struct ovl_ranking_side *s);

/* Prints the tables, and what they say of each side against the reference. */
void ovl_rank_print(FILE *out, const struct ovl_rank *r);

/* All of it for --json (tool/util/answer.h). */
json_t *ovl_rank_answer(const struct ovl_rank *r);

/* OVL_WRONG_DATA where a launch has wrong data; OVL_INCONCLUSIVE where there is a work that has no ranking, too few
   launches for any side to have a place of its own, or a side all of whose launches are lost; else OVL_OK. */
int ovl_rank_exit(const struct ovl_rank *r);

#endif
