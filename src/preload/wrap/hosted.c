/* Non-blocking collectives that workers do not do: they are counted, so that the report lists what it leaves out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/hosted.h"
#include "preload/library/state.h"
#include "preload/op/request.h"

#define HOSTED(name, params, args)                                                                                     \
    WRAP(F(I##name), (STRIP params, MPI_Request * q))                                                                  \
    {                                                                                                                  \
        count(OVL_HOSTED_##name);                                                                                      \
        return NEXT->F(I##name)(STRIP args, q);                                                                        \
    }

static void count(enum ovl_hosted which)
{
    if (!atomic_load_explicit(&ovl_library.on, memory_order_acquire))
        return;
    ovl_pending_drain_waiting();
    atomic_fetch_add_explicit(&ovl_library.hosted[which], 1, memory_order_relaxed);
}

#define N       int
#define D       int
#define F(name) name
#include "preload/pmpi/hosted.inc"
#undef N
#undef D
#undef F
#define N       MPI_Count
#define D       MPI_Aint
#define F(name) name##_c
#include "preload/pmpi/hosted.inc"
