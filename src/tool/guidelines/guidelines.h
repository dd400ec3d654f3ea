/* Performance guidelines: an operation should be no slower than what does the same by others (Traff, Gropp, Thakur,
   IEEE TPDS 21, 2010; ReproMPI, Hunold and Carpen-Amarie), here of non-blocking operations, by their communication
   alone; and workers should finish the same work no later than the host. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_GUIDELINES_GUIDELINES_H
#define OVL_TOOL_GUIDELINES_GUIDELINES_H

#include "stats/family.h"
#include "stats/stalls.h"
#include "tool/cells/group.h"

/* One guideline at one size. */
struct ovl_guideline {
    const char *text;                /* "iallreduce <= ireduce + ibcast" */
    const struct ovl_member *member; /* of the left side */
    struct ovl_family_cell *test;    /* losses are logarithms: left against right */
    size_t stalls;                   /* pairs whose left side stalls (stats/stalls.h); 0: none beyond chance */
    const char *unknown;             /* why it is not known, whatever the pairs that are left say; NULL: it may be */
};

struct ovl_guidelines {
    struct ovl_guideline *row; /* by guideline and size */
    struct ovl_family_cell *test;
    size_t count;
    size_t needed;     /* pairs with which one of them can be broken at all */
    size_t unlike;     /* that workers and host did not the same work for */
    size_t apart;      /* pairs of launches on different machines, or in different settings */
    char apart_in[80]; /* in what the first of them differ */
    size_t later;      /* guidelines, over a quarter of whose launches were not taken in turns (tool/cells/turns.h) */
    size_t unmatched;  /* guidelines of which more launches have no partner than half of those that have one */
    size_t elsewhere;  /* guidelines whose right side was measured in other settings alone, such as on other nodes */
    const char *elsewhere_in; /* the field in which the first of these differs */
    size_t left_out;          /* cells of launches that gave others their work (ovl_group_gave_work) */
    size_t wrong;             /* cells with wrong data in a launch */
    size_t lost;              /* cells of which too many launches are lost (ovl_lost_many) */
    size_t gone;              /* launches without a record of jobs that left no cell, of which nothing could be tried */
    const char *gone_first;   /* what the first of them left, or would have; lent by the groups' record */
};

/* Tries each guideline of whose both sides there are cells, launch by launch of the same number, as one family: what
   may be broken by less than `margin`, a part of the right side, is kept. `filtered`: of launches without a record,
   those of a benchmark that no cell has were not asked for. -1 and OVL_USAGE: launches have no numbers. To be freed in
   any case. */
int ovl_guidelines_make(struct ovl_guidelines *g, const struct ovl_groups *groups, double margin, bool filtered,
                        struct ovl_error *err);
void ovl_guidelines_free(struct ovl_guidelines *g);

/* lost.c: counts cells with wrong data, lost ones, and launches without a record. */
void ovl_guidelines_find_lost(struct ovl_guidelines *g, const struct ovl_groups *groups, bool filtered);

/* Prints them, and returns OVL_WRONG_DATA where a launch has wrong data, OVL_MISSED where one is broken,
   OVL_INCONCLUSIVE where one is not known, launches are lost, gone or apart, a side was measured elsewhere, or there is
   none, else OVL_OK. */
int ovl_guidelines_print(const struct ovl_guidelines *g, double margin);

/* The same as JSON, for ovl_answer_write(). */
json_t *ovl_guidelines_answer(const struct ovl_guidelines *g, double margin);

#endif
