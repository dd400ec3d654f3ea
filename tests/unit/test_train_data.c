/* The data of a training step, the small network that really learns, and sums of compressed gradients. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/lossy.h"
#include "apps/train/strategy/data.h"
#include "apps/train/tiny/tiny.h"
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
        ovl_train_data_fill(one, N, 0x123456789abcdef, r);
        for (int i = 0; i < N; i++)
            sum[i] += one[i];
    }
    for (int r = RANKS; r-- > 0;) {
        ovl_train_data_fill(one, N, 0x123456789abcdef, r);
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
        ovl_train_data_fill(one, 1, 0x123456789abcdef, 0);
        ovl_train_data_fill(other, 1, 0x123456789abcdef, r);
        ck_assert(*one != *other);
    }
    for (int bit = 0; bit < 32; bit++) {
        memcpy(one, sum, sizeof one);
        uint32_t *number = (uint32_t *)(void *)&one[N - 1];
        *number ^= (uint32_t)1 << bit;
        ck_assert(!ovl_train_data_sums(one, N, 0, 0x123456789abcdef, RANKS));
    }
    ovl_train_data_words(words, N, 5, 3);
    ck_assert(ovl_train_data_moved(words + 9, N - 9, 9, 5, 3));
    ck_assert(!ovl_train_data_moved(words, N, 0, 5, 2) && !ovl_train_data_moved(words, N, 0, 4, 3));
    ck_assert(!ovl_train_data_moved(words + 1, N - 1, 0, 5, 3));
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

static const char *const kinds[] = {"szx:0.01", "szx:0.9", "szx:40", "fp16", "bf16"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An allreduce as all ranks play it, for 1 to 17 ranks and sizes that leave ranks without a piece: no sum is beyond its
   bound, compression saves something, and a damaged piece is seen. */
LOOP_TEST(compressed_sums_keep_their_bound, 0, KINDS)
{
    enum { MOST = 1500, RANKS = 17 };
    static float from[RANKS][MOST], sum[MOST];
    static double room[MOST];
    static unsigned char packed[RANKS][8 * MOST], arrived[8 * MOST];
    static const size_t sizes[] = {1, 13, 256, MOST};
    struct ovl_lossy l;
    ck_assert_int_eq(ovl_lossy_parse(kinds[_i], &l, &err), 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int ranks = 1; ranks <= RANKS; ranks++) {
            size_t n = sizes[k], all = 0;
            int counts[RANKS], bytes[RANKS][RANKS], at[RANKS][RANKS], places[RANKS], sizes_here[RANKS], one, none;
            for (int r = 0; r < ranks; r++) {
                counts[r] = (int)(n / (size_t)ranks + ((size_t)r < n % (size_t)ranks));
                ovl_train_data_fill(from[r], n, 77, r);
            }
            for (int r = 0; r < ranks; r++)
                all +=
                    ovl_lossy_pack(&l, from[r], counts, ranks, &(struct ovl_lossy_pieces){packed[r], bytes[r], at[r]});
            float *to = sum;
            for (int r = 0; r < ranks; to += counts[r++]) { /* what rank r adds up and sends to all */
                int end = 0;
                for (int s = 0; s < ranks; end += bytes[s++][r]) {
                    memcpy(arrived + end, packed[s] + at[s][r], (size_t)bytes[s][r]);
                    places[s] = end;
                    sizes_here[s] = bytes[s][r];
                }
                ovl_lossy_add(&l, &(struct ovl_lossy_pieces){arrived, sizes_here, places}, ranks, (size_t)counts[r],
                              room, to);
                ovl_lossy_pack(&l, to, &counts[r], 1, &(struct ovl_lossy_pieces){arrived, &one, &none});
                ovl_lossy_expand(&l, arrived, one, to, (size_t)counts[r]);
            }
            struct ovl_lossy_error e = ovl_lossy_error(&l, ranks);
            double largest = 0;
            ck_assert_uint_eq(ovl_train_data_misses(sum, n, 77, ranks, e.absolute, e.relative, &largest), 0);
            ck_assert(n < MOST || all < (size_t)ranks * n * sizeof(float));
            ck_assert(n < MOST || l.bound < 1 || largest > 0);
            if (n < MOST)
                continue;
            sum[n / 2] += (float)(1.1 * (2 * e.absolute + 2 * e.relative * (double)sum[n / 2]) + 1e-3);
            ck_assert_uint_eq(ovl_train_data_misses(sum, n, 77, ranks, e.absolute, e.relative, &largest), 1);
            ovl_lossy_expand(&l, arrived, one - 1, sum, (size_t)counts[ranks - 1]);
            ck_assert(isnan(sum[0]));
            ck_assert_uint_ge(ovl_train_data_misses(sum, n, 77, ranks, e.absolute, e.relative, &largest), 1);
        }
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
        /* On that link both take equally long. */
        ck_assert_double_eq_tol(c.sent_raw_bytes / rate, c.sent_packed_bytes / rate + c.pack_seconds + c.expand_seconds,
                                1e-12);
    }
    ck_assert(isnan(ovl_lossy_ratio(&(struct ovl_lossy_cost){s, 1, s, 1, 0, 0})));
    ck_assert(isnan(ovl_lossy_break_even(&(struct ovl_lossy_cost){s, 1, s, 1, 0, 0})));
    ck_assert(isnan(ovl_lossy_break_even(&(struct ovl_lossy_cost){s, 1, s, 1, s, s})));
}

/* What three ranks of --tiny do with compressed gradients: each sum within its bound, which sees what is beyond it, and
   the network learns. */
LOOP_TEST(compressed_gradients_still_learn, 0, 4)
{
    enum { RANKS = 3, STEPS = 50, N = OVL_TINY_NUMBERS };
    static const char *const how[] = {"szx:0.001", "szx:0.05", "fp16", "bf16"};
    static struct ovl_tiny rank, before;
    static float values[N], sums[N];
    static double exact[N], sizes[N], all[N];
    static unsigned char packed[8 * N];
    static int64_t fixed[N];
    double first = 0, last = 0, largest = 0;
    int count = N, bytes, at, missed = 0, seen = 0;
    struct ovl_lossy l;
    ck_assert_int_eq(ovl_lossy_parse(how[_i], &l, &err), 0);
    ovl_tiny_start(&rank);
    for (uint64_t step = 0; step < STEPS; step++) {
        int64_t loss = 0;
        memset(all, 0, sizeof all);
        memcpy(before.parameters, rank.parameters, sizeof rank.parameters);
        for (int r = 0; r < RANKS; r++) {
            ovl_tiny_gradients(&rank, step, r, RANKS);
            loss += rank.loss;
            ovl_tiny_floats(rank.gradients, N, values);
            ovl_lossy_pack(&l, values, &count, 1, &(struct ovl_lossy_pieces){packed, &bytes, &at});
            ovl_lossy_expand(&l, packed, bytes, values, N);
            for (int i = 0; i < N; i++)
                all[i] += (double)values[i];
        }
        for (int i = 0; i < N; i++)
            sums[i] = (float)all[i];
        ovl_lossy_pack(&l, sums, &count, 1, &(struct ovl_lossy_pieces){packed, &bytes, &at});
        ovl_lossy_expand(&l, packed, bytes, sums, N);
        ovl_tiny_exact(&before, step, RANKS, exact, sizes);
        for (int i = 0; i < N; i++) {
            double most = ovl_lossy_error_of(&l, RANKS, sizes[i]);
            missed += !(fabs((double)sums[i] - exact[i]) <= most);
            seen += !(fabs((double)sums[i] + 2.1 * most + 1e-6 - exact[i]) <= most);
            largest = fmax(largest, sizes[i]);
        }
        ovl_tiny_fixed(sums, N, fixed);
        ovl_tiny_update(&rank, 0, N, fixed);
        last = ovl_tiny_mean(loss);
        first = step == 0 ? last : first;
    }
    ck_assert_int_eq(missed, 0);
    ck_assert_int_eq(seen, STEPS * N);
    ck_assert_double_lt(last, first / 2);
    ck_assert_double_lt(largest, OVL_TINY_LARGEST);
    values[0] = NAN;
    values[1] = INFINITY;
    ovl_tiny_fixed(values, 2, fixed);
    ck_assert(fixed[0] == 0 && fixed[1] == 0);
}

TEST(words_for_compression)
{
    static const char *const wrong[] = {"szx", "szx:", "szx:0", "szx:-1", "szx:nan", "szx:1x", "szx:inf", "fp8", ""};
    struct ovl_lossy l;
    ck_assert_int_eq(ovl_lossy_parse("none", &l, &err), 0);
    ck_assert_ptr_null(l.compressor);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(ovl_lossy_parse(wrong[i], &l, &err) == -1, "%s", wrong[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
    ck_assert_int_eq(ovl_lossy_parse("fp16", &l, &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 51, OVL_TRAIN_DATA_MOST, &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 52, OVL_TRAIN_DATA_MOST, &err), -1);
    ck_assert_int_eq(ovl_lossy_parse("bf16", &l, &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 10000, OVL_TRAIN_DATA_MOST, &err), 0);
}
