/* The table of memory paths, and reaching memory by raddrs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

const struct ovl_mem_path *const ovl_mem_paths[] = {&ovl_mem_path_shm, &ovl_mem_path_cma, &ovl_mem_path_verbs, NULL};

/* Moves all of it: the kernel may stop short at 2 GiB. 0 or an errno. */
static int copy_foreign(pid_t pid, uint64_t address, char *here, size_t bytes, bool write)
{
    if (pid <= 0) /* 0 would be this process itself */
        return ESRCH;
    while (bytes > 0) {
        struct iovec local = {here, bytes}, remote = {(void *)(uintptr_t)address, bytes};
        ssize_t n =
            write ? process_vm_writev(pid, &local, 1, &remote, 1, 0) : process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (n <= 0)
            return n == 0 ? EFAULT : errno;
        address += (uint64_t)n;
        here += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static bool begin(const struct ovl_rank_mem *m, uint64_t raddr, struct ovl_rdma *r)
{
    size_t number = raddr >> OVL_RADDR_SHIFT;
    const struct ovl_region *region = number < m->count ? &m->regions[number] : NULL;
    if (!region || !region->number) {
        r->why = EFAULT;
        return true;
    }
    r->there = region->there + (raddr & (((uint64_t)1 << OVL_RADDR_SHIFT) - 1));
    r->key = region->key;
    return m->ep->kind->begin(m->ep, r);
}

bool ovl_mem_start(const struct ovl_rank_mem *m, char *here, uint64_t raddr, size_t bytes, bool put, struct ovl_rdma *r)
{
    char *direct = ovl_mem_addr(m, raddr);
    r->here = here;
    r->waiting = bytes;
    r->put = put;
    r->why = 0;
    if (bytes == 0)
        return true;
    if (direct)
        memmove(put ? direct : here, put ? here : direct, bytes);
    else if (m->ep)
        return begin(m, raddr, r);
    else
        r->why = copy_foreign(m->pid, raddr, here, bytes, put);
    return true;
}
