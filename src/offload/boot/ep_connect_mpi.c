/* Ranks and workers without shared memory: an adapter at each, and an endpoint between each rank and its worker. What
 * the ends must know of each other goes by MPI, once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/agree_mpi.h"
#include "offload/boot/connect_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { CARD_TAG = 7 };

/* An endpoint's two ends: whose the other one is, by world rank, and what each tells of itself. */
struct ends {
    int partner;
    struct ovl_ep_address mine, theirs;
};

/* What this process should open: the dpu-map's word for it, else the option's. */
static int port_request_of(const struct ovl_engine *e, struct ovl_port_request *port_request, struct ovl_error *err)
{
    const char *text = e->options.device[e->worker];
    const struct ovl_port_request *mapped = &e->job_map.member[e->world_rank].port_request;
    *port_request = (struct ovl_port_request){.gid = -1};
    if (*mapped->device)
        *port_request = *mapped;
    else if (*text && ovl_port_request_parse(port_request, text, strlen(text)) != 0)
        return ovl_error_set(err, OVL_USAGE, "--device: %s is not NAME or NAME:PORT", text);
    return 0;
}

/* Its partners: of a rank its worker, of a worker its ranks. Returns how many. */
static int find_peers(const struct ovl_engine *e, struct ends *ends)
{
    const struct ovl_job_map *r = &e->job_map;
    const struct ovl_job_proc *me = &r->member[e->world_rank];
    int n = 0;
    if (!e->worker)
        ends[n++].partner = r->worker_at[me->worker_number];
    for (int rank = 0; rank < r->ranks && e->worker; rank++)
        if (r->member[r->rank_at[rank]].worker_number == me->number)
            ends[n++].partner = r->rank_at[rank];
    return n;
}

static int make_eps(struct ovl_engine *e, struct ends *ends, int count, struct ovl_error *err)
{
    struct ovl_port_request port_request;
    const struct ovl_job_map *r = &e->job_map;
    const struct ovl_job_proc *me = &r->member[e->world_rank];
    struct ovl_error why;
    if (ovl_mem_path_verbs.absent)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: on node %s %s", r->node_name[me->node],
                             ovl_mem_path_verbs.absent);
    if (port_request_of(e, &port_request, err) != 0)
        return -1;
    e->verbs = ovl_verbs_open(&port_request, r->node_name[me->node], count, &why);
    if (!e->verbs)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: %s", why.text);
    for (int i = 0; i < count; i++) {
        e->eps[i] = ovl_verbs_ep(e->verbs, ovl_cmdq_bytes() + ovl_cmdq_area_bytes(r->ranks), &ends[i].mine, err);
        if (!e->eps[i])
            return -1;
        e->ep_count++;
        ovl_status_init(e->eps[i]->status);
        ovl_cmdq_init(e->eps[i]->channel, r->member[e->worker ? ends[i].partner : e->world_rank].number);
        ovl_cmdq_add_areas(e->eps[i]->channel, r->ranks, ovl_cmdq_bytes());
    }
    return 0;
}

static void exchange_addresses(struct ends *ends, int count)
{
    for (struct ends *e = ends; e < ends + count; e++)
        MPI_Sendrecv(&e->mine, sizeof e->mine, MPI_BYTE, e->partner, CARD_TAG, &e->theirs, sizeof e->theirs, MPI_BYTE,
                     e->partner, CARD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A result of a BlueField is one of all its workers. */
static void find_bluefields(struct ovl_engine *e, const struct ends *ends)
{
    bool remote = e->worker && e->ep_count > 0 && e->job_map.member[e->world_rank].remote;
    unsigned here = !e->worker || e->ep_count == 0 ? 99 : remote ? ends->mine.bluefield : 0;
    MPI_Allreduce(&here, &e->bluefield, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    if (e->bluefield == 99)
        e->bluefield = 0;
}

int ovl_engine_connect_eps(struct ovl_engine *e, struct ovl_error *err)
{
    size_t most = e->worker ? (size_t)e->job_map.ranks : 1;
    struct ends *ends = calloc(most, sizeof *ends);
    e->eps = calloc(most, sizeof(struct ovl_ep *));
    int rc = ends && e->eps ? make_eps(e, ends, find_peers(e, ends), err)
                            : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for endpoints");
    if (ovl_agree(MPI_COMM_WORLD, rc, err) != 0 || !ends) {
        free(ends);
        return -1;
    }
    exchange_addresses(ends, e->ep_count);
    find_bluefields(e, ends);
    for (int i = 0; i < e->ep_count && rc == 0; i++)
        rc = ovl_verbs_join(e->eps[i], &ends[i].theirs, e->worker, err);
    free(ends);
    return ovl_agree(MPI_COMM_WORLD, rc, err);
}

void ovl_engine_disconnect_eps(struct ovl_engine *e)
{
    for (int i = 0; i < e->ep_count; i++)
        ovl_verbs_ep_close(e->eps[i]);
    free(e->eps);
    ovl_verbs_close(e->verbs);
    e->eps = NULL;
    e->ep_count = 0;
    e->verbs = NULL;
}
