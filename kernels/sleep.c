/* sleep: leaves the core idle; the work of a program that waits for a disk, an accelerator or a person. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

#include <errno.h>
#include <time.h>

static void sleep_prepare(void *scratch)
{
    (void)scratch;
}

static void sleep_run(void *scratch, uint64_t units)
{
    (void)scratch;
    struct timespec left = {.tv_sec = (time_t)(units / 1000000), .tv_nsec = (long)(units % 1000000) * 1000};
    while (units > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        continue;
}

const struct ovl_kernel ovl_kernel_sleep = {
    .name = "sleep",
    .summary = "nanosleep, the core idle; a unit is 1 us, at least 1000",
    .fixed_rate = 1e6,
    .least_units = 1000, /* nanosleep of 1 us takes 17-70 us: below 1 ms the units would not be the time */
    .prepare = sleep_prepare,
    .run = sleep_run,
};
