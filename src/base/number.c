/* Numbers as texts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <stdio.h>

const char *ovl_number_text(char text[32], double factor, int decimals, bool sign, double x)
{
    if (decimals < 0)
        snprintf(text, 32, sign ? "%+.*g" : "%.*g", -decimals, factor * x);
    else
        snprintf(text, 32, sign ? "%+.*f" : "%.*f", decimals, factor * x);
    return text;
}
