/* Lanes of a Gantt chart as a record has them: an array of objects, a lane each, with its name and, for each kind of
   span that it has, an array with the begins and ends of the spans in turn, in seconds from the start of what is drawn.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_LANES_H
#define OVL_RECORD_DERIVED_LANES_H

#include <jansson.h>
#include <stddef.h>

/* In the order of their words, which are the names in the object. */
enum ovl_span_kind {
    OVL_SPAN_FORWARD,
    OVL_SPAN_BACKWARD,
    OVL_SPAN_UPDATE,
    OVL_SPAN_OPERATION, /* in flight: such spans overlap each other and what the rank does meanwhile */
    OVL_SPAN_WAIT,
    OVL_SPAN_STEPS, /* of a training with checkpoints */
    OVL_SPAN_SNAPSHOT,
    OVL_SPAN_PERSIST,
    OVL_SPAN_STALL,
    OVL_SPAN_BULK, /* work that nobody waits for, drawn in a line of its own: from its begin to its end, other work
                      between */
    OVL_SPAN_KINDS
};

enum { OVL_SPAN_LANES = 8, OVL_SPANS_OF_LANE = 1024 }; /* most lanes that are kept, and spans of a kind in one */

/* A lane without spans. */
json_t *ovl_lane(const char *name);
void ovl_lane_add(json_t *lane, enum ovl_span_kind kind, double begin, double end);

/* How many spans of a kind it has, OVL_SPANS_OF_LANE at most, and one of them: -1 where it is no span. */
size_t ovl_lane_count(const json_t *lane, enum ovl_span_kind kind);
int ovl_lane_span(const json_t *lane, enum ovl_span_kind kind, size_t i, double *begin, double *end);

#endif
