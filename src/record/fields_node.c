/* Fields of a node line, which ovl_noise writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "record/node.h"

#define AT(m)              .offset = offsetof(struct ovl_node, m), .size = sizeof(((struct ovl_node *)0)->m)
#define NODE(path_, kind_) .line = OVL_LINE_NODE, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define SHARE              .unit = "1", .null = true, .bounded = true
#define SECONDS            .unit = "s", .null = true, .bounded = true
#define NEEDED             .need = OVL_NEED_ALL

#define QUANTA(path_, m, long_or_short)                                                                                \
    {NODE(path_ ".rank", WHOLE), AT(m.rank), .null = true,                                                             \
     .about = "the rank of the node that lost most; the other values are its own, but for usual_seconds"},             \
        {NODE(path_ ".seconds", NUMBER), AT(m.seconds), SECONDS, .about = long_or_short ": all quanta together"},      \
        {NODE(path_ ".quickest_seconds", NUMBER), AT(m.quickest), SECONDS, .about = "the quickest quantum"},           \
        {NODE(path_ ".usual_seconds", NUMBER), AT(m.usual), SECONDS,                                                   \
         .about = "the lower quartile of quanta, of the slowest rank"},                                                \
        {NODE(path_ ".above_quickest_fraction", NUMBER), AT(m.above_quickest), SHARE,                                  \
         .about = "share of the time above the quickest quantum; a core that changes its speed counts too"},           \
        {NODE(path_ ".lost_fraction", NUMBER), AT(m.lost), SHARE,                                                      \
         .about = "share of the time that quanta with detours took longer than usual; a detour takes 1 us at least, "  \
                  "and 4 times as much as the usual quantum is above the quickest"},                                   \
        {NODE(path_ ".detours_per_second", NUMBER), AT(m.per_second), .unit = "1/s", .null = true, .bounded = true,    \
         .about = "how often detours come"},                                                                           \
        {NODE(path_ ".detour_median_seconds", NUMBER), AT(m.median), SECONDS, .about = "the median detour"},           \
        {NODE(path_ ".detour_p99_seconds", NUMBER), AT(m.p99), SECONDS, .about = "from 100 detours on"},               \
        {NODE(path_ ".detour_longest_seconds", NUMBER), AT(m.longest), SECONDS, .about = "the longest detour"},        \
        {NODE(path_ ".detour_typical_seconds", NUMBER), AT(m.typical), SECONDS,                                        \
         .about = "half of what is lost is lost in detours at least this long"},                                       \
    {                                                                                                                  \
        NODE(path_ ".period_seconds", NUMBER), AT(m.period), SECONDS,                                                  \
            .about = "time between detours, where 6 of 10 of those that matter come by it; else null"                  \
    }

#define CLOCK(path_, m)                                                                                                \
    {NODE(path_ ".read_seconds", NUMBER), AT(m.read), SECONDS, .about = "what a read takes at the slowest rank"},      \
        {NODE(path_ ".step_seconds", NUMBER), AT(m.step), SECONDS, .about = "the least step that was seen"},           \
    {                                                                                                                  \
        NODE(path_ ".system_call", TRUTH), AT(m.system_call),                                                          \
            .null = true, .about = "a read takes at least half as long as the system call, so that it is one"          \
    }

#define PAIR_AT(m)         .offset = offsetof(struct ovl_node_pair, m), .size = sizeof(((struct ovl_node_pair *)0)->m)
#define PAIR(name_, kind_) NODE("pairs[]." name_, kind_), NEEDED

const struct ovl_field ovl_fields_node[] = {
    {NODE("name", TEXT), AT(name), NEEDED, .about = "the node's host name, with a number where others have the same"},
    {NODE("ranks", WHOLE), AT(ranks), NEEDED, .about = "ranks on it"},
    {NODE("ranks_on_machine", WHOLE), AT(ranks_on_machine), NEEDED, .about = "ranks on its machine, with other nodes'"},
    {NODE("cores", WHOLE), AT(cores), NEEDED, .about = "processing units that the ranks of its machine may run on"},
    QUANTA("quanta", quanta, "quanta of about 1 ms"),
    QUANTA("short_quanta", brief, "quanta of about 10 us"),
    {NODE("clock.source", TEXT), AT(source), .null = true, .about = "the kernel's clock source, such as tsc"},
    CLOCK("clock.monotonic", monotonic),
    CLOCK("clock.raw", raw),
    {NODE("clock.backward_steps", WHOLE), AT(backward), .null = true,
     .about = "reads of either clock that were before the one before, within a rank"},
    {NODE("clock.backward_between_ranks", WHOLE), AT(backward_between), .null = true,
     .about = "messages that arrived before they were sent, between ranks of the node"},
    {NODE("clock.slew_ppm", NUMBER), AT(slew_ppm), .unit = "ppm", .null = true,
     .about = "rate of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW, less 1: the kernel steers it"},
    {NODE("clock.common", TRUTH), AT(common), .null = true, .about = "boot_id says that it is rank 0's clock"},
    {NODE("clock.offset_seconds", NUMBER), AT(offset), .unit = "s", .null = true,
     .about = "this node's CLOCK_MONOTONIC_RAW less rank 0's, at the begin; before 0.3.0 the other way round"},
    {NODE("clock.offset_error_seconds", NUMBER), AT(offset_error), SECONDS,
     .about = "the offset is not farther off: half of the quickest round trips"},
    {NODE("clock.drift_ppm", NUMBER), AT(drift_ppm), .unit = "ppm", .null = true,
     .about =
         "rate at which the offset grows, from the begin to the end of the run: positive where this node's clock is "
         "fast, before 0.3.0 where it is slow; null where it may be off by over 50 ppm"},
    {NODE("clock.residual_seconds", NUMBER), AT(residual), SECONDS,
     .about = "the largest error of the clock's model, looked at each quarter of a second as between blocks"},
    {NODE("steal_fraction", NUMBER), AT(steal), SHARE,
     .about = "largest share of a rank's cores that other guests took"},
    {NODE("start.late_seconds", NUMBER), AT(late), SECONDS,
     .about = "how late a common start is, median, at the rank of the node where that is most"},
    {NODE("start.late_p99_seconds", NUMBER), AT(late_p99), SECONDS, .about = "the same, p99, from 100 starts on"},
    {NODE("start.latest_fraction", NUMBER), AT(latest), SHARE,
     .about = "share of the starts in which the latest rank was one of this node"},
    {PAIR("kind", TEXT), PAIR_AT(kind), .words = "ring|across",
     .about = "neighbours on a ring, or partners whose numbers differ in one bit, all pairs of a round at once"},
    {PAIR("rank", WHOLE), PAIR_AT(rank), .about = "the rank that asks"},
    {PAIR("with", TEXT), PAIR_AT(with), .about = "the other's node"},
    {PAIR("with_rank", WHOLE), PAIR_AT(with_rank), .about = "the other rank"},
    {PAIR("trips", WHOLE), PAIR_AT(trips), .about = "round trips of 8 bytes"},
    {PAIR("latency_min_seconds", NUMBER), PAIR_AT(latency_min), SECONDS, .about = "half of the quickest round trip"},
    {PAIR("latency_seconds", NUMBER), PAIR_AT(latency), SECONDS, .about = "half of the median round trip"},
    {PAIR("latency_p99_seconds", NUMBER), PAIR_AT(latency_p99), SECONDS,
     .about = "half of the p99 of round trips, from 100 on"},
    {PAIR("bytes", WHOLE), PAIR_AT(bytes), .unit = "B", .about = "of the larger message"},
    {PAIR("bytes_per_second", NUMBER), PAIR_AT(bytes_per_second), .unit = "B/s", .null = true, .bounded = true,
     .about = "these by half of the median round trip of such messages"},
    {.path = NULL},
};
