/* How much processor time the control groups of a process leave it: no library is asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_CPU_QUOTA_H
#define OVL_MACHINE_CPU_QUOTA_H

#include <stdint.h>

/* The kernel stops all processes of a group that has used up its quota till the period ends, whatever cores are free.
   Containers get one by `docker --cpus` and by a limit of Kubernetes. */
struct ovl_cpu_quota {
    double cpus;    /* quota / period: processors that it may use on the average; INFINITY: no limit */
    uint64_t group; /* where there is a limit, the same number at all processes of the machine that share it */
};

/* The least of all control groups that this process is in: cpu.max of version 2
   (Documentation/admin-guide/cgroup-v2.rst of the kernel), cpu.cfs_quota_us and cpu.cfs_period_us of version 1
   (Documentation/scheduler/sched-bwc.rst); of equal ones the outermost. What cannot be read, or makes no sense, is no
   limit, and neither is one that a container does not see. `root` is "", or a tree that holds the files of another
   machine. */
struct ovl_cpu_quota ovl_cpu_quota(const char *root);

/* What limits have cost since the groups began, summed over all groups that this process is in: periods in which the
   kernel stopped one, and how long its processors together stood. NaN where no group tells. */
struct ovl_cpu_throttled {
    double periods, seconds;
};

/* cpu.stat of both versions: nr_throttled, and throttled_usec or throttled_time (ns). */
struct ovl_cpu_throttled ovl_cpu_throttled(const char *root);

#endif
