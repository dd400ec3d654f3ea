/* Ranks and workers without shared memory: an adapter at each, and a wire between each rank and its worker. What the
 * ends must know of each other goes by MPI, once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/connect_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { CARD_TAG = 7 };

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

/* Its partners: of a rank its worker, of a worker its ranks. World ranks; returns how many. */
static int partners_of(const struct ovl_engine *e, int *partners)
{
    const struct ovl_roster *r = &e->roster;
    const struct ovl_member *me = &r->member[e->world_rank];
    int n = 0;
    if (!e->worker)
        partners[n++] = r->worker_at[me->server];
    for (int rank = 0; rank < r->ranks && e->worker; rank++)
        if (r->member[r->rank_at[rank]].server == me->number)
            partners[n++] = r->rank_at[rank];
    return n;
}

static int make_wires(struct ovl_engine *e, const int *partners, int count, struct ovl_verbs_card *mine,
                      struct ovl_error *err)
{
    struct ovl_port_wish wish;
    const struct ovl_roster *r = &e->roster;
    const struct ovl_member *me = &r->member[e->world_rank];
    struct ovl_error why;
    if (ovl_verbs_absent)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: on node %s %s", r->node_name[me->node],
                             ovl_verbs_absent);
    if (wish_of(e, &wish, err) != 0)
        return -1;
    e->verbs = ovl_verbs_open(&wish, r->node_name[me->node], &why);
    if (!e->verbs)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--path verbs: %s", why.text);
    for (int i = 0; i < count; i++) {
        e->wires[i] = ovl_verbs_wire(e->verbs, ovl_channel_plain_bytes(r->ranks), &mine[i], err);
        if (!e->wires[i])
            return -1;
        e->wire_count++;
        ovl_board_init(e->wires[i]->board);
        ovl_channel_init(e->wires[i]->channel, r->member[e->worker ? partners[i] : e->world_rank].number, r->ranks);
    }
    return 0;
}

static void swap_cards(const struct ovl_engine *e, const int *partners, const struct ovl_verbs_card *mine,
                       struct ovl_verbs_card *theirs)
{
    for (int i = 0; i < e->wire_count; i++)
        MPI_Sendrecv(&mine[i], sizeof *mine, MPI_BYTE, partners[i], CARD_TAG, &theirs[i], sizeof *theirs, MPI_BYTE,
                     partners[i], CARD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A result of a BlueField is one of all its workers. */
static void find_bluefields(struct ovl_engine *e, const struct ovl_verbs_card *mine)
{
    bool far = e->worker && e->wire_count > 0 && e->roster.member[e->world_rank].far;
    unsigned here = !e->worker || e->wire_count == 0 ? 99 : far ? mine[0].bluefield : 0;
    MPI_Allreduce(&here, &e->bluefield, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    if (e->bluefield == 99)
        e->bluefield = 0;
}

int ovl_engine_wire(struct ovl_engine *e, struct ovl_error *err)
{
    size_t most = e->worker ? (size_t)e->roster.ranks : 1;
    int *partners = calloc(most, sizeof *partners);
    struct ovl_verbs_card *mine = calloc(most, sizeof *mine), *theirs = calloc(most, sizeof *theirs);
    e->wires = calloc(most, sizeof *e->wires);
    int rc = partners && mine && theirs && e->wires ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for wires");
    if (rc == 0)
        rc = make_wires(e, partners, partners_of(e, partners), mine, err);
    rc = ovl_engine_agree(MPI_COMM_WORLD, rc, err);
    if (rc == 0) {
        swap_cards(e, partners, mine, theirs);
        find_bluefields(e, mine);
        for (int i = 0; i < e->wire_count && rc == 0; i++)
            rc = ovl_verbs_join(e->wires[i], &theirs[i], e->worker, err);
        rc = ovl_engine_agree(MPI_COMM_WORLD, rc, err);
    }
    free(partners);
    free(mine);
    free(theirs);
    return rc;
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
