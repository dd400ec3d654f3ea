/* Pages of the rank's own, for paths by which workers copy (cma) or reach registered memory (verbs). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/page_alloc.h"
#include "offload/mem/path.h"

#include <stdlib.h>

int ovl_region_alloc_own(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    enum { UNIT = 4096 }; /* so that none is empty */
    region->shared.bytes = (bytes / UNIT + 1) * UNIT;
    region->shared.base = ovl_pages(region->shared.bytes);
    if (!region->shared.base)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu bytes; send smaller messages", bytes);
    return 0;
}

void ovl_region_free_own(struct ovl_region *region)
{
    free(region->shared.base);
    region->shared.base = NULL;
}
