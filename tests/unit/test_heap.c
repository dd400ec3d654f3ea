/* Large allocations in a file that workers map: what is in them, whose they are after a fork, and that they go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/heap.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1024 * KIB, AREA = 256 * KIB };

static char *base;
static size_t reach;
static int file;

static void setup(void)
{
    if (!base)
        ck_assert_int_eq(ovl_heap_open(64 * KIB, (void **)&base, &reach, &file), 0);
}

static void teardown(void)
{
}

static char *alloc(size_t bytes)
{
    bool zeroed;
    char *memory = ovl_heap_alloc(bytes, &zeroed);
    ck_assert_ptr_nonnull(memory);
    ck_assert(ovl_heap_has(memory) && ovl_heap_has(memory + bytes - 1));
    ck_assert_uint_ge(ovl_heap_usable(memory), bytes);
    for (size_t i = 0; zeroed && i < bytes; i += 512)
        ck_assert_int_eq(memory[i], 0);
    return memory;
}

static bool is_full_of(const char *memory, size_t bytes, char of)
{
    return memory[0] == of && memcmp(memory, memory + 1, bytes - 1) == 0;
}

static size_t file_bytes(void)
{
    struct stat s;
    ck_assert_int_eq(fstat(file, &s), 0);
    return (size_t)s.st_blocks * 512;
}

/* Runs in a child of fork(), or of the kernel's own call, of which the C library knows nothing; its exit code, or minus
   the signal. */
static int child(bool raw, int (*does)(void *), void *of)
{
    int status;
    pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        syscall(SYS_exit_group, does(of));
    }
    ck_assert_int_gt(pid, 0);
    while (waitpid(pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* As a worker does, which has the file alone. */
TEST(who_maps_the_file_sees_the_same_bytes)
{
    char *memory = alloc(AREA + 1), *there = mmap(NULL, reach, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ck_assert_ptr_ne(there, MAP_FAILED);
    memset(memory, 7, AREA + 1);
    ck_assert(is_full_of(there + (memory - base), AREA + 1, 7));
    memset(there + (memory - base), 8, AREA);
    ck_assert(is_full_of(memory, AREA, 8));
    munmap(there, reach);
    ovl_heap_free(memory);
    ck_assert(!ovl_heap_has(base - 1) && !ovl_heap_has(base + reach) && !ovl_heap_has(NULL));
}

/* Some is kept for the next of its size, which does not find it zeroed. */
TEST(memory_goes_back)
{
    enum { LARGE = 100 * MIB };
    size_t before = file_bytes();
    bool zeroed;
    char *large = alloc(LARGE);
    memset(large, 1, LARGE);
    ck_assert_uint_ge(file_bytes(), before + LARGE);
    ovl_heap_free(large);
    ck_assert_uint_le(file_bytes(), before);
    char *small = alloc(AREA);
    memset(small, 1, AREA);
    errno = ENOTTY;
    ovl_heap_free(small);
    ck_assert_int_eq(errno, ENOTTY);
    ck_assert_ptr_eq(ovl_heap_alloc(AREA - 1, &zeroed), small);
    ck_assert(!zeroed && is_full_of(small, AREA, 1));
    ovl_heap_free(small);
    char *all[600]; /* more than is kept */
    for (int i = 0; i < 600; i++)
        memset(all[i] = alloc(AREA), 2, AREA);
    for (int i = 0; i < 600; i++)
        ovl_heap_free(all[i]);
    ck_assert_uint_le(file_bytes(), before + 64 * MIB);
}

TEST(what_has_no_room_is_refused)
{
    bool zeroed;
    static char *all[5000];
    int n = 0;
    ck_assert_ptr_null(ovl_heap_alloc(reach, &zeroed));
    ck_assert_ptr_null(ovl_heap_alloc(SIZE_MAX, &zeroed));
    while (n < 5000 && (all[n] = ovl_heap_alloc(1, &zeroed)))
        n++;
    ck_assert_int_gt(n, 1000);
    ck_assert_int_lt(n, 5000);
    while (n-- > 0)
        ovl_heap_free(all[n]);
    ovl_heap_free(alloc(AREA));
}

/* A limit on files is one on it. */
TEST(why_there_is_none_is_told)
{
    struct rlimit before, none;
    void *at;
    size_t bytes;
    int fd;
    getrlimit(RLIMIT_FSIZE, &before);
    none = (struct rlimit){.rlim_cur = 4095, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    int rc = ovl_heap_open(1, &at, &bytes, &fd);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(rc, EFBIG);
}

static int finds_what_was(void *memory)
{
    char *m = memory, *kept = m + AREA;
    bool zeroed;
    if (!is_full_of(m, AREA, 3) || !is_full_of(kept, AREA, 4))
        return 1;
    memset(m, 5, AREA);
    if (ovl_heap_alloc(AREA, &zeroed) || ovl_heap_least != SIZE_MAX) /* it would be shared */
        return 2;
    usleep(100000); /* meanwhile its parent writes */
    return is_full_of(m, AREA, 5) && is_full_of(kept, AREA, 4) ? 0 : 3;
}

static int has_a_child(void *memory)
{
    char *m = memory;
    memset(m + 1, 9, AREA - 1);
    m[0] = 9;
    if (child(false, finds_what_was, m) != 1) /* it finds what this child wrote */
        return 1;
    memset(m, 3, AREA);
    int rc = child(false, finds_what_was, m);
    if (rc || !is_full_of(m, AREA, 3))
        return 10 + rc;
    ovl_heap_free(m);
    return 0;
}

static void *writes(void *memory)
{
    usleep(50000);
    memset(memory, 6, 2 * AREA);
    return NULL;
}

/* Neither sees what the other writes, and a child's child is no exception. */
TEST(a_child_has_its_own)
{
    pthread_t thread;
    char *m = alloc(2 * AREA);
    size_t before = file_bytes();
    memset(m, 3, AREA);
    memset(m + AREA, 4, AREA);
    ck_assert_int_eq(child(false, has_a_child, m), 0);
    ck_assert(is_full_of(m, AREA, 3) && is_full_of(m + AREA, AREA, 4));
    pthread_create(&thread, NULL, writes, m);
    ck_assert_int_eq(child(false, finds_what_was, m), 0);
    pthread_join(thread, NULL);
    ck_assert(is_full_of(m, 2 * AREA, 6));
    ck_assert_uint_le(file_bytes(), before + 2 * AREA);
    ovl_heap_free(m);
    ovl_heap_free(alloc(2 * AREA)); /* the parent goes on as before */
}

/* One that the C library has not made has nothing there, rather than what its parent writes. */
TEST(a_child_of_the_kernel_ends_where_it_touches_it)
{
    char *m = alloc(2 * AREA);
    memset(m, 3, 2 * AREA);
    ck_assert_int_eq(child(true, finds_what_was, m), -SIGSEGV);
    ck_assert(is_full_of(m, 2 * AREA, 3));
    ovl_heap_free(m);
}

static int frees(void *memory)
{
    bool zeroed;
    ovl_heap_free(memory);
    return ovl_heap_alloc(AREA, &zeroed) == NULL && !ovl_heap_resize(memory, AREA) ? 0 : 1;
}

/* Its destructors may free what it never made. */
TEST(what_a_child_frees_that_the_c_library_did_not_make_stays_its_parents)
{
    char *m = alloc(80 * MIB); /* more than is kept */
    memset(m, 3, AREA);
    ck_assert_int_eq(child(true, frees, m), 0);
    ck_assert(is_full_of(m, AREA, 3));
    ovl_heap_free(m);
}

TEST(memory_grows_and_shrinks_where_it_lies)
{
    char *m = alloc(AREA);
    memset(m, 1, AREA);
    ck_assert(ovl_heap_resize(m, 3 * AREA - 1));
    ck_assert_uint_eq(ovl_heap_usable(m), 3 * AREA);
    ck_assert(is_full_of(m, AREA, 1) && is_full_of(m + AREA, 2 * AREA, 0));
    memset(m, 2, 3 * AREA);
    char *next = alloc(AREA);
    ck_assert(next < m || next >= m + 3 * AREA);
    size_t before = file_bytes();
    ck_assert(ovl_heap_resize(m, AREA));
    ck_assert_uint_le(file_bytes(), before - 2 * AREA);
    char *between = alloc(2 * AREA);
    memset(between, 5, 2 * AREA);
    ck_assert(!ovl_heap_resize(m, 2 * AREA) || between < m || between > m + 2 * AREA);
    ck_assert(is_full_of(m, AREA, 2) && is_full_of(between, 2 * AREA, 5));
    ck_assert(!ovl_heap_resize(m, SIZE_MAX) && !ovl_heap_resize(m, 0));
    ovl_heap_free(between);
    ovl_heap_free(next);
    ovl_heap_free(m);
}

static void *uses(void *of)
{
    enum { HELD = 8, ROUNDS = 300 };
    static char wrong[] = "another thread wrote there";
    char *held[HELD] = {NULL};
    size_t bytes[HELD];
    uint64_t x = (uint64_t)(uintptr_t)of * 2654435761u + 1;
    const char mark = (char)(uintptr_t)of;
    for (int i = 0; i < ROUNDS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        size_t k = x >> 60 & (HELD - 1);
        bool zeroed;
        if (held[k] && !is_full_of(held[k], bytes[k], mark))
            return wrong;
        if (held[k])
            ovl_heap_free(held[k]);
        bytes[k] = 4096 + (x >> 33) % (3 * AREA);
        while (!(held[k] = ovl_heap_alloc(bytes[k], &zeroed))) /* while another thread forks */
            usleep(100);
        memset(held[k], mark, bytes[k]);
    }
    for (int k = 0; k < HELD; k++)
        if (held[k])
            ovl_heap_free(held[k]);
    return NULL;
}

static int is_there(void *memory)
{
    ovl_heap_free(memory);
    return 0;
}

/* Threads with areas of their own, while another forks. */
TEST(threads_have_their_own)
{
    enum { THREADS = 4, FORKS = 20 };
    pthread_t thread[THREADS];
    char *m = alloc(AREA);
    for (uintptr_t t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, uses, (void *)(t + 1));
    for (int i = 0; i < FORKS; i++)
        ck_assert_int_eq(child(false, is_there, m), 0);
    for (int t = 0; t < THREADS; t++) {
        void *wrong;
        pthread_join(thread[t], &wrong);
        ck_assert_msg(!wrong, "%s", (char *)wrong);
    }
    ovl_heap_free(m);
}

AROUND(setup, teardown)
