/* A parent that is not noticed: signals go through it, in both directions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/attend.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child;

static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};
enum { PASSED = sizeof passed / sizeof *passed };

/* From the keyboard they come to the whole process group: to the command, too. */
static void pass_on(int signal, siginfo_t *from, void *context)
{
    int before = errno;
    (void)context;
    if (child > 0 && from->si_code != SI_KERNEL)
        kill((pid_t)child, signal);
    errno = before;
}

/* The child, till it is the command: what stops it goes through the pipe. */
static _Noreturn void become(char **command, pid_t parent, int tell, const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(OVL_ENVIRONMENT);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(command[0], command);
    int why = errno;
    _exit(write(tell, &why, sizeof why) == sizeof why ? OVL_USAGE : OVL_ENVIRONMENT);
}

void ovl_attend_end_as(int killed_by)
{
    sigset_t set;
    fflush(NULL);
    signal(killed_by, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, killed_by);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(killed_by);
}

int ovl_attend(char **command, int *killed_by, struct ovl_error *err)
{
    int pipe_ends[2], why, status = 0;
    sigset_t all, mask;
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, before[PASSED];
    pid_t parent = getpid();
    fflush(NULL);
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot run %s: %s", command[0], strerror(errno));
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask); /* none is lost between the start and the handler */
    pid_t pid = fork();
    if (pid == 0)
        become(command, parent, pipe_ends[1], &mask);
    close(pipe_ends[1]);
    child = pid;
    for (int s = 0; s < PASSED; s++) {
        sigaction(passed[s], NULL, &before[s]);
        if (before[s].sa_handler != SIG_IGN) /* as nohup has it */
            sigaction(passed[s], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    int rc = pid < 0 ? ovl_error_set(err, OVL_ENVIRONMENT, "cannot run %s: %s", command[0], strerror(errno)) : 0;
    if (rc == 0 && read(pipe_ends[0], &why, sizeof why) == sizeof why)
        rc = ovl_error_set(err, OVL_USAGE, "cannot run %s: %s", command[0], strerror(why));
    close(pipe_ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    for (int s = 0; s < PASSED; s++)
        sigaction(passed[s], &before[s], NULL);
    *killed_by = rc == 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return rc != 0 ? rc : *killed_by ? 128 + *killed_by : WEXITSTATUS(status);
}
