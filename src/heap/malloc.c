/* libovl_heap.so: stands before the C library's malloc, which makes all but large allocations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own, under names that nobody stands before: they work before anything is bound. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void __libc_free(void *memory);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static bool is_large(size_t bytes)
{
    return bytes >= atomic_load_explicit(&ovl_heap_least, memory_order_acquire);
}

static void *alloc(size_t bytes)
{
    bool zeroed;
    return is_large(bytes) ? ovl_heap_alloc(bytes, &zeroed) : NULL;
}

void *malloc(size_t bytes)
{
    void *memory = alloc(bytes);
    return memory ? memory : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    size_t all;
    bool zeroed = true, fits = !__builtin_mul_overflow(n, bytes, &all);
    void *memory = fits && is_large(all) ? ovl_heap_alloc(all, &zeroed) : NULL;
    if (!memory)
        return __libc_calloc(n, bytes);
    return zeroed ? memory : memset(memory, 0, all);
}

void free(void *memory)
{
    if (ovl_heap_has(memory))
        ovl_heap_free(memory);
    else
        __libc_free(memory);
}

/* The C library's, not that of another library for malloc, which does not know its memory. Found before the program
   begins, since the loader's lock is taken for it. */
static size_t (*own_usable_size(void))(void *)
{
    static size_t (*_Atomic own)(void *);
    size_t (*f)(void *) = own;
    if (!f) {
        void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
        void *found = dlsym(libc ? libc : RTLD_NEXT, "malloc_usable_size");
        memcpy(&f, &found, sizeof f);
        own = f;
    }
    return f;
}

__attribute__((constructor)) static void find_own_usable_size(void)
{
    own_usable_size();
}

size_t malloc_usable_size(void *memory)
{
    return ovl_heap_has(memory) ? ovl_heap_usable(memory) : own_usable_size()(memory);
}

void *realloc(void *memory, size_t bytes)
{
    bool here = ovl_heap_has(memory);
    if (!memory)
        return malloc(bytes);
    if (!here && !is_large(bytes))
        return __libc_realloc(memory, bytes);
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    size_t had = malloc_usable_size(memory), page = (size_t)sysconf(_SC_PAGESIZE);
    if (here && bytes <= had && had - bytes < page)
        return memory;
    if (here && is_large(bytes) && ovl_heap_resize(memory, bytes))
        return memory;
    void *to = here ? malloc(bytes) : alloc(bytes);
    if (!to)
        return here ? NULL : __libc_realloc(memory, bytes);
    memcpy(to, memory, had < bytes ? had : bytes);
    free(memory);
    return to;
}

void *memalign(size_t alignment, size_t bytes)
{
    void *memory = alignment <= (size_t)sysconf(_SC_PAGESIZE) ? alloc(bytes) : NULL;
    return memory ? memory : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int before = errno;
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *found = memalign(alignment, bytes);
    errno = before;
    if (!found)
        return ENOMEM;
    *memory = found;
    return 0;
}

void *valloc(size_t bytes)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

void *pvalloc(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes > SIZE_MAX - page ? __libc_memalign(page, bytes) : valloc((bytes + page - 1) / page * page);
}
