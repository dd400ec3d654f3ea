/* The situation of a run of a collective: what its cells and its head come to, from which findings and advice follow.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_SITUATION_H
#define OVL_TABLE_SITUATION_H

#include "record/record.h"

/* See finding.h. */
enum ovl_finding_kind { OVL_FOUND_HARM, OVL_FOUND_LITTLE, OVL_FOUND_PART, OVL_FOUND_MOST };

/* What is known of a mode: of its largest sizes, as far down as the same kind goes. */
struct ovl_facts {
    const char *mode;
    size_t cells, claims, usable; /* usable: with a hidden part that is known */
    size_t vague;                 /* with a claim, and a hidden part that is not */
    size_t silent;                /* of the work that is looked at, and not usable */
    const struct ovl_cell *largest, *smallest;
    bool all; /* these are all usable sizes */
    enum ovl_finding_kind kind;
    double low, high; /* least and greatest hidden part */
    double slowdown;  /* of the work beside the communication, at the largest size: low end of the interval */
    double speedup;   /* against computing first and calling the blocking twin then: high end */
    struct ovl_estimate total_ratio; /* T of the mode / T of host mode at the largest size; NaN where there is none */
    size_t wide;                     /* usable cells whose interval is wide, or rests on few blocks */
};

/* The workers' mode is dpu. */
struct ovl_situation {
    const struct ovl_run *run;
    struct ovl_facts host, thread, dpu;
    bool oversubscribed; /* ranks and workers have fewer cores than they are */
    bool wrong_data;
    bool workers_share;   /* cores, of which there would be enough for the ranks */
    double cores, wanted; /* then: of a node, and those that they want */
    bool alone;           /* one rank communicates with nobody */
    bool no_workers;      /* that could do the operation: --mode dpu is refused, or there is no core for one */
    double tests;         /* test calls */
    double ratio;         /* nearest to 1, of those measured; NaN: fixed work */
    char invalid[256];    /* the reason of an invalid cell */
    double dpu_from; /* dpu mode's T is below the host's from that size on, and above at the smallest one; else NaN */
};

/* Of a run with at least a cell. */
void ovl_situation_look(struct ovl_situation *s, const struct ovl_run *run);

/* next.c. What to try next, by the first rule that holds, in a text of OVL_FINDING_TEXT bytes; "" where nothing
 * follows. */
void ovl_situation_next(const struct ovl_situation *s, char *next);

#endif
