/* Assumptions stand in the head, so that they are on the same screen as the answer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/simulation.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger messages ask the receiver first: what the workers do, and MPI libraries from 8 to 64 KiB on. */
enum { EAGER = 16 << 10 };

const char *const ovl_way_names[OVL_WAYS] = {"blocking", "host", "host-t", "thread", "dpu"};

static struct ovl_writer lines = {.fd = -1}; /* of --json: all problems of a command write into one file */

/* A file that was not there is tried and taken away again: its first line makes it, so that a simulation that is
   refused or stopped before leaves none. */
static int open_file(struct ovl_simulation *s, struct ovl_error *err)
{
    const char *path = s->common->json;
    struct stat file, name;
    if (!path || lines.fd >= 0)
        return 0;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0)
        return ovl_error_set(err, OVL_USAGE, "--json %s: what is simulated stands in a file of its own; name a new one",
                             path);
    bool is_there = lstat(path, &name) == 0;
    int rc = ovl_writer_open(&lines, path, err);
    if (rc != 0 || is_there)
        return rc;
    unlink(path);
    return ovl_writer_close(&lines, err);
}

/* What is not simulated is refused, and not left out. */
static int check(const struct ovl_app_options *o, struct ovl_error *err)
{
    const char *word = strcmp(o->skew, "none") != 0               ? "skew"
                       : o->offload.worker_slowdown != 1          ? "worker-slowdown"
                       : o->offload.dpu_min > 0                   ? "dpu-min"
                       : strcmp(o->offload.engine, "worker") != 0 ? "engine"
                       : !isnan(o->energy)                        ? "energy"
                       : o->per_rank                              ? "per-rank"
                       : o->percentiles.n > 0                     ? "percentiles"
                                                                  : NULL;
    return word ? ovl_error_set(err, OVL_USAGE, "--plan: leave out --%s, which is not simulated", word) : 0;
}

int ovl_simulation_open(struct ovl_simulation *s, struct ovl_error *err)
{
    if (check(s->common, err) != 0)
        return -1;
    s->nodes = 1 + (s->ranks - 1) / s->per_node;
    s->library = s->options->library ? ovl_library_find(s->options->library) : ovl_libraries;
    if (s->wanted[OVL_WAY_DPU] && s->common->offload.workers == 0)
        return ovl_error_set(err, OVL_USAGE, "--plan with --workers 0: nobody would carry messages; give 1 or more");
    if (ovl_network_read(s->options, &s->network, err) != 0 ||
        ovl_rates_fill(&s->options->rates, s->benchmark, &s->network, &s->from, err) != 0 ||
        ovl_network_complete(s->options, s->plan, &s->network, err) != 0)
        return -1;
    return open_file(s, err);
}

struct ovl_sim_machine ovl_simulation_machine(const struct ovl_simulation *s, enum ovl_sim_way way)
{
    return (struct ovl_sim_machine){.per_node = s->per_node < s->ranks ? s->per_node : s->ranks,
                                    .rates = {.latency = s->network.latency,
                                              .byte = s->network.byte,
                                              .burst = s->network.burst,
                                              .overhead = s->network.overhead,
                                              .carry = s->network.carry,
                                              .copy = s->network.copy,
                                              .eager = EAGER},
                                    .mover = way == OVL_WAY_DPU      ? OVL_SIM_BY_WORKERS
                                             : way == OVL_WAY_THREAD ? OVL_SIM_BY_THREADS
                                                                     : OVL_SIM_BY_CALLS,
                                    .workers = s->common->offload.workers ? (int)s->common->offload.workers : 1,
                                    .shared = s->options->shared_cores};
}

const char *ovl_simulation_choose(const struct ovl_simulation *s, enum ovl_sim_way way, int here, int nodes,
                                  struct ovl_sim_operation *o)
{
    const struct ovl_placement placement = {.ranks = o->shape.ranks, .nodes = nodes}; /* their number chooses */
    if (way == OVL_WAY_DPU) {
        struct ovl_coll_shape shape = o->shape;
        shape.placement = &placement;
        o->shape.algorithm = ovl_algorithm_of(&shape);
        return o->shape.algorithm->name;
    }
    const struct ovl_library_rule *rule = ovl_library_choose(s->library, here, o);
    return s->library == ovl_libraries ? rule->name : rule->in_its;
}

void ovl_simulation_head(struct ovl_simulation *s)
{
    const struct ovl_network *n = &s->network;
    const struct ovl_network_options *o = s->options;
    const char *where = o->shared_cores ? "on cores of ranks, whose computation waits for it" : "on a core of its own";
    static const char *const names[OVL_RATES] = {"link", "latency", "burst", "a byte between nodes", "a byte in memory",
                                                 "flops"};
    if (s->headed)
        return;
    s->headed = true;
    printf("# %s --plan: simulated, not measured\n", s->program);
    printf("# ranks     %d, %d a node, on %d nodes\n", s->ranks, s->per_node < s->ranks ? s->per_node : s->ranks,
           s->nodes);
    printf("# network   %.4g Gbit/s in and out of each node, %.4g us from node to node; without contention beyond the "
           "nodes' links\n",
           8e-9 / n->byte, 1e6 * n->latency);
    printf("# cores     %.4g us a message at each end; %.4g ns a byte between nodes, %.4g ns in memory%s\n",
           1e6 * n->overhead, 1e9 * n->carry, 1e9 * n->copy,
           n->overhead > 0 || n->carry > 0 || n->copy > 0 ? "" : " (no --overhead, --carry or --copy)");
    for (enum ovl_rate r = OVL_RATE_LINK; r < OVL_RATES; r++)
        if (*s->from.text[r])
            printf("# rates     %s: %s\n", names[r], s->from.text[r]);
    printf("# model     LogGPS; links carry one message at a time; above %d KiB messages ask first; no noise\n",
           EAGER >> 10);
    if (s->wanted[OVL_WAY_BLOCKING] || s->wanted[OVL_WAY_HOST])
        printf("# host      %s's algorithms; goes on in calls only: the post, %s, the wait\n", s->library->title,
               s->tests);
    if (s->wanted[OVL_WAY_HOST_T])
        printf("# host-t    the same, with tests between pieces of the work\n");
    if (s->wanted[OVL_WAY_THREAD])
        printf("# thread    %s's algorithms; a thread of each rank, %s, goes on at any time\n", s->library->title,
               where);
    if (s->wanted[OVL_WAY_DPU])
        printf("# dpu       workers a node: %llu, each %s, as quick as the host's\n",
               (unsigned long long)s->common->offload.workers, where);
}

void ovl_simulation_number(int width, int decimals, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, decimals, x);
    else
        printf(" %*s", width, "-");
}

void ovl_simulation_foot(void)
{
    printf("# simulated, not measured: a machine's noise, other jobs and routes are not in it\n");
}

json_t *ovl_simulation_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static const char *told(const char *text)
{
    return *text ? text : NULL;
}

/* A line of its own kind, without a run: no reader of records takes it for a cell (record/record.c). */
json_t *ovl_simulation_line(const struct ovl_simulation *s, enum ovl_sim_way way)
{
    const struct ovl_network *n = &s->network;
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "record", "simulated", "schema",
                             OVL_RECORD_SCHEMA, "note", "simulated, not measured", "benchmark", s->benchmark, "ranks",
                             s->ranks, "ranks_per_node", s->per_node, "mode", ovl_way_names[way], "model", "LogGPS");
    json_object_set_new(line, "rates",
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:o}", "latency_seconds", n->latency,
                                  "burst_seconds", n->burst, "link_bytes_per_second", 1 / n->byte, "overhead_seconds",
                                  n->overhead, "carry_seconds_per_byte", n->carry, "copy_seconds_per_byte", n->copy,
                                  "eager_bytes", EAGER, "flops", ovl_simulation_json(n->flops)));
    json_object_set_new(line, "rates_from",
                        json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*, s:s*}", "latency",
                                  told(s->from.text[OVL_RATE_LATENCY]), "burst", told(s->from.text[OVL_RATE_BURST]),
                                  "link", told(s->from.text[OVL_RATE_LINK]), "carry",
                                  told(s->from.text[OVL_RATE_CARRY]), "copy", told(s->from.text[OVL_RATE_COPY]),
                                  "flops", told(s->from.text[OVL_RATE_FLOPS])));
    json_object_set_new(line, "library", way == OVL_WAY_DPU ? json_null() : json_string(s->library->name));
    json_object_set_new(line, "shared_cores", json_boolean(s->options->shared_cores));
    json_object_set_new(line, "workers_per_node",
                        way == OVL_WAY_DPU ? json_integer((json_int_t)s->common->offload.workers) : json_null());
    return line;
}

int ovl_simulation_write(struct ovl_simulation *s, json_t *line, struct ovl_error *err)
{
    const char *path = s->common->json;
    if (path && (lines.fd >= 0 || ovl_writer_open(&lines, path, err) == 0))
        return ovl_writer_line(&lines, line, err);
    json_decref(line);
    return path ? -1 : 0;
}
