/* Prints how long plans of training steps with about 10,000 events take to make, alone and with all that a run or
   --dump-plan needs of other ranks; the model is read before the clock starts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/plan_times.h"
#include "apps/train/strategy/steps.h"
#include "base/clock.h"
#include "stats/stats.h"

#include <stdio.h>

enum { TRIES = 25 };

static const struct plan {
    const char *model, *strategy;
    int ranks, rank, microbatches, interleave, tensor, stages;
} plans[] = {
    {"gpt2", "pp", 4, 1, 833, 1, 1, 0},        {"gpt2", "pp", 4, 1, 416, 2, 1, 0},
    {"edsr_x2", "pp", 16, 7, 833, 1, 1, 0},    {"gpt2", "3d", 16, 5, 260, 1, 2, 4},
    {"bert-large", "3d", 64, 5, 100, 1, 4, 4},
};

static int make(const struct plan *of, struct ovl_train_ask ask, bool whole, size_t *events, struct ovl_error *err)
{
    const struct ovl_strategy *s = ovl_strategy_find(of->strategy, &ask, err);
    if (whole) {
        struct ovl_train_plan p = {.ask = ask, .strategy = s, .scale_bytes = 1};
        int rc = ovl_train_plan_open(&p, of->rank, err);
        *events = p.own.events.count;
        ovl_train_plan_close(&p);
        return rc;
    }
    struct ovl_events e;
    ovl_events_open(&e);
    int rc = s->build(&ask, of->rank, &e, err);
    *events = e.count;
    ovl_events_close(&e);
    return rc;
}

static double milliseconds(const struct plan *of, struct ovl_train_ask ask, bool whole, size_t *events,
                           struct ovl_error *err)
{
    double ms[TRIES];
    for (int i = 0; i < TRIES; i++) {
        int64_t begin = ovl_clock_ns();
        if (make(of, ask, whole, events, err) != 0)
            return -1;
        ms[i] = 1e-6 * (double)(ovl_clock_ns() - begin);
    }
    return ovl_stats_median(ms, TRIES);
}

int print_plan_times(void)
{
    printf("%-11s %-8s %6s %10s %12s %12s\n", "model", "strategy", "ranks", "events", "events, ms", "plan, ms");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const struct plan *p = &plans[i];
        struct ovl_model model;
        struct ovl_error err;
        size_t events = 0;
        if (ovl_model_load(&model, p->model, &err) != 0) {
            fprintf(stderr, "plans: %s\n", err.text);
            return 5;
        }
        struct ovl_train_ask ask = ovl_train_ask_default();
        ask.model = &model;
        ask.ranks = p->ranks;
        ask.local = ask.interleave = 1;
        ask.batch = 1;
        ask.microbatches = p->microbatches;
        ask.interleave = p->interleave;
        ask.tensor = p->tensor;
        ask.stages = p->stages;
        double alone = milliseconds(p, ask, false, &events, &err), whole = milliseconds(p, ask, true, &events, &err);
        ovl_model_free(&model);
        if (alone < 0 || whole < 0) {
            fprintf(stderr, "plans: %s\n", err.text);
            return 3;
        }
        printf("%-11s %-8s %6d %10zu %12.2f %12.2f\n", p->model, p->strategy, p->ranks, events, alone, whole);
    }
    return 0;
}
