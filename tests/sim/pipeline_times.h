/* What a rank pays to post and to test, with a worker that spins in a process of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_PIPELINE_TIMES_H
#define OVL_TESTS_SIM_PIPELINE_TIMES_H

/* Starts build/bin/ovl_carrier and prints medians in ns. Returns an exit code: 5 where there is no core for it. */
int print_times(void);

#endif
