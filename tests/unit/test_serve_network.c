/* The transformer of ovl_serve --tiny by itself: its parts come to the whole, and its tokens are those of another
   program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/answers.h"
#include "tests/unit/test.h"

#include <string.h>

static struct ovl_lm network;

static void before(void)
{
    ovl_lm_make(&network);
}

AROUND(before, NULL)

/* Parts of all ranks come to the whole, to the last bit. */
TEST(parts_of_a_block_come_to_the_whole)
{
    static const int ranks[] = {1, 2, 3, 4, 6, 12};
    int32_t kept[8][OVL_LM_KEPT], parts_kept[8][OVL_LM_KEPT];
    for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++)
        for (int place = 0; place < 8; place++) {
            struct ovl_lm_state x;
            int64_t whole[2][OVL_LM_HIDDEN], parts[2][OVL_LM_HIDDEN] = {{0}}, part[OVL_LM_HIDDEN];
            ovl_lm_begin(&network, 5 * place, place, &x);
            ovl_lm_attention(&network, 1, &x, place, kept, true, 0, 1, whole[0]);
            ovl_lm_behind(&network, 1, &x, 0, 1, whole[1]);
            for (int r = 0; r < ranks[n]; r++) {
                ovl_lm_attention(&network, 1, &x, place, parts_kept, true, r, ranks[n], part);
                for (int i = 0; i < OVL_LM_HIDDEN; i++)
                    parts[0][i] += part[i];
                ovl_lm_behind(&network, 1, &x, r, ranks[n], part);
                for (int i = 0; i < OVL_LM_HIDDEN; i++)
                    parts[1][i] += part[i];
            }
            ck_assert_int_eq(memcmp(whole, parts, sizeof whole), 0);
            ck_assert_int_eq(memcmp(kept[place], parts_kept[place], sizeof *kept), 0);
        }
}

/* Worked out by a program of another language, which has the weights by their rule alone. */
TEST(tokens_are_those_of_another_program)
{
    static const int words[] = {42, 41, 9, 20, 59, 41, 4, 31, 59, 41, 20, 59, 40, 36, 8,
                                56, 46, 7, 4,  12, 35, 6, 29, 21, 17, 10, 57, 44, 42, 0};
    struct ovl_served_request list[] = {{0, 20, 30}};
    struct ovl_request_trace t = {.list = list, .count = 1};
    struct ovl_lm_serial s;
    ovl_lm_serial_open(&s, &t);
    ovl_lm_serial_run(&s, 3);
    ck_assert_int_eq(memcmp(s.answers.words + 20, words, sizeof words), 0);
    ovl_lm_serial_close(&s);
}

/* Prompts matter from the first word to the last, and so do their places; tokens are not all the same. */
TEST(it_answers_what_it_was_asked)
{
    struct ovl_served_request list[] = {{0, 20, 30}, {0, 20, 30}};
    struct ovl_request_trace t = {.list = list, .count = 2};
    struct ovl_lm_serial s;
    int alike = 0, seen[OVL_LM_WORDS] = {0}, kinds = 0;
    ovl_lm_serial_open(&s, &t);
    ovl_lm_serial_run(&s, 3);
    for (int i = 20; i < 50; i++) {
        alike += s.answers.words[i] == s.answers.words[50 + i];
        kinds += seen[s.answers.words[i]]++ == 0;
    }
    ck_assert_int_lt(alike, 15);
    ck_assert_int_gt(kinds, 8);
    struct ovl_lm_state x = {.digest = 1};
    ck_assert_int_eq(ovl_lm_word(&network, &x), 0); /* of equal ones the lower */
    int32_t first[20][OVL_LM_KEPT];
    struct ovl_lm_state ends[2];
    for (int way = 0; way < 2; way++)
        for (int p = 0; p < 20; p++) { /* the first word is another one */
            ovl_lm_begin(&network, p == 0 ? way : 7, p, &ends[way]);
            ovl_lm_block(&network, 0, &ends[way], p, first, true);
        }
    ck_assert_int_ne(memcmp(&ends[0], &ends[1], sizeof *ends), 0);
    ovl_lm_serial_close(&s);
}
