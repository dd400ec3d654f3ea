/* ranks: 1 2 3 */
/* The common start: on one clock, and on clocks that are seconds apart, whose offsets must be found. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/sync.h"
#include "base/clock.h"
#include "tests/mpi/mpi_test.h"

#include <math.h>

static int rank, ranks;

/* ns: clocks are shifted by seconds, and on a busy machine the quickest round trip of many still takes its time. */
static const double near = 1e8;

/* Each rank's clock is three seconds behind the one before it. */
static int64_t shifted(void)
{
    return ovl_clock_ns() - (int64_t)rank * 3000000000;
}

/* All ranks wait for the time agreed on; nobody may leave before it, seen on the clock they really share. */
static void starts(struct ovl_sync *s, int64_t apart)
{
    for (int i = 0; i < 50; i++) {
        int64_t when = ovl_sync_agree(s);
        EXPECT(when != OVL_SYNC_UNSYNCHRONISED);
        int64_t shown = ovl_sync_spin(s, when);
        EXPECT(shown >= when);
        double mine = (double)(when + apart), least, most;
        MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        EXPECT(most - least < near);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct ovl_sync s;
    ovl_sync_open(&s, MPI_COMM_WORLD, 7, ovl_clock_ns, true);
    EXPECT(s.common && s.usable && s.offset_ns == 0);
    EXPECT(ovl_sync_measure(&s) == 0);
    starts(&s, 0);
    ovl_sync_close(&s);
    mpi_test_end("one clock");

    ovl_sync_open(&s, MPI_COMM_WORLD, (uint64_t)rank, shifted, true);
    EXPECT(s.common == (ranks == 1));
    for (int i = 0; i < 20 && !s.usable; i++) /* two estimates in a row that agree; the machine may be busy */
        ovl_sync_measure(&s);
    EXPECT(fabs((double)s.offset_ns - 3e9 * rank) < near);
    if (s.usable) /* where the machine is too busy for two estimates that agree, there is no start to be tested */
        starts(&s, (int64_t)rank * 3000000000);
    ovl_sync_close(&s);
    mpi_test_end("a clock per rank");

    /* Two ranks share a clock: only the first of them asks. */
    rank /= 2;
    ovl_sync_open(&s, MPI_COMM_WORLD, (uint64_t)rank, shifted, true);
    for (int i = 0; i < 20 && !s.usable; i++)
        ovl_sync_measure(&s);
    EXPECT(fabs((double)s.offset_ns - 3e9 * rank) < near);
    ovl_sync_close(&s);
    mpi_test_end("a clock per pair");

    s = (struct ovl_sync){.clock = ovl_clock_ns, .slack_ns = 1e4};
    ovl_sync_feedback(&s, 5e-6);
    EXPECT(s.slack_ns > 1.5e4);
    ovl_sync_feedback(&s, 1); /* a rank that lost its core: no lead helps */
    EXPECT(s.slack_ns < 1e5);
    for (int i = 0; i < 1000; i++)
        ovl_sync_feedback(&s, 0);
    EXPECT(s.slack_ns >= 1e3 && s.slack_ns < 1e4);
    mpi_test_end("the lead follows");
    return mpi_test_finish();
}
