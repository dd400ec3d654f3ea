/* Whole numbers of JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_whole.h"

#include <math.h>
#include <string.h>

json_t *ovl_json_whole(const json_t *value)
{
    double x = json_is_real(value) ? json_real_value(value) : 0.5;
    return x == floor(x) && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : NULL;
}

void ovl_json_make_whole(json_t *json, const char *but)
{
    const char *name;
    json_t *value, *better;
    void *next;
    json_object_foreach_safe(json, next, name, value)
    {
        if (but && strcmp(name, but) == 0)
            continue;
        if ((better = ovl_json_whole(value)))
            json_object_set_new(json, name, better);
        else
            ovl_json_make_whole(value, NULL);
    }
    for (size_t i = 0; i < json_array_size(json); i++) {
        value = json_array_get(json, i);
        if ((better = ovl_json_whole(value)))
            json_array_set_new(json, i, better);
        else
            ovl_json_make_whole(value, NULL);
    }
}
