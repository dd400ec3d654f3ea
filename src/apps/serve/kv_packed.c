/* A group at a time: its scale, where it has one, then its numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/kv_packed.h"
#include "kernels/small_float.h"

#include <math.h>
#include <string.h>

enum { WORD = 4, MOST = 127 };

static size_t head(enum ovl_kv_packing how)
{
    return how == OVL_KV_PACKING_I8;
}

static size_t group_words(enum ovl_kv_packing how)
{
    return head(how) + OVL_KV_PACKED_GROUP / WORD;
}

enum ovl_kv_packing ovl_kv_packing_of(const char *name)
{
    return !name ? OVL_KV_PACKING_NONE : strcmp(name, "i8") == 0 ? OVL_KV_PACKING_I8 : OVL_KV_PACKING_F8;
}

double ovl_kv_packed_bytes(enum ovl_kv_packing how)
{
    return (double)group_words(how) * WORD / OVL_KV_PACKED_GROUP;
}

size_t ovl_kv_packed_numbers(enum ovl_kv_packing how, size_t words)
{
    size_t groups = (words + group_words(how) - 1) / group_words(how);
    return WORD * (words - groups * head(how));
}

float ovl_kv_packed_number(struct ovl_rng_words of, size_t place)
{
    uint32_t word = ovl_rng_word(of, (uint32_t)place);
    return (float)((int)(word >> 21) - 1024) * (1.0f / 128) / (float)(1 << (word & 7));
}

/* n numbers of group `group`; their words. */
static void pack(enum ovl_kv_packing how, struct ovl_rng_words of, size_t group, size_t n, uint32_t *to)
{
    float x[OVL_KV_PACKED_GROUP], most = 0;
    int8_t bytes[OVL_KV_PACKED_GROUP];
    for (size_t i = 0; i < n; i++)
        x[i] = ovl_kv_packed_number(of, group * OVL_KV_PACKED_GROUP + i);
    if (how == OVL_KV_PACKING_F8) {
        ovl_e4m3_row_of(x, n, (uint8_t *)to);
        return;
    }
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    float scale = most > 0 ? most / MOST : 1;
    const double by = 1 / (double)scale;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (int8_t)rint(x[i] * by);
    memcpy(to, &scale, sizeof scale);
    memcpy(to + 1, bytes, n);
}

/* The numbers of a group, of n. */
static void unpack(enum ovl_kv_packing how, const uint32_t *from, size_t n, float *to)
{
    int8_t bytes[OVL_KV_PACKED_GROUP];
    float scale;
    if (how == OVL_KV_PACKING_F8) {
        ovl_e4m3_row_values((const uint8_t *)from, n, to);
        return;
    }
    memcpy(&scale, from, sizeof scale);
    memcpy(bytes, from + 1, n);
    for (size_t i = 0; i < n; i++)
        to[i] = scale * bytes[i];
}

/* Numbers of the group that begins at a word. */
static size_t in_group(enum ovl_kv_packing how, size_t words, size_t at)
{
    size_t left = words - at, all = group_words(how);
    return WORD * ((left < all ? left : all) - head(how));
}

void ovl_kv_packed_fill(enum ovl_kv_packing how, struct ovl_rng_words of, uint32_t *to, size_t words)
{
    for (size_t at = 0, group = 0; at < words; at += group_words(how))
        pack(how, of, group++, in_group(how, words, at), to + at);
}

void ovl_kv_packed_expand(enum ovl_kv_packing how, const uint32_t *from, size_t words, uint16_t *to)
{
    float x[OVL_KV_PACKED_GROUP];
    for (size_t at = 0, n; at < words; at += group_words(how), to += n) {
        n = in_group(how, words, at);
        unpack(how, from + at, n, x);
        ovl_fp16_row_of(x, n, to);
    }
}

/* The largest error of a group by what it may be. Rounding of the quotient may be off by the last bits of a double. */
static double error_of(enum ovl_kv_packing how, struct ovl_rng_words of, size_t group, const uint32_t *got, size_t n)
{
    const double tie = 1 + 1e-12;
    float x[OVL_KV_PACKED_GROUP], scale;
    double worst = 0;
    unpack(how, got, n, x);
    memcpy(&scale, got, sizeof scale);
    for (size_t i = 0; i < n; i++) {
        double exact = ovl_kv_packed_number(of, group * OVL_KV_PACKED_GROUP + i), value = x[i];
        double may = how == OVL_KV_PACKING_F8 ? fmax(0x1p-4 * fabs(exact), 0x1p-10) : 0.5 * (double)scale * tie;
        if (how == OVL_KV_PACKING_I8) /* no rounding of the product */
            value = (double)scale * ((const int8_t *)(got + 1))[i];
        double error = fabs(value - exact) / may;
        worst = error <= worst ? worst : error; /* what is no number, too */
    }
    return worst;
}

bool ovl_kv_packed_right(enum ovl_kv_packing how, struct ovl_rng_words of, const uint32_t *got, size_t words,
                         size_t first, size_t n, double *worst)
{
    size_t all = group_words(how);
    bool right = true;
    for (size_t group = first / all; group * all < first + n; group++) {
        uint32_t sent[1 + OVL_KV_PACKED_GROUP / WORD];
        size_t at = group * all, numbers = in_group(how, words, at), length = head(how) + numbers / WORD;
        pack(how, of, group, numbers, sent);
        double error = error_of(how, of, group, got + at, numbers);
        right &= memcmp(sent, got + at, length * sizeof *sent) == 0 && error <= 1;
        *worst = error <= *worst ? *worst : error;
    }
    return right;
}
