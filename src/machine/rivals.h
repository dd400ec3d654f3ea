/* Rivals: processes of others on the processors of a job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_RIVALS_H
#define OVL_MACHINE_RIVALS_H

#include "machine/machine.h"

#include <stdbool.h>
#include <stddef.h>

struct ovl_rival {
    int id;
    bool on;        /* it ran last on one of the processors */
    double seconds; /* of processor time since it began */
};

struct ovl_rivals {
    struct ovl_rival *list; /* in order of their numbers */
    size_t count;
};

/* The processes that can be seen from here, by /proc/N/stat (proc_pid_stat(5)); without those of `ours`, which is in
   ascending order, their children, and the kernel's own. `root` is "", or a tree that holds the files of another
   machine. Takes about 10 us a process. The caller frees it. */
void ovl_rivals_read(struct ovl_rivals *r, const char *root, const int *ours, size_t our_count,
                     const uint64_t mask[OVL_MACHINE_MASK_WORDS]);
void ovl_rivals_free(struct ovl_rivals *r);

/* For qsort: `ours` in that order. */
int ovl_rivals_order(const void *a, const void *b);

/* How many of them had 5 % of the `seconds` between two readings, and at least two of the kernel's ticks, of which one
   may be chance; and ran on one of the processors at one of the readings. NaN: there are none, and the time is too
   short to see such a share. */
double ovl_rivals_count(const struct ovl_rivals *from, const struct ovl_rivals *to, double seconds);

#endif
