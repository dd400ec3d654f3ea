/* Sums wrap around, so that they are exact whatever the words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/tokens.h"
#include "base/rng.h"

static struct ovl_rng_words words_of(uint64_t key, int member, int token)
{
    return ovl_rng_words(key ^ ovl_rng_mix(((uint64_t)member << 32 | (uint64_t)token) + 1));
}

void ovl_moe_fill(const struct ovl_moe_route *r, uint64_t key, size_t words, uint32_t *to)
{
    for (int c = 0; c < r->sent[r->members]; c++, to += words) {
        const struct ovl_rng_words w = words_of(key, r->member, r->out[c].token);
        for (size_t i = 0; i < words; i++)
            to[i] = ovl_rng_word(w, (uint32_t)i);
    }
}

/* A stretch of an answer, from the first word of what came on. */
static void answer(const struct ovl_moe_copy *copy, size_t n, const uint32_t *came, uint32_t *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = copy->experts * came[i] + copy->sum;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void ovl_moe_answer(const struct ovl_moe_route *r, struct ovl_moe_words words, const uint32_t *came, uint32_t *to)
{
    for (int c = 0; c < r->got[r->members]; c++, to += words.back, came += words.there)
        for (size_t i = 0; i < words.back; i += words.there)
            answer(&r->in[c], smaller(words.there, words.back - i), came, to + i);
}

void ovl_moe_copy_of(const struct ovl_moe_route *r, bool back, int copy, int *member, int *token)
{
    *member = r->member;
    if (!back)
        for (*member = 0; r->got[*member + 1] <= copy;)
            ++*member;
    *token = (back ? r->out : r->in)[copy].token;
}

/* Not 0 where a word is not the sum of so many of the token's, and more. */
static uint32_t differs(const uint32_t *got, size_t n, struct ovl_rng_words w, uint32_t times, uint32_t more)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong |= got[i] ^ (times * ovl_rng_word(w, (uint32_t)i) + more);
    return wrong;
}

int ovl_moe_wrong_copy(const struct ovl_moe_route *r, bool back, uint64_t key, struct ovl_moe_words words,
                       const uint32_t *got)
{
    const struct ovl_moe_copy *copies = back ? r->out : r->in;
    int count = ovl_moe_sends(r, !back), member = back ? r->member : 0;
    size_t n = back ? words.back : words.there;
    for (int c = 0; c < count; c++, got += n) {
        while (!back && r->got[member + 1] <= c)
            member++;
        const struct ovl_rng_words w = words_of(key, member, copies[c].token);
        uint32_t wrong = 0;
        uint32_t times = back ? copies[c].experts : 1, more = back ? copies[c].sum : 0;
        for (size_t i = 0; i < n; i += words.there)
            wrong |= differs(got + i, smaller(words.there, n - i), w, times, more);
        if (wrong)
            return c;
    }
    return -1;
}
