/* Test data for validation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pattern.h"
#include "base/rng.h"

static uint64_t stream_of(uint64_t key, int rank)
{
    return ovl_rng_mix(key ^ ovl_rng_mix((uint64_t)rank + 1));
}

/* Eight bytes of a rank's stream. */
static uint64_t word(uint64_t stream, size_t index)
{
    return ovl_rng_mix(stream + index);
}

static uint8_t byte(uint64_t stream, size_t position)
{
    return (uint8_t)(word(stream, position / 8) >> 8 * (position % 8));
}

static unsigned levels(enum ovl_pattern_kind kind, int ranks)
{
    unsigned most = kind == OVL_PATTERN_INT8 ? 127u / (unsigned)ranks : 7;
    return (most < 7 ? most : 7) + 1;
}

static int number(uint64_t stream, size_t index, unsigned of)
{
    return byte(stream, index) % of;
}

void ovl_pattern_fill(void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int rank, int ranks)
{
    uint64_t stream = stream_of(key, rank);
    unsigned of = levels(kind, ranks);
    if (kind == OVL_PATTERN_FLOAT) {
        float *x = data;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            x[i] = (float)number(stream, i, of);
    } else if (kind == OVL_PATTERN_INT8) {
        int8_t *x = data;
        for (size_t i = 0; i < bytes; i++)
            x[i] = (int8_t)number(stream, i, of);
    } else {
        uint8_t *x = data;
        for (size_t i = 0; i < bytes; i++)
            x[i] = byte(stream, i);
    }
}

void ovl_pattern_spoil(void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int source,
                       size_t source_offset)
{
    uint8_t *x = data;
    uint64_t stream = stream_of(key, source);
    for (size_t i = 0; i < bytes; i++) /* all ones are -1 as int8 and NaN as float: never a sum */
        x[i] = kind == OVL_PATTERN_BYTES ? (uint8_t)~byte(stream, source_offset + i) : 0xff;
}

static int check_bytes(const uint8_t *x, size_t bytes, uint64_t stream, size_t from, struct ovl_pattern_fault *fault)
{
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != byte(stream, from + i)) {
            *fault = (struct ovl_pattern_fault){i, x[i], byte(stream, from + i)};
            return -1;
        }
    return 0;
}

int ovl_pattern_check(const void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int source, int ranks,
                      size_t source_offset, struct ovl_pattern_fault *fault)
{
    if (kind == OVL_PATTERN_BYTES)
        return check_bytes(data, bytes, stream_of(key, source), source_offset, fault);

    size_t element = kind == OVL_PATTERN_FLOAT ? sizeof(float) : 1;
    unsigned of = levels(kind, ranks);
    for (size_t i = 0; i < bytes / element; i++) {
        int sum = 0;
        for (int r = 0; r < ranks; r++)
            sum += number(stream_of(key, r), source_offset / element + i, of);
        double got = kind == OVL_PATTERN_FLOAT ? (double)((const float *)data)[i] : ((const int8_t *)data)[i];
        if (got != sum) {
            *fault = (struct ovl_pattern_fault){i * element, got, sum};
            return -1;
        }
    }
    return 0;
}
