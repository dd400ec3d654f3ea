/* Sums wrap around, so that they are exact whatever the words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/tokens.h"
#include "base/rng.h"

#include <math.h>

size_t ovl_moe_token_words(double token_bytes, double scale)
{
    return (size_t)fmax(1, round(token_bytes / OVL_MOE_WORD / scale));
}

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

/* What a member's experts add to the words of a token of another's: no word of an answer follows from what was sent. */
static struct ovl_rng_words added_by(uint64_t key, int experts_of, int member, int token)
{
    return words_of(~key ^ ovl_rng_mix((uint64_t)experts_of), member, token);
}

uint32_t ovl_moe_added(uint64_t key, int experts_of, int member, int token, size_t place)
{
    return ovl_rng_word(added_by(key, experts_of, member, token), (uint32_t)place);
}

/* A stretch of an answer from a place on, of the first words of what came. */
static void answer(const struct ovl_moe_copy *copy, struct ovl_rng_words added, size_t place, size_t n,
                   const uint32_t *came, uint32_t *to)
{
    const unsigned experts = ovl_moe_copy_experts(copy);
    for (size_t i = 0; i < n; i++)
        to[i] = experts * came[i] + copy->sum + ovl_rng_word(added, (uint32_t)(place + i));
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Whose copy it is, by where those for each member begin; `member` is that of the copy before. */
static int member_of(const int *begins, int member, int copy)
{
    while (begins[member + 1] <= copy)
        member++;
    return member;
}

void ovl_moe_answer(const struct ovl_moe_route *r, uint64_t key, struct ovl_moe_words words, const uint32_t *came,
                    uint32_t *to)
{
    int member = 0;
    for (int c = 0; c < r->got[r->members]; c++, to += words.back, came += words.there) {
        member = member_of(r->got, member, c);
        const struct ovl_rng_words added = added_by(key, r->member, member, r->in[c].token);
        for (size_t i = 0; i < words.back; i += words.there)
            answer(&r->in[c], added, i, smaller(words.there, words.back - i), came, to + i);
    }
}

void ovl_moe_copy_of(const struct ovl_moe_route *r, bool back, int copy, int *member, int *token)
{
    *member = back ? r->member : member_of(r->got, 0, copy);
    *token = (back ? r->out : r->in)[copy].token;
}

/* Not 0 where a word that came is none of the token's. */
static uint32_t moved_wrong(const uint32_t *got, size_t n, struct ovl_rng_words w)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong |= got[i] ^ ovl_rng_word(w, (uint32_t)i);
    return wrong;
}

/* Not 0 where a word of an answer's stretch is not what the experts make of the token's. */
static uint32_t answered_wrong(const uint32_t *got, size_t place, size_t n, struct ovl_rng_words w,
                               const struct ovl_moe_copy *copy, struct ovl_rng_words added)
{
    const unsigned experts = ovl_moe_copy_experts(copy);
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong |=
            got[i] ^ (experts * ovl_rng_word(w, (uint32_t)i) + copy->sum + ovl_rng_word(added, (uint32_t)(place + i)));
    return wrong;
}

int ovl_moe_wrong_copy(const struct ovl_moe_route *r, bool back, uint64_t key, struct ovl_moe_words words,
                       const uint32_t *got)
{
    const struct ovl_moe_copy *copies = back ? r->out : r->in;
    int count = ovl_moe_sends(r, !back), other = 0;
    size_t n = back ? words.back : words.there;
    for (int c = 0; c < count; c++, got += n) {
        other = member_of(back ? r->sent : r->got, other, c);
        const struct ovl_rng_words w = words_of(key, back ? r->member : other, copies[c].token),
                                   added = added_by(key, other, r->member, copies[c].token);
        uint32_t wrong = back ? 0 : moved_wrong(got, n, w);
        for (size_t i = 0; i < n && back; i += words.there)
            wrong |= answered_wrong(got + i, i, smaller(words.there, n - i), w, &copies[c], added);
        if (wrong)
            return c;
    }
    return -1;
}

bool ovl_moe_word_is_right(const struct ovl_moe_route *r, bool back, uint64_t key, struct ovl_moe_words words,
                           const uint32_t *got, size_t at)
{
    const size_t n = back ? words.back : words.there, place = at % n;
    const int copy = (int)(at / n);
    int member, token;
    ovl_moe_copy_of(r, back, copy, &member, &token);
    const uint32_t word = ovl_rng_word(words_of(key, member, token), (uint32_t)(place % words.there));
    if (!back)
        return got[at] == word;
    return got[at] == ovl_moe_copy_experts(&r->out[copy]) * word + r->out[copy].sum +
                          ovl_moe_added(key, member_of(r->sent, 0, copy), r->member, token, place);
}
