/* Requests, answers and data are in shared memory: a counter says how many were asked for, another one how many were
   answered, and who waits for either sleeps on it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/helper.h"
#include "base/clock.h"
#include "base/cpu.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 1024, LOOK_NS = 50000000, SLEEP_NS = 1000000000 };
static const double patience = 600; /* seconds */

/* Nothing of the launcher stays open here but the standard outputs: it must see the rank's end. */
static void close_others(void)
{
    for (int fd = 3; fd < MOST_FILES; fd++)
        close(fd);
}

/* Brings checkpoints to disk. */
static void write_checkpoints(const struct ovl_helper *h, void *of)
{
    struct ovl_helper_desk *d = h->desk;
    uint32_t done = atomic_load(&d->answered);
    (void)of;
    for (;;) {
        uint32_t asked = atomic_load(&d->asked);
        if (asked == done || asked == atomic_load(&d->forgiven)) {
            ovl_futex_wait(&d->asked, asked, SLEEP_NS);
            continue;
        }
        int64_t begin = ovl_clock_ns();
        d->answer = (struct ovl_helper_answer){.begin = begin};
        d->answer.rc = ovl_checkpoint_write(d->ask.folder, &d->ask.checkpoint, h->shared, &d->answer.err);
        d->answer.seconds = ovl_clock_since(begin);
        done = asked;
        atomic_store(&d->answered, done);
        ovl_futex_wake(&d->answered);
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
        atomic_store(&h->desk->process, child);
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
    close_others();
    work(h, of);
    _exit(0);
}

int ovl_helper_fork(struct ovl_helper *h, ovl_helper_work *work, void *of, struct ovl_error *err)
{
    pid_t rank = getpid();
    h->process = fork();
    if (h->process == 0)
        become(h, rank, work, of);
    if (h->process > 0)
        return 0;
    h->process = 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start a helper: %s", strerror(errno));
}

int ovl_helper_start(struct ovl_helper *h, size_t bytes, bool mortal, struct ovl_error *err)
{
    *h = (struct ovl_helper){.bytes = bytes};
    h->shared = ovl_helper_memory(bytes, err);
    h->desk = h->shared ? ovl_helper_memory(sizeof *h->desk, err) : NULL;
    return h->desk ? ovl_helper_fork(h, mortal ? write_in_turns : write_checkpoints, NULL, err) : -1;
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
        kill(h->process, SIGKILL); /* it may be writing; what is whole stays whole */
        waitpid(h->process, NULL, 0);
    }
    if (h->shared)
        munmap(h->shared, h->bytes);
    if (h->desk)
        munmap(h->desk, sizeof *h->desk);
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
    pid_t killed = atomic_load(&h->desk->process);
    int64_t begin = ovl_clock_ns();
    atomic_store(&h->desk->forgiven, atomic_load(&h->desk->asked));
    if (killed > 0)
        kill(killed, SIGKILL);
    while (atomic_load(&h->desk->process) == killed) {
        const struct timespec t = {0, 100000};
        if (killed <= 0 || ovl_clock_since(begin) > 10)
            return lost(h, rank, err);
        nanosleep(&t, NULL);
    }
    return 0;
}

int ovl_helper_ask(struct ovl_helper *h, int rank, const struct ovl_helper_ask *ask, struct ovl_error *err)
{
    if (!ovl_helper_lives(h))
        return lost(h, rank, err);
    h->desk->ask = *ask;
    atomic_fetch_add(&h->desk->asked, 1);
    ovl_futex_wake(&h->desk->asked);
    return 0;
}

bool ovl_helper_has_answered(const struct ovl_helper *h)
{
    return atomic_load(&h->desk->answered) == atomic_load(&h->desk->asked);
}

int ovl_helper_answer(struct ovl_helper *h, int rank, struct ovl_helper_answer *answer, struct ovl_error *err)
{
    struct ovl_helper_desk *d = h->desk;
    int64_t begin = ovl_clock_ns();
    for (uint32_t seen; (seen = atomic_load(&d->answered)) != atomic_load(&d->asked);) {
        if (!ovl_helper_lives(h) || ovl_clock_since(begin) > patience)
            return lost(h, rank, err);
        ovl_futex_wait(&d->answered, seen, LOOK_NS);
    }
    *answer = d->answer;
    return 0;
}
