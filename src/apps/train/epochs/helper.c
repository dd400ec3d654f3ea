/* Requests and answers go over a socket, whose closing ends the helper; the data are in shared memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/helper.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 600000, MOST_FILES = 1024 };

/* Nothing of the launcher stays open here but the standard outputs: it must see the rank's end. */
static void close_others(int keep)
{
    for (int fd = 3; fd < MOST_FILES; fd++)
        if (fd != keep)
            close(fd);
}

static int receive(int fd, void *to, size_t bytes)
{
    ssize_t n;
    do
        n = recv(fd, to, bytes, MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)bytes ? 0 : -1;
}

/* Brings checkpoints to disk. */
static void write_checkpoints(const struct ovl_helper *h, void *of)
{
    struct ovl_helper_ask ask;
    (void)of;
    while (receive(h->socket, &ask, sizeof ask) == 0) {
        struct ovl_helper_answer answer = {.number = ask.number, .begin = ovl_clock_ns()};
        if (h->life && ask.number <= atomic_load(&h->life->forgiven))
            continue;
        answer.rc = ovl_checkpoint_write(ask.folder, &ask.checkpoint, h->shared, &answer.err);
        answer.seconds = ovl_clock_since(answer.begin);
        if (send(h->socket, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer)
            break;
    }
}

/* Has a process do so, and another one whenever that is killed; until the rank has gone. */
static void write_in_turns(const struct ovl_helper *h, void *of)
{
    pid_t here = getpid(), child;
    int status;
    do {
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == here)
                write_checkpoints(h, of);
            _exit(0);
        }
        atomic_store(&h->life->process, child);
    } while (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

void *ovl_helper_memory(size_t bytes, struct ovl_error *err)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
        return at;
    ovl_error_set(err, OVL_ENVIRONMENT, "no %.0f bytes to share with a helper: %s", (double)bytes, strerror(errno));
    return NULL;
}

_Noreturn static void become(const struct ovl_helper *h, pid_t rank, ovl_helper_work *work, void *of)
{
    signal(SIGINT, SIG_IGN); /* the rank decides */
    signal(SIGTERM, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != rank)
        _exit(0);
    close_others(h->socket);
    work(h, of);
    _exit(0);
}

int ovl_helper_fork(struct ovl_helper *h, ovl_helper_work *work, void *of, struct ovl_error *err)
{
    int ends[2];
    pid_t rank = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no socket for a helper: %s", strerror(errno));
    h->process = fork();
    if (h->process == 0) {
        h->socket = ends[1];
        become(h, rank, work, of);
    }
    close(ends[1]);
    h->socket = ends[0];
    if (h->process > 0)
        return 0;
    h->process = 0;
    close(h->socket);
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a helper: %s", strerror(errno));
}

int ovl_helper_start(struct ovl_helper *h, size_t bytes, bool mortal, struct ovl_error *err)
{
    *h = (struct ovl_helper){.bytes = bytes};
    h->shared = ovl_helper_memory(bytes, err);
    h->life = h->shared && mortal ? ovl_helper_memory(sizeof *h->life, err) : NULL;
    if (!h->shared || (mortal && !h->life))
        return -1;
    return ovl_helper_fork(h, mortal ? write_in_turns : write_checkpoints, NULL, err);
}

bool ovl_helper_lives(const struct ovl_helper *h)
{
    siginfo_t info = {.si_pid = 0};
    return h->process > 0 && waitid(P_PID, (id_t)h->process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

void ovl_helper_end(struct ovl_helper *h)
{
    if (h->process > 0) {
        close(h->socket);
        kill(h->process, SIGKILL); /* it may be writing; what is whole stays whole */
        waitpid(h->process, NULL, 0);
    }
    if (h->shared)
        munmap(h->shared, h->bytes);
    if (h->life)
        munmap(h->life, sizeof *h->life);
    *h = (struct ovl_helper){.process = 0};
}

static int lost(const struct ovl_helper *h, int rank, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "the helper of rank %d (process %ld) has ended or does not answer; start the job again, with "
                         "--resume to go on from the last checkpoint",
                         rank, (long)h->process);
}

int ovl_helper_kill(struct ovl_helper *h, int rank, struct ovl_error *err)
{
    pid_t killed = atomic_load(&h->life->process);
    int64_t begin = ovl_clock_ns();
    atomic_store(&h->life->forgiven, h->asked);
    if (killed > 0)
        kill(killed, SIGKILL);
    while (atomic_load(&h->life->process) == killed) {
        const struct timespec t = {0, 100000};
        if (killed <= 0 || ovl_clock_since(begin) > 10)
            return lost(h, rank, err);
        nanosleep(&t, NULL);
    }
    return 0;
}

int ovl_helper_ask(struct ovl_helper *h, int rank, const struct ovl_helper_ask *ask, struct ovl_error *err)
{
    struct ovl_helper_ask numbered = *ask;
    numbered.number = ++h->asked;
    return send(h->socket, &numbered, sizeof numbered, MSG_NOSIGNAL) == (ssize_t)sizeof numbered ? 0
                                                                                                 : lost(h, rank, err);
}

int ovl_helper_answer(struct ovl_helper *h, int rank, struct ovl_helper_answer *answer, struct ovl_error *err)
{
    struct pollfd p = {.fd = h->socket, .events = POLLIN};
    do { /* one that was killed may have answered */
        int n;
        do
            n = poll(&p, 1, PATIENCE_MS);
        while (n < 0 && errno == EINTR);
        if (n != 1 || receive(h->socket, answer, sizeof *answer) != 0)
            return lost(h, rank, err);
    } while (answer->number != h->asked);
    return 0;
}
