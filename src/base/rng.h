/* xoshiro256** of D. Blackman and S. Vigna (ACM TOMS 47(4), 2021), seeded by splitmix64: the same numbers everywhere.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_RNG_H
#define OVL_BASE_RNG_H

#include <stdint.h>

struct ovl_rng {
    uint64_t s[4];
};

/* One step of splitmix64: also a good hash of a 64-bit number. */
static inline uint64_t ovl_rng_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Words by their place, no two of the first 2^32 the same. Neither one of them nor the differences between them tell
   the others, so that a part of them, or one copied over all, passes for none. A loop over places becomes one of
   vectors. */
struct ovl_rng_words {
    uint32_t first, over;
};

static inline struct ovl_rng_words ovl_rng_words(uint64_t seed)
{
    uint64_t drawn = ovl_rng_mix(seed);
    return (struct ovl_rng_words){(uint32_t)drawn, (uint32_t)(drawn >> 32)};
}

static inline uint32_t ovl_rng_word(struct ovl_rng_words w, uint32_t place)
{
    uint32_t x = place * 0x9e3779b1 + w.first;
    x = (x ^ x >> 15) * 0x2c1b3c6d;
    return x ^ x >> 12 ^ w.over;
}

static inline struct ovl_rng ovl_rng_seeded(uint64_t seed)
{
    struct ovl_rng r;
    for (int i = 0; i < 4; i++, seed += 0x9e3779b97f4a7c15)
        r.s[i] = ovl_rng_mix(seed);
    return r;
}

static inline uint64_t ovl_rng_next(struct ovl_rng *r)
{
    uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;
    x = ((x << 7) | (x >> 57)) * 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return x;
}

/* A number in 0 .. n-1 (n < 2^32) without a division; the bias is below n / 2^32. */
static inline uint32_t ovl_rng_below(struct ovl_rng *r, uint32_t n)
{
    return (uint32_t)((ovl_rng_next(r) >> 32) * n >> 32);
}

#endif
