/* Running commands with a time limit; tool/util/keeper.h has what stands beside each of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/process.h"
#include "tool/util/keeper.h"
#include "tool/util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t held, before;
static int signals = -1; /* readable when one has come */
static int interrupt;    /* the signal that ended a process before its time; else 0 */

int ovl_process_hold(struct ovl_error *err)
{
    ovl_signals_ending(&held);
    signal(SIGCHLD, SIG_DFL); /* a parent that ignores it has its children do so, which could not wait for theirs */
    signals = signalfd(-1, &held, SFD_CLOEXEC);
    if (signals < 0 || sigprocmask(SIG_BLOCK, &held, &before) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot hold signals back: %s", strerror(errno));
    ovl_signals_ignore_pipe();
    return 0;
}

bool ovl_process_signal_waits(void)
{
    sigset_t waiting, came;
    return signals >= 0 && sigpending(&waiting) == 0 && sigandset(&came, &waiting, &held) == 0 && !sigisemptyset(&came);
}

void ovl_process_release(void)
{
    if (signals < 0)
        return;
    close(signals);
    signals = -1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (interrupt > 0)
        raise(interrupt);
}

/* Waits until one of them reports; a signal is passed on to all. Returns which, and the last signal in *came. */
static size_t await(const struct ovl_process_running *running, size_t n, int *came)
{
    struct pollfd *each = ovl_alloc(n + 1, sizeof *each);
    struct signalfd_siginfo signal;
    size_t which = n;
    for (size_t i = 0; i < n; i++)
        each[i] = (struct pollfd){.fd = running[i].fd, .events = POLLIN};
    each[n] = (struct pollfd){.fd = signals, .events = POLLIN};
    while (which == n) {
        if (poll(each, n + 1, -1) < 0)
            continue;
        for (which = 0; which < n && !each[which].revents;)
            which++;
        if (which < n || read(signals, &signal, sizeof signal) != sizeof signal)
            continue;
        *came = (int)signal.ssi_signo;
        for (size_t i = 0; i < n; i++)
            kill(running[i].keeper, *came);
    }
    free(each);
    return which;
}

/* false when the keeper was killed. */
static bool hear(const struct ovl_process_running *r, struct ovl_keeper_report *report)
{
    ssize_t got;
    while ((got = recv(r->fd, report, sizeof *report, 0)) < 0 && errno == EINTR)
        ;
    return got == sizeof *report;
}

static pid_t start(const struct ovl_process_request *r, int out, int ends[2])
{
    struct ovl_keeper k = {.request = r, .held = held, .before = before, .parent = getpid(), .out = out};
    fflush(stdout);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    pid_t keeper = fork();
    if (keeper == 0) {
        k.tool = ends[1];
        ovl_keeper_run(&k);
    }
    close(ends[1]);
    if (keeper < 0)
        close(ends[0]);
    return keeper;
}

int ovl_process_start(const struct ovl_process_request *r, struct ovl_process_running *running, struct ovl_error *err)
{
    int ends[2];
    int out = open(r->log, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666);
    if (out < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", r->log, strerror(errno));
    pid_t keeper = start(r, out, ends);
    int why = errno;
    close(out);
    if (keeper < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a process: %s", strerror(why));
    *running = (struct ovl_process_running){keeper, ends[0], r->left};
    return 0;
}

int ovl_process_wait(const struct ovl_process_running *running, size_t n, size_t *which, struct ovl_process *p,
                     struct ovl_error *err)
{
    struct ovl_keeper_report report;
    int came = 0;
    *which = await(running, n, &came);
    const struct ovl_process_running *r = &running[*which];
    bool told = hear(r, &report);
    /* It may have come to the keeper alone. What is not pending does not find the process that puts things back. */
    if (told && report.process.how == OVL_PROCESS_INTERRUPTED)
        interrupt = came ? came : interrupt ? interrupt : SIGTERM;
    else if (came)
        raise(came); /* it came too late for this one: it waits, or another that is at work ends by it */
    struct ovl_process_left left = {r->keeper, r->fd};
    if (!told || report.error != 0 || !r->left)
        ovl_process_end(&left);
    else
        *r->left = left;
    if (!told)
        return ovl_error_set(err, OVL_ENVIRONMENT, "the process of ovl that watches over a command was killed");
    if (report.error != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a process: %s", strerror(report.error));
    *p = report.process;
    return 0;
}

int ovl_process_run(const struct ovl_process_request *r, struct ovl_process *p, struct ovl_error *err)
{
    struct ovl_process_running running;
    size_t first;
    return ovl_process_start(r, &running, err) == 0 ? ovl_process_wait(&running, 1, &first, p, err) : -1;
}

void ovl_process_end(struct ovl_process_left *left)
{
    if (left->keeper == 0)
        return;
    close(left->fd);
    while (waitpid(left->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    left->keeper = 0;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* as the first process of a container it gets everybody's */
        ;
}
