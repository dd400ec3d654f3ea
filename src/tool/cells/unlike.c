/* Launches of unlike work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unlike.h"
#include "record/status.h"

#include <math.h>

static const double calibrated = 2;

bool ovl_same_units(const struct ovl_cell *a, const struct ovl_cell *b)
{
    return isnan(a->units) && isnan(b->units) ? ovl_cell_solves(a) && !*a->compute_kind && !*b->compute_kind
                                              : a->units == b->units;
}

static const json_t *model_of(const struct ovl_run *run)
{
    return json_object_get(json_object_get(run->head, "input_files"), "model");
}

bool ovl_same_model(const struct ovl_run *a, const struct ovl_run *b)
{
    return model_of(a) == model_of(b) || json_equal(model_of(a), model_of(b));
}

const char *ovl_members_unlike(const struct ovl_member *members, size_t count)
{
    const struct ovl_member *first = NULL;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (!ovl_member_claims(&members[i]))
            continue;
        first = first ? first : &members[i];
        if (!ovl_same_model(first->run, members[i].run))
            return "model";
        least = fmin(least, members[i].cell->units); /* fmin and fmax pass over NAN */
        most = fmax(most, members[i].cell->units);
    }
    return most > calibrated * least ? "units" : NULL;
}

bool ovl_share_machine(const struct ovl_run *a, const struct ovl_run *b)
{
    const json_t *mine = json_object_get(a->head, "hosts"), *theirs = json_object_get(b->head, "hosts");
    for (size_t i = 0; i < json_array_size(mine); i++)
        for (size_t k = 0; k < json_array_size(theirs); k++) {
            const json_t *one = json_object_get(json_array_get(mine, i), "machine"),
                         *two = json_object_get(json_array_get(theirs, k), "machine");
            if (one == two || json_is_null(one) || json_is_null(two) || json_equal(one, two))
                return true;
        }
    return json_array_size(mine) == 0 || json_array_size(theirs) == 0;
}
