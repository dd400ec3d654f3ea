/* Whole numbers that follow from key, rank and place: sums over ranks are exact, and each rank can check all of them.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/values/data.h"
#include "base/rng.h"

enum { AT_ONCE = 16 }; /* a loop of a fixed length, which compilers make vectors of */

static const uint32_t odd = 0x9e3779b1;

static inline float number(uint32_t place, uint32_t drawn)
{
    return (float)(int32_t)((place * odd + drawn) >> 24);
}

static float of_rank(uint64_t key, int rank)
{
    return (float)(((key >> 32) + 619 * (uint64_t)rank) % 1024);
}

void ovl_train_data_fill(float *to, size_t n, uint64_t key, int rank, int ranks)
{
    const uint32_t drawn = (uint32_t)key;
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE, rank = rank + 1 < ranks ? rank + 1 : 0) {
        const float more = of_rank(key, rank);
        for (uint32_t k = 0; k < AT_ONCE; k++)
            to[i + k] = number((uint32_t)i + k, drawn) + more;
    }
    for (; i < n; i++)
        to[i] = number((uint32_t)i, drawn) + of_rank(key, rank);
}

bool ovl_train_data_sums(const float *got, size_t n, size_t first, uint64_t key, int ranks)
{
    const uint32_t drawn = (uint32_t)key, at = (uint32_t)first;
    const float count = (float)ranks;
    float more = 0;
    size_t i = 0;
    int wrong = 0;
    for (int r = 0; r < ranks; r++)
        more += of_rank(key, r);
    for (; i + AT_ONCE <= n; i += AT_ONCE)
        for (uint32_t k = 0; k < AT_ONCE; k++)
            wrong |= got[i + k] != count * number(at + (uint32_t)i + k, drawn) + more;
    for (; i < n; i++)
        wrong |= got[i] != count * number(at + (uint32_t)i, drawn) + more;
    return !wrong;
}

uint32_t ovl_train_data_drawn(uint64_t key, int rank)
{
    return (uint32_t)ovl_rng_mix(key ^ ovl_rng_mix((uint64_t)rank + 1));
}

struct ovl_rng_words ovl_train_data_words_of(uint64_t key, int rank)
{
    return ovl_rng_words(key ^ ovl_rng_mix((uint64_t)rank + 1));
}

void ovl_train_data_words_from(uint32_t *to, size_t n, size_t first, uint64_t key, int rank)
{
    const struct ovl_rng_words w = ovl_train_data_words_of(key, rank);
    for (size_t i = 0; i < n; i++)
        to[i] = ovl_rng_word(w, (uint32_t)(first + i));
}

void ovl_train_data_words(uint32_t *to, size_t n, uint64_t key, int rank)
{
    ovl_train_data_words_from(to, n, 0, key, rank);
}

bool ovl_train_data_moved(const uint32_t *got, size_t n, size_t first, uint64_t key, int rank)
{
    const struct ovl_rng_words w = ovl_train_data_words_of(key, rank);
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong |= got[i] ^ ovl_rng_word(w, (uint32_t)(first + i));
    return !wrong;
}
