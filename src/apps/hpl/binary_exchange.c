/* Binary exchange of rows. Processes count from the root. The largest power of two of them takes part; each one beyond
   has a substitute below, which exchanges for both. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/binary_exchange.h"
#include "base/error.h"

#include <stdlib.h>

struct halves {
    const struct ovl_hpl_system *s;
    int root, columns;
    int me, procs, power; /* the largest power of two up to `procs` */
    MPI_Aint *places;     /* [2 procs], of a message */
    int *lengths;         /* [2 procs] */
    int blocks;
};

static void add(struct halves *h, const double *base, int first, int rows)
{
    if (rows == 0)
        return;
    MPI_Get_address(base + (size_t)first * (size_t)h->columns, &h->places[h->blocks]);
    h->lengths[h->blocks++] = rows * h->columns;
}

/* The parts of all processes that differ from `like` by multiples of `stride`. */
static void add_parts(struct halves *h, int like, int stride)
{
    const struct ovl_hpl_permutation *w = h->s->permutation;
    for (int p = like % stride; p < h->procs; p += stride) {
        int row = (p + h->root) % h->procs;
        add(h, h->s->parts, w->top_from[row], w->top_from[row + 1] - w->top_from[row]);
    }
}

/* The rows from the top for processes begin .. end - 1. */
static void add_moves(struct halves *h, int begin, int end)
{
    end = end < h->procs ? end : h->procs;
    if (begin >= end)
        return;
    int first = ovl_hpl_permutation_moves(h->s->permutation, h->procs, h->root, begin);
    add(h, h->s->mine, first, ovl_hpl_permutation_moves(h->s->permutation, h->procs, h->root, end) - first);
}

/* What was added, from where it lies to where it lies at the other end. */
static MPI_Datatype message(struct halves *h)
{
    MPI_Datatype type;
    MPI_Type_create_hindexed(h->blocks, h->lengths, h->places, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    h->blocks = 0;
    return type;
}

/* What `from` sends to its partner at that distance: the parts that it has so far, and, if the root's rows have reached
   it, those for the half that the partner stands for. */
static MPI_Datatype half_of(struct halves *h, int from, int distance)
{
    add_parts(h, from, 2 * distance);
    if (from % (2 * distance) == 0) {
        add_moves(h, from + distance, from + 2 * distance);
        add_moves(h, from + distance + h->power, from + 2 * distance + h->power);
    }
    return message(h);
}

static int row_of(const struct halves *h, int process)
{
    return (process + h->root) % h->procs;
}

static void send(MPI_Datatype type, const struct halves *h, int to)
{
    MPI_Send(MPI_BOTTOM, 1, type, row_of(h, to), 0, h->s->grid->column);
    MPI_Type_free(&type);
}

static void receive(MPI_Datatype type, const struct halves *h, int from)
{
    MPI_Recv(MPI_BOTTOM, 1, type, row_of(h, from), 0, h->s->grid->column, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

/* Of one beyond the power of two: its own part. */
static MPI_Datatype from_extra(struct halves *h, int extra)
{
    add_parts(h, extra, h->procs);
    return message(h);
}

/* And what it gets: everything, with the rows that are for it. */
static MPI_Datatype for_extra(struct halves *h, int extra)
{
    add_parts(h, 0, 1);
    add_moves(h, extra, extra + 1);
    return message(h);
}

static void swap_halves(struct halves *h)
{
    for (int distance = h->power / 2; distance > 0; distance /= 2) {
        int partner = h->me ^ distance;
        MPI_Datatype out = half_of(h, h->me, distance), in = half_of(h, partner, distance);
        MPI_Sendrecv(MPI_BOTTOM, 1, out, row_of(h, partner), 0, MPI_BOTTOM, 1, in, row_of(h, partner), 0,
                     h->s->grid->column, MPI_STATUS_IGNORE);
        MPI_Type_free(&out);
        MPI_Type_free(&in);
    }
}

void ovl_hpl_binary_exchange(struct ovl_hpl_system *s, int root, int columns)
{
    struct halves h = {.s = s, .root = root, .columns = columns, .procs = s->grid->rows, .power = 1};
    while (2 * h.power <= h.procs)
        h.power *= 2;
    h.me = (s->grid->row_at - root + h.procs) % h.procs;
    h.places = ovl_check_alloc(malloc(2 * (size_t)h.procs * sizeof *h.places));
    h.lengths = ovl_check_alloc(malloc(2 * (size_t)h.procs * sizeof *h.lengths));
    int extra = h.me + h.power;
    if (h.me >= h.power) {
        send(from_extra(&h, h.me), &h, h.me - h.power);
        receive(for_extra(&h, h.me), &h, h.me - h.power);
    } else {
        if (extra < h.procs)
            receive(from_extra(&h, extra), &h, extra);
        swap_halves(&h);
        if (extra < h.procs)
            send(for_extra(&h, extra), &h, extra);
    }
    free(h.places);
    free(h.lengths);
}
