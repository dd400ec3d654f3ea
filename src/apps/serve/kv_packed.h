/* Keys and values that travel as numbers of one byte (--compress): i8, 64 of them with a scale in front, as KVQuant and
   vLLM have by blocks, or E4M3 of the Open Compute Project's 8-bit floating point specification (2023). The numbers
   follow from their place, so that any rank knows how far each one may be off. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_KV_PACKED_H
#define OVL_APPS_SERVE_KV_PACKED_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

enum ovl_kv_packing { OVL_KV_PACKING_NONE, OVL_KV_PACKING_I8, OVL_KV_PACKING_F8 };
enum { OVL_KV_PACKED_GROUP = 64 }; /* numbers */

/* "i8" or "f8"; NULL: none. */
enum ovl_kv_packing ovl_kv_packing_of(const char *name);
/* Bytes of a number on its way. */
double ovl_kv_packed_bytes(enum ovl_kv_packing how);
/* How many numbers so many words of four bytes have. */
size_t ovl_kv_packed_numbers(enum ovl_kv_packing how, size_t words);

/* The number at a place: one of f16, up to 8. */
float ovl_kv_packed_number(struct ovl_rng_words of, size_t place);
void ovl_kv_packed_fill(enum ovl_kv_packing how, struct ovl_rng_words of, uint32_t *to, size_t words);
/* As f16, to[ovl_kv_packed_numbers(how, words)]. */
void ovl_kv_packed_expand(enum ovl_kv_packing how, const uint32_t *from, size_t words, uint16_t *to);

/* Are n words of `words` from `first` on those that were sent, and each number that they are of as near as it must be:
   of i8 by half a step of its scale, of f8 by 2^-4 of itself, or half the least subnormal? *worst gets the largest
   error by what it may be, where that is more. */
bool ovl_kv_packed_right(enum ovl_kv_packing how, struct ovl_rng_words of, const uint32_t *got, size_t words,
                         size_t first, size_t n, double *worst);

#endif
