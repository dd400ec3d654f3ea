/* Where a rank's progress thread may run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/thread/thread_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS = 64 * OVL_THREAD_PLACE_WORDS };

static bool has(const uint64_t *mask, int unit)
{
    return mask[unit / 64] >> (unit % 64) & 1;
}

static void only(uint64_t *mask, int unit)
{
    memset(mask, 0, OVL_THREAD_PLACE_WORDS * sizeof *mask);
    mask[unit / 64] |= UINT64_C(1) << (unit % 64);
}

static void next_of(const uint64_t *rank, int units, uint64_t *mask)
{
    int last = 0;
    for (int u = 0; u < units && u < PROCESSORS; u++)
        last = has(rank, u) ? u : last;
    int next = (last + 1) % (units > 0 ? units : 1);
    if (has(rank, next))
        memcpy(mask, rank, OVL_THREAD_PLACE_WORDS * sizeof *mask);
    else
        only(mask, next);
}

/* A number, or a range. Behind it, or NULL where there is none. */
static const char *read_range(const char *at, int *from, int *to)
{
    char *end;
    if (!isdigit((unsigned char)*at))
        return NULL;
    long first = strtol(at, &end, 10), last = first;
    if (*end == '-') {
        if (!isdigit((unsigned char)end[1]))
            return NULL;
        last = strtol(end + 1, &end, 10);
    }
    if (first > last || last >= PROCESSORS)
        return NULL;
    *from = (int)first;
    *to = (int)last;
    return end;
}

/* The processor at that place of a list; *count: how many it has. -1: it is none. */
static int unit_of(const char *list, int place, int *count)
{
    int unit = -1, from, to;
    *count = 0;
    for (const char *at = list;;) {
        at = read_range(at, &from, &to);
        if (!at)
            return -1;
        if (place >= *count && place - *count <= to - from)
            unit = from + place - *count;
        *count += to - from + 1;
        if (!*at)
            return unit < 0 ? from : unit;
        if (*at++ != ',')
            return -1;
    }
}

int ovl_thread_place(const char *place, const uint64_t *rank, int units, int number,
                     uint64_t mask[OVL_THREAD_PLACE_WORDS], struct ovl_error *err)
{
    int count;
    if (strcmp(place, "rank") == 0) {
        memcpy(mask, rank, OVL_THREAD_PLACE_WORDS * sizeof *mask);
        return 0;
    }
    if (strcmp(place, "next") == 0) {
        next_of(rank, units, mask);
        return 0;
    }
    if (unit_of(place, 0, &count) < 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--thread-cpu %s: give rank, next, or processors of this machine such as 2,5-7", place);
    int unit = unit_of(place, number % count, &count);
    if (unit >= units)
        return ovl_error_set(err, OVL_USAGE, "--thread-cpu %s: there is no processor %d here; they are 0 to %d", place,
                             unit, units - 1);
    only(mask, unit);
    return 0;
}

void ovl_thread_place_text(const uint64_t *mask, char *text, size_t room)
{
    size_t length = 0;
    text[0] = '\0';
    for (int u = 0, last; u < PROCESSORS; u = last + 1) {
        char part[32];
        last = u;
        if (!has(mask, u))
            continue;
        while (last + 1 < PROCESSORS && has(mask, last + 1))
            last++;
        int n = last > u ? snprintf(part, sizeof part, "%s%d-%d", length ? "," : "", u, last)
                         : snprintf(part, sizeof part, "%s%d", length ? "," : "", u);
        if (length + (size_t)n + sizeof "..." > room) {
            strcpy(text + length, "...");
            return;
        }
        memcpy(text + length, part, (size_t)n + 1);
        length += (size_t)n;
    }
}
