/* The machine under this process: what is the same with hwloc and without. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/topology.h"
#include "base/bits.h"
#include "base/printable.h"
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { UNITS = 64 * OVL_TOPOLOGY_MASK_WORDS };

static void first_line(const char *path, char *text, size_t room)
{
    FILE *in = fopen(path, "re");
    text[0] = '\0';
    if (!in)
        return;
    if (fgets(text, (int)room, in))
        text[strcspn(text, "\n")] = '\0';
    fclose(in);
}

static bool is_in(const uint64_t *mask, size_t i)
{
    return mask[i / 64] >> i % 64 & 1;
}

static void put_in(uint64_t *mask, size_t i)
{
    mask[i / 64] |= (uint64_t)1 << i % 64;
}

/* As hwloc and the kernel write lists: "0-3,8". */
static void list(char *text, size_t room, const uint64_t *mask)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < UNITS; i++) {
        size_t last = i;
        if (!is_in(mask, i))
            continue;
        while (last + 1 < UNITS && is_in(mask, last + 1))
            last++;
        char part[24];
        int length = last > i ? snprintf(part, sizeof part, "%s%zu-%zu", n ? "," : "", i, last)
                              : snprintf(part, sizeof part, "%s%zu", n ? "," : "", i);
        bool fits = n + (size_t)length + sizeof ",..." <= room;
        n += (size_t)snprintf(text + n, room - n, "%s", fits ? part : ",...");
        if (!fits)
            return;
        i = last;
    }
}

void ovl_topology_load_process(struct ovl_topology *t)
{
    struct utsname names;
    struct ovl_machine machine;
    ovl_machine_identify(&machine);
    uname(&names);
    memcpy(t->host, machine.host, sizeof t->host);
    ovl_printable_bytes(t->host);
    t->machine = machine.id;
    t->clock = machine.clock;
    snprintf(t->kernel, sizeof t->kernel, "%s %s", names.sysname, names.release);
    ovl_printable_bytes(t->kernel);
    memcpy(t->mask, machine.mask, sizeof t->mask);
    list(t->binding, sizeof t->binding, t->mask);
}

static int count_cores(const struct ovl_topology *t)
{
    uint64_t cores[OVL_TOPOLOGY_MASK_WORDS] = {0};
    for (size_t i = 0; i < UNITS; i++)
        if (t->core_of[i] >= 0)
            put_in(cores, (size_t)t->core_of[i]);
    int n = ovl_bits_count(cores, OVL_TOPOLOGY_MASK_WORDS);
    return n > 0 ? n : t->units;
}

int ovl_topology_load(struct ovl_topology *t, struct ovl_error *err)
{
    memset(t, 0, sizeof *t);
    memset(t->core_of, -1, sizeof t->core_of);
    if (ovl_topology_read_node(t, err) != 0)
        return -1;
    t->cores = count_cores(t);
    ovl_printable_bytes(t->cpu);
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", t->governor, sizeof t->governor);
    ovl_printable_bytes(t->governor);
    ovl_topology_load_process(t);
    return 0;
}

void ovl_topology_cores(const struct ovl_topology *t, const uint64_t *mask, uint64_t cores[OVL_TOPOLOGY_MASK_WORDS])
{
    memset(cores, 0, OVL_TOPOLOGY_MASK_WORDS * sizeof *cores);
    for (size_t i = 0; i < UNITS; i++)
        if (is_in(mask, i))
            put_in(cores, t->core_of[i] >= 0 ? (size_t)t->core_of[i] : i);
}

bool ovl_topology_bound(const struct ovl_topology *t, const uint64_t together[OVL_TOPOLOGY_MASK_WORDS])
{
    uint64_t cores[OVL_TOPOLOGY_MASK_WORDS];
    ovl_topology_cores(t, t->mask, cores);
    if (ovl_bits_count(cores, OVL_TOPOLOGY_MASK_WORDS) <= 1)
        return true;
    for (size_t w = 0; w < OVL_TOPOLOGY_MASK_WORDS; w++)
        if ((t->allowed[w] | together[w]) & ~t->mask[w])
            return true;
    return false;
}
