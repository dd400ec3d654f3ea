/* The machine under this process in a build without hwloc: what the kernel itself shows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "machine/machine.h"
#include "machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PROCESSORS = 64 * OVL_TOPOLOGY_MASK_WORDS };

static void first_line(const char *path, char *text, int room)
{
    FILE *in = fopen(path, "re");
    text[0] = '\0';
    if (in && fgets(text, room, in))
        text[strcspn(text, "\n")] = '\0';
    if (in)
        fclose(in);
}

/* How many numbers a list like "0-1,4" has. */
static int list_count(const char *list)
{
    int n = 0;
    for (char *end; *list; list = *end == ',' ? end + 1 : end) {
        long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == list || last < first)
            return n;
        n += (int)(last - first) + 1;
    }
    return n;
}

static bool allowed(const struct ovl_topology *t, int processor)
{
    return processor < PROCESSORS && t->mask[processor / 64] >> processor % 64 & 1;
}

static void read_binding(struct ovl_topology *t)
{
    size_t n = 0;
    t->bound = ovl_bits_count(t->mask, OVL_TOPOLOGY_MASK_WORDS) < t->cores;
    for (int first = 0, last; first < PROCESSORS && n < sizeof t->binding; first = last + 1) {
        last = first;
        if (!allowed(t, first))
            continue;
        while (allowed(t, last + 1))
            last++;
        const char *comma = n > 0 ? "," : "";
        n += (size_t)snprintf(t->binding + n, sizeof t->binding - n, last > first ? "%s%d-%d" : "%s%d", comma, first,
                              last);
    }
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

int ovl_topology_load(struct ovl_topology *t, struct ovl_error *err)
{
    struct utsname names;
    struct ovl_machine machine;
    char nodes[1024];
    memset(t, 0, sizeof *t);
    ovl_machine_identify(&machine);
    if (uname(&names) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "the kernel does not say which it is");
    memcpy(t->host, machine.host, sizeof t->host);
    t->machine = machine.id;
    t->clock = machine.clock;
    memcpy(t->mask, machine.mask, sizeof t->mask);
    snprintf(t->kernel, sizeof t->kernel, "%s %s", names.sysname, names.release);
    read_model(t);
    if (!*t->cpu)
        snprintf(t->cpu, sizeof t->cpu, "%s", names.machine);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    t->cores = processors > 0 ? (int)processors : 1;
    first_line("/sys/devices/system/node/online", nodes, sizeof nodes);
    t->numa = *nodes ? list_count(nodes) : -1;
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", t->governor, sizeof t->governor);
    read_binding(t);
    return 0;
}
