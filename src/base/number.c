/* Numbers as texts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <math.h>
#include <stdio.h>

const char *ovl_number_text(char text[32], double factor, int decimals, bool sign, double x)
{
    if (decimals < 0)
        snprintf(text, 32, sign ? "%+.*g" : "%.*g", -decimals, factor * x);
    else
        snprintf(text, 32, sign ? "%+.*f" : "%.*f", decimals, factor * x);
    return text;
}

const char *ovl_number_time(char text[32], double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t u = 0;
    while (u < 3 && fabs(seconds) < 0.9995 * units[u].least)
        u++;
    snprintf(text, 32, isnan(seconds) ? "-" : "%.3g %s", seconds / units[u].least, units[u].unit);
    return text;
}
