/* Who is who in a job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/job_map.h"
#include "base/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More processes on a machine than processors they may run on? */
static void find_crowds(struct ovl_job_map *r, const struct ovl_proc_info *hellos)
{
    for (int p = 0; p < r->processes; p++) {
        uint64_t mask[OVL_CPU_WORDS] = {0};
        int first = p, here = 0, workers = 0;
        for (int q = p; q-- > 0;)
            if (hellos[q].machine == hellos[p].machine)
                first = q;
        if (first < p) {
            r->member[p].oversubscribed = r->member[first].oversubscribed;
            r->member[p].cores_here = r->member[first].cores_here;
            r->member[p].workers_here = r->member[first].workers_here;
            continue;
        }
        for (int q = p; q < r->processes; q++)
            if (hellos[q].machine == hellos[p].machine) {
                here++;
                workers += r->member[q].worker;
                for (int i = 0; i < OVL_CPU_WORDS; i++)
                    mask[i] |= hellos[q].cpus[i];
            }
        r->member[p].workers_here = workers;
        r->member[p].cores_here = ovl_bits_count(mask, OVL_CPU_WORDS);
        r->member[p].oversubscribed = here > ovl_bits_count(mask, OVL_CPU_WORDS);
        r->oversubscribed = r->oversubscribed || r->member[p].oversubscribed;
    }
}

/* Nodes get numbers in the order of their first process. */
static void number_nodes(struct ovl_job_map *r, const struct ovl_proc_info *hellos)
{
    for (int p = 0; p < r->processes; p++) {
        int first = 0;
        while (hellos[first].node != hellos[p].node)
            first++;
        r->member[p].node = first == p ? r->nodes++ : r->member[first].node;
    }
}

static int choose_workers(struct ovl_job_map *r, const struct ovl_proc_info *hellos, struct ovl_error *err)
{
    int wanted = -1, programs = 0;
    for (int p = 0; p < r->processes; p++) {
        programs += hellos[p].worker_program;
        wanted = hellos[p].workers > wanted ? hellos[p].workers : wanted;
    }
    for (int node = 0; node < r->nodes; node++) {
        int last = programs > 0 ? 0 : wanted, ranks = 0, of_node = 0;
        for (int p = r->processes; p-- > 0;)
            if (r->member[p].node == node) {
                r->member[p].worker = programs > 0 ? hellos[p].worker_program : last-- > 0;
                ranks += !r->member[p].worker;
                of_node += r->member[p].worker;
                if (ranks + of_node == 1)
                    snprintf(r->node_name[node], sizeof r->node_name[node], "%s", hellos[p].node_name);
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

static int count(const struct ovl_job_map *r, int node, bool workers)
{
    int n = 0;
    for (int p = 0; p < r->processes; p++)
        n += r->member[p].node == node && r->member[p].worker == workers;
    return n;
}

/* The node whose workers serve `node`: itself, or the one that stands in the same place among nodes of workers only as
   it does among nodes of ranks only. -1: none. */
static int serving_node(const struct ovl_job_map *r, int node)
{
    if (count(r, node, true) > 0)
        return node;
    int raddr = 0;
    for (int n = 0; n < node; n++)
        raddr += count(r, n, true) == 0;
    for (int n = 0; n < r->nodes; n++)
        if (count(r, n, false) == 0 && raddr-- == 0)
            return n;
    return -1;
}

/* The workers that serve a node, in order; returns how many. */
static int workers_of(const struct ovl_job_map *r, int node, const struct ovl_dpu_map *dpus, int *workers)
{
    int n = 0, by = dpus ? -1 : serving_node(r, node);
    for (int row = 0; row < (dpus ? dpus->count : 1); row++) {
        if (dpus && !ovl_node_same(dpus->row[row].host, r->node_name[node]))
            continue;
        for (int w = 0; w < r->workers; w++) {
            int on = r->member[r->worker_at[w]].node;
            bool serves = dpus ? ovl_node_same(dpus->row[row].dpu, r->node_name[on]) : on == by;
            for (int i = 0; i < n && serves; i++)
                serves = workers[i] != w; /* not once more for a second line of that DPU */
            if (serves)
                workers[n++] = w;
        }
    }
    return n;
}

static int no_worker(const struct ovl_job_map *r, int node, const struct ovl_dpu_map *dpus, struct ovl_error *err)
{
    for (int row = 0; dpus && row < dpus->count; row++)
        if (ovl_node_same(dpus->row[row].host, r->node_name[node]))
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "node %s has no worker: none was started on its DPU %s (as `: -n N ovl_worker`)",
                                 r->node_name[node], dpus->row[row].dpu);
    if (dpus)
        return ovl_error_set(err, OVL_ENVIRONMENT, "node %s has no worker: the dpu-map does not name it",
                             r->node_name[node]);
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "node %s has no worker: start more processes there with --workers, or "
                         "`: -n N ovl_worker` as many as there are nodes",
                         r->node_name[node]);
}

/* What the map's line for that host and DPU says of their adapters. */
static void take_wishes(struct ovl_job_map *r, const struct ovl_dpu_map *dpus, struct ovl_job_proc *rank,
                        struct ovl_job_proc *worker)
{
    for (int row = 0; dpus && row < dpus->count; row++)
        if (ovl_node_same(dpus->row[row].host, r->node_name[rank->node]) &&
            ovl_node_same(dpus->row[row].dpu, r->node_name[worker->node])) {
            rank->port_request = dpus->row[row].port[0];
            worker->port_request = dpus->row[row].port[1];
            return;
        }
}

static int attach_node(struct ovl_job_map *r, int node, const struct ovl_proc_info *hellos, enum ovl_map map,
                       const struct ovl_dpu_map *dpus, int *workers, struct ovl_error *err)
{
    int ranks = count(r, node, false), n = workers_of(r, node, dpus, workers), k = 0;
    if (ranks == 0)
        return 0;
    if (n == 0)
        return no_worker(r, node, dpus, err);
    for (int w = 0; w < n; w++) {
        if (r->worker_node[workers[w]] >= 0)
            return ovl_error_set(err, OVL_USAGE, "the dpu-map has %s serve two nodes, %s and %s",
                                 r->worker_name[workers[w]], r->node_name[r->worker_node[workers[w]]],
                                 r->node_name[node]);
        r->worker_node[workers[w]] = node;
    }
    for (int p = 0; p < r->processes; p++) {
        struct ovl_job_proc *m = &r->member[p];
        if (m->node != node || m->worker)
            continue;
        m->worker_number = workers[map == OVL_MAP_BLOCK ? k * n / ranks : k % n];
        k++;
        struct ovl_job_proc *by = &r->member[r->worker_at[m->worker_number]];
        take_wishes(r, dpus, m, by);
        m->remote = hellos[p].machine != hellos[r->worker_at[m->worker_number]].machine;
        by->remote = by->remote || m->remote;
        r->remote = r->remote || m->remote;
    }
    return 0;
}

static int attach(struct ovl_job_map *r, const struct ovl_proc_info *hellos, enum ovl_map map,
                  const struct ovl_dpu_map *dpus, struct ovl_error *err)
{
    int *workers = malloc((size_t)r->workers * sizeof *workers);
    int rc = 0;
    if (!workers)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of workers");
    for (int node = 0; node < r->nodes && rc == 0; node++)
        rc = attach_node(r, node, hellos, map, dpus, workers, err);
    free(workers);
    return rc;
}

int ovl_job_map_make(struct ovl_job_map *r, const struct ovl_proc_info *hellos, int processes, enum ovl_map map,
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
    number_nodes(r, hellos);
    if (choose_workers(r, hellos, err) != 0)
        return -1;
    number_members(r);
    find_crowds(r, hellos);
    return r->workers > 0 ? attach(r, hellos, map, dpus, err) : 0;
}

void ovl_job_map_free(struct ovl_job_map *r)
{
    free(r->member);
    free(r->rank_at);
    free(r->worker_at);
    free(r->worker_node);
    free(r->worker_name);
    free(r->node_name);
    *r = (struct ovl_job_map){.processes = 0};
}
