/* What the full mesh of workers costs one of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_JOIN_COST_H
#define OVL_TESTS_SIM_JOIN_COST_H

/* Prints a table; an exit code. */
int print_joins(void);

#endif
