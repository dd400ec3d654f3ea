/* The stages of each allreduce; where one is found to have ended, the following one begins. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/lossy_allreduce.h"
#include "base/clock.h"
#include "bench/exchange/offload.h"
#include "offload/boot/engine_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 64 };

/* No MPI call. */
static const struct ovl_collective carried = {.name = "iallreduce_szx", .operation = OVL_IALLREDUCE_SZX};

static const struct ovl_collective *const rows[OVL_LOSSY_STAGES] = {
    [OVL_LOSSY_SIZES] = &ovl_coll_ialltoall,      [OVL_LOSSY_PIECES] = &ovl_coll_ialltoallv,
    [OVL_LOSSY_SUM_SIZES] = &ovl_coll_iallgather, [OVL_LOSSY_SUMS] = &ovl_coll_iallgatherv,
    [OVL_LOSSY_HALVES] = &ovl_coll_allreduce,     [OVL_LOSSY_CARRIED] = &carried,
};

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* Values of the largest piece. */
static size_t largest(size_t n, int ranks)
{
    return (n + (size_t)ranks - 1) / (size_t)ranks;
}

/* Of all pieces together: none is larger than the largest. */
static size_t packed_room(const struct ovl_lossy *l, size_t n, int ranks)
{
    return aligned((size_t)ranks * l->compressor->most(largest(n, ranks)));
}

size_t ovl_lossy_allreduce_bytes(const struct ovl_lossy *l, size_t n, int ranks)
{
    if (l->halves)
        return 2 * aligned(n * l->halves->bytes);
    return 3 * packed_room(l, n, ranks) + aligned(l->compressor->most(largest(n, ranks))) +
           4 * aligned(((size_t)ranks + 1) * sizeof(int64_t));
}

static void *carve(char **memory, size_t bytes)
{
    void *from = *memory;
    *memory += aligned(bytes);
    return from;
}

/* What an operation has all its time; counts and bytes come with each post. */
static struct ovl_exchange op_of(const struct ovl_exchange *whole, enum ovl_lossy_stage stage, void *send, void *recv,
                                 int *lists)
{
    bool sizes = stage == OVL_LOSSY_SIZES || stage == OVL_LOSSY_SUM_SIZES;
    size_t ranks = (size_t)whole->ranks, bytes = sizes ? sizeof(int64_t) : whole->size / ranks + 1;
    return (struct ovl_exchange){
        .collective = rows[stage],
        .comm = whole->comm,
        .rank = whole->rank,
        .ranks = whole->ranks,
        .in = whole->ranks,
        .out = whole->ranks,
        .count = 1,
        .type = sizes ? MPI_INT64_T : MPI_BYTE,
        .element = sizes ? sizeof(int64_t) : 1,
        .dtype = sizes ? OVL_INT64 : OVL_INT8,
        .size = bytes, /* the same at all ranks: an algorithm is chosen by it */
        .send_bytes = bytes,
        .recv_bytes = ranks * bytes,
        .send = send,
        .recv = recv,
        .source = send,
        .target = recv,
        .send_counts = lists,
        .send_displs = lists + ranks,
        .recv_counts = lists + 2 * ranks,
        .recv_displs = lists + 3 * ranks,
        .to = MPI_PROC_NULL,
        .from = MPI_PROC_NULL,
        .request = MPI_REQUEST_NULL,
        .offload = whole->offload,
    };
}

static void open_halves(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q, char *at)
{
    const struct ovl_number *row = s->lossy.halves;
    struct ovl_exchange *x = &q->op[OVL_LOSSY_HALVES];
    size_t bytes = (size_t)q->whole->count * row->bytes;
    q->packed = carve(&at, bytes);
    q->arrived = carve(&at, bytes);
    *x = *q->whole;
    x->collective = rows[OVL_LOSSY_HALVES];
    x->type = s->type;
    x->op = s->sum;
    x->element = row->bytes;
    x->dtype = row->dtype;
    x->redop = OVL_SUM;
    x->size = x->extent = x->send_bytes = x->recv_bytes = bytes;
    x->source = x->send = q->packed;
    x->target = x->recv = q->arrived;
}

static void open_pieces(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q, char *at)
{
    const struct ovl_exchange *whole = q->whole;
    size_t ranks = (size_t)whole->ranks, n = (size_t)whole->count, each = largest(n, whole->ranks);
    q->packed = carve(&at, packed_room(&s->lossy, n, whole->ranks));
    q->arrived = carve(&at, packed_room(&s->lossy, n, whole->ranks));
    q->sums = carve(&at, packed_room(&s->lossy, n, whole->ranks));
    q->packed_sum = carve(&at, s->lossy.compressor->most(each));
    q->sizes = carve(&at, ranks * sizeof(int64_t));
    q->sizes_in = carve(&at, ranks * sizeof(int64_t));
    q->sum_sizes = carve(&at, (ranks + 1) * sizeof(int64_t));
    q->counts = ovl_check_alloc(calloc(OVL_LOSSY_LISTS * ranks, sizeof *q->counts));
    q->lists = q->counts + ranks;
    q->scratch = ovl_check_alloc(malloc((each + 1) * sizeof *q->scratch));
    q->sum = ovl_check_alloc(malloc((each + 1) * sizeof *q->sum));
    for (size_t r = 0; r < ranks; r++)
        q->counts[r] = (int)(n / ranks + (r < n % ranks));
    q->op[OVL_LOSSY_SIZES] = op_of(whole, OVL_LOSSY_SIZES, q->sizes, q->sizes_in, q->lists);
    q->op[OVL_LOSSY_PIECES] = op_of(whole, OVL_LOSSY_PIECES, q->packed, q->arrived, q->lists);
    q->op[OVL_LOSSY_SUM_SIZES] =
        op_of(whole, OVL_LOSSY_SUM_SIZES, q->sum_sizes, q->sum_sizes + 1, q->lists + 4 * ranks);
    q->op[OVL_LOSSY_SUMS] = op_of(whole, OVL_LOSSY_SUMS, q->packed_sum, q->sums, q->lists + 4 * ranks);
    struct ovl_exchange *x = &q->op[OVL_LOSSY_CARRIED];
    *x = *whole;
    x->collective = rows[OVL_LOSSY_CARRIED];
    x->dtype = OVL_FLOAT;
    x->redop = OVL_SUM;
}

void ovl_lossy_allreduce_open(struct ovl_lossy_allreduces *s, int id, const struct ovl_exchange *whole,
                              MPI_Comm channel, void *memory)
{
    struct ovl_lossy_allreduce *q = &s->list[id];
    *q = (struct ovl_lossy_allreduce){.whole = whole};
    if (s->lossy.halves)
        open_halves(s, q, memory);
    else
        open_pieces(s, q, memory);
    for (int k = 0; k < OVL_LOSSY_STAGES && channel != MPI_COMM_NULL; k++)
        q->op[k].comm = channel;
}

void ovl_lossy_allreduce_close(struct ovl_lossy_allreduces *s)
{
    for (int id = 0; id < s->count; id++) {
        free(s->list[id].counts);
        free(s->list[id].scratch);
        free(s->list[id].sum);
    }
    free(s->list);
    free(s->under_way);
    s->list = NULL;
    s->under_way = NULL;
    s->count = 0;
}

/* Begins the operation of the present stage, or does it where there is no mode. */
static void launch(const struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q, const struct ovl_mode *mode)
{
    struct ovl_exchange *x = &q->op[q->stage];
    if (!mode) {
        x->collective->blocking(x);
        return;
    }
    if (x->offload) { /* what is small goes by MPI, and so do its stages, which are smaller */
        ovl_offload_describe(x);
        x->call.team = q->whole->call.team;
        x->call.bound = s->lossy.bound;
    }
    mode->post(x);
}

/* Of bytes that come from each rank: their places, and how many there are. Sizes that no piece has came damaged, and
   there is no room for what they announce. */
static size_t place(const struct ovl_lossy_allreduces *s, const struct ovl_lossy_allreduce *q, const int64_t *sizes,
                    int ranks, int *counts, int *displs)
{
    size_t bytes = 0, most = s->lossy.compressor->most((size_t)q->counts[0]);
    for (int r = 0; r < ranks; r++) {
        struct ovl_error err;
        if (sizes[r] < 0 || (uint64_t)sizes[r] > most) {
            ovl_error_set(&err, OVL_WRONG_DATA,
                          "wrong data: rank %d announces a compressed piece of %lld bytes, and it has %zu at most", r,
                          (long long)sizes[r], most);
            ovl_engine_abort("ovl_train", &err);
        }
        displs[r] = (int)bytes;
        counts[r] = (int)sizes[r];
        bytes += (size_t)sizes[r];
    }
    return bytes;
}

static void pack_halves(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q)
{
    const struct ovl_exchange *whole = q->whole;
    double sent = 2.0 * (double)whole->size * (whole->ranks - 1) / whole->ranks;
    int64_t begin = ovl_clock_ns();
    ovl_lossy_to_means(&s->lossy, whole->send, (size_t)whole->count, whole->ranks, q->packed);
    s->cost.pack_seconds += ovl_clock_since(begin);
    s->cost.raw_bytes += (double)whole->size;
    s->cost.sent_raw_bytes += sent;
    s->cost.sent_packed_bytes += sent / (double)whole->element * (double)s->lossy.halves->bytes;
    q->stage = OVL_LOSSY_HALVES;
}

/* Do workers carry all of it? */
static bool is_carried(const struct ovl_lossy_allreduce *q, const struct ovl_mode *mode)
{
    const struct ovl_offload *offload = q->whole->offload;
    return mode && mode->offloads && offload && q->whole->size >= offload->least;
}

/* What a rank does before the first operation. */
static void pack(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q, const struct ovl_mode *mode)
{
    if (s->lossy.halves) {
        pack_halves(s, q);
        return;
    }
    if (is_carried(q, mode)) {
        q->stage = OVL_LOSSY_CARRIED;
        return;
    }
    q->stage = OVL_LOSSY_SIZES;
    struct ovl_exchange *x = &q->op[OVL_LOSSY_PIECES];
    int64_t begin = ovl_clock_ns();
    x->send_bytes = ovl_lossy_pack(&s->lossy, q->whole->send, q->counts, x->ranks,
                                   &(struct ovl_lossy_pieces){q->packed, x->send_counts, x->send_displs});
    s->cost.pack_seconds += ovl_clock_since(begin);
    s->cost.raw_bytes += (double)q->whole->size;
    s->cost.sent_raw_bytes += (double)q->whole->size - (double)((size_t)q->counts[x->rank] * sizeof(float));
    s->cost.sent_packed_bytes += (double)x->send_bytes - x->send_counts[x->rank];
    for (int r = 0; r < x->ranks; r++)
        q->sizes[r] = x->send_counts[r];
}

/* This rank's piece of the sum, compressed. */
static void add(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q)
{
    struct ovl_exchange *x = &q->op[OVL_LOSSY_PIECES];
    size_t n = (size_t)q->counts[x->rank];
    int at;
    int64_t begin = ovl_clock_ns();
    ovl_lossy_add(&s->lossy, &(struct ovl_lossy_pieces){q->arrived, x->recv_counts, x->recv_displs}, x->ranks, n,
                  q->scratch, q->sum);
    s->cost.expand_seconds += ovl_clock_since(begin);
    s->cost.expanded_bytes += (double)(n * sizeof(float)) * x->ranks;
    begin = ovl_clock_ns();
    x = &q->op[OVL_LOSSY_SUMS];
    x->send_bytes = ovl_lossy_pack(&s->lossy, q->sum, &q->counts[x->rank], 1,
                                   &(struct ovl_lossy_pieces){q->packed_sum, &x->count, &at});
    s->cost.pack_seconds += ovl_clock_since(begin);
    s->cost.raw_bytes += (double)(n * sizeof(float));
    s->cost.sent_raw_bytes += (double)(n * sizeof(float)) * (x->ranks - 1);
    s->cost.sent_packed_bytes += (double)x->count * (x->ranks - 1);
    q->sum_sizes[0] = x->count;
}

static void spread(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q)
{
    const struct ovl_exchange *x = &q->op[OVL_LOSSY_SUMS];
    float *to = q->whole->recv;
    int64_t begin = ovl_clock_ns();
    for (int r = 0; r < x->ranks; to += q->counts[r++])
        ovl_lossy_expand(&s->lossy, q->sums + x->recv_displs[r], x->recv_counts[r], to, (size_t)q->counts[r]);
    s->cost.expand_seconds += ovl_clock_since(begin);
    s->cost.expanded_bytes += (double)q->whole->size;
}

static void take_halves(struct ovl_lossy_allreduces *s, const struct ovl_lossy_allreduce *q)
{
    int64_t begin = ovl_clock_ns();
    ovl_lossy_of_means(&s->lossy, q->arrived, (size_t)q->whole->count, q->whole->ranks, q->whole->recv);
    s->cost.expand_seconds += ovl_clock_since(begin);
    s->cost.expanded_bytes += (double)q->whole->size;
}

/* The operation of the present stage has ended: what follows from it, and the next one. */
static void next_stage(struct ovl_lossy_allreduces *s, struct ovl_lossy_allreduce *q, const struct ovl_mode *mode)
{
    struct ovl_exchange *x = &q->op[q->stage + (q->stage < OVL_LOSSY_SUMS)];
    switch (q->stage) {
    case OVL_LOSSY_SIZES:
        x->recv_bytes = place(s, q, q->sizes_in, x->ranks, x->recv_counts, x->recv_displs);
        break;
    case OVL_LOSSY_PIECES:
        add(s, q);
        break;
    case OVL_LOSSY_SUM_SIZES:
        x->recv_bytes = place(s, q, q->sum_sizes + 1, x->ranks, x->recv_counts, x->recv_displs);
        break;
    default:
        if (s->lossy.halves)
            take_halves(s, q);
        else if (q->stage != OVL_LOSSY_CARRIED)
            spread(s, q);
        q->under_way = false;
        return;
    }
    q->stage++;
    launch(s, q, mode);
}

void ovl_lossy_allreduces_progress(struct ovl_lossy_allreduces *s, const struct ovl_mode *mode)
{
    int left = 0;
    for (int i = 0; i < s->waiting; i++) {
        struct ovl_lossy_allreduce *q = &s->list[s->under_way[i]];
        while (q->under_way && mode->test(&q->op[q->stage]))
            next_stage(s, q, mode);
        s->under_way[left] = s->under_way[i];
        left += q->under_way;
    }
    s->waiting = left;
}

void ovl_lossy_allreduce_post(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode)
{
    struct ovl_lossy_allreduce *q = &s->list[id];
    ovl_lossy_allreduces_progress(s, mode);
    pack(s, q, mode);
    q->under_way = true;
    s->under_way[s->waiting++] = id;
    launch(s, q, mode);
}

bool ovl_lossy_allreduce_test(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode)
{
    ovl_lossy_allreduces_progress(s, mode);
    return !s->list[id].under_way;
}

void ovl_lossy_allreduce_wait(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode)
{
    struct ovl_lossy_allreduce *q = &s->list[id];
    ovl_lossy_allreduces_progress(s, mode);
    while (q->under_way) {
        mode->wait(&q->op[q->stage]);
        next_stage(s, q, mode);
        ovl_lossy_allreduces_progress(s, mode);
    }
}

void ovl_lossy_allreduce_blocking(struct ovl_lossy_allreduces *s, int id)
{
    struct ovl_lossy_allreduce *q = &s->list[id];
    pack(s, q, NULL);
    for (q->under_way = true, launch(s, q, NULL); q->under_way;)
        next_stage(s, q, NULL);
}

void ovl_lossy_allreduces_measure(struct ovl_lossy_allreduces *s)
{
    bool none = s->lossy.compressor && s->cost.raw_bytes == 0;
    for (int id = 0; id < s->count && none; id++)
        ovl_lossy_allreduce_blocking(s, id);
}
