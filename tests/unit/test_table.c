/* Every table by every writer: a new column or table is tested the day that it is added. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"
#include "tests/unit/test.h"
#include "tool/compare/history.h"
#include "tool/compare/power.h"
#include "tool/compare/table.h"
#include "tool/export/export.h"
#include "tool/offload/pairs.h"
#include "tool/show/join.h"
#include "tool/show/ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const struct ovl_column *columns;
    unsigned in;
} tables[] = {
    {ovl_cell_columns, OVL_IN_DRIVER},
    {ovl_cell_columns, OVL_IN_HPL},
    {ovl_cell_columns, OVL_IN_GRID},
    {ovl_cell_columns, OVL_IN_TRAIN},
    {ovl_cell_columns, OVL_IN_SERVE},
    {ovl_node_columns, 0},
    {ovl_long_quanta_columns, 0},
    {ovl_short_quanta_columns, 0},
    {ovl_clock_columns, 0},
    {ovl_join_columns, 0},
    {ovl_ways_columns, 0},
    {ovl_group_columns, 0},
    {ovl_change_columns, 0},
    {ovl_power_columns, 0},
    {ovl_history_columns, 0},
    {ovl_verdict_columns, 0},
    {ovl_pairs_columns, 0},
};
static const struct ovl_table_writer *const writers[] = {&ovl_table_plain, &ovl_table_html, &ovl_table_markdown,
                                                         &ovl_table_latex, &ovl_table_csv};
enum {
    TABLES = sizeof tables / sizeof *tables,
    WRITERS = sizeof writers / sizeof *writers,
    ALL = TABLES * WRITERS * 4
};

static char *written;
static size_t length;

/* Table _i: short or full, of seconds or of a fraction whose changes are differences. */
static struct ovl_table table(int i)
{
    const char *metric = i % 2 ? "hidden_fraction" : "total_seconds";
    free(written);
    written = NULL;
    struct ovl_table t = {.out = open_memstream(&written, &length),
                          .writer = writers[i / 4 % WRITERS],
                          .columns = tables[i / 4 / WRITERS].columns,
                          .in = tables[i / 4 / WRITERS].in,
                          .full = i / 2 % 2,
                          .metric = ovl_field_named(ovl_fields_cell, metric),
                          .caption = "caption"};
    t.widest = (int)strlen("a cell with blanks");
    ovl_table_begin(&t);
    return t;
}

static void end(struct ovl_table *t)
{
    ovl_table_end(t);
    fclose(t->out);
}

static size_t count(const char *in, const char *what)
{
    size_t n = 0;
    for (; (in = strstr(in, what)); in += strlen(what))
        n++;
    return n;
}

/* How many of its columns the table has. */
static size_t columns_of(const struct ovl_table *t)
{
    size_t n = 0;
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(t, c));)
        n++;
    return n;
}

static bool ends(const struct ovl_column *c)
{
    return !c->field && !c->show.head;
}

static void put_row(struct ovl_table *t, const char *text, struct ovl_estimate x)
{
    while (!ends(t->next))
        if (t->next->left)
            ovl_table_text(t, "%s", text);
        else
            ovl_table_estimate(t, x);
    ovl_table_row_end(t);
}

/* The values of a line in Markdown, LaTeX or CSV: parts between separators that nothing escapes or quotes. */
static size_t values_in(const char *line, char separator, char escape)
{
    size_t n = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++)
        if (*line == escape && separator == ',')
            quoted = !quoted;
        else if (*line == escape)
            line++;
        else if (*line == separator && !quoted)
            n++;
    return n;
}

/* Whatever a text holds, there are as many values in a row as heads. */
LOOP_TEST(all_rows_have_all_columns, 0, ALL)
{
    static const char bad[] = "a|b & <td>c</td> \"d\", _e_ \\ $f$ {g} %h\x01 \xff";
    struct ovl_table t = table(_i);
    size_t columns = columns_of(&t), n = 0;
    const struct ovl_table_writer *w = t.writer;
    ck_assert_uint_gt(columns, 1);
    put_row(&t, bad, (struct ovl_estimate){0.25, 0.125, 0.5});
    put_row(&t, "-", (struct ovl_estimate){NAN, NAN, NAN});
    put_row(&t, "=a\nb", (struct ovl_estimate){INFINITY, -INFINITY, INFINITY});
    end(&t);
    if (w == &ovl_table_html) {
        ck_assert_uint_eq(count(written, "<td"), 3 * columns);
        ck_assert_uint_eq(count(written, "</td>"), 3 * columns);
        ck_assert_uint_eq(count(written, "<th "), columns);
        ck_assert_uint_eq(count(written, "<tr>"), 4);
        ck_assert_ptr_null(strchr(written, '\xff'));
    }
    char separator = w == &ovl_table_markdown ? '|' : w == &ovl_table_latex ? '&' : ',';
    size_t wanted = columns + (w == &ovl_table_markdown ? 2 : 0);
    for (const struct ovl_column *c = NULL; w == &ovl_table_csv && (c = ovl_table_next(&t, c));)
        wanted += c->interval ? 2 : 0;
    if (w == &ovl_table_plain || w == &ovl_table_html)
        return;
    for (char *line = written, *next; *line; line = next, n++) {
        bool quoted = false; /* a line's end in quotes is none */
        for (next = line; *next && (quoted || *next != '\n'); next++) {
            quoted ^= w == &ovl_table_csv && *next == '"';
            *next = quoted && *next == '\n' ? ' ' : *next;
        }
        next += *next == '\n';
        if (*line != '\\')
            ck_assert_uint_eq(values_in(line, separator, w == &ovl_table_csv ? '"' : '\\'), wanted);
    }
    ck_assert_uint_ge(n, 4);
}

/* In text a head, and the widest value that a column is made for, end where the column ends; what is longer touches
   nothing. */
LOOP_TEST(columns_in_text_are_wide_enough, 0, TABLES * 4)
{
    struct ovl_table t = table(_i / 4 * 4 * WRITERS + _i % 4);
    char head[96], widest[96], interval[96];
    size_t columns = columns_of(&t), words;
    ck_assert_ptr_eq(t.writer, &ovl_table_plain);
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(&t, c));) {
        int width = c->interval ? c->interval : ovl_column_show(&t, c).width;
        ovl_column_head(&t, c, head);
        ck_assert_msg(*head && (c->left || (int)strlen(head) < width || c == t.columns), "%s: %d", head, width);
        ck_assert_msg(c->left || width > 0, "%s has no width", head);
    }
    for (int longer = 0; longer < 2; longer++) {
        while (!ends(t.next)) {
            struct ovl_show show = ovl_column_show(&t, t.next);
            int width = t.next->interval ? t.next->interval : show.width;
            memset(widest, 'x', sizeof widest);
            widest[longer ? 70 : t.next->left ? 1 : width - 1] = '\0';
            ovl_table_text(&t, "%s", widest);
        }
        ovl_table_row_end(&t);
    }
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(&t, c));) {
        ovl_column_text(&t, c, (struct ovl_estimate){NAN, NAN, NAN}, interval);
        ck_assert_str_eq(interval, "-"); /* a number that is none, an interval that is not there */
        ovl_column_text(&t, c, (struct ovl_estimate){0.5, 0.25, 0.75}, interval);
        ck_assert_msg(!c->interval == !strstr(interval, " .. "), "%s", interval);
    }
    end(&t);
    char *first = strchr(written, '\n'), *second = strchr(first + 1, '\n');
    words = count(second + 1, "x ") + count(second + 1, "x\n");
    ck_assert_uint_eq(words, columns);
    ck_assert_uint_eq(count(first, "x ") + count(first, "x\n"), 2 * columns);
    if (!strstr(written, "status") && !strstr(written, "verdict") && !strstr(written, "change"))
        ck_assert_int_eq((int)(first - written), (int)(second - first) - 1);
}

/* No form cuts a text; what a row has too much is passed over. */
LOOP_TEST(long_texts_are_whole, 0, WRITERS)
{
    char text[3001];
    memset(text, 'x', sizeof text);
    text[3000] = '\0';
    struct ovl_table t = table(4 * _i);
    put_row(&t, text, (struct ovl_estimate){1, 1, 1});
    put_row(&t, "-", (struct ovl_estimate){1, 1, 1});
    while (!ends(t.next))
        ovl_table_number(&t, 1);
    ovl_table_text(&t, "%s", "too much");
    ovl_table_row_end(&t);
    end(&t);
    ck_assert_ptr_nonnull(strstr(written, text));
    ck_assert_ptr_null(strstr(written, "too much"));
}

/* Lines of a text stay lines on a page, and what is noted of it stands below them; all of it is nothing but text. */
TEST(lines_and_notes_stand_on_a_page)
{
    struct ovl_table t = table(4);
    ck_assert_ptr_eq(t.writer, &ovl_table_html);
    ovl_table_put(&t, &(struct ovl_value){.text = "a\n\n<b>", .note = "c & d"});
    ovl_table_row_end(&t);
    end(&t);
    ck_assert_ptr_nonnull(strstr(written, ">a<br><br>&lt;b&gt;<br><span class=\"soft\">c &amp; d</span></td></tr>\n"));
}

/* Page and text show one number, in the unit of the head. */
TEST(a_value_is_scaled_once)
{
    char head[96], text[96];
    struct ovl_table t = {.writer = &ovl_table_html, .columns = ovl_cell_columns, .in = OVL_IN_DRIVER, .full = true};
    for (const struct ovl_column *c = NULL; (c = ovl_table_next(&t, c));) {
        ovl_column_head(&t, c, head);
        ovl_column_text(&t, c, (struct ovl_estimate){0.5, 0.5, 0.5}, text);
        size_t n = strlen(head);
        if (n > 3 && strcmp(head + n - 3, " us") == 0)
            ck_assert_str_eq(text, "500000.00");
        if (n > 2 && strcmp(head + n - 2, " %") == 0 && strncmp(head, "OMB", 3) != 0 && strncmp(head, "IMB", 3) != 0)
            ck_assert_str_eq(text, "50.0");
    }
}

/* The head of a metric says its unit, and of a difference that it is one. */
TEST(heads_follow_the_metric)
{
    static const char *const metrics[] = {"total_seconds", "hidden_fraction"};
    static const char *const heads[2][3] = {{"old us", "new us", "new/old"}, {"old", "new", "new-old"}};
    for (int m = 0; m < 2; m++) {
        char head[96], text[96];
        struct ovl_table t = {.writer = &ovl_table_plain,
                              .columns = ovl_change_columns,
                              .metric = ovl_field_named(ovl_fields_cell, metrics[m])};
        for (int c = 0; c < 3; c++) {
            ovl_column_head(&t, &ovl_change_columns[1 + c], head);
            ck_assert_str_eq(head, heads[m][c]);
        }
        ovl_column_text(&t, &ovl_change_columns[3], (struct ovl_estimate){0.5, NAN, NAN}, text);
        ck_assert_str_eq(text, m == 0 ? "0.500" : "+0.500");
    }
}
