/* Lines of `ovl offload --compare` against each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/comparison.h"
#include "record/derived/offload_check.h"
#include "record/offload/lines.h"

#include <stddef.h>

const char *ovl_comparison_unlike(const json_t *first, const json_t *launch)
{
    static const struct {
        const char *name, *why;
    } same[] = {{"command", "launches are of other commands"},
                {"metric", "launches tell of other metrics"},
                {"more_is_better", "launches tell both that more and that less is better"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const json_t *a = json_object_get(first, same[i].name), *b = json_object_get(launch, same[i].name);
        if (a != b && !json_equal(a, b))
            return same[i].why;
    }
    return NULL;
}

const char *ovl_offload_unproven(const json_t *report)
{
    struct ovl_offload_report r;
    struct ovl_error why;
    if (ovl_offload_from_json(report, &r, &why) != 0)
        return "a report cannot be read";
    return r.refused || ovl_offload_check(&r, &why) == 0 ? NULL : "a report proves no offload";
}

const char *ovl_comparison_unproven(const json_t *launch, const json_t *report)
{
    struct ovl_offload_report r;
    struct ovl_error why;
    double wall = json_number_value(json_object_get(launch, "wall_seconds"));
    if (ovl_offload_from_json(report, &r, &why) == 0 && wall < r.seconds)
        return "a launch took less time than the library tells of it";
    return ovl_offload_unproven(report);
}
