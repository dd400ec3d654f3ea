/* Running commands with a time limit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/process.h"
#include "tool/signals.h"
#include "tool/slurm_step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SRUN_SECONDS = 5 }; /* that srun, told to end, has to kill its step */

static sigset_t held, before;
static int interrupt; /* the signal that ended a process before its time; else 0 */

int ovl_process_hold(struct ovl_error *err)
{
    ovl_signals_ending(&held);
    sigaddset(&held, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &held, &before) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot hold signals back: %s", strerror(errno));
    return 0;
}

void ovl_process_release(void)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (interrupt > 0)
        raise(interrupt);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void become(char **argv, const struct ovl_process_request *r, int out, pid_t parent)
{
    const char *name;
    json_t *value;
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) /* it died before that */
        _exit(126);
    if (nothing < 0)
        _exit(126);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    json_object_foreach(r->environment, name, value) {
        setenv(name, json_string_value(value), 1);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(argv[0], argv);
    fprintf(stderr, "ovl: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Waits until the child has ended (0), a signal other than SIGCHLD came (its number), or the time is over (-1). */
static int wait_for(pid_t child, double until, int *status)
{
    for (;;) {
        if (waitpid(child, status, WNOHANG) == child)
            return 0;
        double left = until - now();
        if (left <= 0)
            return -1;
        struct timespec t = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
        int signal = sigtimedwait(&held, NULL, &t);
        if (signal > 0 && signal != SIGCHLD)
            return signal;
    }
}

/* Orphans of the job: a rank that a killed launcher left behind would disturb all that follows. */
static void kill_orphans(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    for (int round = 0; round < 50; round++) {
        FILE *in = fopen(path, "re");
        long orphan;
        bool any = false;
        while (in && fscanf(in, "%ld", &orphan) == 1) {
            kill((pid_t)orphan, SIGKILL);
            any = true;
        }
        if (in)
            fclose(in);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (!any)
            return;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
}

/* Has the child ended by then? Another Ctrl-C does not hurry it. */
static bool ends_within(pid_t child, double seconds, int *status)
{
    double until = now() + seconds;
    int came;
    while ((came = wait_for(child, until, status)) > 0)
        ;
    return came == 0;
}

static void stop(pid_t child, const struct ovl_process_request *r, int *status)
{
    bool asked = r->step && ovl_slurm_step_signal(r->step, "TERM") > 0;
    if (!asked)
        kill(-child, SIGTERM);
    bool ended = ends_within(child, r->grace, status);
    if (!ended && asked) {
        kill(-child, SIGTERM); /* srun kills its step now */
        ended = ends_within(child, SRUN_SECONDS, status);
    }
    kill(-child, SIGKILL);
    if (!ended && r->step)
        ovl_slurm_step_signal(r->step, NULL); /* nobody else would */
    if (!ended)
        waitpid(child, status, 0);
}

int ovl_process_run(const struct ovl_process_request *r, struct ovl_process *p, struct ovl_error *err)
{
    size_t n = json_array_size(r->words);
    char **argv = calloc(n + 1, sizeof *argv);
    int status = 0;
    if (!argv || n == 0) { /* words are lost where there is no memory for them */
        free(argv);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a command");
    }
    int out = open(r->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0) {
        free(argv);
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", r->log, strerror(errno));
    }
    for (size_t i = 0; i < n; i++)
        argv[i] = (char *)(uintptr_t)json_string_value(json_array_get(r->words, i));
    fflush(stdout);
    double start = now();
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        become(argv, r, out, parent);
    if (child < 0)
        ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    free(argv);
    close(out);
    if (child < 0)
        return -1;
    setpgid(child, child);
    int came = wait_for(child, start + r->limit, &status);
    double end = now(); /* what it left behind takes time to be found */
    p->how = came == 0 ? OVL_PROCESS_ENDED : came < 0 ? OVL_PROCESS_TIME_OUT : OVL_PROCESS_INTERRUPTED;
    if (came != 0)
        stop(child, r, &status);
    kill_orphans();
    p->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    p->seconds = (came == 0 ? end : now()) - start;
    if (came > 0)
        interrupt = came; /* not pending, where the process that puts things back would find it */
    return 0;
}
