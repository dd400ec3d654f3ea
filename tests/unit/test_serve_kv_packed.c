/* Keys and values as numbers of one byte: each is as near as it must be, and a bit that is not what was sent is seen.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/kv_packed.h"
#include "kernels/small_float.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

enum { WORDS = 60, NUMBERS = 4 * WORDS };
static const enum ovl_kv_packing kinds[] = {OVL_KV_PACKING_I8, OVL_KV_PACKING_F8};

TEST(a_number_takes_one_byte_and_a_scale_is_of_64)
{
    ck_assert_double_eq(ovl_kv_packed_bytes(OVL_KV_PACKING_F8), 1);
    ck_assert_double_eq(ovl_kv_packed_bytes(OVL_KV_PACKING_I8), 17.0 / 16);
    ck_assert(ovl_kv_packing_of(NULL) == OVL_KV_PACKING_NONE && ovl_kv_packing_of("i8") == OVL_KV_PACKING_I8);
    ck_assert(ovl_kv_packing_of("f8") == OVL_KV_PACKING_F8);
    ck_assert_int_eq(ovl_kv_packed_numbers(OVL_KV_PACKING_F8, 17), 68);
    ck_assert_int_eq(ovl_kv_packed_numbers(OVL_KV_PACKING_I8, 17), 64);
    ck_assert_int_eq(ovl_kv_packed_numbers(OVL_KV_PACKING_I8, 18), 64); /* a scale of nothing */
    ck_assert_int_eq(ovl_kv_packed_numbers(OVL_KV_PACKING_I8, 19), 68);
}

/* The largest error by what it may be is told, and is near that. Kept numbers are f16. */
TEST(each_number_is_as_near_as_it_must_be)
{
    for (int kind = 0; kind < 2; kind++)
        for (int round = 0; round < rounds(200, 5000); round++) {
            struct ovl_rng_words of = ovl_rng_words((uint64_t)round + 5);
            size_t words = 1 + (size_t)round % WORDS, n = ovl_kv_packed_numbers(kinds[kind], words);
            uint32_t sent[WORDS];
            uint16_t kept[NUMBERS];
            double worst = 0;
            ovl_kv_packed_fill(kinds[kind], of, sent, words);
            ck_assert(ovl_kv_packed_right(kinds[kind], of, sent, words, 0, words, &worst));
            ck_assert(worst <= 1 && (worst > 0.8 || words < WORDS));
            ovl_kv_packed_expand(kinds[kind], sent, words, kept);
            for (size_t i = 0, group = 0; i < n; i++) {
                float x = ovl_kv_packed_number(of, i), most = 0;
                ck_assert(ovl_fp16_value(ovl_fp16_of(x)) == x && fabsf(x) <= 8);
                group = i / OVL_KV_PACKED_GROUP * OVL_KV_PACKED_GROUP;
                for (size_t k = group; k < group + OVL_KV_PACKED_GROUP && k < n; k++)
                    most = fmaxf(most, fabsf(ovl_kv_packed_number(of, k)));
                double may =
                    kinds[kind] == OVL_KV_PACKING_I8 ? most / 127 / 2 * (1 + 1e-6) : fmax(fabs(x) / 16, 0x1p-10);
                ck_assert(fabs(ovl_fp16_value(kept[i]) - x) <= may + fabs(x) * 0x1p-10);
            }
        }
}

/* Whatever bit it is; and words that are looked at are those alone. */
TEST(a_damaged_bit_is_seen)
{
    for (int kind = 0; kind < 2; kind++) {
        struct ovl_rng_words of = ovl_rng_words(8), other = ovl_rng_words(9);
        uint32_t sent[WORDS];
        ovl_kv_packed_fill(kinds[kind], of, sent, WORDS);
        for (size_t bit = 0; bit < 32 * WORDS; bit++) {
            double worst = 0;
            sent[bit / 32] ^= UINT32_C(1) << bit % 32;
            ck_assert(!ovl_kv_packed_right(kinds[kind], of, sent, WORDS, 0, WORDS, &worst));
            ck_assert(!ovl_kv_packed_right(kinds[kind], of, sent, WORDS, bit / 32, 1, &worst));
            if (bit % 32 == 30 && kinds[kind] == OVL_KV_PACKING_F8) /* the largest bit of an exponent */
                ck_assert(!(worst <= 1));
            sent[bit / 32] ^= UINT32_C(1) << bit % 32;
        }
        for (size_t word = 0; word < WORDS; word++) {
            double worst = 0;
            ck_assert(ovl_kv_packed_right(kinds[kind], of, sent, WORDS, word, 1, &worst));
            ck_assert(!ovl_kv_packed_right(kinds[kind], other, sent, WORDS, word, 1, &worst));
        }
    }
}
