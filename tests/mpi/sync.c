/* ranks: 1 2 3 */
/* The common start: on one clock, and on clocks that are seconds apart, whose offsets must be found. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/start/sync.h"
#include "base/clock.h"
#include "bench/start/clock_domain.h"
#include "tests/mpi/mpi_test.h"

#include <math.h>
#include <sched.h>

static int rank, ranks;

/* ns: clocks are shifted by seconds, and on a busy machine the quickest round trip of many still takes its time. */
static const double near = 1e8;

/* Each rank's clock is three seconds behind the one before it. */
static int64_t shifted(void)
{
    return ovl_clock_ns() - (int64_t)rank * 3000000000;
}

/* The same, and each runs quicker than the one before it, by so much that a busy machine still sees it. */
static const double quicker = 1e-3;

static int64_t drifting(void)
{
    int64_t now = ovl_clock_ns();
    return now + (int64_t)rank * ((int64_t)(quicker * (double)now) - 3000000000);
}

/* All ranks wait for the time agreed on; nobody may leave before it, seen on the clock they really share. */
static void starts(struct ovl_sync *s, int64_t (*real)(int64_t own))
{
    for (int i = 0; i < 50; i++) {
        double announced;
        int64_t when = ovl_sync_agree(s, &announced);
        EXPECT(when != OVL_SYNC_UNSYNCHRONISED);
        EXPECT(announced > -near && announced < 10);
        EXPECT(ovl_sync_spin(s, when) >= when);
        double mine = (double)real(when), least, most;
        MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        EXPECT(most - least < near);
    }
}

static int64_t same(int64_t own)
{
    return own;
}

static int64_t unshifted(int64_t own)
{
    return own + (int64_t)rank * 3000000000;
}

static int64_t undrifted(int64_t own)
{
    return (int64_t)((double)(own + (int64_t)rank * 3000000000) / (1 + rank * quicker));
}

/* Opens, on a clock per `domain`; the machine may be so busy that only some tries end in clocks that can be followed.
 */
static void open_sync(struct ovl_sync *s, int domain, int64_t (*clock)(void))
{
    ovl_sync_open(s, MPI_COMM_WORLD, (uint64_t)domain, clock, true);
    for (int i = 0; i < 20 && !s->usable; i++)
        ovl_sync_renew(s);
}

static void check_clock(struct ovl_sync *s, int64_t (*clock)(void), int64_t (*real)(int64_t own))
{
    int64_t now = clock();
    EXPECT(fabs((double)(ovl_clock_model_other(&s->model, now) - real(now))) < near);
    if (s->usable) /* else a start is a bare barrier */
        starts(s, real);
}

/* Waits till five looks in a row found the clocks where they were predicted. On a machine that is too busy for that
   there is no rate to be tested. */
static bool followed(struct ovl_sync *s)
{
    int good = 0;
    for (int i = 0; i < 60 && good < 5 && !s->common; i++) {
        for (int64_t until = ovl_clock_ns() + 60000000; ovl_clock_ns() < until;)
            sched_yield();
        good = ovl_sync_renew(s) < 1e-5 ? good + 1 : 0;
    }
    return good == 5;
}

int main(int argc, char **argv)
{
    int clones;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct ovl_sync s;
    ovl_sync_open(&s, MPI_COMM_WORLD, 7, ovl_clock_ns, true);
    EXPECT(s.common && s.usable);
    EXPECT(isnan(ovl_sync_renew(&s)));
    starts(&s, same);
    ovl_sync_close(&s);
    mpi_test_end("one clock");

    open_sync(&s, rank, shifted);
    EXPECT(s.common == (ranks == 1));
    check_clock(&s, shifted, unshifted);
    ovl_sync_close(&s);
    mpi_test_end("a clock per rank");

    open_sync(&s, rank, drifting);
    EXPECT(!followed(&s) || fabs(s.model.rate + rank * quicker) < quicker / 5);
    check_clock(&s, drifting, undrifted);
    ovl_sync_close(&s);
    mpi_test_end("a clock per rank that drifts");

    /* Two ranks share a clock: only the first of them is compared. */
    int all = rank;
    rank /= 2;
    open_sync(&s, rank, shifted);
    EXPECT((s.leaders != MPI_COMM_NULL) == (ranks > 2 && all % 2 == 0));
    check_clock(&s, shifted, unshifted);
    ovl_sync_close(&s);
    rank = all;
    mpi_test_end("a clock per pair");

    EXPECT(ovl_clock_domain(MPI_COMM_WORLD, 7, 0, ovl_clock_ns, &clones) == 7 && clones == 0);
    uint64_t mine = ovl_clock_domain(MPI_COMM_WORLD, 7, 0, shifted, &clones);
    EXPECT(clones == ranks - 1 && (mine == 7) == (rank == 0));
    mpi_test_end("clones");

    s = (struct ovl_sync){.clock = ovl_clock_ns};
    ovl_sync_announced(&s, 5e-6);
    double lead = s.lead;
    EXPECT(lead >= 3 * 5e3);
    for (int i = 0; i < 99; i++)
        ovl_sync_announced(&s, 1e-6);
    EXPECT(s.lead < lead && s.lead >= 3 * 1e3); /* one of a hundred is above the 99th percentile */
    ovl_sync_announced(&s, 1e-3);
    ovl_sync_announced(&s, 1e-3);
    ovl_sync_announced(&s, 1e-3);
    EXPECT(s.lead >= 3 * 1e6);
    for (int i = 0; i < 100; i++)
        ovl_sync_announced(&s, 1e-6);
    EXPECT(s.lead >= 3 * 1e6); /* not forgotten while they are among the last */
    for (int i = 0; i < OVL_SYNC_ANNOUNCEMENTS; i++)
        ovl_sync_announced(&s, 1e-6);
    EXPECT(s.lead < 3 * 1e6);
    mpi_test_end("the lead follows the announcements");
    return mpi_test_finish();
}
