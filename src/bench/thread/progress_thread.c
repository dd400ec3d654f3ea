/* A thread that completes requests while its rank computes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/thread/progress_thread.h"
#include "base/clock.h"
#include "base/cpu.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Who has an entry: the rank; the thread, or the thread within a call of the hook; that, and the rank has asked; nobody
   any more, as it is done. */
enum { OWN, HANDED, TESTING, ASKED, DONE };

static const int64_t HOUR_NS = INT64_C(3600000000000);

struct entry {
    atomic_int state;
    bool (*test)(void *of);
    void *of;
};

struct ovl_progress {
    enum ovl_progress_idle idle;
    bool yields;
    pthread_t thread;
    atomic_int id; /* of the thread; 0 before it runs */

    /* The thread sleeps on `calls`, which counts what may concern it: it looks at that, says that it is asleep, and
       sleeps if nothing was counted meanwhile. Who counts, and finds it asleep, wakes it. */
    _Atomic uint32_t calls, slept_at; /* the second: how many there were when it fell asleep */
    atomic_bool asleep, rests, ends;
    atomic_int used; /* entries from here on were not handed over since nothing was */
    struct entry entry[OVL_PROGRESS_MOST];

    /* The rank's alone. */
    int out;                        /* in the thread's hands */
    int room[OVL_PROGRESS_MOST], n; /* entries that are free; the last is the next */
};

static void call(struct ovl_progress *p)
{
    atomic_fetch_add(&p->calls, 1);
    if (atomic_load(&p->asleep))
        ovl_futex_wake(&p->calls);
}

/* One call of each hook. Returns how many requests are left in its hands; *moved: some was completed. */
static int test_all(struct ovl_progress *p, bool *moved)
{
    int left = 0;
    for (int i = 0; i < atomic_load(&p->used); i++) {
        struct entry *e = &p->entry[i];
        int handed = HANDED, testing = TESTING;
        if (atomic_load(&e->state) != HANDED || !atomic_compare_exchange_strong(&e->state, &handed, TESTING))
            continue;
        if (e->test(e->of)) {
            atomic_store(&e->state, DONE);
            *moved = true;
        } else if (!atomic_compare_exchange_strong(&e->state, &testing, HANDED))
            atomic_store(&e->state, OWN); /* asked for */
        else
            left++;
    }
    return left;
}

/* Between two rounds. While something is left to test, a thread that spins does that and nothing else. */
static void pause_for(enum ovl_progress_idle idle, bool left)
{
    if (idle == OVL_PROGRESS_SPIN && !left)
        ovl_cpu_pause();
    else if (idle == OVL_PROGRESS_YIELD || (idle == OVL_PROGRESS_SLEEP && !left))
        sched_yield();
    else if (idle == OVL_PROGRESS_SLEEP)
        nanosleep(&(struct timespec){.tv_nsec = OVL_PROGRESS_SLEEPS_NS}, NULL);
}

/* `idle_since` is 0 where there was something to do in the last round. */
static bool may_sleep(const struct ovl_progress *p, int64_t *idle_since)
{
    if (atomic_load(&p->rests) || p->idle == OVL_PROGRESS_SLEEP)
        return true;
    int64_t now = ovl_clock_ns();
    *idle_since = *idle_since ? *idle_since : now;
    return now - *idle_since > OVL_PROGRESS_LOOKS_NS;
}

static void *serve(void *of)
{
    struct ovl_progress *p = of;
    int64_t idle_since = 0;
    atomic_store(&p->id, gettid());
    for (;;) {
        uint32_t seen = atomic_load(&p->calls);
        if (atomic_load(&p->ends)) /* behind `calls`: the call that ends it is either seen now, or is another number */
            return NULL;
        bool moved = false;
        int left = test_all(p, &moved);
        if (moved || left > 0)
            idle_since = 0;
        if (left > 0 || moved || !may_sleep(p, &idle_since)) {
            if (!moved)
                pause_for(p->idle, left > 0);
            continue;
        }
        atomic_store(&p->slept_at, seen);
        atomic_store(&p->asleep, true);
        while (atomic_load(&p->calls) == seen)
            ovl_futex_wait(&p->calls, seen, HOUR_NS);
        atomic_store(&p->asleep, false);
    }
}

static int place(pthread_attr_t *how, const uint64_t *mask)
{
    enum { PROCESSORS = 64 * OVL_PROGRESS_MASK_WORDS };
    size_t bytes = CPU_ALLOC_SIZE(PROCESSORS);
    cpu_set_t *set = CPU_ALLOC(PROCESSORS);
    CPU_ZERO_S(bytes, set);
    for (int i = 0; i < PROCESSORS; i++)
        if (mask[i / 64] >> (i % 64) & 1)
            CPU_SET_S((size_t)i, bytes, set);
    int rc = pthread_attr_setaffinity_np(how, bytes, set);
    CPU_FREE(set);
    return rc;
}

struct ovl_progress *ovl_progress_begin(enum ovl_progress_idle idle, bool yields, const uint64_t *mask,
                                        struct ovl_error *err)
{
    struct ovl_progress *p = ovl_alloc(1, sizeof *p);
    pthread_attr_t how;
    sigset_t all, before;
    p->idle = idle;
    p->yields = yields;
    for (p->n = 0; p->n < OVL_PROGRESS_MOST; p->n++)
        p->room[p->n] = OVL_PROGRESS_MOST - 1 - p->n;
    pthread_attr_init(&how);
    int rc = mask ? place(&how, mask) : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = rc ? rc : pthread_create(&p->thread, &how, serve, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    if (rc != 0) {
        free(p);
        ovl_error_set(err, OVL_ENVIRONMENT, "--mode thread: no progress thread: %s%s", strerror(rc),
                      mask ? "; may ranks run on the processors of --thread-cpu?" : "");
        return NULL;
    }
    while (atomic_load(&p->id) == 0)
        sched_yield();
    ovl_progress_rest(p);
    return p;
}

void ovl_progress_end(struct ovl_progress *p)
{
    if (!p)
        return;
    atomic_store(&p->ends, true);
    call(p);
    pthread_join(p->thread, NULL);
    free(p);
}

int ovl_progress_hand(struct ovl_progress *p, bool (*test)(void *of), void *of)
{
    if (p->n == 0)
        return OVL_PROGRESS_NONE;
    int ticket = p->room[--p->n];
    struct entry *e = &p->entry[ticket];
    e->test = test;
    e->of = of;
    atomic_store(&p->rests, false);
    if (p->out++ == 0 || ticket >= atomic_load(&p->used))
        atomic_store(&p->used, ticket + 1);
    atomic_store(&e->state, HANDED);
    call(p);
    return ticket;
}

bool ovl_progress_done(struct ovl_progress *p, int ticket)
{
    return atomic_load(&p->entry[ticket].state) == DONE;
}

static void breathe(const struct ovl_progress *p)
{
    if (p->yields)
        sched_yield();
    else
        ovl_cpu_pause();
}

static void give_up(struct ovl_progress *p, int ticket)
{
    atomic_store(&p->entry[ticket].state, OWN);
    p->room[p->n++] = ticket;
    p->out--;
}

void ovl_progress_wait(struct ovl_progress *p, int ticket)
{
    while (!ovl_progress_done(p, ticket))
        breathe(p);
    give_up(p, ticket);
}

bool ovl_progress_take_back(struct ovl_progress *p, int ticket)
{
    struct entry *e = &p->entry[ticket];
    bool done;
    for (int state;; breathe(p)) {
        int wanted = HANDED;
        if (atomic_compare_exchange_strong(&e->state, &wanted, OWN)) {
            done = false;
            break;
        }
        wanted = TESTING;
        atomic_compare_exchange_strong(&e->state, &wanted, ASKED);
        state = atomic_load(&e->state);
        if (state == DONE || state == OWN) {
            done = state == DONE;
            break;
        }
    }
    give_up(p, ticket);
    return done;
}

/* One that was called and has not woken up yet is not asleep. */
static bool is_asleep(const struct ovl_progress *p)
{
    return atomic_load(&p->asleep) && atomic_load(&p->slept_at) == atomic_load(&p->calls);
}

bool ovl_progress_rest(struct ovl_progress *p)
{
    if (p->out > 0)
        return false;
    atomic_store(&p->rests, true);
    while (!is_asleep(p))
        sched_yield();
    return true;
}

int ovl_progress_id(const struct ovl_progress *p)
{
    return atomic_load(&p->id);
}

double ovl_progress_cpu(const struct ovl_progress *p)
{
    clockid_t clock;
    struct timespec t = {0};
    if (pthread_getcpuclockid(p->thread, &clock) == 0)
        clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
