/* The computation of a 3D transform: lines, and packing between pencils and messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/transform.h"
#include "base/page_alloc.h"
#include "kernels/pack.h"

#include <stdlib.h>
#include <string.h>

static double x_bytes(const struct ovl_pencil *p)
{
    return (double)ovl_pencil_x_numbers(p) * (p->real ? sizeof(double) : sizeof(double complex));
}

double ovl_transform_bytes(const struct ovl_pencil *p, int variables)
{
    double z = (double)ovl_pencil_z_numbers(p), y = (double)ovl_pencil_y_numbers(p);
    return variables * (x_bytes(p) + z * sizeof(double complex)) + 2 * y * sizeof(double complex);
}

static void *touched(double bytes)
{
    return bytes < 0x1p62 ? ovl_huge_pages((size_t)bytes) : NULL;
}

int ovl_transform_make(struct ovl_transform *t, const struct ovl_pencil *pencil, int variables, unsigned effort,
                       struct ovl_error *err)
{
    memset(t, 0, sizeof *t);
    t->pencil = *pencil;
    t->variables = variables;
    if (ovl_lines_make(&t->lines, pencil, effort, err) != 0)
        return -1;
    t->u = calloc((size_t)variables, sizeof *t->u);
    t->w = calloc((size_t)variables, sizeof *t->w);
    t->scratch = touched((double)(t->lines.scratch_numbers * sizeof *t->scratch));
    bool ok = t->u && t->w && t->scratch;
    for (int i = 0; i < variables && ok; i++) {
        t->u[i] = touched(x_bytes(pencil));
        t->w[i] = touched((double)(ovl_pencil_z_numbers(pencil) * sizeof **t->w));
        ok = t->u[i] && t->w[i];
    }
    for (int i = 0; i < 2 && ok; i++) {
        t->v[i] = touched((double)(ovl_pencil_y_numbers(pencil) * sizeof **t->v));
        ok = t->v[i];
    }
    return ok ? 0
              : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the %.0f bytes of the grid's arrays",
                              ovl_transform_bytes(pencil, variables));
}

void ovl_transform_free(struct ovl_transform *t)
{
    for (int i = 0; i < t->variables; i++) {
        if (t->u)
            free(t->u[i]);
        if (t->w)
            free(t->w[i]);
    }
    for (int i = 0; i < 2; i++)
        free(t->v[i]);
    free(t->scratch);
    free(t->u);
    free(t->w);
    ovl_lines_free(&t->lines);
    memset(t, 0, sizeof *t);
}

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* After some lines. */
static void did(struct ovl_transform *t, size_t lines)
{
    if (!t->poll_every || (t->polled += lines) < t->poll_every)
        return;
    t->polled = 0;
    t->poll(t->poller);
}

enum { TIMED_EACH = 7 }; /* no divisor of what lines come in */

/* 0: this call is not timed. */
static int64_t begin(struct ovl_transform *t)
{
    return t->clock && t->calls++ % TIMED_EACH == 0 ? t->clock() : 0;
}

static void end(struct ovl_transform *t, int64_t since)
{
    if (since)
        t->lines_ns += TIMED_EACH * (t->clock() - since);
}

static void transform_x(struct ovl_transform *t, int back, double *u, double complex *spectrum, size_t lines)
{
    int64_t since = begin(t);
    ovl_lines_x(&t->lines, back, u, spectrum, lines);
    end(t, since);
}

/* Between pencils and the scratch area. */
static void transform_columns(struct ovl_transform *t, enum ovl_axis axis, int back, double complex *grid,
                              size_t columns)
{
    for (size_t x = 0, lines; x < columns; x += lines) {
        lines = fewer(OVL_LINES_GROUP, columns - x);
        int64_t since = begin(t);
        ovl_lines_columns(&t->lines, axis, back, grid + x, t->scratch + x, lines);
        end(t, since);
        did(t, lines);
    }
}

/* Rows of x: where the first begins, and from one to the next. */
struct rows {
    double complex *at;
    size_t apart;
};

static void copy(struct rows from, struct rows to, size_t rows, size_t count, double scale)
{
    ovl_pack_rows(from.at, from.apart, to.at, to.apart, rows, count, scale);
}

/* Row `y` of plane z of y pencils. */
static double complex *y_row(const struct ovl_transform *t, int variable, size_t z, size_t y)
{
    const struct ovl_pencil *p = &t->pencil;
    return t->v[variable % 2] + (z * p->grid.n[1] + y) * p->row;
}

/* Lines along x: between x pencils and the message of a row transpose, by way of the scratch area; or, where that is
   NULL, one plane of y pencils. */
static void lines_x(struct ovl_transform *t, int back, int variable, struct ovl_range slab, double complex *message,
                    double complex *plane)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t line = p->grid.n[0] * (p->real ? 1 : 2), lines;
    for (size_t z = 0; z < slab.count; z++)
        for (size_t y = 0; y < p->y1.count; y += lines) {
            lines = fewer(OVL_LINES_GROUP, p->y1.count - y);
            double *u = t->u[variable] + ((slab.first + z) * p->y1.count + y) * line;
            double complex *spectrum = plane ? plane + y * p->row : t->scratch;
            if (!back)
                transform_x(t, 0, u, spectrum, lines);
            for (int peer = 0; peer < p->space.members[OVL_ROW] && message; peer++) {
                struct ovl_range x = ovl_pencil_x_of(p, peer);
                struct ovl_range block = ovl_pencil_block(p, OVL_ROW, true, slab.count, peer);
                struct rows there = {message + block.first + (z * p->y1.count + y) * x.count, x.count},
                            here = {spectrum + x.first, t->lines.spectrum};
                copy(back ? there : here, back ? here : there, lines, x.count, 1);
            }
            if (back)
                transform_x(t, 1, u, spectrum, lines);
            did(t, lines);
        }
}

/* Between the message of a row transpose and y pencils. */
static void copy_rows(struct ovl_transform *t, int back, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    for (int peer = 0; peer < p->space.members[OVL_ROW]; peer++) {
        struct ovl_range y = ovl_pencil_y1_of(p, peer);
        struct ovl_range block = ovl_pencil_block(p, OVL_ROW, false, slab.count, peer);
        for (size_t z = 0; z < slab.count; z++) {
            struct rows there = {message + block.first + z * y.count * p->x.count, p->x.count},
                        here = {y_row(t, variable, slab.first + z, y.first), p->row};
            copy(back ? here : there, back ? there : here, y.count, p->x.count, 1);
        }
    }
}

/* Column transpose: the rows of plane z of y pencils that a peer has along y, in the message or, within a rank, in the
   array of the other side. */
static struct rows of_y(const struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message,
                        int peer, size_t z)
{
    const struct ovl_pencil *p = &t->pencil;
    if (!message)
        return (struct rows){t->w[variable] + z * p->row + slab.first, p->grid.n[2] * p->row};
    struct ovl_range block = ovl_pencil_block(p, OVL_COLUMN, true, slab.count, peer);
    return (struct rows){message + block.first + z * slab.count, p->z.count * slab.count};
}

/* The rows of plane y of z pencils that a peer has along z. */
static struct rows of_z(const struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message,
                        int peer, size_t y)
{
    const struct ovl_pencil *p = &t->pencil;
    if (!message)
        return (struct rows){t->w[variable] + y * p->grid.n[2] * p->row + slab.first, p->row};
    struct ovl_range block = ovl_pencil_block(p, OVL_COLUMN, false, slab.count, peer);
    return (struct rows){message + block.first + y * ovl_pencil_z_of(p, peer).count * slab.count, slab.count};
}

/* A slab of a variable, and the message that it comes from or goes to. */
struct slab {
    int back, variable;
    struct ovl_range x;
    double complex *message;
};

/* Lines along y or z of a slab in one plane of pencils: between these and the message of a column transpose, by way of
   the scratch area, as many side by side as that holds. Backwards, y divides by the number of points. */
static void plane_columns(struct ovl_transform *t, enum ovl_axis axis, const struct slab *s, size_t plane,
                          double complex *grid)
{
    const struct ovl_pencil *p = &t->pencil;
    bool y = axis == OVL_Y, out = ovl_lines_from_grid(axis, s->back);
    double scale = y && s->back ? 1 / ((double)p->grid.n[0] * (double)p->grid.n[1] * (double)p->grid.n[2]) : 1;
    for (size_t x = 0, columns; x < s->x.count; x += columns) {
        columns = fewer(OVL_LINES_WIDE, s->x.count - x);
        if (out)
            transform_columns(t, axis, s->back, grid + s->x.first + x, columns);
        for (int peer = 0; peer < p->space.members[OVL_COLUMN]; peer++) {
            struct ovl_range part = y ? ovl_pencil_y2_of(p, peer) : ovl_pencil_z_of(p, peer);
            struct rows there = (y ? of_y : of_z)(t, s->variable, s->x, s->message, peer, plane),
                        here = {t->scratch + part.first * t->lines.scratch, t->lines.scratch};
            there.at += x;
            copy(out ? here : there, out ? there : here, part.count, columns, scale);
        }
        if (!out)
            transform_columns(t, axis, s->back, grid + s->x.first + x, columns);
    }
}

static void lines_z(struct ovl_transform *t, const struct slab *s)
{
    const struct ovl_pencil *p = &t->pencil;
    for (size_t y = 0; y < p->y2.count; y++)
        plane_columns(t, OVL_Z, s, y, t->w[s->variable] + y * p->grid.n[2] * p->row);
}

/* Where the row transpose stays within the rank, lines along x are left to this: forwards to the first slab and
   backwards to the last, so that a plane is still in the cache. If that slab is all of x, there is no other that needs
   y pencils, and one plane of them serves for all. */
static void lines_y(struct ovl_transform *t, const struct slab *s)
{
    const struct ovl_pencil *p = &t->pencil;
    bool alone = p->space.members[OVL_ROW] == 1 && s->x.count > 0, first = s->x.first == 0,
         last = s->x.first + s->x.count == p->x.count;
    for (size_t z = 0; z < p->z.count; z++) {
        double complex *plane = y_row(t, s->variable, alone && first && last ? 0 : z, 0);
        if (alone && first && !s->back)
            lines_x(t, 0, s->variable, (struct ovl_range){z, 1}, NULL, plane);
        plane_columns(t, OVL_Y, s, z, plane);
        if (alone && last && s->back)
            lines_x(t, 1, s->variable, (struct ovl_range){z, 1}, NULL, plane);
    }
}

void ovl_transform_produce(struct ovl_transform *t, bool back, const struct ovl_slab_exchange *step,
                           struct ovl_range slab, double complex *message)
{
    int v = step->variable;
    if (ovl_transform_plan_transpose(step, back) == OVL_COLUMN)
        (back ? lines_z : lines_y)(t, &(struct slab){back, v, slab, message});
    else if (message && back)
        copy_rows(t, 1, v, slab, message);
    else if (message)
        lines_x(t, 0, v, slab, message, NULL);
}

void ovl_transform_consume(struct ovl_transform *t, bool back, const struct ovl_slab_exchange *step,
                           struct ovl_range slab, const double complex *message)
{
    double complex *in = (double complex *)message;
    int v = step->variable;
    if (ovl_transform_plan_transpose(step, back) == OVL_COLUMN)
        (back ? lines_y : lines_z)(t, &(struct slab){back, v, slab, in});
    else if (message && back)
        lines_x(t, 1, v, slab, in, NULL);
    else if (message)
        copy_rows(t, 0, v, slab, in);
}

void ovl_transform_fused(struct ovl_transform *t, bool back, int variable, int chunks, double complex *const *messages)
{
    double complex *plane = y_row(t, variable, 0, 0);
    for (size_t z = 0; z < t->pencil.z.count; z++) {
        if (!back)
            lines_x(t, 0, variable, (struct ovl_range){z, 1}, NULL, plane);
        for (int k = 0; k < chunks; k++) {
            struct ovl_range x = ovl_pencil_slab(&t->pencil, OVL_COLUMN, chunks, k);
            plane_columns(t, OVL_Y, &(struct slab){back, variable, x, messages[k]}, z, plane);
        }
        if (back)
            lines_x(t, 1, variable, (struct ovl_range){z, 1}, NULL, plane);
    }
}
