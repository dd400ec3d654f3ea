/* What `ratio_to` of a limits file compares a total with: the same point, measured in the same launch and in the
 * launches of the same number of other jobs of its sweep, at exactly the same units of work and in the same setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_BASELINE_H
#define OVL_TOOL_ACCEPT_BASELINE_H

#include "tool/accept/planned/alike.h"

/* "blocking": the time of the cells in mode blocking (proxies), else W + B of the cell itself; "host": cells of mode
   host without test calls; "host -t": with test calls; any other name: host cells of the jobs that the plan marks by
   "baseline": NAME. */
struct ovl_baseline {
    const char *name;
    const struct ovl_jobs *jobs;
    const struct ovl_group **group; /* that may hold its cells */
    size_t count;
    unsigned char *seen; /* of each job and each of these groups, for the launch that is compared */
    const struct ovl_alike *alike;
    size_t lacking; /* launches that were asked for, of which a job lacks one of its cells, or has an invalid one */
    size_t unlike;  /* launches of which a cell of it did other work */
    size_t apart;   /* launches of which a cell of it was measured in another setting: `what` has the first */
    char what[OVL_ALIKE_WHAT];
    char passed[200]; /* a word on a job of that baseline that no judged cell is held against; "": there is none */
    size_t slowed;    /* launches whose blocking calls take over 2.5 times as long as non-blocking ones alone */
    size_t later; /* launches of which a cell of it was not taken in turns with the judged one, as the plan has it */
};

/* Finds the cells beside those of a group, some of which are to be judged. */
void ovl_baseline_open(struct ovl_baseline *b, const char *name, const struct ovl_groups *groups,
                       const struct ovl_group *judged, const struct ovl_alike *alike);
void ovl_baseline_close(struct ovl_baseline *b);

/* T of the member over T of the baseline, of several cells the quickest; medians of the samples. What cannot be
   compared with is counted; NaN where there is nothing else. */
double ovl_baseline_ratio(struct ovl_baseline *b, const struct ovl_member *judged);

/* Launches of the cells whose blocking calls take so long, for a metric that the time of blocking calls is part of;
   else 0. */
size_t ovl_baseline_slowed(const struct ovl_group *group, const char *metric);

/* NULL, or what is wrong with a name. */
const char *ovl_baseline_fault(const char *name);

#endif
