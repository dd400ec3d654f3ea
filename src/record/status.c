/* The status of a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS_WANTED = 15 };
static const double independent = 0.5, quiet = 0.01;

void ovl_cell_settle(struct ovl_cell *cell)
{
    size_t n = cell->summary[OVL_TOTAL].n;
    if (strcmp(cell->status, "ok") != 0)
        return;
    if (n < BLOCKS_WANTED) {
        strcpy(cell->status, "few");
        snprintf(cell->reason, sizeof cell->reason, "%zu valid blocks; intervals of fewer than %d rest on too little",
                 n, BLOCKS_WANTED);
    } else if (cell->autocorrelation > independent) {
        strcpy(cell->status, "drifting");
        snprintf(cell->reason, sizeof cell->reason,
                 "T drifts: its lag-1 rank autocorrelation is %.2f, and intervals want it at most %g",
                 cell->autocorrelation, independent);
    }
}

bool ovl_cell_noisy(const struct ovl_cell *cell)
{
    return cell->steal_fraction > quiet;
}

bool ovl_cell_claims(const struct ovl_cell *cell)
{
    return strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0 && cell->validated != 0;
}
