/* The table of memory paths, and reaching memory by raddrs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

const struct ovl_mem_path *const ovl_mem_paths[] = {&ovl_mem_path_shm, &ovl_mem_path_cma, &ovl_mem_path_verbs, NULL};

const struct ovl_mem_path *ovl_mem_path_find(const char *name)
{
    for (const struct ovl_mem_path *const *p = ovl_mem_paths; *p; p++)
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

static void begin(const struct ovl_rank_mem *r, char *here, uint64_t raddr, size_t bytes, bool put,
                  struct ovl_errand *e)
{
    size_t number = raddr >> OVL_RADDR_SHIFT;
    const struct ovl_region *region = number < r->count ? &r->regions[number] : NULL;
    *e = (struct ovl_errand){.here = here, .waiting = bytes, .put = put};
    if (!region || !region->number) {
        e->why = EFAULT;
        return;
    }
    e->there = region->there + (raddr & (((uint64_t)1 << OVL_RADDR_SHIFT) - 1));
    e->key = region->key;
    r->ep->kind->begin(r->ep, e);
}

/* Copies by RDMA and waits. It ends in any case: the adapter's retries bound the time, and then the endpoint is lost.
 */
static int carry(const struct ovl_rank_mem *r, char *here, uint64_t raddr, size_t bytes, bool put)
{
    while (bytes > 0) {
        struct ovl_errand e;
        size_t now = bytes < r->bounce_bytes ? bytes : r->bounce_bytes;
        if (put)
            memcpy(r->bounce, here, now);
        for (begin(r, r->bounce, raddr, now, put, &e); !ovl_errand_ended(&e);)
            r->ep->kind->poll(r->ep);
        if (e.why) {
            errno = e.why;
            return -1;
        }
        if (!put)
            memcpy(here, r->bounce, now);
        here += now;
        raddr += now;
        bytes -= now;
    }
    return 0;
}

void ovl_mem_start(const struct ovl_rank_mem *r, char *here, uint64_t raddr, size_t bytes, bool put,
                   struct ovl_errand *e)
{
    if (r->ep) {
        begin(r, here, raddr, bytes, put, e);
        return;
    }
    *e = (struct ovl_errand){.put = put};
    if ((put ? ovl_mem_put(r, raddr, here, bytes) : ovl_mem_get(r, here, raddr, bytes)) != 0)
        e->why = errno ? errno : EIO;
}

int ovl_mem_get(const struct ovl_rank_mem *r, void *to, uint64_t from, size_t bytes)
{
    const char *direct = ovl_mem_addr(r, from);
    if (!direct)
        return r->ep ? carry(r, to, from, bytes, false) : foreign(r->pid, from, to, bytes, false);
    memcpy(to, direct, bytes);
    return 0;
}

int ovl_mem_put(const struct ovl_rank_mem *r, uint64_t to, const void *from, size_t bytes)
{
    char *direct = ovl_mem_addr(r, to);
    if (!direct)
        return r->ep ? carry(r, (char *)(uintptr_t)from, to, bytes, true)
                     : foreign(r->pid, to, (char *)(uintptr_t)from, bytes, true);
    memcpy(direct, from, bytes);
    return 0;
}
