/* Tensor parallelism: all ranks share each block of each request. A block has two halves, each of which ends with a sum
   of the tokens' activations over all ranks (Shoeybi et al., Megatron-LM, 2019). With `two`, the requests of an
   iteration go in two halves, and one computes while the other one's sum is under way. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/work.h"
#include "cli/link.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 2 };

/* A part of the requests of an iteration. */
struct part {
    double tokens; /* that go through the model; */
    double looks;  /* multiply-adds of their queries in a block, at a rank */
    double writes;
    int id; /* of its last sum, or -1 */
};

static struct ovl_job_request *jobs(const struct ovl_request_trace *t)
{
    struct ovl_job_request *list = ovl_alloc(t->count + 1, sizeof *list);
    for (size_t r = 0; r < t->count; r++)
        list[r] = (struct ovl_job_request){.from = t->list[r].arrival,
                                           .ready = t->list[r].arrival,
                                           .prompt = t->list[r].prompt,
                                           .output = t->list[r].output};
    return list;
}

static void add(struct part *p, const struct ovl_serve_ask *ask, const struct ovl_batcher_work *w)
{
    p->tokens += w->reads > 0 ? w->reads : 1;
    p->looks += ovl_serve_looks_macs(ask, ask->ranks, w);
    p->writes += w->writes;
}

static double half_macs(const struct ovl_serve_ask *ask, const struct part *p, int half)
{
    return half % 2
               ? ovl_serve_behind_macs(ask, half / 2, p->tokens) / ask->ranks
               : ovl_serve_weights_macs(ask, ovl_served_attention_macs(ask->model), p->tokens) / ask->ranks + p->looks;
}

static void iterate(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, struct part *parts)
{
    const struct ovl_train_team all = {OVL_AXIS_OF_ALL, 0, ask->ranks, 1};
    struct ovl_serve_note note = {.iteration = e->iterations, .opens = true, .request = -1};
    double writes = 0;
    for (int half = 0; half < 2 * ask->model->blocks; half++)
        for (int k = 0; k < PARTS; k++) {
            struct part *p = &parts[k];
            if (p->tokens == 0)
                continue;
            if (p->id >= 0)
                ovl_serve_wait(e, p->id, note);
            ovl_serve_compute(e,
                              (struct ovl_event){.macs = half_macs(ask, p, half),
                                                 .makes = ovl_events_next(&e->events),
                                                 .makes_count = 1,
                                                 .takes = p->id < 0 ? 0 : p->id,
                                                 .takes_count = p->id >= 0},
                              note);
            note.opens = false;
            p->id = ovl_serve_post(e,
                                   (struct ovl_event){.operation = OVL_IALLREDUCE,
                                                      .of = OVL_OF_ACTIVATIONS,
                                                      .bytes = p->tokens * ask->model->hidden * ask->act_bytes,
                                                      .team = all},
                                   note, k);
            note.part++;
        }
    for (int k = 0; k < PARTS; k++) {
        if (parts[k].id >= 0)
            ovl_serve_wait(e, parts[k].id, note);
        writes += parts[k].writes;
    }
    note.closes = true;
    int last = parts[0].id >= 0 ? parts[0].id : 0;
    ovl_serve_compute(e,
                      (struct ovl_event){.macs = ovl_serve_head_macs(ask, writes) / ask->ranks,
                                         .takes = last,
                                         .takes_count = 1 + (parts[1].id >= 0)},
                      note);
}

/* Requests that arrived before the end of this iteration, since the one before. */
static void note_arrivals(const struct ovl_request_trace *t, struct ovl_serve_events *e, int64_t number,
                          size_t *arrived)
{
    for (; *arrived < t->count && t->list[*arrived].arrival <= number; (*arrived)++)
        e->lives[*arrived].arrival = e->iterations;
}

static double token_bytes(const struct ovl_serve_ask *ask)
{
    return ask->kv_bytes * ovl_served_kept_shared(ask->model, ask->ranks);
}

static int build(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    const struct ovl_batcher_rules rules = {.continuous = ask->continuous,
                                            .slots = ask->slots,
                                            .tokens = ovl_serve_tokens(ask, token_bytes(ask)),
                                            .chunk = ask->chunk,
                                            .preempt = ask->preempt};
    struct ovl_batcher b;
    struct ovl_iteration it;
    size_t arrived = 0;
    if (ovl_served_check_ranks(ask->model, ask->ranks, err) != 0 ||
        ovl_serve_countable(ask, 2 * ask->model->blocks, err) != 0)
        return -1;
    struct ovl_job_request *list = jobs(ask->trace);
    if (ovl_batcher_open(&b, &rules, list, ask->trace->count, token_bytes(ask), err) != 0) {
        free(list);
        return -1;
    }
    while (ovl_batcher_next(&b, &it)) {
        struct part parts[PARTS] = {{.id = -1}, {.id = -1}};
        note_arrivals(ask->trace, e, it.number, &arrived);
        for (size_t i = 0; i < it.count; i++) {
            add(&parts[ask->two && i % 2], ask, &it.work[i]);
            ovl_serve_live(e, &it.work[i], it.work[i].request);
        }
        e->tokens += (int64_t)(parts[0].tokens + parts[1].tokens);
        ovl_serve_keep_works(ask, e, &it, NULL);
        iterate(ask, e, parts);
        e->iterations++;
    }
    ovl_serve_end(e);
    e->kv_most = b.kv.most;
    e->pushed = rank == 0 ? b.told : e->pushed;
    ovl_batcher_close(&b);
    free(list);
    return 0;
}

static double weights(const struct ovl_serve_ask *ask)
{
    return 2 * ask->model->parameters / ask->ranks;
}

/* Tokens that go through the model: those that are read again where memory is short, too. */
static double all_tokens(const struct ovl_serve_ask *ask)
{
    struct ovl_serve_events e;
    struct ovl_error impossible;
    double tokens = 0;
    ovl_serve_events_open(&e, ask->trace->count, true);
    if (ask->preempt && build(ask, 0, &e, &impossible) == 0)
        tokens = (double)e.pushed.again;
    ovl_serve_events_close(&e);
    for (size_t r = 0; r < ask->trace->count; r++)
        tokens += ask->trace->list[r].prompt + fmax(0, ask->trace->list[r].output - 1);
    return tokens;
}

/* All nodes alike: two sums a block of each token. */
static double comes_in(const struct ovl_serve_ask *ask, int first, int end)
{
    double tokens = all_tokens(ask);
    (void)first, (void)end;
    double bytes = 2 * ask->model->blocks * tokens * ask->model->hidden * ask->act_bytes;
    return ask->nodes > 1 ? ovl_link_bytes_allreduce(bytes, ask->ranks, ask->nodes) : 0;
}

static int telling(const struct ovl_serve_ask *ask)
{
    (void)ask;
    return 0;
}

const struct ovl_serve_strategy ovl_serve_tp = {
    .name = "tp",
    .about = "every block split over all ranks: two allreduces of the tokens' activations a block",
    .build = build,
    .alike = true,
    .weights = weights,
    .token_bytes = token_bytes,
    .comes_in = comes_in,
    .telling = telling,
};
