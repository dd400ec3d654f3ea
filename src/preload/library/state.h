/* What the library holds in a rank: settings, the way to the carriers, communicators, outstanding operations, counts.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_LIBRARY_STATE_H
#define OVL_PRELOAD_LIBRARY_STATE_H

#include "offload/carrier/carrier.h"
#include "preload/library/decide.h"
#include "preload/library/hosted.h"
#include "preload/pmpi/pmpi.h"

#include <pthread.h>
#include <stdatomic.h>

enum ovl_offload_mode { OVL_MODE_OFF, OVL_MODE_ON, OVL_MODE_REQUIRE };
enum ovl_offload_path { OVL_PATH_AUTO, OVL_PATH_CMA, OVL_PATH_BOUNCE };

/* Rank 0's, whatever the environments of the others hold. */
struct ovl_settings {
    int mode, path, workers;
    int high;       /* carriers that share cores ask for a high priority */
    int slots;      /* operations that a carrier may have of this rank, but for the oldest of each communicator */
    int node_ranks; /* ranks of one machine that count as a node; 0: all. For tests */
    double timeout;
    uint64_t heap; /* allocations of so many bytes and more from memory that workers map; 0: none */
    struct ovl_offload_rules rules;
};

/* Of one operation at this rank. */
struct ovl_tally {
    _Atomic uint64_t calls, bytes, verdicts[OVL_OFFLOAD_WHYS];
};

struct ovl_library {
    _Atomic bool began;  /* MPI_Init was seen */
    _Atomic bool on;     /* operations may be offloaded: from the end of MPI_Init to the begin of MPI_Finalize */
    _Atomic int waiting; /* operations that wait for a slot */
    _Atomic uint64_t outstanding;
    struct ovl_settings settings;
    int rank, ranks, nodes, carriers;
    MPI_Comm world; /* the library's own */
    int keyval;
    int class;        /* of the requests that the program waits for */
    const char *path; /* "cma" or "bounce" */
    bool bounce;      /* data goes through memory of the library that carriers map, but for the heap's */
    char *heap;       /* what libovl_heap.so gives, which carriers map; NULL: nothing */
    size_t heap_bytes;
    bool shared_cores, raised; /* raised: all carriers have the high priority that was asked for */

    /* Held for whatever follows, and never while MPI is called. */
    pthread_mutex_t lock;
    struct ovl_client_ctx client;
    struct ovl_carrier_conns conns;
    struct ovl_carrier_job job;
    int in_flight;

    struct ovl_tally tally[OVL_OPERATIONS];
    _Atomic uint64_t hosted[OVL_HOSTED]; /* calls */
    _Atomic uint64_t packed, waited_ns, posting_ns;
    uint64_t start_ns, started_ns; /* how long the start took, and when it had ended */
};

extern struct ovl_library ovl_library;

/* One line on stderr: what, and the error in words of this library's settings. */
void ovl_library_print_error(const char *what, const struct ovl_error *err);

/* The report cannot be written, by errno. */
void ovl_library_print_lost_report(const char *report);

/* Says on stderr, and in the report where that is a file, what is with the program, such as OVL_NOTHING_OFFLOADED, and
   why. At one process of `ranks`. */
#define OVL_NOTHING_OFFLOADED "nothing is offloaded: "
void ovl_library_refuse(const char *what, const struct ovl_error *err, int ranks);

/* Notes in the file that `ovl offload --require` has named that this rank is served, or that it has refused. */
void ovl_library_notify_tool(bool served);

/* Says so and ends the job with OVL_ENVIRONMENT. */
_Noreturn void ovl_library_die(const struct ovl_error *err);
/* `memory` as it is; where it is NULL the job ends, since the other ranks would wait for this one. */
void *ovl_library_check_alloc(void *memory);

/* Says what is wrong, unless another rank has, and ends this process alone, from a thread that may not call MPI; the
   launcher ends the others. */
_Noreturn void ovl_library_exit(const struct ovl_error *err);

/* Ends the job with OVL_ENVIRONMENT; what is to be said has been. */
_Noreturn void ovl_library_end_job(void);

#endif
