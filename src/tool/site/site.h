/* What a site expects of its systems: values by system, with tolerances and failures that are known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SITE_SITE_H
#define OVL_TOOL_SITE_SITE_H

#include "tool/cells/group.h"
#include "tool/cells/metric.h"

#include <stdio.h>

enum ovl_site_word {
    OVL_SITE_OK,
    OVL_SITE_EXPECTED,     /* worse, as `expect` says */
    OVL_SITE_FIXED,        /* `expect` says worse, and it is not */
    OVL_SITE_BETTER,       /* better than the tolerance: the value is out of date */
    OVL_SITE_INCONCLUSIVE, /* launches on both sides of a bound, other work, or too many lost (tool/cells/lost.h) */
    OVL_SITE_MISSING,
    OVL_SITE_WORSE,
    OVL_SITE_WRONG, /* a launch has wrong data */
    OVL_SITE_WORDS
};
extern const char *const ovl_site_words[OVL_SITE_WORDS];

/* A rule, and a cell that it is about. */
struct ovl_site_row {
    const char *system; /* lent by the references */
    const json_t *rule; /* the same */
    const struct ovl_field *metric;
    char *label;             /* of the cell; of one that is missing what the rule matches */
    double value, low, high; /* over launches: their median, and its interval or, of fewer than 6, the least and most */
    size_t launches;         /* that count */
    size_t beyond;           /* of them: how many are worse than the bound */
    enum ovl_site_word word;
    const char *reason; /* of INCONCLUSIVE, EXPECTED; "" */
    char told[240];     /* of OK, BETTER and FIXED, where some launches are beyond; in what launches differ; "" */
};

struct ovl_site {
    struct ovl_site_row *row;
    size_t count;
    size_t systems;                 /* that were looked at */
    size_t absent;                  /* that no launch is of, without --system */
    const char *absent_first;       /* the first of them */
    size_t strangers;               /* launches on hosts of no system */
    const struct ovl_run *stranger; /* the first of them */
    size_t wrong;                   /* cells with wrong data that no rule is of */
    char wrong_first[208];          /* the first of them */
    size_t gone;                    /* launches without a record, of jobs that left no cell */
    const char *gone_first;         /* the first of them */
};

/* Reads and checks the file. NULL with *err: OVL_WRONG_DATA with file, line and field. */
json_t *ovl_site_load(const char *path, struct ovl_error *err);

/* Judges the launches of a record, each by the first system whose `hosts` all of its hosts match, or all of them by the
   one named. Both must outlive *s. `filtered`: cells were left out of it. -1 and OVL_USAGE: no such system, or no
   launch is of one. */
int ovl_site_make(struct ovl_site *s, const json_t *references, const char *system, const struct ovl_record *record,
                  bool filtered, struct ovl_error *err);
void ovl_site_free(struct ovl_site *s);

void ovl_site_print(FILE *out, const struct ovl_site *s);
json_t *ovl_site_answer(const struct ovl_site *s);

/* OVL_WRONG_DATA, OVL_MISSED where something is worse, OVL_INCONCLUSIVE where something is missing, not known, or no
   longer as the file has it. */
int ovl_site_exit(const struct ovl_site *s);

#endif
