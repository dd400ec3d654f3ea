/* What tokens carry: words that follow from a key, a member, a token and a place. Expert e adds e to each word; what
   comes back of a copy is the sum over its experts, and a word that follows from key, both members, token and place. So
   each answer is known, each word of it is looked at, and who asked cannot tell it from what was sent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_MOE_TOKENS_H
#define OVL_APPS_TRAIN_MOE_TOKENS_H

#include "apps/train/moe/routes.h"

/* Words of a copy: on its way there, and on its way back, where they follow from the former, from the first one on and
   again where there are more. */
struct ovl_moe_words {
    size_t there, back;
};

/* Words of a token of so many bytes where all messages are `scale` times smaller: 1 at least. */
enum { OVL_MOE_WORD = 4 };
size_t ovl_moe_token_words(double token_bytes, double scale);

/* What this member sends out; */
void ovl_moe_fill(const struct ovl_moe_route *r, uint64_t key, size_t words, uint32_t *to);
/* and what its experts make of the copies that came. */
void ovl_moe_answer(const struct ovl_moe_route *r, uint64_t key, struct ovl_moe_words words, const uint32_t *came,
                    uint32_t *to);
/* The last summand of a word of an answer, of a member's experts for a token of another member. */
uint32_t ovl_moe_added(uint64_t key, int experts_of, int member, int token, size_t place);

/* The first copy with a wrong word: of those that came, or of those that came back; -1 where there is none. */
int ovl_moe_wrong_copy(const struct ovl_moe_route *r, bool back, uint64_t key, struct ovl_moe_words words,
                       const uint32_t *got);

/* Is one word right, by its place among those of all copies? */
bool ovl_moe_word_is_right(const struct ovl_moe_route *r, bool back, uint64_t key, struct ovl_moe_words words,
                           const uint32_t *got, size_t at);

/* Of such a copy: the member whose token it is, and the token. */
void ovl_moe_copy_of(const struct ovl_moe_route *r, bool back, int copy, int *member, int *token);

#endif
