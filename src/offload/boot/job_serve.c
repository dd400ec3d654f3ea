/* Which workers serve which ranks. Nothing here looks at all processes for each node, since there are thousands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/job_serve.h"

#include <stdlib.h>
#include <string.h>

/* Names that are looked for, in order; of equal ones the first comes first. */
struct name {
    const char *text;
    int number; /* of a node, or of a line of the dpu-map */
};

/* Nodes by what stands on them, and by name. */
struct places {
    int *ranks, *workers;   /* on each node */
    int *serving;           /* without a dpu-map: the node whose workers serve it, -1: none */
    int *found;             /* room for the numbers of all workers */
    struct name *host_line; /* lines of the dpu-map by host */
    struct name *node;      /* nodes by name */
};

/* By what stands before the first dot, so that names which ovl_node_same takes for one are together. */
static int compare_short(const char *a, const char *b)
{
    size_t m = strcspn(a, "."), n = strcspn(b, "."), least = m < n ? m : n;
    int order = memcmp(a, b, least);
    return order ? order : (m > n) - (m < n);
}

static int by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = compare_short(x->text, y->text);
    return order ? order : x->number - y->number;
}

/* The first of the names that may be one with `text`; there may be none. */
static int first_like(const struct name *names, int count, const char *text)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (compare_short(names[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count_processes(const struct ovl_job_map *r, struct places *s)
{
    for (int p = 0; p < r->processes; p++)
        (r->member[p].worker ? s->workers : s->ranks)[r->member[p].node]++;
}

/* Of nodes without workers the first is served by the first node of workers only, and so on. */
static void pair_nodes(const struct ovl_job_map *r, struct places *s)
{
    int next = 0;
    for (int node = 0; node < r->nodes; node++) {
        s->serving[node] = node;
        if (s->workers[node] > 0)
            continue;
        while (next < r->nodes && s->ranks[next] > 0)
            next++;
        s->serving[node] = next < r->nodes ? next++ : -1;
    }
}

static void sort_names(const struct ovl_job_map *r, const struct ovl_dpu_map *dpus, struct places *s)
{
    for (int node = 0; node < r->nodes; node++)
        s->node[node] = (struct name){r->node_name[node], node};
    for (int line = 0; line < dpus->count; line++)
        s->host_line[line] = (struct name){dpus->row[line].host, line};
    qsort(s->node, (size_t)r->nodes, sizeof *s->node, by_name);
    qsort(s->host_line, (size_t)dpus->count, sizeof *s->host_line, by_name);
}

/* Adds a node's workers to those found, each once; returns how many are found then. */
static int add_workers(const struct ovl_job_map *r, int node, int *found, int n)
{
    for (int i = r->placement.begin[node]; i < r->placement.begin[node + 1]; i++) {
        const struct ovl_job_proc *m = &r->member[r->placement.by_node[i]];
        bool adds = m->worker;
        for (int k = 0; k < n && adds; k++)
            adds = found[k] != m->number; /* not once more for a second line of that DPU */
        if (adds)
            found[n++] = m->number;
    }
    return n;
}

/* The workers that serve a node, in the order of the dpu-map's lines; returns how many. */
static int workers_of(const struct ovl_job_map *r, const struct places *s, int node, const struct ovl_dpu_map *dpus)
{
    int n = 0;
    const char *host = r->node_name[node];
    if (!dpus)
        return s->serving[node] >= 0 ? add_workers(r, s->serving[node], s->found, 0) : 0;
    for (int i = first_like(s->host_line, dpus->count, host);
         i < dpus->count && compare_short(s->host_line[i].text, host) == 0; i++) {
        const char *dpu = dpus->row[s->host_line[i].number].dpu;
        if (!ovl_node_same(s->host_line[i].text, host))
            continue;
        for (int k = first_like(s->node, r->nodes, dpu); k < r->nodes && compare_short(s->node[k].text, dpu) == 0; k++)
            if (ovl_node_same(s->node[k].text, dpu))
                n = add_workers(r, s->node[k].number, s->found, n);
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
static void set_port_requests(const struct ovl_job_map *r, const struct places *s, const struct ovl_dpu_map *dpus,
                              struct ovl_job_proc *rank, struct ovl_job_proc *worker)
{
    const char *host = r->node_name[rank->node];
    for (int i = dpus ? first_like(s->host_line, dpus->count, host) : 0;
         dpus && i < dpus->count && compare_short(s->host_line[i].text, host) == 0; i++) {
        const struct ovl_dpu *line = &dpus->row[s->host_line[i].number];
        if (!ovl_node_same(line->host, host) || !ovl_node_same(line->dpu, r->node_name[worker->node]))
            continue;
        rank->port_request = line->port[0];
        worker->port_request = line->port[1];
        return;
    }
}

static int serve_node(struct ovl_job_map *r, const struct places *s, int node,
                      const struct ovl_proc_info *processes_info, enum ovl_map map, const struct ovl_dpu_map *dpus,
                      struct ovl_error *err)
{
    int ranks = s->ranks[node], n = ranks > 0 ? workers_of(r, s, node, dpus) : 0, k = 0;
    if (ranks == 0)
        return 0;
    if (n == 0)
        return no_worker(r, node, dpus, err);
    for (int w = 0; w < n; w++) {
        int worker = s->found[w];
        if (r->worker_node[worker] >= 0)
            return ovl_error_set(err, OVL_USAGE, "the dpu-map has %s serve two nodes, %s and %s",
                                 r->worker_name[worker], r->node_name[r->worker_node[worker]], r->node_name[node]);
        r->worker_node[worker] = node;
    }
    for (int i = r->placement.begin[node]; i < r->placement.begin[node + 1]; i++) {
        int p = r->placement.by_node[i];
        struct ovl_job_proc *m = &r->member[p];
        if (m->worker)
            continue;
        m->worker_number = s->found[map == OVL_MAP_BLOCK ? k * n / ranks : k % n];
        k++;
        int at = r->worker_at[m->worker_number];
        struct ovl_job_proc *by = &r->member[at];
        set_port_requests(r, s, dpus, m, by);
        m->remote = processes_info[p].machine != processes_info[at].machine;
        by->remote = by->remote || m->remote;
        r->remote = r->remote || m->remote;
    }
    return 0;
}

int ovl_job_serve(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, enum ovl_map map,
                  const struct ovl_dpu_map *dpus, struct ovl_error *err)
{
    size_t nodes = (size_t)r->nodes, workers = (size_t)r->workers, lines = dpus ? (size_t)dpus->count : 0;
    int *numbers = calloc(3 * nodes + workers, sizeof *numbers), rc = 0;
    struct name *names = calloc(nodes + lines, sizeof *names);
    if (numbers && names) {
        struct places s = {numbers, numbers + nodes, numbers + 2 * nodes, numbers + 3 * nodes, names + nodes, names};
        count_processes(r, &s);
        if (dpus)
            sort_names(r, dpus, &s);
        else
            pair_nodes(r, &s);
        for (int node = 0; node < r->nodes && rc == 0; node++)
            rc = serve_node(r, &s, node, processes_info, map, dpus, err);
    } else
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of workers");
    free(numbers);
    free(names);
    return rc;
}
