/* The same launch on every node or pair of nodes ("each" of a plan): which of them are slow, and the largest set
   without one that is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_NODES_NODES_H
#define OVL_TOOL_NODES_NODES_H

#include "record/record.h"
#include "tool/cells/metric.h"
#include "tool/sweep/log.h"

#include <stdio.h>

struct ovl_nodes_how {
    const struct ovl_field *metric; /* one that is compared by ratio */
    double within;                  /* how much worse than the median of all is still well */
    bool any_work;
    bool working; /* a sweep is at work in the folder: a launch without an end is no failure yet */
};

/* From the best to the worst. */
enum ovl_place_state {
    OVL_PLACE_GOOD,
    OVL_PLACE_UNSURE, /* its median is beyond, but not each of its launches; or some are that stall; or a launch has no
                         value that counts; or it, or one of its launches, lacks a cell, or it has one that is compared
                         with none; or it was measured when the others were not */
    OVL_PLACE_OPEN,   /* something was not measured yet, or its record is not there, or nothing could be compared */
    OVL_PLACE_ELSEWHERE, /* its launches ran on other nodes than the plan says */
    OVL_PLACE_SLOW,      /* in some cell each launch is beyond */
    OVL_PLACE_FAILED,    /* a launch failed, or has wrong data */
    OVL_PLACE_STATES
};
extern const char *const ovl_place_words[OVL_PLACE_STATES];

/* A node, or a pair. */
struct ovl_place {
    size_t node[2];
    size_t nodes; /* 1 or 2 */
    char *name;   /* "n1", "n1 n2" */
    double worst; /* its median over that of all places, in the cell where it is worst; where more is better the other
                     way round, so that more is worse. NaN: it has none */
    const char *where;      /* that cell */
    size_t launches;        /* with a record */
    size_t failed, open;    /* without one */
    size_t cells, compared; /* that it has, and of these, that were held against those of others */
    size_t unknown;         /* that it has and that were not, or that it lacks */
    size_t partly;          /* that one of its launches has, and another lacks */
    bool late;              /* over a quarter of its launches of a cell were not taken in turns with those of others */
    enum ovl_place_state state;
    char elsewhere[80]; /* where it ran in its stead */
};

struct ovl_nodes {
    struct ovl_nodes_how how;
    char **name; /* of nodes */
    size_t count;
    struct ovl_place *place; /* the worst first */
    size_t places;
    char **cell; /* labels */
    size_t cells;
    size_t compared[2]; /* of these, those that were compared for single nodes, and for pairs */
    size_t alone;       /* of these, measured at fewer than three places: nothing to compare with */
    size_t unlike;      /* of these, of launches that did not the same work */
    bool *good;         /* of each node: is it in the largest good set? Not where nothing is known of it by itself */
    size_t good_count;
    bool largest;  /* no larger one exists, for sure */
    json_t *files; /* how many files of records each job has */
};

/* The launches of which a record is there, by "JOB NUMBER": to be asked before a filter leaves any out. To be given
   back by json_decref. */
json_t *ovl_nodes_there(const struct ovl_record *record);
bool ovl_nodes_is_there(const json_t *there, const char *job, size_t number);

/* A number for each job of the plan: the same where only names and hosts differ, as "each" makes jobs. To be given back
   by json_decref. */
json_t *ovl_nodes_kinds(const struct ovl_plan *plan);
/* What values must share to be of one cell: the point, and the kind of the job. To be freed. */
char *ovl_nodes_key(const struct ovl_member *m, const json_t *kinds);

/* Counts the launches of each place that left a record, and fills `files`. `of`: the place of each job. */
void ovl_nodes_count_launches(struct ovl_nodes *n, const struct ovl_record *record, const json_t *of);

/* Of a sweep's folder: its plan, its log (without lines: which launches failed is not known), the launches that left a
   record, and all of these. -1 and OVL_USAGE: no job of the plan is of one node or two. */
int ovl_nodes_make(struct ovl_nodes *n, const struct ovl_plan *plan, const struct ovl_sweep_log *log,
                   const json_t *there, const struct ovl_record *record, const struct ovl_nodes_how *how,
                   struct ovl_error *err);
void ovl_nodes_free(struct ovl_nodes *n);

/* Of the launches of one cell that have a value, and their places: marks places of which over a quarter began when more
   than half of the others were not at that number (tool/cells/turns.h). */
void ovl_nodes_mark_late(struct ovl_nodes *n, const struct ovl_run *const *run, const size_t *place, size_t count);

void ovl_nodes_print(FILE *out, const struct ovl_nodes *n);
json_t *ovl_nodes_answer(const struct ovl_nodes *n);

/* OVL_MISSED where a place is slow or failed; OVL_INCONCLUSIVE where one is not known, or no cell could be compared. */
int ovl_nodes_exit(const struct ovl_nodes *n);

/* good_nodes.c. Finds n->good, n->good_count and n->largest: who is not bad by itself, nor known by no pair, without
   two that are a bad pair. */
void ovl_nodes_find_good(struct ovl_nodes *n);

#endif
