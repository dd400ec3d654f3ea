/* What a cell's status and its marks say. One rule for drivers and proxies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_SETTLE_H
#define OVL_RECORD_DERIVED_SETTLE_H

#include "record/record.h"

/* Settles the status of a derived cell, of which the measurement has said `invalid`, or anything else, and its marks:
   a function of the cell as it is written and of its run, whatever became of others in its blocks. All marks that hold
   stand in `marks`; the gravest of these is the status, with its reason:

   invalid    where a clock went back, by ovl_cell_plausible, or
              unless ranks started together. What they start apart, they wait for in C, and hide in T. With L the
              lateness of the latest rank in a sample and r a clock read: the median of L over the samples of each of C,
              B and T is at most max(0.02 C, 3 r) and these medians differ by at most max(0.01 C, r), unless there is
              one rank alone; at least a quarter of the samples of each kind, W too, started in time to count; and the
              clocks of different machines were followed within 0.03 C. An application whose communication is next to
              nothing has no hidden_fraction; there C counts as 0.05 T at least. Where the start was a bare barrier, the
              last one alone speaks.

   few        where under 15 blocks have a valid C, W and T: intervals of fewer rest on too little

   drifting   where the autocorrelation of T is over 0.5: the blocks are far from independent

   wide       (status `ci_not_reached`) unless ovl_cell_narrow by the option ci

   The marks below say more of a cell with any status: noisy (ovl_cell_noisy); uneven, hidden_fraction is over 0.05 off
   that of the mean over ranks; unshaped; own-work, no unit of it is in the record of --work-from; ratio, W is over 10 %
   off the multiple of the host's C that was asked for; oversubscribed, by a warning of the run or by
   the busy threads of its ranks; emulated, the link or the workers' processor is; later-first-token, of dpu where
   requests that are served wait over 3 % longer for their first token than in the blocking scheme. `run` NULL: of a
   cell without a record, as of --self-test, which no option calls wide. */
void ovl_cell_settle(struct ovl_cell *cell, const struct ovl_run *run);

/* L's median at most, of a C; and what C is taken for, of T, where an application claims no hidden part of it. */
double ovl_settle_late_most(double comm, double clock_read);
extern const double ovl_settle_least_of_total;

/* Are the half-widths of T, in % of its median, and of the hidden part, in points, at most `ci`? No hidden part is
   asked of a C under 20 clock reads, nor of an application whose communication is lost in the noise. */
bool ovl_cell_narrow(const struct ovl_cell *cell, double ci);

/* Its marks, 1 << enum ovl_mark each: as recorded, or as its values give them in an older record. */
unsigned ovl_cell_marks(const struct ovl_cell *cell);

/* May it by its own samples, too? What they say against clock and starts is computed again, and the stored status,
   where it is a better one, is not believed. Nor is a cell with a clock of which three reads take as long as C, nor one
   in which three quarters of the samples of C, B or T are lacking, which their lateness would have to explain. */
bool ovl_cell_claims_again(const struct ovl_cell *cell);

#endif
