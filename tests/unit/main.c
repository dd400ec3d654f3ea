/* All unit tests: every suite in one forking runner, so that a crash is one failure and not the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"

#include <stdlib.h>

int main(void)
{
    setenv("CK_DEFAULT_TIMEOUT", "60", 0); /* Check's own 4 s are too short where others take the cores */
    SRunner *runner = srunner_create(NULL);
#define SUITE(name) srunner_add_suite(runner, suite_##name());
#include "suites.list"
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
