/* Pieces are expanded and added in the order of ranks, in double precision: all orders of arrival give one sum. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/lossy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ovl_lossy_parse(const char *text, struct ovl_lossy *l, struct ovl_error *err)
{
    static const char szx[] = "szx:";
    *l = (struct ovl_lossy){.bound = 0};
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
    l->halves = strcmp(text, "fp16") == 0   ? &ovl_numbers[OVL_F16]
                : strcmp(text, "bf16") == 0 ? &ovl_numbers[OVL_BF16]
                                            : NULL;
    return l->halves ? 0
                     : ovl_error_set(err, OVL_USAGE,
                                     "--compress %s: give none, szx:EB with the largest error, fp16 or bf16", text);
}

/* Of rounding to single precision. */
static const double single = 0x1p-24;

struct ovl_lossy_error ovl_lossy_error(const struct ovl_lossy *l, int ranks)
{
    if (l->compressor)
        return (struct ovl_lossy_error){((1 + single) * ranks + 1) * (double)l->bound, single};
    if (!l->halves)
        return (struct ovl_lossy_error){0, 0};
    double all = pow(1 + l->halves->rounding, ranks) * pow(1 + single, 3); /* a mean is made by one, and undone */
    return (struct ovl_lossy_error){all * ranks * ranks * l->halves->least / 2, all - 1};
}

double ovl_lossy_error_of(const struct ovl_lossy *l, int ranks, double sizes)
{
    struct ovl_lossy_error most = ovl_lossy_error(l, ranks);
    return most.absolute + (most.relative + (1 + most.relative) * 2 * single) * sizes;
}

int ovl_lossy_check_range(const struct ovl_lossy *l, double most, const char *what, struct ovl_error *err)
{
    if (!l->halves || most <= l->halves->most)
        return 0;
    return ovl_error_set(err, OVL_USAGE, "%s: has numbers of %g, and the largest of %s is %g; compress otherwise", what,
                         most, l->halves->name, l->halves->most);
}

enum { ROUND = 256 };

void ovl_lossy_to_means(const struct ovl_lossy *l, const float *from, size_t n, int ranks, void *to)
{
    const float part = 1 / (float)ranks;
    float round[ROUND];
    size_t i = 0;
    for (; i + ROUND <= n; i += ROUND) { /* a loop of a fixed length, which compilers make vectors of */
        for (size_t k = 0; k < ROUND; k++)
            round[k] = from[i + k] * part;
        l->halves->convert(round, ROUND, (char *)to + i * l->halves->bytes);
    }
    for (size_t k = i; k < n; k++)
        round[k - i] = from[k] * part;
    l->halves->convert(round, n - i, (char *)to + i * l->halves->bytes);
}

void ovl_lossy_of_means(const struct ovl_lossy *l, const void *from, size_t n, int ranks, float *to)
{
    l->halves->values(from, n, to);
    for (size_t i = 0; i < n; i++)
        to[i] *= (float)ranks;
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
