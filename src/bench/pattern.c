/* Test data for validation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pattern.h"
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

/* How the sum of an element is dealt to the ranks. */
struct deal {
    uint64_t stream;
    unsigned ranks, turns;
    unsigned bases, offsets; /* a base is 0 .. bases - 1, an offset 1 .. offsets */
};

int ovl_pattern_turns(enum ovl_pattern_kind kind, int ranks)
{
    enum { MOST = 42 }; /* numbers > 0 in an element of INT8, so that each may be up to 3 */
    return kind == OVL_PATTERN_INT8 ? (ranks - 1) / MOST + 1 : 1;
}

static struct deal deal(enum ovl_pattern_kind kind, uint64_t key, int ranks)
{
    struct deal d = {stream_of(key, -1), (unsigned)ranks, (unsigned)ovl_pattern_turns(kind, ranks), 1, 1};
    unsigned limit = kind == OVL_PATTERN_INT8 ? INT8_MAX : 1u << FLT_MANT_DIG, speakers = (d.ranks - 1) / d.turns + 1;
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

static int number(const struct deal *d, size_t index, unsigned rank)
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

void ovl_pattern_fill(void *data, size_t bytes, enum ovl_pattern_kind kind, uint64_t key, int rank, int ranks)
{
    struct deal d = deal(kind, key, ranks);
    if (kind == OVL_PATTERN_FLOAT) {
        float *x = data;
        for (size_t i = 0; i < bytes / sizeof *x; i++)
            x[i] = (float)number(&d, i, (unsigned)rank);
    } else if (kind == OVL_PATTERN_INT8) {
        int8_t *x = data;
        for (size_t i = 0; i < bytes; i++)
            x[i] = (int8_t)number(&d, i, (unsigned)rank);
    } else {
        uint8_t *x = data;
        uint64_t stream = stream_of(key, rank);
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
    struct deal d = deal(kind, key, ranks);
    for (size_t i = 0; i < bytes / element; i++) {
        double got = kind == OVL_PATTERN_FLOAT ? (double)((const float *)data)[i] : ((const int8_t *)data)[i];
        double wanted = sum(&d, source_offset / element + i);
        if (got != wanted) {
            *fault = (struct ovl_pattern_fault){i * element, got, wanted};
            return -1;
        }
    }
    return 0;
}
