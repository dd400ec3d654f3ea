/* What a machine tells of the energy that it takes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_ENERGY_H
#define OVL_MACHINE_ENERGY_H

#include <stddef.h>

enum ovl_energy_kind { OVL_ENERGY_PACKAGE, OVL_ENERGY_DRAM, OVL_ENERGY_NODE, OVL_ENERGY_KINDS };
extern const char *const ovl_energy_words[OVL_ENERGY_KINDS]; /* package (of processors), dram, node */

enum { OVL_ENERGY_MOST = 64, OVL_ENERGY_ROOM = 160 };

struct ovl_energy_counter {
    enum ovl_energy_kind kind;
    char path[OVL_ENERGY_ROOM]; /* whose first word is a whole number */
    double joules;              /* of one step of it */
    double range;               /* steps after which it is 0 again; 0: not known */
};

struct ovl_energy {
    const char *source[OVL_ENERGY_KINDS]; /* who tells of that kind: powercap, hwmon, pm_counters; NULL: nobody */
    size_t count;
    struct ovl_energy_counter counter[OVL_ENERGY_MOST];
};

/* Counters that can be read. Of each kind the first reader has it that finds any; parts of a package (core, uncore) are
   left out. `root` is "", or a tree that holds /sys of another machine.
   - powercap: /sys/class/powercap/NAME/{name,energy_uj,max_energy_range_uj}, package-N, dram, psys
     (Documentation/power/powercap of the kernel); since 5.10 for root alone, unless somebody says otherwise
   - hwmon: /sys/class/hwmon/hwmonN/energyK_{input,label} in microjoules, sockets by amd_energy
   - pm_counters: /sys/cray/pm_counters/{cpu_energy,memory_energy,energy}, "NUMBER J TIME us" */
void ovl_energy_find(struct ovl_energy *e, const char *root);

/* Each counter's joules since whenever; NaN where it cannot be read. */
void ovl_energy_read(const struct ovl_energy *e, double joules[OVL_ENERGY_MOST]);

/* Joules of each kind between two readings; NaN where nothing tells of it, or a counter of it was not read, or did not
   move. */
void ovl_energy_between(const struct ovl_energy *e, const double from[OVL_ENERGY_MOST],
                        const double to[OVL_ENERGY_MOST], double joules[OVL_ENERGY_KINDS]);

#endif
