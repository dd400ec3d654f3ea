/* Numbers as texts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

enum { DIGITS = 12, EXACT = 22 }; /* 10^22 is the largest power of ten that is a double */
static const double tens[EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Is x the double next to a number of 12 digits, *digits * 10^(*exponent - 11)? A quotient of doubles that are exact is
   the double next to the true one, and no other number of 12 digits is as near. */
static bool is_short(double x, uint64_t *digits, int *exponent)
{
    x = fabs(x);
    if (!(x >= 1e-10 && x < 1e12))
        return false;
    int e = (int)fmin(floor(log10(x)), DIGITS - 1); /* of a little less than 10^12 it is 12 */
    double d = rint(x * tens[DIGITS - 1 - e]);
    if (d < tens[DIGITS - 1] && e > DIGITS - 1 - EXACT)
        e--;
    else if (d >= tens[DIGITS])
        e++;
    if (e >= DIGITS)
        return false;
    d = rint(x * tens[DIGITS - 1 - e]);
    *digits = (uint64_t)d;
    *exponent = e;
    return d >= tens[DIGITS - 1] && d < tens[DIGITS] && d / tens[DIGITS - 1 - e] == x;
}

/* `n` digits with a point behind `whole` of them, of which 0 and fewer stand for zeros. */
static char *put_digits(char *to, const char *digits, int n, int whole)
{
    if (whole <= 0) {
        *to++ = '0';
        *to++ = '.';
        for (; whole < 0; whole++)
            *to++ = '0';
        whole = n; /* no further point */
    }
    for (int i = 0; i < n || i < whole; i++) {
        if (i == whole)
            *to++ = '.';
        *to++ = digits[i];
    }
    return to;
}

int ovl_number_twelve(char text[24], double x)
{
    char digits[DIGITS], *to = text;
    uint64_t rest;
    int e, n = DIGITS;
    if (!is_short(x, &rest, &e))
        return snprintf(text, 24, "%.12g", x);
    for (int i = DIGITS - 1; i >= 0; i--, rest /= 10)
        digits[i] = (char)('0' + rest % 10);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (x < 0)
        *to++ = '-';
    if (e < -4) {
        to = put_digits(to, digits, n, 1);
        *to++ = 'e';
        *to++ = '-';
        *to++ = (char)('0' + -e / 10);
        *to++ = (char)('0' + -e % 10);
    } else
        to = put_digits(to, digits, n, e + 1);
    *to = '\0';
    return (int)(to - text);
}

double ovl_number_round(double x)
{
    char text[24];
    uint64_t digits;
    int exponent;
    if (is_short(x, &digits, &exponent))
        return x;
    snprintf(text, sizeof text, "%.12g", x);
    return strtod(text, NULL);
}
