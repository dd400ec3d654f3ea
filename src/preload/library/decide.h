/* Which operations go to the workers. All ranks must decide alike for the same operation, so this is a pure function of
 * what the MPI standard makes equal at all of them. Never ask here for a datatype's layout, where a buffer lies, counts
 * that only one rank knows, or what is free. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_LIBRARY_DECIDE_H
#define OVL_PRELOAD_LIBRARY_DECIDE_H

#include "offload/coll/operation.h"

#include <stdint.h>

enum ovl_offload_why {
    OVL_OFFLOADED,
    OVL_HOST_SMALL,   /* fewer bytes than the least size */
    OVL_HOST_COMM,    /* an inter-communicator, of one rank, of processes outside MPI_COMM_WORLD, or made unseen */
    OVL_HOST_OP,      /* a reduction by an operation that the workers do not have */
    OVL_HOST_NUMBERS, /* a reduction of a datatype that the workers do not have */
    OVL_HOST_LONG,    /* counts too large for the workers' lists */
    OVL_HOST_VECTOR,  /* an operation whose sizes no rank knows, which is switched off */
    OVL_OFFLOAD_WHYS
};

/* "below the least size" and so on, for the report. */
extern const char *const ovl_offload_why_texts[OVL_OFFLOAD_WHYS];

/* Numbers as MPI has them; unsigned ones can be added like signed ones, but not compared. */
enum ovl_number_kind { OVL_OTHER_NUMBER, OVL_SIGNED, OVL_UNSIGNED, OVL_REAL };

/* What an operation is, as each rank of the communicator finds it from its own arguments: equal at all of them. */
struct ovl_decide_args {
    enum ovl_operation operation;
    bool team;      /* the communicator is one whose members the library knows */
    int ranks;      /* of the communicator */
    uint64_t bytes; /* of the operation; of reductions of the vector at one rank */
    uint64_t most;  /* sum of the counts that all ranks have: of iallgatherv in bytes, of ireduce_scatter in numbers,
                       else 0 */
    enum ovl_number_kind kind; /* of reductions */
    int number_bytes;          /* 0: it does not reduce */
    bool known_op;             /* of reductions: `redop` is it */
    enum ovl_redop redop;
};

struct ovl_offload_rules {
    uint64_t least; /* bytes */
    bool vectors;   /* operations whose sizes no rank knows go too */
};

enum ovl_offload_why ovl_decide(const struct ovl_decide_args *q, const struct ovl_offload_rules *rules);

/* Which of the workers' numbers it is; of what ovl_decide let pass. */
enum ovl_dtype ovl_number_of(enum ovl_number_kind kind, int bytes);

#endif
