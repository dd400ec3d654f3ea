/* Making, checking and freeing one exchange. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange.h"
#include "base/page_alloc.h"
#include "bench/offload.h"
#include "bench/pattern.h"
#include "offload/boot/agree_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
    enum ovl_pattern_kind pattern;
} types[] = {
    [OVL_EXCHANGE_BYTES] = {"MPI_CHAR", 1, OVL_PATTERN_BYTES},
    [OVL_EXCHANGE_FLOAT] = {"MPI_FLOAT", sizeof(float), OVL_PATTERN_FLOAT},
    [OVL_EXCHANGE_INT8] = {"MPI_SIGNED_CHAR", 1, OVL_PATTERN_INT8},
};

const char *ovl_exchange_type_name(enum ovl_exchange_type type)
{
    return types[type].name;
}

static MPI_Datatype mpi_type(enum ovl_exchange_type type)
{
    return type == OVL_EXCHANGE_FLOAT ? MPI_FLOAT : type == OVL_EXCHANGE_INT8 ? MPI_SIGNED_CHAR : MPI_CHAR;
}

/* Collective: a grid of two dimensions without wrap-around, as for halo exchange; two neighbours in each dimension. */
static void make_neighbourhood(struct ovl_exchange *x)
{
    enum { DIMENSIONS = 2 };
    int sides[DIMENSIONS] = {0}, wrap[DIMENSIONS] = {0};
    MPI_Comm grid;
    MPI_Dims_create(x->ranks, DIMENSIONS, sides);
    MPI_Cart_create(x->comm, DIMENSIONS, sides, wrap, 0, &grid);
    x->comm = grid;
    x->partners = 2 * DIMENSIONS;
    x->neighbours = calloc(2 * DIMENSIONS, sizeof *x->neighbours);
    for (int d = 0; d < DIMENSIONS && x->neighbours; d++)
        MPI_Cart_shift(grid, d, 1, &x->neighbours[2 * d], &x->neighbours[2 * d + 1]);
}

/* Collective: everything but the buffers. */
static int describe(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    memset(x, 0, sizeof *x);
    x->collective = plan->collective;
    x->comm = plan->comm;
    x->request = MPI_REQUEST_NULL;
    x->root = plan->root;
    MPI_Comm_rank(x->comm, &x->rank);
    MPI_Comm_size(x->comm, &x->ranks);
    x->partners = x->ranks;
    x->type = mpi_type(plan->type);
    x->element = types[plan->type].bytes;
    x->size = plan->size;
    x->count = (int)(x->size / x->element);
    if (x->collective->neighbourhood)
        make_neighbourhood(x);

    size_t n = (size_t)x->partners;
    int *lists = calloc(4 * n, sizeof *lists);
    MPI_Aint *places = calloc(2 * n, sizeof *places);
    x->types = calloc(n, sizeof *x->types);
    x->send_counts = lists;
    x->send_places = places;
    if (!lists || !places || !x->types || (x->collective->neighbourhood && !x->neighbours))
        return -1;
    x->send_displs = lists + n;
    x->recv_counts = lists + 2 * n;
    x->recv_displs = lists + 3 * n;
    x->recv_places = places + n;
    for (size_t p = 0; p < n; p++)
        x->types[p] = x->type;
    x->collective->shape(x);
    return 0;
}

size_t ovl_exchange_memory(const struct ovl_exchange_plan *plan)
{
    struct ovl_exchange x;
    uint64_t mine = describe(&x, plan) == 0 ? x.send_bytes + x.recv_bytes : SIZE_MAX, most;
    MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, plan->comm);
    ovl_exchange_close(&x);
    return (size_t)most;
}

/* MPI's counts and displacements are int, in elements. */
static int check_counts(const struct ovl_exchange *x, struct ovl_error *err)
{
    size_t most = (x->send_bytes > x->recv_bytes ? x->send_bytes : x->recv_bytes) / x->element;
    if (x->size / x->element > INT_MAX)
        return ovl_error_set(err, OVL_USAGE,
                             "--message-size: %zu bytes are more than an MPI count holds; give a smaller MAX", x->size);
    if (x->collective->displaced && most > INT_MAX)
        return ovl_error_set(
            err, OVL_USAGE,
            "--message-size: with %d ranks, displacements of %zu elements do not fit MPI's int; give a smaller MAX",
            x->ranks, most);
    return 0;
}

int ovl_exchange_check(const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    struct ovl_exchange x;
    int rc = describe(&x, plan) == 0 ? check_counts(&x, err) : ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    ovl_exchange_close(&x);
    return rc;
}

/* Everything but the buffers, checked. */
static int shape_up(struct ovl_exchange *x, const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    if (describe(x, plan) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for counts and displacements of %d ranks", x->ranks);
    if (check_counts(x, err) != 0)
        return -1;
    return 0;
}

int ovl_exchange_open(struct ovl_exchange *x, const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    if (ovl_agree(plan->comm, shape_up(x, plan, err), err) != 0)
        return -1;
    if (plan->offload) {
        struct ovl_engine *e = &plan->offload->engine;
        x->offload = plan->offload;
        if (ovl_engine_alloc(e, &x->send, x->send_bytes, err) != 0 ||
            ovl_engine_alloc(e, &x->recv, x->recv_bytes, err) != 0)
            return -1;
        ovl_offload_describe(x);
        return 0;
    }
    x->send = ovl_pages(x->send_bytes);
    x->recv = ovl_pages(x->recv_bytes);
    if (!x->send || !x->recv)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for buffers of %zu bytes; give a smaller --message-size",
                             x->send_bytes + x->recv_bytes);
    return 0;
}

void ovl_exchange_init(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    x->persistent = plan->persistent;
    if (plan->persistent)
        x->collective->init(x);
}

static void give_back(struct ovl_exchange *x, void *memory)
{
    struct ovl_error err;
    if (!x->offload)
        free(memory);
    else if (ovl_client_free(&x->offload->engine.client, memory, &err) != 0)
        ovl_engine_abort(x->offload->program, &err);
}

void ovl_exchange_close(struct ovl_exchange *x)
{
    if (x->persistent && x->request != MPI_REQUEST_NULL)
        MPI_Request_free(&x->request);
    if (x->collective->neighbourhood)
        MPI_Comm_free(&x->comm);
    give_back(x, x->send);
    give_back(x, x->recv);
    free(x->send_counts);
    free(x->send_places);
    free(x->types);
    free(x->neighbours);
    memset(x, 0, sizeof *x);
}

static void prepare(struct ovl_exchange *x, enum ovl_pattern_kind kind, uint64_t key)
{
    const struct ovl_collective *c = x->collective;
    if (!c->one_buffer)
        ovl_pattern_fill(x->send, x->send_bytes, kind, key, x->rank, x->ranks);
    for (int k = 0; k < c->segments(x); k++) {
        struct ovl_segment s = c->segment(x, k);
        ovl_pattern_spoil((char *)x->recv + s.offset, s.bytes, kind, key, s.source, s.source_offset);
    }
    if (c->one_buffer && x->rank == x->root)
        ovl_pattern_fill(x->recv, x->recv_bytes, kind, key, x->rank, x->ranks);
}

static int check(const struct ovl_exchange *x, enum ovl_pattern_kind kind, uint64_t key, const char *call,
                 struct ovl_error *err)
{
    const struct ovl_collective *c = x->collective;
    for (int k = 0; k < c->segments(x); k++) {
        struct ovl_segment s = c->segment(x, k);
        struct ovl_pattern_fault fault;
        if (ovl_pattern_check((const char *)x->recv + s.offset, s.bytes, kind, key, s.source, x->ranks, s.source_offset,
                              &fault) == 0)
            continue;
        char from[32] = "the sum";
        if (kind == OVL_PATTERN_BYTES)
            snprintf(from, sizeof from, "rank %d", s.source);
        return ovl_error_set(
            err, OVL_WRONG_DATA,
            "wrong data: %s, %zu bytes, rank %d, byte %zu of the receive buffer (byte %zu of %s): %g, not %g", call,
            x->size, x->rank, s.offset + fault.position, s.source_offset + fault.position, from, fault.got,
            fault.wanted);
    }
    return 0;
}

int ovl_exchange_validate(struct ovl_exchange *x, const struct ovl_mode *mode, enum ovl_exchange_type type,
                          uint64_t key, struct ovl_error *err)
{
    enum ovl_pattern_kind kind = types[type].pattern;
    if (x->collective->segments)
        prepare(x, kind, key);
    if (mode) {
        mode->post(x);
        mode->wait(x);
    } else
        x->collective->blocking(x);
    return x->collective->segments ? check(x, kind, key, mode ? mode->name : "blocking twin", err) : 0;
}
