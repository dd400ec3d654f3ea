/* Playing all ranks, event after event. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/operation.h"
#include "simulate/state.h"

#include <math.h>
#include <stdlib.h>

static void open_play(struct ovl_sim_play *p)
{
    const struct ovl_sim_machine *m = p->machine;
    int nodes = 1 + (p->ranks - 1) / m->per_node;
    p->count = p->folded ? m->per_node : p->ranks;
    p->nodes = p->folded ? 1 : nodes;
    bool by_workers = m->mover == OVL_SIM_BY_WORKERS;
    int actors = by_workers ? p->nodes * m->workers : p->count;
    p->actor = ovl_alloc((size_t)actors, sizeof *p->actor);
    for (int i = 0; i < actors; i++) {
        int rank = by_workers ? i / m->workers * m->per_node + i % m->workers : i;
        bool stands = m->shared && m->mover != OVL_SIM_BY_CALLS && rank < p->count &&
                      (!by_workers || i % m->workers < m->per_node);
        p->actor[i] =
            (struct ovl_sim_actor){.worked = -INFINITY, .until = -INFINITY, .first = -1, .core = stands ? rank : -1};
    }
    p->out = ovl_alloc(2 * (size_t)p->nodes, sizeof *p->out);
    p->in = p->out + p->nodes;
    for (int i = 0; i < 2 * p->nodes; i++)
        p->out[i] = -INFINITY;
    p->player = ovl_alloc((size_t)p->count, sizeof *p->player);
    for (int r = 0; r < p->count; r++) {
        p->player[r].slot =
            ovl_alloc((size_t)(p->program->plan->slots > 0 ? p->program->plan->slots : 1), sizeof *p->player[r].slot);
        for (int lane = 0; lane < OVL_LANES; lane++)
            ovl_sim_load(p, r, (enum ovl_app_lane)lane);
    }
}

static void close_play(struct ovl_sim_play *p)
{
    for (int r = 0; r < p->count && p->player; r++) {
        for (int lane = 0; lane < OVL_LANES; lane++)
            free(p->player[r].lane[lane].steps);
        free(p->player[r].slot);
        free(p->player[r].teams);
    }
    for (int i = 0; i < p->teams; i++)
        while (p->team[i])
            ovl_sim_op_free(p, p->team[i]);
    ovl_sim_events_free(&p->events);
    free(p->guess);
    free(p->team);
    free(p->player);
    free(p->actor);
    free(p->out);
    free(p->waiting);
}

static int results(struct ovl_sim_play *p, struct ovl_sim_result *result, struct ovl_error *err)
{
    const struct ovl_sim_machine *m = p->machine;
    size_t each = sizeof *p->player + sizeof *p->actor;
    *result = (struct ovl_sim_result){
        .messages = p->messages,
        .folded = p->folded,
        .memory = p->memory_most + p->events.room * sizeof *p->events.event + p->waits_room * sizeof *p->waiting +
                  (size_t)p->count * each + 2 * (size_t)p->nodes * sizeof *p->out,
    };
    for (int r = 0; r < p->count; r++) {
        result->seconds = fmax(result->seconds, *ovl_sim_clock(p, r));
        result->work = fmax(result->work, p->player[r].work);
        if (p->player[r].state != OVL_SIM_DONE)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "the simulation of %d ranks, %d a node, does not come to an end at rank %d: please "
                                 "report it",
                                 p->ranks, m->per_node, r);
    }
    return 0;
}

int ovl_sim_play(const struct ovl_sim_program *program, const struct ovl_sim_machine *machine,
                 struct ovl_sim_result *result, struct ovl_error *err)
{
    struct ovl_sim_play p = {.program = program, .machine = machine, .ranks = program->plan->ranks, .unused = -1};
    if (ovl_sim_choose_fold(&p, err) != 0) {
        free(p.guess);
        return -1;
    }
    open_play(&p);
    int rc = 0;
    for (int r = 0; r < p.count && rc == 0; r++)
        rc = ovl_sim_advance(&p, r, err);
    while (p.events.count > 0 && rc == 0) {
        struct ovl_sim_event event = ovl_sim_events_take(&p.events);
        if (event.op)
            ovl_sim_happen(&p, &event);
        else
            rc = ovl_sim_go_on(&p, event.rank, event.time, err);
    }
    if (rc == 0)
        rc = results(&p, result, err);
    close_play(&p);
    return rc;
}
