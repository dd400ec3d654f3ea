/* The known data are a product of one sequence for each axis, so that a rank finds its own part of the spectrum alone.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "base/rng.h"
#include "record/derived/check_limit.h"

#include <math.h>

static double number(uint64_t key, uint64_t at)
{
    return (double)(ovl_rng_mix(key ^ at) >> 11) * 0x1p-53 - 0.5;
}

/* Calls for each of the rank's numbers in x pencils: `width` doubles per point. */
#define EACH_POINT(p, width)                                                                                           \
    for (size_t iz = 0, at = 0; iz < (p)->z.count; iz++)                                                               \
        for (size_t iy = 0; iy < (p)->y1.count; iy++)                                                                  \
            for (size_t ix = 0; ix < (width) * (p)->grid.n[0]; ix++, at++)

static uint64_t key_of(uint64_t seed, int variable)
{
    return ovl_rng_mix(seed ^ ovl_rng_mix((uint64_t)variable + 1));
}

/* The place of a double in the whole grid. */
static uint64_t place(const struct ovl_pencil *p, size_t width, size_t ix, size_t iy, size_t iz)
{
    return ((p->z.first + iz) * p->grid.n[1] + p->y1.first + iy) * width * p->grid.n[0] + ix;
}

void ovl_check_fill(const struct ovl_pencil *p, double *u, uint64_t seed, int variable)
{
    size_t width = p->real ? 1 : 2;
    uint64_t key = key_of(seed, variable);
    EACH_POINT(p, width)
    u[at] = number(key, place(p, width, ix, iy, iz));
}

/* The larger one, or NaN. */
static double larger(double most, double difference)
{
    return difference <= most ? most : difference;
}

double ovl_check_filled(const struct ovl_pencil *p, const double *u, uint64_t seed, int variable)
{
    size_t width = p->real ? 1 : 2;
    uint64_t key = key_of(seed, variable);
    double most = 0;
    EACH_POINT(p, width)
    {
        most = larger(most, fabs(u[at] - number(key, place(p, width, ix, iy, iz))));
        if (isnan(most))
            return most;
    }
    return most;
}

/* The known data of a variable are a product of one sequence along each axis: of even variables 2^(-x/n), which is
   nowhere 0 and has a spectrum that is nowhere 0; of odd ones 1 at a point and else 0, whose spectrum has the size 1
   everywhere. */
static size_t point(size_t n, int axis, int variable)
{
    return (n / 3 + (size_t)(axis + variable)) % n;
}

static double value(size_t n, int axis, int variable, size_t at)
{
    return variable % 2 ? at == point(n, axis, variable) : exp2(-(double)at / (double)n);
}

static double complex wave(size_t n, size_t turns)
{
    return cexp(-2 * M_PI * I * (double)(turns % n) / (double)n);
}

static double complex spectrum(size_t n, int axis, int variable, size_t at)
{
    return variable % 2 ? wave(n, at * point(n, axis, variable))
                        : 0.5 / (1 - exp2(-1 / (double)n) * wave(n, at)); /* a geometric series */
}

void ovl_check_known(const struct ovl_pencil *p, double *u, int variable)
{
    const size_t *n = p->grid.n;
    size_t width = p->real ? 1 : 2;
    for (size_t z = 0, at = 0; z < p->z.count; z++)
        for (size_t y = 0; y < p->y1.count; y++) {
            double zy = value(n[2], 2, variable, p->z.first + z) * value(n[1], 1, variable, p->y1.first + y);
            for (size_t x = 0; x < n[0]; x++, at += width) {
                u[at] = zy * value(n[0], 0, variable, x);
                if (width == 2)
                    u[at + 1] = 0;
            }
        }
}

double ovl_check_spectrum(const struct ovl_pencil *p, const double complex *w, int variable)
{
    const size_t *n = p->grid.n;
    double most = 0, largest = variable % 2 ? 1 : (double)n[0] * (double)n[1] * (double)n[2];
    for (size_t y = 0; y < p->y2.count; y++)
        for (size_t z = 0; z < n[2]; z++, w += p->row) {
            double complex yz = spectrum(n[1], 1, variable, p->y2.first + y) * spectrum(n[2], 2, variable, z);
            for (size_t x = 0; x < p->x.count; x++) {
                double complex known = yz * spectrum(n[0], 0, variable, p->x.first + x);
                most = larger(most, cabs(w[x] - known) / largest);
                if (isnan(most))
                    return most;
            }
        }
    return most;
}

double ovl_check_limit(const struct ovl_grid *grid, double pairs)
{
    double points = (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2];
    return ovl_check_limit_of_transform(points) * pairs;
}
