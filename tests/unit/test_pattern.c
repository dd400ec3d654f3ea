/* The data of validation: any changed byte is found and named, and a buffer that nothing arrived in never passes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pattern.h"
#include "tests/unit/suites.h"

#include <string.h>

enum { BYTES = 1000 };

static _Alignas(8) unsigned char data[BYTES];

START_TEST(bytes_are_found)
{
    struct ovl_pattern_fault fault;
    ovl_pattern_fill(data, BYTES, OVL_PATTERN_BYTES, 42, 3, 4);
    for (size_t from = 0; from < 20; from++)
        ck_assert_int_eq(ovl_pattern_check(data + from, BYTES - from, OVL_PATTERN_BYTES, 42, 3, 4, from, &fault), 0);
    for (size_t at = 0; at < BYTES; at += 37) {
        data[at] ^= 0x10;
        ck_assert_int_eq(ovl_pattern_check(data, BYTES, OVL_PATTERN_BYTES, 42, 3, 4, 0, &fault), -1);
        ck_assert_uint_eq(fault.position, at);
        ck_assert_double_eq(fault.got, data[at]);
        ck_assert_double_eq(fault.wanted, data[at] ^ 0x10);
        data[at] ^= 0x10;
    }
    /* Another cell's, another rank's or shifted data are wrong. */
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, OVL_PATTERN_BYTES, 43, 3, 4, 0, &fault), -1);
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, OVL_PATTERN_BYTES, 42, 2, 4, 0, &fault), -1);
    ck_assert_int_eq(ovl_pattern_check(data, BYTES, OVL_PATTERN_BYTES, 42, 3, 4, 1, &fault), -1);
}
END_TEST

enum { ELEMENTS = 2048 };

/* A reduction, as exact numbers: what each rank contributes, and the sum of some ranks. */
static size_t element_of(enum ovl_pattern_kind kind)
{
    return kind == OVL_PATTERN_FLOAT ? sizeof(float) : 1;
}

static void contribution(int x[ELEMENTS], enum ovl_pattern_kind kind, uint64_t key, int rank, int ranks)
{
    static float one[ELEMENTS];
    ovl_pattern_fill(one, ELEMENTS * element_of(kind), kind, key, rank, ranks);
    for (size_t i = 0; i < ELEMENTS; i++)
        x[i] = kind == OVL_PATTERN_FLOAT ? (int)one[i] : ((const int8_t *)one)[i];
}

struct part {
    int from, to; /* ranks from .. to - 1 */
    int sum[ELEMENTS];
};

/* The sums of some parts of the ranks. */
static void sum_of(struct part *parts, size_t n, enum ovl_pattern_kind kind, int ranks)
{
    int x[ELEMENTS], least = 0;
    for (size_t p = 0; p < n; p++)
        memset(parts[p].sum, 0, sizeof parts[p].sum);
    for (int r = 0; r < ranks; r++) {
        contribution(x, kind, 7, r, ranks);
        for (size_t i = 0; i < ELEMENTS; i++)
            least = x[i] < least ? x[i] : least;
        for (size_t p = 0; p < n; p++)
            for (size_t i = 0; i < ELEMENTS && r >= parts[p].from && r < parts[p].to; i++)
                parts[p].sum[i] += x[i];
    }
    ck_assert_int_eq(least, 0); /* so that no order of adding passes the limit that the sum keeps */
}

/* The first element of `count` that the check finds fault with, or `count`. */
static size_t checked(const int *sum, size_t count, enum ovl_pattern_kind kind, int ranks, size_t from)
{
    static float told[ELEMENTS];
    struct ovl_pattern_fault fault;
    size_t element = element_of(kind);
    for (size_t i = 0; i < count; i++)
        if (kind == OVL_PATTERN_FLOAT)
            told[i] = (float)sum[i];
        else
            ((int8_t *)told)[i] = (int8_t)sum[i];
    if (ovl_pattern_check(told, count * element, kind, 7, 0, ranks, from * element, &fault) == 0)
        return count;
    ck_assert_double_eq(fault.got, kind == OVL_PATTERN_FLOAT ? sum[fault.position / element]
                                                             : (int8_t)sum[fault.position / element]);
    return fault.position / element;
}

static const int rank_counts[] = {1, 2, 3, 6, 42, 43, 127, 128, 1000, 10000};
enum { RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

START_TEST(sums_are_right)
{
    int ranks = rank_counts[_i];
    for (int k = OVL_PATTERN_FLOAT; k <= OVL_PATTERN_INT8; k++) {
        enum ovl_pattern_kind kind = (enum ovl_pattern_kind)k;
        struct part all = {.to = ranks};
        int most = 0;
        sum_of(&all, 1, kind, ranks);
        for (size_t i = 0; i < ELEMENTS; i++)
            most = all.sum[i] > most ? all.sum[i] : most;
        ck_assert_int_le(most, kind == OVL_PATTERN_FLOAT ? 1 << 24 : INT8_MAX);
        ck_assert_uint_eq(checked(all.sum, ELEMENTS, kind, ranks, 0), ELEMENTS);
        for (size_t from = 1; from < 50; from += 13) /* as a part of a reduce-scatter */
            ck_assert_uint_eq(checked(all.sum + from, ELEMENTS - from, kind, ranks, from), ELEMENTS - from);
    }
}
END_TEST

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
static void found(const int *wrong, const int *sum, enum ovl_pattern_kind kind, int ranks, const char *fault)
{
    size_t first = 0;
    while (first < ELEMENTS && wrong[first] == sum[first])
        first++;
    ck_assert_msg(first < ELEMENTS, "%s, %d ranks, kind %d: cannot be seen", fault, ranks, (int)kind);
    size_t seen = checked(wrong, ELEMENTS, kind, ranks, 0);
    ck_assert_msg(seen == first, "%s, %d ranks, kind %d: element %zu, not %zu", fault, ranks, (int)kind, seen, first);
}

static void faults_of(int rank, const int *sum, enum ovl_pattern_kind kind, int ranks)
{
    int x[ELEMENTS], other[ELEMENTS], wrong[ELEMENTS];
    contribution(x, kind, 7, rank, ranks);
    memcpy(wrong, sum, sizeof wrong);
    leave_out(wrong, x);
    found(wrong, sum, kind, ranks, "missing");
    add_shifted(wrong, x, 1);
    found(wrong, sum, kind, ranks, "one rank's of the next element");
    memcpy(wrong, sum, sizeof wrong);
    add(wrong, x);
    found(wrong, sum, kind, ranks, "doubled");
    const int turns = ovl_pattern_turns(kind, ranks), others[] = {rank ^ 1, rank + turns, 0, ranks - 1};
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        if (others[o] == rank || others[o] >= ranks)
            continue;
        contribution(other, kind, 7, others[o], ranks);
        memcpy(wrong, sum, sizeof wrong);
        leave_out(wrong, x);
        add(wrong, other);
        found(wrong, sum, kind, ranks, "another rank's");
    }
    contribution(other, kind, 8, rank, ranks);
    memcpy(wrong, sum, sizeof wrong);
    leave_out(wrong, x);
    add(wrong, other);
    found(wrong, sum, kind, ranks, "of another key");
}

START_TEST(faults_of_a_rank)
{
    int ranks = rank_counts[_i];
    const int some[] = {0, ranks / 3, ranks / 2, ranks - 1};
    for (int k = OVL_PATTERN_FLOAT; k <= OVL_PATTERN_INT8; k++) {
        struct part all = {.to = ranks};
        sum_of(&all, 1, (enum ovl_pattern_kind)k, ranks);
        for (size_t r = 0; r < sizeof some / sizeof *some; r++)
            faults_of(some[r], all.sum, (enum ovl_pattern_kind)k, ranks);
    }
}
END_TEST

/* Trees and rings of reductions move partial sums of ranks that are neighbours. */
START_TEST(faults_of_a_part)
{
    enum { ALL, PARTS = 6 };
    int ranks = rank_counts[_i], wrong[ELEMENTS];
    struct part parts[PARTS] = {[ALL] = {.to = ranks},
                                {.to = 2},
                                {.to = ranks / 2},
                                {.from = ranks / 2, .to = ranks},
                                {.from = ranks / 4, .to = ranks / 4 + ranks / 2},
                                {.from = ranks - 1, .to = ranks}};
    for (int k = OVL_PATTERN_FLOAT; k <= OVL_PATTERN_INT8; k++) {
        enum ovl_pattern_kind kind = (enum ovl_pattern_kind)k;
        sum_of(parts, PARTS, kind, ranks);
        const int *sum = parts[ALL].sum;
        for (size_t p = ALL; p < PARTS; p++) {
            if (parts[p].from == parts[p].to)
                continue;
            memcpy(wrong, sum, sizeof wrong);
            leave_out(wrong, parts[p].sum);
            found(wrong, sum, kind, ranks, "a part is missing");
            for (size_t by = 1; by <= 64; by += 21) {
                memcpy(wrong, sum, sizeof wrong);
                leave_out(wrong, parts[p].sum);
                add_shifted(wrong, parts[p].sum, by);
                found(wrong, sum, kind, ranks, "a part is shifted");
            }
        }
    }
}
END_TEST

/* The shortest message in which the loss of any single rank is seen. */
START_TEST(every_rank_has_its_turn)
{
    int ranks = rank_counts[_i], x[ELEMENTS], wrong[ELEMENTS];
    for (int k = OVL_PATTERN_FLOAT; k <= OVL_PATTERN_INT8; k++) {
        enum ovl_pattern_kind kind = (enum ovl_pattern_kind)k;
        size_t turns = (size_t)ovl_pattern_turns(kind, ranks);
        struct part all = {.to = ranks};
        int unseen = 0;
        ck_assert_uint_lt(turns, ELEMENTS);
        sum_of(&all, 1, kind, ranks);
        for (int r = 0; r < ranks; r++) {
            contribution(x, kind, 7, r, ranks);
            memcpy(wrong, all.sum, sizeof wrong);
            leave_out(wrong, x);
            unseen += checked(wrong, turns, kind, ranks, 0) == turns;
        }
        ck_assert_int_eq(unseen, 0);
    }
}
END_TEST

/* A term per rank would be 10^10 terms here, far beyond this test's time limit. The sum of so many ones is known. */
START_TEST(no_term_per_rank)
{
    enum { RANKS = 1 << 24 };
    int sum[ELEMENTS];
    for (size_t i = 0; i < ELEMENTS; i++)
        sum[i] = RANKS;
    ck_assert_uint_eq(checked(sum, ELEMENTS, OVL_PATTERN_FLOAT, RANKS, 0), ELEMENTS);
    sum[ELEMENTS - 1]--;
    ck_assert_uint_eq(checked(sum, ELEMENTS, OVL_PATTERN_FLOAT, RANKS, 0), ELEMENTS - 1);
}
END_TEST

START_TEST(nothing_arrived)
{
    struct ovl_pattern_fault fault;
    for (int kind = OVL_PATTERN_BYTES; kind <= OVL_PATTERN_INT8; kind++)
        for (size_t at = 0; at < 64; at += 4) { /* even a message of one number never passes by chance */
            ovl_pattern_spoil(data, BYTES, (enum ovl_pattern_kind)kind, 9, 1, 0);
            for (size_t r = 1; r < RANK_COUNTS; r++) {
                ck_assert_int_eq(
                    ovl_pattern_check(data + at, 4, (enum ovl_pattern_kind)kind, 9, 1, rank_counts[r], at, &fault), -1);
                ck_assert_uint_eq(fault.position, 0);
            }
        }
}
END_TEST

Suite *suite_pattern(void)
{
    Suite *suite = suite_create("pattern");
    TCase *t = tcase_create("pattern");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, bytes_are_found);
    tcase_add_loop_test(t, sums_are_right, 0, RANK_COUNTS);
    tcase_add_loop_test(t, faults_of_a_rank, 0, RANK_COUNTS);
    tcase_add_loop_test(t, faults_of_a_part, 0, RANK_COUNTS);
    tcase_add_loop_test(t, every_rank_has_its_turn, 0, RANK_COUNTS);
    tcase_add_test(t, no_term_per_rank);
    tcase_add_test(t, nothing_arrived);
    suite_add_tcase(suite, t);
    return suite;
}
