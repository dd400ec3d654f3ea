/* Which memory is of whole pages, as the messages of programs are, also those that workers see: what the harness sends
   itself is variables and small arrays. Of the shim that includes it aligned_alloc, free, mmap and munmap are the
   program's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SHIM_IN_PAGES_H
#define OVL_TESTS_SHIM_IN_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARRAYS = 4096 };

/* Memory in whole pages, in the order in which it was obtained; what was freed has no bytes. */
static struct {
    atomic_uintptr_t begin;
    atomic_size_t bytes;
} arrays[ARRAYS];
static atomic_uint array_count;

/* glibc's own, whose names those of this file take. */
void *__libc_memalign(size_t unit, size_t bytes);
void __libc_free(void *memory);

static void add_pages(const void *memory, size_t bytes)
{
    unsigned i = atomic_fetch_add(&array_count, 1);
    if (i >= ARRAYS)
        return;
    atomic_store(&arrays[i].begin, (uintptr_t)memory);
    atomic_store(&arrays[i].bytes, bytes);
}

static void take_pages(const void *memory)
{
    unsigned n = atomic_load(&array_count);
    for (unsigned i = 0; i < n && i < ARRAYS && memory; i++)
        if (atomic_load(&arrays[i].begin) == (uintptr_t)memory)
            atomic_store(&arrays[i].bytes, 0);
}

void *aligned_alloc(size_t unit, size_t bytes)
{
    char *memory = __libc_memalign(unit, bytes);
    if (memory && unit >= 4096)
        add_pages(memory, bytes);
    return memory;
}

void free(void *memory)
{
    take_pages(memory);
    __libc_free(memory);
}

/* Shared with workers. */
void *mmap(void *at, size_t bytes, int may, int flags, int file, off_t from)
{
    void *memory = (void *)syscall(SYS_mmap, at, bytes, may, flags, file, from); // NOLINT
    if (memory != MAP_FAILED && (flags & MAP_SHARED) && file >= 0)
        add_pages(memory, bytes);
    return memory;
}

int munmap(void *memory, size_t bytes)
{
    take_pages(memory);
    return (int)syscall(SYS_munmap, memory, bytes);
}

static bool in_pages(const void *data)
{
    unsigned n = atomic_load(&array_count);
    for (unsigned i = 0; i < n && i < ARRAYS; i++)
        if ((uintptr_t)data - atomic_load(&arrays[i].begin) < atomic_load(&arrays[i].bytes))
            return true;
    return false;
}

#endif
