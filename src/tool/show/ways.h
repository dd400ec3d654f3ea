/* Who carries the communication, side by side: the host without and with test calls, progress threads, workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SHOW_WAYS_H
#define OVL_TOOL_SHOW_WAYS_H

#include "table/columns.h"
#include "tool/cells/setting.h"

enum { OVL_WAY_NAME = 40, OVL_WAY_WHO = 160, OVL_WAY_END_TEXT = 448 };

/* One way of doing the same work, over its launches. */
struct ovl_way {
    const struct ovl_group *group;
    json_t **place;          /* of each launch (place.h); owned */
    char *work;              /* what all rivals of a set have in common; owned */
    char name[OVL_WAY_NAME]; /* blocking, host, host-t, library (host, with the library's own threads), thread, dpu; of
                                hosts in a job that the plan has as a baseline its word for it (tuned, tuned-t) */
    bool twin;               /* another one of the same work has that name: who it is say its label and its job */
    bool numbered;           /* each launch has a number, which no other of them has (tool/cells/turns.h) */
    size_t launches;         /* with a claim; where none has one, values are those of all of them */
    size_t wrong;            /* launches with wrong data: it is nobody's rival, and wins and loses nothing */
    bool lost;               /* launches that have no valid cell are more than half as many as those that have it
                                (tool/cells/lost.h): what is left says nothing of it */
    char mixed[OVL_SETTING_MIXED]; /* in what launches that count differ besides their places, such as UCX_RNDV_THRESH:
                       they are several ways, of which the quickest is no rival by itself; "" where they are one */
    struct ovl_estimate total, per_core;
    struct ovl_estimate to_host;         /* T / T of the quickest host without tests */
    double slowdown, hidden, omb, cores; /* cores 0: ranks, workers or threads share theirs */
    double core_seconds, cpu_seconds;    /* of all cores it has; that all ranks, threads and workers burn in a T */
};

struct ovl_ways {
    struct ovl_groups groups;
    struct ovl_way *way; /* by their work, then as `name` has them */
    size_t count;
    size_t left_out; /* whose very point another job of the plan has in more launches: they gave others their work */
};

/* Of a record that must outlive it. ovl_ways_free frees it. */
void ovl_ways_make(struct ovl_ways *t, const struct ovl_record *record);
void ovl_ways_free(struct ovl_ways *t);

/* Of how many pairs of launches the one is far slower than the other, where these are too many to be chance and fewer
   than half (stats/stalls.h, with its usual margin): the median says nothing of them. */
size_t ovl_way_stalls(const struct ovl_way *one, const struct ovl_way *other);

/* T of the one / T of the other: the median over pairs with its exact interval, which needs 6 of them. A pair is of one
   run, or of the launches of one number, or where they have none that came first on either side, second, and so on,
   where these did the same work on the same machine and with the same libraries. NaN: there is none. */
struct ovl_estimate ovl_way_ratio(const struct ovl_way *one, const struct ovl_way *other);

/* How many pairs of launches with a claim that is over, and how many launches with one, of both, are in none. */
size_t ovl_way_pairs(const struct ovl_way *one, const struct ovl_way *other, size_t *unmatched);

/* Were those pairs taken in turns (tool/cells/turns.h)? */
bool ovl_way_in_turns(const struct ovl_way *one, const struct ovl_way *other);

/* In what no launch of the one is like any of the other: "hosts[].machine", where their machines differ, or a field of
   place.h. NULL: some are alike in all. */
const char *ovl_way_apart(const struct ovl_way *one, const struct ovl_way *other);

/* Its name, and the job where another one has that name. */
const char *ovl_way_who(const struct ovl_way *r, char text[OVL_WAY_WHO]);

/* Is there a way k, of the set of i? */
bool ovl_ways_same_work(const struct ovl_ways *t, size_t i, size_t k);

enum ovl_way_end { OVL_WAY_WINS, OVL_WAY_DRAWS, OVL_WAY_LOSES, OVL_WAY_OPEN, OVL_WAY_NO_END };

/* How workers end against the quickest other way of their set that did their work, and that in words. They win or draw
   only where nobody of the set may be quicker, of whom too few launches left a valid cell or none did that work.
   NO_END: it is no worker, or has no rival. */
enum ovl_way_end ovl_way_end(const struct ovl_ways *t, size_t i, char text[OVL_WAY_END_TEXT]);

/* The table, and below it where OMB's overlap hides a loss, and where workers win, draw and lose against the best
   other. OVL_WRONG_DATA where a launch has wrong data, else OVL_OK. */
int ovl_ways_print(FILE *out, const struct ovl_record *record);

extern const struct ovl_column ovl_ways_columns[];

#endif
