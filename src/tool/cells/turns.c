/* Launches in turns. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/turns.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

long ovl_launch_number(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 9 || strcmp(name + digits, ".jsonl") != 0)
        return -1;
    return strtol(name, NULL, 10);
}

double ovl_run_began(const struct ovl_run *run)
{
    double start = ovl_clock_utc_seconds(ovl_run_text(run, "started"));
    return run->began > 0 && !(fabs(start - run->began) > OVL_CLOCKS_APART) ? run->began : isnan(start) ? 0 : start;
}

bool ovl_pair_paused(const struct ovl_run *a, const struct ovl_run *b)
{
    bool in_order = ovl_run_began(a) <= ovl_run_began(b);
    const struct ovl_run *first = in_order ? a : b, *later = in_order ? b : a;
    const char *end = json_string_value(json_object_get(first->end, "finished"));
    double began = ovl_clock_utc_seconds(ovl_run_text(first, "started")),
           ended = end ? ovl_clock_utc_seconds(end) : NAN, next = ovl_clock_utc_seconds(ovl_run_text(later, "started"));
    return next - (ended >= began ? ended : began) >
           OVL_PAIR_PAUSE; /* an end that is none is as if it were the start */
}

bool ovl_began_between(const struct ovl_run *a, const struct ovl_run *b, const struct ovl_run *const *other, size_t n)
{
    if (ovl_pair_paused(a, b))
        return true;
    double one = ovl_run_began(a), two = ovl_run_began(b), first = fmin(one, two), last = fmax(one, two);
    for (size_t i = 0; i < n && first > 0; i++) {
        double began = other[i] ? ovl_run_began(other[i]) : 0;
        if (began > first && began < last)
            return true;
    }
    return false;
}
