/* The messages of a transform. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/carrier.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void post_even(struct ovl_exchange *x)
{
    MPI_Ialltoall(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm, &x->request);
}

static void blocking_even(struct ovl_exchange *x)
{
    MPI_Alltoall(x->send, x->count, x->type, x->recv, x->count, x->type, x->comm);
}

static void post_uneven(struct ovl_exchange *x)
{
    MPI_Ialltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs, x->type,
                   x->comm, &x->request);
}

static void blocking_uneven(struct ovl_exchange *x)
{
    MPI_Alltoallv(x->send, x->send_counts, x->send_displs, x->type, x->recv, x->recv_counts, x->recv_displs, x->type,
                  x->comm);
}

/* The rows that modes know them by; only what posting needs. */
static const struct ovl_collective even = {.name = "ialltoall", .post = post_even, .blocking = blocking_even};
static const struct ovl_collective uneven = {
    .name = "ialltoallv", .displaced = true, .post = post_uneven, .blocking = blocking_uneven};

bool ovl_carrier_needed(const struct ovl_pencil *pencil, enum ovl_transpose t)
{
    return pencil->parts[t] > 1;
}

size_t ovl_carrier_largest(const struct ovl_pencil *pencil, int chunks)
{
    size_t most = 0;
    for (int t = 0; t < OVL_TRANSPOSES; t++)
        for (int near = 0; near < 2 && ovl_carrier_needed(pencil, (enum ovl_transpose)t); near++) {
            size_t slab = ovl_pencil_slab(pencil, (enum ovl_transpose)t, chunks, 0).count; /* none is larger */
            size_t numbers = ovl_pencil_message(pencil, (enum ovl_transpose)t, near, slab);
            most = numbers > most ? numbers : most;
        }
    return most;
}

static void *pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes / page + 1) * page;
    void *memory = aligned_alloc(page, room);
    if (memory)
        memset(memory, 0, room);
    return memory;
}

int ovl_carrier_open(struct ovl_carrier *c, const struct ovl_pencil *pencil, MPI_Comm comm, int slots, size_t largest,
                     struct ovl_error *err)
{
    *c = (struct ovl_carrier){.pencil = pencil, .comm = {MPI_COMM_NULL, MPI_COMM_NULL}};
    MPI_Comm_split(comm, pencil->place[OVL_COLUMN], pencil->place[OVL_ROW], &c->comm[OVL_ROW]);
    MPI_Comm_split(comm, pencil->place[OVL_ROW], pencil->place[OVL_COLUMN], &c->comm[OVL_COLUMN]);
    c->slots = calloc((size_t)slots, sizeof *c->slots);
    c->slot_count = c->slots ? slots : 0;
    bool ok = c->slots != NULL;
    size_t ranks = (size_t)(pencil->parts[0] > pencil->parts[1] ? pencil->parts[0] : pencil->parts[1]);
    for (int s = 0; s < slots && ok; s++) {
        struct ovl_slot *slot = &c->slots[s];
        slot->send = pages(largest * sizeof *slot->send);
        slot->recv = pages(largest * sizeof *slot->recv);
        int *lists = calloc(4 * ranks, sizeof *lists);
        slot->exchange = (struct ovl_exchange){
            .send = slot->send, .recv = slot->recv, .request = MPI_REQUEST_NULL, .send_counts = lists};
        ok = slot->send && slot->recv && lists;
        if (!ok)
            break;
        slot->exchange.send_displs = lists + ranks;
        slot->exchange.recv_counts = lists + 2 * ranks;
        slot->exchange.recv_displs = lists + 3 * ranks;
    }
    return ok ? 0
              : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %d pairs of messages of %zu bytes", slots,
                              largest * sizeof(double complex));
}

void ovl_carrier_close(struct ovl_carrier *c)
{
    for (int s = 0; s < c->slot_count; s++) {
        free(c->slots[s].send);
        free(c->slots[s].recv);
        free(c->slots[s].exchange.send_counts);
    }
    free(c->slots);
    for (int t = 0; t < OVL_TRANSPOSES; t++)
        if (c->comm[t] != MPI_COMM_NULL)
            MPI_Comm_free(&c->comm[t]);
    memset(c, 0, sizeof *c);
}

void ovl_carrier_describe(struct ovl_carrier *c, int slot, enum ovl_transpose t, bool back, size_t slab)
{
    const struct ovl_pencil *p = c->pencil;
    struct ovl_exchange *x = &c->slots[slot].exchange;
    x->collective = ovl_pencil_even(p, t) ? &even : &uneven;
    x->comm = c->comm[t];
    x->rank = p->place[t];
    x->ranks = x->partners = p->parts[t];
    x->type = MPI_DOUBLE;
    x->element = sizeof(double);
    for (int peer = 0; peer < x->ranks; peer++) { /* two doubles a number */
        struct ovl_range send = ovl_pencil_block(p, t, !back, slab, peer),
                         recv = ovl_pencil_block(p, t, back, slab, peer);
        x->send_counts[peer] = 2 * (int)send.count;
        x->send_displs[peer] = 2 * (int)send.first;
        x->recv_counts[peer] = 2 * (int)recv.count;
        x->recv_displs[peer] = 2 * (int)recv.first;
    }
    x->count = x->send_counts[0]; /* of all, where they are even */
    x->size = (size_t)x->count * x->element;
    x->send_bytes = ovl_pencil_message(p, t, !back, slab) * sizeof(double complex);
    x->recv_bytes = ovl_pencil_message(p, t, back, slab) * sizeof(double complex);
}
