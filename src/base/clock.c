/* CPU clocks, and the date. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <math.h>
#include <string.h>

static double seconds(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double ovl_clock_thread_cpu(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double ovl_clock_process_cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static const char utc[] = "%Y-%m-%dT%H:%M:%SZ";

void ovl_clock_utc(char text[32])
{
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(text, 32, utc, &tm);
}

double ovl_clock_utc_seconds(const char *text)
{
    struct tm tm = {0};
    char again[32] = "";
    const char *end = strptime(text, utc, &tm);
    if (!end || *end)
        return NAN;
    time_t seconds = timegm(&tm); /* makes of February 31 a day in March */
    strftime(again, sizeof again, utc, &tm);
    return strcmp(again, text) == 0 ? (double)seconds : NAN;
}
