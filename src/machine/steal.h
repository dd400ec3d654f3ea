/* How much of the time of its processors a process lost to other guests of the hypervisor: "steal" of /proc/stat. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_STEAL_H
#define OVL_MACHINE_STEAL_H

#include "machine/machine.h"

#include <stdio.h>

/* Sums over processors since the machine started, in the kernel's ticks (mostly 10 ms). */
struct ovl_steal_ticks {
    double stolen, all; /* NaN where the kernel does not tell */
};

struct ovl_steal {
    uint64_t mask[OVL_MACHINE_MASK_WORDS];
    struct ovl_steal_ticks from;
};

/* The first lines of /proc/stat (proc_stat(5)), "cpuN user nice system idle iowait irq softirq steal ...", summed over
   the processors in the mask. */
struct ovl_steal_ticks ovl_steal_read(FILE *in, const uint64_t mask[OVL_MACHINE_MASK_WORDS]);

/* The share of `all` that was stolen between two readings. NaN where it is not known or fewer than 100 ticks have
   passed, of which one would be more than the 1 % that matters. */
double ovl_steal_share(struct ovl_steal_ticks from, struct ovl_steal_ticks to);

/* The processors that this process may run on now. */
void ovl_steal_open(struct ovl_steal *s);

/* The time between begin and end. Where fewer than 100 ticks have passed since the begin before, that one stays: short
   spans, one after the other, are judged together with what went before them. */
void ovl_steal_begin(struct ovl_steal *s);
double ovl_steal_end(const struct ovl_steal *s);

#endif
