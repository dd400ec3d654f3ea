/* Pieces are expanded and added in the order of ranks, in double precision: all orders of arrival give one sum. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/lossy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ovl_lossy_parse(const char *text, struct ovl_lossy *l, struct ovl_error *err)
{
    static const char szx[] = "szx:";
    *l = (struct ovl_lossy){NULL, 0};
    if (strcmp(text, "none") == 0)
        return 0;
    if (strncmp(text, szx, strlen(szx)) == 0) {
        char *end;
        l->bound = strtof(text + strlen(szx), &end);
        if (end == text + strlen(szx) || *end || !(l->bound > 0 && l->bound <= 1e30f))
            return ovl_error_set(
                err, OVL_USAGE, "--compress %s: give the largest error of a gradient, above 0, such as szx:0.25", text);
        l->compressor = &ovl_compressor_szx;
        return 0;
    }
    const struct ovl_compressor *c = ovl_compressor_find(text);
    if (!c || c->bounded)
        return ovl_error_set(err, OVL_USAGE, "--compress %s: give none, szx:EB with the largest error, fp16 or bf16",
                             text);
    l->compressor = c;
    return 0;
}

struct ovl_lossy_error ovl_lossy_error(const struct ovl_lossy *l, int ranks)
{
    const double rounded = 0x1p-24; /* the sum, once, to single precision */
    if (!l->compressor)
        return (struct ovl_lossy_error){0, 0};
    if (l->compressor->bounded)
        return (struct ovl_lossy_error){((1 + rounded) * ranks + 1) * (double)l->bound, rounded};
    double each = l->compressor == &ovl_compressor_fp16 ? 0x1p-11 : 0x1p-8;
    return (struct ovl_lossy_error){0, (1 + each) * (1 + each) * (1 + rounded) - 1};
}

double ovl_lossy_error_of(const struct ovl_lossy *l, int ranks, double magnitudes)
{
    const double unit = 0x1p-24, single = 0x1p-24; /* of fp16 below its normal numbers; of single precision */
    struct ovl_lossy_error most = ovl_lossy_error(l, ranks);
    double small = l->compressor == &ovl_compressor_fp16 ? (ranks + 1) * unit / 2 : 0;
    return most.absolute + small + (most.relative + (1 + most.relative) * 2 * single) * magnitudes;
}

int ovl_lossy_check_range(const struct ovl_lossy *l, int ranks, double most, struct ovl_error *err)
{
    const double largest = 65504;
    if (l->compressor == &ovl_compressor_fp16 && ranks * most > largest)
        return ovl_error_set(err, OVL_USAGE,
                             "--compress fp16: sums of %d ranks go beyond its largest number, %.0f; give %d ranks at "
                             "most, or bf16",
                             ranks, largest, (int)(largest / most));
    return 0;
}

size_t ovl_lossy_pack(const struct ovl_lossy *l, const float *from, const int *counts, int ranks,
                      const struct ovl_lossy_pieces *to)
{
    size_t end = 0;
    for (int r = 0; r < ranks; from += counts[r++]) {
        to->at[r] = (int)end;
        to->bytes[r] = (int)l->compressor->compress(from, (size_t)counts[r], l->bound, to->data + end);
        end += (size_t)to->bytes[r];
    }
    return end;
}

void ovl_lossy_expand(const struct ovl_lossy *l, const unsigned char *from, int bytes, float *to, size_t n)
{
    if (l->compressor->expand(from, (size_t)bytes, to, n) != 0)
        for (size_t i = 0; i < n; i++)
            to[i] = NAN;
}

void ovl_lossy_add(const struct ovl_lossy *l, const struct ovl_lossy_pieces *from, int ranks, size_t n, double *scratch,
                   float *sum)
{
    memset(scratch, 0, n * sizeof *scratch);
    for (int r = 0; r < ranks; r++) {
        ovl_lossy_expand(l, from->data + from->at[r], from->bytes[r], sum, n);
        for (size_t i = 0; i < n; i++)
            scratch[i] += (double)sum[i];
    }
    for (size_t i = 0; i < n; i++)
        sum[i] = (float)scratch[i];
}

double ovl_lossy_ratio(const struct ovl_lossy_cost *c)
{
    return c->sent_packed_bytes > 0 ? c->sent_raw_bytes / c->sent_packed_bytes : NAN;
}

double ovl_lossy_break_even(const struct ovl_lossy_cost *c)
{
    double saved = c->sent_raw_bytes - c->sent_packed_bytes, took = c->pack_seconds + c->expand_seconds;
    return saved > 0 && took > 0 ? saved / took : NAN;
}
