/* Data of a random program, made and checked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/preload/flight.h"

#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 16 };

const char *const kind_names[KINDS] = {
    "ialltoall",   "ialltoallv",      "ibcast",
    "iallreduce",  "ireduce",         "iallgather",
    "iallgatherv", "ireduce_scatter", "ireduce_scatter_block",
    "igather",     "igatherv",        "iscatter",
    "iscatterv",   "ibarrier",        "message",
};

unsigned long long flight_run_seed;

static int world_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static _Noreturn void wrong(const struct flight *f, const char *what, size_t at, int is, int should)
{
    fprintf(stderr, "random: seed %llu rank %d: %s of %d ints on %d ranks, root %d, %s%s: %s %zu is %d, not %d\n",
            flight_run_seed, world_rank(), kind_names[f->kind], f->count, f->ranks, f->root,
            f->in_place ? "in place, " : "", f->send_form.stride + f->recv_form.stride > 2 ? "strided" : "plain", what,
            at, is, should);
    MPI_Abort(MPI_COMM_WORLD, 4);
    exit(4);
}

static int number(uint64_t seed, int rank, size_t i)
{
    return (int)(ovl_rng_mix(seed + (uint64_t)rank * 1000003 + i) & 0xffff);
}

/* What rank `from` has for rank `to`, of v-forms and others. */
static int part(const struct flight *f, int from, int to)
{
    int x = (int)(ovl_rng_mix(f->seed ^ 77) % 7);
    switch (f->kind) {
    case ALLTOALLV:
        return f->in_place ? (from + to + x) % 4 * f->count / 2 : (from * 5 + to * 3 + x) % 4 * f->count / 2;
    case ALLGATHERV:
    case GATHERV:
        return (from * 3 + x) % 4 * f->count / 2;
    case SCATTERV:
    case REDUCE_SCATTER:
        return (to * 3 + x) % 4 * f->count / 2;
    default:
        return f->count;
    }
}

static int sum_to(const struct flight *f, int to)
{
    int all = 0;
    for (int r = 0; r < f->ranks; r++)
        all += part(f, r, to) + f->gap;
    return all;
}

static int sum_from(const struct flight *f, int from)
{
    int all = 0;
    for (int r = 0; r < f->ranks; r++)
        all += part(f, from, r) + f->gap;
    return all;
}

static int *memory(struct flight *f, size_t ints)
{
    int *m;
    size_t bytes = (ints + 2 * GUARD) * sizeof *m;
    if (f->alloc)
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &m);
    else
        m = malloc(bytes);
    for (size_t i = 0; i < ints + 2 * GUARD; i++)
        m[i] = -7;
    return m + GUARD;
}

static void give_back(const struct flight *f, int *m)
{
    if (m && f->alloc)
        MPI_Free_mem(m - GUARD);
    else if (m)
        free(m - GUARD);
}

/* Contiguous, a duplicate of that, every second or third, or absolute addresses. */
static struct form form_of(struct ovl_rng *r, bool plain)
{
    struct form f = {1, false, MPI_INT};
    int choice = below(r, 10);
    if (plain || choice < 6)
        return f;
    f.stride = choice == 8 ? 3 : choice == 7 ? 2 : 1;
    f.bottom = choice == 9;
    return f;
}

static void make_type(struct form *f, int *buffer)
{
    MPI_Datatype one, placed = MPI_INT;
    MPI_Aint at;
    int length = 1;
    if (f->bottom) {
        MPI_Get_address(buffer, &at);
        MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &placed);
    }
    MPI_Type_create_resized(placed, 0, f->stride * (MPI_Aint)sizeof(int), &one);
    if (f->bottom)
        MPI_Type_free(&placed);
    MPI_Type_dup(one, &f->type);
    MPI_Type_free(&one);
    MPI_Type_commit(&f->type);
}

static bool reduces(enum kind k)
{
    return k == ALLREDUCE || k == REDUCE || k == REDUCE_SCATTER || k == REDUCE_SCATTER_BLOCK;
}

static int combined(const struct flight *f, size_t i)
{
    int all = number(f->seed, 0, i);
    for (int r = 1; r < f->ranks; r++) {
        int x = number(f->seed, r, i);
        all = f->op == 0 ? all + x : f->op == 1 ? (x < all ? x : all) : f->op == 2 ? (x > all ? x : all) : all ^ x;
    }
    return all;
}

/* Numbers in the buffers of this rank. */
static void measure(struct flight *f)
{
    size_t n = (size_t)f->ranks, c = (size_t)f->count;
    bool root = f->rank == f->root;
    switch (f->kind) {
    case ALLTOALL:
        f->send_ints = f->recv_ints = n * c;
        break;
    case ALLTOALLV:
        f->send_ints = (size_t)sum_from(f, f->rank);
        f->recv_ints = (size_t)sum_to(f, f->rank);
        break;
    case BCAST:
        f->recv_ints = c;
        break;
    case ALLREDUCE:
        f->send_ints = f->recv_ints = c;
        break;
    case REDUCE:
        f->send_ints = c;
        f->recv_ints = root ? c : 0;
        break;
    case ALLGATHER:
    case GATHER:
        f->send_ints = c;
        f->recv_ints = f->kind == ALLGATHER || root ? n * c : 0;
        break;
    case ALLGATHERV:
    case GATHERV:
        f->send_ints = (size_t)part(f, f->rank, 0);
        f->recv_ints = f->kind == ALLGATHERV || root ? (size_t)sum_to(f, 0) : 0;
        break;
    case REDUCE_SCATTER:
        f->send_ints = (size_t)sum_from(f, 0);
        f->recv_ints = f->in_place ? f->send_ints : (size_t)part(f, 0, f->rank);
        break;
    case REDUCE_SCATTER_BLOCK:
        f->send_ints = n * c;
        f->recv_ints = f->in_place ? n * c : c;
        break;
    case SCATTER:
        f->send_ints = root ? n * c : 0;
        f->recv_ints = c;
        break;
    case SCATTERV:
        f->send_ints = root ? (size_t)sum_from(f, 0) : 0;
        f->recv_ints = (size_t)part(f, 0, f->rank);
        break;
    case MESSAGE:
        f->send_ints = f->recv_ints = c;
        break;
    default:
        f->send_ints = f->recv_ints = 0;
    }
}

static void fill(int *m, const struct form *form, size_t from, size_t n, uint64_t seed, int rank, size_t first)
{
    for (size_t i = 0; i < n; i++)
        m[(from + i) * (size_t)form->stride] = number(seed, rank, first + i);
}

/* What this rank contributes: block r of it counts from r * 100000 on, except where ranks contribute one vector. */
static void bring(struct flight *f, int *m, const struct form *form)
{
    size_t c = (size_t)f->count;
    switch (f->kind) {
    case ALLTOALL:
    case SCATTER:
        for (int r = 0; r < f->ranks; r++)
            fill(m, form, (size_t)r * c, c, f->seed, f->rank, (size_t)r * 100000);
        break;
    case ALLTOALLV:
    case SCATTERV:
        for (int r = 0, at = 0; r < f->ranks; r++) {
            int n = part(f, f->kind == SCATTERV ? 0 : f->rank, r);
            fill(m, form, (size_t)at, (size_t)n, f->seed, f->rank, (size_t)r * 100000);
            at += n + f->gap;
        }
        break;
    default:
        fill(m, form, 0, f->send_ints, f->seed, f->rank, 0);
    }
}

static void expect(const struct flight *f, const int *m, const struct form *form, size_t from, size_t n, int rank,
                   size_t first)
{
    for (size_t i = 0; i < n; i++) {
        int is = m[(from + i) * (size_t)form->stride],
            should = rank < 0 ? combined(f, first + i) : number(f->seed, rank, first + i);
        if (is != should)
            wrong(f, "number", from + i, is, should);
    }
}

static void check_data(const struct flight *f)
{
    size_t c = (size_t)f->count, n = (size_t)f->ranks;
    bool root = f->rank == f->root;
    const struct form *form = &f->recv_form;
    switch (f->kind) {
    case ALLTOALL:
        for (size_t r = 0; r < n; r++)
            expect(f, f->recv, form, r * c, c, (int)r, (size_t)f->rank * 100000);
        break;
    case ALLTOALLV:
        for (int r = 0, at = 0; r < f->ranks; r++) {
            expect(f, f->recv, form, (size_t)at, (size_t)part(f, r, f->rank), r, (size_t)f->rank * 100000);
            at += part(f, r, f->rank) + f->gap;
        }
        break;
    case BCAST:
        expect(f, f->recv, form, 0, c, f->root, 0);
        break;
    case REDUCE:
    case ALLREDUCE:
        if (!root && f->kind == REDUCE)
            break;
        expect(f, f->recv, form, 0, c, -1, 0);
        break;
    case GATHER:
    case ALLGATHER:
        if (!root && f->kind == GATHER)
            break;
        for (size_t r = 0; r < n; r++)
            expect(f, f->recv, form, r * c, c, (int)r, 0);
        break;
    case GATHERV:
    case ALLGATHERV:
        if (!root && f->kind == GATHERV)
            break;
        for (int r = 0, at = 0; r < f->ranks; r++) {
            expect(f, f->recv, form, (size_t)at, (size_t)part(f, r, 0), r, 0);
            at += part(f, r, 0) + f->gap;
        }
        break;
    case REDUCE_SCATTER: {
        size_t at = 0;
        for (int r = 0; r < f->rank; r++)
            at += (size_t)part(f, 0, r);
        expect(f, f->recv, form, 0, (size_t)part(f, 0, f->rank), -1, at);
        break;
    }
    case REDUCE_SCATTER_BLOCK:
        expect(f, f->recv, form, 0, c, -1, (size_t)f->rank * c);
        break;
    case SCATTER:
    case SCATTERV:
        if (!(root && f->in_place))
            expect(f, f->recv, form, 0, f->recv_ints, f->root, (size_t)f->rank * 100000);
        break;
    case MESSAGE:
        expect(f, f->recv, form, 0, c, f->root, 0);
        break;
    default:
        break;
    }
}

/* Nobody wrote beside the data: before and behind the buffer, and between its numbers. */
static void check_guards(const struct flight *f, const int *m, size_t ints, const struct form *form)
{
    size_t all = ints * (size_t)form->stride;
    if (!m)
        return;
    for (int i = 1; i <= GUARD; i++)
        if (m[-i] != -7 || m[all + (size_t)i - 1] != -7)
            wrong(f, "guard", (size_t)i, m[-i] != -7 ? m[-i] : m[all + (size_t)i - 1], -7);
    for (size_t i = 0; i < all; i++)
        if (i % (size_t)form->stride && m[i] != -7)
            wrong(f, "gap", i, m[i], -7);
}

bool flight_in_place(const struct flight *f)
{
    bool rooted =
        f->kind == REDUCE || f->kind == GATHER || f->kind == GATHERV || f->kind == SCATTER || f->kind == SCATTERV;
    return f->in_place && (!rooted || f->rank == f->root) && f->kind != BCAST && f->kind != BARRIER &&
           f->kind != MESSAGE;
}

/* In place what a rank brings stands in the receive buffer: all of it, or its own block. */
static void bring_in_place(struct flight *f)
{
    size_t at = 0;
    if (f->kind == ALLGATHER || f->kind == GATHER)
        fill(f->recv, &f->recv_form, (size_t)f->rank * (size_t)f->count, (size_t)f->count, f->seed, f->rank, 0);
    else if (f->kind == ALLGATHERV || f->kind == GATHERV) {
        for (int r = 0; r < f->rank; r++)
            at += (size_t)(part(f, r, 0) + f->gap);
        fill(f->recv, &f->recv_form, at, (size_t)part(f, f->rank, 0), f->seed, f->rank, 0);
    } else
        bring(f, f->recv, &f->recv_form);
}

static void make_lists(struct flight *f)
{
    int n = f->ranks, at[2] = {0, 0};
    f->lists = malloc(4 * (size_t)n * sizeof *f->lists);
    for (int r = 0; r < n; r++) {
        int out = part(f, f->kind == SCATTERV ? 0 : f->rank, r), in = part(f, r, f->kind == ALLTOALLV ? f->rank : 0);
        if (f->kind == REDUCE_SCATTER)
            in = part(f, 0, r);
        f->lists[r] = out;
        f->lists[n + r] = at[0];
        f->lists[2 * n + r] = in;
        f->lists[3 * n + r] = at[1];
        at[0] += out + f->gap;
        at[1] += in + f->gap;
    }
}

void flight_open(struct flight *f, struct ovl_rng *own)
{
    bool in_place = flight_in_place(f), sends = !in_place || f->kind == SCATTER || f->kind == SCATTERV;
    if (reduces(f->kind))
        f->gap = 0;
    measure(f);
    f->send_form = form_of(own, reduces(f->kind));
    f->recv_form = form_of(own, reduces(f->kind));
    f->send = sends && f->send_ints ? memory(f, f->send_ints * (size_t)f->send_form.stride) : NULL;
    f->recv = f->recv_ints ? memory(f, f->recv_ints * (size_t)f->recv_form.stride) : NULL;
    if (f->send_form.stride > 1 || f->send_form.bottom)
        make_type(&f->send_form, f->send);
    if (f->recv_form.stride > 1 || f->recv_form.bottom)
        make_type(&f->recv_form, f->recv);
    make_lists(f);
    if (f->send)
        bring(f, f->send, &f->send_form);
    else if (in_place)
        bring_in_place(f);
    if (f->kind == BCAST && f->rank == f->root)
        fill(f->recv, &f->recv_form, 0, f->recv_ints, f->seed, f->rank, 0);
}

void *flight_at(const int *buffer, const struct form *form)
{
    return form->bottom ? MPI_BOTTOM : (void *)(uintptr_t)buffer;
}

void flight_posted(struct flight *f)
{
    if (f->send_form.type != MPI_INT)
        MPI_Type_free(&f->send_form.type);
    if (f->recv_form.type != MPI_INT)
        MPI_Type_free(&f->recv_form.type);
}

void flight_close(struct flight *f)
{
    check_data(f);
    check_guards(f, f->send, f->send_ints, &f->send_form);
    check_guards(f, f->recv, f->recv_ints, &f->recv_form);
    give_back(f, f->send);
    give_back(f, f->recv);
    free(f->lists);
}
