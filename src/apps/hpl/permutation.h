/* What the pivots of a panel do to the rows of the trailing matrix, as one permutation dealt to the process rows. No
 * MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_PERMUTATION_H
#define OVL_APPS_HPL_PERMUTATION_H

/* The panel's own rows are its "top". All lists are in the order of process rows; in the lists of local rows each is
   counted at the process row that has it. */
struct ovl_hpl_permutation {
    int count;     /* top rows */
    int *top;      /* [count]: places in the top, from 0 ... */
    int *source;   /* [count]: ... and the local row that ends there */
    int *top_from; /* [procs + 1]: where the list of each process row begins, by who has the source */
    int moves;     /* rows below the top that take part: each receives a top row, and goes to the top itself */
    int *into;     /* [moves]: the local row that is overwritten ... */
    int *from;     /* [moves]: ... by this local row of the top's owner */
    int *
        moves_from; /* [procs + 1]: where the list of each process row begins, by who has the row that is overwritten */
    int *by_row;    /* scratch */
};

/* Arrays for panels of up to `most` rows on `procs` process rows. -1 when there is no memory; ovl_hpl_permutation_free
   may be called all the same. */
int ovl_hpl_permutation_make(struct ovl_hpl_permutation *s, int most, int procs);
void ovl_hpl_permutation_free(struct ovl_hpl_permutation *s);

/* Rows below the top at the processes 1 .. after - 1 behind process row `root`, counted round the column. */
int ovl_hpl_permutation_moves(const struct ovl_hpl_permutation *s, int procs, int root, int after);

/* From the interchanges in their order: global row first + i with row pivots[i] >= first + i. Blocks of `nb` rows are
   dealt to `procs` process rows. */
void ovl_hpl_permutation_set(struct ovl_hpl_permutation *s, int first, int count, const int *pivots, int nb, int procs);

#endif
