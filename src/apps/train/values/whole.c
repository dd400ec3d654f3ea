/* A round of numbers is made in single precision, where they are exact, and converted as any others are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/values/whole.h"
#include "apps/train/values/data.h"

#include <string.h>

enum { ROUND = 256 };

static const uint32_t odd = 0x9e3779b1;

/* How a type's exact numbers are shared out: `ranks` have a number at a place, of 1 and up to places - 1 for the place
   and parts - 1 for the rank. */
struct deal {
    int ranks;
    uint32_t places, parts;
};

static struct deal deal_of(const struct ovl_number *row, int ranks)
{
    int with = ranks < row->exact / 2 ? ranks : row->exact / 2, most = row->exact / with;
    most = most < 1 << 16 ? most : 1 << 16;
    uint32_t parts = 1 + ((uint32_t)most - 1) / 4;
    return (struct deal){with, (uint32_t)most - (parts - 1), parts};
}

static uint32_t part_of(const struct deal *d, uint64_t key, int rank)
{
    return (uint32_t)(((key >> 32) + 619 * (uint64_t)rank) % d->parts);
}

static uint32_t of_place(const struct deal *d, size_t place, uint64_t key)
{
    return 1 + (((uint32_t)place * odd + (uint32_t)key) >> 16) * d->places / (1 << 16);
}

void ovl_train_whole_fill(const struct ovl_number *row, void *to, size_t n, uint64_t key, int rank, int ranks)
{
    const struct deal d = deal_of(row, ranks);
    const uint32_t part = part_of(&d, key, rank);
    float round[ROUND];
    for (size_t first = 0; first < n; first += ROUND) {
        size_t now = n - first < ROUND ? n - first : ROUND;
        for (size_t k = 0; k < now; k++) {
            bool has = d.ranks == ranks || ((size_t)rank + first + k) % (size_t)ranks < (size_t)d.ranks;
            round[k] = has ? (float)(of_place(&d, first + k, key) + part) : 0;
        }
        row->convert(round, now, (char *)to + first * row->bytes);
    }
}

bool ovl_train_whole_sums(const struct ovl_number *row, const void *got, size_t n, size_t first, uint64_t key,
                          int ranks)
{
    const struct deal d = deal_of(row, ranks);
    float round[ROUND];
    uint64_t wanted[ROUND]; /* of numbers of up to 8 bytes */
    uint32_t parts = 0;
    bool right = true;
    for (int r = 0; r < ranks && d.ranks == ranks; r++)
        parts += part_of(&d, key, r);
    for (size_t at = 0; at < n; at += ROUND) {
        size_t now = n - at < ROUND ? n - at : ROUND;
        for (size_t k = 0; k < now; k++)
            round[k] = (float)(of_place(&d, first + at + k, key) * (uint32_t)d.ranks + parts);
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
    uint32_t drawn = ovl_train_data_drawn(key, rank);
    for (size_t i = 0; i < n; i++)
        put(to, i, bytes, (uint32_t)i * odd + drawn);
}

bool ovl_train_pattern_moved(const void *got, size_t n, size_t bytes, size_t first, uint64_t key, int rank)
{
    uint32_t drawn = ovl_train_data_drawn(key, rank), wrong = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)(first + i) * odd + drawn;
        wrong |= bytes == 1 ? ((const uint8_t *)got)[i] ^ word >> 24 : ((const uint16_t *)got)[i] ^ word >> 16;
    }
    return !wrong;
}
