/* The orders in which a rank and a worker write and read what they share (offload/mem/cmdq.h), played through as
 * processors of weakly ordered memory may: all executions of two short programs, in which each access is done in any
 * order but
 *
 *   of one place                     in the program's
 *   an acquiring load                before all that follow
 *   a releasing store                after all before it
 *   both sequentially consistent     a store before a load that follows (ARMv8: stlr before ldar, RCsc)
 *   a call of futex                  after all before it, before all that follow: the kernel has a barrier there
 *
 * Nothing else holds: no dependency either, which is less than ARMv8 promises. One memory serves all (multi-copy
 * atomic). An exchange is a load and a store between which nobody else stores. The programs follow by hand the
 * functions that they name. With any one of the marks taken away that matter, the fault is found. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ACQUIRE = 1, RELEASE = 2, SC = 4, FUTEX = 8, EXCHANGE = 16 /* with the store behind it */ };
enum { PLACES = 3, MOST = 6, THREADS = 2 };

/* A load into the thread's result of the event's number, or a store of a value. */
struct event {
    char kind; /* 'r', 'w'; 0: none */
    int place, value;
    unsigned how;
};

struct program {
    const char *name;
    struct event of[THREADS][MOST];
    bool (*fault)(int r[THREADS][MOST]);
    bool matters[THREADS][MOST]; /* without this event's marks the fault can be */
};

struct play {
    const struct program *program;
    unsigned done[THREADS];
    int memory[PLACES], stores[PLACES], result[THREADS][MOST], seen[THREADS];
    bool found;
    int ends;
};

static bool ordered(const struct event *a, const struct event *b)
{
    return a->place == b->place || (a->how | b->how) & FUTEX || (a->kind == 'r' && a->how & ACQUIRE) ||
           (b->kind == 'w' && b->how & RELEASE) || (a->kind == 'w' && b->kind == 'r' && a->how & b->how & SC);
}

static bool may_go(const struct play *p, int t, int i)
{
    for (int before = 0; before < i; before++)
        if (!(p->done[t] >> before & 1) && ordered(&p->program->of[t][before], &p->program->of[t][i]))
            return false;
    return true;
}

/* false: an exchange that somebody else's store came between, which would be tried again. */
static bool go(struct play *p, int t, int i)
{
    const struct event *e = &p->program->of[t][i];
    p->done[t] |= 1U << i;
    if (e->kind == 'r') {
        p->result[t][i] = p->memory[e->place];
        if (e->how & EXCHANGE)
            p->seen[t] = p->stores[e->place];
        return true;
    }
    if (i > 0 && e[-1].how & EXCHANGE && p->stores[e->place] != p->seen[t])
        return false;
    p->memory[e->place] = e->value;
    p->stores[e->place]++;
    return true;
}

static void explore(struct play *p)
{
    bool over = true;
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < MOST && p->program->of[t][i].kind; i++) {
            if (p->done[t] >> i & 1)
                continue;
            over = false;
            struct play next = *p;
            if (!may_go(p, t, i) || !go(&next, t, i))
                continue;
            explore(&next);
            p->found |= next.found;
            p->ends = next.ends;
        }
    if (over) {
        p->ends++;
        p->found |= p->program->fault(p->result);
    }
}

/* Is there an execution that ends with the fault? */
static bool can_fail(const struct program *program, int *ends)
{
    struct play p = {.program = program};
    explore(&p);
    *ends = p.ends;
    return p.found;
}

/* Thread 0 is the rank, 1 the worker. Places. */
enum { DATA = 0, FLAG = 1, ASLEEP = 2 };

/* The worker sees the command's sequence, and not what the command says. */
static bool stale_command(int r[THREADS][MOST])
{
    return r[1][0] == 1 && r[1][1] == 0;
}

/* The rank sees the operation done, and not its data. */
static bool stale_data(int r[THREADS][MOST])
{
    return r[0][0] == 1 && r[0][1] == 0;
}

/* The rank sleeps on what the worker has completed, and the worker, whose exchange saw it awake, does not wake it. */
static bool rank_left_asleep(int r[THREADS][MOST])
{
    return r[0][2] == 0 && r[0][3] == 1 && r[1][1] == 0;
}

/* The worker sleeps on a command, or parks though the rank wants it, and the rank, which saw it awake, does not wake
 * it. */
static bool worker_left_asleep(int r[THREADS][MOST])
{
    return r[1][1] == 0 && r[1][2] == 1 && r[0][1] == 0;
}

static const struct program programs[] = {
    {"a command: ovl_conn_post, ovl_worker_cmd",
     {{{'w', DATA, 1, 0}, {'w', FLAG, 1, RELEASE | SC}}, {{'r', FLAG, 0, ACQUIRE}, {'r', DATA, 0, 0}}},
     stale_command,
     {{0, 1}, {1, 0}}},
    {"a completion: ovl_cmdq_complete, ovl_conn_test",
     {{{'r', FLAG, 0, ACQUIRE}, {'r', DATA, 0, 0}}, {{'w', DATA, 1, 0}, {'w', FLAG, 1, RELEASE}}},
     stale_data,
     {{1, 0}, {0, 1}}},
    /* The look at `done` is acquiring only, and may be done before the exchange's store: what counts is its load. */
    {"a rank sleeps: sleep_for_worker, ovl_cmdq_complete",
     {{{'r', ASLEEP, 0, ACQUIRE | SC | EXCHANGE},
       {'w', ASLEEP, 1, RELEASE | SC},
       {'r', FLAG, 0, ACQUIRE},
       {'r', ASLEEP, 0, FUTEX}},
      {{'w', FLAG, 1, RELEASE}, {'r', ASLEEP, 0, ACQUIRE | SC | EXCHANGE}, {'w', ASLEEP, 0, RELEASE | SC}}},
     rank_left_asleep,
     {{1, 0, 0, 0}, {0, 0, 1}}},
    {"a worker sleeps: nap and listen_to_all, ovl_conn_post and ovl_worker_wakeup; parks: park, unpark",
     {{{'w', FLAG, 1, RELEASE | SC}, {'r', ASLEEP, 0, ACQUIRE | SC}},
      {{'w', ASLEEP, 1, RELEASE | SC}, {'r', FLAG, 0, ACQUIRE | SC}, {'r', ASLEEP, 0, FUTEX}}},
     worker_left_asleep,
     {{1, 1}, {1, 1, 0}}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

LOOP_TEST(nothing_is_lost_on_weakly_ordered_memory, 0, PROGRAMS)
{
    int ends;
    bool fails = can_fail(&programs[_i], &ends);
    ck_assert_int_gt(ends, 1);
    ck_assert_msg(!fails, "%s", programs[_i].name);
}

LOOP_TEST(each_order_that_matters_is_needed, 0, PROGRAMS)
{
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < MOST; i++) {
            struct program weaker = programs[_i];
            int ends;
            weaker.of[t][i].how &= EXCHANGE | FUTEX;
            bool fails = can_fail(&weaker, &ends);
            ck_assert_msg(fails == programs[_i].matters[t][i], "%s, thread %d, event %d: %d", programs[_i].name, t, i,
                          fails);
        }
}
