/* Free memory by /proc/meminfo, and by the limits of control groups, version 1 and 2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/memory_room.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

/* The sum of the numbers behind those words, each at the beginning of a line; -1 where there is none of them. `words`
   is a list that NULL ends; "" is the number at the beginning. */
static int read_numbers(const char *path, const char *const *words, uint64_t *sum)
{
    char line[256];
    int found = 0;
    FILE *in = fopen(path, "re");
    *sum = 0;
    while (in && fgets(line, sizeof line, in))
        for (const char *const *w = words; *w; w++) {
            uint64_t number;
            if (strncmp(line, *w, strlen(*w)) == 0 && sscanf(line + strlen(*w), " %" SCNu64, &number) == 1) {
                *sum += number;
                found++;
            }
        }
    if (in)
        fclose(in);
    return found ? 0 : -1;
}

static int read_number(const char *folder, const char *name, uint64_t *number)
{
    static const char *const first[] = {"", NULL};
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_numbers(path, first, number);
}

/* What a group leaves. Pages of files count as used there, and are given back first. */
static uint64_t group_room(const char *folder)
{
    static const char *const files[] = {"inactive_file", "active_file", NULL};
    uint64_t limit, used, cached = 0;
    char path[PATH + 64];
    if ((read_number(folder, "memory.max", &limit) != 0 || read_number(folder, "memory.current", &used) != 0) &&
        (read_number(folder, "memory.limit_in_bytes", &limit) != 0 ||
         read_number(folder, "memory.usage_in_bytes", &used) != 0))
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    read_numbers(path, files, &cached);
    used -= cached < used ? cached : used;
    return limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The group and all that it is in. In a container the path may be one of outside, and only the topmost is there. */
static uint64_t groups_room(const char *top, char *group)
{
    char folder[PATH];
    uint64_t room = UINT64_MAX;
    for (;;) {
        snprintf(folder, sizeof folder, "%.2000s%.2000s", top, group);
        room = least(room, group_room(folder));
        char *slash = strrchr(group, '/');
        if (!slash)
            return room;
        *slash = '\0';
    }
}

static uint64_t controlled_room(const char *root)
{
    char path[PATH], top[PATH], line[PATH];
    uint64_t room = UINT64_MAX;
    snprintf(path, sizeof path, "%.2000s/proc/self/cgroup", root);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in)) { /* "4:memory:/jobs/1", "0::/jobs/1" */
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (controllers[1] && strcmp(controllers + 1, "memory") != 0)
            continue;
        snprintf(top, sizeof top, "%.2000s/sys/fs/cgroup%s", root, controllers[1] ? "/memory" : "");
        room = least(room, groups_room(top, group));
    }
    if (in)
        fclose(in);
    return room;
}

uint64_t ovl_memory_room(const char *root)
{
    static const char *const available[] = {"MemAvailable:", NULL};
    char path[PATH];
    uint64_t kibi;
    snprintf(path, sizeof path, "%.2000s/proc/meminfo", root);
    uint64_t machine = read_numbers(path, available, &kibi) == 0 ? 1024 * kibi : UINT64_MAX;
    return least(machine, controlled_room(root));
}
