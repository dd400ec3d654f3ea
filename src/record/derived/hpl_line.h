/* The result of a solved system as HPL prints it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_HPL_LINE_H
#define OVL_RECORD_DERIVED_HPL_LINE_H

#include "record/cell.h"

enum { OVL_HPL_LINE = 128 };

/* HPL's result line, without a newline, from the cell's problem and mode and its samples of T: "WR", depth, broadcast,
   the kinds of factorisation, N, NB, P, Q, seconds and GFLOP/s (Petitet et al., HPL - A Portable Implementation of the
   High-Performance Linpack Benchmark). Recursion is right-looking by halves (R2) down to 8 columns taken left-looking
   (L8). Broadcast 6 is ibcast of the host, 7 that of dpu mode, which HPL has not; "?" one that no program has. */
void ovl_cell_hpl_line(const struct ovl_cell *cell, char text[OVL_HPL_LINE]);

#endif
