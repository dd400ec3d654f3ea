/* From the first thread that waits to the last. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/wait_time.h"
#include "base/clock.h"
#include "preload/library/state.h"

static struct {
    pthread_mutex_t lock;
    int threads;
    int64_t began;
} waits = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ovl_wait_time_begin(void)
{
    pthread_mutex_lock(&waits.lock);
    if (waits.threads++ == 0)
        waits.began = ovl_clock_ns();
    pthread_mutex_unlock(&waits.lock);
}

void ovl_wait_time_end(void)
{
    pthread_mutex_lock(&waits.lock);
    if (--waits.threads == 0)
        atomic_fetch_add_explicit(&ovl_library.waited_ns, (uint64_t)(ovl_clock_ns() - waits.began),
                                  memory_order_relaxed);
    pthread_mutex_unlock(&waits.lock);
}
