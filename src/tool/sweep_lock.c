/* Locks of sweeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep_lock.h"
#include "base/input_file.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { HOST = 128 };

static void put_host(char host[HOST])
{
    if (gethostname(host, HOST - 1) != 0 || !*host)
        snprintf(host, HOST, "?");
    host[HOST - 1] = '\0';
}

/* The holder's words "HOST PROCESS"; false when the file is gone or holds something else. */
static bool read_holder(const char *path, char host[HOST], long *process)
{
    FILE *in = ovl_input_file_open(path);
    bool read = in && fscanf(in, "%127s %ld", host, process) == 2 && *process > 0;
    if (in)
        fclose(in);
    if (read)
        ovl_printable_bytes(host);
    return read;
}

/* A process of this host that is no more cannot give its lock back. */
static bool is_left_behind(const char *path)
{
    char here[HOST], host[HOST];
    long process;
    put_host(here);
    return read_holder(path, host, &process) && strcmp(host, here) == 0 && kill((pid_t)process, 0) != 0 &&
           errno == ESRCH;
}

static int held(const char *path, struct ovl_error *err)
{
    char host[HOST];
    long process;
    if (!read_holder(path, host, &process))
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s: another sweep is at work in this folder; if none is, remove this file", path);
    return ovl_error_set(
        err, OVL_ENVIRONMENT,
        "%s: another sweep is at work in this folder, process %ld on %s; if it is not, remove this file", path, process,
        host);
}

static int take_file(struct ovl_sweep_lock *lock, const char *folder, struct ovl_error *err)
{
    char path[sizeof lock->path], host[HOST];
    if ((size_t)snprintf(path, sizeof path, "%s/sweep.lock", folder) >= sizeof path)
        return ovl_error_set(err, OVL_ENVIRONMENT, "the name of the folder is too long");
    if (is_left_behind(path))
        unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return held(path, err);
    put_host(host);
    if (fd < 0 || dprintf(fd, "%s %ld\n", host, (long)getpid()) < 0 || close(fd) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    snprintf(lock->path, sizeof lock->path, "%s", path);
    printf("# this file system has no locks: %s stands for one while the sweep runs\n", path);
    return 0;
}

int ovl_sweep_lock_take(struct ovl_sweep_lock *lock, const char *folder, int log, struct ovl_error *err)
{
    lock->path[0] = '\0';
    if (flock(log, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s/sweep.log: another sweep is at work in this folder", folder);
    if (errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP || errno == EINVAL)
        return take_file(lock, folder, err);
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s/sweep.log: cannot lock it: %s", folder, strerror(errno));
}

void ovl_sweep_lock_release(struct ovl_sweep_lock *lock)
{
    if (*lock->path)
        unlink(lock->path);
    lock->path[0] = '\0';
}
