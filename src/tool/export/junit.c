/* Writing JUnit's XML. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/export/junit.h"
#include "table/escape.h"

#include <math.h>

void ovl_junit_begin(FILE *out, size_t tests, size_t failed, size_t skipped)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites name=\"ovl\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", tests,
            failed, skipped);
}

void ovl_junit_suite(FILE *out, const char *name, size_t tests, size_t failed, size_t skipped)
{
    fputs("  <testsuite name=\"", out);
    ovl_escape_xml(out, name);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", tests, failed, skipped);
}

void ovl_junit_case(FILE *out, const char *suite, const char *name, double seconds, enum ovl_junit_result result,
                    const char *message)
{
    static const char *const element[] = {"system-out", "failure", "skipped"};
    fputs("    <testcase classname=\"", out);
    ovl_escape_xml(out, suite);
    fputs("\" name=\"", out);
    ovl_escape_xml(out, name);
    fprintf(out, "\" time=\"%.9f\">", isfinite(seconds) ? seconds : 0);
    if (result == OVL_JUNIT_PASSED) {
        fprintf(out, "<%s>", element[result]);
        ovl_escape_xml(out, message);
        fprintf(out, "</%s>", element[result]);
    } else {
        fprintf(out, "<%s message=\"", element[result]);
        ovl_escape_xml(out, message);
        fputs("\"/>", out);
    }
    fputs("</testcase>\n", out);
}

void ovl_junit_suite_end(FILE *out)
{
    fputs("  </testsuite>\n", out);
}

void ovl_junit_end(FILE *out)
{
    fputs("</testsuites>\n", out);
}
