/* The engine of dpu mode as a driver has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/offload.h"
#include "base/printable.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place of a word among others, or OVL_AUTO when it is none of them. */
static int place_of(const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return OVL_AUTO;
}

static const char *const idle_words[] = {
    [OVL_IDLE_SPIN] = "spin", [OVL_IDLE_YIELD] = "yield", [OVL_IDLE_SLEEP] = "sleep", NULL};

static struct ovl_engine_options translate(const struct ovl_offload_options *o, struct ovl_error *err)
{
    struct ovl_engine_options e = ovl_engine_options_default;
    e.workers = ovl_offload_wanted(o) ? (int)o->workers : 0;
    e.map = strcmp(o->worker_map, "block") == 0 ? OVL_MAP_BLOCK : OVL_MAP_CYCLIC;
    e.idle = place_of(o->worker_idle, idle_words);
    e.high_priority = strcmp(o->worker_priority, "high") == 0;
    e.tcp = strncmp(o->worker_transport, "tcp", 3) == 0;
    if (e.tcp && o->worker_transport[3])
        snprintf(e.interface, sizeof e.interface, "%s", o->worker_transport + 4);
    e.slowdown = o->worker_slowdown;
    e.timeout = o->worker_timeout;
    e.memory = o->worker_memory;
    for (int p = 0; ovl_mem_paths[p]; p++)
        if (strcmp(ovl_mem_paths[p]->name, o->path) == 0)
            e.path = p;
    e.cold = o->cold;
    e.registrations = (unsigned)o->registrations;
    e.dpu_map = o->dpu_map;
    size_t first = o->device ? strcspn(o->device, ",") : 0;
    const char *second = o->device && o->device[first] ? o->device + first + 1 : o->device ? o->device : "";
    if (first >= sizeof e.device[0] || strlen(second) >= sizeof e.device[1])
        ovl_error_set(err, OVL_USAGE, "--device: %s is too long for names of adapters", o->device);
    else {
        snprintf(e.device[0], sizeof e.device[0], "%.*s", (int)first, first ? o->device : "");
        snprintf(e.device[1], sizeof e.device[1], "%s", second);
    }
    return e;
}

int ovl_offload_join(struct ovl_offload *o, const struct ovl_offload_options *options, bool leave,
                     struct ovl_error *err)
{
    struct ovl_engine_options wanted = translate(options, err);
    o->least = options->dpu_min;
    if (ovl_engine_bootstrap(&o->engine, false, &wanted, leave, err) != 0)
        return -1;
    if (ovl_offload_wanted(options) && o->engine.job_map.workers == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "--mode %s: there is no worker; give --workers 1, or start workers as `: -n N ovl_worker`",
                             options->modes);
    o->awake = true;
    return ovl_engine_connect(&o->engine, err);
}

/* Where the ranks of `comm` are, as their workers see it. */
static int find_nodes(struct ovl_offload *o, MPI_Comm comm)
{
    int ranks, rc = -1, mine = ovl_engine_node(&o->engine, o->engine.client.rank);
    MPI_Comm_size(comm, &ranks);
    int *node = ovl_alloc((size_t)ranks, sizeof *node);
    MPI_Allgather(&mine, 1, MPI_INT, node, 1, MPI_INT, comm);
    rc = ovl_placement_make(&o->placement, node, ranks);
    free(node);
    return rc;
}

int ovl_offload_attach(struct ovl_offload *o, MPI_Comm comm, struct ovl_error *err)
{
    if (!o->engine.connected || comm == MPI_COMM_NULL)
        return 0;
    o->attached = ovl_engine_attach(&o->engine, &o->team, comm, err) == 0;
    if (!o->attached)
        return -1;
    int rc = find_nodes(o, comm) == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of the ranks");
    return ovl_agree(comm, rc, err);
}

int ovl_offload_choose(struct ovl_offload *o, const struct ovl_offload_options *options, const char *wanted,
                       enum ovl_operation operation, const char *name, int ranks, struct ovl_error *err)
{
    char names[128];
    if (!wanted)
        return 0;
    if (!ovl_offload_wanted(options))
        return ovl_error_set(err, OVL_USAGE, "--algorithm %s: workers do it; give --mode dpu too", wanted);
    o->algorithm = ovl_algorithm_find(operation, wanted);
    ovl_algorithm_names(names, sizeof names, operation);
    if (!o->algorithm && !*names)
        return ovl_error_set(err, OVL_USAGE, "--algorithm %s: the workers have none for %s", wanted, name);
    if (!o->algorithm)
        return ovl_error_set(err, OVL_USAGE, "--algorithm %s: %s has %s", wanted, name, names);
    if (!ovl_algorithm_works(o->algorithm, ranks))
        return ovl_error_set(err, OVL_USAGE, "--algorithm %s: it needs 2^n ranks, not %d; %s has %s", wanted, ranks,
                             name, names);
    return 0;
}

const char *ovl_offload_algorithm(const struct ovl_exchange *x)
{
    const struct ovl_coll_args *c = &x->call;
    struct ovl_coll_shape shape = {.operation = c->operation,
                                   .algorithm = c->algorithm,
                                   .rank = x->rank,
                                   .ranks = x->ranks,
                                   .bytes = c->bytes,
                                   .element = ovl_dtype_bytes(c->dtype),
                                   .recv_counts = c->recv_counts,
                                   .placement = &x->offload->placement};
    const struct ovl_algorithm *a = ovl_algorithm_of(&shape);
    return a ? a->name : "";
}

static void must(const struct ovl_offload *o, int rc, const struct ovl_error *err)
{
    if (rc != 0)
        ovl_engine_abort(o->program, err);
}

void ovl_offload_release(struct ovl_offload *o)
{
    struct ovl_error err = {.code = OVL_ENVIRONMENT};
    must(o, ovl_engine_release(&o->engine, &err), &err);
    ovl_placement_free(&o->placement);
}

static int member(int rank)
{
    return rank == MPI_PROC_NULL ? -1 : rank;
}

/* Bytes that the operation will leave in the receive buffer. */
static size_t payload(const struct ovl_exchange *x)
{
    return x->target == MPI_IN_PLACE ? 0 : x->both ? x->size : x->recv_bytes;
}

void ovl_offload_describe(struct ovl_exchange *x)
{
    enum ovl_operation operation = x->collective->operation;
    const struct ovl_operation_row *row = &ovl_operations[operation];
    x->by_host = x->size < x->offload->least || operation == OVL_NO_OPERATION;
    x->call = (struct ovl_coll_args){
        .operation = operation,
        .algorithm = x->offload->algorithm,
        .team = &x->offload->team,
        .send = x->send,
        .recv = x->recv,
        .bytes = operation == OVL_IREDUCE_SCATTER_BLOCK ? x->recv_bytes : x->size,
        .recv_bytes = x->both ? x->size : x->recv_bytes,
        .payload = payload(x),
        .in_place = x->in_place,
        .root = x->root,
        .to = member(x->to),
        .from = member(x->from),
        .dtype = x->dtype,
        .redop = x->redop,
        .send_counts = row->lists & OVL_SEND_COUNTS ? x->send_counts : NULL,
        .send_displs = row->lists & OVL_SEND_DISPLS ? x->send_displs : NULL,
        .recv_counts = row->lists & OVL_RECV_COUNTS ? x->recv_counts : NULL,
        .recv_displs = row->lists & OVL_RECV_DISPLS ? x->recv_displs : NULL,
    };
    x->back = x->call;
    x->back.send = (char *)x->send + x->extent;
    x->back.recv = (char *)x->recv + x->extent;
    x->back.to = x->call.from;
    x->back.from = x->call.to;
}

void ovl_offload_post(struct ovl_exchange *x)
{
    struct ovl_error err;
    struct ovl_client_ctx *client = &x->offload->engine.client;
    must(x->offload, ovl_client_post(client, &x->call, &x->ticket, &err), &err);
    if (x->both)
        must(x->offload, ovl_client_post(client, &x->back, &x->back_ticket, &err), &err);
}

bool ovl_offload_test(struct ovl_exchange *x)
{
    struct ovl_client_ctx *client = &x->offload->engine.client;
    return ovl_client_test(client, &x->ticket) && (!x->both || ovl_client_test(client, &x->back_ticket));
}

void ovl_offload_wait(struct ovl_exchange *x)
{
    struct ovl_error err;
    struct ovl_client_ctx *client = &x->offload->engine.client;
    must(x->offload, ovl_client_wait(client, &x->ticket, &err), &err);
    if (x->both)
        must(x->offload, ovl_client_wait(client, &x->back_ticket, &err), &err);
}

void ovl_offload_wake(struct ovl_offload *o, bool awake)
{
    struct ovl_error err;
    if (!o->engine.connected || o->awake == awake)
        return;
    must(o, awake ? ovl_client_unpark(&o->engine.client, &err) : ovl_client_park(&o->engine.client, &err), &err);
    o->awake = awake;
}

void ovl_offload_proof_begin(struct ovl_offload *o)
{
    if (o->engine.connected)
        ovl_client_proof_begin(&o->engine.client);
}

int ovl_offload_proof_end(struct ovl_offload *o, struct ovl_error *err)
{
    const struct ovl_client_ctx *client = &o->engine.client;
    uint64_t mine[4] = {0, 0, client->buffer_uses, client->registered}, all[4] = {0};
    if (!o->engine.connected)
        return 0;
    uint32_t high_water[OVL_HIGH_WATERS];
    ovl_client_high_water(&o->engine.client, high_water);
    int rc = ovl_client_proof_end(&o->engine.client, &mine[0], &mine[1], err);
    MPI_Reduce(mine, all, 4, MPI_UINT64_T, MPI_SUM, 0, o->engine.comm);
    MPI_Reduce(high_water, o->high_water, OVL_HIGH_WATERS, MPI_UINT32_T, MPI_MAX, 0, o->engine.comm);
    o->worker_ops = (double)all[0];
    o->worker_bytes = (double)all[1];
    o->registration_hits = all[2] ? 1 - (double)all[3] / (double)all[2] : NAN;
    return ovl_agree(o->engine.comm, rc, err);
}

void ovl_offload_fill(const struct ovl_offload *o, bool by_host, struct ovl_cell *cell)
{
    snprintf(cell->engine, sizeof cell->engine, "%s", by_host ? "mpi" : "worker");
    snprintf(cell->placement, sizeof cell->placement, "%s", by_host ? "host" : ovl_engine_placement(&o->engine));
    cell->workers = 0;
    if (by_host)
        return;
    snprintf(cell->path, sizeof cell->path, "%s", o->engine.client.path->name);
    cell->workers = o->engine.job_map.workers;
    cell->worker_ops = o->worker_ops;
    cell->worker_bytes = o->worker_bytes;
    cell->registration_hits = o->registration_hits;
    const uint32_t *m = o->high_water;
    cell->most_fragments = fmax(m[OVL_HIGH_WATER_SENDS], m[OVL_HIGH_WATER_RECEIVES]);
    cell->most_buffers = fmax(m[OVL_HIGH_WATER_SEND_BUFFERS], m[OVL_HIGH_WATER_RECEIVE_BUFFERS]);
    cell->most_tags = m[OVL_HIGH_WATER_TAGS];
    cell->most_early = m[OVL_HIGH_WATER_EARLY];
}

json_t *ovl_offload_processors_json(const struct ovl_job_map *r)
{
    json_t *all = json_array(), *known = json_object(); /* the entries, by node and kind */
    for (int w = 0; w < r->workers; w++) {
        const struct ovl_job_proc *m = &r->member[r->worker_at[w]];
        char key[64];
        snprintf(key, sizeof key, "%d %d %s", m->node, m->emulated, m->architecture);
        json_t *entry = json_object_get(known, key);
        if (!entry) {
            entry = json_pack("{s:o, s:s, s:b, s:[]}", "host", ovl_printable_json(r->node_name[m->node]),
                              "architecture", m->architecture, "emulated", m->emulated, "workers");
            json_array_append(all, entry);
            json_object_set_new(known, key, entry);
        }
        json_array_append_new(json_object_get(entry, "workers"), json_integer(w));
    }
    json_decref(known);
    return all;
}

json_t *ovl_offload_json(const struct ovl_offload *o)
{
    const struct ovl_engine *e = &o->engine;
    if (!e->connected)
        return NULL;
    const char *rendezvous = e->rendezvous;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:i, s:i, s:b, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:{s:o, s:s}}",
                     "engine", "worker", "path", e->client.path->name, "placement", ovl_engine_placement(e),
                     "processors", ovl_offload_processors_json(&e->job_map), "adapter",
                     e->verbs ? json_string(ovl_verbs_name(e->verbs)) : json_null(), "cold", e->options.cold, "workers",
                     e->job_map.workers, "most_on_a_node", e->job_map.most_workers, "cores_shared",
                     e->job_map.oversubscribed, "idle", idle_words[e->idle], "priority", e->raised ? "high" : "usual",
                     "transport", e->options.tcp ? "tcp" : "mpi", "map",
                     e->options.map == OVL_MAP_BLOCK ? "block" : "cyclic", "slowdown", e->options.slowdown,
                     "timeout_seconds", e->options.timeout, "retry_seconds",
                     e->remote ? json_real(ovl_verbs_retry_seconds()) : json_null(), "worker_environment",
                     "UCX_RNDV_THRESH", *rendezvous ? ovl_printable_json(rendezvous) : json_null(), "set_by",
                     e->tuned      ? "ovl"
                     : *rendezvous ? "user"
                                   : "nobody");
}
