/* Time lost to other guests of the hypervisor. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/steal.h"

#include <math.h>
#include <string.h>

static const double ticks_least = 100;

/* Adds the line of a processor; 0 when it tells of steal. */
static int add(const char *line, const uint64_t *mask, struct ovl_steal_ticks *sum)
{
    unsigned cpu;
    unsigned long long
        t[8]; /* user, nice, system, idle, iowait, irq, softirq, steal; what follows is in them already */
    int n = sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2], &t[3], &t[4],
                   &t[5], &t[6], &t[7]);
    if (n < 1 || cpu >= 64 * OVL_MACHINE_MASK_WORDS || !(mask[cpu / 64] >> cpu % 64 & 1))
        return 0;
    if (n < 9)
        return -1;
    for (int i = 0; i < 8; i++)
        sum->all += (double)t[i];
    sum->stolen += (double)t[7];
    return 0;
}

struct ovl_steal_ticks ovl_steal_read(FILE *in, const uint64_t mask[OVL_MACHINE_MASK_WORDS])
{
    static const struct ovl_steal_ticks unknown = {NAN, NAN};
    struct ovl_steal_ticks sum = {0, 0};
    char line[512];
    while (fgets(line, sizeof line, in) && strncmp(line, "cpu", 3) == 0)
        if (add(line, mask, &sum) != 0)
            return unknown;
    return sum.all > 0 ? sum : unknown;
}

double ovl_steal_share(struct ovl_steal_ticks from, struct ovl_steal_ticks to)
{
    double all = to.all - from.all, stolen = to.stolen - from.stolen;
    return all >= ticks_least && stolen >= 0 ? fmin(1, stolen / all) : NAN;
}

static struct ovl_steal_ticks read_now(const struct ovl_steal *s)
{
    struct ovl_steal_ticks now = {NAN, NAN};
    FILE *in = fopen("/proc/stat", "re");
    if (in) {
        now = ovl_steal_read(in, s->mask);
        fclose(in);
    }
    return now;
}

void ovl_steal_open(struct ovl_steal *s)
{
    struct ovl_machine machine;
    ovl_machine_identify(&machine);
    memcpy(s->mask, machine.mask, sizeof s->mask);
    s->from = (struct ovl_steal_ticks){NAN, NAN};
}

void ovl_steal_begin(struct ovl_steal *s)
{
    struct ovl_steal_ticks now = read_now(s);
    if (!(now.all - s->from.all < ticks_least))
        s->from = now;
}

double ovl_steal_end(const struct ovl_steal *s)
{
    return ovl_steal_share(s->from, read_now(s));
}
