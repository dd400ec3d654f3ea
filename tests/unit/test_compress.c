/* Compression of gradients: no value is off by more than was asked for, what is not finite stays, whatever the numbers
 * are; and bytes that are none are refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "kernels/compress.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700 };

/* Kinds of data. */
enum { NOISE, SMOOTH, EQUAL, WIDE, TINY, MIXED, HOLES, KINDS };

static double uniform(struct ovl_rng *rng)
{
    return (double)(ovl_rng_next(rng) >> 11) * 0x1p-53;
}

static void fill(float *x, size_t n, int kind, struct ovl_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        double u = 2 * uniform(rng) - 1;
        x[i] = kind == NOISE    ? (float)u
               : kind == SMOOTH ? (float)(100 + sin((double)i / 200))
               : kind == EQUAL  ? 3.25f
               : kind == WIDE   ? (float)ldexp(u, (int)ovl_rng_below(rng, 250) - 125)
               : kind == TINY   ? (float)ldexp(u, -140)
                                : (float)(i % 200 < 100 ? u * 1e30 : u);
        if (kind == HOLES && i % 97 == 5)
            x[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
    }
}

/* There and back in memory that is no larger than it has to be. Returns the bytes. */
static size_t there_and_back(const struct ovl_compressor *c, const float *x, size_t n, float bound, float *y)
{
    unsigned char *room = malloc(c->most(n) + !n);
    size_t bytes = c->compress(x, n, bound, room);
    ck_assert_uint_le(bytes, c->most(n));
    unsigned char *exact = malloc(bytes + !bytes);
    memcpy(exact, room, bytes);
    ck_assert_int_eq(c->expand(exact, bytes, y, n), 0);
    free(exact);
    free(room);
    return bytes;
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

LOOP_TEST(no_value_is_off_by_more, 0, KINDS)
{
    static const float bounds[] = {1e-30f, 1e-6f, 1e-3f, 0.1f, 0.5f, 1e3f, 1e28f};
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)_i);
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (size_t n = 0; n < MOST; n += n < 260 ? 1 : 97) {
            float *x = malloc(n * sizeof *x + !n), *y = malloc(n * sizeof *y + !n);
            fill(x, n, _i, &rng);
            there_and_back(&ovl_compressor_szx, x, n, bounds[b], y);
            for (size_t i = 0; i < n; i++)
                ck_assert_msg(same_bits(x[i], y[i]) || fabs((double)x[i] - y[i]) <= bounds[b],
                              "%g became %g, with %g allowed", (double)x[i], (double)y[i], (double)bounds[b]);
            free(x);
            free(y);
        }
}

/* As many bits as the bound asks for, and no more: noise of 1 with a bound of 2^-10 needs 19 or 20 bits of 32. */
TEST(it_does_compress)
{
    static float x[1 << 16], y[1 << 16];
    enum { N = sizeof x / sizeof *x };
    struct ovl_rng rng = ovl_rng_seeded(7);
    fill(x, N, NOISE, &rng);
    ck_assert_uint_le(there_and_back(&ovl_compressor_szx, x, N, 0x1p-10f, y), N * 4 * 24 / 32);
    ck_assert_uint_ge(there_and_back(&ovl_compressor_szx, x, N, 0x1p-10f, y), N * 4 * 12 / 32);
    fill(x, N, SMOOTH, &rng);
    ck_assert_uint_le(there_and_back(&ovl_compressor_szx, x, N, 1.0f, y), N / 128 * 5);
    ck_assert_uint_le(there_and_back(&ovl_compressor_szx, x, N, 1e-3f, y), N * 2);
}

LOOP_TEST(what_is_none_is_refused, 0, KINDS)
{
    struct ovl_rng rng = ovl_rng_seeded((uint64_t)_i + 100);
    enum { N = 300 };
    float x[N], y[N];
    fill(x, N, _i, &rng);
    unsigned char *room = malloc(ovl_compressor_szx.most(N));
    size_t bytes = ovl_compressor_szx.compress(x, N, 1e-3f, room);
    for (size_t n = 0; n < bytes; n++) { /* cut short */
        unsigned char *part = malloc(n + !n);
        memcpy(part, room, n);
        ck_assert_int_eq(ovl_compressor_szx.expand(part, n, y, N), -1);
        free(part);
    }
    unsigned char *longer = malloc(bytes + 1);
    memcpy(longer, room, bytes);
    longer[bytes] = 0;
    ck_assert_int_eq(ovl_compressor_szx.expand(longer, bytes + 1, y, N), -1);
    for (int turn = 0; turn < 2000; turn++) { /* damaged: any answer, within its memory */
        memcpy(longer, room, bytes);
        for (int k = 0; k < 3; k++)
            longer[ovl_rng_below(&rng, (uint32_t)bytes)] = (unsigned char)ovl_rng_next(&rng);
        float *exact = malloc(sizeof y);
        ovl_compressor_szx.expand(longer, bytes, exact, N);
        free(exact);
    }
    free(longer);
    free(room);
}
