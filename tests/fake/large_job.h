/* Jobs of thousands of nodes, as each process describes itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_LARGE_JOB_H
#define OVL_TESTS_FAKE_LARGE_JOB_H

#include "offload/boot/job_map.h"

struct large_job {
    int hosts, ranks, processes; /* so many hosts of so many ranks each, then as many DPUs of one worker each */
    struct ovl_proc_info *process;
    struct ovl_dpu_map dpus; /* the last DPU is the first host's */
};

/* Freed by large_job_free. */
struct large_job large_job_make(int hosts, int ranks);
void large_job_free(struct large_job *job);

#endif
