/* A tier of memory (as Mooncake, Qin et al., FAST 2025, and LMCache have it): the first ranks serve, each of them whole
   requests; the last ones compute nothing and keep blocks of keys and values (KV), each for its own servers. What a
   prompt begins with comes back where the server's tier has it, and is computed only behind that; what was computed of
   whole blocks goes to the tier, where the least recently used ones give way. What comes back is asked for by the
   iteration that takes the request up, and waited for by the next one.

   A server and its tier post their messages in one order, which follows from the trace, and each waits for those alone
   that it has posted: so they cannot wait for each other. A tier goes through its servers' messages by their
   iterations, and sends a block from where that arrived. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/course.h"
#include "apps/serve/strategy/work.h"

#include <math.h>
#include <stdlib.h>

static struct ovl_event message(const struct ovl_serve_ask *ask, int server, const struct ovl_moved *m, bool sends)
{
    bool back = m->back;
    int tier = ovl_serve_tier_of(ask, server), from = back ? tier : server, to = back ? server : tier;
    return (struct ovl_event){.operation = OVL_ISENDRECV,
                              .of = OVL_OF_ACTIVATIONS,
                              .bytes = m->tokens ? m->tokens * ovl_serve_sent_bytes(ask, ovl_serve_kept_bytes(ask))
                                                 : ovl_serve_block_bytes(ask),
                              .team = {OVL_AXIS_OF_ALL, from, 2, to - from},
                              .to = sends ? 1 : -1,
                              .from = sends ? -1 : 0};
}

static struct ovl_serve_note note_of(const struct ovl_serve_events *e, const struct ovl_moved *m)
{
    return (struct ovl_serve_note){.iteration = e->iterations,
                                   .request = m->request,
                                   .part = m->block,
                                   .back = m->back,
                                   .tokens = m->tokens,
                                   .slot = m->slot};
}

/* Those of the present iteration that come back, or go, with requests or with blocks; *first: the id of the first one
   of each request that comes back. */
static void post_moves(struct ovl_course *c, struct ovl_serve_events *e, int server, bool back, bool requests,
                       int *first)
{
    for (size_t i = 0; i < c->moves_count; i++) {
        const struct ovl_moved *m = &c->moves[i];
        if (m->back != back || (!back && (m->tokens > 0) != requests))
            continue;
        if (back && (i == 0 || c->moves[i - 1].job != m->job))
            first[m->job] = e->events.ids;
        ovl_serve_post(e, message(c->ask, server, m, !back), note_of(e, m), e->events.ids);
    }
}

static int count_going(const struct ovl_course *c, bool requests)
{
    int n = 0;
    for (size_t i = 0; i < c->moves_count; i++)
        n += !c->moves[i].back && (c->moves[i].tokens > 0) == requests;
    return n;
}

/* Requests that are pushed out are on their way before others are worked at. */
static void push_out(struct ovl_course *c, struct ovl_serve_events *e, int server, int *first)
{
    const struct ovl_serve_note note = {.iteration = e->iterations, .opens = true, .request = -1};
    int goes = count_going(c, true);
    if (goes == 0)
        return;
    ovl_serve_compute(e, (struct ovl_event){.makes = ovl_events_next(&e->events), .makes_count = goes}, note);
    post_moves(c, e, server, false, true, first);
}

/* What an iteration computes: the weights are read once. */
static void compute(struct ovl_course *c, struct ovl_serve_events *e, const int *first)
{
    const struct ovl_served *m = c->ask->model;
    struct ovl_serve_note note = {.iteration = e->iterations, .opens = count_going(c, true) == 0, .request = -1};
    double looks = 0, tokens = 0, writes = 0;
    int goes = count_going(c, false);
    for (size_t i = 0; i < c->it.count; i++) {
        const struct ovl_batcher_work *w = &c->it.work[i];
        double own = m->blocks * ovl_serve_looks_macs(c->ask, 1, w);
        int found = w->begins || w->returns ? c->found[w->request] : 0;
        tokens += w->reads > 0 ? w->reads : 1;
        writes += w->writes;
        looks += found ? 0 : own;
        for (int k = 0; k < found; k++)
            ovl_serve_wait(e, first[w->request] + k, note);
        if (found)
            ovl_serve_compute(e, (struct ovl_event){.macs = own, .takes = first[w->request], .takes_count = found},
                              note);
        note.opens = note.opens && !found;
    }
    double weights = ovl_serve_blocks_macs(c->ask, 0, m->blocks, tokens);
    note.closes = true;
    ovl_serve_compute(e,
                      (struct ovl_event){.macs = weights + looks + ovl_serve_head_macs(c->ask, writes),
                                         .makes = goes ? ovl_events_next(&e->events) : 0,
                                         .makes_count = goes},
                      note);
    e->tokens += (int64_t)tokens;
}

static void live(const struct ovl_course *c, struct ovl_serve_events *e, const int *first)
{
    for (size_t i = 0; i < c->it.count; i++) {
        const struct ovl_batcher_work *w = &c->it.work[i];
        struct ovl_serve_life *life = &e->lives[c->which[w->request]];
        if (w->begins && life->begins < 0)
            life->begins = e->iterations;
        if (w->begins && c->found[w->request]) {
            life->fetches = c->found[w->request];
            life->fetch = first[w->request];
            life->waits = e->iterations;
        }
        if (w->writes && life->first < 0)
            life->first = e->iterations;
        else if (w->writes)
            life->last = e->iterations;
    }
}

static void count(const struct ovl_course *c, struct ovl_serve_events *e)
{
    e->tiered.blocks = (double)c->kept.asked;
    e->tiered.found = (double)c->kept.found;
    e->tiered.kept = (double)c->kept.kept;
    e->tiered.gave_way = (double)c->kept.gave_way;
}

static int build_server(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    struct ovl_course c;
    size_t arrived = 0;
    int rc = ovl_course_open(&c, ask, rank, err), *first = ovl_alloc(c.count + 1, sizeof *first);
    while (rc == 0 && ovl_course_go_on(&c)) {
        for (; arrived < c.count && c.list[arrived].from <= c.it.number; arrived++)
            e->lives[c.which[arrived]].arrival = e->iterations;
        for (size_t k = c.it.first; k < c.it.first + c.it.taken; k++)
            e->lives[c.which[k]].begins = c.found[k] ? e->iterations : -1; /* it has asked for its blocks */
        post_moves(&c, e, rank, true, false, first);
        if (c.it.count == 0)
            continue;
        ovl_serve_keep_works(ask, e, &c.it, c.which);
        push_out(&c, e, rank, first);
        compute(&c, e, first);
        live(&c, e, first);
        post_moves(&c, e, rank, false, false, first);
        e->iterations++;
    }
    const struct ovl_serve_note note = {.iteration = e->iterations > 0 ? e->iterations - 1 : 0, .request = -1};
    for (int id = 0; id < e->events.ids; id++)
        ovl_serve_wait(e, id, note);
    e->kv_most = rc == 0 ? c.batcher.kv.most : 0;
    e->pushed = c.batcher.told;
    count(&c, e);
    free(first);
    ovl_course_close(&c);
    return rc;
}

/* Where a tier has its blocks, of all its servers; and what was posted last in each place, so that a block is sent when
   it has come, and gives way when it has been sent. */
struct shelf {
    struct server {
        int rank, *place_of; /* [room]: of its own places, for blocks and for requests in turns; -1: none yet */
        size_t room;
        struct ovl_course course;
    } * servers;
    int servers_count;
    int *came, *last;   /* [places]: ids */
    int *before;        /* [ids]: what was posted in the same place before; -1: nothing */
    int places, blocks; /* blocks: of them, those that have none of a request that was pushed out */
};

static int shelf_place(struct shelf *s, struct server *of, const struct ovl_moved *m)
{
    int place = 2 * m->place + (m->tokens > 0);
    for (; (size_t)place >= of->room; of->room++) {
        of->place_of = ovl_grow_one(of->place_of, of->room, sizeof *of->place_of);
        of->place_of[of->room] = -1;
    }
    if (of->place_of[place] < 0) {
        s->came = ovl_grow_one(s->came, (size_t)s->places, sizeof *s->came);
        s->last = ovl_grow_one(s->last, (size_t)s->places, sizeof *s->last);
        s->came[s->places] = s->last[s->places] = -1;
        s->blocks += m->tokens == 0;
        of->place_of[place] = s->places++;
    }
    return of->place_of[place];
}

static void shelve(struct shelf *s, struct server *of, const struct ovl_moved *m, const struct ovl_serve_ask *ask,
                   struct ovl_serve_events *e)
{
    const struct ovl_serve_note note = note_of(e, m);
    int place = shelf_place(s, of, m);
    if (m->back)
        ovl_serve_wait(e, s->came[place], note);
    for (int id = m->back ? -1 : s->last[place]; id >= 0; id = s->before[id])
        ovl_serve_wait(e, id, note);
    int id = ovl_serve_post(e, message(ask, of->rank, m, m->back), note, place);
    s->before = ovl_grow_one(s->before, (size_t)id, sizeof *s->before);
    s->before[id] = m->back ? s->last[place] : -1;
    s->last[place] = id;
    if (!m->back)
        s->came[place] = id;
}

/* The server whose next iteration comes first; NULL: all have ended. */
static struct server *first_of(const struct shelf *s)
{
    struct server *first = NULL;
    for (int i = 0; i < s->servers_count; i++) {
        struct server *one = &s->servers[i];
        if (!one->course.ended && (!first || one->course.it.number < first->course.it.number))
            first = one;
    }
    return first;
}

static int build_tier(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    struct shelf s = {.places = 0};
    const struct ovl_serve_note note = {.request = -1};
    int rc = 0;
    e->totals.one_way = true;
    s.servers = ovl_alloc((size_t)ovl_serve_servers(ask), sizeof *s.servers);
    for (int server = 0; server < ovl_serve_servers(ask) && rc == 0; server++)
        if (ovl_serve_tier_of(ask, server) == rank) {
            struct server *one = &s.servers[s.servers_count++];
            one->rank = server;
            rc = ovl_course_open(&one->course, ask, server, err);
            if (rc == 0)
                ovl_course_go_on(&one->course);
        }
    for (struct server *one; rc == 0 && (one = first_of(&s)) != NULL; ovl_course_go_on(&one->course))
        for (size_t i = 0; i < one->course.moves_count; i++)
            shelve(&s, one, &one->course.moves[i], ask, e);
    for (int id = 0; id < e->events.ids; id++)
        ovl_serve_wait(e, id, note);
    e->tiered.most = s.blocks;
    for (int i = 0; i < s.servers_count; i++) {
        ovl_course_close(&s.servers[i].course);
        free(s.servers[i].place_of);
    }
    free(s.servers);
    free(s.came);
    free(s.last);
    free(s.before);
    return rc;
}

/* Of the servers, some may have a request that does not fit: all ranks must know. */
static int check_memory(const struct ovl_serve_ask *ask, struct ovl_error *err)
{
    struct ovl_job_request longest = {.from = 0};
    const struct ovl_batcher_rules rules = {.slots = 1, .tokens = ovl_serve_tokens(ask, ovl_serve_kept_bytes(ask))};
    struct ovl_batcher b;
    for (size_t r = 0; r < ask->trace->count; r++) {
        const struct ovl_job_request one = {.prompt = ask->trace->list[r].prompt, .output = ask->trace->list[r].output};
        longest = ovl_job_request_tokens(&one) > ovl_job_request_tokens(&longest) ? one : longest;
    }
    if (ovl_batcher_open(&b, &rules, &longest, ask->trace->count > 0, ovl_serve_kept_bytes(ask), err) != 0)
        return -1;
    ovl_batcher_close(&b);
    return 0;
}

static int check(const struct ovl_serve_ask *ask, struct ovl_error *err)
{
    int tiers = ovl_serve_tier_ranks(ask), servers = ask->ranks - tiers;
    if (ask->ranks < 2)
        return ovl_error_set(err, OVL_USAGE,
                             "--strategy tier: one rank serves, another one keeps; give 2 ranks or more, or --strategy "
                             "tp");
    if (tiers > servers)
        return ovl_error_set(err, OVL_USAGE,
                             "--tier-ranks %d: of %d ranks as many must be left to serve; give %d or less", tiers,
                             ask->ranks, ask->ranks / 2);
    if (ovl_serve_tier_room(ask) < 1)
        return ovl_error_set(err, OVL_USAGE,
                             "--tier-memory: a block of %d tokens, for each of %d rank(s) that it serves, needs %.0f "
                             "bytes; give as much or more, or a smaller --kv-block",
                             ask->block, (servers + tiers - 1) / tiers,
                             ceil((servers + tiers - 1) / tiers * ovl_serve_block_bytes(ask)));
    return ovl_serve_countable(ask, 1, err) != 0 ? -1 : check_memory(ask, err);
}

static int build(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err)
{
    if (check(ask, err) != 0)
        return -1;
    int rc = rank < ovl_serve_servers(ask) ? build_server(ask, rank, e, err) : build_tier(ask, rank, e, err);
    if (rc == 0)
        ovl_serve_end(e);
    return rc;
}

static double weights(const struct ovl_serve_ask *ask)
{
    return 2 * ask->model->parameters;
}

/* What comes back to servers of other nodes' tiers, and what goes to tiers from other nodes' servers. */
static double comes_in(const struct ovl_serve_ask *ask, int first, int end)
{
    double blocks = 0, tokens = 0;
    for (int server = 0; server < ovl_serve_servers(ask); server++) {
        int tier = ovl_serve_tier_of(ask, server);
        bool serves = server >= first && server < end, keeps = tier >= first && tier < end;
        struct ovl_course c;
        struct ovl_error impossible;
        if (serves == keeps)
            continue;
        if (ovl_course_open(&c, ask, server, &impossible) == 0)
            while (ovl_course_go_on(&c)) {
            }
        blocks += (double)(serves ? c.kept.found : c.kept.kept);
        tokens += (double)c.batcher.told.moved; /* on either way */
        ovl_course_close(&c);
    }
    return blocks * ovl_serve_block_bytes(ask) + tokens * ovl_serve_sent_bytes(ask, ovl_serve_kept_bytes(ask));
}

static int telling(const struct ovl_serve_ask *ask)
{
    (void)ask;
    return 0;
}

static bool serves(const struct ovl_serve_ask *ask, int rank)
{
    return rank < ovl_serve_servers(ask);
}

const struct ovl_serve_strategy ovl_serve_tier = {
    .name = "tier",
    .about = "some ranks serve, others keep blocks of keys and values: those of prompts that begin alike come back",
    .build = build,
    .pairs = true,
    .serves = serves,
    .weights = weights,
    .token_bytes = ovl_serve_kept_bytes,
    .comes_in = comes_in,
    .telling = telling,
};
