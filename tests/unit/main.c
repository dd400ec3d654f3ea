/* All unit tests: every suite in one forking runner, so that a crash is one failure and not the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 200, TESTS = 2000, NAME = 64 };

static struct {
    const char *file;
    char name[NAME];
    Suite *suite;
    TCase *tests;
} all[FILES];
static TTest rows[TESTS];
static int files, tests;

/* The case of a file: its suite is named as the file is, tests/unit/test_SUITE.c. */
static TCase *tests_of(const char *file)
{
    for (int i = 0; i < files; i++)
        if (strcmp(all[i].file, file) == 0)
            return all[i].tests;
    if (files == FILES || sscanf(strrchr(file, '/'), "/test_%63[^.]", all[files].name) != 1)
        abort();
    all[files].file = file;
    all[files].suite = suite_create(all[files].name);
    all[files].tests = tcase_create(all[files].name);
    tcase_set_timeout(all[files].tests, 150); /* under a race checker, where others take the cores */
    suite_add_tcase(all[files].suite, all[files].tests);
    return all[files++].tests;
}

void ovl_test_add(const char *file, int line, const char *name, void (*test)(int i), int from, int to)
{
    if (tests == TESTS)
        abort();
    rows[tests] = (TTest){name, test, file, line};
    tcase_add_loop_test(tests_of(file), &rows[tests], from, to);
    tests++;
}

void ovl_test_around(const char *file, void (*before)(void), void (*after)(void))
{
    tcase_add_checked_fixture(tests_of(file), before, after);
}

int main(void)
{
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < files; i++)
        srunner_add_suite(runner, all[i].suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
