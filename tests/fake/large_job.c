/* Jobs of thousands of nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/large_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct large_job large_job_make(int hosts, int ranks)
{
    struct large_job j = {.hosts = hosts, .ranks = ranks, .processes = hosts * (ranks + 1)};
    j.process = calloc((size_t)j.processes, sizeof *j.process);
    j.dpus = (struct ovl_dpu_map){hosts, calloc((size_t)hosts, sizeof *j.dpus.row)};
    for (int p = 0; p < j.processes; p++) {
        struct ovl_proc_info *i = &j.process[p];
        bool worker = p >= hosts * ranks;
        int number = worker ? p - hosts * ranks : p / ranks;
        i->worker_program = worker;
        i->node = worker ? p : number * ranks;
        i->machine = (uint64_t)i->node * 7919 % 1000003;
        i->cpus[0] = 0xff;
        i->quota.cpus = INFINITY;
        snprintf(i->node_name, sizeof i->node_name, "%s%d.example.org", worker ? "dpu" : "host", number);
    }
    for (int h = 0; h < hosts; h++) {
        snprintf(j.dpus.row[h].host, sizeof j.dpus.row[h].host, "host%d", h);
        snprintf(j.dpus.row[h].dpu, sizeof j.dpus.row[h].dpu, "dpu%d", hosts - 1 - h);
    }
    return j;
}

void large_job_free(struct large_job *j)
{
    free(j->process);
    free(j->dpus.row);
}
