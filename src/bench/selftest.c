/* --self-test: the measuring loop on operations whose truth is known, on this machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver_state.h"
#include "bench/synthetic.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>

/* METHOD's bounds, in fractions; for operations of at least 20 us. */
static const double median_most = 0.01, worst_most = 0.03, slowdown_most = 0.05;

static struct ovl_synthetic operation;

static void synthetic_post(struct ovl_exchange *x)
{
    (void)x;
    ovl_synthetic_start(&operation);
}

static bool synthetic_test(struct ovl_exchange *x)
{
    (void)x;
    return ovl_synthetic_test(&operation);
}

static void synthetic_wait(struct ovl_exchange *x)
{
    (void)x;
    ovl_synthetic_wait(&operation);
}

static void synthetic_blocking(struct ovl_exchange *x)
{
    (void)x;
    ovl_synthetic_blocking(&operation);
}

static const struct ovl_mode mode = {
    .name = "self-test",
    .engine = "synthetic",
    .placement = "host",
    .post = synthetic_post,
    .test = synthetic_test,
    .wait = synthetic_wait,
};

static const struct ovl_collective collective = {.name = "self-test", .blocking = synthetic_blocking};

/* Collective: the loop on one operation. At rank 0 the two values, NaN where there is none. */
static int measure(struct ovl_driver *d, double total_us, double fraction, double *hidden, double *slowdown,
                   double *truth, struct ovl_error *err)
{
    struct ovl_exchange exchange = {.collective = &collective};
    struct ovl_loop_result result;
    struct ovl_loop loop = ovl_driver_loop(d);
    operation = (struct ovl_synthetic){.total_ns = 1e3 * total_us, .fraction = fraction};
    d->stage.exchanges = &exchange;
    d->stage.rotate = 1;
    d->stage.modes[0] = &mode;
    loop.modes = 1;
    loop.pilot = false; /* that --mode dpu measures the host's communication too: here is nobody else's */
    loop.fixed_seconds = NAN;
    loop.stop.max_seconds = fmin(loop.stop.max_seconds, 4);
    *hidden = *slowdown = *truth = NAN;
    int rc = ovl_loop_run(&loop, &result, err);
    if (rc == 0 && d->rank == 0 && !result.signal) {
        double least = 20 * d->clock_read;
        struct ovl_estimate h, s, w;
        if (ovl_overlap_estimate(&result.samples[0], OVL_HIDDEN, least, 1, &h) != 0 ||
            ovl_overlap_estimate(&result.samples[0], OVL_HIDEABLE, least, 1, &w) != 0 ||
            ovl_overlap_estimate(&result.samples[0], OVL_SLOWDOWN, least, 1, &s) != 0)
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the statistics");
        else {
            *hidden = h.value;
            *slowdown = s.value;
            *truth = fmin(fraction, w.value);
        }
    }
    d->signal = rc == 0 ? result.signal : 0;
    d->cells++;
    ovl_loop_result_free(&result);
    return ovl_agree(d->stage.comm, rc, err);
}

static int test_overlap(struct ovl_driver *d, struct ovl_error *err)
{
    static const double fractions[] = {0, 0.25, 0.5, 0.75, 1}, totals_us[] = {25, 100, 400, 1600, 6400, 25600};
    enum { FRACTIONS = sizeof fractions / sizeof *fractions, TOTALS = sizeof totals_us / sizeof *totals_us };

    if (d->rank == 0) {
        printf("# %s --self-test: operations that hide exactly f of their time T; %d ranks, kernel %s\n",
               d->benchmark->program, d->ranks, d->work.kernel->name);
        printf("# error = hidden_fraction - min(f, W / C), in points\n%6s", "f");
        for (int t = 0; t < TOTALS; t++)
            printf("%7.5g us", totals_us[t]);
        printf("%10s%10s\n", "median", "worst");
    }
    for (int f = 0; f < FRACTIONS && !d->signal; f++) {
        double errors[TOTALS];
        for (int t = 0; t < TOTALS && !d->signal; t++) {
            double hidden, slowdown, truth;
            if (measure(d, totals_us[t], fractions[f], &hidden, &slowdown, &truth, err) != 0)
                return -1;
            errors[t] = isnan(hidden) ? INFINITY : hidden - truth;
        }
        if (d->rank != 0 || d->signal)
            continue;
        printf("%6g", fractions[f]);
        for (int t = 0; t < TOTALS; t++) {
            printf("%10.2f", 100 * errors[t]);
            errors[t] = fabs(errors[t]);
        }
        double median = ovl_stats_median(errors, TOTALS);
        bool missed = median > median_most || errors[TOTALS - 1] > worst_most;
        printf("%10.2f%10.2f%s\n", 100 * median, 100 * errors[TOTALS - 1], missed ? "   MISSED" : "");
        fflush(stdout);
        d->missed = d->missed || missed;
    }
    return 0;
}

static int test_theft(struct ovl_driver *d, struct ovl_error *err)
{
    static const double thefts[] = {0.1, 0.3, 0.5};
    if (d->rank == 0 && !d->signal)
        printf("# a thief takes share s of the core while the operation is under way; T = 21 ms, f = 1\n"
               "%6s%12s%12s%10s\n",
               "s", "slowdown", "truth", "error");
    for (size_t s = 0; s < sizeof thefts / sizeof *thefts && !d->signal; s++) {
        double hidden, slowdown, truth;
        ovl_synthetic_steal(thefts[s]);
        int rc = measure(d, 21000, 1, &hidden, &slowdown, &truth, err);
        ovl_synthetic_steal(0);
        if (rc != 0)
            return -1;
        if (d->rank != 0 || d->signal)
            continue;
        double error = slowdown - 1 / (1 - thefts[s]);
        bool missed = !(fabs(error) <= slowdown_most);
        printf("%6g%12.3f%12.3f%10.3f%s\n", thefts[s], slowdown, 1 / (1 - thefts[s]), error, missed ? "   MISSED" : "");
        fflush(stdout);
        d->missed = d->missed || missed;
    }
    return 0;
}

int ovl_driver_self_test(struct ovl_driver *d, struct ovl_error *err)
{
    if (test_overlap(d, err) != 0 || test_theft(d, err) != 0)
        return -1;
    if (d->rank == 0 && !d->signal)
        printf(d->missed ? "# a bound is missed: is the machine quiet?\n"
                         : "# all within: median 1 point, worst 3 points, slowdown 0.05\n");
    MPI_Bcast(&d->missed, 1, MPI_C_BOOL, 0, d->stage.comm);
    return 0;
}
