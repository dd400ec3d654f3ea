/* Signals that end a run in good order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/interrupt.h"

#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t first;
static sem_t came; /* what a handler may post, and a thread wait for */

static void remember(int signal)
{
    if (!first) {
        first = signal;
        sem_post(&came);
    }
}

void ovl_interrupt_catch(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
    sem_init(&came, 0, 0);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaction(caught[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int ovl_interrupt_signal(void)
{
    return first;
}

int ovl_interrupt_wait(void)
{
    while (sem_wait(&came) != 0)
        ;
    return first;
}

const char *ovl_interrupt_name(int signal)
{
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : signal == SIGUSR1 ? "SIGUSR1" : "a signal";
}
