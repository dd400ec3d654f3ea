/* Signals that end the tool in good order: first what it has begun is taken away, then the signal does its work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SIGNALS_H
#define OVL_TOOL_UTIL_SIGNALS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

/* From here on INT, TERM and HUP wait. -1 and OVL_ENVIRONMENT when they cannot be held. */
int ovl_signals_hold(struct ovl_error *err);

/* Has one of them come? */
bool ovl_signals_came(void);

/* Waits until the descriptor can be read. false when a signal came first. */
bool ovl_signals_wait(int fd);

/* Lets them through again, once every part that held them has released them: one that has come ends the program
   here. */
void ovl_signals_release(void);

/* Lets them through in a child, before it becomes another program, and the signal of pipes, too. */
void ovl_signals_reset(void);

/* From here on a reader of standard output that goes away is an error of printing, and no signal that ends the program.
   The other lets the signal through again in a child, before it becomes another program. */
void ovl_signals_ignore_pipe(void);
void ovl_signals_restore_pipe(void);

/* The signals that end this program: INT, TERM and HUP, but for those that it was started to ignore, as by nohup. Linux
   keeps a blocked signal for who waits for it even where it is ignored. */
void ovl_signals_ending(sigset_t *set);

#endif
