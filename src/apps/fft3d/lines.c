/* The one-dimensional transforms along x, y and z, by FFTW. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/lines.h"
#include "kernels/pack.h"

#include <string.h>

/* Is the grid's array the side that is read? */
static bool reads_grid(enum ovl_axis axis, int back)
{
    return (axis == OVL_Z) == (back == 1);
}

static fftw_plan plan(const struct ovl_lines *l, enum ovl_axis axis, int back, int lines, double complex *grid,
                      double complex *scratch, unsigned effort)
{
    int n = (int)l->length[axis], on_grid = n, off_grid = (int)l->scratch[axis];
    if (axis == OVL_X && l->real) {
        /* Lines of an odd number of reals do not all begin where pairs of them may be loaded. */
        unsigned flags = effort | (n % 2 ? FFTW_UNALIGNED : 0);
        return back ? fftw_plan_many_dft_c2r(1, &n, lines, scratch, NULL, 1, off_grid, (double *)grid, NULL, 1, on_grid,
                                             flags)
                    : fftw_plan_many_dft_r2c(1, &n, lines, (double *)grid, NULL, 1, on_grid, scratch, NULL, 1, off_grid,
                                             flags | FFTW_PRESERVE_INPUT);
    }
    bool from_grid = reads_grid(axis, back);
    return fftw_plan_many_dft(1, &n, lines, from_grid ? grid : scratch, NULL, 1, from_grid ? on_grid : off_grid,
                              from_grid ? scratch : grid, NULL, 1, from_grid ? off_grid : on_grid,
                              back ? FFTW_BACKWARD : FFTW_FORWARD, effort | (from_grid ? FFTW_PRESERVE_INPUT : 0));
}

static size_t longest(const size_t n[OVL_AXES])
{
    size_t most = n[0];
    for (int a = 1; a < OVL_AXES; a++)
        most = n[a] > most ? n[a] : most;
    return most;
}

int ovl_lines_make(struct ovl_lines *l, const struct ovl_grid *grid, bool real, unsigned effort, struct ovl_error *err)
{
    enum { GAP = 4 }; /* complex numbers: a cache line */
    memset(l, 0, sizeof *l);
    l->real = real;
    for (int a = 0; a < OVL_AXES; a++) {
        size_t points = a == OVL_X && real ? grid->n[a] / 2 + 1 : grid->n[a];
        l->length[a] = grid->n[a];
        l->scratch[a] = (points + GAP - 1) / GAP * GAP + GAP;
    }
    double complex *on_grid = fftw_alloc_complex(OVL_PACK_LINES * longest(l->length));
    double complex *scratch = fftw_alloc_complex(ovl_lines_scratch(l));
    int rc = on_grid && scratch ? 0 : -1;
    for (int a = 0; a < OVL_AXES && rc == 0; a++)
        for (int back = 0; back < 2; back++) {
            l->group[a][back] = plan(l, (enum ovl_axis)a, back, OVL_PACK_LINES, on_grid, scratch, effort);
            l->one[a][back] = plan(l, (enum ovl_axis)a, back, 1, on_grid, scratch, effort);
            if (!l->group[a][back] || !l->one[a][back])
                rc = -1;
        }
    fftw_free(on_grid);
    fftw_free(scratch);
    return rc == 0 ? 0
                   : ovl_error_set(err, OVL_ENVIRONMENT, "FFTW has no plan for lines of %zu, %zu and %zu points",
                                   grid->n[0], grid->n[1], grid->n[2]);
}

void ovl_lines_free(struct ovl_lines *l)
{
    for (int a = 0; a < OVL_AXES; a++)
        for (int back = 0; back < 2; back++) {
            if (l->group[a][back])
                fftw_destroy_plan(l->group[a][back]);
            if (l->one[a][back])
                fftw_destroy_plan(l->one[a][back]);
        }
    memset(l, 0, sizeof *l);
}

size_t ovl_lines_scratch(const struct ovl_lines *l)
{
    return OVL_PACK_LINES * longest(l->scratch);
}

void ovl_lines_forward_x(const struct ovl_lines *l, const double *grid, double complex *scratch, size_t lines)
{
    if (!l->real)
        ovl_lines_run(l, OVL_X, 0, (const double complex *)grid, scratch, lines);
    else if (lines == OVL_PACK_LINES)
        fftw_execute_dft_r2c(l->group[OVL_X][0], (double *)grid, scratch);
    else
        for (size_t i = 0; i < lines; i++)
            fftw_execute_dft_r2c(l->one[OVL_X][0], (double *)grid + i * l->length[OVL_X],
                                 scratch + i * l->scratch[OVL_X]);
}

void ovl_lines_backward_x(const struct ovl_lines *l, double complex *scratch, double *grid, size_t lines)
{
    if (!l->real)
        ovl_lines_run(l, OVL_X, 1, scratch, (double complex *)grid, lines);
    else if (lines == OVL_PACK_LINES)
        fftw_execute_dft_c2r(l->group[OVL_X][1], scratch, grid);
    else
        for (size_t i = 0; i < lines; i++)
            fftw_execute_dft_c2r(l->one[OVL_X][1], scratch + i * l->scratch[OVL_X], grid + i * l->length[OVL_X]);
}

void ovl_lines_run(const struct ovl_lines *l, enum ovl_axis axis, int back, const double complex *from,
                   double complex *to, size_t lines)
{
    if (lines == OVL_PACK_LINES) {
        fftw_execute_dft(l->group[axis][back], (double complex *)from, to);
        return;
    }
    bool from_grid = reads_grid(axis, back);
    size_t in = from_grid ? l->length[axis] : l->scratch[axis], out = from_grid ? l->scratch[axis] : l->length[axis];
    for (size_t i = 0; i < lines; i++)
        fftw_execute_dft(l->one[axis][back], (double complex *)from + i * in, to + i * out);
}
