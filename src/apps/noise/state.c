/* Communicators of nodes and of their leaders, and whether a signal has come to some rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/state.h"
#include "base/printable.h"
#include "bench/interrupt.h"
#include "machine/clock_cost.h"

#include <stdio.h>
#include <stdlib.h>

bool ovl_noise_stopped(struct ovl_noise_job *j)
{
    int mine = ovl_interrupt_signal();
    if (!j->signal)
        MPI_Allreduce(&mine, &j->signal, 1, MPI_INT, MPI_MAX, j->comm);
    return j->signal;
}

void ovl_noise_open(struct ovl_noise_job *j)
{
    MPI_Comm_split(j->comm, j->provenance.leader, j->rank, &j->node);
    MPI_Comm_rank(j->node, &j->node_rank);
    MPI_Comm_size(j->node, &j->node_ranks);
    MPI_Comm_split(j->comm, j->node_rank == 0 ? 0 : MPI_UNDEFINED, j->rank, &j->leaders);
    j->nodes = j->provenance.nodes;
    if (j->leaders != MPI_COMM_NULL)
        MPI_Comm_rank(j->leaders, &j->number);
    MPI_Bcast(&j->number, 1, MPI_INT, 0, j->node);

    uint64_t clock = j->provenance.clock_domain;
    MPI_Bcast(&clock, 1, MPI_UINT64_T, 0, j->comm);
    ovl_node_clear(&j->mine);
    snprintf(j->mine.name, sizeof j->mine.name, "%s", j->provenance.topology.host);
    ovl_printable_bytes(j->mine.name);
    j->mine.ranks = j->node_ranks;
    j->mine.ranks_on_machine = j->provenance.ranks_here;
    j->mine.cores = j->provenance.cores_allowed;
    j->mine.common = clock == j->provenance.clock_domain;
    ovl_steal_open(&j->steal);
    j->clock_read = 1e-9 * ovl_clock_read_cost();
}

void ovl_noise_close(struct ovl_noise_job *j)
{
    if (j->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&j->leaders);
    MPI_Comm_free(&j->node);
    for (int i = 0; j->found && i < j->nodes; i++)
        ovl_node_free(&j->found[i]);
    free(j->found);
    free(j->mine.pairs);
    ovl_work_close(&j->work);
}
