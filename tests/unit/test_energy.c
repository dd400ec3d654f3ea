/* Energy counters of made machines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/energy.h"
#include "tests/unit/folder.h"

#include <math.h>

static struct ovl_energy found;
static double from[OVL_ENERGY_MOST], to[OVL_ENERGY_MOST], joules[OVL_ENERGY_KINDS];

static void find(void)
{
    ovl_energy_find(&found, folder);
    ovl_energy_read(&found, from);
}

static void read_again(void)
{
    ovl_energy_read(&found, to);
    ovl_energy_between(&found, from, to, joules);
}

static void zone(const char *number, const char *name, const char *microjoules)
{
    char path[128];
    const char *const files[3] = {"name", "energy_uj", "max_energy_range_uj"};
    const char *const texts[3] = {name, microjoules, "1000000\n"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/sys/class/powercap/%s/%s", number, files[i]);
        folder_put(path, texts[i]);
    }
}

TEST(nothing_is_read_where_nothing_is_told)
{
    find();
    ck_assert_uint_eq(found.count, 0);
    read_again();
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        ck_assert(isnan(joules[k]) && !found.source[k]); /* never a zero */
}

TEST(packages_and_memory_by_powercap)
{
    folder_put("/sys/class/powercap/intel-rapl/enabled", "1\n");
    zone("intel-rapl:0", "package-0\n", "200000\n");
    zone("intel-rapl:0:0", "core\n", "100000\n"); /* is in the package */
    zone("intel-rapl:0:1", "dram\n", "5000\n");
    zone("intel-rapl:1", "package-1\n", "900000\n");
    zone("intel-rapl-mmio:0", "package-0\n", "200000\n"); /* the same once more */
    find();
    ck_assert_uint_eq(found.count, 3);
    zone("intel-rapl:0", "package-0\n", "450000\n");
    zone("intel-rapl:0:1", "dram\n", "6000\n");
    zone("intel-rapl:1", "package-1\n", "100000\n"); /* past its range, of 1 J */
    read_again();
    ck_assert_double_eq_tol(joules[OVL_ENERGY_PACKAGE], 0.25 + 0.2, 1e-9);
    ck_assert_double_eq_tol(joules[OVL_ENERGY_DRAM], 0.001, 1e-9);
    ck_assert(isnan(joules[OVL_ENERGY_NODE]));
    ck_assert_str_eq(found.source[OVL_ENERGY_PACKAGE], "powercap");
}

/* A counter that is there and for root alone, or that fails in between, is no zero. */
TEST(what_cannot_be_read_is_not_told)
{
    zone("intel-rapl:0", "package-0\n", "");
    find();
    ck_assert_uint_eq(found.count, 0);
    zone("intel-rapl:0", "package-0\n", "1000\n");
    zone("intel-rapl:1", "package-1\n", "1000\n");
    find();
    zone("intel-rapl:1", "package-1\n", "");
    read_again();
    ck_assert(isnan(joules[OVL_ENERGY_PACKAGE]));
}

/* As hypervisors show it to their guests: nothing was measured, and it is no zero. */
TEST(a_counter_that_stands_still_tells_nothing)
{
    zone("intel-rapl:0", "package-0\n", "1000\n");
    zone("intel-rapl:0:1", "dram\n", "1000\n");
    find();
    zone("intel-rapl:0:1", "dram\n", "2000\n");
    read_again();
    ck_assert(isnan(joules[OVL_ENERGY_PACKAGE]));
    ck_assert_double_eq_tol(joules[OVL_ENERGY_DRAM], 0.001, 1e-9);
    zone("intel-rapl:1", "package-1\n", "1000\n");
    find();
    zone("intel-rapl:1", "package-1\n", "3000\n"); /* of two sockets one */
    read_again();
    ck_assert(isnan(joules[OVL_ENERGY_PACKAGE]));
}

TEST(sockets_by_amd_energy)
{
    folder_put("/sys/class/hwmon/hwmon0/name", "nvme\n");
    folder_put("/sys/class/hwmon/hwmon3/name", "amd_energy\n");
    folder_put("/sys/class/hwmon/hwmon3/energy1_label", "Ecore000\n");
    folder_put("/sys/class/hwmon/hwmon3/energy1_input", "100\n");
    folder_put("/sys/class/hwmon/hwmon3/energy65_label", "Esocket0\n");
    folder_put("/sys/class/hwmon/hwmon3/energy65_input", "5000000\n");
    find();
    ck_assert_uint_eq(found.count, 1);
    folder_put("/sys/class/hwmon/hwmon3/energy65_input", "7500000\n");
    read_again();
    ck_assert_double_eq_tol(joules[OVL_ENERGY_PACKAGE], 2.5, 1e-9);
    ck_assert_str_eq(found.source[OVL_ENERGY_PACKAGE], "hwmon");
    folder_put("/sys/class/hwmon/hwmon3/energy65_input", "1\n"); /* began anew: nobody knows what was lost */
    read_again();
    ck_assert(isnan(joules[OVL_ENERGY_PACKAGE]));
}

/* Each kind is told by one reader, or a package would count twice. */
TEST(the_node_by_pm_counters)
{
    zone("intel-rapl:0", "package-0\n", "1000\n");
    folder_put("/sys/cray/pm_counters/cpu_energy", "777 J 1669000000 us\n");
    folder_put("/sys/cray/pm_counters/energy", "100000 J 1669000000 us\n");
    find();
    ck_assert_uint_eq(found.count, 2);
    folder_put("/sys/cray/pm_counters/energy", "100250 J 1669900000 us\n");
    zone("intel-rapl:0", "package-0\n", "2000\n");
    read_again();
    ck_assert_double_eq_tol(joules[OVL_ENERGY_NODE], 250, 1e-9);
    ck_assert_double_eq_tol(joules[OVL_ENERGY_PACKAGE], 0.001, 1e-9);
    ck_assert_str_eq(found.source[OVL_ENERGY_NODE], "pm_counters");
    ck_assert_str_eq(found.source[OVL_ENERGY_PACKAGE], "powercap");
}

AROUND(folder_make, folder_remove)
