/* Lanes of a Gantt chart in a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/lanes.h"

#include <math.h>

static const char *const span_words[OVL_SPAN_KINDS] = {"forward", "backward", "update",  "operation", "wait",
                                                       "steps",   "snapshot", "persist", "stall",     "bulk"};

json_t *ovl_lane(const char *name)
{
    return json_pack("{s:s}", "lane", name);
}

void ovl_lane_add(json_t *lane, enum ovl_span_kind kind, double begin, double end)
{
    json_t *spans = json_object_get(lane, span_words[kind]);
    if (!spans) {
        spans = json_array();
        json_object_set_new(lane, span_words[kind], spans);
    }
    json_array_append_new(spans, json_real(begin));
    json_array_append_new(spans, json_real(end));
}

size_t ovl_lane_count(const json_t *lane, enum ovl_span_kind kind)
{
    size_t n = json_array_size(json_object_get(lane, span_words[kind])) / 2;
    return n < OVL_SPANS_OF_LANE ? n : OVL_SPANS_OF_LANE;
}

int ovl_lane_span(const json_t *lane, enum ovl_span_kind kind, size_t i, double *begin, double *end)
{
    const json_t *spans = json_object_get(lane, span_words[kind]);
    const json_t *from = json_array_get(spans, 2 * i), *to = json_array_get(spans, 2 * i + 1);
    *begin = json_number_value(from);
    *end = json_number_value(to);
    return json_is_number(from) && json_is_number(to) && isfinite(*begin) && *begin >= 0 && *end >= *begin ? 0 : -1;
}
