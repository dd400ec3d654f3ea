/* Student's distribution by the incomplete beta function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/student.h"

#include <float.h>
#include <math.h>

enum { TERMS = 500, STEPS = 60 };

static double not_zero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8) by Lentz's method. */
static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
    for (int k = 1; k <= TERMS; k++) {
        double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)), step;
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        value *= d * c;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        step = d * c;
        value *= step;
        if (fabs(step - 1) < DBL_EPSILON)
            break;
    }
    return value;
}

/* The logarithm of the density at t = 0. */
static double log_peak(double freedom)
{
    return lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * M_PI) / 2;
}

/* P(T > t) for t > 0: half of the incomplete beta function at x = freedom / (freedom + t^2). */
static double upper_tail(double t, double freedom, double peak)
{
    double a = freedom / 2, y = t * t / (freedom + t * t), x = freedom / (freedom + t * t);
    /* x^a y^(1/2) / B(a, 1/2), by the density's factor: 1 / B(a, 1/2) = peak sqrt(freedom) */
    double front = exp(peak + log(freedom) / 2 - a * log1p(t * t / freedom)) * sqrt(y);
    if (x < (a + 1) / (a + 2.5))
        return front * fraction(a, 0.5, x) / a / 2;
    return (1 - front * fraction(0.5, a, y) * 2) / 2;
}

double ovl_student_above(double t, double freedom)
{
    if (isnan(t) || isnan(freedom))
        return NAN;
    if (t == 0)
        return 0.5;
    if (isinf(t))
        return t > 0 ? 0 : 1;
    double tail = upper_tail(fabs(t), freedom, log_peak(freedom));
    return t > 0 ? tail : 1 - tail;
}

/* Where the normal distribution leaves p above, p <= 1/2; to 5e-4 (Abramowitz and Stegun, 26.2.23). */
static double normal_quantile(double p)
{
    double w = sqrt(-2 * log(p));
    return w - (2.515517 + w * (0.802853 + w * 0.010328)) / (1 + w * (1.432788 + w * (0.189269 + w * 0.001308)));
}

/* Newton's steps on the logarithm of the tail, from Wallace's approximation (Ann. Math. Statist. 30, 1959). */
double ovl_student_quantile(double p, double freedom)
{
    if (p > 0.5)
        return -ovl_student_quantile(1 - p, freedom);
    if (p == 0.5)
        return 0;
    double peak = log_peak(freedom), z = fmax(normal_quantile(p), 1e-3) * (8 * freedom + 3) / (8 * freedom + 1);
    double t = sqrt(freedom * expm1(fmin(z * z / freedom, 600)));
    for (int i = 0; i < STEPS; i++) {
        double tail = upper_tail(t, freedom, peak);
        double density = exp(peak - (freedom + 1) / 2 * log1p(t * t / freedom));
        double step = log(tail / p) * tail / density;
        double next = fmin(fmax(t + step, t / 4), 4 * t);
        if (fabs(next - t) <= 1e-12 * t)
            return next;
        t = next;
    }
    return t;
}
