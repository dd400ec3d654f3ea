/* Fields of an offload line, which libovl_offload.so writes of a program, and `ovl offload --compare` of each launch.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"

#define OFFLOAD(path_, kind_) .line = OVL_LINE_OFFLOAD, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define LAUNCH(path_, kind_)  .line = OVL_LINE_LAUNCH, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define BOTH(path_, kind_)                                                                                             \
    .line = OVL_LINE_OFFLOAD | OVL_LINE_LAUNCH, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define NEEDED  .need = OVL_NEED_ALL
#define SECONDS .unit = "s", .bounded = true

const struct ovl_field ovl_fields_offload[] = {
    {BOTH("ovl_version", TEXT), NEEDED, .about = "version of ovl"},
    {BOTH("ended", TEXT), NEEDED, .about = "UTC, such as 2026-01-31T23:59:59Z"},
    {OFFLOAD("program", TEXT), NEEDED, .about = "the program's name"},
    {OFFLOAD("refused", TEXT), .about = "why nothing is offloaded, or nothing known of it; nodes, workers and all "
                                        "counts are then 0, and the path is none"},
    {OFFLOAD("ranks", WHOLE), NEEDED, .bounded = true, .least = 1, .about = "processes of the program"},
    {OFFLOAD("nodes", WHOLE), NEEDED, .about = "nodes that they run on"},
    {OFFLOAD("workers", WHOLE), NEEDED, .about = "workers in all"},
    {OFFLOAD("path", TEXT), NEEDED, .words = "cma|bounce|none", .about = "how workers reach the program's memory"},
    {OFFLOAD("shared_cores", TRUTH), NEEDED, .about = "workers share the ranks' cores"},
    {OFFLOAD("priority", TEXT), NEEDED, .words = "usual|high",
     .about = "high: each worker has a session of its own with autogroup -20"},
    {OFFLOAD("least_bytes", WHOLE), NEEDED, .unit = "B", .about = "smaller operations stay on the host"},
    {OFFLOAD("least_why", TEXT), .about = "who chose that: the default, as asked, or by which record; earlier records "
                                          "do not tell"},
    {OFFLOAD("operations[].name", TEXT), NEEDED, .about = "an operation that the program called, such as ialltoall"},
    {OFFLOAD("operations[].calls", WHOLE), NEEDED, .about = "calls of all ranks"},
    {OFFLOAD("operations[].offloaded", WHOLE), NEEDED, .about = "those that went to the workers"},
    {OFFLOAD("operations[].bytes", WHOLE), NEEDED, .unit = "B",
     .about = "bytes that the ranks received by these, or sent where they receive none"},
    {OFFLOAD("operations[].host.*", WHOLE), NEEDED, .about = "calls that stayed on the host, by the reason"},
    {OFFLOAD("worker_operations", WHOLE), NEEDED, .about = "operations that the workers say they did"},
    {OFFLOAD("posted", WHOLE), NEEDED, .about = "operations that the ranks posted to them"},
    {OFFLOAD("packed", WHOLE), NEEDED, .about = "buffers that were not contiguous, and so packed by their rank"},
    {OFFLOAD("mapped_bytes", WHOLE), .later = true, .unit = "B",
     .about = "bytes of the operations' buffers that workers addressed, all ranks together"},
    {OFFLOAD("staged_bytes", WHOLE), .later = true, .unit = "B",
     .about = "bytes of them that workers copied from or to the rank's memory through blocks of their own"},
    {OFFLOAD("heap_ranks", WHOLE), .later = true, .about = "ranks whose --heap the workers mapped"},
    {OFFLOAD("unfinished", WHOLE), NEEDED, .about = "operations that did not end, since a rank never posted its part"},
    {OFFLOAD("unproven_ranks", WHOLE), NEEDED, .about = "ranks whose worker did not do what the rank posted"},
    {OFFLOAD("start_seconds", NUMBER), NEEDED, SECONDS, .about = "what it adds to MPI_Init, at the slowest rank"},
    {OFFLOAD("seconds", NUMBER), NEEDED, SECONDS,
     .about = "from the end of MPI_Init to the begin of MPI_Finalize, at the rank where that is longest"},
    {OFFLOAD("posting_seconds", NUMBER), NEEDED, SECONDS,
     .about = "in calls that posted to the workers, all ranks together"},
    {OFFLOAD("waited_seconds", NUMBER), NEEDED, SECONDS,
     .about = "in MPI_Wait and its relatives, while a worker had an operation of the rank, all ranks together"},
    {OFFLOAD("waited_most_seconds", NUMBER), NEEDED, SECONDS, .about = "the same of the rank that waited longest"},
    {OFFLOAD("comparison", TEXT), .about = "in a record of ovl offload --compare: as in the launch lines"},
    {OFFLOAD("pair", WHOLE), .about = "the same: of which launch it is the report"},

    {LAUNCH("comparison", TEXT), NEEDED, .about = "the same in all launches of a comparison"},
    {LAUNCH("pair", WHOLE), NEEDED, .bounded = true, .least = 1, .about = "launches are compared in pairs"},
    {LAUNCH("pairs", WHOLE), .bounded = true, .least = 1,
     .about = "how many pairs the comparison was planned to have; earlier records do not tell"},
    {LAUNCH("side", TEXT), NEEDED, .words = "without|with", .about = "without the library, or with it"},
    {LAUNCH("command[]", TEXT), NEEDED, .about = "the command"},
    {LAUNCH("wall_seconds", NUMBER), NEEDED, SECONDS, .about = "from its start to its end"},
    {LAUNCH("metric", TEXT), NEEDED, .null = true, .about = "regular expression by which values were found, or null"},
    {LAUNCH("more_is_better", TRUTH), NEEDED, .about = "of the values"},
    {LAUNCH("values.*", NUMBER), NEEDED, .about = "what the program printed, by the text of the first group"},
    {.path = NULL},
};
