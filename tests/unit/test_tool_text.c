/* Texts on their way out of the tool: numbers of 12 digits, cut at the borders of characters, escaped for XML and
   gnuplot, in lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "table/escape.h"
#include "tests/unit/test.h"
#include "tool/chart/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both are what printf makes of the number. */
static void is_printed(double x)
{
    char text[24], wanted[32];
    int length = snprintf(wanted, sizeof wanted, "%.12g", x);
    ck_assert_int_eq(ovl_number_twelve(text, x), length);
    ck_assert_str_eq(text, wanted);
    ck_assert(ovl_number_round(x) == strtod(wanted, NULL));
}

TEST(numbers_of_twelve_digits_are_as_printf_has_them)
{
    static const double some[] = {0,
                                  -0.0,
                                  1,
                                  10,
                                  123456789012.,
                                  999999999999.,
                                  999999999999.5,
                                  1e12,
                                  1e22,
                                  1e300,
                                  1e-300,
                                  4.9e-324,
                                  1e-4,
                                  9.99999999999e-5,
                                  1e-5,
                                  0.1,
                                  1e-10,
                                  1.5e-10,
                                  9.999999999995,
                                  9.99999999999499,
                                  1e-9,
                                  0.000123,
                                  1e11,
                                  -2.5e-6,
                                  -1e5,
                                  0.099999999999949,
                                  3.0000000000001};
    struct ovl_rng rng = ovl_rng_seeded(7);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        is_printed(some[i]);
    for (int i = 0; i < 200000; i++) {
        double x = (double)(ovl_rng_next(&rng) >> 11) * pow(10, (double)ovl_rng_below(&rng, 40) - 35);
        char text[32];
        snprintf(text, sizeof text, "%.*g", 1 + (int)ovl_rng_below(&rng, 14), i % 2 ? x : -x);
        is_printed(strtod(text, NULL)); /* of 1 to 14 digits */
        is_printed(x);
        is_printed(nextafter(strtod(text, NULL), INFINITY));
    }
}

#define EURO  "\xe2\x82\xac"
#define SHELL "\xf0\x9f\x90\x9a"

static const struct {
    const char *text;
    size_t most, length;
} cuts[] = {
    {"", 0, 0},
    {"ab", 5, 2},
    {"ab", 2, 2},
    {"abc", 2, 2},
    {"a" EURO, 4, 4},
    {"a" EURO, 3, 1},
    {"a" EURO, 2, 1},
    {"a" EURO, 1, 1},
    {SHELL SHELL, 7, 4},
    {SHELL SHELL, 5, 4},
    {SHELL SHELL, 3, 0},
    {EURO "\xcc\x81", 4, 3},
    {"\x80\x80\x80\x80\x80", 3, 3}, /* no character: bytes */
    {"a\xff", 1, 1},
};

LOOP_TEST(a_cut_ends_at_a_border, 0, sizeof cuts / sizeof *cuts)
{
    char text[32];
    ck_assert_uint_eq(ovl_utf8_cut(cuts[_i].text, cuts[_i].most), cuts[_i].length);
    ck_assert_uint_eq(ovl_utf8_print(text, cuts[_i].most + 1, "%s", cuts[_i].text), cuts[_i].length);
    ck_assert_uint_eq(strlen(text), cuts[_i].length);
    ck_assert_int_eq(strncmp(text, cuts[_i].text, cuts[_i].length), 0);
}

/* Every cut of a text of characters of all lengths is text, and loses less than a character. */
TEST(all_cuts_are_text)
{
    static const char whole[] = "x\xc3\xa9" EURO SHELL "\xc2\xa0" SHELL EURO "y";
    for (size_t most = 0; most < sizeof whole + 2; most++) {
        size_t n = ovl_utf8_cut(whole, most), at = 0;
        ck_assert_uint_le(n, most);
        ck_assert(n + 4 > most || n == strlen(whole));
        while (at < n) {
            ck_assert_uint_gt(ovl_utf8_character(whole + at), 0);
            at += ovl_utf8_character(whole + at);
        }
        ck_assert_uint_eq(at, n);
    }
}

static const struct {
    const char *bytes, *text;
} xml[] = {
    {"a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; 'd'"},
    {"tab\there\x01\x1f", "tab?here??"},
    {"\xef\xbf\xbd \xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd ??"}, /* U+FFFD is a character, FFFE and FFFF are none */
    {"half \xe2\x82", "half ??"},
    {"\xed\xa0\x80<", "???&lt;"},
    {EURO SHELL, EURO SHELL},
    {"]]>", "]]&gt;"},
};

LOOP_TEST(xml_takes_any_text, 0, sizeof xml / sizeof *xml)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ovl_escape_xml(out, xml[_i].bytes);
    fclose(out);
    ck_assert_str_eq(text, xml[_i].text);
    free(text);
}

static const struct {
    const char *text, *variables;
} drawn[] = {
    {"it's", "x = 'it''s'; "},
    {"a\nb\x7f", "x = 'a b '; "},
    {"`rm -r` \\ $HOME \"", "x = '`rm -r` \\ $HOME \"'; "},
    {"half \xe2\x82 " EURO, "x = 'half ?? " EURO "'; "},
};

LOOP_TEST(gnuplot_takes_any_text, 0, sizeof drawn / sizeof *drawn)
{
    struct ovl_gnuplot g;
    ovl_gnuplot_open(&g);
    ovl_gnuplot_text(&g, "x", 0, drawn[_i].text);
    fflush(g.out);
    ck_assert_str_eq(g.text, drawn[_i].variables);
    ovl_gnuplot_close(&g);
}

TEST(a_path_stays_as_it_is)
{
    struct ovl_gnuplot g;
    ovl_gnuplot_open(&g);
    ovl_gnuplot_path(&g, "data", "/tmp/it's \xff/x");
    fflush(g.out);
    ck_assert_str_eq(g.text, "data = '/tmp/it''s \xff/x'; ");
    ovl_gnuplot_close(&g);
}

static const struct {
    const char *text;
    size_t width, length;
} lines[] = {
    {"short", 10, 5},
    {"one two three", 8, 7},
    {"one; two three four", 8, 8},      /* the border of a part only where it fills half of the line */
    {"a; bcd efgh", 8, 6},              /* there it does not */
    {"no_space_in_this_word", 8, 8},    /* not one character a line */
    {"four" EURO EURO EURO EURO, 9, 7}, /* nor half a character at its end */
    {SHELL SHELL SHELL, 6, 4},
};

LOOP_TEST(lines_break_at_words_and_characters, 0, sizeof lines / sizeof *lines)
{
    ck_assert_uint_eq(ovl_wrap_length(lines[_i].text, lines[_i].width), lines[_i].length);
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

/* A head of long words has few lines, and tells when it goes on. */
TEST(long_words_fill_the_lines)
{
    struct ovl_gnuplot g;
    char text[2001];
    memset(text, 'w', 2000);
    text[2000] = '\0';
    ovl_gnuplot_open(&g);
    ovl_gnuplot_lines(&g, "head", text);
    ovl_gnuplot_lines(&g, "note", "a line");
    ovl_gnuplot_lines(&g, "warning", "");
    fflush(g.out);
    ck_assert_ptr_nonnull(strstr(g.text, "heads = 8; "));
    ck_assert_ptr_nonnull(strstr(g.text, "www ...'; heads"));
    ck_assert_uint_eq(count_of(g.text, "..."), 1);
    ck_assert_ptr_nonnull(strstr(g.text, "note1 = 'a line'; notes = 1; warnings = 0; "));
    ovl_gnuplot_close(&g);
}

TEST(a_time_is_read_whole_or_not_at_all)
{
    static const char *const none[] = {"",
                                       "2026-02-31T00:00:00Z",
                                       "2026-01-31T24:00:00Z",
                                       "2026-01-31T23:59:59",
                                       "2026-01-31T23:59:59Z ",
                                       "2026-1-31T23:59:59Z",
                                       "2026-01-31 23:59:59Z"};
    char now[32];
    ck_assert_double_eq(ovl_clock_utc_seconds("1970-01-01T00:00:00Z"), 0);
    ck_assert_double_eq(ovl_clock_utc_seconds("2026-01-31T23:59:59Z"), 1769903999);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(isnan(ovl_clock_utc_seconds(none[i])), "%s", none[i]);
    ovl_clock_utc(now);
    ck_assert(!isnan(ovl_clock_utc_seconds(now)));
}
