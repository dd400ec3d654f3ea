/* The MPI library of the program, found when the first call comes: this library is linked to none. Only the MPICH
 * family is served. Programs of another MPI come through all the same, so what they hold is passed on as it is: handles
 * are parameters as wide as a pointer (H), though MPICH's are ints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_PMPI_PMPI_H
#define OVL_PRELOAD_PMPI_PMPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef uintptr_t H;

/* Extended generalized requests, which MPICH's header may have under other names, or not at all: what the program's MPI
   has is found when it runs. */
typedef int ovl_grequest_poll(void *extra, MPI_Status *status);
typedef int ovl_grequest_wait(int n, void **extras, double timeout, MPI_Status *status);

#define STRIP(...) __VA_ARGS__

struct ovl_pmpi {
#define CALL(name, params) int(*name) params;
#include "preload/pmpi/calls.inc"
#define NBC(i, init, op, params, args, ...)                                                                            \
    int (*F(i))(STRIP params, MPI_Request * q);                                                                        \
    int (*F(init))(STRIP params, H info, MPI_Request * q);
#define HOSTED(i, params, args) int (*F(I##i))(STRIP params, MPI_Request * q);
#define N                       int
#define D                       int
#define F(name)                 name
#include "preload/pmpi/collectives.inc"
#include "preload/pmpi/hosted.inc"
#undef N
#undef D
#undef F
#define N       MPI_Count
#define D       MPI_Aint
#define F(name) name##_c
#include "preload/pmpi/collectives.inc"
#include "preload/pmpi/hosted.inc"
#undef N
#undef D
#undef F
#undef NBC
#undef HOSTED
    int (*class_create)(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *cancel, ovl_grequest_poll *poll, ovl_grequest_wait *wait,
                        int *class);
    int (*class_allocate)(int class, void *extra, MPI_Request *request);
};

enum ovl_mpi_family { OVL_MPI_UNBOUND, OVL_MPI_MPICH, OVL_MPI_CH3, OVL_MPI_OPEN, OVL_MPI_ABI, OVL_MPI_OTHER };

/* The second has the same functions as the program's calls reach them behind this library: under the names that begin
   with MPI_, of a tool that stands there, such as a profiler, else MPI's own. */
extern struct ovl_pmpi ovl_pmpi_table, ovl_pmpi_next;
extern _Atomic int ovl_pmpi_family;

/* Ends the process with OVL_ENVIRONMENT where the program has no MPI library, which then called none. */
void ovl_pmpi_bind(void);

/* Which of MPI's calls come to this library first, and do not go past it from a function of that name in the program's
   own file, or in a tool before this library: a bit for each call. */
struct ovl_pmpi_seen {
    unsigned char bit[64];
};

void ovl_pmpi_look(struct ovl_pmpi_seen *seen);
/* The first call that is seen in one alone; NULL: none. */
const char *ovl_pmpi_unlike(const struct ovl_pmpi_seen *a, const struct ovl_pmpi_seen *b);
/* Are all calls that start, complete, ask and free requests seen? */
bool ovl_pmpi_sees_requests(void);

static inline const struct ovl_pmpi *ovl_pmpi(void)
{
    if (__builtin_expect(ovl_pmpi_family == OVL_MPI_UNBOUND, 0))
        ovl_pmpi_bind();
    return &ovl_pmpi_table;
}

#define P ovl_pmpi()

/* For calls of the program that go on to MPI, or begin and end it; this library's own go by P. */
#define NEXT ((void)ovl_pmpi(), (const struct ovl_pmpi *)&ovl_pmpi_next)

/* Defines MPI_NAME, under another name for the compiler, which knows MPI's own declarations. */
#define WRAP(name, params) WRAP_(name, params)
#define WRAP_(name, params)                                                                                            \
    int ovl_wrap_##name params __asm__("MPI_" #name);                                                                  \
    int ovl_wrap_##name params

#endif
