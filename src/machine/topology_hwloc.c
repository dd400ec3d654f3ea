/* The node under this process, by hwloc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/topology.h"

#include <hwloc.h>
#include <stdio.h>
#include <sys/utsname.h>

enum { UNITS = 64 * OVL_TOPOLOGY_MASK_WORDS };

static void read_units(struct ovl_topology *t, hwloc_topology_t hw)
{
    for (hwloc_obj_t unit = NULL; (unit = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, unit)) != NULL;) {
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, unit);
        if (unit->os_index < UNITS)
            t->core_of[unit->os_index] = (int16_t)(core ? hwloc_bitmap_first(core->cpuset) : (int)unit->os_index);
    }
    unsigned i;
    hwloc_bitmap_foreach_begin(i, hwloc_topology_get_allowed_cpuset(hw)) if (i < UNITS) t->allowed[i / 64] |=
        (uint64_t)1 << i % 64;
    hwloc_bitmap_foreach_end();
}

int ovl_topology_read_node(struct ovl_topology *t, struct ovl_error *err)
{
    hwloc_topology_t hw;
    if (hwloc_topology_init(&hw) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "hwloc cannot start");
    /* Processors the job may not use are counted too: `units` is what the machine has. */
    hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_all_types_filter(hw, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(hw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(hw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(hw) != 0) {
        hwloc_topology_destroy(hw);
        return ovl_error_set(err, OVL_ENVIRONMENT, "hwloc cannot read this machine's topology");
    }
    struct utsname names;
    uname(&names);
    hwloc_obj_t package = hwloc_get_obj_by_type(hw, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    snprintf(t->cpu, sizeof t->cpu, "%s", model ? model : names.machine);
    t->units = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU);
    t->numa = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE);
    read_units(t, hw);
    hwloc_topology_destroy(hw);
    return 0;
}
