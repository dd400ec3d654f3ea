/* What control groups leave of memory and processors, on made-up machines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/cpu_quota.h"
#include "machine/memory_room.h"
#include "tests/unit/folder.h"

#include <math.h>

TEST(room_is_what_machine_and_groups_leave)
{
    ck_assert_uint_eq(ovl_memory_room(folder), UINT64_MAX);
    folder_put("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:   8000 kB\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 8000 * 1024);
    folder_put("/proc/self/cgroup", "5:cpu:/a\n0::/jobs/1\n");
    folder_put("/sys/fs/cgroup/jobs/1/memory.max", "max\n");
    folder_put("/sys/fs/cgroup/jobs/1/memory.current", "5000\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 8000 * 1024);
    folder_put("/sys/fs/cgroup/jobs/memory.max", "900000\n"); /* that of the group above counts too */
    folder_put("/sys/fs/cgroup/jobs/memory.current", "500000\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 400000);
    folder_put("/sys/fs/cgroup/jobs/memory.stat", "anon 3\ninactive_file 1000\nactive_file 2000\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 403000);
    folder_put("/proc/self/mountinfo", "30 1 0:28 / /m rw - cgroup2 cgroup2 rw\n"); /* it may be mounted elsewhere */
    folder_put("/m/jobs/1/memory.max", "3000\n");
    folder_put("/m/jobs/1/memory.current", "1000\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 2000);
    folder_put("/proc/self/mountinfo", "");
    folder_put("/proc/self/cgroup", "4:memory:/outside/the/container\n0::/\n");
    folder_put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "70000\n");
    folder_put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "80000\n");
    ck_assert_uint_eq(ovl_memory_room(folder), 0);
}

static double cpus(void)
{
    return ovl_cpu_quota(folder).cpus;
}

TEST(no_quota_is_infinite)
{
    ck_assert(isinf(cpus()));
    folder_put("/proc/self/cgroup", "0::/jobs/1\n");
    ck_assert(isinf(cpus()));
    folder_put("/sys/fs/cgroup/jobs/1/cpu.max", "max 100000\n");
    ck_assert(isinf(cpus()));
    folder_put("/proc/self/cgroup", "3:cpu,cpuacct:/jobs/1\n0::/\n");
    folder_put("/sys/fs/cgroup/cpu/jobs/1/cpu.cfs_quota_us", "-1\n");
    folder_put("/sys/fs/cgroup/cpu/jobs/1/cpu.cfs_period_us", "100000\n");
    ck_assert(isinf(cpus()));
    folder_put("/sys/fs/cgroup/cpu/jobs/1/cpu.cfs_quota_us", "50000\n");
    folder_put("/sys/fs/cgroup/cpu/jobs/1/cpu.cfs_period_us", "0\n"); /* makes no sense */
    ck_assert(isinf(cpus()));
    ck_assert(ovl_cpu_quota("").cpus > 0); /* of this machine */
}

TEST(the_least_along_the_path)
{
    struct stat of;
    char path[4096];
    folder_put("/proc/self/cgroup", "0::/jobs/1\n");
    folder_put("/sys/fs/cgroup/jobs/1/cpu.max", "150000 100000\n");
    ck_assert_double_eq(cpus(), 1.5);
    folder_put("/sys/fs/cgroup/jobs/cpu.max", "25000 50000\n");
    ck_assert_double_eq(cpus(), 0.5);
    /* Of equal ones the outermost: it has more processes. */
    folder_put("/sys/fs/cgroup/jobs/1/cpu.max", "50000 100000\n");
    snprintf(path, sizeof path, "%s/sys/fs/cgroup/jobs", folder);
    ck_assert_int_eq(stat(path, &of), 0);
    ck_assert_uint_eq(ovl_cpu_quota(folder).group, of.st_ino);
    folder_put("/proc/self/cgroup", "5:cpuset:/jobs\n4:cpu,cpuacct:/a/b\n0::/\n"); /* version 1 beside version 2 */
    folder_put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
    folder_put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    ck_assert_double_eq(cpus(), 3);
    folder_put("/sys/fs/cgroup/cpu.max", "200000 100000\n"); /* of the topmost, as in a container */
    ck_assert_double_eq(cpus(), 2);
}

TEST(throttled_periods_are_summed_over_groups)
{
    struct ovl_cpu_throttled t = ovl_cpu_throttled(folder);
    ck_assert(isnan(t.periods) && isnan(t.seconds));
    folder_put("/proc/self/cgroup", "0::/jobs/1\n");
    folder_put("/sys/fs/cgroup/jobs/cpu.stat", "usage_usec 90\nuser_usec 80\n"); /* no limit can be set here */
    ck_assert(isnan(ovl_cpu_throttled(folder).periods));
    folder_put("/sys/fs/cgroup/jobs/1/cpu.stat", "usage_usec 9\nnr_periods 8\nnr_throttled 3\nthrottled_usec 250000\n");
    t = ovl_cpu_throttled(folder);
    ck_assert_double_eq(t.periods, 3);
    ck_assert_double_eq(t.seconds, 0.25);
    folder_put("/proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/jobs/1\n");
    folder_put("/sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 8\nnr_throttled 4\nthrottled_time 1500000000\n");
    folder_put("/sys/fs/cgroup/cpu/a/b/cpu.stat", "nr_periods 8\nnr_throttled 0\nthrottled_time 0\n");
    t = ovl_cpu_throttled(folder);
    ck_assert_double_eq(t.periods, 7);
    ck_assert_double_eq(t.seconds, 1.75);
}

/* Where the hierarchy is mounted, and which group stands there. */
TEST(mounts_of_containers)
{
    folder_put("/proc/self/cgroup", "7:cpu,cpuacct:/docker/one/sub\n");
    folder_put("/proc/self/mountinfo",
               "40 1 0:9 / /proc rw - proc proc rw\n"
               "41 1 0:30 /docker/one /groups/of\\040cpu rw shared:4 - cgroup cgroup rw,cpu,cpuacct\n"
               "42 1 0:30 /docker/two /other rw - cgroup cgroup rw,cpu,cpuacct\n"
               "43 1 0:30 /docker/on /half rw - cgroup cgroup rw,cpu,cpuacct\n"
               "44 1 0:31 / /sets rw - cgroup cgroup rw,cpuset\n");
    folder_put("/other/cpu.cfs_quota_us", "10000\n"); /* another container's */
    folder_put("/other/cpu.cfs_period_us", "100000\n");
    folder_put("/half/cpu.cfs_quota_us", "10000\n");
    folder_put("/half/cpu.cfs_period_us", "100000\n");
    folder_put("/sets/cpu.cfs_quota_us", "10000\n");
    folder_put("/sets/cpu.cfs_period_us", "100000\n");
    ck_assert(isinf(cpus()));
    folder_put("/groups/of cpu/cpu.cfs_quota_us", "250000\n");
    folder_put("/groups/of cpu/cpu.cfs_period_us", "100000\n");
    ck_assert_double_eq(cpus(), 2.5);
    folder_put("/groups/of cpu/sub/cpu.cfs_quota_us", "200000\n");
    folder_put("/groups/of cpu/sub/cpu.cfs_period_us", "100000\n");
    ck_assert_double_eq(cpus(), 2);
    /* In a namespace of its own the group is "/", and a mount from outside shows one above it. */
    folder_put("/proc/self/cgroup", "0::/\n");
    folder_put("/proc/self/mountinfo", "41 1 0:30 /../.. /above rw - cgroup2 cgroup2 rw\n"
                                       "42 1 0:30 /../beside /beside rw - cgroup2 cgroup2 rw\n");
    folder_put("/beside/cpu.max", "10000 100000\n");
    folder_put("/above/cpu.max", "400000 100000\n");
    ck_assert_double_eq(cpus(), 4);
    /* A process whose group is outside the namespace: what is mounted is not its. */
    folder_put("/proc/self/cgroup", "0::/../beside\n");
    folder_put("/proc/self/mountinfo", "41 1 0:30 / /above rw - cgroup2 cgroup2 rw\n");
    ck_assert(isinf(cpus()));
}

AROUND(folder_make, folder_remove)
