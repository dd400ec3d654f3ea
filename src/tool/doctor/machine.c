/* What of the machine decides how steady times are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"
#include "machine/cpu_quota.h"
#include "tool/doctor/doctor.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int cores_allowed(int *first)
{
    cpu_set_t set;
    *first = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return (int)sysconf(_SC_NPROCESSORS_ONLN);
    while (*first < CPU_SETSIZE - 1 && !CPU_ISSET(*first, &set))
        ++*first;
    return CPU_COUNT(&set);
}

void ovl_look_processor(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                        struct ovl_doctor_finding *found)
{
    struct ovl_machine here;
    char kernel[16];
    (void)row;
    ovl_machine_identify(&here);
    ovl_site_line(site, "/proc/sys/kernel/arch", kernel, sizeof kernel);
    if (ovl_machine_emulates(here.architecture, kernel))
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s, emulated on %s", here.architecture, kernel);
    else if (here.translated)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s, emulated by QEMU's translator (TCG)", here.architecture);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%s%s", here.architecture,
                               *kernel ? "" : "; whether it is emulated this kernel does not tell");
}

void ovl_look_cores(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    char active[16];
    int first, ours = cores_allowed(&first);
    (void)row;
    bool smt = ovl_site_line(site, "/sys/devices/system/cpu/smt/active", active, sizeof active) && *active == '1';
    double quota = ovl_cpu_quota(site->root).cpus;
    char less[64] = "";
    if (quota < ours)
        snprintf(less, sizeof less, ", the time of %.3g by a CPU quota", quota);
    ovl_doctor_finding_set(found, ours > 1 && !*less ? OVL_HEALTHY : OVL_LIMITED, "%d of %ld processing units%s%s",
                           ours, sysconf(_SC_NPROCESSORS_ONLN), less, smt ? ", SMT is on: bind ranks to cores" : "");
}

void ovl_look_clock(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen", "pit"};
    char name[64];
    (void)row;
    if (!ovl_site_line(site, "/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name)) {
        ovl_doctor_finding_set(found, OVL_HEALTHY, "not told by this kernel");
        return;
    }
    ovl_doctor_finding_set(found, OVL_HEALTHY, "%s", name);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (strcmp(name, slow[i]) == 0)
            found->health = OVL_LIMITED;
}

void ovl_look_governor(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                       struct ovl_doctor_finding *found)
{
    char path[128], name[64];
    int first;
    (void)row;
    cores_allowed(&first);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", first);
    if (!ovl_site_line(site, path, name, sizeof name))
        ovl_doctor_finding_set(found, OVL_HEALTHY, "not this system's to choose");
    else
        ovl_doctor_finding_set(found, strcmp(name, "performance") == 0 ? OVL_HEALTHY : OVL_LIMITED, "governor %s",
                               name);
}
