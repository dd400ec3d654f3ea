/* All unit tests: every suite in one forking runner, so that a crash is one failure and not the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/suites.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(NULL);
#define ADD(name) srunner_add_suite(runner, suite_##name());
    OVL_SUITES(ADD)
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
