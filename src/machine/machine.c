/* The machine by the kernel's own words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"
#include "base/rng.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
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
#elif defined(__powerpc64__)
    "ppc64";
#elif defined(__powerpc__)
    "ppc";
#elif defined(__riscv) && __riscv_xlen == 64
    "riscv64";
#elif defined(__riscv)
    "riscv32";
#elif defined(__loongarch64)
    "loongarch64";
#elif defined(__s390x__)
    "s390x";
#elif defined(__i386__)
    "i686";
#elif defined(__arm__)
    "arm";
#else
    "";
#endif

bool ovl_machine_emulates(const char *program, const char *kernel)
{
    static const char *const runs[][2] = {
        {"i686", "x86_64"}, {"arm", "aarch64"}, {"riscv32", "riscv64"}, {"ppc", "ppc64"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (strcmp(program, runs[i][0]) == 0 && strcmp(kernel, runs[i][1]) == 0)
            return false;
    /* Those kernels say the generation of their processor, too: i586, armv7l. */
    bool is_arm = strcmp(program, "arm") == 0 && strncmp(kernel, "arm", 3) == 0;
    bool is_i386 = strcmp(program, "i686") == 0 && *kernel == 'i' && strcmp(kernel + 2, "86") == 0;
    return *program && *kernel && strcmp(program, kernel) != 0 && !is_arm && !is_i386;
}

bool ovl_machine_translated(const char *hypervisor, const char *implementer, const char *part)
{
    /* Arm gave 0x00 to nobody; QEMU's model "max" has it, and the letter Q. */
    return strcmp(hypervisor, "TCGTCGTCGTCG") == 0 || (strcmp(implementer, "0x00") == 0 && strcmp(part, "0x051") == 0);
}

/* The words of the hypervisor by which a processor of x86 is virtual: KVM and others have their own. */
static void ask_hypervisor(char name[16])
{
    memset(name, 0, 16);
#if defined(__x86_64__) || defined(__i386__)
    enum { FEATURES = 1, HYPERVISOR_BIT = 31, HYPERVISOR_LEAF = 0x40000000 };
    unsigned most, b, c, d;
    if (!__get_cpuid(FEATURES, &most, &b, &c, &d) || !(c >> HYPERVISOR_BIT & 1))
        return;
    __cpuid(HYPERVISOR_LEAF, most, b, c, d);
    memcpy(name, &b, sizeof b);
    memcpy(name + sizeof b, &c, sizeof c);
    memcpy(name + sizeof b + sizeof c, &d, sizeof d);
#endif
}

/* Of the first processor, as a kernel of aarch64 names them. */
static void read_model(char implementer[16], char part[16])
{
    char line[256];
    *implementer = *part = '\0';
    FILE *in = fopen("/proc/cpuinfo", "re");
    while (in && !(*implementer && *part) && fgets(line, sizeof line, in))
        if (sscanf(line, "CPU implementer : %15s", implementer) != 1)
            sscanf(line, "CPU part : %15s", part);
    if (in)
        fclose(in);
}

void ovl_machine_identify(struct ovl_machine *m)
{
    char boot[64], space[64] = "", kernel[16], hypervisor[16], implementer[16], part[16];
    struct utsname names;
    memset(m, 0, sizeof *m);
    uname(&names);
    snprintf(m->host, sizeof m->host, "%s", names.nodename);
    read_line(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
    read_line(kernel, sizeof kernel, "/proc/sys/kernel/arch"); /* uname tells a program what its emulator plays */
    snprintf(m->architecture, sizeof m->architecture, "%s", architecture);
    ask_hypervisor(hypervisor);
    read_model(implementer, part);
    m->translated = ovl_machine_translated(hypervisor, implementer, part);
    m->emulated = m->translated || ovl_machine_emulates(architecture, kernel);
    m->id = hash(*boot ? boot : m->host, 0);
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    m->clock = hash(space, m->id);
    ovl_machine_mask(0, m->mask);
}
