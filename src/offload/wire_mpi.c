/* Ranks and workers without shared memory: an adapter at each, and a wire between each rank and its worker. What the
 * ends must know of each other goes by MPI, once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/agree_mpi.h"
#include "offload/connect_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { CARD_TAG = 7 };

/* A wire's two ends: whose the other one is, by world rank, and what each tells of itself. */
struct ends {
    int partner;
    struct ovl_verbs_card mine, theirs;
};

/* What this process should open: the dpu-map's word for it, else the option's. */
static int wish_of(const struct ovl_engine *e, struct ovl_port_wish *wish, struct ovl_error *err)
{
    const char *text = e->options.device[e->worker];
    const struct ovl_port_wish *mapped = &e->roster.member[e->world_rank].wish;
    *wish = (struct ovl_port_wish){.gid = -1};
    if (*mapped->device)
        *wish = *mapped;
    else if (*text && ovl_port_wish_parse(wish, text, strlen(text)) != 0)
        return ovl_error_set(err, OVL_USAGE, "--device: %s is not NAME or NAME:PORT", text);
    return 0;
}

/* Its partners: of a rank its worker, of a worker its ranks. Returns how many. */
static int find_partners(const struct ovl_engine *e, struct ends *ends)
{
    const struct ovl_roster *r = &e->roster;
    const struct ovl_member *me = &r->member[e->world_rank];
    int n = 0;
    if (!e->worker)
        ends[n++].partner = r->worker_at[me->server];
    for (int rank = 0; rank < r->ranks && e->worker; rank++)
        if (r->member[r->rank_at[rank]].server == me->number)
            ends[n++].partner = r->rank_at[rank];
    return n;
}

static int make_wires(struct ovl_engine *e, struct ends *ends, int count, struct ovl_error *err)
{
    struct ovl_port_wish wish;
    const struct ovl_roster *r = &e->roster;
    const struct ovl_member *me = &r->member[e->world_rank];
    struct ovl_error why;
    if (ovl_path_verbs.absent)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: on node %s %s", r->node_name[me->node],
                             ovl_path_verbs.absent);
    if (wish_of(e, &wish, err) != 0)
        return -1;
    e->verbs = ovl_verbs_open(&wish, r->node_name[me->node], &why);
    if (!e->verbs)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: %s", why.text);
    for (int i = 0; i < count; i++) {
        e->wires[i] = ovl_verbs_wire(e->verbs, ovl_channel_plain_bytes(r->ranks), &ends[i].mine, err);
        if (!e->wires[i])
            return -1;
        e->wire_count++;
        ovl_board_init(e->wires[i]->board);
        ovl_channel_init(e->wires[i]->channel, r->member[e->worker ? ends[i].partner : e->world_rank].number, r->ranks);
    }
    return 0;
}

static void swap_cards(struct ends *ends, int count)
{
    for (struct ends *e = ends; e < ends + count; e++)
        MPI_Sendrecv(&e->mine, sizeof e->mine, MPI_BYTE, e->partner, CARD_TAG, &e->theirs, sizeof e->theirs, MPI_BYTE,
                     e->partner, CARD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A result of a BlueField is one of all its workers. */
static void find_bluefields(struct ovl_engine *e, const struct ends *ends)
{
    bool far = e->worker && e->wire_count > 0 && e->roster.member[e->world_rank].far;
    unsigned here = !e->worker || e->wire_count == 0 ? 99 : far ? ends->mine.bluefield : 0;
    MPI_Allreduce(&here, &e->bluefield, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    if (e->bluefield == 99)
        e->bluefield = 0;
}

int ovl_engine_wire(struct ovl_engine *e, struct ovl_error *err)
{
    size_t most = e->worker ? (size_t)e->roster.ranks : 1;
    struct ends *ends = calloc(most, sizeof *ends);
    e->wires = calloc(most, sizeof(struct ovl_wire *));
    int rc = ends && e->wires ? make_wires(e, ends, find_partners(e, ends), err)
                              : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for wires");
    if (ovl_agree(MPI_COMM_WORLD, rc, err) != 0 || !ends) {
        free(ends);
        return -1;
    }
    swap_cards(ends, e->wire_count);
    find_bluefields(e, ends);
    for (int i = 0; i < e->wire_count && rc == 0; i++)
        rc = ovl_verbs_join(e->wires[i], &ends[i].theirs, e->worker, err);
    free(ends);
    return ovl_agree(MPI_COMM_WORLD, rc, err);
}

void ovl_engine_unwire(struct ovl_engine *e)
{
    for (int i = 0; i < e->wire_count; i++)
        ovl_verbs_unwire(e->wires[i]);
    free(e->wires);
    ovl_verbs_close(e->verbs);
    e->wires = NULL;
    e->wire_count = 0;
    e->verbs = NULL;
}
