/* Test data for validation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/pattern.h"
#include "base/rng.h"

#include <float.h>

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

/* How the numbers of an element are dealt to the ranks. */
struct deal {
    enum ovl_redop redop;
    uint64_t stream;
    unsigned ranks, turns;
    unsigned bases, offsets; /* of sums: a base is 0 .. bases - 1, an offset 1 .. offsets */
};

static unsigned limit_of(enum ovl_dtype dtype)
{
    return dtype == OVL_INT8 ? INT8_MAX : dtype == OVL_INT16 ? INT16_MAX : 1u << FLT_MANT_DIG;
}

int ovl_pattern_turns(enum ovl_dtype dtype, int ranks)
{
    int most = (int)limit_of(dtype) / 3; /* numbers > 0 in an element of a small type, so that each may be up to 3 */
    return dtype <= OVL_INT16 ? (ranks - 1) / most + 1 : 1;
}

static struct deal deal(struct ovl_pattern pattern)
{
    int turns = ovl_pattern_turns(pattern.dtype, pattern.ranks);
    struct deal d = {pattern.redop, stream_of(pattern.key, -1), (unsigned)pattern.ranks, (unsigned)turns, 1, 1};
    unsigned limit = limit_of(pattern.dtype), speakers = (d.ranks - 1) / d.turns + 1;
    unsigned most = limit / speakers < 127 ? limit / speakers : 127;
    d.bases = (most + 1) / 2;
    d.offsets = most + 1 - d.bases;
    return d;
}

/* One of 0 .. n-1, by the upper half of `random`. */
static unsigned below(uint64_t random, unsigned n)
{
    return (unsigned)((random >> 32) * n >> 32);
}

/* Of the ranks whose turn it is in this element the one at `place`. */
static unsigned offset(const struct deal *d, uint64_t word_of_element, unsigned place)
{
    unsigned first = below(ovl_rng_mix(word_of_element + place / 2 + 1), d->offsets) + 1;
    return place % 2 ? d->offsets + 1 - first : first;
}

static int addend(const struct deal *d, size_t index, unsigned rank)
{
    uint64_t w = word(d->stream, index);
    if (index % d->turns != rank % d->turns)
        return 0;
    return (int)(below(w, d->bases) + offset(d, w, rank / d->turns));
}

static int sum(const struct deal *d, size_t index)
{
    uint64_t w = word(d->stream, index);
    unsigned first = (unsigned)(index % d->turns), speakers = (d->ranks - 1 - first) / d->turns + 1;
    unsigned offsets = speakers / 2 * (d->offsets + 1) + (speakers % 2 ? offset(d, w, speakers - 1) : 0);
    return (int)(speakers * below(w, d->bases) + offsets);
}

enum { LEAST_LEVELS = 60 };

static int least(const struct deal *d, size_t index)
{
    return (int)below(word(d->stream, index), LEAST_LEVELS);
}

/* The least at the rank that is drawn, more at all others. */
static int number_of_minimum(const struct deal *d, size_t index, unsigned rank)
{
    uint64_t w = word(d->stream, index);
    bool drawn = below(ovl_rng_mix(w + 1), d->ranks) == rank;
    return least(d, index) + (drawn ? 0 : 1 + (int)below(ovl_rng_mix(w + 2 + rank), LEAST_LEVELS));
}

/* Two factors, each at a rank that is drawn; both may be at one. */
static int factor(const struct deal *d, size_t index, int which)
{
    uint64_t w = word(d->stream, index);
    return which == 0 ? 2 + (int)below(w, 6) : 2 + (int)below(ovl_rng_mix(w + 3), 15); /* 7 * 16 is below 127 */
}

static int number_of_product(const struct deal *d, size_t index, unsigned rank)
{
    uint64_t w = word(d->stream, index);
    int number = 1;
    for (int which = 0; which < 2; which++)
        if (below(ovl_rng_mix(w + 1 + (unsigned)which), d->ranks) == rank)
            number *= factor(d, index, which);
    return number;
}

static int number(const struct deal *d, size_t index, unsigned rank)
{
    switch (d->redop) {
    case OVL_MIN:
        return number_of_minimum(d, index, rank);
    case OVL_MAX:
        return 2 * LEAST_LEVELS - number_of_minimum(d, index, rank);
    case OVL_PROD:
        return number_of_product(d, index, rank);
    default:
        return addend(d, index, rank);
    }
}

static int combined(const struct deal *d, size_t index)
{
    switch (d->redop) {
    case OVL_MIN:
        return least(d, index);
    case OVL_MAX:
        return 2 * LEAST_LEVELS - least(d, index);
    case OVL_PROD:
        return factor(d, index, 0) * factor(d, index, 1);
    default:
        return sum(d, index);
    }
}

static void put(void *data, size_t index, enum ovl_dtype dtype, int value)
{
    switch (dtype) {
    case OVL_INT8:
        ((int8_t *)data)[index] = (int8_t)value;
        break;
    case OVL_INT16:
        ((int16_t *)data)[index] = (int16_t)value;
        break;
    case OVL_INT32:
        ((int32_t *)data)[index] = value;
        break;
    case OVL_INT64:
        ((int64_t *)data)[index] = value;
        break;
    case OVL_FLOAT:
        ((float *)data)[index] = (float)value;
        break;
    default:
        ((double *)data)[index] = value;
    }
}

static double get(const void *data, size_t index, enum ovl_dtype dtype)
{
    switch (dtype) {
    case OVL_INT8:
        return ((const int8_t *)data)[index];
    case OVL_INT16:
        return ((const int16_t *)data)[index];
    case OVL_INT32:
        return ((const int32_t *)data)[index];
    case OVL_INT64:
        return (double)((const int64_t *)data)[index];
    case OVL_FLOAT:
        return (double)((const float *)data)[index];
    default:
        return ((const double *)data)[index];
    }
}

void ovl_pattern_fill(void *data, size_t bytes, struct ovl_pattern pattern, int rank)
{
    if (pattern.numbers) {
        struct deal d = deal(pattern);
        for (size_t i = 0; i < bytes / ovl_dtype_bytes(pattern.dtype); i++)
            put(data, i, pattern.dtype, number(&d, i, (unsigned)rank));
        return;
    }
    uint8_t *x = data;
    uint64_t stream = stream_of(pattern.key, rank);
    for (size_t i = 0; i < bytes; i++)
        x[i] = byte(stream, i);
}

void ovl_pattern_spoil(void *data, size_t bytes, struct ovl_pattern pattern, int source, size_t source_offset)
{
    uint8_t *x = data;
    uint64_t stream = stream_of(pattern.key, source);
    for (size_t i = 0; i < bytes; i++) /* all ones are -1 as integers and NaN as floats: never a result */
        x[i] = pattern.numbers ? 0xff : (uint8_t)~byte(stream, source_offset + i);
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

int ovl_pattern_check(const void *data, size_t bytes, struct ovl_pattern pattern, int source, size_t source_offset,
                      struct ovl_pattern_fault *fault)
{
    if (!pattern.numbers)
        return check_bytes(data, bytes, stream_of(pattern.key, source), source_offset, fault);

    size_t element = ovl_dtype_bytes(pattern.dtype);
    struct deal d = deal(pattern);
    for (size_t i = 0; i < bytes / element; i++) {
        double got = get(data, i, pattern.dtype), wanted = combined(&d, source_offset / element + i);
        if (got != wanted) {
            *fault = (struct ovl_pattern_fault){i * element, got, wanted};
            return -1;
        }
    }
    return 0;
}
