/* Communicators of nodes and of their leaders, and whether a signal has come to some rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/state.h"
#include "base/printable.h"
#include "bench/interrupt.h"

#include <stdio.h>
#include <stdlib.h>

bool ovl_noise_stopped(struct ovl_noise_job *j)
{
    int mine = ovl_interrupt_signal();
    if (!j->job.signal)
        MPI_Allreduce(&mine, &j->job.signal, 1, MPI_INT, MPI_MAX, j->job.comm);
    return j->job.signal;
}

void ovl_noise_open(struct ovl_noise_job *j)
{
    MPI_Comm_split(j->job.comm, j->job.provenance.leader, j->job.rank, &j->node);
    MPI_Comm_rank(j->node, &j->node_rank);
    MPI_Comm_size(j->node, &j->node_ranks);
    MPI_Comm_split(j->job.comm, j->node_rank == 0 ? 0 : MPI_UNDEFINED, j->job.rank, &j->leaders);
    j->nodes = j->job.provenance.nodes;
    if (j->leaders != MPI_COMM_NULL)
        MPI_Comm_rank(j->leaders, &j->number);
    MPI_Bcast(&j->number, 1, MPI_INT, 0, j->node);

    uint64_t clock = j->job.provenance.clock_domain;
    MPI_Bcast(&clock, 1, MPI_UINT64_T, 0, j->job.comm);
    ovl_node_clear(&j->mine);
    snprintf(j->mine.name, sizeof j->mine.name, "%s", j->job.provenance.topology.host);
    ovl_printable_bytes(j->mine.name);
    j->mine.ranks = j->node_ranks;
    j->mine.ranks_on_machine = j->job.provenance.ranks_here;
    j->mine.cores = j->job.provenance.cores_allowed;
    j->mine.common = clock == j->job.provenance.clock_domain;
}

void ovl_noise_close(struct ovl_noise_job *j)
{
    if (j->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&j->leaders);
    if (j->node != MPI_COMM_NULL)
        MPI_Comm_free(&j->node);
    for (int i = 0; j->found && i < j->nodes; i++)
        ovl_node_free(&j->found[i]);
    free(j->found);
    free(j->mine.pairs);
    ovl_work_close(&j->work);
}
