/* A driver's checks of its data, before and after the samples. Between samples nothing is touched: receive buffers that
   were written there would come into the samples from other caches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/driver.h"
#include "offload/boot/agree_mpi.h"

#include <stdio.h>

/* Collective: says at rank 0 what is wrong, if anything is. */
static int judge(struct ovl_driver *d, int rc, struct ovl_error *err, const char *when)
{
    if (ovl_agree(d->job.stage.comm, rc, err) == 0)
        return 1;
    d->job.wrong_data = true;
    if (d->job.rank == 0)
        fprintf(stderr, "%s: %s%s\n", d->benchmark->program, err->text, when);
    return 0;
}

/* Keeps the first error. */
static void note(int rc, const struct ovl_error *now, int *worst, struct ovl_error *err)
{
    if (rc != 0 && *worst == 0) {
        *worst = rc;
        *err = *now;
    }
}

/* Collective: one buffer set, by the twin and in every mode; with `units` of work, in every mode as T runs it, too:
   what completes an operation while the rank works, test calls or the rank's thread, is in no other check. */
static int validate(struct ovl_driver *d, struct ovl_exchange *x, uint64_t units, uint64_t number,
                    struct ovl_error *err)
{
    uint64_t key = ovl_rng_mix(d->options.common.seed ^ ovl_rng_mix(number) ^ (uint64_t)d->group_number << 32);
    struct ovl_error now;
    int rc = 0;
    ovl_offload_wake(&d->job.offload, true);
    for (int m = -1; m < d->modes; m++)
        for (int works = 0; works <= (m >= 0 && units > 0); works++) {
            struct ovl_exchange_way way = {.mode = m < 0 ? NULL : d->job.stage.modes[m]};
            if (works)
                way =
                    (struct ovl_exchange_way){way.mode, d->options.tests, units, ovl_stage_ops.compute, &d->job.stage};
            note(ovl_exchange_validate(x, &way, key++, &now), &now, &rc, err);
        }
    return rc;
}

/* The data of a cell's two checks. */
static uint64_t number_of(const struct ovl_driver *d, bool after)
{
    return 2 * (uint64_t)d->cells + after;
}

int ovl_driver_validate(struct ovl_driver *d)
{
    struct ovl_error err;
    int right = 1;
    for (size_t i = 0; i < d->job.stage.rotate + d->job.stage.streams && right; i++)
        right = judge(d, validate(d, &d->job.stage.exchanges[i], 0, number_of(d, false), &err), &err, "");
    return right;
}

/* Each set: a fault may be of one buffer alone, as of an entry in a cache of registered memory. With work the last one.
 */
int ovl_driver_validate_end(struct ovl_driver *d, uint64_t units)
{
    struct ovl_exchange *last =
        &d->job.stage.exchanges[(d->job.stage.turn + d->job.stage.rotate - 1) % d->job.stage.rotate];
    struct ovl_error err, now;
    int rc = 0;
    for (size_t i = 0; i < d->job.stage.rotate + d->job.stage.streams; i++)
        note(ovl_exchange_look(&d->job.stage.exchanges[i], &now), &now, &rc, &err);
    for (size_t i = 0; i < d->job.stage.rotate + d->job.stage.streams; i++) {
        struct ovl_exchange *x = &d->job.stage.exchanges[i];
        note(validate(d, x, x == last ? units : 0, number_of(d, true), &now), &now, &rc, &err);
    }
    return judge(d, rc, &err, " (after the last sample)");
}
