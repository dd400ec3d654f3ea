/* What was drawn is kept and counted side by side: random numbers cost most of a bootstrap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/draws.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = OVL_DRAWS_AT_ONCE, FEW = UINT8_MAX, KEPT = 6, STEP = 8 };

/* Of one seed. Memory is got once and given to the next seed: fresh pages cost more than what is put there. */
static _Thread_local struct {
    uint64_t seed;
    struct ovl_rng rng;
    uint32_t *number; /* the first ones of the seed; NULL: there was none yet */
    size_t numbers;
    struct {
        uint32_t blocks; /* 0: none */
        uint8_t *times;  /* of all draws, 16 after the other */
    } of[KEPT];
    int next; /* which of them goes */
} last;

static void begin_seed(uint64_t seed)
{
    if (!last.number)
        last.number = ovl_alloc((size_t)OVL_DRAWS * FEW, sizeof *last.number);
    for (int i = 0; i < KEPT; i++)
        last.of[i].blocks = 0;
    last.numbers = 0;
    last.seed = seed;
    last.rng = ovl_rng_seeded(seed);
}

/* Draws on until so many numbers are kept; in registers, which a thread's own variables are not. */
static void draw_numbers(size_t needed)
{
    struct ovl_rng rng = last.rng;
    uint32_t *number = last.number;
    for (size_t i = last.numbers; i < needed; i++)
        number[i] = (uint32_t)(ovl_rng_next(&rng) >> 32);
    last.rng = rng;
    if (last.numbers < needed)
        last.numbers = needed;
}

/* ovl_rng_below() of a number that is kept. */
static inline uint32_t below(uint32_t number, uint32_t blocks)
{
    return (uint32_t)((uint64_t)number * blocks >> 32);
}

static const uint8_t *few_times(uint64_t seed, uint32_t blocks)
{
    if (!last.number || last.seed != seed)
        begin_seed(seed);
    for (int i = 0; i < KEPT; i++)
        if (last.of[i].blocks == blocks)
            return last.of[i].times;
    size_t needed = (size_t)OVL_DRAWS * blocks;
    draw_numbers(needed);
    if (!last.of[last.next].times)
        last.of[last.next].times = ovl_alloc((size_t)OVL_DRAWS * FEW, 1);
    uint8_t *times = last.of[last.next].times;
    memset(times, 0, needed);
    const uint32_t *number = last.number;
    for (uint32_t d = 0; d < OVL_DRAWS; d++) {
        uint8_t *draw = times + (size_t)AT_ONCE * (d / AT_ONCE) * blocks + d % AT_ONCE;
        for (const uint32_t *end = number + blocks; number < end; number++)
            draw[(size_t)AT_ONCE * below(*number, blocks)]++;
    }
    last.of[last.next].blocks = blocks;
    last.next = (last.next + 1) % KEPT;
    return times;
}

void ovl_draws_begin(struct ovl_draws *d, uint64_t seed, uint32_t blocks)
{
    *d = (struct ovl_draws){.blocks = blocks, .before = -AT_ONCE};
    if (blocks <= FEW) {
        d->few = few_times(seed, blocks);
    } else {
        d->rng = ovl_rng_seeded(seed);
        d->many = ovl_alloc(blocks, AT_ONCE * sizeof *d->many);
    }
}

bool ovl_draws_next(struct ovl_draws *d)
{
    d->before += AT_ONCE;
    if (d->before >= OVL_DRAWS) {
        free(d->many);
        return false;
    }
    if (d->few) {
        d->few += d->before > 0 ? AT_ONCE * d->blocks : 0;
        return true;
    }
    memset(d->many, 0, d->blocks * AT_ONCE * sizeof *d->many);
    for (int draw = 0; draw < AT_ONCE; draw++)
        for (uint32_t i = 0; i < d->blocks; i++)
            d->many[(size_t)AT_ONCE * ovl_rng_below(&d->rng, d->blocks) + draw]++;
    return true;
}

static inline bool any(const void *sixteen_bytes)
{
    uint64_t half[2];
    memcpy(half, sixteen_bytes, sizeof half);
    return half[0] | half[1];
}

/* A number of each of several draws, which are counted side by side (GCC's vectors, which clang has, too): in how many
   of the first blocks by value no more than half of a draw has been seen. `seen` begins at the number that is the least
   where it has a sign, as processors compare numbers that have one. In the first quarter it is only added up: hardly
   ever half of a draw lies there, and then all is counted from the first block on. */
#define MEDIANS(name, number, with_sign)                                                                               \
    static void name(const number *times, uint32_t blocks, const double *value, const uint32_t *order, double *median, \
                     size_t stride)                                                                                    \
    {                                                                                                                  \
        typedef number several __attribute__((vector_size(16), may_alias));                                            \
        typedef with_sign compared __attribute__((vector_size(16)));                                                   \
        enum { WIDTH = 16 / sizeof(number) };                                                                          \
        const number zero = (number)((number)1 << (8 * sizeof(number) - 1));                                           \
        const compared low = (compared)((several){0} + (number)(zero + (blocks - 1) / 2)),                             \
                       high = (compared)((several){0} + (number)(zero + blocks / 2));                                  \
        for (int first = 0; first < AT_ONCE; first += WIDTH) {                                                         \
            const number *from = times + first;                                                                        \
            several seen = (several){0} + zero, above_low = {0}, above_high = {0}; /* blocks above, times -1 */        \
            compared more;                                                                                             \
            size_t i = 0;                                                                                              \
            for (; i < blocks / 4; i++)                                                                                \
                seen += *(const several *)(const void *)&from[(size_t)AT_ONCE * order[i]];                             \
            more = (compared)seen > low;                                                                               \
            if (any(&more)) {                                                                                          \
                seen = (several){0} + zero;                                                                            \
                i = 0;                                                                                                 \
            }                                                                                                          \
            do {                                                                                                       \
                for (size_t end = i + STEP < blocks ? i + STEP : blocks; i < end; i++) {                               \
                    seen += *(const several *)(const void *)&from[(size_t)AT_ONCE * order[i]];                         \
                    more = (compared)seen > high; /* true is -1 */                                                     \
                    above_low += (several)((compared)seen > low);                                                      \
                    above_high += (several)more;                                                                       \
                }                                                                                                      \
                more = ~more;                                                                                          \
            } while (any(&more));                                                                                      \
            above_low += (number)i;                                                                                    \
            above_high += (number)i;                                                                                   \
            for (int k = 0; k < (int)WIDTH; k++)                                                                       \
                median[(size_t)(first + k) * stride] = (value[order[above_low[k]]] + value[order[above_high[k]]]) / 2; \
        }                                                                                                              \
    }
MEDIANS(medians_of_few, uint8_t, int8_t)
MEDIANS(medians_of_many, uint32_t, int32_t)

void ovl_draws_medians(const struct ovl_draws *d, const double *value, const uint32_t *order, double *median,
                       size_t stride)
{
    if (d->few)
        medians_of_few(d->few, d->blocks, value, order, median, stride);
    else
        medians_of_many(d->many, d->blocks, value, order, median, stride);
}
