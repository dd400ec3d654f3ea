/* The bed's ranks and its order of steps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/bed_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(bool is)
{
    if (!is)
        abort();
}

static const struct ovl_mem_path *path_of(const struct bed_job *job)
{
    static const struct ovl_mem_path *const paths[] = {&bed_direct_path, &ovl_mem_path_cma, &bed_remote_path};
    return paths[job->path];
}

static void *pages(size_t bytes)
{
    size_t whole = (bytes + 4095) / 4096 * 4096;
    char *memory = aligned_alloc(4096, whole);
    return memset(memory, 0, whole);
}

static int rank_in(const struct bed_job *job, int team, int rank)
{
    for (int m = 0; m < job->members[team]; m++)
        if (job->member[team][m] == rank)
            return m;
    return -1;
}

/* All buffers of a rank are one region. */
static void make_buffers(struct bed *b, int r)
{
    const struct bed_job *job = b->job;
    struct bed_rank *k = &b->rank[r];
    size_t bytes[2][BED_OPS], all = 64;
    for (int o = 0; o < job->ops; o++) {
        int me = rank_in(job, job->team[o], r);
        for (int side = 0; side < 2 && me >= 0; side++)
            all += bytes[side][o] = (4 * deal_length(&job->deal[o], me, side) + 63) / 64 * 64;
    }
    k->region = (struct ovl_region){
        .shared = {.base = pages(all), .bytes = all}, .number = job->path != BED_STAGED, .path = path_of(job)};
    char *next = k->region.shared.base;
    for (int o = 0; o < job->ops; o++) {
        int me = rank_in(job, job->team[o], r);
        if (me < 0)
            continue;
        k->send[o] = next;
        k->recv[o] = next + bytes[0][o];
        next += bytes[0][o] + bytes[1][o];
        k->lists[o] = calloc(4 * (size_t)job->ranks, sizeof(int));
        deal_counts(&job->deal[o], me, k->lists[o]);
        deal_fill(&job->deal[o], me, k->lists[o], (int32_t *)(void *)k->send[o], (int32_t *)(void *)k->recv[o]);
    }
}

/* Waits with the worker's own turns. */
static void ask(struct bed *b, int r, struct ovl_worker_conn *conn, int worker, struct ovl_command *c, const void *args,
                size_t bytes)
{
    struct ovl_request request;
    struct ovl_error err;
    must(ovl_conn_send(&b->rank[r].ctx, conn, c, args, bytes, &request, &err) == 0);
    atomic_fetch_add(&b->status[worker].doorbell, 1);
    while (!ovl_conn_test(conn, request.slot, request.sequence))
        ovl_worker_progress(b->worker[worker]);
}

static void map(struct bed *b, int r, struct ovl_worker_conn *conn, int worker)
{
    const struct ovl_shared *s = &b->rank[r].region.shared;
    struct ovl_command c = {.kind = OVL_COMMAND_MAP, .root = 1, .bytes = s->bytes, .send = (uintptr_t)s->base};
    if (b->job->path != BED_STAGED)
        ask(b, r, conn, worker, &c, "", 1);
}

static void attach(struct bed *b, int r)
{
    const struct bed_job *job = b->job;
    struct bed_rank *k = &b->rank[r];
    map(b, r, &k->conn, job->worker[r]);
    for (int w = 0; w < job->workers; w++)
        if (k->other_cmdq[w])
            map(b, r, &(struct ovl_worker_conn){.cmdq = k->other_cmdq[w], .status = &b->status[w]}, w);
    for (int t = 0; t < job->teams; t++) {
        int me = rank_in(job, t, r), n = job->members[t];
        if (me < 0)
            continue;
        k->team[t] = (struct ovl_team){.number = (uint16_t)t, .id = (uint64_t)t + 7, .rank = me, .ranks = n};
        struct ovl_command c = {.kind = OVL_COMMAND_ATTACH,
                                .team = (uint16_t)t,
                                .ranks = (uint32_t)n,
                                .rank = (uint32_t)me,
                                .send = k->team[t].id};
        ask(b, r, &k->conn, job->worker[r], &c, job->member[t], (size_t)n * sizeof(int));
    }
}

static void make_rank(struct bed *b, int r)
{
    struct bed_rank *k = &b->rank[r];
    k->cmdq = pages(ovl_cmdq_bytes() + ovl_cmdq_area_bytes(b->job->ranks));
    ovl_cmdq_init(k->cmdq, r);
    ovl_cmdq_add_areas(k->cmdq, b->job->ranks, ovl_cmdq_bytes());
    k->conn = (struct ovl_worker_conn){.cmdq = k->cmdq, .status = &b->status[b->job->worker[r]], .name = "a worker"};
    make_buffers(b, r);
    k->ctx = (struct ovl_client_ctx){.rank = r,
                                     .path = path_of(b->job),
                                     .conns = &k->conn,
                                     .conn_count = 1,
                                     .timeout = 10,
                                     .regions = &k->region,
                                     .region_count = 1};
}

static int node_of(const struct bed_job *job, int worker)
{
    int r = 0;
    while (job->worker[r] != worker)
        r++;
    return job->node[r];
}

static void open_worker(struct bed *b, int w)
{
    const struct bed_job *job = b->job;
    ovl_status_init(&b->status[w]);
    b->transport[w] = bed_transport(&b->net, w, job->limits.tags);
    struct ovl_worker_config config = {.index = w,
                                       .workers = job->workers,
                                       .transport = &b->transport[w],
                                       .path = path_of(job),
                                       .peers = b->peers,
                                       .ranks = job->ranks,
                                       .status = &b->status[w],
                                       .slowdown = 1,
                                       .timeout = 1000,
                                       .tuning = {.piece = 300, .pieces = 40, .window = job->window},
                                       .limits = job->limits};
    b->worker[w] = ovl_worker_open(&config, &(struct ovl_error){.text = ""});
    for (int r = 0; r < job->ranks; r++)
        if (job->path == BED_REMOTE && job->worker[r] == w) {
            b->net.ep[r].ep.status = &b->status[w];
            b->net.ep[r].ep.channel = b->rank[r].cmdq;
            ovl_worker_serve(b->worker[w], b->rank[r].cmdq, &b->net.ep[r].ep, 0, true);
        } else if (job->worker[r] == w)
            ovl_worker_serve(b->worker[w], b->rank[r].cmdq, NULL, b->socket[0], true);
        else if (job->path != BED_REMOTE && job->node[r] == node_of(job, w)) {
            struct ovl_cmdq *s = b->rank[r].other_cmdq[w] = pages(ovl_cmdq_bytes());
            ovl_cmdq_init(s, r);
            ovl_worker_serve(b->worker[w], s, NULL, b->socket[0], false);
        }
}

void bed_open(struct bed *b, const struct bed_job *job, struct bed_result *result, uint64_t seed)
{
    *b = (struct bed){.job = job, .result = result};
    *result = (struct bed_result){.end = BED_FINE};
    bed_break_rules(job->broken);
    bed_net_open(&b->net, job, seed);
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, b->socket) == 0);
    for (int r = 0; r < job->ranks; r++) {
        b->peers[r] = (struct ovl_rank_info){job->worker[r], job->node[r]};
        make_rank(b, r);
    }
    for (int w = 0; w < job->workers; w++)
        open_worker(b, w);
    for (int r = 0; r < job->ranks; r++)
        attach(b, r);
    b->net.moved = 0;
}

void bed_close(struct bed *b)
{
    struct bed_result *x = b->result;
    memcpy(x->messages, b->net.messages, sizeof x->messages);
    x->data = b->net.data;
    x->cts_behind_data = b->net.cts_behind_data;
    b->net.all = true;
    b->net.chosen = false;
    for (int r = 0; r < b->job->ranks; r++)
        b->net.ep[r].stuck = false;
    for (int w = 0; w < b->job->workers; w++) {
        for (int m = 0; m < OVL_HIGH_WATERS; m++)
            x->high_water[m] =
                b->status[w].high_water[m] > x->high_water[m] ? b->status[w].high_water[m] : x->high_water[m];
        ovl_worker_close(b->worker[w]);
    }
    bed_break_rules(0);
    bed_net_close(&b->net);
    close(b->socket[0]);
    close(b->socket[1]);
    for (int r = 0; r < b->job->ranks; r++) {
        free(b->rank[r].cmdq);
        for (int w = 0; w < b->job->workers; w++)
            free(b->rank[r].other_cmdq[w]);
        free(b->rank[r].region.shared.base);
        for (int o = 0; o < b->job->ops; o++)
            free(b->rank[r].lists[o]);
    }
}

static void post(struct bed *b, int r, int o)
{
    struct bed_rank *k = &b->rank[r];
    const struct deal *d = &b->job->deal[o];
    int t = b->job->team[o];
    struct ovl_error err;
    struct ovl_coll_args call = deal_args(d, k->team[t].rank, k->lists[o]);
    call.team = &k->team[t];
    call.send = k->send[o];
    call.recv = k->recv[o];
    must(ovl_client_check(&call, &err) == 0);
    must(ovl_client_post(&k->ctx, &call, &k->request[o], &err) == 0);
}

static void check_data(struct bed *b, int r, int o)
{
    long first;
    const struct deal *d = &b->job->deal[o];
    const struct bed_rank *k = &b->rank[r];
    int me = rank_in(b->job, b->job->team[o], r);
    size_t wrong = deal_wrong(d, me, k->lists[o], (const int32_t *)(const void *)k->recv[o], &first);
    if (wrong == 0 || b->result->end != BED_FINE)
        return;
    b->result->end = BED_WRONG;
    snprintf(b->result->text, sizeof b->result->text,
             "%s %s (number %d) of %d ranks, %zu numbers%s, team %d: rank %d has %zu wrong, the first at %ld",
             ovl_operations[d->operation].name, d->algorithm ? d->algorithm->name : "", o, d->ranks, d->count,
             d->in_place ? ", in place" : "", b->job->team[o], r, wrong, first);
}

/* The rank's next action, if it can. */
bool bed_step_rank(struct bed *b, int r)
{
    struct bed_rank *k = &b->rank[r];
    if (k->next == b->job->actions[r])
        return false;
    const struct bed_action *a = &b->job->action[r][k->next];
    if (a->wait && !ovl_client_test(&k->ctx, &k->request[a->op]))
        return false;
    if (!a->wait && !ovl_conn_is_ready(&k->conn))
        return false;
    k->next++;
    if (a->wait) {
        check_data(b, r, a->op);
        b->result->completed[a->op][r] = (int64_t)b->result->steps;
    } else
        post(b, r, a->op);
    return true;
}

bool bed_step_worker(struct bed *b, int w)
{
    bool moved = ovl_worker_progress(b->worker[w]);
    if (b->result->end == BED_FINE && b->status[w].fault) {
        b->result->end = BED_WRONG;
        snprintf(b->result->text, sizeof b->result->text, "worker %d gave up: %.200s", w, b->status[w].text);
    }
    return moved;
}

void bed_look_who_finished(struct bed *b)
{
    struct bed_result *x = b->result;
    char *at = x->text, *end = x->text + sizeof x->text;
    for (int r = 0; r < b->job->ranks; r++) {
        const struct bed_rank *k = &b->rank[r];
        x->finished[r] = k->next == b->job->actions[r];
        x->unfinished += !x->finished[r];
        if (!x->finished[r] && x->end == BED_FINE && end - at > 40)
            at +=
                snprintf(at, (size_t)(end - at), "rank %d waits for operation %d; ", r, b->job->action[r][k->next].op);
    }
    if (x->unfinished && x->end == BED_FINE)
        x->end = BED_HANGS;
}
