/* Texts made fit for a line: what UTF-8 allows and what not, and all words of four bytes at its borders. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "base/utf8.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *bytes, *text;
} rows[] = {
    {"", ""},
    {"plain ~", "plain ~"},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a"},
    {"caf\xe9 costs", "caf? costs"},
    {"cut \xe2\x82", "cut ??"},
    {"cut \xf0\x9f\x90", "cut ???"},
    {"\x80\xbf", "??"},
    {"\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf", "?? ??? ????"},
    {"\xed\xa0\x80 \xf4\x90\x80\x80 \xff", "??? ???? ?"},
    {"a\tb\nc\x1b[2J\x7f", "a?b?c?[2J?"},
    {"\xc2\x9b"
     "2J",
     "??2J"},
};

LOOP_TEST(bytes_become_text, 0, sizeof rows / sizeof *rows)
{
    char text[64];
    strcpy(text, rows[_i].bytes);
    ovl_printable_bytes(text);
    ck_assert_str_eq(text, rows[_i].text);
}

/* jansson refuses what is no UTF-8. */
TEST(whatever_the_bytes_json_takes_the_text)
{
    static const unsigned char borders[] = {0x1b, 'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                            0xc1, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5};
    const size_t n = sizeof borders;
    for (size_t i = 0; i < n * n * n * n; i++) {
        char text[5] = {(char)borders[i % n], (char)borders[i / n % n], (char)borders[i / n / n % n],
                        (char)borders[i / n / n / n], '\0'};
        char kept[5];
        memcpy(kept, text, sizeof kept);
        json_t *whole = json_string(kept);
        ovl_printable_bytes(text);
        json_t *mended = json_string(text);
        ck_assert_ptr_nonnull(mended);
        ck_assert_uint_eq(strlen(text), 4);
        char *shown = ovl_printable_copy(text);
        ck_assert_str_eq(shown, text); /* no control character is left */
        if (whole) {                   /* then only control characters were changed */
            char *printable = ovl_printable_copy(kept);
            ck_assert(strcmp(printable, kept) != 0 || strcmp(text, kept) == 0);
            free(printable);
        }
        free(shown);
        json_decref(whole);
        json_decref(mended);
    }
}

TEST(a_text_that_is_no_utf8_is_no_lost_member)
{
    json_t *good = ovl_printable_json("caf\xc3\xa9\n"), *mended = ovl_printable_json("caf\xe9\n");
    ck_assert_str_eq(json_string_value(good), "caf\xc3\xa9\n");
    ck_assert_str_eq(json_string_value(mended), "caf??");
    json_decref(good);
    json_decref(mended);
}

TEST(xml_lacks_some_characters)
{
    static const char *const has[] = {"a", "\t", "\n", "\r", "\x7f", "\xc2\x80", "\xef\xbf\xbd", "\xf0\x9f\xbf\xbf"},
                             *const lacks[] = {
                                 "", "\x01", "\x1b", "\x1f", "\xef\xbf\xbe", "\xef\xbf\xbf", "\xed\xa0\x80", "\xff"};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        ck_assert(ovl_utf8_is_xml(has[i]));
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        ck_assert(!ovl_utf8_is_xml(lacks[i]));
}
