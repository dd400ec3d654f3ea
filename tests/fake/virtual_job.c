/* A job on virtual clocks: coroutines in a ring. A rank runs until a collective hook; then the next one does, and when
   all have come, what the hook is for is done and the first goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/virtual_job.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 64 << 10, FIRST_STACK = 1 << 20, MOST_REDUCED = 256 };

struct rank {
    struct job *job;
    ucontext_t context;
    struct ovl_loop loop;
    struct ovl_loop_result result;
    struct ovl_error err;
    int rc;
    double now;          /* true time */
    double offset, rate; /* of its clock */
    double wrong;        /* its model of rank 0's clock, ns */
    double longer;       /* what a tick adds to this sample */
    double post, ends;   /* of the present operation: when it was posted, when its part alone is over */
    double inside;       /* what is left of it for calls */
    bool active;
};

struct job {
    const struct virtual_job *is;
    struct rank *all;
    struct ovl_rng rng;
    ucontext_t back; /* whoever started the job */
    double latest;   /* of the ranks that have come to a collective hook so far */
    double met;      /* when all had come to the last one: the next is over only when all have read it */
    double lead;     /* of a start */
    double last_post;
    double residual;
    double largest[MOST_REDUCED], sum[MOST_REDUCED];
    double *gathered; /* rank 0's */
    const void *shared;
};

/* makecontext hands over integers only: the rank that runs, or begins to. */
static struct rank *running;

static double chance(struct job *j)
{
    return ((double)(ovl_rng_next(&j->rng) >> 11) + 1) * 0x1p-53;
}

static double within(struct job *j, double most)
{
    return most * (2 * chance(j) - 1);
}

static double normal(struct job *j)
{
    return sqrt(-2 * log(chance(j))) * cos(2 * M_PI * chance(j));
}

static bool first(const struct rank *r)
{
    return r == r->job->all;
}

static bool last(const struct rank *r)
{
    return r == r->job->all + r->job->is->ranks - 1;
}

static double clock_of(const struct rank *r, double time)
{
    return time + r->offset + r->rate * time;
}

/* Comes to a collective hook and lets the others do so: on return all have, the latest at `met`. */
static void meet(struct rank *r)
{
    struct job *j = r->job;
    struct rank *next = last(r) ? j->all : r + 1;
    j->latest = first(r) ? r->now : fmax(j->latest, r->now);
    if (last(r))
        j->met = j->latest;
    running = next;
    if (next != r)
        swapcontext(&r->context, &next->context);
}

static double hops(const struct job *j)
{
    return j->is->hop * ceil(log2((double)j->is->ranks));
}

static int64_t v_now(void *stage)
{
    struct rank *r = stage;
    r->now += r->job->is->read;
    return llround(clock_of(r, r->now));
}

static struct ovl_start v_start(void *stage, enum ovl_quantity sample, int mode)
{
    struct rank *r = stage;
    struct job *j = r->job;
    const struct virtual_job *is = j->is;
    (void)sample, (void)mode;
    meet(r);

    struct ovl_start start = {.agreed = OVL_LOOP_NO_START, .announced = NAN};
    double late = 0, sent = j->met + hops(j);
    r->longer = 0;
    if (chance(j) < is->tick_chance)
        *(chance(j) < 0.5 ? &late : &r->longer) = is->tick;
    if (is->barrier_apart > 0)
        r->now = sent + is->barrier_apart * chance(j);
    else {
        double took = is->hop * (__builtin_popcount((unsigned)(r - j->all)) - log(chance(j)));
        double own = sent + j->lead + r->wrong; /* what it takes for the agreed time */
        start.agreed = llround(clock_of(r, own));
        start.announced = 1e-9 * took;
        r->now = fmax(sent + took, own) + is->read * chance(j); /* it looks at the clock again and again */
    }
    r->now += late;
    start.left = llround(clock_of(r, r->now));
    return start;
}

static void tick(struct rank *r)
{
    r->now += r->longer;
    r->longer = 0;
}

static void v_compute(void *stage, uint64_t units)
{
    struct rank *r = stage;
    r->now += (double)units * r->job->is->unit;
    tick(r);
}

static void v_post(void *stage, int mode)
{
    struct rank *r = stage;
    const struct virtual_job *is = r->job->is;
    (void)mode;
    r->active = true;
    r->post = r->now;
    r->ends = is->coupled ? INFINITY : r->post + is->fraction * is->operation;
    r->inside = (1 - is->fraction) * is->operation;
}

/* No call gives a part inside any time; a coupled operation completes in the wait. */
static bool v_test(void *stage, int mode)
{
    struct rank *r = stage;
    (void)mode;
    r->active = r->active && !(r->now >= r->ends && r->inside <= 0);
    return !r->active;
}

static void v_wait(void *stage, int mode)
{
    struct rank *r = stage;
    struct job *j = r->job;
    (void)mode;
    if (j->is->coupled) {
        j->last_post = first(r) ? r->post : fmax(j->last_post, r->post);
        meet(r);
        r->ends = j->last_post + j->is->fraction * j->is->operation;
    }
    if (r->active)
        r->now = fmax(r->now, r->ends) + r->inside;
    r->active = false;
    tick(r);
}

static void v_blocking(void *stage)
{
    v_post(stage, 0);
    v_wait(stage, 0);
}

static void v_cpu(void *stage, struct ovl_burnt *burnt)
{
    (void)stage;
    *burnt = (struct ovl_burnt){1e-6, 1e-6, NAN};
}

static void v_reduce(void *stage, double *largest, double *sum, size_t n)
{
    struct rank *r = stage;
    struct job *j = r->job;
    if (n > MOST_REDUCED)
        abort();
    for (size_t i = 0; i < n; i++) {
        j->largest[i] = first(r) || largest[i] > j->largest[i] ? largest[i] : j->largest[i];
        j->sum[i] = first(r) ? sum[i] : j->sum[i] + sum[i];
    }
    meet(r);
    r->now = j->met + hops(j);
    if (first(r)) {
        memcpy(largest, j->largest, n * sizeof *largest);
        memcpy(sum, j->sum, n * sizeof *sum);
    }
}

static void v_share(void *stage, void *data, size_t bytes)
{
    struct rank *r = stage;
    if (first(r))
        r->job->shared = data;
    else
        memcpy(data, r->job->shared, bytes);
    meet(r);
}

static void v_announced(void *stage, double seconds)
{
    struct job *j = ((struct rank *)stage)->job;
    j->lead = 3e9 * seconds;
}

static void compare_clocks(struct job *j)
{
    j->residual = 0;
    for (int i = 1; i < j->is->ranks; i++) {
        j->residual = fmax(j->residual, fabs(j->all[i].wrong));
        j->all[i].wrong = j->is->model_error * normal(j);
    }
}

static double v_renew(void *stage)
{
    struct rank *r = stage;
    struct job *j = r->job;
    if (last(r))
        compare_clocks(j);
    meet(r);
    r->now = j->met + hops(j);
    return 1e-9 * j->residual;
}

static void v_gather(void *stage, const double *mine, double *all, size_t n)
{
    struct rank *r = stage;
    if (first(r))
        r->job->gathered = all;
    memcpy(r->job->gathered + (size_t)(r - r->job->all) * n, mine, n * sizeof *mine);
    meet(r);
}

static uint64_t v_units(void *stage, double seconds)
{
    double units = round(1e9 * seconds / ((struct rank *)stage)->job->is->unit);
    return units >= 100 ? (uint64_t)units : 0;
}

static int v_interrupted(void *stage)
{
    (void)stage;
    return 0;
}

static const struct ovl_stage_ops ops = {
    .now = v_now,
    .start = v_start,
    .compute = v_compute,
    .post = v_post,
    .test = v_test,
    .wait = v_wait,
    .blocking = v_blocking,
    .cpu = v_cpu,
    .reduce = v_reduce,
    .share = v_share,
    .announced = v_announced,
    .renew = v_renew,
    .gather = v_gather,
    .units = v_units,
    .interrupted = v_interrupted,
};

static void run_rank(void)
{
    struct rank *r = running;
    r->rc = ovl_loop_run(&r->loop, &r->result, &r->err);
    if (last(r))
        setcontext(&r->job->back);
    running = r + 1;
    setcontext(&running->context);
}

/* Gives the ranks contexts. The page below a stack is not there: one that is too small ends the program. */
static void make_ranks(struct job *j, const struct ovl_loop *loop, char *at)
{
    long page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < j->is->ranks; i++) {
        struct rank *r = &j->all[i];
        size_t size = i == 0 ? FIRST_STACK : STACK;
        r->job = j;
        r->loop = *loop;
        r->loop.ops = &ops;
        r->loop.stage = r;
        r->loop.decides = i == 0;
        r->loop.rank = i;
        r->loop.ranks = j->is->ranks;
        r->loop.clock_read = 1e-9 * j->is->read;
        r->offset = i > 0 ? within(j, j->is->offset) : 0;
        r->rate = i > 0 ? within(j, j->is->rate) : 0;
        mprotect(at, (size_t)page, PROT_NONE);
        getcontext(&r->context);
        r->context.uc_stack.ss_sp = at + page;
        r->context.uc_stack.ss_size = size - (size_t)page;
        makecontext(&r->context, run_rank, 0);
        at += size;
    }
}

int virtual_job_run(const struct virtual_job *job, const struct ovl_loop *loop, struct ovl_loop_result *result,
                    struct ovl_error *err)
{
    struct job j = {.is = job, .rng = ovl_rng_seeded(job->seed), .lead = 100 * job->hop};
    size_t bytes = FIRST_STACK + (size_t)(job->ranks - 1) * STACK;
    char *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    j.all = calloc((size_t)job->ranks, sizeof *j.all);
    memset(result, 0, sizeof *result);
    if (stacks == MAP_FAILED || !j.all) {
        free(j.all);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %d ranks", job->ranks);
    }
    make_ranks(&j, loop, stacks);
    compare_clocks(&j);
    running = j.all;
    swapcontext(&j.back, &running->context);

    int rc = j.all[0].rc;
    *result = j.all[0].result;
    *err = j.all[0].err;
    for (int i = 1; i < job->ranks; i++)
        ovl_loop_result_free(&j.all[i].result);
    free(j.all);
    munmap(stacks, bytes);
    return rc;
}

bool virtual_job_works(void)
{
#if defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return getenv("OVL_VALGRIND") == NULL;
}
