/* Processes are sorted by machine and by node, never compared all with all, since there are thousands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/job_map.h"
#include "base/bits.h"
#include "offload/boot/job_serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A process and what it is sorted by. */
struct process {
    uint64_t machine;
    int number;
};

static int by_machine(const void *a, const void *b)
{
    const struct process *x = a, *y = b;
    return x->machine != y->machine ? (x->machine > y->machine) - (x->machine < y->machine) : x->number - y->number;
}

static bool over_quota(const struct ovl_proc_info *processes_info, const struct process *p, int here, int number)
{
    const struct ovl_cpu_quota *quota = &processes_info[number].quota;
    int sharing = 0;
    for (int i = 0; i < here; i++)
        sharing += processes_info[p[i].number].quota.group == quota->group;
    return sharing > quota->cpus;
}

/* A kernel runs programs of one architecture: of two on its machine somebody emulates one, also where it does not tell
   which. */
static bool has_two_kinds(const struct ovl_proc_info *processes_info, const struct process *p, int here)
{
    bool two = false;
    for (int i = 0; i < here; i++) {
        const struct ovl_proc_info *one = &processes_info[p[i].number], *first = &processes_info[p[0].number];
        if (one->emulated)
            return false;
        two |= strcmp(one->architecture, first->architecture) != 0;
    }
    return two;
}

/* More processes on a machine than processors they may run on, or than their quota has? */
static void describe_machine(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, const struct process *p,
                             int here)
{
    uint64_t mask[OVL_CPU_WORDS] = {0};
    int workers = 0;
    for (int i = 0; i < here; i++) {
        workers += r->member[p[i].number].worker;
        for (int word = 0; word < OVL_CPU_WORDS; word++)
            mask[word] |= processes_info[p[i].number].cpus[word];
    }
    int cores = ovl_bits_count(mask, OVL_CPU_WORDS);
    bool two_kinds = has_two_kinds(processes_info, p, here);
    for (int i = 0; i < here; i++) {
        struct ovl_job_proc *m = &r->member[p[i].number];
        m->pid = processes_info[p[i].number].pid;
        m->machine = p[i].machine;
        m->numbers = processes_info[p[i].number].numbers;
        snprintf(m->architecture, sizeof m->architecture, "%.15s", processes_info[p[i].number].architecture);
        m->emulated = processes_info[p[i].number].emulated || two_kinds;
        m->workers_here = workers;
        m->cores_here = cores;
        m->oversubscribed = here > cores || over_quota(processes_info, p, here, p[i].number);
        r->oversubscribed = r->oversubscribed || m->oversubscribed;
        r->emulated_ranks = r->emulated_ranks || (m->emulated && !m->worker);
    }
}

static int find_oversubscribed(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, struct ovl_error *err)
{
    struct process *sorted = malloc((size_t)r->processes * sizeof *sorted);
    if (!sorted)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of %d processes", r->processes);
    for (int p = 0; p < r->processes; p++)
        sorted[p] = (struct process){processes_info[p].machine, p};
    qsort(sorted, (size_t)r->processes, sizeof *sorted, by_machine);
    for (int p = 0, here; p < r->processes; p += here) {
        for (here = 1; p + here < r->processes && sorted[p + here].machine == sorted[p].machine;)
            here++;
        describe_machine(r, processes_info, sorted + p, here);
    }
    free(sorted);
    return 0;
}

/* Nodes get numbers in the order of their first process. */
static int number_nodes(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, struct ovl_error *err)
{
    int *node = malloc((size_t)r->processes * sizeof *node);
    for (int p = 0; p < r->processes && node; p++)
        node[p] = processes_info[p].node;
    int rc = node ? ovl_placement_make(&r->placement, node, r->processes) : -1;
    free(node);
    if (rc != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of %d processes", r->processes);
    r->nodes = r->placement.nodes;
    for (int p = 0; p < r->processes; p++)
        r->member[p].node = r->placement.node[p];
    return 0;
}

static int choose_workers(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, struct ovl_error *err)
{
    int wanted = -1, programs = 0;
    for (int p = 0; p < r->processes; p++) {
        programs += processes_info[p].worker_program;
        wanted = processes_info[p].workers > wanted ? processes_info[p].workers : wanted;
    }
    for (int node = 0; node < r->nodes; node++) {
        int last = programs > 0 ? 0 : wanted, ranks = 0, of_node = 0;
        for (int i = r->placement.begin[node + 1]; i-- > r->placement.begin[node];) {
            int p = r->placement.by_node[i];
            r->member[p].worker = programs > 0 ? processes_info[p].worker_program : last-- > 0;
            ranks += !r->member[p].worker;
            of_node += r->member[p].worker;
            if (ranks + of_node == 1)
                snprintf(r->node_name[node], sizeof r->node_name[node], "%s", processes_info[p].node_name);
        }
        if (programs == 0 && wanted > 0 && ranks == 0)
            return ovl_error_set(
                err, OVL_USAGE,
                "--workers %d leaves no rank to measure on node %s, which has %d processes; start more "
                "there, or give a smaller --workers",
                wanted, r->node_name[node], of_node);
        r->most_workers = of_node > r->most_workers ? of_node : r->most_workers;
    }
    return 0;
}

static void number_members(struct ovl_job_map *r)
{
    for (int p = 0; p < r->processes; p++) {
        struct ovl_job_proc *m = &r->member[p];
        if (m->worker) {
            r->worker_at[r->workers] = p;
            m->worker_number = m->number = r->workers++;
            snprintf(r->worker_name[m->number], sizeof r->worker_name[0], "worker %d (process %d) on node %s",
                     m->number, p, r->node_name[m->node]);
        } else {
            r->rank_at[r->ranks] = p;
            m->number = r->ranks++;
        }
    }
}

int ovl_job_map_make(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, int processes, enum ovl_map map,
                     const struct ovl_dpu_map *dpus, struct ovl_error *err)
{
    size_t n = (size_t)processes;
    *r = (struct ovl_job_map){.processes = processes};
    r->member = calloc(n, sizeof *r->member);
    r->rank_at = calloc(n, sizeof *r->rank_at);
    r->worker_at = calloc(n, sizeof *r->worker_at);
    r->worker_node = calloc(n, sizeof *r->worker_node);
    r->worker_name = calloc(n, sizeof *r->worker_name);
    r->node_name = calloc(n, sizeof *r->node_name);
    if (!r->member || !r->rank_at || !r->worker_at || !r->worker_node || !r->worker_name || !r->node_name)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of %d processes", processes);
    for (int w = 0; w < processes; w++)
        r->worker_node[w] = -1;
    if (number_nodes(r, processes_info, err) != 0 || choose_workers(r, processes_info, err) != 0)
        return -1;
    number_members(r);
    if (find_oversubscribed(r, processes_info, err) != 0)
        return -1;
    r->worker_cpus = calloc((size_t)r->workers + 1, sizeof *r->worker_cpus);
    if (!r->worker_cpus)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of %d workers", r->workers);
    for (int w = 0; w < r->workers; w++)
        memcpy(r->worker_cpus[w], processes_info[r->worker_at[w]].cpus, sizeof *r->worker_cpus);
    return r->workers > 0 ? ovl_job_serve(r, processes_info, map, dpus, err) : 0;
}

void ovl_job_map_free(struct ovl_job_map *r)
{
    free(r->member);
    ovl_placement_free(&r->placement);
    free(r->rank_at);
    free(r->worker_at);
    free(r->worker_node);
    free(r->worker_cpus);
    free(r->worker_name);
    free(r->node_name);
    *r = (struct ovl_job_map){.processes = 0};
}
