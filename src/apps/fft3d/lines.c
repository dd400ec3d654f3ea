/* FFTW transforms OVL_LINES_GROUP lines in a call; lines that are left over have FFTW plans of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/lines.h"

#include <string.h>

bool ovl_lines_from_grid(enum ovl_axis axis, int back)
{
    return (axis == OVL_Z) == (back == 1);
}

/* What FFTW plans on: it may write there. */
struct plan_memory {
    double complex *grid, *scratch;
    unsigned effort;
};

static fftw_plan plan_x(const struct ovl_lines *l, int back, int lines, const struct plan_memory *on)
{
    double complex *grid = on->grid, *spectrum = on->scratch;
    int n = (int)l->points, far = (int)l->spectrum;
    /* Lines of an odd number of reals do not all begin where pairs of them may be loaded. */
    unsigned flags = on->effort | (l->real && n % 2 ? FFTW_UNALIGNED : 0) | (back ? 0 : FFTW_PRESERVE_INPUT);
    if (l->real)
        return back ? fftw_plan_many_dft_c2r(1, &n, lines, spectrum, NULL, 1, far, (double *)grid, NULL, 1, n, flags)
                    : fftw_plan_many_dft_r2c(1, &n, lines, (double *)grid, NULL, 1, n, spectrum, NULL, 1, far, flags);
    return back ? fftw_plan_many_dft(1, &n, lines, spectrum, NULL, 1, far, grid, NULL, 1, n, FFTW_BACKWARD, flags)
                : fftw_plan_many_dft(1, &n, lines, grid, NULL, 1, n, spectrum, NULL, 1, far, FFTW_FORWARD, flags);
}

static fftw_plan plan_columns(const struct ovl_lines *l, const struct ovl_pencil *p, enum ovl_axis axis, int back,
                              int lines, const struct plan_memory *on)
{
    int n = (int)p->grid.n[axis], row = (int)p->row, scratch = (int)l->scratch,
        sign = back ? FFTW_BACKWARD : FFTW_FORWARD;
    return ovl_lines_from_grid(axis, back) ? fftw_plan_many_dft(1, &n, lines, on->grid, NULL, row, 1, on->scratch, NULL,
                                                                scratch, 1, sign, on->effort | FFTW_PRESERVE_INPUT)
                                           : fftw_plan_many_dft(1, &n, lines, on->scratch, NULL, scratch, 1, on->grid,
                                                                NULL, row, 1, sign, on->effort);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

int ovl_lines_make(struct ovl_lines *l, const struct ovl_pencil *p, unsigned effort, struct ovl_error *err)
{
    const size_t *n = p->grid.n;
    size_t longest = larger(n[1], n[2]);
    memset(l, 0, sizeof *l);
    l->real = p->real;
    l->points = n[0];
    l->spectrum = ovl_pencil_pitch(p->half);
    l->scratch = ovl_pencil_pitch(OVL_LINES_WIDE);
    l->scratch_numbers = larger(OVL_LINES_GROUP * l->spectrum, longest * l->scratch);
    const struct plan_memory on = {
        .grid = fftw_alloc_complex(larger(OVL_LINES_GROUP * n[0], longest * p->row + OVL_LINES_GROUP)),
        .scratch = fftw_alloc_complex(l->scratch_numbers),
        .effort = effort};
    int rc = on.grid && on.scratch ? 0 : -1;
    for (int a = 0; a < OVL_AXES && rc == 0; a++)
        for (int back = 0; back < 2; back++) {
            l->rest_lines[a] = (int)((a == OVL_X ? p->y1.count : p->x.count) % OVL_LINES_GROUP);
            const int lines[] = {OVL_LINES_GROUP, l->rest_lines[a]};
            fftw_plan *const plans[] = {&l->group[a][back], &l->rest[a][back]};
            for (int i = 0; i < 2 && lines[i] > 0; i++) {
                *plans[i] = a == OVL_X ? plan_x(l, back, lines[i], &on)
                                       : plan_columns(l, p, (enum ovl_axis)a, back, lines[i], &on);
                if (!*plans[i])
                    rc = -1;
            }
        }
    fftw_free(on.grid);
    fftw_free(on.scratch);
    return rc == 0 ? 0
                   : ovl_error_set(err, OVL_ENVIRONMENT, "FFTW has no plan for lines of %zu, %zu and %zu points", n[0],
                                   n[1], n[2]);
}

void ovl_lines_free(struct ovl_lines *l)
{
    for (int a = 0; a < OVL_AXES; a++)
        for (int back = 0; back < 2; back++) {
            if (l->group[a][back])
                fftw_destroy_plan(l->group[a][back]);
            if (l->rest[a][back])
                fftw_destroy_plan(l->rest[a][back]);
        }
    memset(l, 0, sizeof *l);
}

static void run_x(const struct ovl_lines *l, fftw_plan plan, int back, double *grid, double complex *spectrum)
{
    if (!l->real)
        fftw_execute_dft(plan, back ? spectrum : (double complex *)grid, back ? (double complex *)grid : spectrum);
    else if (back)
        fftw_execute_dft_c2r(plan, spectrum, grid);
    else
        fftw_execute_dft_r2c(plan, grid, spectrum);
}

void ovl_lines_x(const struct ovl_lines *l, int back, double *grid, double complex *spectrum, size_t lines)
{
    run_x(l, lines == OVL_LINES_GROUP ? l->group[OVL_X][back] : l->rest[OVL_X][back], back, grid, spectrum);
}

void ovl_lines_columns(const struct ovl_lines *l, enum ovl_axis axis, int back, double complex *grid,
                       double complex *scratch, size_t lines)
{
    bool from_grid = ovl_lines_from_grid(axis, back);
    fftw_execute_dft(lines == OVL_LINES_GROUP ? l->group[axis][back] : l->rest[axis][back], from_grid ? grid : scratch,
                     from_grid ? scratch : grid);
}
