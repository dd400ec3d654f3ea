/* Who holds what of a grid in a pencil decomposition on P1 x P2 ranks, and what they exchange. No MPI in it.

   Three layouts, all with x running through memory, so that lines along y and z lie side by side:
     x pencils  u[z][y][x]  z divided by P2, y by P1, all of x
     y pencils  v[z][y][x]  z divided by P2, x by P1, all of y
     z pencils  w[y][z][x]  y divided by P2, x by P1, all of z
   In v and w the rows of x begin `row` numbers apart. The row transpose (x <-> y) is among the P1 ranks of one z, in
   slabs of z; the column transpose (y <-> z) among the P2 ranks of one x, in slabs of x. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_PENCIL_H
#define OVL_APPS_FFT3D_PENCIL_H

#include "base/error.h"
#include "cli/fft3d_options.h"
#include "plan/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_range {
    size_t first, count;
};

/* The part `which` of n things divided among `parts`: the first n % parts have one more. */
struct ovl_range ovl_range_part(size_t n, int parts, int which);

enum ovl_transpose { OVL_ROW = OVL_SPACE_ROW, OVL_COLUMN = OVL_SPACE_COLUMN, OVL_TRANSPOSES = OVL_SPACE_LINES };

struct ovl_pencil {
    struct ovl_grid grid;
    bool real;                 /* real numbers in x pencils, else complex */
    size_t half;               /* numbers along x after its transform: n / 2 + 1 of real ones */
    size_t row;                /* from one row to the next in y and z pencils, the same at all ranks */
    struct ovl_space space;    /* rows of P1 members, columns of P2 */
    int place[OVL_TRANSPOSES]; /* of this rank */
    struct ovl_range z, y1;    /* of x pencils */
    struct ovl_range x;        /* of y and z pencils */
    struct ovl_range y2;       /* of z pencils */
};

/* "128x96x64" */
void ovl_grid_text(const struct ovl_grid *grid, char text[64]);

/* -1 and OVL_USAGE where some rank would get nothing. */
int ovl_pencil_make(struct ovl_pencil *p, const struct ovl_grid *grid, bool real, const struct ovl_space *space,
                    int rank, struct ovl_error *err);

/* How far apart rows of so many complex numbers are best laid: whole cache lines, and an odd number of them, so that
   the numbers of a column do not fall into the same cache sets. */
size_t ovl_pencil_pitch(size_t numbers);

/* Numbers (real or complex in x pencils, else complex, with the gaps between rows) that this rank holds. */
size_t ovl_pencil_x_numbers(const struct ovl_pencil *p);
size_t ovl_pencil_y_numbers(const struct ovl_pencil *p);
size_t ovl_pencil_z_numbers(const struct ovl_pencil *p);

/* The slab `which` of `chunks` of a transpose: of z for rows, of x for columns; counted from the rank's own first. The
   same at all ranks that exchange it. Slabs of columns begin at multiples of 8 and have 8 at least, so that lines are
   transformed 8 at a time and rows are copied by whole cache lines: slabs cost no work, and where there are more of
   them than 8 columns for each, the last ones are empty. */
struct ovl_range ovl_pencil_slab(const struct ovl_pencil *p, enum ovl_transpose t, int chunks, int which);

/* Where in the message of a slab that peer's block lies: `count` complex numbers from `first` on. The side
   that is nearer to x pencils has [z][y1 of mine][x of the peer] and [y2 of the peer][z of mine][x]; the other side has
   [z][y1 of the peer][x of mine] and [y2 of mine][z of the peer][x]. Forwards the near side sends. */
struct ovl_range ovl_pencil_block(const struct ovl_pencil *p, enum ovl_transpose t, bool near_x, size_t slab, int peer);

/* Complex numbers in the largest block that two ranks of the row or column exchange: the same at all of them. */
size_t ovl_pencil_largest(const struct ovl_pencil *p, enum ovl_transpose t, size_t slab);

/* All blocks together. */
size_t ovl_pencil_message(const struct ovl_pencil *p, enum ovl_transpose t, bool near_x, size_t slab);

/* What the largest message has, of any slab, rank and side: that of the first rank is not always the largest. */
size_t ovl_pencil_message_most(const struct ovl_pencil *p, enum ovl_transpose t, int chunks);

/* Do all ranks of the row or column exchange blocks of one size? */
bool ovl_pencil_even(const struct ovl_pencil *p, enum ovl_transpose t);

/* A rank's parts of the others along the transpose's two directions: x and y1 of rows, y2 and z of columns. */
struct ovl_range ovl_pencil_x_of(const struct ovl_pencil *p, int peer);
struct ovl_range ovl_pencil_y1_of(const struct ovl_pencil *p, int peer);
struct ovl_range ovl_pencil_y2_of(const struct ovl_pencil *p, int peer);
struct ovl_range ovl_pencil_z_of(const struct ovl_pencil *p, int peer);

#endif
