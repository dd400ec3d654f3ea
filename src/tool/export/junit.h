/* JUnit's XML, as CI servers read it: test suites of test cases that passed, failed, or could not be judged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_EXPORT_JUNIT_H
#define OVL_TOOL_EXPORT_JUNIT_H

#include <stdio.h>

enum ovl_junit_result { OVL_JUNIT_PASSED, OVL_JUNIT_FAILED, OVL_JUNIT_SKIPPED };

void ovl_junit_begin(FILE *out, size_t tests, size_t failed, size_t skipped);
void ovl_junit_suite(FILE *out, const char *name, size_t tests, size_t failed, size_t skipped);
/* `seconds` is what one iteration took, 0 where it is not known. */
void ovl_junit_case(FILE *out, const char *suite, const char *name, double seconds, enum ovl_junit_result result,
                    const char *message);
void ovl_junit_suite_end(FILE *out);
void ovl_junit_end(FILE *out);

#endif
