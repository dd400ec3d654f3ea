/* A round of numbers is made in single precision, where they are exact, and converted as any others are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/values/whole.h"
#include "apps/train/values/data.h"

#include <string.h>

enum { ROUND = 256 };

static const uint32_t odd = 0x9e3779b1;

/* How a type's exact numbers are shared out: `ranks` have a number at a place, of 1 to `places` for the place, and one
   more for some of them. */
struct deal {
    int ranks;
    uint32_t places;
};

static struct deal deal_of(const struct ovl_number *row, int ranks)
{
    int with = ranks < row->exact / 2 ? ranks : row->exact / 2, most = row->exact / with;
    return (struct deal){with, (uint32_t)(most < 1 << 16 ? most : 1 << 16) - 1};
}

/* What all have at a place, and how many of them have one more: those whose turn is below it. */
struct share {
    uint32_t all, more;
};

static struct share share_of(const struct deal *d, size_t place, uint64_t key)
{
    uint32_t drawn = (uint32_t)place * odd + (uint32_t)key;
    return (struct share){1 + ((drawn >> 16) * d->places >> 16), (drawn & 0xffff) * (uint32_t)d->ranks >> 16};
}

/* Those of data.h are written quicker, and fewer ranks' sums are exact. */
static bool is_of_data(const struct ovl_number *row, int ranks)
{
    return row == &ovl_numbers[OVL_F32] && ranks <= OVL_TRAIN_DATA_RANKS;
}

void ovl_train_whole_fill(const struct ovl_number *row, void *to, size_t n, uint64_t key, int rank, int ranks)
{
    if (is_of_data(row, ranks)) {
        ovl_train_data_fill(to, n, key, rank, ranks);
        return;
    }
    const struct deal d = deal_of(row, ranks);
    float round[ROUND];
    int turn = rank;
    for (size_t first = 0; first < n; first += ROUND) {
        size_t now = n - first < ROUND ? n - first : ROUND;
        for (size_t k = 0; k < now; k++, turn = turn + 1 < ranks ? turn + 1 : 0) {
            struct share s = share_of(&d, first + k, key);
            round[k] = turn < d.ranks ? (float)(s.all + (turn < (int)s.more)) : 0;
        }
        row->convert(round, now, (char *)to + first * row->bytes);
    }
}

bool ovl_train_whole_sums(const struct ovl_number *row, const void *got, size_t n, size_t first, uint64_t key,
                          int ranks)
{
    if (is_of_data(row, ranks))
        return ovl_train_data_sums(got, n, first, key, ranks);
    const struct deal d = deal_of(row, ranks);
    float round[ROUND];
    uint64_t wanted[ROUND]; /* of numbers of up to 8 bytes */
    bool right = true;
    for (size_t at = 0; at < n; at += ROUND) {
        size_t now = n - at < ROUND ? n - at : ROUND;
        for (size_t k = 0; k < now; k++) {
            struct share s = share_of(&d, first + at + k, key);
            round[k] = (float)(s.all * (uint32_t)d.ranks + s.more);
        }
        row->convert(round, now, wanted);
        right &= memcmp((const char *)got + at * row->bytes, wanted, now * row->bytes) == 0;
    }
    return right;
}

static void put(void *to, size_t i, size_t bytes, uint32_t word)
{
    if (bytes == 1)
        ((uint8_t *)to)[i] = (uint8_t)(word >> 24);
    else
        ((uint16_t *)to)[i] = (uint16_t)(word >> 16);
}

void ovl_train_pattern_fill(void *to, size_t n, size_t bytes, uint64_t key, int rank)
{
    const struct ovl_rng_words w = ovl_train_data_words_of(key, rank);
    for (size_t i = 0; i < n; i++)
        put(to, i, bytes, ovl_rng_word(w, (uint32_t)i));
}

bool ovl_train_pattern_moved(const void *got, size_t n, size_t bytes, size_t first, uint64_t key, int rank)
{
    const struct ovl_rng_words w = ovl_train_data_words_of(key, rank);
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = ovl_rng_word(w, (uint32_t)(first + i));
        wrong |= bytes == 1 ? ((const uint8_t *)got)[i] ^ word >> 24 : ((const uint16_t *)got)[i] ^ word >> 16;
    }
    return !wrong;
}
