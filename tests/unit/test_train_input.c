/* Input of a training and its helpers: samples against a slow second way to make them, and what a pool hands over,
   answers and adds against the same made here; a batch that was spoilt and a helper that ended are seen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/helper_pool.h"
#include "apps/train/values/data.h"
#include "base/checksum.h"
#include "base/rng.h"
#include "cli/presets/train_presets.h"
#include "tests/unit/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bit by bit, of the polynomial alone. */
static uint32_t slow_crc(const unsigned char *data, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc ^ data[i] >> bit) & 1 ? 0xedb88320 : 0);
    return ~crc;
}

TEST(checksum_of_any_length_in_any_parts)
{
    unsigned char data[70];
    ck_assert_uint_eq(ovl_checksum_crc32(0, "123456789", 9), 0xcbf43926);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)ovl_rng_mix(i);
    for (size_t from = 0; from < 9; from++)
        for (size_t n = 0; from + n <= sizeof data; n++) {
            ck_assert_uint_eq(ovl_checksum_crc32(0, data + from, n), slow_crc(data + from, n));
            uint32_t half = ovl_checksum_crc32(0, data + from, n / 3);
            ck_assert_uint_eq(ovl_checksum_crc32(half, data + from + n / 3, n - n / 3), slow_crc(data + from, n));
        }
}

/* Byte i of a sample, alone. */
static uint8_t slow_byte(const struct ovl_batch *b, size_t sample, size_t i)
{
    uint64_t key = ovl_rng_mix(b->source ^ ovl_rng_mix(b->first + sample)), word = ovl_rng_mix(key + i / 8);
    unsigned char bytes[8];
    memcpy(bytes, &word, 8);
    return bytes[i % 8];
}

/* A number of the augmented sample, by a padded picture that is flipped as a whole. */
static float slow_number(const struct ovl_batch *b, size_t sample, size_t i)
{
    int side = (int)ovl_batch_side(b->bytes), down, right, flipped;
    ovl_batch_draw(b, sample, &down, &right, &flipped);
    if (i >= (size_t)(side * side * 3))
        return ((float)slow_byte(b, sample, i) - 128) / 64;
    int y = (int)i / (3 * side), x = (int)i / 3 % side, c = (int)i % 3;
    if (flipped)
        x = side - 1 - x;
    int py = y + down - 4, px = x + right - 4; /* in the picture without its padding */
    bool outside = py < 0 || px < 0 || py >= side || px >= side;
    return ((float)(outside ? 0 : slow_byte(b, sample, (size_t)((py * side + px) * 3 + c))) - 128) / 64;
}

TEST(samples_are_cropped_flipped_and_normal)
{
    static const size_t sizes[] = {1, 2, 3, 11, 12, 13, 300, 27 * 27 * 3, 3072, 3079};
    uint8_t raw[3080];
    float data[2 * 3080];
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t side = ovl_batch_side(sizes[k]);
        ck_assert(side * side * 3 <= sizes[k] && (side + 1) * (side + 1) * 3 > sizes[k]);
        for (uint64_t epoch = 0; epoch < 20; epoch++) {
            struct ovl_batch b = {.source = 7, .epoch = epoch, .first = 40 * epoch, .samples = 2, .bytes = sizes[k]};
            ovl_batch_make(&b, 0, raw, data);
            ovl_batch_make(&b, 1, raw, data);
            for (size_t i = 0; i < 2 * b.bytes; i++)
                ck_assert_msg(data[i] == slow_number(&b, i / b.bytes, i % b.bytes), "%zu bytes, epoch %d, number %zu",
                              b.bytes, (int)epoch, i);
            ck_assert_uint_eq(ovl_batch_crc(&b, 1, 2, data),
                              slow_crc((const unsigned char *)(data + b.bytes), b.bytes * sizeof *data));
        }
    }
}

/* All 81 crops and both flips come up; source, epoch and number each make another sample. */
TEST(draws_are_spread)
{
    int seen[9][9][2] = {{{0}}}, down, right, flipped;
    struct ovl_batch b = {.source = 1, .samples = 20000, .bytes = 48};
    for (size_t s = 0; s < b.samples; s++) {
        ovl_batch_draw(&b, s, &down, &right, &flipped);
        seen[down][right][flipped]++;
    }
    for (int i = 0; i < 9 * 9 * 2; i++) /* 123 expected */
        ck_assert(((int *)seen)[i] > 70 && ((int *)seen)[i] < 190);
    uint8_t raw[3072], again[3072];
    float data[3072], other[3072];
    struct ovl_batch one = {.source = 1, .epoch = 3, .first = 5, .samples = 1, .bytes = 3072}, next = one;
    ovl_batch_make(&one, 0, raw, data);
    int same = 0;
    for (next.epoch = 4; next.epoch < 54; next.epoch++) {
        ovl_batch_make(&next, 0, again, other);
        ck_assert_mem_eq(raw, again, sizeof raw); /* the same picture, augmented otherwise but by chance */
        same += memcmp(data, other, sizeof data) == 0;
    }
    ck_assert_int_le(same, 4); /* 0.3 expected */
    next = one;
    next.first = 6;
    ovl_batch_make(&next, 0, again, other);
    ck_assert(memcmp(raw, again, sizeof raw) != 0);
    next = one;
    next.source = 2;
    ovl_batch_make(&next, 0, again, other);
    ck_assert(memcmp(raw, again, sizeof raw) != 0);
}

/* Every sample that is another one is seen; of damage to a number those looks that fall on it; and over many batches
   every place is looked at. */
TEST(a_look_sees_each_sample)
{
    static const size_t sizes[] = {1, 15, 16, 17, 300};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t bytes = sizes[k], lines = bytes / 16 ? bytes / 16 : 1, seen = 0;
        bool looked[300] = {false};
        uint8_t raw[300];
        float data[4 * 300];
        for (uint64_t number = 0; number < 2000 && seen < lines; number += 4) {
            struct ovl_batch b = {.source = 9, .epoch = 1, .first = number, .samples = 4, .bytes = bytes};
            for (size_t s = 0; s < 4; s++)
                ovl_batch_make(&b, s, raw, data);
            uint32_t right = ovl_batch_spots(&b, 1, 4, data);
            for (size_t i = 0; i < 4 * bytes; i++) {
                float kept = data[i];
                data[i] = 99;
                bool other = ovl_batch_spots(&b, 1, 4, data) != right;
                data[i] = kept;
                ck_assert(!other || i >= bytes); /* sample 0 was not asked for */
                if (other && !looked[i % bytes / 16]) {
                    looked[i % bytes / 16] = true;
                    seen++;
                }
            }
            struct ovl_batch next = b; /* those of others */
            next.first++;
            for (size_t s = 0; s < 4; s++)
                ovl_batch_make(&next, s, raw, data);
            ck_assert(bytes < 15 || ovl_batch_spots(&b, 1, 4, data) != right);
        }
        ck_assert_uint_eq(seen, lines);
    }
}

TEST(answers_hang_on_every_word)
{
    enum { WORDS = 500, SLICES = 7 };
    uint32_t w[WORDS], before[SLICES];
    for (uint32_t i = 0; i < WORDS; i++)
        w[i] = (uint32_t)ovl_rng_mix(i);
    for (uint32_t s = 0; s < SLICES; s++)
        before[s] = ovl_validation_answer(w, WORDS, s, SLICES, 9);
    for (uint32_t i = 0; i < WORDS; i++) {
        int changed = 0;
        w[i] ^= 1u << i % 32;
        for (uint32_t s = 0; s < SLICES; s++)
            changed += ovl_validation_answer(w, WORDS, s, SLICES, 9) != before[s];
        ck_assert_int_eq(changed, 1);
        w[i] ^= 1u << i % 32;
    }
}

TEST(shares_and_data_sets)
{
    static const char *const refused[] = {"", "x", "0.1:", "0.1:0.1:0", "-0.1", "0.5:0.5", "nan", "0.1:x", "resnet21"};
    struct ovl_phases p;
    double seconds;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_msg(ovl_phases_parse(refused[i], &p, &err) == -1, "%s", refused[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
    ck_assert(ovl_phases_parse("0.12:0.03", &p, &err) == 0 && p.augment == 0.12 && p.validate == 0.03);
    ck_assert(ovl_phases_parse("0.5", &p, &err) == 0 && p.augment == 0.5 && p.validate == 0);
    /* What the presets gain, without any other cost, is what was published, in percent: O-DA and O-MV. */
    static const struct {
        const char *name;
        double augment, validate;
    } published[] = {{"resnet20", 13.8, 3.1}, {"resnet56", 7, 5.5}, {"shufflenetv2", 12.5, 1.2}};
    for (int i = 0; i < 3; i++) {
        ck_assert(ovl_phases_parse(published[i].name, &p, &err) == 0);
        ck_assert_double_eq_tol(100 * (1 / (1 - p.augment) - 1), published[i].augment, 0.1);
        ck_assert_double_eq_tol(100 * (1 / (1 - p.validate) - 1), published[i].validate, 0.1);
    }
    const struct ovl_records *d = ovl_records_find("unet3d:a100", &seconds, &err);
    ck_assert(d && d->batch == 7 && seconds == 0.636);
    ck_assert(ovl_records_find("resnet50", &seconds, &err) && seconds == 0.224);
    ck_assert_ptr_null(ovl_records_find("resnet50:v100", &seconds, &err));
    ck_assert_ptr_null(ovl_records_find("unet", &seconds, &err));
}

static struct ovl_helper_pool pool;

static void open_pool(size_t helpers, double slowdown)
{
    pool = (struct ovl_helper_pool){.kernel = "fma", .slowdown = slowdown};
    pool.sizes = (struct ovl_helper_pool_sizes){.helpers = helpers,
                                                .samples = 3,
                                                .sample_bytes = 3072,
                                                .words = 1000,
                                                .numbers = 700,
                                                .pieces = 4,
                                                .entries = 2};
    ck_assert_int_eq(ovl_helper_pool_open(&pool, &err), 0);
    ovl_helper_pool_wait_idle(&pool);
}

static uint32_t crc_here(struct ovl_batch b, uint64_t k)
{
    uint8_t raw[3072];
    float data[3 * 3072];
    b.first += k * b.samples;
    for (size_t s = 0; s < b.samples; s++)
        ovl_batch_make(&b, s, raw, data);
    return ovl_batch_crc(&b, 0, b.samples, data);
}

/* Batches in order, while weights are validated that change at once. */
LOOP_TEST(a_crew_loads_and_validates, 1, 4)
{
    uint32_t weights[1000], copy[1000], answers[OVL_POOL_SLICES];
    double seconds;
    open_pool((size_t)_i, _i == 1 ? 3 : 1);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        struct ovl_batch first = {.source = 5, .epoch = epoch, .samples = 3, .bytes = 3072};
        for (uint32_t i = 0; i < 1000; i++)
            weights[i] = copy[i] = (uint32_t)ovl_rng_mix(i + epoch);
        ovl_helper_pool_set_loading(&pool, &first, 1000);
        ovl_helper_pool_allow_batches(&pool, 20);
        ovl_helper_pool_start_validation(&pool, weights, epoch, 100);
        memset(weights, 0, sizeof weights);
        for (uint64_t k = 0; k < 20; k++) {
            const float *data = ovl_helper_pool_wait_batch(&pool, k, &seconds);
            ck_assert_msg(data != NULL, "%s", pool.err.text);
            ck_assert(seconds > 0);
            ck_assert_uint_eq(ovl_batch_crc(&first, 0, 3, data), crc_here(first, k));
            ovl_helper_pool_release_batch(&pool, k);
        }
        ovl_helper_pool_wait_validation(&pool, answers, &seconds);
        ck_assert(pool.rc == 0 && seconds > 0);
        for (uint32_t s = 0; s < OVL_POOL_SLICES; s++)
            ck_assert_uint_eq(answers[s], ovl_validation_answer(copy, 1000, s, OVL_POOL_SLICES, epoch));
        ovl_helper_pool_wait_idle(&pool);
    }
    /* Not beyond what is allowed, and two buffers a helper at most; another word in a buffer is seen. */
    struct ovl_batch first = {.source = 6, .samples = 3, .bytes = 3072};
    ovl_helper_pool_set_loading(&pool, &first, 0);
    ovl_helper_pool_allow_batches(&pool, 1);
    ck_assert_ptr_nonnull(ovl_helper_pool_wait_batch(&pool, 0, &seconds));
    ovl_helper_pool_wait_idle(&pool);
    ovl_helper_pool_set_loading(&pool, &first, 0);
    ovl_helper_pool_allow_batches(&pool, 100);
    float *data = (float *)(uintptr_t)ovl_helper_pool_wait_batch(&pool, 0, &seconds);
    data[4000] += 0.015625f;
    ck_assert_uint_ne(ovl_batch_crc(&first, 0, 3, data), crc_here(first, 0));
    ovl_helper_pool_close(&pool);
}

TEST(a_crew_trains)
{
    struct ovl_batch batch = {.source = 5, .samples = 3, .bytes = 3072};
    double seconds, rate;
    struct ovl_work work;
    ck_assert_int_eq(ovl_work_open(&work, "fma", &err), 0);
    open_pool(2, 4);
    rate = ovl_helper_pool_calibrate(&pool, &work, 100000);
    ck_assert(rate > 0 && isfinite(rate));
    for (size_t i = 0; i < 2; i++) {
        pool.entries[i].at = 300 * i;
        pool.entries[i].numbers = 300 + 100 * i;
        pool.entries[i].rank = 3;
        pool.entries[i].ranks = 4;
    }
    pool.pieces[0] = (struct ovl_helper_pool_piece){.units = 100};
    pool.pieces[1] = (struct ovl_helper_pool_piece){.units = 50, .makes = 0, .count = 1};
    pool.pieces[2] = (struct ovl_helper_pool_piece){.units = 50, .makes = 1, .count = 1};
    pool.shared->pieces = 3;
    pool.shared->from = 2;
    for (uint64_t step = 1; step < 10; step++) {
        for (size_t i = 0; i < 2; i++)
            pool.entries[i].key = step * 10 + i;
        batch.first = 3 * step;
        ovl_helper_pool_start_step(&pool, step, &batch, 30);
        for (size_t i = 0; i < 2; i++) {
            float want[400];
            ovl_train_data_fill(want, 300 + 100 * i, step * 10 + i, 3, 4);
            ck_assert_mem_eq(ovl_helper_pool_wait_gradients(&pool, step, i), want, (300 + 100 * i) * sizeof *want);
        }
        ovl_helper_pool_wait_step(&pool, step, &seconds);
        struct ovl_batch last = {.source = 5, .first = batch.first + 2, .samples = 1, .bytes = 3072};
        ck_assert_uint_eq(ovl_batch_crc(&batch, 2, 3, pool.batches), crc_here(last, 0));
    }
    ck_assert_int_eq(pool.rc, 0);
    ovl_helper_pool_close(&pool);
    ovl_work_close(&work);
}

/* Whoever waits for it is told, and waits for nothing more. */
TEST(a_helper_that_ended_is_named)
{
    struct ovl_batch first = {.source = 5, .samples = 3, .bytes = 3072};
    double seconds;
    char who[64];
    open_pool(2, 1);
    pool.rank = 4;
    ovl_helper_pool_set_loading(&pool, &first, 0);
    kill(pool.helper[1].process, SIGKILL);
    ovl_helper_pool_allow_batches(&pool, 10);
    for (uint64_t k = 0; k < 4; k++) /* helper 0 makes every other one */
        if (ovl_helper_pool_wait_batch(&pool, k, &seconds))
            ovl_helper_pool_release_batch(&pool, k);
    ck_assert_int_eq(pool.rc, -1);
    ck_assert_int_eq(pool.err.code, OVL_ENVIRONMENT);
    snprintf(who, sizeof who, "helper 1 of rank 4 (process %ld) has ended", (long)pool.helper[1].process);
    ck_assert_msg(strstr(pool.err.text, who) != NULL, "%s", pool.err.text);
    ovl_helper_pool_wait_idle(&pool);
    ovl_helper_pool_close(&pool);
}
