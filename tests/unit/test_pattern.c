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

static void sum_all(void *sum, enum ovl_pattern_kind kind, int ranks)
{
    static _Alignas(8) unsigned char one[BYTES];
    for (int r = 0; r < ranks; r++) {
        ovl_pattern_fill(one, BYTES, kind, 7, r, ranks);
        for (size_t i = 0; i < (kind == OVL_PATTERN_FLOAT ? BYTES / 4 : BYTES); i++)
            if (kind == OVL_PATTERN_FLOAT)
                ((float *)sum)[i] = (r ? ((float *)sum)[i] : 0) + ((const float *)one)[i];
            else
                ((int8_t *)sum)[i] = (int8_t)((r ? ((int8_t *)sum)[i] : 0) + ((const int8_t *)one)[i]);
    }
}

START_TEST(sums_are_exact)
{
    static const int ranks[] = {1, 2, 3, 16, 100};
    struct ovl_pattern_fault fault;
    for (int kind = OVL_PATTERN_FLOAT; kind <= OVL_PATTERN_INT8; kind++)
        for (size_t i = 0; i < 5; i++) {
            sum_all(data, (enum ovl_pattern_kind)kind, ranks[i]);
            ck_assert_int_eq(ovl_pattern_check(data, BYTES, (enum ovl_pattern_kind)kind, 7, 0, ranks[i], 0, &fault), 0);
            ck_assert_int_eq(
                ovl_pattern_check(data + 40, BYTES - 40, (enum ovl_pattern_kind)kind, 7, 0, ranks[i], 40, &fault), 0);
            data[123] ^= 0x40;
            ck_assert_int_eq(ovl_pattern_check(data, BYTES, (enum ovl_pattern_kind)kind, 7, 0, ranks[i], 0, &fault),
                             -1);
            ck_assert_uint_eq(fault.position, kind == OVL_PATTERN_FLOAT ? 120 : 123);
        }
}
END_TEST

START_TEST(nothing_arrived)
{
    struct ovl_pattern_fault fault;
    for (int kind = OVL_PATTERN_BYTES; kind <= OVL_PATTERN_INT8; kind++)
        for (size_t at = 0; at < 64; at += 4) { /* even a message of one number never passes by chance */
            ovl_pattern_spoil(data, BYTES, (enum ovl_pattern_kind)kind, 9, 1, 0);
            ck_assert_int_eq(ovl_pattern_check(data + at, 4, (enum ovl_pattern_kind)kind, 9, 1, 2, at, &fault), -1);
            ck_assert_uint_eq(fault.position, 0);
        }
}
END_TEST

Suite *suite_pattern(void)
{
    Suite *suite = suite_create("pattern");
    TCase *t = tcase_create("pattern");
    tcase_add_test(t, bytes_are_found);
    tcase_add_test(t, sums_are_exact);
    tcase_add_test(t, nothing_arrived);
    suite_add_tcase(suite, t);
    return suite;
}
