/* Limits of answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/check_limit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double ovl_check_limit_of_transform(double points)
{
    return 16 * DBL_EPSILON * fmax(1, log2(points));
}

double ovl_check_limit_of_steps(double side, double steps)
{
    const double pi = 3.14159265358979323846;
    return 8 * DBL_EPSILON * (steps + 4) * pow((4 * cos(pi / (side + 1)) + 2) / 6, steps);
}

double ovl_cell_check_limit(const struct ovl_cell *cell)
{
    double x, y, z;
    const char *benchmark = cell->benchmark;
    bool halo = strcmp(benchmark, "halo") == 0;
    if (strcmp(benchmark, "hpl") == 0)
        return OVL_CHECK_RESIDUAL_LIMIT;
    if (strcmp(benchmark, "train") == 0 || strcmp(benchmark, "serve") == 0)
        return 0; /* messages with wrong data */
    if ((!halo && strcmp(benchmark, "fft3d") != 0) ||
        sscanf(ovl_cell_problem_text(cell, "grid"), "%lfx%lfx%lf", &x, &y, &z) != 3)
        return NAN;
    return halo ? ovl_check_limit_of_steps(x, ovl_cell_problem_number(cell, "steps"))
                : ovl_check_limit_of_transform(x * y * z);
}
