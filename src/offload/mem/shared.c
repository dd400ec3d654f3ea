/* memfd_create, sealed against shrinking, and all pages reserved: who writes later gets no SIGBUS. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/shared.h"
#include "base/page_alloc.h"
#include "machine/memory_room.h"
#include "offload/mem/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the file's bytes those that have no page yet: what the program has touched is there. */
static size_t missing(int file, size_t bytes)
{
    enum { BLOCK = 512 }; /* stat(2) */
    struct stat st;
    size_t there = fstat(file, &st) == 0 ? (size_t)st.st_blocks * BLOCK : 0;
    return there < bytes ? bytes - there : 0;
}

/* Reserved here, a step at a time: what no longer fits into a control group would be told by SIGKILL, to any process in
   it, and what does not fit into memory by SIGBUS when it is touched. */
static int reserve(int file, size_t bytes)
{
    enum { STEP = 16 << 20 };
    size_t lacks = missing(file, bytes);
    int rc = lacks > ovl_memory_room("") ? ENOMEM : 0;
    for (size_t done = 0; done < bytes && rc == 0; lacks = missing(file, bytes)) {
        size_t now = bytes - done < STEP ? bytes - done : STEP;
        if (lacks > 0 && ovl_memory_room("") < (lacks < now ? lacks : now) + STEP)
            return ENOMEM;
        do
            rc = posix_fallocate(file, (off_t)done, (off_t)now);
        while (rc == EINTR);
        done += now;
    }
    return rc;
}

static int map(struct ovl_shared *s, int file)
{
    s->base = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (s->base != MAP_FAILED)
        return 0;
    s->base = NULL;
    return errno;
}

static int create(struct ovl_shared *s, size_t bytes, bool reserved, struct ovl_error *err)
{
    *s = (struct ovl_shared){.bytes = ovl_page_round(bytes + (bytes == 0))};
    struct rlimit most; /* beyond it the kernel sends SIGXFSZ */
    bool fits = getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || s->bytes <= most.rlim_cur;
    int file = fits ? ovl_local_above_standard(memfd_create("ovl", MFD_CLOEXEC | MFD_ALLOW_SEALING)) : 0,
        rc = !fits  ? EFBIG
             : file ? 0
                    : errno;
    if (rc == 0 && reserved)
        rc = reserve(file, s->bytes);
    else if (rc == 0 && ftruncate(file, (off_t)s->bytes) != 0)
        rc = errno;
    if (rc == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        rc = errno;
    if (rc == 0)
        rc = map(s, file);
    if (rc == 0) {
        s->file = file;
        return 0;
    }
    ovl_local_close(&file);
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "there is no room for %zu bytes of shared memory (%s); give the job more memory, send smaller "
                         "messages, or use --path cma",
                         s->bytes, strerror(rc));
}

int ovl_shared_create(struct ovl_shared *s, size_t bytes, struct ovl_error *err)
{
    return create(s, bytes, true, err);
}

int ovl_shared_promise(struct ovl_shared *s, size_t bytes, struct ovl_error *err)
{
    /* A file is counted page by page: where the machine lends nothing, the first touch beyond its limit is SIGBUS. */
    return create(s, bytes, ovl_memory_counts_strictly(), err);
}

int ovl_shared_reserve(struct ovl_shared *s)
{
    return reserve(s->file, s->bytes);
}

void ovl_shared_close_file(struct ovl_shared *s)
{
    if (s->file)
        close(s->file);
    s->file = 0;
}

int ovl_shared_map(struct ovl_shared *s, int socket, uint32_t number)
{
    struct stat st;
    int file = ovl_local_receive_file(socket, number), rc = file ? 0 : errno;
    *s = (struct ovl_shared){.base = NULL};
    if (rc == 0 && fstat(file, &st) != 0)
        rc = errno;
    if (rc == 0 && !(fcntl(file, F_GET_SEALS) & F_SEAL_SHRINK))
        rc = EBADMSG;
    if (rc == 0) {
        s->bytes = (size_t)st.st_size;
        rc = map(s, file);
    }
    if (rc == 0) /* it is the rank's, and what was never touched would be made for a core dump */
        madvise(s->base, s->bytes, MADV_DONTDUMP);
    ovl_local_close(&file);
    return rc;
}

void ovl_shared_close(struct ovl_shared *s)
{
    ovl_shared_close_file(s);
    if (s->base)
        munmap(s->base, s->bytes);
    s->base = NULL;
}
