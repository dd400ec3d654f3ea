/* Validation: an exchange on data that any rank can tell, and what came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/rng.h"
#include "bench/exchange/exchange.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned char gap = 0xa5; /* between blocks of a receive buffer */

/* The data of the buffers in one piece: the buffers themselves, or copies where messages lie in blocks. */
struct data {
    char *send, *recv;
    bool copied;
};

static int open_data(struct data *d, const struct ovl_exchange *x)
{
    *d = (struct data){x->send, x->recv, x->layout.block > 0};
    if (!d->copied)
        return 0;
    d->send = malloc(x->send_bytes + 1);
    d->recv = malloc(x->recv_bytes + 1);
    return d->send && d->recv ? 0 : -1;
}

static void close_data(const struct data *d)
{
    if (!d->copied)
        return;
    free(d->send);
    free(d->recv);
}

/* Where this rank's own data stand. */
static char *own(const struct ovl_exchange *x, const struct data *d)
{
    bool one = x->collective->one_buffer;
    enum ovl_in_place how = x->in_place ? x->collective->in_place : one ? OVL_IN_PLACE_WHOLE : OVL_IN_PLACE_NEVER;
    return how == OVL_IN_PLACE_WHOLE  ? d->recv
           : how == OVL_IN_PLACE_PART ? d->recv + (size_t)x->rank * x->size
                                      : d->send;
}

static void prepare(struct ovl_exchange *x, const struct data *d)
{
    const struct ovl_collective *c = x->collective;
    for (int k = 0; k < c->segments(x) && x->target != MPI_IN_PLACE; k++) {
        struct ovl_segment s = c->segment(x, k);
        ovl_pattern_spoil(d->recv + s.offset, s.bytes, x->pattern, s.source, s.source_offset);
    }
    if (!c->one_buffer)
        ovl_pattern_fill(own(x, d), x->send_bytes, x->pattern, x->rank);
    else if (x->rank == x->root)
        ovl_pattern_fill(own(x, d), x->recv_bytes, x->pattern, x->rank);
    if (!d->copied)
        return;
    if (x->source != MPI_IN_PLACE)
        ovl_layout_spread(&x->layout, x->send, d->send, x->send_bytes);
    if (x->target != MPI_IN_PLACE) {
        ovl_layout_fill_gaps(&x->layout, x->recv, gap, x->recv_bytes);
        ovl_layout_spread(&x->layout, x->recv, d->recv, x->recv_bytes);
    }
}

/* From `at` of segment `s` on. */
static int check_part(const struct ovl_exchange *x, const struct data *d, const struct ovl_segment *s, size_t at,
                      size_t bytes, const char *call, struct ovl_error *err)
{
    struct ovl_pattern_fault fault;
    if (ovl_pattern_check(d->recv + s->offset + at, bytes, x->pattern, s->source, s->source_offset + at, &fault) == 0)
        return 0;
    char from[32] = "the result";
    if (!x->pattern.numbers)
        snprintf(from, sizeof from, "rank %d", s->source);
    return ovl_error_set(
        err, OVL_WRONG_DATA,
        "wrong data: %s, %zu bytes, rank %d, byte %zu of the receive buffer (byte %zu of %s): %g, not %g", call,
        x->size, x->rank, s->offset + at + fault.position, s->source_offset + at + fault.position, from, fault.got,
        fault.wanted);
}

/* Data that come in order, behind the call that said that they were there, would be in place before one that reads all
   of them gets to the end: so a piece of each page first, the last one first. */
static int glance(const struct ovl_exchange *x, const struct data *d, const char *call, struct ovl_error *err)
{
    enum { PAGE = 4096, PIECE = 64 };
    for (int k = x->collective->segments(x); k-- > 0;) {
        struct ovl_segment s = x->collective->segment(x, k);
        size_t pieces = s.bytes / PIECE;
        for (size_t p = pieces; p > 0; p = p > PAGE / PIECE ? p - PAGE / PIECE : 0)
            if (check_part(x, d, &s, (p - 1) * PIECE, PIECE, call, err) != 0)
                return -1;
    }
    return 0;
}

/* Nobody writes between the blocks. */
static int check_gaps(const struct ovl_exchange *x, const char *call, struct ovl_error *err)
{
    size_t at = ovl_layout_find_in_gaps(&x->layout, x->recv, gap, x->recv_bytes);
    if (at == SIZE_MAX)
        return 0;
    return ovl_error_set(
        err, OVL_WRONG_DATA,
        "wrong data: %s, %zu bytes, rank %d, byte %zu of the receive buffer, which is between blocks of "
        "the message: %u, not %u",
        call, x->size, x->rank, at, ((const unsigned char *)x->recv)[at], gap);
}

static int check(const struct ovl_exchange *x, const struct data *d, const char *call, struct ovl_error *err)
{
    const struct ovl_collective *c = x->collective;
    if (x->target == MPI_IN_PLACE)
        return 0;
    if (d->copied) {
        if (check_gaps(x, call, err) != 0)
            return -1;
        ovl_layout_pack(&x->layout, d->recv, x->recv, x->recv_bytes);
    } else if (glance(x, d, call, err) != 0)
        return -1;
    for (int k = 0; k < c->segments(x); k++) {
        struct ovl_segment s = c->segment(x, k);
        if (check_part(x, d, &s, 0, s.bytes, call, err) != 0)
            return -1;
    }
    return 0;
}

bool ovl_exchange_checks(const struct ovl_collective *collective)
{
    return collective->segments || collective->synchronises;
}

/* As a sample runs it. */
static void perform(struct ovl_exchange *x, const struct ovl_exchange_way *way)
{
    uint64_t pieces = way->tests + 1, piece = way->units / pieces, longer = way->units % pieces;
    bool complete = false;
    if (!way->mode) {
        x->collective->blocking(x);
        return;
    }
    way->mode->post(x);
    for (uint64_t p = 0; p < pieces && way->compute; p++) {
        way->compute(way->stage, piece + (p < longer));
        complete = complete || (p < way->tests && way->mode->test(x));
    }
    way->mode->wait(x);
}

static const char *name_of(const struct ovl_exchange_way *way)
{
    return way->mode ? way->mode->name : "blocking twin";
}

enum { HERE, OUT }; /* tags: a rank is about to begin, and has ended */

/* At the late rank: all others have begun, or are about to. Who ends within LATE_NS, after as much work as they have,
   did so without this rank, whose looking is all that it needs to be told: no clocks are compared. Returns one of them,
   or -1. */
static int ended_early(const struct ovl_exchange *x, const struct ovl_exchange_way *way)
{
    const int64_t late_ns = 20000000;
    MPI_Status status;
    int early = 0;
    for (int r = 0; r < x->ranks; r++)
        if (r != x->rank)
            MPI_Recv(NULL, 0, MPI_BYTE, r, HERE, x->comm, MPI_STATUS_IGNORE);
    if (way->compute)
        way->compute(way->stage, way->units);
    for (int64_t until = ovl_clock_ns() + late_ns; !early && ovl_clock_ns() < until; sched_yield())
        MPI_Iprobe(MPI_ANY_SOURCE, OUT, x->comm, &early, &status);
    return early ? status.MPI_SOURCE : -1;
}

/* Nobody may end before the late rank has begun. Returns who did, known at the late rank, or -1. */
static int ended_before(struct ovl_exchange *x, const struct ovl_exchange_way *way, int late)
{
    int early = -1;
    if (x->rank == late)
        early = ended_early(x, way);
    else
        MPI_Send(NULL, 0, MPI_BYTE, late, HERE, x->comm);
    perform(x, way);
    if (x->rank != late)
        MPI_Send(NULL, 0, MPI_BYTE, late, OUT, x->comm);
    for (int r = 0; r < x->ranks && x->rank == late; r++)
        if (r != late)
            MPI_Recv(NULL, 0, MPI_BYTE, r, OUT, x->comm, MPI_STATUS_IGNORE);
    return early;
}

/* Of few ranks each comes late once; of many the first, the last, and some that follow from the key, since each takes
   LATE_NS. */
static int late_rounds(int ranks)
{
    int rounds = 2;
    for (int n = ranks; n > 1; n /= 2)
        rounds++;
    return ranks <= OVL_EXCHANGE_FEW ? ranks : rounds;
}

static int late_rank(int ranks, int round, uint64_t key)
{
    if (ranks <= OVL_EXCHANGE_FEW || round == 0)
        return round;
    return round == 1 ? ranks - 1 : (int)(ovl_rng_mix(key + (uint64_t)round) % (uint64_t)ranks);
}

static int check_synchronised(struct ovl_exchange *x, const struct ovl_exchange_way *way, uint64_t key,
                              struct ovl_error *err)
{
    int rc = 0;
    for (int i = 0; i < late_rounds(x->ranks); i++) {
        int late = late_rank(x->ranks, i, key), early = ended_before(x, way, late);
        if (early >= 0 && rc == 0)
            rc = ovl_error_set(err, OVL_WRONG_DATA, "no barrier: %s, rank %d ended it before rank %d began",
                               name_of(way), early, late);
    }
    return rc;
}

int ovl_exchange_validate(struct ovl_exchange *x, const struct ovl_exchange_way *way, uint64_t key,
                          struct ovl_error *err)
{
    struct data d;
    if (x->collective->synchronises)
        return check_synchronised(x, way, key, err);
    int rc = open_data(&d, x);
    bool checked = x->collective->segments && rc == 0;
    x->pattern.key = key;
    if (checked)
        prepare(x, &d);
    perform(x, way);
    if (rc != 0)
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory to check %zu bytes", x->send_bytes + x->recv_bytes);
    else if (checked)
        rc = check(x, &d, name_of(way), err);
    close_data(&d);
    return rc;
}

int ovl_exchange_look(const struct ovl_exchange *x, struct ovl_error *err)
{
    struct data d;
    bool replaced = x->in_place && x->collective->in_place == OVL_IN_PLACE_WHOLE;
    if (!x->collective->segments || replaced)
        return 0;
    int rc = open_data(&d, x) == 0 ? check(x, &d, "after a sample", err)
                                   : ovl_error_set(err, OVL_ENVIRONMENT, "no memory to check %zu bytes", x->recv_bytes);
    close_data(&d);
    return rc;
}
