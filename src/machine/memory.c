/* Memory: what the machine has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/memory.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Linux, Documentation/admin-guide/cgroup-v2.rst: "max", or bytes. */
static double limit_in(const char *path)
{
    double bytes = INFINITY;
    FILE *f = fopen(path, "r");
    if (!f)
        return INFINITY;
    if (fscanf(f, "%lf", &bytes) != 1)
        bytes = INFINITY;
    fclose(f);
    return bytes;
}

double ovl_memory_of_machine(void)
{
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return fmin(there,
                fmin(limit_in("/sys/fs/cgroup/memory.max"), limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")));
}

void ovl_memory_text(double bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int u = 0;
    for (; bytes >= 1024 && u < 5; u++)
        bytes /= 1024;
    snprintf(text, 32, "%.*f %s", u ? 1 : 0, bytes, units[u]);
}
