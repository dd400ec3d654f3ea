/* Types of numbers: their table, what an option and a model's file say of them, data whose sums are exact in each, and
   the bytes that messages of each strategy have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/values/numbers.h"
#include "apps/train/values/whole.h"
#include "tests/fake/small_numbers.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

AROUND(NULL, train_unload)

/* The table against the formats' definitions. */
TEST(rows_are_what_the_formats_say)
{
    for (int i = 0; i < SMALL_FORMATS; i++) {
        const struct small_format *f = &small_formats[i];
        const struct ovl_number *row = ovl_numbers;
        while (row->dtype != f->dtype)
            row++;
        ck_assert_double_eq(row->most, small_size(f, small_largest(f)));
        ck_assert_double_eq(row->least, small_size(f, 1));
        ck_assert_double_eq(row->rounding, ldexp(1, -f->fraction - 1));
        ck_assert_double_eq((double)row->exact, f->exact);
        for (int n = 0; n <= row->exact; n++) /* each whole number up to there, and not the next one */
            ck_assert_double_eq(small_value(f, small_nearest(f, n)), n);
        ck_assert_double_ne(small_value(f, small_nearest(f, row->exact + 1)), row->exact + 1);
    }
    for (int i = 0; i < OVL_NUMBERS; i++) {
        const struct ovl_number *row = &ovl_numbers[i];
        float x[150], y[150];
        int64_t to[150], more[150];
        ck_assert_uint_eq(row->bytes, ovl_dtype_bytes(row->dtype));
        ck_assert_ptr_eq(ovl_number_find(row->name, strlen(row->name)), i < OVL_I64 ? row : NULL);
        for (int k = 0; k < 150; k++)
            x[k] = (float)(k % 15 - 7);
        row->convert(x, 150, to);
        row->values(to, 150, y);
        ck_assert_mem_eq(x, y, sizeof x);
        row->convert(x, 150, more);
        row->sum(to, more, 150);
        row->values(to, 150, y);
        for (int k = 0; k < 150; k++)
            ck_assert(y[k] == 2 * x[k]);
    }
    float beyond[3] = {300, -300, NAN};
    int8_t whole[3];
    ovl_numbers[OVL_I8].convert(beyond, 3, whole);
    ck_assert(whole[0] == 127 && whole[1] == -127);
}

TEST(words_for_types)
{
    static const char *const right[][2] = {{"f32", "f32"},
                                           {"bf16", "bf16"},
                                           {"bf16:bf16:bf16", "bf16"},
                                           {"bf16:f32", "bf16:f32"},
                                           {"f16:f16:f8", "f16:f16:f8"},
                                           {"i8:f32:i8", "i8:f32"}};
    static const char *const wrong[] = {"", "f64", "bf16:", "bf16:f32:f8:f8", ":f32", "bf16,f32", "i64", "F32"};
    struct ovl_number_types t;
    char text[OVL_NUMBER_TYPES_TEXT];
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_int_eq(ovl_number_types_parse(right[i][0], &t, &err), 0);
        ovl_number_types_text(&t, text);
        ck_assert_str_eq(text, right[i][1]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(ovl_number_types_parse(wrong[i], &t, &err) == -1, "%s", wrong[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
}

/* In any order and at any number of ranks the sums are the same bytes; what is wrong is seen. */
LOOP_TEST(sums_are_exact_and_wrong_ones_seen, 0, OVL_NUMBERS)
{
    enum { N = 700 };
    static const int ranks[] = {1, 2, 3, 7, 16, 64, 100, 129, 400};
    const struct ovl_number *row = &ovl_numbers[_i];
    const uint64_t key = 0x123456789abcdef;
    char *sum = calloc(N, row->bytes), *back = calloc(N, row->bytes), *one = calloc(N, row->bytes);
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        int p = ranks[k];
        memset(sum, 0, N * row->bytes);
        memset(back, 0, N * row->bytes);
        for (int r = 0; r < p; r++) {
            ovl_train_whole_fill(row, one, N, key, r, p);
            row->sum(sum, one, N);
            ovl_train_whole_fill(row, one, N, key, p - 1 - r, p);
            row->sum(back, one, N);
        }
        ck_assert_mem_eq(sum, back, N * row->bytes);
        ck_assert(ovl_train_whole_sums(row, sum, N, 0, key, p));
        ck_assert(ovl_train_whole_sums(row, sum + 7 * row->bytes, N - 7, 7, key, p));
        ck_assert(!ovl_train_whole_sums(row, sum, N, 1, key, p));
        ck_assert(!ovl_train_whole_sums(row, sum, N, 0, 0xfedcba987654321, p));
        for (size_t bit = 0; bit < 8 * row->bytes; bit++) {
            sum[(N - 1) * row->bytes + bit / 8] ^= (char)(1 << bit % 8);
            ck_assert(!ovl_train_whole_sums(row, sum, N, 0, key, p));
            sum[(N - 1) * row->bytes + bit / 8] ^= (char)(1 << bit % 8);
        }
        if (p > 1) { /* a rank twice, in place of another */
            char *twice = calloc(N, row->bytes);
            for (int r = 0; r < p; r++) {
                ovl_train_whole_fill(row, one, N, key, r == p / 2 ? 0 : r, p);
                row->sum(twice, one, N);
            }
            ck_assert(!ovl_train_whole_sums(row, twice, N, 0, key, p));
            free(twice);
        }
        ovl_train_whole_fill(row, one, N, key, p / 2, p); /* a rank too many */
        row->sum(sum, one, N);
        ck_assert(!ovl_train_whole_sums(row, sum, N, 0, key, p));
    }
    free(sum);
    free(back);
    free(one);
}

/* Of single precision, whose quick numbers have no room for so many. */
TEST(sums_of_very_many_ranks_are_exact)
{
    enum { N = 40, RANKS = 30000 };
    static float sum[N], back[N], one[N];
    for (int way = 0; way < 2; way++)
        for (int r = 0; r < RANKS; r++) {
            ovl_train_whole_fill(&ovl_numbers[OVL_F32], one, N, 77, way ? RANKS - 1 - r : r, RANKS);
            for (int i = 0; i < N; i++)
                (way ? back : sum)[i] += one[i];
        }
    ck_assert_mem_eq(sum, back, sizeof sum);
    ck_assert(ovl_train_whole_sums(&ovl_numbers[OVL_F32], sum, N, 0, 77, RANKS));
    ck_assert(!ovl_train_whole_sums(&ovl_numbers[OVL_F32], sum, N, 0, 78, RANKS));
    sum[N - 1]++;
    ck_assert(!ovl_train_whole_sums(&ovl_numbers[OVL_F32], sum, N, 0, 77, RANKS));
}

TEST(patterns_are_moved)
{
    for (size_t bytes = 1; bytes <= 2; bytes++) {
        unsigned char x[2000];
        ovl_train_pattern_fill(x, 1000, bytes, 5, 3);
        ck_assert(ovl_train_pattern_moved(x + 9 * bytes, 991, bytes, 9, 5, 3));
        ck_assert(!ovl_train_pattern_moved(x, 1000, bytes, 0, 5, 2) &&
                  !ovl_train_pattern_moved(x, 1000, bytes, 0, 4, 3) &&
                  !ovl_train_pattern_moved(x, 1000, bytes, 1, 5, 3));
        x[999 * bytes] ^= 1;
        ck_assert(!ovl_train_pattern_moved(x, 1000, bytes, 0, 5, 3));
    }
}

static double bytes_of(const struct ovl_strategy *s, struct ovl_train_ask ask, enum ovl_numbers_of of)
{
    struct ovl_events e;
    double bytes = 0;
    ovl_events_open(&e);
    ck_assert_int_eq(s->build(&ask, 0, &e, &err), 0);
    for (int id = 0; id < e.ids; id++)
        bytes += e.list[e.posted_at[id]].of == of ? e.list[e.posted_at[id]].bytes : 0;
    ovl_events_close(&e);
    return bytes;
}

/* What each strategy gives to the library, of each kind: those of f32 by the bytes of the type. */
TEST(bytes_are_those_of_the_types)
{
    static const struct ovl_strategy *const all[] = {&ovl_strategy_ddp,   &ovl_strategy_horovod, &ovl_strategy_zero1,
                                                     &ovl_strategy_zero2, &ovl_strategy_zero3,   &ovl_strategy_fsdp,
                                                     &ovl_strategy_tp,    &ovl_strategy_pp,      &ovl_strategy_3d};
    struct ovl_number_types types, before;
    train_load("gpt2");
    before = train_model.types;
    ck_assert_int_eq(ovl_number_types_parse("f16:bf16:f8", &types, &err), 0);
    for (size_t s = 0; s < sizeof all / sizeof *all; s++) {
        struct ovl_train_ask ask = train_ask(4);
        double wide[OVL_NUMBERS_OF], none = 0;
        ask.tensor = all[s] == &ovl_strategy_3d ? 2 : 1;
        ask.stages = all[s] == &ovl_strategy_3d ? 2 : 0;
        for (int k = 0; k < OVL_NUMBERS_OF; k++) {
            wide[k] = bytes_of(all[s], ask, (enum ovl_numbers_of)k);
            none += wide[k];
        }
        ck_assert_double_gt(none, 0);
        ovl_model_retype(&train_model, &types);
        for (int k = 0; k < OVL_NUMBERS_OF; k++)
            ck_assert_double_eq(bytes_of(all[s], ask, (enum ovl_numbers_of)k),
                                wide[k] / 4 * (double)types.of[k]->bytes);
        ovl_model_retype(&train_model, &before);
    }
}
