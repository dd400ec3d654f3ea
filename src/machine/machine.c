/* The machine by the kernel's own words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"
#include "base/rng.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static uint64_t hash(const char *text, uint64_t h)
{
    for (; *text; text++)
        h = ovl_rng_mix(h ^ (unsigned char)*text);
    return h;
}

void ovl_machine_mask(int thread, uint64_t mask[OVL_MACHINE_MASK_WORDS])
{
    enum { PROCESSORS = 64 * OVL_MACHINE_MASK_WORDS };
    cpu_set_t *set = CPU_ALLOC(PROCESSORS);
    size_t bytes = CPU_ALLOC_SIZE(PROCESSORS);
    if (set && sched_getaffinity(thread, bytes, set) == 0)
        for (size_t i = 0; i < PROCESSORS; i++)
            if (CPU_ISSET_S(i, bytes, set))
                mask[i / 64] |= (uint64_t)1 << i % 64;
    if (set)
        CPU_FREE(set);
}

void ovl_machine_identify(struct ovl_machine *m)
{
    char boot[64] = "", space[64] = "";
    struct utsname names;
    memset(m, 0, sizeof *m);
    uname(&names);
    snprintf(m->host, sizeof m->host, "%s", names.nodename);
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (in && !fgets(boot, sizeof boot, in))
        boot[0] = '\0';
    if (in)
        fclose(in);
    boot[strcspn(boot, "\n")] = '\0';
    m->id = hash(*boot ? boot : m->host, 0);
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    m->clock = hash(space, m->id);
    ovl_machine_mask(0, m->mask);
}
