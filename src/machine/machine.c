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

/* The first line of a file; "" where it has none. */
static void read_line(char *text, int room, const char *path)
{
    FILE *in = fopen(path, "re");
    if (!in || !fgets(text, room, in))
        text[0] = '\0';
    if (in)
        fclose(in);
    text[strcspn(text, "\n")] = '\0';
}

static const char architecture[] =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    "ppc64le";
#elif defined(__riscv)
    "riscv64";
#elif defined(__i386__)
    "i686";
#elif defined(__arm__)
    "arm";
#else
    "";
#endif

bool ovl_machine_emulates(const char *program, const char *kernel)
{
    static const char *const runs[][2] = {{"i686", "x86_64"}, {"arm", "aarch64"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (strcmp(program, runs[i][0]) == 0 && strcmp(kernel, runs[i][1]) == 0)
            return false;
    bool is_arm = strcmp(program, "arm") == 0 && strncmp(kernel, "arm", 3) == 0;
    return *program && *kernel && strcmp(program, kernel) != 0 && !is_arm;
}

void ovl_machine_identify(struct ovl_machine *m)
{
    char boot[64], space[64] = "", kernel[16];
    struct utsname names;
    memset(m, 0, sizeof *m);
    uname(&names);
    snprintf(m->host, sizeof m->host, "%s", names.nodename);
    read_line(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
    read_line(kernel, sizeof kernel, "/proc/sys/kernel/arch"); /* uname tells a program what its emulator plays */
    snprintf(m->architecture, sizeof m->architecture, "%s", architecture);
    m->emulated = ovl_machine_emulates(architecture, kernel);
    m->id = hash(*boot ? boot : m->host, 0);
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    m->clock = hash(space, m->id);
    ovl_machine_mask(0, m->mask);
}
