/* Free memory by /proc/meminfo, and by the limits of control groups, version 1 and 2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/memory_room.h"
#include "base/path.h"
#include "machine/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    return read_numbers(ovl_path("%s/%s", folder, name).text, first, number);
}

/* What a group leaves. Pages of files count as used there, and are given back first. */
static uint64_t group_room(const char *folder)
{
    static const char *const files[] = {"inactive_file", "active_file", NULL};
    uint64_t limit, used, cached = 0;
    if ((read_number(folder, "memory.max", &limit) != 0 || read_number(folder, "memory.current", &used) != 0) &&
        (read_number(folder, "memory.limit_in_bytes", &limit) != 0 ||
         read_number(folder, "memory.usage_in_bytes", &used) != 0))
        return UINT64_MAX;
    read_numbers(ovl_path("%s/memory.stat", folder).text, files, &cached);
    used -= cached < used ? cached : used;
    return limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void look(void *room, const char *folder)
{
    uint64_t *least_room = room;
    *least_room = least(*least_room, group_room(folder));
}

uint64_t ovl_memory_room(const char *root)
{
    static const char *const available[] = {"MemAvailable:", NULL};
    uint64_t kibi, room = UINT64_MAX;
    uint64_t machine =
        read_numbers(ovl_path("%s/proc/meminfo", root).text, available, &kibi) == 0 ? 1024 * kibi : UINT64_MAX;
    ovl_cgroup_visit(root, "memory", look, &room);
    return least(machine, room);
}

bool ovl_memory_counts_strictly(void)
{
    uint64_t mode;
    return read_number("/proc/sys/vm", "overcommit_memory", &mode) == 0 && mode == 2;
}
