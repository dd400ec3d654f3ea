/* Ranks as rows and columns: places, members, nodes, and what --procs may say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/space.h"
#include "tests/unit/test.h"

#include <string.h>

TEST(sides)
{
    static const int chosen[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 2}, {1, 5}, {2, 3}, {1, 7}, {2, 4}, {3, 3}, {2, 5}};
    static const struct {
        const char *text, *says; /* NULL: it goes on 6 ranks */
    } texts[] = {{"2x3", NULL},        {"6x1", NULL},        {"2x2", "a grid of 4 processes, and there are 6 ranks"},
                 {"6", "such as 1x2"}, {"", "such as 1x2"},  {"2x3x1", "such as 1x2"},
                 {"0x6", "such as"},   {"-2x3", "such as"},  {"2x 3", "such as"},
                 {"2x3 ", "such as"},  {"x", "such as"},     {"99999999x99999999", "a grid of 9999999800000001 pro"},
                 {"2X3", "such as"},   {"1.0x6", "such as"}, {"1000000000x6", "such as 1x2"}};
    int two[2];
    for (int ranks = 1; ranks <= 10; ranks++) {
        ck_assert_int_eq(ovl_space_sides(NULL, ranks, two, &err), 0);
        ck_assert_mem_eq(two, chosen[ranks - 1], sizeof two);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int rc = ovl_space_sides(texts[i].text, 6, two, &err);
        ck_assert_msg(rc == (texts[i].says ? -1 : 0), "%s", texts[i].text);
        ck_assert_msg(rc == 0 || (err.code == OVL_USAGE && strstr(err.text, texts[i].says)), "%s: %s", texts[i].text,
                      err.text);
        ck_assert(rc != 0 || two[0] * two[1] == 6);
    }
    ck_assert(!ovl_space_by_columns("row") && ovl_space_by_columns("col") && ovl_space_by_columns("column"));
}

/* Lines part the ranks: each rank is in one row and one column, and finds itself at its place. */
static void check_lines(const struct ovl_space *s)
{
    int ranks = s->members[0] * s->members[1], place[OVL_SPACE_LINES];
    for (int r = 0; r < ranks; r++) {
        ovl_space_place(s, r, place);
        ck_assert_int_eq(ovl_space_rank(s, place), r);
        for (int line = 0; line < OVL_SPACE_LINES; line++) {
            ck_assert(place[line] >= 0 && place[line] < s->members[line]);
            ck_assert_int_eq(ovl_space_member(s, r, line, place[line]), r);
            for (int i = 0; i < s->members[line]; i++) {
                int member = ovl_space_member(s, r, line, i), there[OVL_SPACE_LINES];
                ovl_space_place(s, member, there);
                ck_assert(member >= 0 && member < ranks);
                ck_assert_int_eq(there[line], i);
                ck_assert_int_eq(there[!line], place[!line]); /* the same line */
            }
        }
    }
}

TEST(places)
{
    for (int across = 1; across <= 6; across++)
        for (int down = 1; down <= 5; down++)
            for (int by_columns = 0; by_columns < 2; by_columns++)
                check_lines(&(struct ovl_space){{across, down}, by_columns});
    /* Two rows of three: 0 1 2 over 3 4 5, or 0 2 4 over 1 3 5. */
    struct ovl_space rows = {{3, 2}, false}, columns = {{3, 2}, true};
    ck_assert_int_eq(ovl_space_member(&rows, 4, OVL_SPACE_ROW, 0), 3);
    ck_assert_int_eq(ovl_space_member(&rows, 4, OVL_SPACE_COLUMN, 0), 1);
    ck_assert_int_eq(ovl_space_member(&columns, 4, OVL_SPACE_ROW, 0), 0);
    ck_assert_int_eq(ovl_space_member(&columns, 4, OVL_SPACE_COLUMN, 1), 5);
}

/* With two ranks on a node, one after the other. */
TEST(nodes)
{
    static const int node[] = {0, 0, 1, 1, 2, 2, 3, 3}, one[8] = {0};
    struct ovl_space rows = {{2, 4}, false}, columns = {{2, 4}, true};
    for (int r = 0; r < 8; r++) {
        ck_assert(!ovl_space_crosses(&rows, r, OVL_SPACE_ROW, node));
        ck_assert(ovl_space_crosses(&rows, r, OVL_SPACE_COLUMN, node));
        ck_assert(ovl_space_crosses(&columns, r, OVL_SPACE_ROW, node));
        ck_assert(ovl_space_crosses(&columns, r, OVL_SPACE_COLUMN, node));
        ck_assert(!ovl_space_crosses(&columns, r, OVL_SPACE_COLUMN, one));
    }
}
