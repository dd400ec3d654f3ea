/* The reader of plain lines against jansson: what it reads is the same to the last bit, and it reads nothing else. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_line.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both give the same tree, or both none for the same reason. */
static void same(const char *text, size_t length)
{
    json_error_t here, there;
    json_t *line = ovl_json_line(text, length, &here),
           *wanted = json_loadb(text, length, JSON_REJECT_DUPLICATES, &there);
    if (!wanted) {
        ck_assert_ptr_null(line);
        ck_assert_str_eq(here.text, there.text);
        ck_assert_int_eq(here.column, there.column);
        return;
    }
    /* Members in their order, whole numbers and others apart, and doubles by the 17 digits that tell them all. */
    char *a = json_dumps(line, JSON_REAL_PRECISION(17)), *b = json_dumps(wanted, JSON_REAL_PRECISION(17));
    ck_assert_ptr_nonnull(a);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
    json_decref(line);
    json_decref(wanted);
}

static const char plain[] =
    " {\"record\":\"cell\", \"none\":null,\"yes\":true,\t\"no\":false,\"empty\":{},\"list\":[ "
    "],\"x\":[0,-0,7,-12,0.0,-0.0,"
    "1.8e-8,2.5E+3,9.7105e-05,123456789012e10,0.000277798],\"deep\":{\"a\":[{\"b\":[[1]]}]},\"text\":\"\"}\r\n";

static const char *const rows[] = {
    plain,
    "{}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"b\":{\"a\":1},\"c\":[{\"a\":1}]}",
    "{\"caf\xc3\xa9\":\"\\u00e9\\n\"}",
    "{\"a\":\"\xff\"}",
    "{\"a\":\"\t\"}",
    "{\"\\u0000\":1}",
    "{\"a\":01}",
    "{\"a\":-}",
    "{\"a\":.5}",
    "{\"a\":1.}",
    "{\"a\":1e}",
    "{\"a\":1e+}",
    "{\"a\":+1}",
    "{\"a\":nul}",
    "{\"a\":NaN}",
    "{\"a\":[1,]}",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "{\"a\":1} x",
    "{\"a\":1",
    "[1,2]",
    "7",
    "",
    "{\"a\":9223372036854775807,\"b\":-9223372036854775808,\"c\":999999999999999999,\"d\":1000000000000000000}",
    "{\"a\":9223372036854775808}",
    "{\"a\":1e400}",
    "{\"a\":1e-400,\"b\":4.9e-324,\"c\":1.7976931348623157e308,\"d\":0e999,\"e\":1e99999999999999999999}",
    "{\"a\":9007199254740993.0,\"b\":9007199254740992.0,\"c\":123456789012345678901234567890.5,\"d\":1e22,\"e\":1e23}",
    "{\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
    "0123456789012345678901234567890123456789\":1}",
    "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
};

LOOP_TEST(a_line_is_what_jansson_makes_of_it, 0, sizeof rows / sizeof *rows)
{
    same(rows[_i], strlen(rows[_i]));
}

TEST(damaged_lines_too)
{
    static const char bytes[] = "{}[]\",:\\0.eE-+tfn \n\x01\x7f\x80\xc3";
    char text[sizeof plain];
    for (size_t n = 0; n < sizeof plain; n++) /* the byte behind the last one is a NUL */
        same(plain, n + 1);
    for (size_t at = 0; at + 1 < sizeof plain; at++)
        for (size_t b = 0; b < sizeof bytes; b++) {
            memcpy(text, plain, sizeof plain);
            text[at] = bytes[b];
            same(text, sizeof plain - 1);
        }
}

TEST(numbers_are_the_nearest_doubles)
{
    struct ovl_rng rng = ovl_rng_seeded(3);
    for (int i = 0; i < 200000; i++) {
        char text[96];
        int digits = 1 + (int)ovl_rng_below(&rng, 19),
            at = snprintf(text, sizeof text, "{\"a\":%s", ovl_rng_below(&rng, 2) ? "-" : "");
        bool point = ovl_rng_below(&rng, 3) > 0, zero = point && ovl_rng_below(&rng, 2);
        if (zero)
            at += snprintf(text + at, sizeof text - (size_t)at, "0.%.*s", (int)ovl_rng_below(&rng, 12), "00000000000");
        for (int d = 0; d < digits; d++) {
            text[at++] = (char)('0' + (d == 0 && !zero ? 1 + ovl_rng_below(&rng, 9) : ovl_rng_below(&rng, 10)));
            if (d == 0 && point && !zero) {
                text[at++] = '.';
                text[at++] = '5';
            }
        }
        if (ovl_rng_below(&rng, 2))
            at += snprintf(text + at, sizeof text - (size_t)at, "e%d",
                           (int)ovl_rng_below(&rng, i % 2 ? 60 : 600) - (i % 2 ? 35 : 320));
        at += snprintf(text + at, sizeof text - (size_t)at, "}");
        same(text, (size_t)at);
    }
}
