/* Arrays of whole pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_PAGE_ALLOC_H
#define OVL_BASE_PAGE_ALLOC_H

#include <stddef.h>

/* Both: `bytes` zeroed bytes, touched by the caller, that begin a page. NULL when there are none left. The caller frees
   them. */
void *ovl_pages(size_t bytes);
/* From 2 MiB on in huge pages where the system gives them on demand (madvise): walks with large strides else wait for
   translations. */
void *ovl_huge_pages(size_t bytes);

/* The same or the next multiple of a page. */
size_t ovl_page_round(size_t bytes);

#endif
