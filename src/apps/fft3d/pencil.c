/* Ranges along each direction, and from these what two ranks exchange; nothing is stored for each peer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/pencil.h"

#include <stdio.h>
#include <stdlib.h>

struct ovl_range ovl_range_part(size_t n, int parts, int which)
{
    size_t each = n / (size_t)parts, more = n % (size_t)parts, w = (size_t)which;
    return (struct ovl_range){w * each + (w < more ? w : more), each + (w < more)};
}

void ovl_grid_text(const struct ovl_grid *grid, char text[64])
{
    snprintf(text, 64, "%zux%zux%zu", grid->n[0], grid->n[1], grid->n[2]);
}

int ovl_pencil_make(struct ovl_pencil *p, const struct ovl_grid *grid, bool real, const struct ovl_space *space,
                    int rank, struct ovl_error *err)
{
    *p = (struct ovl_pencil){.grid = *grid, .real = real, .half = real ? grid->n[0] / 2 + 1 : grid->n[0]};
    size_t p1 = (size_t)space->members[OVL_ROW], p2 = (size_t)space->members[OVL_COLUMN];
    if (p1 > p->half || p1 > grid->n[1] || p2 > grid->n[1] || p2 > grid->n[2])
        return ovl_error_set(err, OVL_USAGE,
                             "grid %zux%zux%zu on %zu x %zu ranks leaves some without a plane: P1 may be %zu at most "
                             "and P2 %zu; give other --procs or a larger --grid",
                             grid->n[0], grid->n[1], grid->n[2], p1, p2, p->half < grid->n[1] ? p->half : grid->n[1],
                             grid->n[1] < grid->n[2] ? grid->n[1] : grid->n[2]);
    p->space = *space;
    ovl_space_place(space, rank, p->place);
    p->row = ovl_pencil_pitch(ovl_pencil_x_of(p, 0).count);
    p->x = ovl_pencil_x_of(p, p->place[OVL_ROW]);
    p->y1 = ovl_pencil_y1_of(p, p->place[OVL_ROW]);
    p->y2 = ovl_pencil_y2_of(p, p->place[OVL_COLUMN]);
    p->z = ovl_pencil_z_of(p, p->place[OVL_COLUMN]);
    return 0;
}

struct ovl_range ovl_pencil_x_of(const struct ovl_pencil *p, int peer)
{
    return ovl_range_part(p->half, p->space.members[OVL_ROW], peer);
}

struct ovl_range ovl_pencil_y1_of(const struct ovl_pencil *p, int peer)
{
    return ovl_range_part(p->grid.n[1], p->space.members[OVL_ROW], peer);
}

struct ovl_range ovl_pencil_y2_of(const struct ovl_pencil *p, int peer)
{
    return ovl_range_part(p->grid.n[1], p->space.members[OVL_COLUMN], peer);
}

struct ovl_range ovl_pencil_z_of(const struct ovl_pencil *p, int peer)
{
    return ovl_range_part(p->grid.n[2], p->space.members[OVL_COLUMN], peer);
}

size_t ovl_pencil_x_numbers(const struct ovl_pencil *p)
{
    return p->z.count * p->y1.count * p->grid.n[0];
}

size_t ovl_pencil_pitch(size_t numbers)
{
    enum { LINE = 4 };
    return ((numbers + LINE - 1) / LINE | 1) * LINE;
}

size_t ovl_pencil_y_numbers(const struct ovl_pencil *p)
{
    return p->z.count * p->grid.n[1] * p->row;
}

size_t ovl_pencil_z_numbers(const struct ovl_pencil *p)
{
    return p->y2.count * p->grid.n[2] * p->row;
}

/* Of n planes of z or numbers along x. */
static struct ovl_range slab_of(enum ovl_transpose t, size_t n, int chunks, int which)
{
    enum { SIDE_BY_SIDE = 8 };
    if (t == OVL_ROW)
        return ovl_range_part(n, chunks, which);
    size_t groups = n < SIDE_BY_SIDE ? 1 : n / SIDE_BY_SIDE;
    struct ovl_range part = ovl_range_part(groups, chunks, which);
    size_t first = part.first < groups ? part.first * SIDE_BY_SIDE : n;
    size_t end = part.first + part.count < groups ? (part.first + part.count) * SIDE_BY_SIDE : n;
    return (struct ovl_range){first, end - first};
}

struct ovl_range ovl_pencil_slab(const struct ovl_pencil *p, enum ovl_transpose t, int chunks, int which)
{
    return slab_of(t, t == OVL_ROW ? p->z.count : p->x.count, chunks, which);
}

struct ovl_range ovl_pencil_block(const struct ovl_pencil *p, enum ovl_transpose t, bool near_x, size_t slab, int peer)
{
    struct ovl_range other;
    size_t mine;
    if (t == OVL_ROW) {
        mine = near_x ? p->y1.count : p->x.count;
        other = near_x ? ovl_pencil_x_of(p, peer) : ovl_pencil_y1_of(p, peer);
    } else {
        mine = near_x ? p->z.count : p->y2.count;
        other = near_x ? ovl_pencil_y2_of(p, peer) : ovl_pencil_z_of(p, peer);
    }
    return (struct ovl_range){slab * mine * other.first, slab * mine * other.count};
}

size_t ovl_pencil_largest(const struct ovl_pencil *p, enum ovl_transpose t, size_t slab)
{
    return slab * (t == OVL_ROW ? ovl_pencil_x_of(p, 0).count * ovl_pencil_y1_of(p, 0).count
                                : ovl_pencil_y2_of(p, 0).count * ovl_pencil_z_of(p, 0).count);
}

size_t ovl_pencil_message(const struct ovl_pencil *p, enum ovl_transpose t, bool near_x, size_t slab)
{
    if (t == OVL_ROW)
        return slab * (near_x ? p->y1.count * p->half : p->x.count * p->grid.n[1]);
    return slab * (near_x ? p->z.count * p->grid.n[1] : p->y2.count * p->grid.n[2]);
}

/* The first rank has the most of everything, but a part of x that is smaller by one can have a longer last slab. */
size_t ovl_pencil_message_most(const struct ovl_pencil *p, enum ovl_transpose t, int chunks)
{
    size_t slab = 0, ends[] = {ovl_pencil_x_of(p, 0).count, ovl_pencil_x_of(p, p->space.members[OVL_ROW] - 1).count};
    for (int k = 0; k < 2 * chunks; k++) {
        size_t n = t == OVL_ROW ? ovl_pencil_z_of(p, 0).count : ends[k % 2], count = slab_of(t, n, chunks, k / 2).count;
        slab = count > slab ? count : slab;
    }
    size_t near = t == OVL_ROW ? ovl_pencil_y1_of(p, 0).count * p->half : ovl_pencil_z_of(p, 0).count * p->grid.n[1];
    size_t far = t == OVL_ROW ? ends[0] * p->grid.n[1] : ovl_pencil_y2_of(p, 0).count * p->grid.n[2];
    return slab * (near > far ? near : far);
}

bool ovl_pencil_even(const struct ovl_pencil *p, enum ovl_transpose t)
{
    size_t parts = (size_t)p->space.members[t];
    return (t == OVL_ROW ? p->half : p->grid.n[2]) % parts == 0 && p->grid.n[1] % parts == 0;
}
