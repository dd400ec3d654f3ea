/* The node under this process in a build without hwloc: what the kernel itself shows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { UNITS = 64 * OVL_TOPOLOGY_MASK_WORDS };

/* The numbers of a list like "0-1,4" as a mask. How many there are; 0 when there is no such file. */
static int read_list(const char *path, uint64_t mask[OVL_TOPOLOGY_MASK_WORDS])
{
    char text[4096] = "", *end;
    FILE *in = fopen(path, "re");
    memset(mask, 0, OVL_TOPOLOGY_MASK_WORDS * sizeof *mask);
    if (in && !fgets(text, sizeof text, in))
        text[0] = '\0';
    if (in)
        fclose(in);
    for (const char *list = text; *list; list = *end == ',' ? end + 1 : end) {
        long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == list)
            break;
        for (long i = first < 0 ? UNITS : first; i <= last && i < UNITS; i++)
            mask[i / 64] |= (uint64_t)1 << i % 64;
    }
    return ovl_bits_count(mask, OVL_TOPOLOGY_MASK_WORDS);
}

/* "model name" on x86, "cpu" on POWER; other kernels give numbers only. */
static void read_model(struct ovl_topology *t)
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    char line[256];
    while (in && !*t->cpu && fgets(line, sizeof line, in))
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu\t", 4) == 0) {
            char *value = strchr(line, ':');
            value = value ? value + 1 + strspn(value + 1, " ") : line;
            snprintf(t->cpu, sizeof t->cpu, "%.*s", (int)strcspn(value, "\n"), value);
        }
    if (in)
        fclose(in);
}

/* The hardware threads of a core go by the first of them. */
static void read_cores(struct ovl_topology *t, const uint64_t *online)
{
    uint64_t siblings[OVL_TOPOLOGY_MASK_WORDS];
    char path[96];
    for (int i = 0; i < UNITS; i++) {
        if (!(online[i / 64] >> i % 64 & 1))
            continue;
        int first = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
        if (read_list(path, siblings) == 0)
            first = i;
        else
            while (!(siblings[first / 64] >> first % 64 & 1))
                first++;
        t->core_of[i] = (int16_t)first;
    }
}

/* The cpuset of this process's cgroup, by cgroup v2 ("0::/path") or v1 ("9:cpuset:/path"). */
static bool read_cpuset(struct ovl_topology *t)
{
    char line[1024], path[1200];
    FILE *in = fopen("/proc/self/cgroup", "re");
    int found = 0;
    while (in && found == 0 && fgets(line, sizeof line, in)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (names[1] == '\0')
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpuset.cpus.effective", group);
        else if (strcmp(names + 1, "cpuset") == 0)
            snprintf(path, sizeof path, "/sys/fs/cgroup/cpuset%s/cpuset.effective_cpus", group);
        else
            continue;
        found = read_list(path, t->allowed);
    }
    if (in)
        fclose(in);
    return found > 0;
}

int ovl_topology_read_node(struct ovl_topology *t, struct ovl_error *err)
{
    struct utsname names;
    uint64_t online[OVL_TOPOLOGY_MASK_WORDS], nodes[OVL_TOPOLOGY_MASK_WORDS];
    if (uname(&names) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "the kernel does not say which it is");
    read_model(t);
    if (!*t->cpu)
        snprintf(t->cpu, sizeof t->cpu, "%s", names.machine);
    long units = sysconf(_SC_NPROCESSORS_ONLN);
    t->units = read_list("/sys/devices/system/cpu/online", online);
    if (t->units == 0)
        t->units = units > 0 ? (int)units : 1;
    int numa = read_list("/sys/devices/system/node/online", nodes);
    t->numa = numa > 0 ? numa : -1;
    read_cores(t, online);
    if (!read_cpuset(t))
        memcpy(t->allowed, online, sizeof t->allowed);
    return 0;
}
