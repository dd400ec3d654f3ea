/* Samples follow from a key, so that whoever checks a batch makes it again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/batch.h"
#include "base/checksum.h"
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { PIXEL = 3, SPOT = 16 };

size_t ovl_batch_side(size_t bytes)
{
    size_t side = (size_t)sqrt((double)bytes / PIXEL);
    while (side * side * PIXEL > bytes)
        side--;
    while ((side + 1) * (side + 1) * PIXEL <= bytes)
        side++;
    return side;
}

static uint64_t key_of(const struct ovl_batch *b, size_t sample)
{
    return ovl_rng_mix(b->source ^ ovl_rng_mix(b->first + sample));
}

/* A sample as it is loaded: the same in each epoch, cropped and flipped otherwise. */
static void load_sample(const struct ovl_batch *b, size_t sample, uint8_t *raw)
{
    uint64_t key = key_of(b, sample), word;
    size_t i = 0;
    for (; (i + 1) * sizeof word <= b->bytes; i++) {
        word = ovl_rng_mix(key + i);
        memcpy(raw + i * sizeof word, &word, sizeof word);
    }
    word = ovl_rng_mix(key + i);
    memcpy(raw + i * sizeof word, &word, b->bytes - i * sizeof word);
}

void ovl_batch_draw(const struct ovl_batch *b, size_t sample, int *down, int *right, int *flipped)
{
    const uint32_t places = 2 * OVL_BATCH_PADDING + 1;
    uint64_t drawn = ovl_rng_mix(key_of(b, sample) ^ ovl_rng_mix(b->epoch + 1));
    *down = (int)((drawn & 0xffff) * places >> 16);
    *right = (int)((drawn >> 16 & 0xffff) * places >> 16);
    *flipped = (int)(drawn >> 32 & 1);
}

/* Exact in single precision. */
static inline float normal(uint8_t value)
{
    return (float)((int)value - 128) / 64;
}

static void write_row(const uint8_t *row, size_t side, int shift, int flipped, float *to)
{
    for (size_t x = 0; x < side; x++) {
        ptrdiff_t from = (ptrdiff_t)x + shift;
        float *at = to + PIXEL * (flipped ? side - 1 - x : x);
        bool outside = !row || from < 0 || from >= (ptrdiff_t)side;
        for (int c = 0; c < PIXEL; c++)
            at[c] = normal(outside ? 0 : row[PIXEL * from + c]);
    }
}

void ovl_batch_make(const struct ovl_batch *b, size_t sample, uint8_t *raw, float *data)
{
    size_t side = ovl_batch_side(b->bytes);
    float *to = data + sample * b->bytes;
    int down, right, flipped;
    load_sample(b, sample, raw);
    ovl_batch_draw(b, sample, &down, &right, &flipped);
    for (size_t y = 0; y < side; y++) {
        ptrdiff_t from = (ptrdiff_t)y + down - OVL_BATCH_PADDING;
        bool outside = from < 0 || from >= (ptrdiff_t)side;
        write_row(outside ? NULL : raw + (size_t)from * side * PIXEL, side, right - OVL_BATCH_PADDING, flipped,
                  to + y * side * PIXEL);
    }
    for (size_t i = side * side * PIXEL; i < b->bytes; i++)
        to[i] = normal(raw[i]);
}

uint32_t ovl_batch_crc(const struct ovl_batch *b, size_t from, size_t to, const float *data)
{
    return ovl_checksum_crc32(0, data + from * b->bytes, (to - from) * b->bytes * sizeof *data);
}

uint32_t ovl_batch_spots(const struct ovl_batch *b, size_t from, size_t to, const float *data)
{
    size_t line = b->bytes < SPOT ? b->bytes : SPOT;
    uint32_t crc = 0;
    for (size_t s = from; s < to; s++) {
        uint64_t at = ovl_rng_mix(~key_of(b, s) ^ ovl_rng_mix(b->epoch + 1)) % (b->bytes / line);
        crc = ovl_checksum_crc32(crc, data + s * b->bytes + at * line, line * sizeof *data);
    }
    return crc;
}

uint32_t ovl_validation_answer(const uint32_t *weights, size_t words, uint32_t slice, uint32_t slices, uint64_t key)
{
    size_t from = words * slice / slices, to = words * (slice + 1) / slices;
    uint32_t sum = 0, drawn = (uint32_t)ovl_rng_mix(key);
    for (size_t i = from; i < to; i++)
        sum += weights[i] * (((uint32_t)i * 0x9e3779b1u + drawn) | 1);
    return sum;
}
