/* The measuring loop on the virtual stage, told sample by sample: what a change of names must leave as it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "tests/fake/virtual_stage.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>

static void tell(const char *what, const struct ovl_loop_result *r, int modes)
{
    printf("%s: status %d, units %llu, %s\n", what, (int)r->status, (unsigned long long)r->units, r->reason);
    for (int m = 0; m < modes; m++) {
        const struct ovl_samples *s = &r->samples[m];
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            printf("%d %s", m, ovl_field_of_quantity((enum ovl_quantity)q)->name);
            for (size_t b = 0; b < s->blocks; b++)
                printf(" %.12g/%.12g", s->max[q][b], s->mean[q][b]);
            printf("\n");
        }
        for (int d = 0; d < OVL_DERIVED; d++) {
            struct ovl_estimate e = ovl_overlap_estimate(s, (enum ovl_derived)d, 0, 1);
            printf("%d %s %.12g %.12g %.12g\n", m, ovl_field_of_derived((enum ovl_derived)d)->name, e.value, e.ci_low,
                   e.ci_high);
        }
    }
}

static struct virtual_stage stage_of(double fraction, double drift, int late_every)
{
    return (struct virtual_stage){.read_ns = 20,
                                  .unit_ns = 2,
                                  .believed_unit_ns = 2.1,
                                  .operation_ns = {100000, 150000},
                                  .fraction = {fraction, 1},
                                  .blocking_ns = 90000,
                                  .theft = 0.1,
                                  .drift = drift,
                                  .late_every = late_every,
                                  .late_ns = 20000,
                                  .speed = 1};
}

int sim_loop(int argc, char **argv)
{
    (void)argc, (void)argv;
    static const double fractions[] = {0, 0.5, 1};
    for (int f = 0; f < 3; f++)
        for (int variant = 0; variant < 4; variant++) {
            struct virtual_stage stage = stage_of(fractions[f], variant == 1 ? 0.002 : 0, variant == 2 ? 7 : 0);
            struct ovl_loop loop = {.ops = &virtual_stage_ops,
                                    .stage = &stage,
                                    .decides = true,
                                    .ranks = 1,
                                    .modes = 2,
                                    .pilot = variant == 3,
                                    .tests = variant == 1 ? 4 : 0,
                                    .warmup = 5,
                                    .stop = {10, 40, 2, 10, 0},
                                    .seed = 7,
                                    .clock_read = 20e-9,
                                    .ratio = 1,
                                    .fixed_seconds = variant == 2 ? 80e-6 : NAN};
            struct ovl_loop_result result;
            struct ovl_error err;
            char what[64];
            if (ovl_loop_run(&loop, &result, &err) != 0) {
                fprintf(stderr, "%s\n", err.text);
                return 1;
            }
            snprintf(what, sizeof what, "f %g, variant %d", fractions[f], variant);
            tell(what, &result, 2);
            ovl_loop_result_free(&result);
        }
    return 0;
}
