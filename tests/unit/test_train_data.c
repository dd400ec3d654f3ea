/* The data of a training step, the small network that really learns, and when compression pays. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/lossy.h"
#include "apps/train/tiny/tiny.h"
#include "apps/train/values/data.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums in any order are exact, and what is wrong is seen: a rank missing or twice, another place, another key, a bit.
 */
TEST(data_are_exact_and_wrong_ones_seen)
{
    enum { N = 1000, RANKS = 1000 };
    static float sum[N], one[N], back[N];
    static uint32_t words[N];
    for (int r = 0; r < RANKS; r++) {
        ovl_train_data_fill(one, N, 0x123456789abcdef, r, RANKS);
        for (int i = 0; i < N; i++)
            sum[i] += one[i];
    }
    for (int r = RANKS; r-- > 0;) {
        ovl_train_data_fill(one, N, 0x123456789abcdef, r, RANKS);
        for (int i = 0; i < N; i++)
            back[i] += one[i];
    }
    ck_assert_mem_eq(sum, back, sizeof sum);
    ck_assert(ovl_train_data_sums(sum, N, 0, 0x123456789abcdef, RANKS));
    ck_assert(ovl_train_data_sums(sum + 7, N - 7, 7, 0x123456789abcdef, RANKS));
    ck_assert(!ovl_train_data_sums(sum, N, 1, 0x123456789abcdef, RANKS));
    ck_assert(!ovl_train_data_sums(sum, N, 0, 0xfedcba987654321, RANKS));
    ck_assert(!ovl_train_data_sums(sum, N, 0, 0x123456789abcdef, RANKS - 1));
    for (int r = 1; r < RANKS; r++) { /* another's contribution in place of rank 0's: everywhere */
        float other[1];
        ovl_train_data_fill(one, 1, 0x123456789abcdef, 0, RANKS);
        ovl_train_data_fill(other, 1, 0x123456789abcdef, r, RANKS);
        ck_assert(*one != *other);
    }
    ovl_train_data_fill(one, N, 0x123456789abcdef, 5, RANKS); /* nor is one a constant more than another */
    ovl_train_data_fill(back, N, 0x123456789abcdef, 6, RANKS);
    bool constant = true;
    for (int i = 1; i < N; i++)
        constant = constant && one[i] - back[i] == one[0] - back[0];
    ck_assert(!constant);
    for (int bit = 0; bit < 32; bit++) {
        memcpy(one, sum, sizeof one);
        uint32_t *number = (uint32_t *)(void *)&one[N - 1];
        *number ^= (uint32_t)1 << bit;
        ck_assert(!ovl_train_data_sums(one, N, 0, 0x123456789abcdef, RANKS));
    }
    ovl_train_data_words(words, N, 5, 3);
    uint32_t part[10];
    ovl_train_data_words_from(part, 10, 17, 5, 3);
    ck_assert_mem_eq(part, words + 17, sizeof part);
    ck_assert(ovl_train_data_moved(words + 9, N - 9, 9, 5, 3));
    ck_assert(!ovl_train_data_moved(words, N, 0, 5, 2) && !ovl_train_data_moved(words, N, 0, 4, 3));
    ck_assert(!ovl_train_data_moved(words + 1, N - 1, 0, 5, 3));
    /* The first of them tells no other one, nor does the step between two of another rank's. */
    static uint32_t other[N];
    size_t alike = 0;
    ovl_train_data_words(other, N, 5, 4);
    for (size_t i = 2; i < N; i++)
        alike += (words[i] - words[i - 1] == words[1] - words[0]) + (words[i] - words[0] == other[i] - other[0]) +
                 ((words[i] ^ words[0]) == (other[i] ^ other[0]));
    ck_assert_uint_eq(alike, 0);
    words[N - 1] ^= 0x10000;
    ck_assert(!ovl_train_data_moved(words, N, 0, 5, 3));
}

static struct ovl_tiny serial, part;

static double mean_of(struct ovl_tiny *t, uint64_t first, int steps)
{
    double sum = 0;
    for (int k = 0; k < steps; k++) {
        ovl_tiny_serial(t, first + (uint64_t)k);
        sum += ovl_tiny_mean(t->loss);
    }
    return sum / steps;
}

TEST(the_tiny_network_learns)
{
    ovl_tiny_start(&serial);
    double before = mean_of(&serial, 0, 5);
    mean_of(&serial, 5, 40);
    ck_assert_double_lt(mean_of(&serial, 45, 5), before / 2);
}

/* The gradients are those of the loss: by differences. */
TEST(its_gradients_are_right)
{
    const double step = 1e-4;
    for (size_t i = 0; i < OVL_TINY_NUMBERS; i += 7) {
        double loss[2];
        for (int s = 0; s < 2; s++) {
            ovl_tiny_start(&part);
            part.parameters[i] += s ? step : -step;
            ovl_tiny_serial(&part, 9);
            loss[s] = (double)part.loss;
        }
        ovl_tiny_start(&part);
        ovl_tiny_serial(&part, 9);
        double slope = (loss[1] - loss[0]) / (2 * step);
        ck_assert_double_eq_tol((double)part.gradients[i] / 0x1p32, slope / 0x1p32, 1e-4);
    }
}

/* However the samples are shared out, the sums are the same to the last bit. */
TEST(its_sums_do_not_depend_on_the_ranks)
{
    ovl_tiny_start(&serial);
    ovl_tiny_serial(&serial, 3);
    for (int ranks = 1; ranks <= 30; ranks++) {
        int64_t sums[OVL_TINY_NUMBERS] = {0}, loss = 0;
        for (int r = 0; r < ranks; r++) {
            ovl_tiny_start(&part);
            ovl_tiny_load_samples(&part, 3, r, ranks);
            for (int l = 0; l < OVL_TINY_LAYERS; l++)
                ovl_tiny_forward(&part, l);
            for (int l = OVL_TINY_LAYERS; l-- > 0;)
                ovl_tiny_backward(&part, l);
            for (int i = 0; i < OVL_TINY_NUMBERS; i++)
                sums[i] += part.gradients[i];
            loss += part.loss;
        }
        ck_assert_mem_eq(sums, serial.gradients, sizeof sums);
        ck_assert(loss == serial.loss);
        ovl_tiny_update(&part, 0, 100, sums);
        ovl_tiny_update(&part, 100, OVL_TINY_NUMBERS - 100, sums + 100);
        ck_assert_mem_eq(part.parameters, serial.parameters, sizeof part.parameters);
    }
    struct ovl_model model;
    ovl_tiny_model(&model);
    ck_assert_double_eq(model.numbers, OVL_TINY_NUMBERS);
    ovl_model_free(&model);
}

/* The link's time that P ranks save by it, against the time that it takes: of S bytes each rank sends 2 S (P - 1) / P,
   compresses S + S / P and expands 2 S. */
TEST(compression_pays_below_a_rate_of_the_link)
{
    const double s = 1e6, in = 2e9, out = 3e9;
    for (int p = 2; p <= 512; p *= 4) {
        double pieces = s * (p - 1) / p, sums = s / p * (p - 1), of_pieces = 1.75, of_sums = 1.25;
        struct ovl_lossy_cost c = {s + s / p,   (s + s / p) / in, 2 * s,
                                   2 * s / out, pieces + sums,    pieces / of_pieces + sums / of_sums};
        double ratio = 2 / (1 / of_pieces + 1 / of_sums);
        ck_assert_double_eq_tol(ovl_lossy_ratio(&c), ratio, 1e-9);
        double rate = ovl_lossy_break_even(&c);
        ck_assert_double_eq_tol(rate, 2.0 * (p - 1) / p * (1 - 1 / ratio) / ((1 + 1.0 / p) / in + 2 / out), 1e-3);
        /* On that link both take equally long; on a slower one compression is quicker, on a faster one slower. */
        for (int side = -1; side <= 1; side++) {
            double link = rate * (1 + side * 0.01), plain = c.sent_raw_bytes / link;
            double packed = c.sent_packed_bytes / link + c.pack_seconds + c.expand_seconds;
            ck_assert(side == 0 ? fabs(packed - plain) < 1e-12 : (packed < plain) == (side < 0));
        }
    }
    ck_assert(isnan(ovl_lossy_ratio(&(struct ovl_lossy_cost){s, 1, s, 1, 0, 0})));
    ck_assert(isnan(ovl_lossy_break_even(&(struct ovl_lossy_cost){s, 1, s, 1, 0, 0})));
    ck_assert(isnan(ovl_lossy_break_even(&(struct ovl_lossy_cost){s, 1, s, 1, s, s})));
}
