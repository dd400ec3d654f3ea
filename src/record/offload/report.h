/* What libovl_offload.so found in a program. No JSON here: the library has this file in it, and stands in programs that
 * have their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_OFFLOAD_REPORT_H
#define OVL_RECORD_OFFLOAD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

enum { OVL_OFFLOAD_OPERATIONS = 32, OVL_OFFLOAD_REASONS = 8 };

/* Calls that stayed on the host. */
struct ovl_offload_reason {
    const char *why;
    uint64_t calls;
};

struct ovl_offload_operation {
    const char *name;
    uint64_t calls, offloaded, bytes; /* bytes of those that were offloaded */
    struct ovl_offload_reason host[OVL_OFFLOAD_REASONS];
    int reasons;
};

/* Counts are those of all ranks together. */
struct ovl_offload_report {
    const char *program, *ended; /* UTC */
    const char *refused;         /* "nothing is offloaded: " and why; the rest then holds nothing. NULL: it could be */
    int ranks, nodes, workers;
    const char *path; /* to the program's memory */
    bool shared_cores, raised;
    uint64_t least;        /* bytes: smaller operations stay on the host */
    const char *least_why; /* who chose that: "the default"; "" in earlier records, which do not tell */
    struct ovl_offload_operation operation[OVL_OFFLOAD_OPERATIONS];
    int operations;
    uint64_t done, posted;                           /* as the workers and as the ranks count */
    uint64_t packed;                                 /* buffers that were not contiguous */
    uint64_t mapped_bytes, staged_bytes, heap_ranks; /* as in fields_offload.c; 0 in earlier records */
    uint64_t unfinished, unproven_ranks;
    double start_seconds;       /* that offloading added to MPI_Init, at the slowest rank */
    double seconds;             /* from then on to MPI_Finalize, at the rank where that is longest */
    double posting_seconds;     /* in calls that posted to the workers, all ranks together */
    double waited_seconds;      /* in calls that waited while the workers had something, all ranks together */
    double waited_most_seconds; /* the same of the rank that waited longest */
};

#endif
