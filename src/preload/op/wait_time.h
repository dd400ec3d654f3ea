/* The time in which any thread of the rank waits for workers: of several that wait at once it is counted once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_WAIT_TIME_H
#define OVL_PRELOAD_OP_WAIT_TIME_H

/* Around a thread's wait. */
void ovl_wait_time_begin(void);
void ovl_wait_time_end(void);

#endif
