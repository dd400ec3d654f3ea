/* Blocks of 128 values: one number where all of a block are within the bound of it, else as many leading bits of each
 * value's distance from the middle as the bound needs, without the leading bytes that it shares with the one before.
 * X. Yu, S. Di, K. Zhao, J. Tian, D. Tao, X. Liang, F. Cappello, "Ultrafast Error-Bounded Lossy Compression for
 * Scientific Datasets", HPDC 2022. A block that rounding would bring beyond the bound, or that holds what is not
 * finite, is kept as it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/compress.h"
#include "kernels/float_bits.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 128, CODES = BLOCK / 4, WORD = 4 };

/* The first byte of a block: one of these, or how many leading bits of each value are kept. */
enum { CONSTANT, RAW, LEAST_BITS = 9, MOST_BITS = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The `n` most significant bytes of a word, the first of them first. */
static unsigned char *put_bytes(unsigned char *to, uint32_t word, unsigned from, unsigned n)
{
    for (unsigned i = from; i < n; i++)
        *to++ = (unsigned char)(word >> (24 - 8 * i));
    return to;
}

static uint32_t get_word(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* Of a block: the middle of its values, and the largest distance from it; false where some value is not finite. */
static bool look(const float *x, size_t n, float *middle, double *radius)
{
    double low = x[0], high = x[0];
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    *middle = (float)(low + (high - low) / 2);
    *radius = fmax(fabs(high - *middle), fabs(low - *middle));
    return finite;
}

/* Kept bits, aligned to the end of the last byte that they reach: the leading zeros are alike everywhere. */
static unsigned bytes_for(unsigned bits)
{
    return (bits + 7) / 8;
}

static uint32_t shorten(float distance, unsigned bits)
{
    uint32_t word = ovl_float_bits(distance) >> (MOST_BITS - bits) << (MOST_BITS - bits);
    return word >> (8 * bytes_for(bits) - bits);
}

static float lengthen(uint32_t word, unsigned bits)
{
    return ovl_float_of(word << (8 * bytes_for(bits) - bits));
}

/* How many leading bytes two words have in common, 3 at most. */
static unsigned common(uint32_t a, uint32_t b, unsigned bytes)
{
    unsigned n = 0;
    while (n < 3 && n < bytes && (a ^ b) >> (24 - 8 * n) == 0)
        n++;
    return n;
}

static unsigned char *put_raw(unsigned char *to, const float *x, size_t n)
{
    *to++ = RAW;
    for (size_t i = 0; i < n; i++)
        to = put_bytes(to, ovl_float_bits(x[i]), 0, WORD);
    return to;
}

/* The end of what it wrote, or NULL where the bound would not hold or nothing would be saved. */
static unsigned char *put_bits(unsigned char *to, const float *x, size_t n, float middle, unsigned bits, float bound)
{
    const unsigned char *begin = to;
    uint32_t before = 0;
    *to++ = (unsigned char)bits;
    to = put_bytes(to, ovl_float_bits(middle), 0, WORD);
    unsigned char *codes = to;
    memset(codes, 0, (n + 3) / 4);
    to += (n + 3) / 4;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = shorten(x[i] - middle, bits);
        unsigned alike = common(word, before, bytes_for(bits));
        if (!(fabs((double)(middle + lengthen(word, bits)) - x[i]) <= bound))
            return NULL;
        codes[i / 4] |= (unsigned char)(alike << (2 * (i % 4)));
        to = put_bytes(to, word, alike, bytes_for(bits));
        before = word;
    }
    return (size_t)(to - begin) < 1 + n * WORD ? to : NULL;
}

static unsigned char *put_block(unsigned char *to, const float *x, size_t n, float bound)
{
    float middle;
    double radius;
    unsigned char *end = NULL;
    if (!(bound > 0) || !look(x, n, &middle, &radius))
        return put_raw(to, x, n);
    if (radius <= bound) {
        *to++ = CONSTANT;
        return put_bytes(to, ovl_float_bits(middle), 0, WORD);
    }
    /* Sign, exponent, and the bits of the largest distance down to the bound. */
    int bits = LEAST_BITS + ilogb(radius) - ilogbf(bound);
    if (bits <= MOST_BITS)
        end = put_bits(to, x, n, middle, (unsigned)bits, bound);
    return end ? end : put_raw(to, x, n);
}

static size_t most(size_t count)
{
    return (count + BLOCK - 1) / BLOCK * (1 + WORD + CODES) + count * WORD;
}

static size_t compress(const float *values, size_t count, float bound, unsigned char *to)
{
    unsigned char *end = to;
    for (size_t i = 0; i < count; i += BLOCK)
        end = put_block(end, values + i, least(BLOCK, count - i), bound);
    return (size_t)(end - to);
}

/* Reads a block of n values; returns how many bytes it was, 0 where it is none. */
static size_t get_block(const unsigned char *from, size_t bytes, float *x, size_t n)
{
    size_t at = 1;
    if (bytes < 1 + WORD || (from[0] == RAW && bytes < 1 + n * WORD))
        return 0;
    if (from[0] == RAW) {
        for (size_t i = 0; i < n; i++, at += WORD)
            x[i] = ovl_float_of(get_word(from + at));
        return at;
    }
    float middle = ovl_float_of(get_word(from + at));
    at += WORD;
    if (from[0] == CONSTANT) {
        for (size_t i = 0; i < n; i++)
            x[i] = middle;
        return at;
    }
    const unsigned char *codes = from + at;
    unsigned bits = from[0], each = bytes_for(bits);
    if (bits < LEAST_BITS || bits > MOST_BITS || bytes - at < (n + 3) / 4)
        return 0;
    at += (n + 3) / 4;
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned alike = codes[i / 4] >> (2 * (i % 4)) & 3;
        if (alike > each || bytes - at < each - alike)
            return 0;
        uint32_t kept = alike ? ~UINT32_C(0) << (32 - 8 * alike) : 0;
        word &= kept;
        for (unsigned b = alike; b < each; b++)
            word |= (uint32_t)from[at++] << (24 - 8 * b);
        x[i] = middle + lengthen(word, bits);
    }
    return at;
}

static size_t expand_part(const unsigned char *from, size_t bytes, float *values, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i += BLOCK) {
        size_t n = get_block(from + at, bytes - at, values + i, least(BLOCK, count - i));
        if (n == 0)
            return 0;
        at += n;
    }
    return at;
}

static int expand(const unsigned char *from, size_t bytes, float *values, size_t count)
{
    bool none = count > 0 && bytes == 0;
    return !none && expand_part(from, bytes, values, count) == bytes ? 0 : -1;
}

const struct ovl_compressor ovl_compressor_szx = {
    .name = "szx",
    .summary = "blocks of 128 by their middle and as many bits as the error bound needs; no value is off by more",
    .most = most,
    .compress = compress,
    .expand = expand,
    .expand_part = expand_part,
    .part = BLOCK};
