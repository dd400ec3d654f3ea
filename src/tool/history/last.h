/* Is the last launch of each point unlike all before? For who looks each night, when a change (tool/compare/history.h)
   is not to be told yet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_HISTORY_LAST_H
#define OVL_TOOL_HISTORY_LAST_H

#include "tool/compare/history.h"

/* Launches before it that a point must have, the error that all points together may have in a night (each way), and the
   seconds that a point's last launch may lie before the last one of all. */
#define OVL_LAST_ALPHA 0.02
enum { OVL_LAST_LEAST = 20, OVL_LAST_NIGHT = 43200 };

/* How new the newest launch must be, without --within: as new as OVL_LAST_PAUSES times the longest pause between the
   last OVL_LAST_LEAST nights, or a day; launches within OVL_LAST_NIGHT of each other are of one night. */
enum { OVL_LAST_PAUSES = 2 };

struct ovl_last_point {
    const struct ovl_history_point *point;
    double value;         /* of its last launch */
    double usual;         /* the median of those before */
    double worse, better; /* p values of one side, adjusted for all points by Holm's steps */
    bool wrong;           /* a launch within OVL_LAST_NIGHT before its last one, or a later one, has wrong data */
    const char *fault;    /* why it was not looked at; NULL: it was */
};

struct ovl_last {
    struct ovl_last_point *point;
    size_t count, looked_at;
    size_t worse, better; /* points whose last launch is so; wrong data are worse */
    size_t faults;        /* points that were not looked at */

    char newest[32];     /* when the newest launch began, with or without a record; "" where none tells */
    double days, within; /* ago; and how many may be */
    bool ahead;          /* it is dated over a day ahead, so that nothing is known of its age */
    bool stale;          /* that, or these are more, as where a job is run no more */
};

/* Of all points of a history of these groups, which must outlive it: logarithms where values are compared by ratio, and
   all are above 0. `within`: days that the newest launch may be old; 0: as its pauses have it. */
void ovl_last_make(struct ovl_last *l, const struct ovl_history *h, const struct ovl_groups *groups, double within);
void ovl_last_free(struct ovl_last *l);

/* Of them newest, days, within and stale alone, and the lines of these. Returns when the newest launch began. */
double ovl_last_find_newest(struct ovl_last *l, const struct ovl_record *record, double within);
void ovl_last_print_newest(FILE *out, const struct ovl_last *l);

void ovl_last_print(FILE *out, const struct ovl_last *l, const struct ovl_history *h);
json_t *ovl_last_answer(const struct ovl_last *l);
json_t *ovl_last_newest_answer(const struct ovl_last *l);

/* OVL_MISSED where one is worse, OVL_INCONCLUSIVE where a point was not looked at, none is there, or the newest launch
   is too old, else OVL_OK. */
int ovl_last_exit(const struct ovl_last *l);

#endif
