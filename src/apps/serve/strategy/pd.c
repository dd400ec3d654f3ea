/* Prefill and decode apart (Zhong et al., DistServe, 2024; Patel et al., Splitwise, 2024): the first ranks read
   prompts, each one request after the other, the others write, each those in its slots. The keys and values (KV) of a
   prompt follow from the one to the other in parts, each as soon as its blocks have been computed; they are received
   from when there is a slot, and waited for by the iteration that begins to write. Both sides take requests in the
   order of the trace, so that no two can wait for each other. An iteration of a reader is `chunk` tokens of a prompt,
   or all of it; one of a writer is a token for each of its requests; all count alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/work.h"

#include <stdlib.h>

/* When a request is read: iterations of the trace's time. */
struct reading {
    int64_t from, to; /* to the one before `to` */
};

int ovl_serve_prefill_ranks(const struct ovl_serve_ask *ask)
{
    return ask->prefill > 0 ? ask->prefill : ask->ranks / 2;
}

int ovl_serve_reader(const struct ovl_serve_ask *ask, size_t request)
{
    return (int)(request % (size_t)ovl_serve_prefill_ranks(ask));
}

int ovl_serve_writer(const struct ovl_serve_ask *ask, size_t request)
{
    int readers = ovl_serve_prefill_ranks(ask);
    return readers + (int)(request % (size_t)(ask->ranks - readers));
}

/* The first token comes of reading; KV go where there are more. */
static bool goes_on(const struct ovl_served_request *r)
{
    return r->output > 1;
}

int ovl_serve_parts(const struct ovl_serve_ask *ask)
{
    return ask->messages < ask->model->blocks ? ask->messages : ask->model->blocks;
}

int ovl_serve_first_block(const struct ovl_serve_ask *ask, int part)
{
    return (int)((int64_t)ask->model->blocks * part / ovl_serve_parts(ask));
}

static struct ovl_event message(const struct ovl_serve_ask *ask, size_t request, int part, bool sends)
{
    int reader = ovl_serve_reader(ask, request), writer = ovl_serve_writer(ask, request);
    double blocks = ovl_serve_first_block(ask, part + 1) - ovl_serve_first_block(ask, part);
    return (struct ovl_event){.operation = OVL_ISENDRECV,
                              .of = OVL_OF_ACTIVATIONS,
                              .bytes = ovl_serve_sent_bytes(ask, ask->kv_bytes * ovl_served_kept(ask->model)) *
                                       ask->trace->list[request].prompt * blocks / ask->model->blocks,
                              .team = {OVL_AXIS_OF_ALL, reader, 2, writer - reader},
                              .to = sends ? 1 : -1,
                              .from = sends ? -1 : 0};
}

/* When all requests are read: each reader begins one when it has arrived and the one before has been read. */
static struct reading *readings(const struct ovl_serve_ask *ask)
{
    struct reading *list = ovl_alloc(ask->trace->count + 1, sizeof *list);
    size_t readers = (size_t)ovl_serve_prefill_ranks(ask);
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_served_request *q = &ask->trace->list[r];
        int64_t free = r >= readers ? list[r - readers].to : 0;
        int64_t takes = ask->chunk ? (q->prompt + ask->chunk - 1) / ask->chunk : 1;
        list[r].from = q->arrival > free ? q->arrival : free;
        list[r].to = list[r].from + takes;
    }
    return list;
}

/* Where in a reader's work a request arrives: in the reading of an earlier one, or at its own beginning. */
static void note_arrival(const struct ovl_serve_ask *ask, const struct reading *list, size_t r, int iteration,
                         struct ovl_serve_life *life)
{
    size_t readers = (size_t)ovl_serve_prefill_ranks(ask);
    int64_t arrival = ask->trace->list[r].arrival;
    life->arrival = iteration;
    for (size_t q = r; q >= readers && list[q - readers].to > arrival; q -= readers) {
        const struct reading *before = &list[q - readers];
        life->arrival--;
        life->arrival_part = (double)(arrival - before->from) / (double)(before->to - before->from);
        if (before->from <= arrival)
            break;
    }
}

static void read_prompt(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, size_t request)
{
    const struct ovl_served_request *r = &ask->trace->list[request];
    const struct ovl_batcher_work all = {.reads = r->prompt};
    double looks = ovl_serve_looks_macs(ask, 1, &all);
    struct ovl_serve_note note = {.iteration = e->iterations, .opens = true, .request = (int)request};
    for (int part = 0; part < ovl_serve_parts(ask); part++) {
        int first = ovl_serve_first_block(ask, part), end = ovl_serve_first_block(ask, part + 1);
        bool last = part == ovl_serve_parts(ask) - 1, sends = goes_on(r);
        double head = last && r->output > 0 ? ovl_serve_head_macs(ask, 1) : 0;
        note.part = part;
        note.closes = last;
        ovl_serve_compute(
            e,
            (struct ovl_event){.macs = ovl_serve_blocks_macs(ask, first, end, r->prompt) + (end - first) * looks + head,
                               .makes = sends ? ovl_events_next(&e->events) : 0,
                               .makes_count = sends},
            note);
        note.opens = note.closes = false;
        if (sends)
            ovl_serve_post(e, message(ask, request, part, true), note, e->events.ids);
    }
    e->tokens += r->prompt;
}

static void build_reader(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e,
                         const struct reading *list)
{
    struct ovl_serve_note note = {.request = -1};
    for (size_t r = (size_t)rank; r < ask->trace->count; r += (size_t)ovl_serve_prefill_ranks(ask)) {
        struct ovl_serve_life *life = &e->lives[r];
        life->begins = e->iterations;
        life->first = ask->trace->list[r].output > 0 ? e->iterations : -1;
        note_arrival(ask, list, r, e->iterations, life);
        e->kv_most = ask->trace->list[r].prompt > e->kv_most ? ask->trace->list[r].prompt : e->kv_most;
        read_prompt(ask, e, r);
        e->iterations++;
    }
    note.iteration = e->iterations > 0 ? e->iterations - 1 : 0;
    for (int id = 0; id < e->events.ids; id++)
        ovl_serve_wait(e, id, note);
}

static double token_bytes(const struct ovl_serve_ask *ask)
{
    return ask->kv_bytes * ovl_served_kept(ask->model);
}

/* A writer's requests, as its batcher has them; which[] is their number in the trace. */
static size_t jobs(const struct ovl_serve_ask *ask, int rank, const struct reading *list, struct ovl_job_request *to,
                   size_t *which)
{
    size_t n = 0;
    int64_t from = 0;
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_served_request *q = &ask->trace->list[r];
        if (!goes_on(q) || ovl_serve_writer(ask, r) != rank)
            continue;
        from = list[r].from > from ? list[r].from : from;
        which[n] = r;
        to[n++] = (struct ovl_job_request){
            .from = from, .ready = list[r].to > from ? list[r].to : from, .known = q->prompt, .output = q->output - 1};
    }
    return n;
}

/* What an iteration of a writer computes: the weights are read once. */
static void write_tokens(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, const struct ovl_iteration *it,
                         const int *ids)
{
    const struct ovl_served *m = ask->model;
    struct ovl_serve_note note = {.iteration = e->iterations, .opens = true, .request = -1};
    double looks = 0, tokens = (double)it->count;
    for (size_t i = 0; i < it->count; i++) {
        const struct ovl_batcher_work *w = &it->work[i];
        double own = m->blocks * ovl_serve_looks_macs(ask, 1, w);
        for (int part = 0; w->begins && part < ovl_serve_parts(ask); part++)
            ovl_serve_wait(e, ids[w->request] + part, note);
        if (!w->begins) {
            looks += own;
            continue;
        }
        ovl_serve_compute(
            e, (struct ovl_event){.macs = own, .takes = ids[w->request], .takes_count = ovl_serve_parts(ask)}, note);
        note.opens = false;
    }
    note.closes = true;
    double weights = ovl_serve_blocks_macs(ask, 0, m->blocks, tokens) + ovl_serve_head_macs(ask, tokens);
    ovl_serve_compute(e, (struct ovl_event){.macs = weights + looks}, note);
    e->tokens += (int64_t)it->count;
}

static void iterate(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, const struct ovl_iteration *it,
                    const size_t *which, int *ids)
{
    struct ovl_serve_note note = {.iteration = e->iterations, .request = -1};
    for (size_t k = it->first; k < it->first + it->taken; k++) {
        ids[k] = e->events.ids;
        note.request = (int)which[k];
        for (note.part = 0; note.part < ovl_serve_parts(ask); note.part++)
            ovl_serve_post(e, message(ask, which[k], note.part, false), note, e->events.ids);
    }
    if (it->count == 0)
        return;
    ovl_serve_keep_works(ask, e, it, which);
    write_tokens(ask, e, it, ids);
    for (size_t i = 0; i < it->count; i++)
        if (it->work[i].ends)
            e->lives[which[it->work[i].request]].last = e->iterations;
    e->iterations++;
}

static int build_writer(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e,
                        const struct reading *readings, struct ovl_error *err)
{
    size_t most = ask->trace->count + 1;
    struct ovl_job_request *list = ovl_alloc(most, sizeof *list);
    size_t *which = ovl_alloc(most, sizeof *which), n = jobs(ask, rank, readings, list, which);
    int *ids = ovl_alloc(most, sizeof *ids);
    const struct ovl_batcher_rules rules = {.continuous = ask->continuous,
                                            .slots = ask->slots,
                                            .tokens = ovl_serve_tokens(ask, token_bytes(ask)),
                                            .arriving = OVL_TRAIN_SLOTS / ovl_serve_parts(ask)};
    struct ovl_batcher b;
    struct ovl_iteration it;
    int rc = ovl_batcher_open(&b, &rules, list, n, token_bytes(ask), err);
    while (rc == 0 && ovl_batcher_next(&b, &it))
        iterate(ask, e, &it, which, ids);
    e->kv_most = rc == 0 ? b.kv.most : 0;
    if (rc == 0)
        ovl_batcher_close(&b);
    free(list);
    free(which);
    free(ids);
    return rc;
}

/* Of the ranks that write, some may have a request that does not fit: all ranks must know. */
static int check(const struct ovl_serve_ask *ask, const struct reading *list, struct ovl_error *err)
{
    struct ovl_job_request *all = ovl_alloc(ask->trace->count + 1, sizeof *all);
    const struct ovl_batcher_rules rules = {.slots = 1, .tokens = ovl_serve_tokens(ask, token_bytes(ask))};
    struct ovl_batcher b;
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_served_request *q = &ask->trace->list[r];
        if (goes_on(q))
            all[r] = (struct ovl_job_request){
                .from = list[r].from, .ready = list[r].from, .known = q->prompt, .output = q->output - 1};
    }
    int rc = ovl_batcher_open(&b, &rules, all, ask->trace->count, token_bytes(ask), err);
    if (rc == 0)
        ovl_batcher_close(&b);
    free(all);
    return rc;
}

static int build(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    int readers = ovl_serve_prefill_ranks(ask);
    if (ask->ranks < 2)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy pd: one rank reads, another one writes; give 2 ranks or more, or --strategy "
                             "tp");
    if (readers >= ask->ranks)
        return ovl_error_set(err, OVL_USAGE, "--prefill %d: of %d ranks one must be left to write; give %d or less",
                             readers, ask->ranks, ask->ranks - 1);
    if (ovl_serve_countable(ask, 1, err) != 0)
        return -1;
    struct reading *list = readings(ask);
    int rc = check(ask, list, err);
    if (rc == 0 && rank < readers)
        build_reader(ask, rank, e, list);
    else if (rc == 0)
        rc = build_writer(ask, rank, e, list, err);
    if (rc == 0)
        ovl_serve_end(e);
    free(list);
    return rc;
}

static double weights(const struct ovl_serve_ask *ask)
{
    return 2 * ask->model->parameters;
}

static double comes_in(const struct ovl_serve_ask *ask, int first, int end)
{
    double bytes = 0;
    for (size_t r = 0; r < ask->trace->count; r++) {
        int reader = ovl_serve_reader(ask, r), writer = ovl_serve_writer(ask, r);
        bool comes = writer >= first && writer < end && (reader < first || reader >= end);
        if (comes && goes_on(&ask->trace->list[r]))
            bytes += ovl_serve_sent_bytes(ask, token_bytes(ask)) * ask->trace->list[r].prompt;
    }
    return bytes;
}

static bool serves(const struct ovl_serve_ask *ask, int rank)
{
    return rank >= ovl_serve_prefill_ranks(ask);
}

static int telling(const struct ovl_serve_ask *ask)
{
    int readers = ovl_serve_prefill_ranks(ask);
    return readers < ask->ranks ? readers : 0;
}

const struct ovl_serve_strategy ovl_serve_pd = {
    .name = "pd",
    .about = "some ranks read prompts, others write: keys and values go from the ones to the others",
    .build = build,
    .pairs = true,
    .serves = serves,
    .weights = weights,
    .token_bytes = token_bytes,
    .comes_in = comes_in,
    .telling = telling,
};
