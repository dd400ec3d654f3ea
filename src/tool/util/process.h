/* Running one command to its end, or to its time limit, with all that it started. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_PROCESS_H
#define OVL_TOOL_UTIL_PROCESS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

enum ovl_process_end { OVL_PROCESS_ENDED, OVL_PROCESS_TIME_OUT, OVL_PROCESS_INTERRUPTED };

/* From here on INT, TERM and HUP wait for ovl_process_run, and a reader of standard output that goes away ends
   nothing: printing fails then, which ferror(stdout) tells. */
int ovl_process_hold(struct ovl_error *err);

/* Does one of them wait, which came while nothing was run? */
bool ovl_process_signal_waits(void);

/* Lets the signals through again; one that came ends the program here, and not one that is run before. */
void ovl_process_release(void);

struct ovl_process {
    enum ovl_process_end how;
    int code;       /* exit code, or 128 + signal */
    double seconds; /* until it ended */
};

/* What a command left running. */
struct ovl_process_left {
    pid_t keeper; /* 0: nothing */
    int fd;
};

/* What to run. */
struct ovl_process_request {
    const json_t *words;
    json_t *environment;           /* variables to set besides */
    const char *log;               /* gets both outputs; stdin is empty */
    double limit, grace;           /* seconds until it is asked to end, and from then on until it is killed */
    const char *step;              /* the name of its step where srun is what is started; else NULL */
    struct ovl_process_left *left; /* what it leaves running lives until ovl_process_end; NULL: is killed with it */
};

/* One that is at work. */
struct ovl_process_running {
    pid_t keeper;
    int fd;
    struct ovl_process_left *left; /* of its request */
};

/* Starts it. At the limit, or at a signal, TERM goes to its process group, of srun to the tasks of its step;
   after the grace KILL to the group, to the step, and to every process that it left behind; children of this process
   that it did not start are let alone. When this process is killed itself, the same happens. -1 when the log could not
   be opened, or there is no process for it. */
int ovl_process_start(const struct ovl_process_request *r, struct ovl_process_running *running, struct ovl_error *err);

/* Waits until one of n has ended, the one of index *which; a signal goes to all of them. -1 when it could not be
   started, or who watches over it was killed. */
int ovl_process_wait(const struct ovl_process_running *running, size_t n, size_t *which, struct ovl_process *p,
                     struct ovl_error *err);

/* Both, of one. */
int ovl_process_run(const struct ovl_process_request *r, struct ovl_process *p, struct ovl_error *err);

/* Ends what was left running: TERM, and KILL after the grace. Of nothing, nothing. */
void ovl_process_end(struct ovl_process_left *left);

#endif
