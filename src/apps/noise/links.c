/* Clocks of several ranks beside each other, by messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/state.h"
#include "base/clock.h"

#include <math.h>

enum { TAG = 2, LAPS = 200, TRIPS = 40 };
static const double longest = 0.2; /* s, of all laps */

/* A token goes round the node with the time at which it was sent: nobody may get it before. */
double ovl_noise_early_messages(const struct ovl_noise_job *j)
{
    enum { MONOTONIC, RAW, LAST, WORDS };
    int before = (j->node_rank + j->node_ranks - 1) % j->node_ranks, behind = (j->node_rank + 1) % j->node_ranks;
    int64_t until = ovl_clock_ns() + (int64_t)(1e9 * longest), token[WORDS] = {0, 0, 0};
    double back = 0;
    if (j->node_ranks < 2)
        return NAN;
    for (int lap = 1; !token[LAST]; lap++) {
        if (j->node_rank > 0)
            MPI_Recv(token, WORDS, MPI_INT64_T, before, TAG, j->node, MPI_STATUS_IGNORE);
        if (j->node_rank > 0)
            back += ovl_clock_ns() < token[MONOTONIC] || ovl_clock_raw_ns() < token[RAW];
        else
            token[LAST] = lap == LAPS || ovl_clock_ns() > until;
        token[MONOTONIC] = ovl_clock_ns();
        token[RAW] = ovl_clock_raw_ns();
        MPI_Send(token, WORDS, MPI_INT64_T, behind, TAG, j->node);
        if (j->node_rank == 0) {
            int64_t last = token[LAST];
            MPI_Recv(token, WORDS, MPI_INT64_T, before, TAG, j->node, MPI_STATUS_IGNORE);
            back += ovl_clock_ns() < token[MONOTONIC] || ovl_clock_raw_ns() < token[RAW];
            token[LAST] = last;
        }
    }
    return back;
}

/* The other's clock less mine, by the quickest of some round trips (F. Cristian, Distributed Computing 3, 1989), and
   what it may be off by: half of that trip. */
static void ask(struct ovl_noise_job *j, int other, struct ovl_noise_offset *found)
{
    double upper[2];
    int64_t quickest = INT64_MAX;
    for (int i = 0; i < TRIPS; i++) {
        int64_t time, begin = ovl_clock_raw_ns();
        MPI_Send(NULL, 0, MPI_INT64_T, other, TAG, j->leaders);
        MPI_Recv(&time, 1, MPI_INT64_T, other, TAG, j->leaders, MPI_STATUS_IGNORE);
        int64_t end = ovl_clock_raw_ns();
        if (end - begin < quickest) {
            quickest = end - begin;
            found->at = begin + quickest / 2;
            found->offset = 1e-9 * (double)(time - found->at);
            found->error = 0.5e-9 * (double)quickest;
        }
    }
    MPI_Recv(upper, 2, MPI_DOUBLE, other, TAG, j->leaders, MPI_STATUS_IGNORE);
    found->offset += upper[0]; /* and the other's from rank 0 */
    found->error += upper[1];
}

static void answer(struct ovl_noise_job *j, int other, const struct ovl_noise_offset *mine)
{
    double upper[2] = {mine->offset, mine->error};
    for (int i = 0; i < TRIPS; i++) {
        int64_t time;
        MPI_Recv(NULL, 0, MPI_INT64_T, other, TAG, j->leaders, MPI_STATUS_IGNORE);
        time = ovl_clock_raw_ns();
        MPI_Send(&time, 1, MPI_INT64_T, other, TAG, j->leaders);
    }
    MPI_Send(upper, 2, MPI_DOUBLE, other, TAG, j->leaders);
}

/* A binomial tree from node 0: in each round those that know their offset tell as many others (the rounds of HCA, S.
   Hunold and A. Carpen-Amarie, IEEE TPDS 2018). */
void ovl_noise_measure_clocks(struct ovl_noise_job *j, int look)
{
    struct ovl_noise_offset *mine = &j->offsets[look];
    *mine = (struct ovl_noise_offset){ovl_clock_raw_ns(), 0, 0};
    if (j->leaders == MPI_COMM_NULL || j->nodes < 2)
        return;
    for (int step = 1; step < j->nodes; step *= 2)
        if (j->number < step && j->number + step < j->nodes)
            answer(j, j->number + step, mine);
        else if (j->number >= step && j->number < 2 * step)
            ask(j, j->number - step, mine);
}
