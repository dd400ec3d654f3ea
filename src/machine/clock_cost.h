/* What reading the clock costs here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_CLOCK_COST_H
#define OVL_MACHINE_CLOCK_COST_H

/* Nanoseconds that one ovl_clock_ns() takes: the median of many. */
double ovl_clock_read_cost(void);

#endif
