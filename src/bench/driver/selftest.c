/* --self-test: the measuring loop on operations whose truth is known, on this machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "bench/driver/driver.h"
#include "bench/driver/synthetic.h"
#include "offload/boot/agree_mpi.h"
#include "record/derived/settle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* METHOD's bounds, in fractions; for operations of at least 20 us. */
static const double median_most = 0.01, worst_most = 0.03, slowdown_most = 0.05;

static struct ovl_synthetic operation;

/* Couples the ranks: a barrier under way tells that all have posted the operation. */
static struct {
    MPI_Comm comm;
    MPI_Request under_way;
    int64_t over;
} barrier;

static int64_t last_post(void)
{
    int done = 1;
    if (barrier.under_way != MPI_REQUEST_NULL) {
        MPI_Test(&barrier.under_way, &done, MPI_STATUS_IGNORE);
        barrier.over = ovl_clock_ns();
    }
    return done ? barrier.over : INT64_MAX;
}

static void begin_barrier(void)
{
    if (operation.last_post)
        MPI_Ibarrier(barrier.comm, &barrier.under_way);
}

static void synthetic_post(struct ovl_exchange *x)
{
    (void)x;
    begin_barrier();
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
    begin_barrier();
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

/* Collective: the loop on one operation. At rank 0 the cell, which the caller frees; without values elsewhere, and when
   a signal ended it. */
static int measure(struct ovl_driver *d, const struct ovl_synthetic *synthetic, struct ovl_cell *cell,
                   struct ovl_error *err)
{
    struct ovl_exchange exchange = {.collective = &collective};
    struct ovl_loop_result result;
    struct ovl_loop loop = ovl_driver_loop(d);
    ovl_cell_clear(cell);
    if (ovl_agree(d->job.stage.comm, d->job.rank == 0 ? ovl_output_printed(err) : 0, err) != 0)
        return -1;
    operation = *synthetic;
    d->job.stage.exchanges = &exchange;
    d->job.stage.rotate = 1;
    d->job.stage.modes[0] = &mode;
    loop.modes = 1;
    loop.pilot = false; /* that --mode dpu measures the host's communication too: here is nobody else's */
    loop.fixed_seconds = NAN;
    loop.stop.max_seconds = fmin(loop.stop.max_seconds, 4);
    int rc = ovl_loop_run(&loop, &result, err);
    if (rc == 0 && d->job.rank == 0 && !result.signal) {
        snprintf(cell->status, sizeof cell->status, "%s", ovl_loop_status_words[result.status]);
        cell->clock_read_seconds = d->job.clock_read;
        cell->clock_residual = result.residual;
        cell->bootstrap_seed = (double)loop.seed;
        cell->samples = result.samples[0];
        memset(&result.samples[0], 0, sizeof result.samples[0]);
        ovl_cell_derive(cell);
        ovl_cell_settle(cell, NULL);
    }
    d->job.signal = rc == 0 ? result.signal : 0;
    d->cells++;
    ovl_loop_result_free(&result);
    return ovl_agree(d->job.stage.comm, rc, err);
}

/* "-" where there is no value. */
static void print_number(int width, int digits, double value)
{
    if (isfinite(value))
        printf("%*.*f", width, digits, value);
    else
        printf("%*s", width, "-");
}

static int test_overlap(struct ovl_driver *d, struct ovl_error *err)
{
    static const double fractions[] = {0, 0.25, 0.5, 0.75, 1}, totals_us[] = {25, 100, 400, 1600, 6400, 25600};
    enum { FRACTIONS = sizeof fractions / sizeof *fractions, TOTALS = sizeof totals_us / sizeof *totals_us };

    if (d->job.rank == 0) {
        printf("# %s --self-test: operations that hide exactly f of their time T; %d ranks, kernel %s\n",
               d->benchmark->program, d->job.ranks, d->work.kernel->name);
        printf("# error = hidden_fraction - min(f, W / C), in points\n%6s", "f");
        for (int t = 0; t < TOTALS; t++)
            printf("%7.5g us", totals_us[t]);
        printf("%10s%10s\n", "median", "worst");
    }
    for (int f = 0; f < FRACTIONS && !d->job.signal; f++) {
        double errors[TOTALS];
        for (int t = 0; t < TOTALS && !d->job.signal; t++) {
            struct ovl_cell cell;
            if (measure(d, &(struct ovl_synthetic){.total_ns = 1e3 * totals_us[t], .fraction = fractions[f]}, &cell,
                        err) != 0)
                return -1;
            double hidden = cell.derived[OVL_HIDDEN].value,
                   truth = fmin(fractions[f], cell.derived[OVL_HIDEABLE].value);
            errors[t] = isnan(hidden) ? INFINITY : hidden - truth;
            ovl_cell_free(&cell);
        }
        if (d->job.rank != 0 || d->job.signal)
            continue;
        printf("%6g", fractions[f]);
        for (int t = 0; t < TOTALS; t++) {
            print_number(10, 2, 100 * errors[t]);
            errors[t] = fabs(errors[t]);
        }
        double median = ovl_stats_median(errors, TOTALS);
        bool missed = median > median_most || errors[TOTALS - 1] > worst_most;
        print_number(10, 2, 100 * median);
        print_number(10, 2, 100 * errors[TOTALS - 1]);
        puts(missed ? "   MISSED" : "");
        fflush(stdout);
        d->job.missed = d->job.missed || missed;
    }
    return 0;
}

static int test_theft(struct ovl_driver *d, struct ovl_error *err)
{
    static const double thefts[] = {0.1, 0.3, 0.5};
    if (d->job.rank == 0 && !d->job.signal)
        printf("# a thief takes share s of the core while the operation is under way; T = 21 ms, f = 1\n"
               "%6s%12s%12s%10s\n",
               "s", "slowdown", "truth", "error");
    for (size_t s = 0; s < sizeof thefts / sizeof *thefts && !d->job.signal; s++) {
        struct ovl_cell cell;
        ovl_synthetic_steal(thefts[s]);
        int rc = measure(d, &(struct ovl_synthetic){.total_ns = 21e6, .fraction = 1}, &cell, err);
        ovl_synthetic_steal(0);
        if (rc != 0)
            return -1;
        double slowdown = cell.derived[OVL_SLOWDOWN].value;
        ovl_cell_free(&cell);
        if (d->job.rank != 0 || d->job.signal)
            continue;
        double error = slowdown - 1 / (1 - thefts[s]);
        bool missed = !(fabs(error) <= slowdown_most);
        printf("%6g", thefts[s]);
        print_number(12, 3, slowdown);
        print_number(12, 3, 1 / (1 - thefts[s]));
        print_number(10, 3, error);
        puts(missed ? "   MISSED" : "");
        fflush(stdout);
        d->job.missed = d->job.missed || missed;
    }
    return 0;
}

/* How the ranks of this job start together. */
static int test_starts(struct ovl_driver *d, struct ovl_error *err)
{
    static const double totals_us[] = {100, 400, 1600};
    if (d->job.rank == 0 && !d->job.signal)
        printf("# operations that begin when all ranks have posted them, and hide nothing\n"
               "# (ranks that start s apart would show s / (s + T))\n%9s%10s  %s\n",
               "T", "hidden %", "status");
    barrier.comm = d->job.stage.comm;
    barrier.under_way = MPI_REQUEST_NULL;
    for (size_t t = 0; t < sizeof totals_us / sizeof *totals_us && !d->job.signal; t++) {
        struct ovl_cell cell;
        if (measure(d, &(struct ovl_synthetic){.total_ns = 1e3 * totals_us[t], .last_post = last_post}, &cell, err) !=
            0)
            return -1;
        double hidden = cell.derived[OVL_HIDDEN].value;
        bool missed = strcmp(cell.status, "ok") == 0 && !(fabs(hidden) <= worst_most);
        if (d->job.rank == 0 && !d->job.signal) {
            printf("%6g us", totals_us[t]);
            print_number(10, 2, 100 * hidden);
            printf("  %s%s%s%s\n", cell.status, *cell.reason ? ": " : "", cell.reason, missed ? "   MISSED" : "");
            fflush(stdout);
            d->job.missed = d->job.missed || missed;
        }
        ovl_cell_free(&cell);
    }
    return 0;
}

int ovl_driver_self_test(struct ovl_driver *d, struct ovl_error *err)
{
    if (test_overlap(d, err) != 0 || test_theft(d, err) != 0 || test_starts(d, err) != 0)
        return -1;
    if (d->job.rank == 0 && !d->job.signal)
        printf(d->job.missed ? "# a bound is missed: is the machine quiet?\n"
                             : "# all within: median 1 point, worst 3 points, slowdown 0.05\n");
    MPI_Bcast(&d->job.missed, 1, MPI_C_BOOL, 0, d->job.stage.comm);
    return ovl_agree(d->job.stage.comm, d->job.rank == 0 ? ovl_output_printed(err) : 0, err);
}
