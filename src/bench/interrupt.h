/* Signals that end a run in good order: after the current block, with all finished cells on disk. Where that does not
   come in time, bench/overdue.h ends the job. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_INTERRUPT_H
#define OVL_BENCH_INTERRUPT_H

/* Catches SIGINT, SIGTERM and SIGUSR1, and ignores SIGPIPE, so that a closed pipe is an error to be told. */
void ovl_interrupt_catch(void);

/* The signal that came first, or 0. */
int ovl_interrupt_signal(void);

/* Returns when one has come, to one thread, once: that signal. */
int ovl_interrupt_wait(void);

/* "SIGTERM" */
const char *ovl_interrupt_name(int signal);

#endif
