/* Layout of command queues and status pages, and shared memory by name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/cmdq.h"
#include "base/cpu.h"
#include "base/page_alloc.h"
#include "offload/mem/ep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char directory[] = "/dev/shm";

static uint32_t arg_ints(int ranks)
{
    enum { NAME_INTS = 16 };
    uint32_t counts = 4 * (uint32_t)ranks;
    return ((counts > NAME_INTS ? counts : NAME_INTS) + 15u) & ~15u;
}

size_t ovl_cmdq_plain_bytes(int ranks)
{
    return sizeof(struct ovl_cmdq) + (size_t)OVL_SLOTS * arg_ints(ranks) * sizeof(int32_t);
}

size_t ovl_cmdq_bytes(int ranks)
{
    return ovl_page_round(ovl_cmdq_plain_bytes(ranks));
}

void ovl_cmdq_init(struct ovl_cmdq *s, int rank, int ranks)
{
    s->rank = rank;
    s->pid = getpid();
    s->arg_ints = arg_ints(ranks);
}

size_t ovl_status_bytes(void)
{
    return ovl_page_round(sizeof(struct ovl_worker_status));
}

void ovl_status_init(struct ovl_worker_status *b)
{
    atomic_init(&b->unresponsive, -1);
}

static int map(struct ovl_shared *s, int fd, struct ovl_error *err)
{
    s->base = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (s->base != MAP_FAILED)
        return 0;
    s->base = NULL;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot map %zu bytes of %s/%s: %s", s->bytes, directory, s->name,
                         strerror(errno));
}

int ovl_shared_create(struct ovl_shared *s, size_t bytes, struct ovl_error *err)
{
    char path[128];
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint64_t)(uintptr_t)s;
    s->base = NULL;
    s->bytes = ovl_page_round(bytes + (bytes == 0));
    snprintf(s->name, sizeof s->name, "ovl-%ld-%016llx", (long)getpid(), (unsigned long long)random);
    snprintf(path, sizeof path, "%s/%s", directory, s->name);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot make %s: %s; mount a tmpfs there, or use --path cma", path,
                             strerror(errno));
    /* Reserved here, or a full file system would be told by SIGBUS. */
    int rc = posix_fallocate(fd, 0, (off_t)s->bytes);
    if (rc != 0)
        ovl_error_set(err, OVL_ENVIRONMENT,
                      "%s has no room for %zu bytes (%s); make it larger (containers: --shm-size), send smaller "
                      "messages, or use --path cma",
                      directory, s->bytes, strerror(rc));
    else
        rc = map(s, fd, err);
    close(fd);
    if (rc != 0)
        unlink(path);
    return rc == 0 ? 0 : -1;
}

int ovl_shared_open(struct ovl_shared *s, const char *name, struct ovl_error *err)
{
    char path[128];
    struct stat st;
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s", directory, s->name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot open %s: %s; rank and worker must see the same %s", path,
                             strerror(why), directory);
    }
    s->bytes = (size_t)st.st_size;
    int rc = map(s, fd, err);
    close(fd);
    return rc;
}

void ovl_shared_unlink(const struct ovl_shared *s)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, s->name);
    unlink(path);
}

void ovl_shared_close(struct ovl_shared *s)
{
    if (s->base)
        munmap(s->base, s->bytes);
    s->base = NULL;
}

void ovl_cmdq_complete(struct ovl_cmdq *s, struct ovl_ep *ep, unsigned slot, uint64_t sequence, int result)
{
    struct ovl_completion *at = &s->slot[slot];
    at->result = result;
    ovl_ep_put_flag(ep, &at->result, sizeof at->result);
    atomic_store_explicit(&at->done, sequence, memory_order_release);
    ovl_ep_put_flag(ep, &at->done, sizeof at->done);
    if (atomic_exchange(&s->rank_sleeping, 0))
        ovl_futex_wake(&s->rank_sleeping);
}
