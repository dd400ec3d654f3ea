/* The data of validation: any changed byte is found and named, and a buffer that nothing arrived in never passes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/pattern.h"
#include "tests/unit/test.h"

#include <string.h>

enum { BYTES = 1000 };

static const struct ovl_pattern bytes_of = {.ranks = 4, .key = 42}, other_key = {.ranks = 4, .key = 43};
static const struct ovl_pattern sums[] = {{true, OVL_INT8, OVL_SUM, 0, 0},  {true, OVL_INT16, OVL_SUM, 0, 0},
                                          {true, OVL_INT32, OVL_SUM, 0, 0}, {true, OVL_INT64, OVL_SUM, 0, 0},
                                          {true, OVL_FLOAT, OVL_SUM, 0, 0}, {true, OVL_DOUBLE, OVL_SUM, 0, 0}};
enum { SUMS = sizeof sums / sizeof *sums };

static _Alignas(8) unsigned char data[BYTES + 8];

TEST(bytes_are_found)
{
    struct ovl_pattern_fault fault;
    ovl_pattern_fill(data, BYTES, bytes_of, 3);
    for (size_t from = 0; from < 20; from++)
        ck_assert_int_eq(ovl_pattern_check(data + from, BYTES - from, bytes_of, 3, from, &fault), 0);
    for (size_t at = 0; at < BYTES; at += 37) {
        data[at] ^= 0x10;
        ck_assert_int_eq(ovl_pattern_check(data, BYTES, bytes_of, 3, 0, &fault), -1);
        ck_assert_uint_eq(fault.position, at);
        ck_assert_double_eq(fault.got, data[at]);
        ck_assert_double_eq(fault.wanted, data[at] ^ 0x10);
        data[at] ^= 0x10;
    }
    /* Another cell's, another rank's or shifted data are wrong. */
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, other_key, 3, 0, &fault), -1);
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, bytes_of, 2, 0, &fault), -1);
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, bytes_of, 3, 1, &fault), -1);
}

enum { ELEMENTS = 2048 };

static double number_at(const void *x, size_t i, enum ovl_dtype dtype)
{
    return dtype == OVL_INT8    ? ((const int8_t *)x)[i]
           : dtype == OVL_INT16 ? ((const int16_t *)x)[i]
           : dtype == OVL_INT32 ? ((const int32_t *)x)[i]
           : dtype == OVL_INT64 ? (double)((const int64_t *)x)[i]
           : dtype == OVL_FLOAT ? (double)((const float *)x)[i]
                                : ((const double *)x)[i];
}

static void put_number(void *x, size_t i, enum ovl_dtype dtype, int value)
{
    if (dtype == OVL_INT8)
        ((int8_t *)x)[i] = (int8_t)value;
    else if (dtype == OVL_INT16)
        ((int16_t *)x)[i] = (int16_t)value;
    else if (dtype == OVL_INT32)
        ((int32_t *)x)[i] = value;
    else if (dtype == OVL_INT64)
        ((int64_t *)x)[i] = value;
    else if (dtype == OVL_FLOAT)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* A reduction of n elements, as exact numbers: what each rank contributes, and the sum of some ranks. */
static void contribution(int *x, size_t n, struct ovl_pattern pattern, uint64_t key, int rank, int ranks)
{
    static double one[ELEMENTS];
    pattern.key = key;
    pattern.ranks = ranks;
    ovl_pattern_fill(one, n * ovl_dtype_bytes(pattern.dtype), pattern, rank);
    for (size_t i = 0; i < n; i++)
        x[i] = (int)number_at(one, i, pattern.dtype);
}

struct part {
    int from, to; /* ranks from .. to - 1 */
    int sum[ELEMENTS];
};

/* The sums of some parts of the ranks, of so many elements. */
static void sum_of(struct part *parts, size_t n, size_t elements, struct ovl_pattern kind, int ranks)
{
    int x[ELEMENTS], least = 0;
    for (size_t p = 0; p < n; p++)
        memset(parts[p].sum, 0, sizeof parts[p].sum);
    for (int r = 0; r < ranks; r++) {
        contribution(x, elements, kind, 7, r, ranks);
        for (size_t i = 0; i < elements; i++)
            least = x[i] < least ? x[i] : least;
        for (size_t p = 0; p < n; p++)
            for (size_t i = 0; i < elements && r >= parts[p].from && r < parts[p].to; i++)
                parts[p].sum[i] += x[i];
    }
    ck_assert_int_eq(least, 0); /* so that no order of adding passes the limit that the sum keeps */
}

/* The first element of `count` that the check finds fault with, or `count`. */
static size_t checked(const int *sum, size_t count, struct ovl_pattern pattern, int ranks, size_t from)
{
    static double told[ELEMENTS];
    struct ovl_pattern_fault fault;
    size_t element = ovl_dtype_bytes(pattern.dtype);
    for (size_t i = 0; i < count; i++)
        put_number(told, i, pattern.dtype, sum[i]);
    pattern.key = 7;
    pattern.ranks = ranks;
    if (ovl_pattern_check(told, count * element, pattern, 0, from * element, &fault) == 0)
        return count;
    ck_assert_double_eq(fault.got, number_at(told, fault.position / element, pattern.dtype));
    return fault.position / element;
}

static const int rank_counts[] = {1, 2, 3, 6, 42, 43, 127, 128, 1000, 10000};
enum { RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

static void sums_are_right(const int *sum, struct ovl_pattern kind, int ranks)
{
    int most = 0;
    for (size_t i = 0; i < ELEMENTS; i++)
        most = sum[i] > most ? sum[i] : most;
    ck_assert_int_le(most, kind.dtype == OVL_INT8 ? INT8_MAX : kind.dtype == OVL_INT16 ? INT16_MAX : 1 << 24);
    ck_assert_uint_eq(checked(sum, ELEMENTS, kind, ranks, 0), ELEMENTS);
    for (size_t from = 1; from < 50; from += 13) /* as a part of a reduce-scatter */
        ck_assert_uint_eq(checked(sum + from, ELEMENTS - from, kind, ranks, from), ELEMENTS - from);
}

/* Each fault makes wrong[] of a right sum[]; x[] is what `rank` contributes. */
static void leave_out(int *wrong, const int *x)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        wrong[i] -= x[i];
}

static void add(int *wrong, const int *x)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        wrong[i] += x[i];
}

/* As add() of what stands `by` elements further on. */
static void add_shifted(int *wrong, const int *x, size_t by)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        wrong[i] += x[(i + by) % ELEMENTS];
}

/* The check finds the first element that is wrong, and there is one. */
static void found(const int *wrong, const int *sum, struct ovl_pattern kind, int ranks, const char *fault)
{
    size_t first = 0;
    while (first < ELEMENTS && wrong[first] == sum[first])
        first++;
    ck_assert_msg(first < ELEMENTS, "%s, %d ranks, kind %d: cannot be seen", fault, ranks, (int)kind.dtype);
    size_t seen = checked(wrong, ELEMENTS, kind, ranks, 0);
    ck_assert_msg(seen == first, "%s, %d ranks, kind %d: element %zu, not %zu", fault, ranks, (int)kind.dtype, seen,
                  first);
}

static void faults_of(int rank, const int *sum, struct ovl_pattern kind, int ranks)
{
    int x[ELEMENTS], other[ELEMENTS], wrong[ELEMENTS];
    contribution(x, ELEMENTS, kind, 7, rank, ranks);
    memcpy(wrong, sum, sizeof wrong);
    leave_out(wrong, x);
    found(wrong, sum, kind, ranks, "missing");
    add_shifted(wrong, x, 1);
    found(wrong, sum, kind, ranks, "one rank's of the next element");
    memcpy(wrong, sum, sizeof wrong);
    add(wrong, x);
    found(wrong, sum, kind, ranks, "doubled");
    const int turns = ovl_pattern_turns(kind.dtype, ranks), others[] = {rank ^ 1, rank + turns, 0, ranks - 1};
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        if (others[o] == rank || others[o] >= ranks)
            continue;
        contribution(other, ELEMENTS, kind, 7, others[o], ranks);
        memcpy(wrong, sum, sizeof wrong);
        leave_out(wrong, x);
        add(wrong, other);
        found(wrong, sum, kind, ranks, "another rank's");
    }
    contribution(other, ELEMENTS, kind, 8, rank, ranks);
    memcpy(wrong, sum, sizeof wrong);
    leave_out(wrong, x);
    add(wrong, other);
    found(wrong, sum, kind, ranks, "of another key");
}

/* Trees and rings of reductions move partial sums of ranks that are neighbours. */
static void faults_of_parts(const struct part *parts, size_t n, struct ovl_pattern kind, int ranks)
{
    int wrong[ELEMENTS];
    for (size_t p = 0; p < n; p++) {
        if (parts[p].from == parts[p].to)
            continue;
        memcpy(wrong, parts->sum, sizeof wrong);
        leave_out(wrong, parts[p].sum);
        found(wrong, parts->sum, kind, ranks, "a part is missing");
        for (size_t by = 1; by <= 64; by += 21) {
            memcpy(wrong, parts->sum, sizeof wrong);
            leave_out(wrong, parts[p].sum);
            add_shifted(wrong, parts[p].sum, by);
            found(wrong, parts->sum, kind, ranks, "a part is shifted");
        }
    }
}

LOOP_TEST(sums_and_their_faults, 0, RANK_COUNTS)
{
    enum { PARTS = 6 };
    int ranks = rank_counts[_i];
    const int some[] = {0, ranks / 3, ranks / 2, ranks - 1};
    struct part parts[PARTS] = {{.to = ranks},
                                {.to = 2},
                                {.to = ranks / 2},
                                {.from = ranks / 2, .to = ranks},
                                {.from = ranks / 4, .to = ranks / 4 + ranks / 2},
                                {.from = ranks - 1, .to = ranks}};
    for (int k = 0; k < SUMS; k++) {
        sum_of(parts, PARTS, ELEMENTS, sums[k], ranks);
        sums_are_right(parts->sum, sums[k], ranks);
        for (size_t r = 0; r < sizeof some / sizeof *some; r++)
            faults_of(some[r], parts->sum, sums[k], ranks);
        faults_of_parts(parts, PARTS, sums[k], ranks);
    }
}

/* The shortest message in which the loss of any single rank is seen. */
LOOP_TEST(every_rank_has_its_turn, 0, RANK_COUNTS)
{
    int ranks = rank_counts[_i], x[ELEMENTS], wrong[ELEMENTS];
    for (int k = 0; k < SUMS; k++) {
        struct ovl_pattern kind = sums[k];
        size_t turns = (size_t)ovl_pattern_turns(kind.dtype, ranks);
        struct part all = {.to = ranks};
        int unseen = 0;
        ck_assert_uint_lt(turns, ELEMENTS);
        sum_of(&all, 1, turns, kind, ranks);
        for (int r = 0; r < ranks; r++) {
            contribution(x, turns, kind, 7, r, ranks);
            for (size_t i = 0; i < turns; i++)
                wrong[i] = all.sum[i] - x[i];
            unseen += checked(wrong, turns, kind, ranks, 0) == turns;
        }
        ck_assert_int_eq(unseen, 0);
    }
}

/* A term per rank would be 10^10 terms here, far beyond this test's time limit. The sum of so many ones is known. */
TEST(no_term_per_rank)
{
    enum { RANKS = 1 << 24 };
    int sum[ELEMENTS];
    for (size_t i = 0; i < ELEMENTS; i++)
        sum[i] = RANKS;
    ck_assert_uint_eq(checked(sum, ELEMENTS, sums[OVL_FLOAT], RANKS, 0), ELEMENTS);
    sum[ELEMENTS - 1]--;
    ck_assert_uint_eq(checked(sum, ELEMENTS, sums[OVL_FLOAT], RANKS, 0), ELEMENTS - 1);
}

/* Of a minimum, a maximum and a product: right as they are, and the loss of a rank is seen where it counts. */
LOOP_TEST(other_operations, 0, RANK_COUNTS)
{
    static const struct {
        enum ovl_redop redop;
        int neutral;
    } redops[] = {{OVL_MIN, 127}, {OVL_MAX, 0}, {OVL_PROD, 1}};
    int ranks = rank_counts[_i] > 200 ? 200 : rank_counts[_i], x[ELEMENTS];
    for (size_t o = 0; o < sizeof redops / sizeof *redops; o++)
        for (int k = 0; k < SUMS; k++) {
            struct ovl_pattern kind = {true, sums[k].dtype, redops[o].redop, 0, 0};
            int all[ELEMENTS], but_last[ELEMENTS];
            for (size_t i = 0; i < ELEMENTS; i++)
                all[i] = redops[o].neutral;
            for (int r = 0; r < ranks; r++) {
                memcpy(but_last, all, sizeof all);
                contribution(x, ELEMENTS, kind, 7, r, ranks);
                for (size_t i = 0; i < ELEMENTS; i++)
                    all[i] = kind.redop == OVL_PROD  ? all[i] * x[i]
                             : kind.redop == OVL_MIN ? (x[i] < all[i] ? x[i] : all[i])
                                                     : (x[i] > all[i] ? x[i] : all[i]);
            }
            ck_assert_uint_eq(checked(all, ELEMENTS, kind, ranks, 0), ELEMENTS);
            ck_assert_uint_eq(checked(all + 9, ELEMENTS - 9, kind, ranks, 9), ELEMENTS - 9);
            ck_assert_uint_lt(checked(but_last, ELEMENTS, kind, ranks, 0), ELEMENTS);
            ck_assert_uint_lt(checked(all, ELEMENTS, kind, ranks, 1), 8); /* shifted */
            all[5]++;
            ck_assert_uint_eq(checked(all, ELEMENTS, kind, ranks, 0), 5);
        }
}

/* Even a message of one number never passes by chance. */
static void fails_spoilt(struct ovl_pattern kind, size_t length)
{
    struct ovl_pattern_fault fault;
    for (size_t at = 0; at < 64; at += length) {
        ovl_pattern_spoil(data, BYTES, kind, 1, 0);
        for (size_t r = 1; r < RANK_COUNTS; r++) {
            kind.ranks = rank_counts[r];
            ck_assert_int_eq(ovl_pattern_check(data + at, length, kind, 1, at, &fault), -1);
            ck_assert_uint_eq(fault.position, 0);
        }
    }
}

TEST(nothing_arrived)
{
    fails_spoilt(bytes_of, 4);
    for (int k = 0; k < SUMS; k++)
        for (int redop = 0; redop < OVL_REDOPS; redop++)
            fails_spoilt((struct ovl_pattern){true, sums[k].dtype, (enum ovl_redop)redop, 0, 9},
                         ovl_dtype_bytes(sums[k].dtype) > 4 ? 8 : 4);
}
