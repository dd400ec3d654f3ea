/* The exchange of rows in few messages: for narrow updates, where a message costs more than its bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_BINARY_EXCHANGE_H
#define OVL_APPS_HPL_BINARY_EXCHANGE_H

#include "apps/hpl/system.h"

/* Collective in the process column. `parts` has this process's part, and at process row `root` `mine` has the rows from
   the top, as ovl_hpl_permutation_moves counts them. After it `parts` has all parts, and `mine` the rows for this
   process, at the same places. A process sends and receives at most log2(P) + 2 messages: partners swap all parts that
   they have, and rows from the top go along with them, half as many at each step. */
void ovl_hpl_binary_exchange(struct ovl_hpl_system *s, int root, int columns);

#endif
