/* What the kernel lets `ovl` do here: shared memory, other processes' memory, RDMA, namespaces. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "machine/adapters.h"
#include "machine/memory_room.h"
#include "tool/doctor/check.h"
#include "tool/doctor/doctor.h"
#include "tool/util/ask.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MEBI = 1 << 20,
    LEAST_SHM = 64, /* MiB: what containers get unless told otherwise */
    START_SHM = 12  /* below that two ranks do not start: MPICH 4.0 with UCX takes 4.2 of each */
};

void ovl_look_shm(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                  struct ovl_doctor_finding *found)
{
    struct ovl_path path = ovl_path("%s/dev/shm", site->root);
    struct statvfs fs;
    (void)row;
    if (statvfs(path.text, &fs) != 0) {
        ovl_doctor_finding_set(found, OVL_LACKING, "no /dev/shm");
        return;
    }
    double whole = (double)fs.f_blocks * (double)fs.f_frsize / MEBI,
           free = (double)fs.f_bavail * (double)fs.f_frsize / MEBI;
    if (access(path.text, R_OK | W_OK | X_OK) != 0)
        ovl_doctor_finding_set(found, OVL_LACKING, "/dev/shm is not ours to write");
    else if (free < START_SHM)
        ovl_doctor_finding_set(found, OVL_LACKING,
                               "/dev/shm, %.0f of %.0f MiB free: ranks of a node cannot start; "
                               "make it larger, or remove what earlier jobs left there",
                               free, whole);
    else
        ovl_doctor_finding_set(found, free <= LEAST_SHM ? OVL_LIMITED : OVL_HEALTHY,
                               "/dev/shm, %.0f of %.0f MiB free%s", free, whole,
                               fs.f_flag & ST_NOEXEC ? ", noexec" : "");
}

/* As offload/mem/shared.c makes it, in a page: 0, or errno. */
static int make_memfd(void)
{
    int file = memfd_create("ovl-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return errno;
    int why = posix_fallocate(file, 0, sysconf(_SC_PAGESIZE));
    if (why == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        why = errno;
    close(file);
    return why;
}

void ovl_look_memfd(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    int why = make_memfd();
    (void)row, (void)site;
    if (why != 0)
        ovl_doctor_finding_set(found, OVL_LACKING, "no memfd: %s", strerror(why));
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "memfd, room for %llu MiB",
                               (unsigned long long)(ovl_memory_room("") / MEBI));
}

static bool came(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 1;
}

/* A worker that reads the memory of a rank: both children of this process, neither of the other. 0, or errno. */
static int read_sibling(void)
{
    static volatile int word;
    int ready[2], seen = 0, status = 0;
    if (pipe(ready) != 0)
        return errno;
    pid_t rank = fork();
    if (rank == 0) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        word = 1;
        _exit(write(ready[1], "", 1) == 1 && pause());
    }
    close(ready[1]);
    pid_t worker = rank > 0 && came(ready[0]) ? fork() : -1;
    if (worker == 0) {
        struct iovec here = {&seen, sizeof seen}, there = {(void *)&word, sizeof word};
        _exit(process_vm_readv(rank, &here, 1, &there, 1, 0) == sizeof seen && seen == 1 ? 0 : errno);
    }
    if (worker > 0)
        waitpid(worker, &status, 0);
    close(ready[0]);
    if (rank > 0) {
        kill(rank, SIGKILL);
        waitpid(rank, NULL, 0);
    }
    return worker > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

void ovl_look_cma(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                  struct ovl_doctor_finding *found)
{
    char scope[32];
    (void)row;
    bool yama = ovl_site_line(site, "/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
    int why = read_sibling();
    if (why == 0)
        ovl_doctor_finding_set(found, OVL_HEALTHY, "process_vm_readv between processes works%s%s",
                               yama ? ", ptrace_scope " : "", yama ? scope : "");
    else
        ovl_doctor_finding_set(found, OVL_LACKING, "%s%s%s", strerror(why), yama ? ", ptrace_scope " : "",
                               yama ? scope : "");
}

/* One device under /sys/class/infiniband: is a port of it active? */
static bool is_active(const struct ovl_doctor_site *site, const char *device)
{
    char path[600], state[64];
    for (int port = 1; port <= 4; port++) {
        snprintf(path, sizeof path, "/sys/class/infiniband/%s/ports/%d/state", device, port);
        if (ovl_site_line(site, path, state, sizeof state) && strstr(state, "ACTIVE"))
            return true;
    }
    return false;
}

/* How many there are, how many of them active, and their names. */
static int count_devices(const struct ovl_doctor_site *site, int *active, char names[80])
{
    int n = 0;
    struct dirent *entry;
    DIR *all = opendir(ovl_path("%s/sys/class/infiniband", site->root).text);
    *active = 0;
    names[0] = '\0';
    while (all && (entry = readdir(all))) {
        if (entry->d_name[0] == '.')
            continue;
        size_t used = strlen(names);
        snprintf(names + used, 80 - used, "%s%.20s", n > 0 ? " " : "", entry->d_name);
        n++;
        *active += is_active(site, entry->d_name);
    }
    if (all)
        closedir(all);
    return n;
}

static bool opens_verbs(const struct ovl_doctor_site *site)
{
    for (int i = 0; i < 16; i++)
        if (access(ovl_path("%s/dev/infiniband/uverbs%d", site->root, i).text, R_OK | W_OK) == 0)
            return true;
    return false;
}

void ovl_look_rdma(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                   struct ovl_doctor_finding *found)
{
    char names[80];
    int active, n = count_devices(site, &active, names);
    (void)row;
    if (n == 0)
        ovl_doctor_finding_set(found, OVL_LACKING, "%s", "");
    else if (ovl_adapters_absent)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s, and this build has no libibverbs", names);
    else if (active == 0)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s: no port is active", names);
    else if (!opens_verbs(site))
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s: /dev/infiniband/uverbs* is not ours to open", names);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%s, %d of %d active; ovl list --check has more", names, active, n);
}

void ovl_look_locked(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                     struct ovl_doctor_finding *found)
{
    char names[80];
    int active;
    struct rlimit limit = {0, 0};
    (void)row;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY || ovl_check_locks_all())
        ovl_doctor_finding_set(found, OVL_HEALTHY, "not limited");
    else if (count_devices(site, &active, names) == 0)
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%.0f KiB, which matters with RDMA devices only",
                               (double)limit.rlim_cur / 1024);
    else
        ovl_doctor_finding_set(found, limit.rlim_cur < OVL_CHECK_LEAST_LOCKED ? OVL_LIMITED : OVL_HEALTHY, "%.0f KiB",
                               (double)limit.rlim_cur / 1024);
}

void ovl_look_namespaces(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                         struct ovl_doctor_finding *found)
{
    int status = 0;
    (void)row;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare((site->is_root ? 0 : CLONE_NEWUSER) | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |
                      CLONE_NEWPID) == 0
                  ? 0
                  : errno);
    if (child < 0 || waitpid(child, &status, 0) != child)
        ovl_doctor_finding_set(found, OVL_LACKING, "cannot start a process");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        ovl_doctor_finding_set(found, OVL_LACKING, "%s", WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "killed");
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "network and others, %s",
                               site->is_root ? "as root" : "by a user namespace");
}

/* tc in a network namespace of its own, where it can spoil nothing. */
static bool shapes(const struct ovl_doctor_site *site, const char *const how[], size_t n)
{
    char answer[200];
    const char *argv[24] = {"unshare", "--net"};
    struct ovl_path program;
    if (!ovl_doctor_find_program("tc", &program))
        return false;
    const char *const tc[] = {program.text, "qdisc", "add", "dev", "lo", "root"};
    size_t k = 2;
    if (!site->is_root) {
        argv[k++] = "--user";
        argv[k++] = "--map-root-user";
    }
    for (size_t i = 0; i < sizeof tc / sizeof *tc; i++)
        argv[k++] = tc[i];
    for (size_t i = 0; i < n; i++)
        argv[k++] = how[i];
    return ovl_ask(argv, OVL_DOCTOR_PATIENCE, answer, sizeof answer) == 0;
}

void ovl_look_netem(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    static const char *const rate[] = {"tbf", "rate", "1gbit", "burst", "128kb", "latency", "5ms"};
    static const char *const latency[] = {"netem", "delay", "1ms"};
    (void)row;
    if (!shapes(site, rate, sizeof rate / sizeof *rate))
        ovl_doctor_finding_set(found, OVL_LACKING, "%s", "");
    else if (!shapes(site, latency, sizeof latency / sizeof *latency))
        ovl_doctor_finding_set(found, OVL_LIMITED, "rates, and no latency");
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "rates by tbf, latency by netem");
}
