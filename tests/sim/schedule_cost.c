/* What the schedules of a large team cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/schedule_cost.h"
#include "base/clock.h"

#include <stdbool.h>
#include <stdlib.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The most steps that may be under way: those whose first round has begun, less those of the rounds that have ended. */
static size_t live(const struct ovl_schedule *s)
{
    size_t begun = 0, ended = 0, most = 0;
    for (int round = 0; round < s->rounds; round++) {
        while (begun < s->steps && s->step[begun].first_round <= round)
            begun++;
        most = larger(most, begun - ended);
        ended += s->in_round[round];
    }
    return most;
}

static void add_rank(struct schedule_cost *cost, const struct ovl_coll_shape *shape)
{
    double begun = ovl_clock_thread_cpu();
    struct ovl_schedule *s = ovl_schedule_make(shape);
    double seconds = ovl_clock_thread_cpu() - begun;
    if (!s)
        abort();
    cost->steps = larger(cost->steps, s->steps);
    cost->rounds = larger(cost->rounds, (size_t)s->rounds);
    cost->bytes = larger(cost->bytes,
                         sizeof *s + (s->steps + 1) * sizeof *s->step + ((size_t)s->rounds + 1) * sizeof *s->in_round);
    cost->temporary = larger(cost->temporary, s->temporary);
    cost->live = larger(cost->live, live(s));
    cost->seconds = seconds > cost->seconds ? seconds : cost->seconds;
    ovl_schedule_free(s);
}

struct schedule_cost schedule_cost(const struct ovl_algorithm *algorithm, int ranks, int each, size_t bytes)
{
    const int some[] = {0, 1, each, ranks / 2, ranks - 1};
    struct schedule_cost cost = {.steps = 0};
    struct ovl_placement placement;
    int *lists = calloc(3 * (size_t)ranks, sizeof *lists), *counts = lists, *displs = lists + ranks,
        *node = lists + 2 * ranks;
    bool listed = ovl_operations[algorithm->operation].lists;
    for (int r = 0; r < ranks; r++) {
        node[r] = r / each;
        counts[r] = listed ? (int)bytes : 0;
        displs[r] = counts[r] * r;
    }
    if (ovl_placement_make(&placement, node, ranks) != 0)
        abort();
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        int rank = some[i];
        struct ovl_coll_shape shape = {.operation = algorithm->operation,
                                       .algorithm = algorithm,
                                       .rank = rank,
                                       .ranks = ranks,
                                       .to = (rank + 1) % ranks,
                                       .from = (rank - 1 + ranks) % ranks,
                                       .bytes = bytes,
                                       .recv_bytes = bytes,
                                       .element = 1,
                                       .send_counts = listed ? counts : NULL,
                                       .send_displs = listed ? displs : NULL,
                                       .recv_counts = listed ? counts : NULL,
                                       .recv_displs = listed ? displs : NULL,
                                       .placement = &placement,
                                       .tuning = &ovl_tuning_default};
        add_rank(&cost, &shape);
    }
    ovl_placement_free(&placement);
    free(lists);
    return cost;
}
