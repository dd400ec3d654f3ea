/* Panel broadcasts: by routes, whose parts the host passes on, and by the mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/bcast.h"

#include <stdlib.h>
#include <string.h>

int ovl_hpl_bcast_open(struct ovl_hpl_bcast *b, const struct ovl_hpl_scheme *scheme, const struct ovl_mode *mode,
                       const struct ovl_hpl_grid *grid, struct ovl_error *err)
{
    *b = (struct ovl_hpl_bcast){.scheme = scheme, .mode = mode, .grid = grid, .done = true};
    b->host_moves = scheme->parts || strcmp(mode->name, "host") == 0;
    MPI_Comm_dup(grid->row, &b->comm);
    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Comm_size(b->comm, &b->ranks);
    if (!scheme->parts)
        return 0;
    b->parts = scheme->parts(b->ranks);
    b->receives = malloc((size_t)b->parts * sizeof *b->receives);
    b->sent = malloc(OVL_ROUTE_NEXT * (size_t)b->parts * sizeof *b->sent);
    b->arrived = malloc((size_t)b->parts * sizeof *b->arrived);
    b->statuses = malloc(OVL_ROUTE_NEXT * (size_t)b->parts * sizeof *b->statuses);
    return b->receives && b->sent && b->arrived && b->statuses
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the broadcast of a panel");
}

void ovl_hpl_bcast_close(struct ovl_hpl_bcast *b)
{
    free(b->receives);
    free(b->sent);
    free(b->arrived);
    free(b->statuses);
    MPI_Comm_free(&b->comm);
}

static size_t part_begin(const struct ovl_hpl_bcast *b, int part)
{
    return b->doubles * (size_t)part / (size_t)b->parts;
}

static int part_length(const struct ovl_hpl_bcast *b, int part)
{
    return (int)(part_begin(b, part + 1) - part_begin(b, part));
}

static int rank_of(const struct ovl_hpl_bcast *b, int process)
{
    return (process + b->root) % b->ranks;
}

static struct ovl_route route_of(const struct ovl_hpl_bcast *b, int part)
{
    return b->scheme->route((b->rank - b->root + b->ranks) % b->ranks, b->ranks, part);
}

static void pass_on(struct ovl_hpl_bcast *b, int part, int which)
{
    struct ovl_route r = route_of(b, part);
    if (r.to[which] >= 0)
        MPI_Isend(b->data + part_begin(b, part), part_length(b, part), MPI_DOUBLE, rank_of(b, r.to[which]), part,
                  b->comm, &b->sent[b->sends++]);
}

static void begin_route(struct ovl_hpl_bcast *b)
{
    b->sends = b->due = 0;
    for (int part = 0; part < b->parts; part++) {
        struct ovl_route r = route_of(b, part);
        b->receives[part] = MPI_REQUEST_NULL;
        if (r.from < 0)
            continue;
        MPI_Irecv(b->data + part_begin(b, part), part_length(b, part), MPI_DOUBLE, rank_of(b, r.from), part, b->comm,
                  &b->receives[part]);
        b->due++;
    }
    for (int which = 0; which < OVL_ROUTE_NEXT && b->rank == b->root; which++)
        for (int part = 0; part < b->parts; part++)
            pass_on(b, part, which);
}

static void pass_arrived(struct ovl_hpl_bcast *b, int count)
{
    for (int i = 0; i < count; i++)
        for (int which = 0; which < OVL_ROUTE_NEXT; which++)
            pass_on(b, b->arrived[i], which);
    b->due -= count;
}

void ovl_hpl_bcast_begin(struct ovl_hpl_bcast *b, int root, double *data, size_t doubles)
{
    b->root = root;
    b->data = data;
    b->doubles = doubles;
    b->done = b->ranks == 1;
    if (b->done)
        return;
    if (b->scheme->parts) {
        begin_route(b);
        return;
    }
    b->exchange = (struct ovl_exchange){
        .collective = &ovl_coll_ibcast,
        .comm = b->comm,
        .rank = b->rank,
        .ranks = b->ranks,
        .root = root,
        .size = doubles * sizeof *data,
        .count = (int)doubles,
        .type = MPI_DOUBLE,
        .element = sizeof *data,
        .dtype = OVL_DOUBLE,
        .recv_bytes = doubles * sizeof *data,
        .recv = data,
        .offload = b->grid->lines.offload,
    };
    if (b->mode->offloads) {
        ovl_offload_describe(&b->exchange);
        b->exchange.call.team = &b->grid->lines.team[OVL_SPACE_ROW];
        b->host_moves = b->exchange.by_host;
    }
    b->mode->post(&b->exchange);
}

bool ovl_hpl_bcast_test(struct ovl_hpl_bcast *b)
{
    int count = 0, complete = 0;
    if (b->done)
        return true;
    if (!b->scheme->parts)
        return b->done = b->mode->test(&b->exchange);
    if (b->due > 0) {
        MPI_Testsome(b->parts, b->receives, &count, b->arrived, b->statuses);
        pass_arrived(b, count);
    }
    if (b->due == 0)
        MPI_Testall(b->sends, b->sent, &complete, b->statuses);
    return b->done = complete;
}

void ovl_hpl_bcast_wait(struct ovl_hpl_bcast *b)
{
    if (b->done)
        return;
    if (!b->scheme->parts)
        b->mode->wait(&b->exchange);
    else {
        while (b->due > 0) {
            int count;
            MPI_Waitsome(b->parts, b->receives, &count, b->arrived, b->statuses);
            pass_arrived(b, count);
        }
        MPI_Waitall(b->sends, b->sent, b->statuses);
    }
    b->done = true;
}
