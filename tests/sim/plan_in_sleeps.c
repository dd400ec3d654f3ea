/* A plan in reality, with sleep for work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/plan_in_sleeps.h"
#include "base/clock.h"
#include "plan/check.h"
#include "plan/run.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = PLAN_IN_SLEEPS_RANKS, TEAMS = 4, OPS = 64 };

/* What all processes share. */
struct shared {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    int pieces[TEAMS][OPS][RANKS]; /* that have come in at a rank */
    bool busy[2][RANKS];           /* [out, in][node]: a piece is on the link */
    int there;
    int64_t start, ended[RANKS];
};

/* A piece on its way. */
struct piece {
    int team, op, to, bytes;
};

struct process {
    struct shared *all;
    const struct ovl_app_plan *plan;
    const struct ovl_app_machine *m;
    double second;
    int rank, turn[TEAMS];
    struct {
        int team, op, pieces; /* that have to come */
    } slots[OVL_APP_SLOTS_MOST];
    struct piece queue[TEAMS * OPS * RANKS]; /* for the thread, which ends at a piece of no team */
    int queued;                              /* under all->lock */
};

static void sleep_until(int64_t when)
{
    struct timespec t = {when / 1000000000, when % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static int64_t ns_of(const struct process *p, double seconds)
{
    return (int64_t)(1e9 * p->second * seconds);
}

/* Both ends of the link are taken together. With all->lock. */
static void cross(struct process *p, const struct piece *x)
{
    struct shared *all = p->all;
    bool *out = &all->busy[0][p->m->node[p->rank]], *in = &all->busy[1][p->m->node[x->to]];
    if (p->m->node[p->rank] == p->m->node[x->to] || x->bytes == 0)
        return;
    while (*out || *in)
        pthread_cond_wait(&all->changed, &all->lock);
    *out = *in = true;
    pthread_mutex_unlock(&all->lock);
    sleep_until(ovl_clock_ns() + ns_of(p, x->bytes / p->m->rate));
    pthread_mutex_lock(&all->lock);
    *out = *in = false;
}

static void *carry(void *process)
{
    struct process *p = process;
    pthread_mutex_lock(&p->all->lock);
    for (int i = 0;; i++) {
        while (i == p->queued)
            pthread_cond_wait(&p->all->changed, &p->all->lock);
        if (p->queue[i].team < 0)
            break;
        cross(p, &p->queue[i]);
        p->all->pieces[p->queue[i].team][p->queue[i].op][p->queue[i].to]++;
        pthread_cond_broadcast(&p->all->changed);
    }
    pthread_mutex_unlock(&p->all->lock);
    return NULL;
}

static void enqueue(struct process *p, struct piece x)
{
    pthread_mutex_lock(&p->all->lock);
    p->queue[p->queued++] = x;
    pthread_cond_broadcast(&p->all->changed);
    pthread_mutex_unlock(&p->all->lock);
}

/* Is that rank in the team? It has a post of it somewhere. */
static bool member(const struct process *p, int rank, int team)
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    for (size_t g = 0; g < p->plan->groups[OVL_LANE_CHAIN]; g++)
        for (int n = p->plan->group(p->plan->of, rank, OVL_LANE_CHAIN, g, steps); n-- > 0;)
            if ((steps[n].kind == OVL_APP_POST || steps[n].kind == OVL_APP_SYNC) && steps[n].team == team)
                return true;
    return false;
}

static int64_t hook_now(void *self)
{
    (void)self;
    return ovl_clock_ns();
}

static void hook_compute(void *self, const struct ovl_app_step *t, int from, int to)
{
    const struct process *p = self;
    sleep_until(ovl_clock_ns() + ns_of(p, (double)t->what * (to - from) / t->units));
}

static void hook_post(void *self, const struct ovl_app_step *t)
{
    struct process *p = self;
    const struct ovl_app_op op = {.needs = t->needs, .root = t->root};
    int n = p->turn[t->team]++, come = 0;
    for (int i = 0; i < p->plan->ranks; i++) {
        int r = (p->rank + i) % p->plan->ranks; /* so that not all send to one first */
        if (!member(p, r, t->team))
            continue;
        if (ovl_app_sends(&op, p->rank) && ovl_app_gets(&op, r))
            enqueue(p, (struct piece){t->team, n, r, t->what});
        come += ovl_app_sends(&op, r) && ovl_app_gets(&op, p->rank);
    }
    p->slots[t->slot].team = t->team;
    p->slots[t->slot].op = n;
    p->slots[t->slot].pieces = come;
}

static bool hook_test(void *self, int slot)
{
    struct process *p = self;
    pthread_mutex_lock(&p->all->lock);
    bool there = p->all->pieces[p->slots[slot].team][p->slots[slot].op][p->rank] == p->slots[slot].pieces;
    pthread_mutex_unlock(&p->all->lock);
    return there;
}

static void hook_wait(void *self, int slot)
{
    struct process *p = self;
    pthread_mutex_lock(&p->all->lock);
    while (p->all->pieces[p->slots[slot].team][p->slots[slot].op][p->rank] < p->slots[slot].pieces)
        pthread_cond_wait(&p->all->changed, &p->all->lock);
    pthread_mutex_unlock(&p->all->lock);
}

/* In a slot behind those of the plan. */
static void hook_sync(void *self, const struct ovl_app_step *t)
{
    struct process *p = self;
    struct ovl_app_step own = *t;
    own.slot = p->plan->slots;
    hook_post(p, &own);
    hook_wait(p, own.slot);
}

static const struct ovl_app_hooks hooks = {hook_now, hook_compute, hook_post, hook_test, hook_wait, hook_sync, NULL};

/* A rank, from the common start to its end. */
static _Noreturn void live(struct process *p, double patience)
{
    static struct ovl_app_run run;
    struct shared *all = p->all;
    pthread_t thread;
    alarm((unsigned)ceil(patience));
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (pthread_create(&thread, NULL, carry, p) != 0)
        _exit(1);
    pthread_mutex_lock(&all->lock);
    if (++all->there == p->plan->ranks)
        all->start = ovl_clock_ns() + 3000000;
    pthread_cond_broadcast(&all->changed);
    while (!all->start)
        pthread_cond_wait(&all->changed, &all->lock);
    pthread_mutex_unlock(&all->lock);
    sleep_until(all->start);
    run = (struct ovl_app_run){.plan = p->plan, .rank = p->rank, .hooks = &hooks, .self = p};
    ovl_app_run(&run);
    all->ended[p->rank] = ovl_clock_ns();
    enqueue(p, (struct piece){.team = -1});
    pthread_join(thread, NULL);
    _exit(0);
}

static struct shared *share(void)
{
    struct shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    if (all == MAP_FAILED)
        abort();
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&all->lock, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&all->changed, &condition);
    return all;
}

double plan_in_sleeps(const struct ovl_app_plan *plan, const struct ovl_app_machine *m, double second, double patience)
{
    static struct process p;
    struct shared *all = share();
    pid_t pids[RANKS];
    int64_t last = 0;
    bool ended = true;
    p = (struct process){.all = all, .plan = plan, .m = m, .second = second};
    for (int r = 0; r < plan->ranks; r++) {
        p.rank = r;
        pids[r] = fork();
        if (pids[r] < 0)
            abort();
        if (pids[r] == 0)
            live(&p, patience);
    }
    for (int r = 0; r < plan->ranks; r++) {
        int status;
        ended = waitpid(pids[r], &status, 0) == pids[r] && status == 0 && ended;
        last = all->ended[r] > last ? all->ended[r] : last;
    }
    double took = ended ? 1e-9 * (double)(last - all->start) / second : NAN;
    munmap(all, sizeof *all);
    return took;
}

struct ovl_app_bounds plan_in_sleeps_bounds(const struct ovl_app_plan *plan, const struct ovl_app_machine *m)
{
    struct ovl_app_steps s;
    struct ovl_app_ops ops;
    struct ovl_app_bounds b;
    struct ovl_error err;
    bool apart;
    if (ovl_app_steps_make(&s, plan, 10000, &err) != 0 || ovl_app_check(&s, &apart, &err) != 0 ||
        ovl_app_ops_match(&ops, &s, &err) != 0)
        abort();
    double *least = calloc(s.count + 1, sizeof *least);
    for (int r = 0; r < s.ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            const struct ovl_app_list *list = ovl_app_list(&s, r, (enum ovl_app_lane)lane);
            for (size_t i = 0; i < list->count; i++) {
                const struct ovl_app_step *t = &list->steps[i];
                bool one_sender = t->kind == OVL_APP_SYNC && t->needs == OVL_NEEDS_ROOT;
                least[list->first + i] = t->kind == OVL_APP_COMPUTE ? t->what : one_sender ? t->in / m->rate : 0;
            }
        }
    if (ovl_app_bounds_of(&s, &ops, m, least, &b, &err) != 0)
        abort();
    free(least);
    ovl_app_ops_free(&ops);
    ovl_app_steps_free(&s);
    return b;
}

/* Exchanges of four ranks, each on its node: `produce` seconds before each, `consume` after it, a window of two or
   none, and a panel's broadcast with an update behind which it hides. */
struct tight {
    const char *name;
    int exchanges, window, produce, consume, bytes;
    int update; /* of the bulk, a group per exchange, which is then a broadcast of ranks in turn */
};

static const struct tight tights[] = {
    {"work alone", 6, 0, 4, 4, 0, 0},  {"blocking exchanges", 5, 0, 4, 4, 4, 0}, {"hidden exchanges", 8, 2, 8, 8, 3, 0},
    {"a full link", 8, 2, 2, 2, 6, 0}, {"look-ahead", 8, 1, 3, 1, 3, 24},
};

static int exchange_group(const struct tight *t, int group, struct ovl_app_step *steps)
{
    int n = 0;
    struct ovl_app_step step = {.what = t->bytes, .ranks = RANKS, .mark = -1};
    step.in = step.out = (RANKS - 1) * t->bytes;
    if (group < t->exchanges) {
        steps[n++] = (struct ovl_app_step){.kind = OVL_APP_COMPUTE, .units = 1, .what = t->produce, .mark = -1};
        step.kind = t->window ? OVL_APP_POST : OVL_APP_SYNC;
        step.slot = t->window ? group % (t->window + 1) : 0;
        steps[n++] = step;
    }
    if (group < t->window)
        return n;
    if (t->window)
        steps[n++] =
            (struct ovl_app_step){.kind = OVL_APP_WAIT, .slot = (group - t->window) % (t->window + 1), .mark = -1};
    steps[n++] = (struct ovl_app_step){.kind = OVL_APP_COMPUTE, .units = 1, .what = t->consume, .mark = -1};
    return n;
}

/* Panel g: the root has made it; all wait for it, update what the next one needs, and the next root makes that. */
static int panel_group(const struct tight *t, int rank, enum ovl_app_lane lane, int group, struct ovl_app_step *steps)
{
    int n = 0, root = (group + 1) % RANKS;
    if (lane == OVL_LANE_BULK) {
        steps[0] = (struct ovl_app_step){
            .kind = OVL_APP_COMPUTE, .units = t->update / 2, .what = t->update, .after = (size_t)group + 1, .mark = -1};
        return 1;
    }
    if (group > 0)
        steps[n++] = (struct ovl_app_step){.kind = OVL_APP_WAIT, .mark = -1};
    if (group + 1 == t->exchanges)
        return n;
    if (rank == root)
        steps[n++] = (struct ovl_app_step){.kind = OVL_APP_COMPUTE, .units = 1, .what = t->produce, .mark = -1};
    steps[n++] = (struct ovl_app_step){.kind = OVL_APP_POST,
                                       .what = t->bytes,
                                       .ranks = RANKS,
                                       .root = root,
                                       .needs = OVL_NEEDS_ROOT,
                                       .in = rank == root ? 0 : t->bytes,
                                       .out = rank == root ? (RANKS - 1) * t->bytes : 0,
                                       .mark = -1};
    return n;
}

static int tight_group(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct tight *t = of;
    if (t->update)
        return panel_group(t, rank, lane, (int)group, steps);
    return lane == OVL_LANE_CHAIN ? exchange_group(t, (int)group, steps) : 0;
}

const char *plan_in_sleeps_tight(int which, struct ovl_app_plan *plan, struct ovl_app_machine *m)
{
    static const int node[RANKS] = {0, 1, 2, 3};
    if (which >= (int)(sizeof tights / sizeof *tights))
        return NULL;
    const struct tight *t = &tights[which];
    size_t groups = (size_t)(t->exchanges + (t->update ? 0 : t->window));
    *plan = (struct ovl_app_plan){
        .ranks = RANKS, .slots = 3, .groups = {groups, t->update ? groups : 0}, .of = t, .group = tight_group};
    *m = (struct ovl_app_machine){.nodes = RANKS, .node = node, .rate = 1, .carry = NAN, .cores = 1};
    return t->name;
}
