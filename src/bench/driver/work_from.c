/* Work out of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/work_from.h"
#include "record/derived/units.h"

#include <math.h>

int ovl_work_from(const char *path, const struct ovl_run *own, const struct ovl_cell *like, uint64_t *units,
                  struct ovl_error *err)
{
    struct ovl_record record = {0};
    int rc = ovl_record_read_brief(&record, path, err);
    *units = 0;
    for (size_t r = 0; r < record.run_count && rc == 0; r++) {
        double found = ovl_units_in(&record.runs[r], own, like);
        *units = found > 0 ? (uint64_t)found : *units;
    }
    ovl_record_free(&record);
    return rc;
}

int ovl_work_missing(const char *path, const struct ovl_cell *like, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_USAGE,
                         "--work-from %s: no host cell of %s with %g ranks, %g bytes, kernel %s and ratio %g; measure "
                         "--mode host with the same options into it first",
                         path, like->benchmark, like->ranks, isnan(like->size_bytes) ? 0 : like->size_bytes,
                         like->compute_kind, like->ratio);
}
