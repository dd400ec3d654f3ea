/* The machine under this process, by hwloc and /proc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/topology.h"
#include "base/name.h"
#include "machine/machine.h"

#include <hwloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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

static void read_binding(struct ovl_topology *t, hwloc_topology_t hw)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(hw, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_topology_cpuset(hw));
    hwloc_bitmap_list_snprintf(t->binding, sizeof t->binding, set);
    t->bound = hwloc_bitmap_weight(set) < t->cores;
    unsigned i;
    hwloc_bitmap_foreach_begin(i, set) if (i < 64 * OVL_TOPOLOGY_MASK_WORDS) t->mask[i / 64] |= (uint64_t)1 << i % 64;
    hwloc_bitmap_foreach_end();
    hwloc_bitmap_free(set);
}

int ovl_topology_load(struct ovl_topology *t, struct ovl_error *err)
{
    hwloc_topology_t hw;
    memset(t, 0, sizeof *t);
    if (hwloc_topology_init(&hw) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "hwloc cannot start");
    /* Processors the job may not use are counted too: `cores` is what the machine has. */
    hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_all_types_filter(hw, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(hw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(hw) != 0) {
        hwloc_topology_destroy(hw);
        return ovl_error_set(err, OVL_ENVIRONMENT, "hwloc cannot read this machine's topology");
    }
    struct utsname names;
    struct ovl_machine machine;
    ovl_machine_identify(&machine);
    uname(&names);
    memcpy(t->host, machine.host, sizeof t->host);
    t->machine = machine.id;
    t->clock = machine.clock;
    snprintf(t->kernel, sizeof t->kernel, "%s %s", names.sysname, names.release);
    hwloc_obj_t package = hwloc_get_obj_by_type(hw, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(t->cpu, sizeof t->cpu, "%s", model ? model : names.machine);
    t->cores = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU);
    t->numa = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE);
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", t->governor, sizeof t->governor);
    read_binding(t, hw);
    hwloc_topology_destroy(hw);
    return 0;
}
