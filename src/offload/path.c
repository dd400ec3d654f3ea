/* The table of memory paths, and reaching memory by places. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/path.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

const struct ovl_path *const ovl_paths[] = {&ovl_path_shm, &ovl_path_cma, NULL};

const struct ovl_path *ovl_path_find(const char *name)
{
    for (const struct ovl_path *const *p = ovl_paths; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

/* Moves all of it: the kernel may stop short at 2 GiB. */
static int foreign(pid_t pid, uint64_t address, char *here, size_t bytes, bool write)
{
    while (bytes > 0) {
        struct iovec local = {here, bytes}, remote = {(void *)(uintptr_t)address, bytes};
        ssize_t n =
            write ? process_vm_writev(pid, &local, 1, &remote, 1, 0) : process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (n <= 0) {
            if (n == 0)
                errno = EFAULT;
            return -1;
        }
        address += (uint64_t)n;
        here += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int ovl_reach_get(const struct ovl_reach *r, void *to, uint64_t from, size_t bytes)
{
    const char *direct = ovl_reach_direct(r, from);
    if (!direct)
        return foreign(r->pid, from, to, bytes, false);
    memcpy(to, direct, bytes);
    return 0;
}

int ovl_reach_put(const struct ovl_reach *r, uint64_t to, const void *from, size_t bytes)
{
    char *direct = ovl_reach_direct(r, to);
    if (!direct)
        return foreign(r->pid, to, (char *)(uintptr_t)from, bytes, true);
    memcpy(direct, from, bytes);
    return 0;
}
