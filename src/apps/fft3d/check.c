/* The known data are a product of one sequence for each axis, so that a rank finds its own part of the spectrum alone.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "base/error.h"
#include "base/rng.h"
#include "record/derived/check_limit.h"

#include <math.h>
#include <stdlib.h>

/* CMPLX of C11, which clang lacks with the C library of Debian 12. */
static double complex of_parts(double real, double imaginary)
{
    return real + imaginary * I;
}

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

/* The factors of each axis: of waves, all of size 1, and 0 for those that the spectrum of real data does not hold; and
   of points. */
struct factors {
    double complex *wave[3], *point[3];
};

/* The waves of an axis have the factors exp(2 pi i k m / 2^32), of an m that is drawn: the sum is the value of a
   polynomial at a point that nobody knows (Schwartz, J. ACM 27, 1980), and what belongs to them of a point has a closed
   form. */
#define CIRCLE ((uint64_t)1 << 32)

/* k (m / 2^32 - x / n - whole), but for a multiple of 2, within a rounding of its size or of 1; `phi` is what stands in
   brackets. k and n are at most 2^20. */
static double turns(uint64_t k, uint64_t m, uint64_t x, uint64_t n, int whole, double phi)
{
    if (fabs((double)k * phi) < 0.25)
        return (double)k * phi;
    return (double)(k * m % (2 * CIRCLE)) / (double)CIRCLE - (double)(k * x % (2 * n)) / (double)n -
           (double)(k % 2) * whole;
}

/* The sum of exp(2 pi i k (m / 2^32 - x / n)) over k < held: a geometric series, by sines, which cancel nothing. */
static double complex series(uint64_t held, uint64_t m, uint64_t x, uint64_t n)
{
    int64_t circle = (int64_t)(n * CIRCLE), apart = (int64_t)(m * n) - (int64_t)(x * CIRCLE);
    int whole = 2 * apart > circle ? 1 : 2 * apart < -circle ? -1 : 0;
    double phi = (double)(apart - whole * circle) / (double)circle;
    if (phi == 0)
        return (double)held;
    return cexp(M_PI * I * turns(held - 1, m, x, n, whole, phi)) *
           (sin(M_PI * turns(held, m, x, n, whole, phi)) / sin(M_PI * phi));
}

static void factors_make(struct factors *f, const struct ovl_pencil *p, bool back, uint64_t seed)
{
    for (int axis = 0; axis < 3; axis++) {
        size_t n = p->grid.n[axis], held = axis == 0 && p->real ? p->half : n;
        uint64_t m = ovl_rng_mix(seed + (uint64_t)axis) % CIRCLE;
        f->wave[axis] = ovl_alloc(n, sizeof *f->wave[axis]);
        f->point[axis] = ovl_alloc(n, sizeof *f->point[axis]);
        for (size_t k = 0; k < n; k++) {
            f->wave[axis][k] = k < held ? cexp(2 * M_PI * I * (double)(k * m % CIRCLE) / (double)CIRCLE) : 0;
            f->point[axis][k] = axis == 2 && back /* data along z, as often as the inverse has not been divided by */
                                    ? (double)n * f->wave[axis][k]
                                    : series(held, m, k, n);
        }
    }
}

static void factors_free(struct factors *f)
{
    for (int axis = 0; axis < 3; axis++) {
        free(f->wave[axis]);
        free(f->point[axis]);
    }
}

/* Row by row, which keeps the rounding small. */
static void add(double to[2], double complex row, double complex factor)
{
    to[0] += creal(row * factor);
    to[1] += cimag(row * factor);
}

static void sum_waves(const struct ovl_pencil *p, const double complex *w, const struct factors *f,
                      struct ovl_check_sums *sums)
{
    for (size_t y = 0; y < p->y2.count; y++) {
        double plane[2] = {0, 0};
        for (size_t z = 0; z < p->grid.n[2]; z++, w += p->row) {
            double complex row = 0;
            double square = 0;
            for (size_t x = 0; x < p->x.count; x++) {
                row += w[x] * f->wave[0][p->x.first + x];
                square += creal(w[x]) * creal(w[x]) + cimag(w[x]) * cimag(w[x]);
            }
            sums->square += square;
            add(plane, row, f->wave[2][z]);
        }
        add(sums->sum, of_parts(plane[0], plane[1]), f->wave[1][p->y2.first + y]);
    }
}

static void sum_points(const struct ovl_pencil *p, uint64_t key, const struct factors *f, struct ovl_check_sums *sums)
{
    size_t width = p->real ? 1 : 2;
    for (size_t z = 0; z < p->z.count; z++) {
        double plane[2] = {0, 0};
        for (size_t y = 0; y < p->y1.count; y++) {
            double complex row = 0;
            for (size_t x = 0; x < p->grid.n[0]; x++) {
                double u = number(key, place(p, width, width * x, y, z));
                row +=
                    f->point[0][x] * (width == 1 ? u : of_parts(u, number(key, place(p, width, width * x + 1, y, z))));
            }
            add(plane, row, f->point[1][p->y1.first + y]);
        }
        add(sums->sum + 2, of_parts(plane[0], plane[1]), f->point[2][p->z.first + z]);
    }
}

void ovl_check_sums(const struct ovl_pencil *p, const double complex *w, bool back, uint64_t seed, int variable,
                    struct ovl_check_sums *sums)
{
    struct factors f;
    uint64_t key = key_of(seed, variable);
    factors_make(&f, p, back, ovl_rng_mix(~key));
    *sums = (struct ovl_check_sums){0};
    sum_waves(p, w, &f, sums);
    sum_points(p, key, &f, sums);
    factors_free(&f);
}

double ovl_check_sums_differ(const struct ovl_check_sums *sums)
{
    return hypot(sums->sum[0] - sums->sum[2], sums->sum[1] - sums->sum[3]) / sqrt(sums->square);
}

double ovl_check_limit(const struct ovl_grid *grid, double pairs)
{
    double points = (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2];
    return ovl_check_limit_of_transform(points) * pairs;
}
