/* The computation of a 3D transform: lines, and packing between pencils and messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/transform.h"
#include "core/pages.h"
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
    if (ovl_lines_make(&t->lines, &pencil->grid, pencil->real, effort, err) != 0)
        return -1;
    t->u = calloc((size_t)variables, sizeof *t->u);
    t->w = calloc((size_t)variables, sizeof *t->w);
    t->scratch = touched((double)(ovl_lines_scratch(&t->lines) * sizeof *t->scratch));
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

enum ovl_transpose ovl_transform_transpose(const struct ovl_flow_step *step, bool back)
{
    return (step->turn == 0) == back ? OVL_COLUMN : OVL_ROW;
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

static int64_t begin(const struct ovl_transform *t)
{
    return t->clock ? t->clock() : 0;
}

static void end(struct ovl_transform *t, int64_t since)
{
    if (t->clock)
        t->lines_ns += t->clock() - since;
}

static void transform(struct ovl_transform *t, enum ovl_axis axis, int back, const double complex *from,
                      double complex *to, size_t lines)
{
    int64_t since = begin(t);
    ovl_lines_run(&t->lines, axis, back, from, to, lines);
    end(t, since);
}

/* Where the numbers of a line group begin in a message or, within a rank, in the array of the other side; `stride` lies
   between neighbours along the line. */
struct place {
    double complex *at;
    size_t stride;
};

/* Row transpose, on the side of x pencils: the block of a peer, from line y of slice z of the slab on. */
static struct place x_side(struct ovl_transform *t, struct ovl_range slab, double complex *message, double complex *v,
                           int peer, size_t z, size_t y)
{
    const struct ovl_pencil *p = &t->pencil;
    if (!message)
        return (struct place){v + (slab.first + z) * p->grid.n[1] + y, ovl_pencil_y_plane(p)};
    struct ovl_range block = ovl_pencil_block(p, OVL_ROW, true, slab.count, peer);
    return (struct place){message + block.first + z * ovl_pencil_x_of(p, peer).count * p->y1.count + y, p->y1.count};
}

/* Column transpose, on the side of y pencils: the block of a peer, from line z of slice x of the slab on. */
static struct place y_side(struct ovl_transform *t, struct ovl_range slab, double complex *message, double complex *w,
                           int peer, size_t x, size_t z)
{
    const struct ovl_pencil *p = &t->pencil;
    if (!message)
        return (struct place){w + (slab.first + x) * p->y2.count * p->grid.n[2] + z, p->grid.n[2]};
    struct ovl_range block = ovl_pencil_block(p, OVL_COLUMN, true, slab.count, peer);
    return (struct place){message + block.first + x * ovl_pencil_y2_of(p, peer).count * p->z.count + z, p->z.count};
}

/* Column transpose, on the side of z pencils: where a peer's part of line y of slice x begins. */
static double complex *z_side(const struct ovl_pencil *p, struct ovl_range slab, double complex *message,
                              double complex *w, int peer, size_t x, size_t y)
{
    if (!message)
        return w + ((slab.first + x) * p->y2.count + y) * p->grid.n[2];
    struct ovl_range block = ovl_pencil_block(p, OVL_COLUMN, false, slab.count, peer);
    return message + block.first + (x * p->y2.count + y) * ovl_pencil_z_of(p, peer).count;
}

static void forward_x(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_X], line = p->grid.n[0] * (p->real ? 1 : 2), lines;
    for (size_t z = 0; z < slab.count; z++)
        for (size_t y = 0; y < p->y1.count; y += lines) {
            lines = fewer(OVL_PACK_LINES, p->y1.count - y);
            int64_t since = begin(t);
            ovl_lines_forward_x(&t->lines, t->u[variable] + ((slab.first + z) * p->y1.count + y) * line, t->scratch,
                                lines);
            end(t, since);
            for (int peer = 0; peer < p->parts[OVL_ROW]; peer++) {
                struct ovl_range x = ovl_pencil_x_of(p, peer);
                struct place to = x_side(t, slab, message, t->v[variable % 2], peer, z, y);
                ovl_pack_turn(t->scratch + x.first, length, lines, x.count, to.at, to.stride);
            }
            did(t, lines);
        }
}

static void backward_x(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_X], line = p->grid.n[0] * (p->real ? 1 : 2), lines;
    double scale = 1 / ((double)p->grid.n[0] * (double)p->grid.n[1] * (double)p->grid.n[2]);
    for (size_t z = 0; z < slab.count; z++)
        for (size_t y = 0; y < p->y1.count; y += lines) {
            lines = fewer(OVL_PACK_LINES, p->y1.count - y);
            for (int peer = 0; peer < p->parts[OVL_ROW]; peer++) {
                struct ovl_range x = ovl_pencil_x_of(p, peer);
                struct place from = x_side(t, slab, message, t->v[variable % 2], peer, z, y);
                ovl_pack_turn_back(from.at, from.stride, lines, x.count, t->scratch + x.first, length, scale);
            }
            int64_t since = begin(t);
            ovl_lines_backward_x(&t->lines, t->scratch, t->u[variable] + ((slab.first + z) * p->y1.count + y) * line,
                                 lines);
            end(t, since);
            did(t, lines);
        }
}

/* Between the message of a row transpose and y pencils: runs of y. */
static void copy_rows(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message, bool out)
{
    const struct ovl_pencil *p = &t->pencil;
    double complex *v = t->v[variable % 2];
    for (int peer = 0; peer < p->parts[OVL_ROW]; peer++) {
        struct ovl_range y = ovl_pencil_y1_of(p, peer);
        double complex *at = message + ovl_pencil_block(p, OVL_ROW, false, slab.count, peer).first;
        for (size_t z = slab.first; z < slab.first + slab.count; z++)
            for (size_t x = 0; x < p->x.count; x++, at += y.count) {
                double complex *line = v + x * ovl_pencil_y_plane(p) + z * p->grid.n[1] + y.first;
                memcpy(out ? at : line, out ? line : at, y.count * sizeof *at);
            }
    }
}

/* Line z of slice x of y pencils. */
static double complex *y_line(const struct ovl_transform *t, int variable, size_t x, size_t z)
{
    return t->v[variable % 2] + x * ovl_pencil_y_plane(&t->pencil) + z * t->pencil.grid.n[1];
}

static void forward_y(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_Y], lines;
    for (size_t x = 0; x < slab.count; x++)
        for (size_t z = 0; z < p->z.count; z += lines) {
            lines = fewer(OVL_PACK_LINES, p->z.count - z);
            transform(t, OVL_Y, 0, y_line(t, variable, slab.first + x, z), t->scratch, lines);
            for (int peer = 0; peer < p->parts[OVL_COLUMN]; peer++) {
                struct ovl_range y = ovl_pencil_y2_of(p, peer);
                struct place to = y_side(t, slab, message, t->w[variable], peer, x, z);
                ovl_pack_turn(t->scratch + y.first, length, lines, y.count, to.at, to.stride);
            }
            did(t, lines);
        }
}

static void backward_y(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_Y], lines;
    for (size_t x = 0; x < slab.count; x++)
        for (size_t z = 0; z < p->z.count; z += lines) {
            lines = fewer(OVL_PACK_LINES, p->z.count - z);
            for (int peer = 0; peer < p->parts[OVL_COLUMN]; peer++) {
                struct ovl_range y = ovl_pencil_y2_of(p, peer);
                struct place from = y_side(t, slab, message, t->w[variable], peer, x, z);
                ovl_pack_turn_back(from.at, from.stride, lines, y.count, t->scratch + y.first, length, 1);
            }
            transform(t, OVL_Y, 1, t->scratch, y_line(t, variable, slab.first + x, z), lines);
            did(t, lines);
        }
}

static void forward_z(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_Z], lines;
    double complex *w = t->w[variable];
    for (size_t x = 0; x < slab.count; x++)
        for (size_t y = 0; y < p->y2.count; y += lines) {
            lines = fewer(OVL_PACK_LINES, p->y2.count - y);
            for (size_t l = 0; l < lines; l++)
                for (int peer = 0; peer < p->parts[OVL_COLUMN]; peer++) {
                    struct ovl_range z = ovl_pencil_z_of(p, peer);
                    memcpy(t->scratch + l * length + z.first, z_side(p, slab, message, w, peer, x, y + l),
                           z.count * sizeof *w);
                }
            transform(t, OVL_Z, 0, t->scratch, w + ((slab.first + x) * p->y2.count + y) * p->grid.n[2], lines);
            did(t, lines);
        }
}

static void backward_z(struct ovl_transform *t, int variable, struct ovl_range slab, double complex *message)
{
    const struct ovl_pencil *p = &t->pencil;
    size_t length = t->lines.scratch[OVL_Z], lines;
    double complex *w = t->w[variable];
    for (size_t x = 0; x < slab.count; x++)
        for (size_t y = 0; y < p->y2.count; y += lines) {
            lines = fewer(OVL_PACK_LINES, p->y2.count - y);
            transform(t, OVL_Z, 1, w + ((slab.first + x) * p->y2.count + y) * p->grid.n[2], t->scratch, lines);
            for (size_t l = 0; l < lines; l++)
                for (int peer = 0; peer < p->parts[OVL_COLUMN]; peer++) {
                    struct ovl_range z = ovl_pencil_z_of(p, peer);
                    memcpy(z_side(p, slab, message, w, peer, x, y + l), t->scratch + l * length + z.first,
                           z.count * sizeof *w);
                }
            did(t, lines);
        }
}

void ovl_transform_produce(struct ovl_transform *t, bool back, const struct ovl_flow_step *step, struct ovl_range slab,
                           double complex *message)
{
    enum ovl_transpose transpose = ovl_transform_transpose(step, back);
    if (transpose == OVL_COLUMN)
        (back ? backward_z : forward_y)(t, step->variable, slab, message);
    else if (!back)
        forward_x(t, step->variable, slab, message);
    else if (message)
        copy_rows(t, step->variable, slab, message, true);
}

void ovl_transform_consume(struct ovl_transform *t, bool back, const struct ovl_flow_step *step, struct ovl_range slab,
                           const double complex *message)
{
    double complex *in = (double complex *)message;
    enum ovl_transpose transpose = ovl_transform_transpose(step, back);
    if (transpose == OVL_COLUMN)
        (back ? backward_y : forward_z)(t, step->variable, slab, in);
    else if (back)
        backward_x(t, step->variable, slab, in);
    else if (message)
        copy_rows(t, step->variable, slab, in, false);
}
