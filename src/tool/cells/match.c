/* Which cells a rule is about. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/match.h"
#include "tool/cells/point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text that is no number is like none. */
static bool number_matches(double wanted, const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return *text && *end == '\0' && x == wanted;
}

static bool size_matches(const json_t *wanted, double size)
{
    const json_t *min = json_object_get(wanted, "min"), *max = json_object_get(wanted, "max");
    if (json_is_integer(wanted))
        return size == json_number_value(wanted);
    for (size_t i = 0; i < json_array_size(wanted); i++)
        if (size == json_number_value(json_array_get(wanted, i)))
            return true;
    return json_is_object(wanted) && !isnan(size) && !(min && size < json_number_value(min)) &&
           !(max && size > json_number_value(max));
}

bool ovl_match(json_t *match, const struct ovl_group *group)
{
    const char *name;
    json_t *wanted;
    json_object_foreach(match, name, wanted) {
        char text[OVL_FIELD_TEXT_ROOM], said[OVL_FIELD_TEXT_ROOM];
        const struct ovl_field *f = ovl_point_find(name);
        if (!f)
            return false;
        if (json_is_string(wanted))
            ovl_field_shorten(said, json_string_value(wanted));
        ovl_field_text(text, f, group->member->run, group->member->cell);
        bool same = strcmp(name, "size_bytes") == 0 ? size_matches(wanted, group->member->cell->size_bytes)
                    : json_is_number(wanted)        ? number_matches(json_number_value(wanted), text)
                                                    : strcmp(text, said) == 0;
        if (!same)
            return false;
    }
    return true;
}

/* What the group lacks and others have is "": a field that is not named may be anything. */
json_t *ovl_match_only(const struct ovl_groups *groups, const struct ovl_group *group)
{
    json_t *match = ovl_group_json(group), *value;
    const char *name;
    for (size_t k = 0; k < groups->count && match; k++) {
        const struct ovl_group *other = &groups->group[k];
        if (other == group || !ovl_match(match, other))
            continue;
        json_t *fields = ovl_group_json(other);
        json_object_foreach(fields, name, value)
            if (json_is_string(value) && !json_object_get(match, name))
                json_object_set_new(match, name, json_string(""));
        json_decref(fields);
        if (ovl_match(match, other)) {
            json_decref(match);
            match = NULL;
        }
    }
    return match;
}
