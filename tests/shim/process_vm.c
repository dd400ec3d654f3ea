/* LD_PRELOADed into programs that QEMU runs, which has no process_vm_readv and process_vm_writev: both by
 * /proc/PID/mem, under the same permission of the kernel. QEMU keeps a program's memory at the addresses that the
 * program knows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static void pass(struct iovec *part, size_t n)
{
    part->iov_base = (char *)part->iov_base + n;
    part->iov_len -= n;
}

static ssize_t move(bool in, pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                    unsigned long theres)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int file = open(path, (in ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    if (file < 0) {
        errno = errno == ENOENT ? ESRCH : errno == EACCES ? EPERM : errno;
        return -1;
    }
    ssize_t done = 0, n = 1;
    struct iovec a = {NULL, 0}, b = {NULL, 0};
    while (n > 0) {
        for (; a.iov_len == 0 && heres > 0; heres--)
            a = *here++;
        for (; b.iov_len == 0 && theres > 0; theres--)
            b = *there++;
        size_t most = a.iov_len < b.iov_len ? a.iov_len : b.iov_len;
        if (most == 0)
            break;
        n = in ? pread(file, a.iov_base, most, (off_t)(size_t)b.iov_base)
               : pwrite(file, a.iov_base, most, (off_t)(size_t)b.iov_base);
        if (n > 0) {
            done += n;
            pass(&a, (size_t)n);
            pass(&b, (size_t)n);
        }
    }
    int why = n < 0 && errno == EIO ? EFAULT : errno;
    close(file);
    errno = why;
    return done > 0 || n >= 0 ? done : -1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                         unsigned long theres, unsigned long flags)
{
    (void)flags;
    return move(true, pid, here, heres, there, theres);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long heres, const struct iovec *there,
                          unsigned long theres, unsigned long flags)
{
    (void)flags;
    return move(false, pid, here, heres, there, theres);
}
