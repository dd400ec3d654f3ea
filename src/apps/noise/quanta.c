/* Fixed work quanta on all ranks at once, in slices, so that a signal ends them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/fwq.h"
#include "apps/noise/merge.h"
#include "apps/noise/state.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>

static const double slice = 0.25, long_quantum = 1e-3, short_quantum = 1e-5, short_share = 0.2;
enum { SHORT_MOST = 200000 };

/* Collective. */
static int run(struct ovl_noise_job *j, double quantum, double seconds, size_t room, struct ovl_node_quanta *found,
               struct ovl_error *err)
{
    struct ovl_fwq f = {.n = 0};
    int slices = (int)ceil(seconds / slice);
    uint64_t units = ovl_fwq_units(&j->work, quantum), most;
    MPI_Allreduce(&units, &most, 1, MPI_UINT64_T, MPI_MAX, j->job.comm); /* equal work for all */
    int rc = ovl_agree(j->job.comm, ovl_fwq_open(&f, most, room, err), err);
    for (int i = 0; rc == 0 && i < slices && !ovl_noise_stopped(j); i++)
        ovl_fwq_run(&f, &j->work, seconds / slices);
    if (rc == 0 && f.n > 0) {
        struct ovl_detours d = ovl_detours_find(f.begin, f.took, f.n);
        *found = ovl_noise_quanta(j->job.rank, &d);
    }
    ovl_fwq_close(&f);
    return rc;
}

int ovl_noise_quanta_run(struct ovl_noise_job *j, double seconds, struct ovl_error *err)
{
    double brief = short_share * seconds, longer = seconds - brief;
    size_t room = (size_t)(4 * longer / long_quantum); /* a core may become quicker than it was */
    return run(j, long_quantum, longer, room, &j->mine.quanta, err) == 0
               ? run(j, short_quantum, brief, SHORT_MOST, &j->mine.brief, err)
               : -1;
}
