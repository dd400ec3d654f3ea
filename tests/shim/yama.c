/* LD_PRELOADed into every process of a job: Yama with ptrace_scope 1, as Ubuntu has it, also for root. Who is no
 * ancestor reaches a process's memory only if that process has declared it, an ancestor of it, or anybody, its tracer,
 * and the last declaration counts. $OVL_YAMA is a folder: the file PID in it holds what that process has declared. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ANYBODY = -1, NOBODY = 0 };

static const char *file_of(pid_t pid, char path[PATH_MAX])
{
    const char *folder = getenv("OVL_YAMA");
    if (!folder)
        abort(); /* a test that enforces nothing shows nothing */
    snprintf(path, PATH_MAX, "%s/%d", folder, (int)pid);
    return path;
}

static void declare(int tracer)
{
    char path[PATH_MAX], text[16];
    int length = snprintf(text, sizeof text, "%d", tracer);
    int file = (int)syscall(SYS_openat, AT_FDCWD, file_of(getpid(), path), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, text, (size_t)length) != length)
        abort();
    close(file);
}

static int declared(pid_t pid)
{
    char path[PATH_MAX], text[16] = "";
    int file = (int)syscall(SYS_openat, AT_FDCWD, file_of(pid, path), O_RDONLY, 0);
    if (file < 0)
        return NOBODY;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 ? (int)strtol(text, NULL, 10) : NOBODY;
}

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0), parent = 0;
    if (file < 0)
        return 0;
    const char *name_end = read(file, text, sizeof text - 1) > 0 ? strrchr(text, ')') : NULL;
    close(file);
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool descends(pid_t child, pid_t from)
{
    while (child > 1 && child != from)
        child = parent_of(child);
    return child == from;
}

/* Who asks for itself is not asked. */
static bool may_trace(pid_t pid)
{
    int tracer = declared(pid);
    return descends(pid, getpid()) || tracer == ANYBODY || (tracer != NOBODY && descends(getpid(), tracer));
}

static ssize_t refuse(void)
{
    errno = EPERM;
    return -1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long n, const struct iovec *there,
                         unsigned long m, unsigned long flags)
{
    return may_trace(pid) ? syscall(SYS_process_vm_readv, pid, here, n, there, m, flags) : refuse();
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long n, const struct iovec *there,
                          unsigned long m, unsigned long flags)
{
    return may_trace(pid) ? syscall(SYS_process_vm_writev, pid, here, n, there, m, flags) : refuse();
}

int prctl(int option, ...)
{
    va_list args;
    unsigned long word[4];
    va_start(args, option);
    for (int i = 0; i < 4; i++)
        word[i] = va_arg(args, unsigned long);
    va_end(args);
    if (option != PR_SET_PTRACER)
        return (int)syscall(SYS_prctl, option, word[0], word[1], word[2], word[3]);
    declare(word[0] == PR_SET_PTRACER_ANY ? ANYBODY : (int)word[0]);
    return 0;
}

/* UCX looks at this file by open. */
static int scope(void)
{
    int file = memfd_create("ptrace_scope", MFD_CLOEXEC);
    if (file >= 0 && (write(file, "1\n", 2) != 2 || lseek(file, 0, SEEK_SET) != 0))
        abort();
    return file;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        unsigned mode = va_arg(args, unsigned);                                                                        \
        va_end(args);                                                                                                  \
        return strcmp(path, "/proc/sys/kernel/yama/ptrace_scope") == 0                                                 \
                   ? scope()                                                                                           \
                   : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                                            \
    }
OPEN(open)
OPEN(open64)
