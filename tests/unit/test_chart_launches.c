/* Medians over launches in charts: of those that carry a claim, from 6 launches on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"
#include "tool/chart_launches.h"

#include <math.h>
#include <string.h>

enum { LAUNCHES = 8 };

static struct ovl_cell launch[LAUNCHES], joined;
static const struct ovl_cell *launches[LAUNCHES];

/* Totals of 10, 11, 12 ..., hidden parts of 0.1, 0.2, 0.3 ... */
static void set_up(void)
{
    for (int i = 0; i < LAUNCHES; i++) {
        ovl_cell_clear(&launch[i]);
        strcpy(launch[i].status, "ok");
        launch[i].units = 1000;
        launch[i].summary[OVL_TOTAL].median = 10 + i;
        launch[i].derived[OVL_HIDDEN] = (struct ovl_estimate){.value = 0.1 * (i + 1), .ci_low = -1, .ci_high = 2};
        launches[i] = &launch[i];
    }
}

static void tear_down(void)
{
    for (int i = 0; i < LAUNCHES; i++)
        ovl_cell_free(&launch[i]);
}

START_TEST(medians_have_intervals_over_launches)
{
    ck_assert_int_eq(ovl_chart_launches_join(&joined, launches, 7), 7);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 13);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].ci_low, 10);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].ci_high, 16);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].value, 0.4, 1e-12);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].ci_low, 0.1, 1e-12);
    ck_assert_double_eq_tol(joined.derived[OVL_HIDDEN].ci_high, 0.7, 1e-12);
    ck_assert_double_eq(joined.units, 1000);
}
END_TEST

START_TEST(launches_without_a_claim_do_not_count)
{
    strcpy(launch[0].status, "invalid");
    launch[1].unshaped = 1;
    ck_assert_int_eq(ovl_chart_launches_join(&joined, launches, 8), 6);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 14.5);
    ck_assert_double_eq(joined.summary[OVL_TOTAL].ci_low, 12);
    ck_assert_str_eq(joined.status, "ok");
    ck_assert_int_eq(ovl_chart_launches_join(&joined, launches, 7), 0);
}
END_TEST

START_TEST(values_that_are_missing_make_no_number)
{
    for (int i = 0; i < LAUNCHES; i++)
        launch[i].derived[OVL_HIDDEN].value = NAN;
    ck_assert_int_eq(ovl_chart_launches_join(&joined, launches, 8), 8);
    ck_assert(isnan(joined.derived[OVL_HIDDEN].value));
    ck_assert_double_eq(joined.summary[OVL_TOTAL].median, 13.5);
}
END_TEST

START_TEST(unlike_work_is_told)
{
    launch[3].units = 1001;
    ck_assert_int_eq(ovl_chart_launches_join(&joined, launches, 8), 8);
    ck_assert(isnan(joined.units));
}
END_TEST

Suite *suite_chart_launches(void)
{
    Suite *s = suite_create("launches in charts");
    TCase *t = tcase_create("launches");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, medians_have_intervals_over_launches);
    tcase_add_test(t, launches_without_a_claim_do_not_count);
    tcase_add_test(t, values_that_are_missing_make_no_number);
    tcase_add_test(t, unlike_work_is_told);
    suite_add_tcase(s, t);
    return s;
}
