/* Areas of whole pages, first fit. Each is mapped alone, so that what is free costs nothing. The file is shared memory,
 * of which a forked child would see what its parent writes later, and its parent what the child does. So no child gets
 * these mappings (MADV_DONTFORK): fork() makes copies before, which the child finds in their place. Where a child comes
 * about without the C library, as by _Fork, it has nothing there, and ends where it touches it; what it frees stays its
 * parent's. Calls that end a cancelled thread would keep the lock, so the kernel's own stand in their place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_AREAS = 4096, KEPT_MOST = 64 << 20 };
static const size_t most_bytes = (size_t)1 << 38; /* a node's workers map the heaps of all its ranks */

struct area {
    size_t at, bytes; /* from the heap's begin */
    bool used;        /* else kept */
    char *copy;       /* for a child, while a fork is under way */
};

_Atomic size_t ovl_heap_least = SIZE_MAX;

static struct {
    char *base;
    _Atomic size_t bytes; /* 0: there is no heap */
    size_t page, least, kept_bytes;
    int file; /* -1: this is a child, whose areas are its own */
    pid_t owner;
    struct area area[MOST_AREAS];
    size_t areas;
    pthread_mutex_t lock;
} heap = {.file = -1, .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* Addresses that nothing else shall get. */
static void *reserve(void *at, size_t bytes)
{
    return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

bool ovl_heap_has(const void *memory)
{
    size_t bytes = atomic_load_explicit(&heap.bytes, memory_order_acquire); /* the base was there before */
    return bytes > 0 && (uintptr_t)memory - (uintptr_t)heap.base < bytes;
}

/* Is this a process that fork() did not make? The file is another's, and so are the areas. */
static bool is_stranger(void)
{
    return heap.file >= 0 && getpid() != heap.owner;
}

/* Pages that nobody has any more. */
static long punch(int file, size_t at, size_t bytes)
{
    return syscall(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)at, (long)bytes);
}

/* The last area that begins at or before it. */
static struct area *find(const void *memory)
{
    size_t at = (size_t)((const char *)memory - heap.base), low = 0, high = heap.areas;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heap.area[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || heap.area[low - 1].at != at || !heap.area[low - 1].used)
        abort(); /* freed twice, or never given: as the C library does */
    return &heap.area[low - 1];
}

static void drop(struct area *a)
{
    heap.kept_bytes -= a->used ? 0 : a->bytes;
    heap.areas--;
    memmove(a, a + 1, (size_t)(heap.area + heap.areas - a) * sizeof *a);
}

/* Where not even that can be done it stays as it is, for the next of its size. */
static bool give_back(struct area *a)
{
    if (reserve(heap.base + a->at, a->bytes) == MAP_FAILED)
        return false;
    if (heap.file >= 0)
        punch(heap.file, a->at, a->bytes);
    drop(a);
    return true;
}

static void give_back_kept(void)
{
    for (size_t i = heap.areas; i-- > 0;)
        if (!heap.area[i].used)
            give_back(&heap.area[i]);
}

/* Where the program has bound memory to a node the file remembers that: what comes after is bound to none. */
static bool map(size_t at, size_t bytes)
{
    void *memory = mmap(heap.base + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, heap.file, (off_t)at);
    if (memory != MAP_FAILED && madvise(memory, bytes, MADV_DONTFORK) == 0) {
        syscall(SYS_mbind, memory, bytes, MPOL_DEFAULT, NULL, 0UL, 0U);
        return true;
    }
    reserve(heap.base + at, bytes);
    return false;
}

/* Not at the begin: no program shall get the heap's own address. */
static struct area *make(size_t bytes)
{
    size_t at = heap.page, i = 0;
    while (i < heap.areas && heap.area[i].at - at < bytes) {
        at = heap.area[i].at + heap.area[i].bytes;
        i++;
    }
    if (heap.areas == MOST_AREAS || bytes > heap.bytes - at || !map(at, bytes))
        return NULL;
    memmove(heap.area + i + 1, heap.area + i, (heap.areas - i) * sizeof *heap.area);
    heap.areas++;
    heap.area[i] = (struct area){.at = at, .bytes = bytes, .used = true};
    return &heap.area[i];
}

static struct area *take_kept(size_t bytes)
{
    for (size_t i = 0; i < heap.areas && heap.kept_bytes >= bytes; i++)
        if (!heap.area[i].used && heap.area[i].bytes == bytes) {
            heap.area[i].used = true;
            heap.kept_bytes -= bytes;
            return &heap.area[i];
        }
    return NULL;
}

void *ovl_heap_alloc(size_t bytes, bool *zeroed)
{
    int before = errno;
    struct area *a = NULL;
    if (bytes > heap.bytes || is_stranger())
        return NULL;
    bytes = (bytes + heap.page - 1) / heap.page * heap.page;
    pthread_mutex_lock(&heap.lock);
    if (ovl_heap_least != SIZE_MAX) { /* a fork may have come between */
        a = take_kept(bytes);
        *zeroed = !a;
        a = a ? a : make(bytes);
        if (!a && heap.kept_bytes) {
            give_back_kept();
            a = make(bytes);
        }
    }
    char *memory = a ? heap.base + a->at : NULL;
    pthread_mutex_unlock(&heap.lock);
    errno = before;
    return memory;
}

void ovl_heap_free(void *memory)
{
    int before = errno;
    if (is_stranger())
        return;
    pthread_mutex_lock(&heap.lock);
    struct area *a = find(memory);
    if (heap.kept_bytes + a->bytes > KEPT_MOST) {
        give_back_kept();
        a = find(memory);
    }
    bool keeps = heap.file >= 0 && a->bytes <= KEPT_MOST;
    if (keeps || !give_back(a)) {
        a->used = false;
        heap.kept_bytes += a->bytes;
    }
    pthread_mutex_unlock(&heap.lock);
    errno = before;
}

bool ovl_heap_resize(void *memory, size_t bytes)
{
    int before = errno;
    if (bytes == 0 || bytes > heap.bytes || is_stranger())
        return false;
    bytes = (bytes + heap.page - 1) / heap.page * heap.page;
    pthread_mutex_lock(&heap.lock);
    struct area *a = find(memory), *next = a + 1;
    size_t room = (next < heap.area + heap.areas ? next->at : heap.bytes) - a->at, end = a->at + bytes;
    bool can = true;
    if (bytes > a->bytes)
        can = heap.file >= 0 && bytes <= room && map(a->at + a->bytes, bytes - a->bytes);
    else if (bytes < a->bytes) {
        can = reserve(heap.base + end, a->bytes - bytes) != MAP_FAILED;
        if (can && heap.file >= 0)
            punch(heap.file, end, a->bytes - bytes);
    }
    if (can)
        a->bytes = bytes;
    pthread_mutex_unlock(&heap.lock);
    errno = before;
    return can;
}

size_t ovl_heap_usable(const void *memory)
{
    pthread_mutex_lock(&heap.lock);
    size_t bytes = find(memory)->bytes;
    pthread_mutex_unlock(&heap.lock);
    return bytes;
}

/* What was never touched is not copied. */
static char *copy_of(const struct area *a)
{
    off_t end = (off_t)(a->at + a->bytes), from = (off_t)a->at, to;
    char *copy = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        return NULL;
    while ((from = lseek(heap.file, from, SEEK_DATA)) >= 0 && from < end) {
        to = lseek(heap.file, from, SEEK_HOLE);
        size_t bytes = (size_t)((to < end ? to : end) - from);
        /* Other threads may write there. */
        long n = syscall(SYS_pread64, heap.file, copy + (size_t)from - a->at, bytes, (long)from);
        if (n <= 0) {
            munmap(copy, a->bytes);
            return NULL;
        }
        from += n;
    }
    return copy;
}

/* The last of all that is done before a fork: locks of the program, which guard its data, have been taken. */
static void before_fork(void)
{
    static const char none[] = "ovl offload: no memory for a child's copy of the heap (--heap): it ends where it "
                               "touches it\n";
    bool said = heap.file < 0;
    pthread_mutex_lock(&heap.lock);
    heap.least = ovl_heap_least;
    ovl_heap_least = SIZE_MAX;
    for (struct area *a = heap.area; a < heap.area + heap.areas && heap.file >= 0; a++) {
        a->copy = a->used ? copy_of(a) : NULL;
        if (a->used && !a->copy && !said)
            said = syscall(SYS_write, STDERR_FILENO, none, sizeof none - 1) > 0;
    }
}

static void after_fork(void)
{
    for (struct area *a = heap.area; a < heap.area + heap.areas && heap.file >= 0; a++)
        if (a->copy)
            munmap(a->copy, a->bytes);
    ovl_heap_least = heap.least;
    pthread_mutex_unlock(&heap.lock);
}

/* The child's areas are its own memory now, and it gets no more of them. */
static void in_child(void)
{
    heap.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    if (heap.file < 0)
        return;
    syscall(SYS_close, heap.file);
    heap.file = -1;
    for (size_t i = heap.areas; i-- > 0;) {
        struct area *a = &heap.area[i];
        char *at = heap.base + a->at;
        if (a->copy) /* the kernel's own call: UCX stands before mremap, and forgets where to */
            syscall(SYS_mremap, a->copy, a->bytes, a->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
        else
            reserve(at, a->bytes);
        a->copy = NULL;
        if (!a->used)
            drop(a);
    }
}

/* Those of the program come later, and so before these at a fork. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* Of a file in memory no more can be had than what a process may write. */
static size_t bytes_of_machine(void)
{
    struct rlimit most;
    size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    bytes = bytes < most_bytes ? bytes : most_bytes;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < bytes)
        bytes = (size_t)most.rlim_cur;
    return bytes / heap.page * heap.page;
}

/* Where the kernel promises no more than it has, a page that is not there is told by SIGBUS, not by malloc. */
static bool counts_strictly(void)
{
    char mode = '0';
    int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    bool strict = fd >= 0 && read(fd, &mode, 1) == 1 && mode == '2';
    if (fd >= 0)
        close(fd);
    return strict;
}

int ovl_heap_open(size_t least, void **base, size_t *bytes, int *file)
{
    heap.page = (size_t)sysconf(_SC_PAGESIZE);
    size_t all = bytes_of_machine();
    if (counts_strictly())
        return EOPNOTSUPP;
    if (all == 0)
        return EFBIG;
    int rc, low = memfd_create("ovl heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (low < 0)
        return errno;
    int fd = fcntl(low, F_DUPFD_CLOEXEC, 3); /* where a program may have closed its standard streams */
    rc = errno;
    close(low);
    if (fd < 0)
        return rc;
    void *at = reserve(NULL, all);
    if (at == MAP_FAILED || ftruncate(fd, (off_t)all) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 || punch(fd, 0, heap.page) != 0) {
        rc = errno;
        if (at != MAP_FAILED)
            munmap(at, all);
        close(fd);
        return rc;
    }
    heap.base = *base = at;
    heap.file = *file = fd;
    heap.owner = getpid();
    *bytes = all;
    atomic_store(&heap.bytes, all);
    atomic_store(&ovl_heap_least, least > heap.page ? least : heap.page);
    return 0;
}

void ovl_heap_stop(void)
{
    atomic_store(&ovl_heap_least, SIZE_MAX);
}
