/* Holding signals back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t before;
static int holds; /* how many parts of the program hold them */
static struct sigaction pipe_before;
static bool pipe_ignored;
static int came = -1; /* readable as soon as one waits; never read, so that it waits on */

void ovl_signals_ending(sigset_t *set)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigemptyset(set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, ending[i]);
}

int ovl_signals_hold(struct ovl_error *err)
{
    sigset_t held;
    if (holds > 0) {
        holds++;
        return 0;
    }
    ovl_signals_ending(&held);
    came = signalfd(-1, &held, SFD_CLOEXEC);
    if (came < 0 || sigprocmask(SIG_BLOCK, &held, &before) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot hold signals back: %s", strerror(errno));
    holds = 1;
    return 0;
}

bool ovl_signals_came(void)
{
    struct pollfd signal = {.fd = came, .events = POLLIN};
    return poll(&signal, 1, 0) > 0;
}

bool ovl_signals_wait(int fd)
{
    struct pollfd either[] = {{.fd = came, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    while (poll(either, 2, -1) < 0 && errno == EINTR)
        ;
    return !(either[0].revents & POLLIN);
}

void ovl_signals_ignore_pipe(void)
{
    if (!pipe_ignored)
        pipe_ignored = sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &pipe_before) == 0;
}

void ovl_signals_restore_pipe(void)
{
    if (pipe_ignored)
        sigaction(SIGPIPE, &pipe_before, NULL);
}

void ovl_signals_reset(void)
{
    ovl_signals_restore_pipe();
    if (holds > 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
}

void ovl_signals_release(void)
{
    if (--holds > 0)
        return;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(came);
    came = -1;
}
