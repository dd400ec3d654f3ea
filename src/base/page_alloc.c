/* Arrays of whole pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/page_alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *zeroed(size_t bytes, size_t unit, int advice)
{
    size_t room = bytes < SIZE_MAX / 2 ? (bytes / unit + 1) * unit : 0;
    void *memory = room ? aligned_alloc(unit, room) : NULL;
    if (!memory)
        return NULL;
    madvise(memory, room, advice); /* where it is not taken, small pages do */
    memset(memory, 0, room);
    return memory;
}

void *ovl_pages(size_t bytes)
{
    return zeroed(bytes, (size_t)sysconf(_SC_PAGESIZE), MADV_NORMAL);
}

void *ovl_huge_pages(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    return bytes > HUGE_PAGE ? zeroed(bytes, HUGE_PAGE, MADV_HUGEPAGE) : ovl_pages(bytes);
}

size_t ovl_page_round(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}
