/* Computation in rounds that fit the first cache; numbers are added in double precision, one rank after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/packed.h"
#include "kernels/compress.h"
#include "kernels/float_bits.h"

#include <math.h>
#include <string.h>

enum { ROUND = 1024 }; /* a multiple of the compressor's parts */

static const struct ovl_compressor *const by = &ovl_compressor_szx;

struct stream {
    uint64_t length, taken;
    char unused[OVL_STREAM_HEAD - 2 * sizeof(uint64_t)];
    unsigned char data[];
};

static struct stream *stream_of(char *temporary, struct ovl_bufref data)
{
    return (struct stream *)(void *)(temporary + data.offset - OVL_STREAM_HEAD);
}

size_t ovl_packed_most(size_t numbers)
{
    return by->most(numbers);
}

size_t ovl_packed_part(void)
{
    return by->part;
}

uint64_t ovl_packed_bits(float bound)
{
    return ovl_float_bits(bound);
}

float ovl_packed_bound(uint64_t bits)
{
    return ovl_float_of((uint32_t)bits);
}

size_t ovl_packed_bytes(const struct ovl_step *s, char *temporary)
{
    struct stream *stream = stream_of(temporary, s->kind == OVL_STEP_SEND ? s->from : s->to);
    if (stream->length > s->bytes)
        stream->length = 0;
    return stream->length;
}

static void put(struct stream *to, const float *x, size_t n, float bound)
{
    to->length += by->compress(x, n, bound, to->data + to->length);
}

static void take(struct stream *from, float *x, size_t n)
{
    size_t bytes = by->expand_part(from->data + from->taken, from->length - from->taken, x, n);
    for (size_t i = 0; i < n && bytes == 0; i++)
        x[i] = NAN;
    from->taken = bytes ? from->taken + bytes : from->length;
}

static void put_sums(struct stream *to, const double *sums, size_t n, float bound)
{
    float x[ROUND];
    for (size_t i = 0; i < n; i++)
        x[i] = (float)sums[i];
    put(to, x, n, bound);
}

static void add(struct stream *from, double *sums, size_t n)
{
    float x[ROUND];
    take(from, x, n);
    for (size_t i = 0; i < n; i++)
        sums[i] += (double)x[i];
}

void ovl_step_packed(const struct ovl_step *s, float bound, char *temporary)
{
    bool packs = s->kind == OVL_STEP_PACK || s->kind == OVL_STEP_PACK_SUMS;
    struct stream *stream = stream_of(temporary, packs ? s->to : s->from);
    void *numbers = temporary + (packs ? s->from : s->to).offset;
    float *single = numbers;
    double *sums = numbers;
    size_t n = s->bytes / sizeof *single;
    if (s->rewinds && packs)
        stream->length = 0;
    if (s->rewinds)
        stream->taken = 0;
    if (s->clears)
        memset(sums, 0, n * sizeof *sums);
    for (size_t i = 0, now; i < n; i += now) {
        now = n - i < ROUND ? n - i : ROUND;
        switch (s->kind) {
        case OVL_STEP_PACK:
            put(stream, single + i, now, bound);
            break;
        case OVL_STEP_PACK_SUMS:
            put_sums(stream, sums + i, now, bound);
            break;
        case OVL_STEP_ADD:
            add(stream, sums + i, now);
            break;
        default:
            take(stream, single + i, now);
        }
    }
}
