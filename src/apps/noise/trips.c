/* Round trips of pairs, all pairs of a round at once: between the first ranks of nodes, or on one node between ranks.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/pairing.h"
#include "apps/noise/state.h"
#include "base/clock.h"
#include "bench/interrupt.h"
#include "offload/boot/agree_mpi.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1, WARMUP = 2, TRIPS = 2000, SMALL = 8, LARGE = 1 << 20, LARGE_TRIPS = 50, LARGE_LEAST = 3 };

struct partner {
    MPI_Comm comm;
    int rank;
    char *buffer;
    double *took; /* [TRIPS] */
};

/* Messages to and fro until the one that asks says in the first byte that this is the last. Returns how many were
   timed. */
static size_t ask(const struct partner *with, int bytes, size_t most, size_t least, int64_t until)
{
    char *buffer = with->buffer;
    size_t n = 0;
    for (int i = -WARMUP; buffer[0] = 0, 1; i++) {
        int64_t begin = ovl_clock_ns();
        bool last =
            i >= 0 && ((size_t)i + 1 >= most || ((size_t)i + 1 >= least && (begin > until || ovl_interrupt_signal())));
        buffer[0] = last;
        MPI_Send(buffer, bytes, MPI_BYTE, with->rank, TAG, with->comm);
        MPI_Recv(buffer, bytes, MPI_BYTE, with->rank, TAG, with->comm, MPI_STATUS_IGNORE);
        if (i >= 0)
            with->took[n++] = 0.5e-9 * (double)(ovl_clock_ns() - begin);
        if (last)
            return n;
    }
}

static void answer(const struct partner *with, int bytes)
{
    do {
        MPI_Recv(with->buffer, bytes, MPI_BYTE, with->rank, TAG, with->comm, MPI_STATUS_IGNORE);
        MPI_Send(with->buffer, bytes, MPI_BYTE, with->rank, TAG, with->comm);
    } while (!with->buffer[0]);
}

/* The asking side of a pair. The partner is told as `rank`, and by its node's number in `with`, until names are known
   at rank 0. */
static void measure(struct ovl_noise_job *j, const struct partner *with, bool ring, double seconds)
{
    double *took = with->took;
    struct ovl_node_pair *p = &j->mine.pairs[j->mine.pair_count++];
    int64_t begin = ovl_clock_ns();
    ovl_node_pair_clear(p);
    strcpy(p->kind, ring ? "ring" : "across");
    size_t n = ask(with, SMALL, TRIPS, 1, begin + (int64_t)(0.4e9 * seconds));
    ovl_stats_sort(took, n);
    p->trips = (double)n;
    p->latency_min = took[0];
    p->latency = ovl_stats_median(took, n);
    p->latency_p99 = n >= 100 ? took[(99 * n + 99) / 100 - 1] : NAN;
    n = ask(with, LARGE, LARGE_TRIPS, LARGE_LEAST, begin + (int64_t)(0.9e9 * seconds));
    p->bytes = LARGE;
    p->bytes_per_second = LARGE / ovl_stats_median(took, n);
}

/* The members of a pair tell each other who they are in the whole job. */
static void name(struct ovl_noise_job *j, MPI_Comm comm, int partner, bool asks)
{
    int mine[2] = {j->job.rank, j->number}, other[2];
    MPI_Sendrecv(mine, 2, MPI_INT, partner, TAG, other, 2, MPI_INT, partner, TAG, comm, MPI_STATUS_IGNORE);
    if (asks) {
        struct ovl_node_pair *p = &j->mine.pairs[j->mine.pair_count - 1];
        p->rank = j->job.rank;
        p->with_rank = other[0];
        snprintf(p->with, sizeof p->with, "%d", other[1]);
    }
}

int ovl_noise_trips_run(struct ovl_noise_job *j, double seconds, struct ovl_error *err)
{
    MPI_Comm comm = j->nodes > 1 ? j->leaders : j->job.comm;
    int n = j->nodes > 1 ? j->nodes : j->job.ranks, me = j->nodes > 1 ? j->number : j->job.rank,
        rounds = ovl_pairing_rounds(n);
    static char buffer[LARGE];
    static double took[TRIPS];
    j->mine.pairs = calloc((size_t)rounds + 1, sizeof *j->mine.pairs);
    int rc = j->mine.pairs ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for messages");
    rc = ovl_agree(j->job.comm, rc, err);
    for (int r = 0; r < rounds && rc == 0 && !ovl_noise_stopped(j); r++) {
        int partner = comm != MPI_COMM_NULL ? ovl_pairing_partner(n, r, me) : -1;
        const struct partner with = {comm, partner, buffer, took};
        if (partner > me)
            measure(j, &with, ovl_pairing_ring(n, r), seconds / rounds);
        else if (partner >= 0) {
            answer(&with, SMALL);
            answer(&with, LARGE);
        }
        if (partner >= 0)
            name(j, comm, partner, partner > me);
    }
    return rc;
}
