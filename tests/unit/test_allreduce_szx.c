/* The workers' allreduce of numbers that travel compressed: to the last bit what a serial program makes of the same
   pieces, on any layout and path; and what becomes of a stream that is damaged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/gradients.h"
#include "offload/coll/packed.h"
#include "tests/fake/ep.h"
#include "tests/fake/workers.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 8 };

static struct ovl_gradients drawn; /* of no file */

/* What the rank brings: drawn; with some that are not finite, and stay what they are; or all alike. */
enum { DRAWN, NOT_FINITE, ALIKE, KINDS };

static void fill(float *x, size_t n, int rank, int kind)
{
    ovl_gradients_fill(&drawn, x, n, 0, 11, rank);
    for (size_t i = 0; i < n && kind == NOT_FINITE; i += 301)
        x[i] = rank == 0 ? INFINITY : x[i];
    for (size_t i = 0; i < n && kind == ALIKE; i++)
        x[i] = (float)rank;
}

/* Each rank's numbers in parts, which are packed, expanded and added in order; each sum is packed once. */
static void serial(const struct ovl_lossy *l, size_t n, int ranks, int kind, float *to)
{
    size_t room = 8 * n + 64 * RANKS;
    float *from = malloc((n + 1) * sizeof *from);
    double *scratch = malloc((n + 1) * sizeof *scratch);
    unsigned char *pieces[RANKS], *whole = malloc((size_t)ranks * room);
    int counts[RANKS], bytes[RANKS][RANKS], at[RANKS][RANKS], places[RANKS], sizes[RANKS];
    for (int r = 0; r < ranks; r++)
        counts[r] = (int)(n / (size_t)ranks + ((size_t)r < n % (size_t)ranks));
    for (int r = 0; r < ranks; r++) {
        fill(from, n, r, kind);
        pieces[r] = malloc(room);
        ovl_lossy_pack(l, from, counts, ranks, &(struct ovl_lossy_pieces){pieces[r], bytes[r], at[r]});
    }
    for (int r = 0; r < ranks; to += counts[r++]) {
        int end = 0;
        for (int s = 0; s < ranks; end += bytes[s++][r]) {
            memcpy(whole + end, pieces[s] + at[s][r], (size_t)bytes[s][r]);
            places[s] = end;
            sizes[s] = bytes[s][r];
        }
        ovl_lossy_add(l, &(struct ovl_lossy_pieces){whole, sizes, places}, ranks, (size_t)counts[r], scratch, to);
        ovl_lossy_pack(l, to, &counts[r], 1, &(struct ovl_lossy_pieces){whole, sizes, places});
        ovl_lossy_expand(l, whole, sizes[0], to, (size_t)counts[r]);
    }
    for (int r = 0; r < ranks; r++)
        free(pieces[r]);
    free(whole);
    free(scratch);
    free(from);
}

/* How many of n numbers come before the first that differs. */
static size_t alike(const float *got, const float *wanted, size_t n)
{
    size_t i = 0;
    while (i < n && memcmp(&got[i], &wanted[i], sizeof *got) == 0)
        i++;
    return i;
}

static const char *sum_up(struct ovl_client_ctx *h, struct ovl_team *world, size_t n, int kind)
{
    struct ovl_error e;
    struct ovl_request request;
    struct ovl_lossy l = {.compressor = &ovl_compressor_szx, .bound = kind == ALIKE ? 2 : 0.01f};
    float *send = ovl_client_alloc(h, (n + 1) * sizeof *send, &e);
    float *recv = ovl_client_alloc(h, (n + 1) * sizeof *recv, &e), *wanted = malloc((n + 1) * sizeof *wanted);
    struct ovl_coll_args call = {.operation = OVL_IALLREDUCE_SZX,
                                 .team = world,
                                 .send = send,
                                 .recv = recv,
                                 .bytes = n * sizeof *send,
                                 .payload = n * sizeof *send,
                                 .in_place = kind == NOT_FINITE,
                                 .dtype = OVL_FLOAT,
                                 .bound = l.bound};
    memset(recv, 0xee, n * sizeof *recv);
    fill(call.in_place ? recv : send, n, world->rank, kind);
    if (ovl_client_check(&call, &e) != 0 || ovl_client_post(h, &call, &request, &e) != 0 ||
        ovl_client_wait(h, &request, &e) != 0)
        return fake_wrong("%s", e.text);
    serial(&l, n, world->ranks, kind, wanted);
    size_t first = alike(recv, wanted, n);
    double got = first < n ? (double)recv[first] : 0, right = first < n ? (double)wanted[first] : 0;
    free(wanted);
    if (ovl_client_free(h, send, &e) != 0 || ovl_client_free(h, recv, &e) != 0)
        return fake_wrong("%s", e.text);
    return first == n ? NULL
                      : fake_wrong("%zu numbers of kind %d, %d ranks: rank %d has %.9g at %zu, not %.9g", n, kind,
                                   world->ranks, world->rank, got, first, right);
}

static const char *sums(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    static const size_t counts[] = {0, 1, 3, 130, 5000, 40000};
    (void)rank, (void)ranks, (void)of;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int kind = 0; kind < KINDS; kind++) {
            const char *wrong = sum_up(h, world, counts[c], kind);
            if (wrong)
                return wrong;
        }
    return NULL;
}

LOOP_TEST(sums_are_those_of_a_serial_program, 0, FAKE_LAYOUTS * 3)
{
    const struct ovl_mem_path *const paths[] = {&fake_path, &ovl_mem_path_cma, &fake_remote_path};
    struct fake_plan p = fake_plan_of(_i % FAKE_LAYOUTS, paths[_i / FAKE_LAYOUTS]);
    p.tcp = _i == TWO_NODES;
    p.slowdown = _i == FOUR_NODES ? 3 : 0;
    fake_expect_fine(&p, sums, NULL);
}

/* Of many blocks each, and some in a part. */
TEST(pieces_are_large)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &fake_path);
    p.tuning = ovl_tuning_default;
    p.tuning.piece = 16 << 10;
    fake_expect_fine(&p, sums, NULL);
}

TEST(a_bound_is_wanted)
{
    struct ovl_team team = {.ranks = 2};
    struct ovl_coll_args call = {
        .operation = OVL_IALLREDUCE_SZX, .team = &team, .bytes = 8, .dtype = OVL_FLOAT, .bound = 0.5f};
    ck_assert_int_eq(ovl_client_check(&call, &err), 0);
    call.bound = 0;
    ck_assert_int_eq(ovl_client_check(&call, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_str_eq(err.text, "iallreduce_szx: it adds up floats, with an error bound above 0");
    call.bound = NAN;
    ck_assert_int_eq(ovl_client_check(&call, &err), -1);
    call.bound = 0.5f;
    call.dtype = OVL_INT32;
    ck_assert_int_eq(ovl_client_check(&call, &err), -1);
}

/* Numbers before the damage come out as they were, and those behind it as none. */
TEST(damaged_streams)
{
    enum { N = 3000, DATA = OVL_STREAM_HEAD };
    const size_t at = DATA + (ovl_packed_most(N) + 63) / 64 * 64;
    char *memory = aligned_alloc(64, at + 64 * (N * sizeof(float) / 64 + 1));
    struct ovl_bufref data = {OVL_TEMPORARY, DATA}, numbers = {OVL_TEMPORARY, at};
    struct ovl_step pack = {.kind = OVL_STEP_PACK, .bytes = 4 * N, .rewinds = true, .from = numbers, .to = data};
    struct ovl_step expand = {.kind = OVL_STEP_EXPAND, .bytes = 4 * N, .rewinds = true, .from = data, .to = numbers};
    float *x = (float *)(void *)(memory + at), before[N];
    uint64_t length;
    fill(x, N, 0, DRAWN);
    ovl_step_packed(&pack, 0.01f, memory);
    ovl_step_packed(&expand, 0.01f, memory);
    memcpy(before, x, sizeof before);
    struct ovl_step message = {.kind = OVL_STEP_RECV, .bytes = ovl_packed_most(N), .to = data, .sized = true};
    length = ovl_packed_bytes(&message, memory);
    ck_assert(length > N && length <= ovl_packed_most(N));
    for (length /= 2;; length = 0) {
        memcpy(memory + DATA - OVL_STREAM_HEAD, &length, sizeof length);
        ovl_step_packed(&expand, 0.01f, memory);
        if (length == 0)
            break;
        ck_assert_mem_eq(x, before, 1024 * sizeof *x);
        ck_assert(isnan(x[2048]) && isnan(x[N - 1]));
    }
    for (size_t i = 0; i < N; i++)
        ck_assert(isnan(x[i]));
    length = UINT64_MAX;
    memcpy(memory + DATA - OVL_STREAM_HEAD, &length, sizeof length);
    ck_assert_uint_eq(ovl_packed_bytes(&message, memory), 0);
    ovl_step_packed(&expand, 0.01f, memory);
    ck_assert(isnan(x[0]));
    free(memory);
}
