/* Locks of sweeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/lock.h"
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
    ovl_printable_bytes(host);
}

/* Who has the file: "HOST PROCESS START". */
struct holder {
    char host[HOST];
    long process;
    unsigned long long start; /* of the process, in ticks since its machine came up; 0 where that is not known */
};

/* 0 where there is no such process, or no /proc. */
static unsigned long long start_of(long process)
{
    char path[64], text[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *in = fopen(path, "re");
    size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in)
        fclose(in);
    text[n] = '\0';
    const char *rest = strrchr(text, ')'); /* behind the name, which may be anything, field 3 begins */
    for (int field = 2; rest && field < 22; field++)
        rest = strchr(rest + 1, ' ');
    return rest && sscanf(rest, "%llu", &start) == 1 ? start : 0;
}

static struct holder this_process(void)
{
    struct holder h = {.process = getpid(), .start = start_of(getpid())};
    put_host(h.host);
    return h;
}

/* false when the file is gone or holds something else. The first versions wrote no start. */
static bool read_holder(const char *path, struct holder *h)
{
    FILE *in = ovl_input_file_open(path);
    *h = (struct holder){.process = 0};
    bool read = in && fscanf(in, "%127s %ld %llu", h->host, &h->process, &h->start) >= 2 && h->process > 0;
    if (in)
        fclose(in);
    if (read)
        ovl_printable_bytes(h->host);
    return read;
}

static bool is_same(const struct holder *a, const struct holder *b)
{
    return strcmp(a->host, b->host) == 0 && a->process == b->process && a->start == b->start;
}

/* A process of this host that is no more cannot give its lock back; its number may be another's now. */
static bool is_left_behind(const struct holder *h)
{
    char here[HOST];
    put_host(here);
    return strcmp(h->host, here) == 0 &&
           ((kill((pid_t)h->process, 0) != 0 && errno == ESRCH) || (h->start != 0 && start_of(h->process) != h->start));
}

/* Removes the file of a holder that is no more, and never that of another who was quicker: a second name for whatever
   file is there now tells whose it is, and while it has that name nobody else removes it. */
static void remove_left_behind(const char *path, const char *second)
{
    struct holder h, now;
    if (!read_holder(path, &h) || !is_left_behind(&h) || link(path, second) != 0)
        return;
    if (read_holder(second, &now) && is_same(&h, &now))
        unlink(path);
    unlink(second);
}

static int held(const char *path, struct ovl_error *err)
{
    struct holder h;
    if (!read_holder(path, &h))
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s: another sweep is at work in this folder; if none is, remove this file", path);
    return ovl_error_set(
        err, OVL_ENVIRONMENT,
        "%s: another sweep is at work in this folder, process %ld on %s; if it is not, remove this file", path,
        h.process, h.host);
}

static int take_file(struct ovl_sweep_lock *lock, const char *folder, struct ovl_error *err)
{
    const struct ovl_path path = ovl_path("%s/sweep.lock", folder), second = ovl_path("%s/sweep.lock.old", folder);
    remove_left_behind(path.text, second.text);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return held(path.text, err);
    const struct holder self = this_process();
    if (fd < 0 || dprintf(fd, "%s %ld %llu\n", self.host, self.process, self.start) < 0 || close(fd) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", path.text, strerror(errno));
    unlink(second.text); /* of one that was killed between its two names */
    lock->path = path;
    printf("# this file system has no locks: %s stands for one while the sweep runs\n", path.text);
    return 0;
}

/* Is this why flock() fails where there are no locks? */
static bool is_unsupported(int why)
{
    return why == ENOSYS || why == ENOLCK || why == EOPNOTSUPP || why == EINVAL;
}

int ovl_sweep_lock_take(struct ovl_sweep_lock *lock, const char *folder, int log, struct ovl_error *err)
{
    lock->path.text[0] = '\0';
    if (flock(log, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s/sweep.log: another sweep is at work in this folder", folder);
    if (is_unsupported(errno))
        return take_file(lock, folder, err);
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s/sweep.log: cannot lock it: %s", folder, strerror(errno));
}

void ovl_sweep_lock_release(struct ovl_sweep_lock *lock)
{
    struct holder h;
    const struct holder self = this_process();
    if (*lock->path.text && read_holder(lock->path.text, &h) && is_same(&h, &self)) /* somebody may have removed it */
        unlink(lock->path.text);
    lock->path.text[0] = '\0';
}

bool ovl_sweep_lock_is_held(const char *folder, const char *log)
{
    const struct ovl_path path = ovl_path("%s/sweep.lock", folder);
    struct holder h;
    int fd = open(log, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && !is_unsupported(errno);
    if (fd >= 0)
        close(fd);
    return held || (access(path.text, F_OK) == 0 && !(read_holder(path.text, &h) && is_left_behind(&h)));
}
