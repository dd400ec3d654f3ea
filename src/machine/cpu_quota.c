/* The CPU bandwidth limits of control groups, version 1 and 2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/cpu_quota.h"
#include "base/path.h"
#include "machine/cgroup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static FILE *open_in(const char *folder, const char *name)
{
    return fopen(ovl_path("%s/%s", folder, name).text, "re");
}

/* 0 where there is none. */
static double read_number(const char *folder, const char *name)
{
    double x = 0;
    FILE *in = open_in(folder, name);
    if (in && fscanf(in, "%lf", &x) != 1)
        x = 0;
    if (in)
        fclose(in);
    return x;
}

/* "max 100000", and -1 of version 1, are no limit: they are no positive numbers. */
static double limit_of(const char *folder)
{
    double quota = 0, period = 0;
    FILE *in = open_in(folder, "cpu.max");
    if (in && fscanf(in, "%lf %lf", &quota, &period) != 2)
        quota = 0;
    if (in)
        fclose(in);
    else {
        quota = read_number(folder, "cpu.cfs_quota_us");
        period = read_number(folder, "cpu.cfs_period_us");
    }
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static void look(void *least, const char *folder)
{
    struct ovl_cpu_quota *q = least;
    struct stat of;
    double cpus = limit_of(folder);
    if (!(cpus <= q->cpus) || isinf(cpus) || stat(folder, &of) != 0)
        return;
    q->cpus = cpus;
    q->group = of.st_ino;
}

struct ovl_cpu_quota ovl_cpu_quota(const char *root)
{
    struct ovl_cpu_quota q = {.cpus = INFINITY};
    ovl_cgroup_visit(root, "cpu", look, &q);
    return q;
}

static void add_throttled(void *sum, const char *folder)
{
    struct ovl_cpu_throttled *t = sum;
    char name[64];
    double x;
    FILE *in = open_in(folder, "cpu.stat");
    while (in && fscanf(in, "%63s %lf", name, &x) == 2) {
        if (strcmp(name, "nr_throttled") == 0)
            t->periods = isnan(t->periods) ? x : t->periods + x;
        double unit = strcmp(name, "throttled_usec") == 0 ? 1e-6 : strcmp(name, "throttled_time") == 0 ? 1e-9 : 0;
        if (unit > 0)
            t->seconds = (isnan(t->seconds) ? 0 : t->seconds) + unit * x;
    }
    if (in)
        fclose(in);
}

struct ovl_cpu_throttled ovl_cpu_throttled(const char *root)
{
    struct ovl_cpu_throttled t = {NAN, NAN};
    ovl_cgroup_visit(root, "cpu", add_throttled, &t);
    return t;
}
