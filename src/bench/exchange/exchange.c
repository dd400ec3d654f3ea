/* Making, checking and freeing one exchange. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/exchange.h"
#include "base/page_alloc.h"
#include "bench/exchange/offload.h"
#include "offload/boot/agree_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collective. */
static void make_neighbourhood(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    MPI_Comm made;
    if (plan->graph)
        ovl_neighbours_graph(plan->graph, x->comm, &made);
    else
        ovl_neighbours_grid(&x->grid, x->comm, plan->dimensions, &made);
    x->comm = made;
    x->neighbours = plan->graph ? plan->graph : &x->grid;
    x->in = x->neighbours->in;
    x->out = x->neighbours->out;
}

/* Without the type of messages in blocks, which lives as long as the buffers. */
static void describe_elements(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    const struct ovl_datatype *row = ovl_datatype_row(plan->type);
    x->size = plan->size;
    x->layout = plan->layout;
    x->extent = ovl_layout_extent(&x->layout, x->size);
    x->type = row->type;
    x->element = x->layout.block > 0 ? x->size : row->bytes;
    x->count = x->element > 0 ? (int)(x->size / x->element) : 0;
    x->dtype = row->dtype;
    x->redop = plan->redop;
    x->op = ovl_redop_mpi(plan->redop);
    x->pattern = (struct ovl_pattern){plan->reduces, row->dtype, plan->redop, x->ranks, 0};
}

/* Collective: everything but the buffers. */
static void describe(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    memset(x, 0, sizeof *x);
    x->collective = plan->collective;
    x->comm = plan->comm;
    x->request = MPI_REQUEST_NULL;
    for (int i = 0; i < OVL_OTHER_REQUESTS; i++)
        x->others[i] = MPI_REQUEST_NULL;
    x->pairs = plan->pairs;
    x->root = plan->root;
    MPI_Comm_rank(x->comm, &x->rank);
    MPI_Comm_size(x->comm, &x->ranks);
    x->in = x->out = x->ranks;
    describe_elements(x, plan);
    x->in_place = plan->in_place && (!x->collective->rooted || x->rank == x->root);
    if (x->collective->neighbourhood)
        make_neighbourhood(x, plan);

    size_t n = (size_t)(x->in > x->out ? x->in : x->out);
    int *lists = ovl_alloc(4 * n, sizeof *lists);
    MPI_Aint *places = ovl_alloc(2 * n, sizeof *places);
    x->types = ovl_alloc(n, sizeof *x->types);
    x->send_counts = lists;
    x->send_places = places;
    x->send_displs = lists + n;
    x->recv_counts = lists + 2 * n;
    x->recv_displs = lists + 3 * n;
    x->recv_places = places + n;
    for (size_t p = 0; p < n; p++)
        x->types[p] = x->type;
    x->collective->shape(x);
}

/* Bytes of the buffers. In place there is but one. */
static size_t send_memory(const struct ovl_exchange *x)
{
    bool needed = !x->in_place || x->collective->in_place == OVL_IN_PLACE_KEPT;
    return needed ? ovl_layout_extent(&x->layout, x->send_bytes) : 0;
}

static size_t recv_memory(const struct ovl_exchange *x)
{
    enum ovl_in_place how = x->in_place ? x->collective->in_place : OVL_IN_PLACE_NEVER;
    size_t more = how == OVL_IN_PLACE_WHOLE && x->send_bytes > x->recv_bytes ? x->send_bytes : x->recv_bytes;
    return how == OVL_IN_PLACE_KEPT ? 0 : ovl_layout_extent(&x->layout, more);
}

size_t ovl_exchange_memory(const struct ovl_exchange_plan *plan)
{
    struct ovl_exchange x;
    describe(&x, plan);
    uint64_t mine = send_memory(&x) + recv_memory(&x), most;
    MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, plan->comm);
    ovl_exchange_close(&x);
    return (size_t)most;
}

/* MPI's counts and displacements are int, in elements. */
static int check_counts(const struct ovl_exchange *x, struct ovl_error *err)
{
    size_t more = x->send_bytes > x->recv_bytes ? x->send_bytes : x->recv_bytes;
    bool in_bytes = x->collective->displaced_in_bytes || x->layout.block > 0;
    size_t most = x->layout.block > 0 ? ovl_layout_extent(&x->layout, more) : more;
    most /= in_bytes ? 1 : x->element;
    if (x->size / x->element > INT_MAX || (x->layout.block > 0 && x->size > INT_MAX))
        return ovl_error_set(err, OVL_USAGE,
                             "--message-size: %zu bytes are more than an MPI count holds; give a smaller MAX", x->size);
    if (x->collective->displaced && most > INT_MAX)
        return ovl_error_set(
            err, OVL_USAGE,
            "--message-size: with %d ranks, displacements of %zu %s do not fit MPI's int; give a smaller MAX", x->ranks,
            most, in_bytes ? "bytes" : "elements");
    return 0;
}

int ovl_exchange_check(const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    struct ovl_exchange x;
    describe(&x, plan);
    int rc = check_counts(&x, err);
    ovl_exchange_close(&x);
    return rc;
}

/* Everything but the buffers, checked. */
static int shape_up(struct ovl_exchange *x, const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    describe(x, plan);
    return check_counts(x, err);
}

static void give_type(struct ovl_exchange *x, const struct ovl_exchange_plan *plan)
{
    x->type = ovl_layout_type(&x->layout, ovl_datatype_row(plan->type), x->size);
    for (int p = 0; p < x->in || p < x->out; p++)
        x->types[p] = x->type;
    x->derived = true;
}

/* What MPI's calls are given for the buffers. */
static void set_arguments(struct ovl_exchange *x)
{
    bool kept = x->collective->in_place == OVL_IN_PLACE_KEPT;
    x->source = x->in_place && !kept ? MPI_IN_PLACE : x->send;
    x->target = x->in_place && kept ? MPI_IN_PLACE : x->recv;
}

int ovl_exchange_open(struct ovl_exchange *x, const struct ovl_exchange_plan *plan, struct ovl_error *err)
{
    if (ovl_agree(plan->comm, shape_up(x, plan, err), err) != 0)
        return -1;
    if (x->layout.block > 0)
        give_type(x, plan);
    if (plan->offload) {
        struct ovl_engine *e = &plan->offload->engine;
        x->offload = plan->offload;
        if (ovl_engine_alloc(e, &x->send, send_memory(x), err) != 0 ||
            ovl_engine_alloc(e, &x->recv, recv_memory(x), err) != 0)
            return -1;
        set_arguments(x);
        ovl_offload_describe(x);
        return x->collective->operation ? ovl_client_check(&x->call, err) : 0;
    }
    x->send = ovl_pages(send_memory(x));
    x->recv = ovl_pages(recv_memory(x));
    set_arguments(x);
    if (!x->send || !x->recv)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for buffers of %zu bytes; give a smaller --message-size",
                             send_memory(x) + recv_memory(x));
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
    for (int i = 0; x->persistent && i < x->other_count; i++)
        MPI_Request_free(&x->others[i]);
    if (x->derived)
        MPI_Type_free(&x->type);
    if (x->collective->neighbourhood)
        MPI_Comm_free(&x->comm);
    give_back(x, x->send);
    give_back(x, x->recv);
    free(x->send_counts);
    free(x->send_places);
    free(x->types);
    ovl_neighbours_free(&x->grid);
    memset(x, 0, sizeof *x);
}
