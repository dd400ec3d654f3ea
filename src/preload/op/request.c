/* Operations from their post to their end: slots, the list of those that wait for one, and MPI's requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/request.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "preload/op/wait_time.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum state {
    WAITING, /* for a slot */
    POSTED,  /* a carrier has it */
    DONE,    /* the carrier has done it */
    ENDING,  /* somebody unpacks, and tells MPI */
    TOLD,
};

static struct {
    struct ovl_pending *first, **last; /* those that wait, in order */
    struct ovl_pending *posted;
    struct ovl_pending *all; /* that are not yet ENDING */
    pthread_cond_t cond;     /* something waits */
    bool drainer, changed;   /* the second: something came to an end, or into the line, since it was last walked */
    uint64_t walk;           /* counts these */
    struct ovl_client_watch watch;
} line = {.last = &line.first, .cond = PTHREAD_COND_INITIALIZER};

static _Thread_local struct {
    int waits;
    unsigned polls, others,
        asked; /* in vain, since a completion or the call's begin; of others, since it slept; ever */
    const struct ovl_pending *sleeper; /* of those that MPI asks in turn the one at which this thread sleeps */
    int64_t next_look;
    bool counted; /* its wait is told to wait_time.h */
} here;

static struct ovl_library *const lib = &ovl_library;

static void unlock_and_die(const struct ovl_error *err)
{
    pthread_mutex_unlock(&lib->lock);
    ovl_library_die(err);
}

/* The lock is held. Teams are attached here: only the own carrier is waited for, which answers at once. One slot is
   left to such commands. */
static int post(struct ovl_pending *p, struct ovl_error *err)
{
    struct ovl_comm_team *t = p->team;
    if (lib->in_flight == OVL_SLOTS - 2 && ovl_client_add_slots(&lib->client, err) != 0)
        return -1;
    if (!t->attached && ovl_client_attach(&lib->client, &t->engine, t->id, t->rank, t->ranks, t->members, err) != 0)
        return -1;
    t->attached = true;
    p->args.team = &t->engine;
    if (ovl_client_check(&p->args, err) != 0 || ovl_client_post(&lib->client, &p->args, &p->ticket, err) != 0)
        return -1;
    lib->in_flight++;
    t->in_flight++;
    p->next = line.posted;
    line.posted = p;
    p->state = POSTED;
    return 0;
}

/* The lock is held. */
static void collect_done(void)
{
    for (struct ovl_pending **at = &line.posted, *p; (p = *at);)
        if (ovl_client_test(&lib->client, &p->ticket)) {
            *at = p->next;
            p->state = DONE;
            lib->in_flight--;
            p->team->in_flight--;
            line.changed = true;
        } else
            at = &p->next;
}

/* The lock is held. A program may post on two communicators in another order at each rank, and far ahead: so that none
   of them waits for the other, the oldest operation of each always has a slot, for as many as a carrier takes. */
static bool may_post(const struct ovl_comm_team *t)
{
    return lib->in_flight < lib->settings.slots || (t->in_flight == 0 && lib->in_flight < OVL_MOST_SLOTS - 2);
}

/* The lock is held. Of one communicator nothing overtakes what came before. */
static int drain(struct ovl_error *err)
{
    if (!line.first)
        return 0;
    collect_done();
    if (!line.changed)
        return 0;
    line.changed = false;
    line.walk++;
    for (struct ovl_pending **at = &line.first, *p; (p = *at);) {
        struct ovl_comm_team *t = p->team;
        if (t->stays == line.walk || !may_post(t)) {
            t->stays = line.walk;
            at = &p->next;
            continue;
        }
        *at = p->next;
        if (line.last == &p->next)
            line.last = at;
        t->waiting--;
        atomic_fetch_sub(&lib->waiting, 1);
        if (post(p, err) != 0)
            return -1;
    }
    return 0;
}

void ovl_pending_drain(void)
{
    struct ovl_error err;
    pthread_mutex_lock(&lib->lock);
    if (drain(&err) != 0)
        unlock_and_die(&err);
    pthread_mutex_unlock(&lib->lock);
}

/* The program may sit in a call that the library does not see, such as MPI_Recv, while its peers wait for an operation
   that waits here for a slot. This thread posts it. It calls no MPI. */
static void *drain_for_ever(void *unused)
{
    enum { TURN_NS = 500000 };
    struct ovl_error err;
    (void)unused;
    pthread_mutex_lock(&lib->lock);
    for (;;) {
        while (!line.first)
            pthread_cond_wait(&line.cond, &lib->lock);
        pthread_mutex_unlock(&lib->lock);
        struct timespec turn = {.tv_nsec = TURN_NS};
        nanosleep(&turn, NULL);
        pthread_mutex_lock(&lib->lock);
        if (drain(&err) != 0)
            ovl_library_exit(&err);
    }
    return NULL;
}

/* The lock is held. The program's signals are none of the thread's. */
static int begin_drainer(struct ovl_error *err)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int why = pthread_create(&thread, NULL, drain_for_ever, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (why != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no thread for operations that wait for a slot: raise ulimit -u");
    pthread_detach(thread);
    line.drainer = true;
    return 0;
}

static int enqueue(struct ovl_pending *p, struct ovl_error *err)
{
    p->next = NULL;
    *line.last = p;
    line.last = &p->next;
    line.changed = true;
    p->team->waiting++;
    atomic_fetch_add(&lib->waiting, 1);
    if (!line.drainer && begin_drainer(err) != 0)
        return -1;
    pthread_cond_signal(&line.cond);
    return 0;
}

static void release(struct ovl_pending *p)
{
    if (atomic_fetch_sub(&p->uses, 1) == 1)
        free(p);
}

/* Of one in state ENDING; may free it. */
static void finish(struct ovl_pending *p)
{
    MPI_Request handle = p->handle;
    ovl_side_unpack(&p->send);
    ovl_side_unpack(&p->recv);
    free(p->lists);
    ovl_comm_team_release(p->team);
    atomic_fetch_sub(&lib->outstanding, 1);
    P->Grequest_complete(handle);
    atomic_store(&p->state, TOLD);
    release(p);
}

/* The lock is held: who has this one's end, if it has come to it? */
static bool claim(struct ovl_pending *p)
{
    if (p->state != DONE)
        return false;
    p->state = ENDING;
    line.watch.still = 0;
    if (p->before)
        p->before->after = p->after;
    else
        line.all = p->after;
    if (p->after)
        p->after->before = p->before;
    return true;
}

/* Completes it if it has ended. Returns whether it now is complete. */
static bool advance(struct ovl_pending *p)
{
    struct ovl_error err;
    if (atomic_load(&p->state) >= ENDING)
        return atomic_load(&p->state) == TOLD;
    pthread_mutex_lock(&lib->lock);
    if (p->state == POSTED && ovl_client_test(&lib->client, &p->ticket))
        collect_done();
    if (drain(&err) != 0)
        unlock_and_die(&err);
    bool mine = claim(p);
    pthread_mutex_unlock(&lib->lock);
    if (!mine)
        return false;
    here.polls = 0;
    here.sleeper = NULL;
    finish(p); /* which may free it */
    return true;
}

/* A poll in vain. Does the carrier live? */
static void poll_worker(bool often)
{
    enum { LOOKS = 64, EVERY_NS = 10000000 };
    struct ovl_error err;
    int64_t now;
    here.polls++;
    if ((++here.asked % LOOKS != 0 && !often) || (now = ovl_clock_ns()) < here.next_look)
        return;
    here.next_look = now + EVERY_NS;
    pthread_mutex_lock(&lib->lock);
    bool there = lib->client.conns != NULL; /* not after MPI_Finalize, which a session may outlive */
    if (there)
        ovl_client_sleep(&lib->client, NULL, 0); /* one that sleeps shows that it lives */
    if (there && ovl_client_check_worker(&lib->client, &line.watch, &err) != 0)
        unlock_and_die(&err);
    pthread_mutex_unlock(&lib->lock);
}

void ovl_pending_sweep(void)
{
    struct ovl_error err;
    struct ovl_pending *p;
    do {
        pthread_mutex_lock(&lib->lock);
        collect_done();
        if (drain(&err) != 0)
            unlock_and_die(&err);
        for (p = line.all; p && !claim(p);)
            p = p->after;
        pthread_mutex_unlock(&lib->lock);
        if (p)
            finish(p);
    } while (p);
    poll_worker(false); /* a program may do nothing but ask, between waits for messages of its own */
}

/* Between two polls in vain: lets MPI progress the program's own messages, which may be what the others wait for, and
   where cores are shared gives the core to the carrier, once for all requests that MPI asks in turn. */
static void rest(const struct ovl_pending *p)
{
    enum { SPINS = 200, LOOKS = 64, LEAST_NS = 50000 };
    int flag;
    P->Iprobe(MPI_ANY_SOURCE, 0, (H)lib->world, &flag, MPI_STATUS_IGNORE);
    poll_worker(here.polls >= SPINS);
    if (!lib->shared_cores || here.polls < SPINS / 4)
        ovl_cpu_pause();
    else if (here.waits == 0)
        sched_yield();
    else if (!here.sleeper || here.sleeper == p || ++here.others > LOOKS) {
        bool alone = p && here.sleeper == p && here.others == 0 && atomic_load(&p->state) == POSTED;
        unsigned n = here.polls - SPINS / 4;
        here.sleeper = p;
        here.others = 0;
        ovl_client_sleep(&lib->client, alone ? &p->ticket : NULL, LEAST_NS * (n < 8 ? 1 : n < 64 ? n / 8 : 8));
    }
}

uint64_t ovl_pending_finish(void)
{
    int64_t end = ovl_clock_ns() + (int64_t)(1e9 * lib->settings.timeout);
    uint64_t left = 0;
    ovl_pending_wait_begins();
    for (ovl_pending_sweep(); (left = atomic_load(&lib->outstanding)) > 0 && ovl_clock_ns() < end; ovl_pending_sweep())
        rest(NULL);
    ovl_pending_wait_ends();
    return left;
}

void ovl_pending_wait_begins(void)
{
    if (here.waits++ > 0)
        return;
    here.polls = here.others = 0;
    here.sleeper = NULL;
    here.counted = atomic_load_explicit(&lib->outstanding, memory_order_relaxed) != 0;
    if (here.counted)
        ovl_wait_time_begin();
}

void ovl_pending_wait_ends(void)
{
    if (--here.waits == 0 && here.counted)
        ovl_wait_time_end();
}

/* What MPI calls. Statuses may be no addresses here (MPI_STATUS_IGNORE is 1, and the second of such an array 21). */

static int on_poll(void *extra, MPI_Status *status)
{
    struct ovl_pending *p = extra;
    (void)status;
    if (!advance(p))
        rest(p);
    return MPI_SUCCESS;
}

/* Only calls that wait come here, also those that this library does not see, such as MPI_Waitall of mpi_f08. */
static int on_wait(int n, void **extra, double timeout, MPI_Status *status)
{
    (void)timeout, (void)status;
    ovl_pending_wait_begins();
    for (int i = 0; i < n; i++) {
        struct ovl_pending *p = extra[i];
        while (!advance(p))
            rest(p);
    }
    ovl_pending_wait_ends();
    return MPI_SUCCESS;
}

/* MPI_Testall calls it twice. */
static int on_query(void *extra, MPI_Status *status)
{
    (void)extra;
    P->Status_set_elements(status, (H)MPI_BYTE, 0);
    P->Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    release(extra);
    return MPI_SUCCESS;
}

/* Collectives cannot be cancelled. */
static int on_cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_ERR_REQUEST;
}

void ovl_pending_begin(void)
{
    P->class_create(on_query, on_free, on_cancel, on_poll, on_wait, &lib->class);
}

void ovl_pending_post(const struct ovl_pending *from, MPI_Request *request)
{
    struct ovl_error err;
    struct ovl_pending *p = ovl_library_check_alloc(malloc(sizeof *p));
    *p = *from;
    p->uses = 2;
    p->state = WAITING;
    P->class_allocate(lib->class, p, &p->handle);
    *request = p->handle;
    atomic_fetch_add(&lib->outstanding, 1);
    pthread_mutex_lock(&lib->lock);
    p->after = line.all;
    if (line.all)
        line.all->before = p;
    line.all = p;
    int rc = drain(&err);
    if (rc == 0 && !may_post(p->team))
        collect_done();
    if (rc == 0)
        rc = p->team->waiting == 0 && may_post(p->team) ? post(p, &err) : enqueue(p, &err);
    if (rc != 0)
        unlock_and_die(&err);
    pthread_mutex_unlock(&lib->lock);
}
