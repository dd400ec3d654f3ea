/* The data of a transform whose answer is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "base/rng.h"

#include <float.h>
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

/* Along an axis of n points: how often the sine of a variable goes up and down. 0: too few points, a constant. */
static size_t waves(size_t n, int axis, int variable)
{
    return n < 3 ? 0 : 1 + (size_t)(variable + axis) % ((n - 1) / 2);
}

static double sine(size_t n, size_t k, size_t at)
{
    return k ? sin(2 * M_PI * (double)(k * at % n) / (double)n) : 1;
}

void ovl_check_sines(const struct ovl_pencil *p, double *u, int variable)
{
    size_t width = p->real ? 1 : 2, k[3];
    for (int a = 0; a < 3; a++)
        k[a] = waves(p->grid.n[a], a, variable);
    for (size_t z = 0, at = 0; z < p->z.count; z++)
        for (size_t y = 0; y < p->y1.count; y++) {
            double zy = sine(p->grid.n[2], k[2], p->z.first + z) * sine(p->grid.n[1], k[1], p->y1.first + y);
            for (size_t x = 0; x < p->grid.n[0]; x++, at += width) {
                u[at] = zy * sine(p->grid.n[0], k[0], x);
                if (width == 2)
                    u[at + 1] = 0;
            }
        }
}

/* The spectrum of one axis as a part of n: -i/2 and i/2 where its wave is, or 1 at 0. */
static double complex line(size_t n, size_t k, size_t at)
{
    if (!k)
        return at == 0;
    return at == k ? -0.5 * I : at == n - k ? 0.5 * I : 0;
}

double ovl_check_spectrum(const struct ovl_pencil *p, const double complex *w, int variable)
{
    const size_t *n = p->grid.n;
    double most = 0, points = (double)n[0] * (double)n[1] * (double)n[2];
    size_t k[3];
    for (int a = 0; a < 3; a++)
        k[a] = waves(n[a], a, variable);
    for (size_t y = 0; y < p->y2.count; y++)
        for (size_t z = 0; z < n[2]; z++, w += p->row) {
            double complex yz = line(n[1], k[1], p->y2.first + y) * line(n[2], k[2], z);
            for (size_t x = 0; x < p->x.count; x++) {
                most = larger(most, cabs(w[x] / points - yz * line(n[0], k[0], p->x.first + x)));
                if (isnan(most))
                    return most;
            }
        }
    return most;
}

double ovl_check_limit(const struct ovl_grid *grid, double pairs)
{
    double points = (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2];
    return 16 * DBL_EPSILON * fmax(1, log2(points)) * pairs;
}
