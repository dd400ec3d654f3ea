/* The process that stands between the tool and a command that it runs. What the command leaves behind becomes the
   keeper's child and nobody else's, so that it can be ended without harm to others: the tool itself may have children
   that it did not start, of the shell that became it by exec, or as the first process of a container. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_KEEPER_H
#define OVL_TOOL_UTIL_KEEPER_H

#include "tool/util/process.h"

#include <signal.h>
#include <sys/types.h>

struct ovl_keeper_report {
    struct ovl_process process;
    int error; /* errno, when it could not be started; else 0 */
};

struct ovl_keeper {
    const struct ovl_process_request *request;
    sigset_t held, before; /* signals that end the command, and the mask that it gets */
    pid_t parent;          /* the tool */
    int out, tool;         /* where the command prints; a socket, for the report */
};

/* Runs the command, in a process forked for it, reports, and ends. With request->left the report comes first, and what
   the command left behind is ended when the tool closes its end of the socket, or is no more. */
_Noreturn void ovl_keeper_run(const struct ovl_keeper *k);

#endif
