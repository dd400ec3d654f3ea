/* Large arrays. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *ovl_pages(size_t bytes)
{
    enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };
    size_t unit = bytes > HUGE_PAGE ? HUGE_PAGE : PAGE;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t room = (bytes / unit + 1) * unit;
    void *memory = aligned_alloc(unit, room);
    if (!memory)
        return NULL;
    if (unit == HUGE_PAGE)
        madvise(memory, room, MADV_HUGEPAGE);
    memset(memory, 0, room);
    return memory;
}
