/* What `problem` of a cell of ovl_serve has in words, from its options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_SERVE_WORDS_H
#define OVL_RECORD_DERIVED_SERVE_WORDS_H

enum { OVL_SERVE_TEXT = 160, OVL_SERVE_MESSAGES = 8, OVL_SERVE_BLOCK = 512 }; /* the last two: where none are given */

/* Requests that are drawn, where `shared` may be ""; how they are batched, where `chunk` and `memory` may be 0; and
   which ranks do what, where what was not given is 0 or "". Of pd and tier keys and values may be sent as other
   numbers.
 */
void ovl_serve_drawn_text(double requests, const char *arrival, const char *prompt, const char *output,
                          const char *shared, double seed, char text[OVL_SERVE_TEXT]);
void ovl_serve_batching_text(const char *batching, double slots, double chunk, double memory,
                             char text[OVL_SERVE_TEXT]);
struct ovl_serve_layout {
    const char *strategy;
    double ranks, readers, messages, tiers, block, tier_memory, balance, skew;
    const char *overlap, *act, *kv, *sent, *dispatch, *combine, *per;
};
void ovl_serve_layout_text(const struct ovl_serve_layout *layout, char text[OVL_SERVE_TEXT]);

#endif
