/* What a cell's status says, and which cells carry a claim. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_STATUS_H
#define OVL_RECORD_STATUS_H

#include "record/cell.h"

/* Settles the status of a derived cell, of which the measurement has said `ok`, `ci_not_reached` or `invalid`. The
   first of these words that holds is taken, with its reason:

   invalid    where a clock went back, by ovl_cell_plausible, or
              unless ranks started together. What they start apart, they wait for in C, and hide in T. With L the
              lateness of the latest rank in a sample and r a clock read: the median of L over the samples of each of C,
              B and T is at most max(0.02 C, 3 r) and these medians differ by at most max(0.01 C, r), unless there is
              one rank alone; at least a quarter of the samples of each kind started in time to count; and the clocks of
              different machines were followed within 0.03 C. An application whose communication is next to nothing has
              no hidden_fraction; there C counts as 0.05 T at least. Where the start was a bare barrier, the last one
              alone speaks.

   few        (of `ok`) where under 15 blocks have a valid T: such intervals rest on too little

   drifting   (of `ok`) where the autocorrelation of T is over 0.5: the blocks are far from independent

   A cell that is invalid is no measurement, and one whose interval is too wide says the more important thing. */
void ovl_cell_settle(struct ovl_cell *cell);

/* Does its benchmark move data, and were they not checked (--no-validation)? */
bool ovl_cell_unchecked(const struct ovl_cell *cell);

/* Did the hypervisor take more than 1 % of the time of the cores? False where that is not known. */
bool ovl_cell_noisy(const struct ovl_cell *cell);

/* May a value of this cell be taken for a measurement? Not if it is invalid, its data were wrong or, of an
   application, its answer is called right and further off than check.limit, its summaries are
   such as no clock gives (ovl_cell_plausible), or the emulated wire was too quick; `few`, `drifting`, `ci_not_reached`
   and noise are told beside the value. */
bool ovl_cell_claims(const struct ovl_cell *cell);

/* May it by its own samples, too? What they say against clock and starts is computed again, and the stored status,
   where it is a better one, is not believed. Nor is a cell with a clock of which three reads take as long as C, nor one
   in which three quarters of the samples of C, B or T are lacking, which their lateness would have to explain. */
bool ovl_cell_claims_again(const struct ovl_cell *cell);

#endif
