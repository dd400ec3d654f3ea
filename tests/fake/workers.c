/* Workers and ranks as threads of one process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/workers.h"
#include "offload/mem/bell.h"
#include "offload/mem/local.h"
#include "offload/transport/transport_tcp.h"
#include "tests/fake/ep.h"
#include "tests/fake/transport.h"

#include <check.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int alloc(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    (void)err;
    region->shared.bytes = (bytes + 64) / 64 * 64;
    region->shared.base = aligned_alloc(64, region->shared.bytes);
    memset(region->shared.base, 0, region->shared.bytes);
    return 0;
}

static void dealloc(struct ovl_region *region)
{
    free(region->shared.base);
}

static int map(struct ovl_region *region, const char *name, int socket)
{
    (void)region, (void)name, (void)socket;
    return 0;
}

static const char *hint(int why)
{
    (void)why;
    return "none";
}

const struct ovl_mem_path fake_path = {
    .name = "fake", .summary = "the same memory", .alloc = alloc, .dealloc = dealloc, .map = map, .hint = hint};

static const struct layout {
    int ranks, workers, node[8], worker_number[8];
} layouts[FAKE_LAYOUTS] = {
    [ONE_ALONE] = {1, 1, {0}, {0}},
    [TWO_ON_ONE] = {2, 1, {0, 0}, {0, 0}},
    [FOUR_ON_TWO] = {4, 2, {0, 0, 0, 0}, {0, 1, 0, 1}},
    [TWO_NODES] = {2, 2, {0, 1}, {0, 1}},
    [TWO_NODES_OF_TWO] = {4, 2, {0, 0, 1, 1}, {0, 0, 1, 1}},
    [UNEVEN] = {5, 3, {0, 1, 2, 0, 1}, {0, 1, 2, 0, 1}},
    [TWO_WORKERS_EACH] = {6, 4, {0, 0, 0, 1, 1, 1}, {0, 1, 0, 2, 3, 2}},
    [FOUR_NODES] = {4, 4, {3, 2, 1, 0}, {0, 1, 2, 3}},
};

struct fake_plan fake_plan_of(int layout, const struct ovl_mem_path *path)
{
    const struct layout *l = &layouts[layout];
    return (struct fake_plan){.ranks = l->ranks,
                              .workers = l->workers,
                              .node = l->node,
                              .worker_number = l->worker_number,
                              .path = path,
                              .idle = OVL_IDLE_SLEEP,
                              .tuning = {.piece = 1500, .pieces = 40, .window = 2}};
}

void fake_expect_fine(const struct fake_plan *plan, fake_rank rank, void *of)
{
    const char *text = fake_run(plan, rank, of);
    ck_assert_msg(!text, "%s", text);
}

struct stage {
    const struct fake_plan *plan;
    fake_rank rank;
    void *of;
    struct ovl_worker_status *boards;
    struct ovl_cmdq **segments; /* [rank * workers + worker]; NULL off the rank's node */
    int (*sockets)[2];          /* beside each: the rank's end, the worker's end */
    struct fake_box *boxes;
    struct ovl_tcp_address tcp_addresses[16];
    int listeners[16], bells[16]; /* of workers by TCP */
    struct ovl_rank_info *peers;
    struct ovl_ep *eps[16]; /* of each rank to its worker, the rank's end; none where memory is shared */
};

struct actor {
    struct stage *stage;
    int number;
    const char *wrong;
    struct ovl_region *regions; /* of a rank that did not leave: its workers may still look at them */
    size_t region_count;
};

static pthread_barrier_t everybody;

void fake_barrier(void)
{
    pthread_barrier_wait(&everybody);
}

static int node_of_worker(const struct fake_plan *p, int worker)
{
    for (int r = 0; r < p->ranks; r++)
        if (p->worker_number[r] == worker)
            return p->node[r];
    return -1;
}

static struct ovl_transport join_by_tcp(const struct stage *s, int worker)
{
    struct ovl_transport t;
    struct ovl_error err;
    int fds[16][OVL_TCP_STREAMS];
    if (ovl_tcp_join(s->listeners[worker], s->tcp_addresses, s->plan->workers, worker, 20, fds, &err) != 0 ||
        ovl_transport_tcp_open(&t, fds, s->plan->workers, worker, &err) != 0)
        abort();
    return t;
}

static void *play_worker(void *actor)
{
    struct actor *a = actor;
    const struct stage *s = a->stage;
    const struct fake_plan *p = s->plan;
    struct ovl_transport transport = fake_transport(s->boxes, a->number);
    if (p->tcp)
        transport = join_by_tcp(s, a->number);
    struct ovl_worker_config plan = {.index = a->number,
                                     .workers = p->workers,
                                     .transport = &transport,
                                     .path = p->path,
                                     .peers = s->peers,
                                     .ranks = p->ranks,
                                     .status = &s->boards[a->number],
                                     .bell = s->bells[a->number],
                                     .idle = p->idle,
                                     .slowdown = p->slowdown > 0 ? p->slowdown : 1,
                                     .timeout = p->timeout > 0 ? p->timeout : 20,
                                     .tuning = p->tuning,
                                     .limits = ovl_worker_limits_of(p->memory ? p->memory : OVL_WORKER_MEMORY)};
    struct ovl_worker *w = ovl_worker_open(&plan, &(struct ovl_error){.text = ""});
    for (int r = 0; r < p->ranks; r++)
        if (s->eps[r] && p->worker_number[r] == a->number) {
            struct ovl_ep *ep = fake_ep_other(s->eps[r]);
            ovl_worker_serve(w, ep->channel, ep, 0, true);
        } else if (s->segments[r * p->workers + a->number])
            ovl_worker_serve(w, s->segments[r * p->workers + a->number], NULL,
                             s->sockets[r * p->workers + a->number][1], p->worker_number[r] == a->number);
    if (ovl_worker_run(w) != 0)
        a->wrong = s->boards[a->number].text;
    ovl_worker_close(w);
    if (p->tcp)
        ovl_transport_tcp_close(&transport, 10);
    return NULL;
}

static const char *name_of(int worker)
{
    (void)worker;
    return "some worker";
}

static void *play_rank(void *actor)
{
    static const char *const names[] = {"worker 0", "worker 1", "worker 2", "worker 3"};
    struct actor *a = actor;
    const struct stage *s = a->stage;
    const struct fake_plan *p = s->plan;
    struct ovl_error err = {.text = ""};
    struct ovl_worker_conn conns[16];
    struct ovl_client_ctx h = {.rank = a->number,
                               .path = p->path,
                               .conns = conns,
                               .oversubscribed = true,
                               .timeout = p->timeout > 0 ? p->timeout : 20,
                               .worker_name = name_of};
    if (s->eps[a->number])
        conns[h.conn_count++] = (struct ovl_worker_conn){.cmdq = s->eps[a->number]->channel,
                                                         .status = s->eps[a->number]->status,
                                                         .ep = s->eps[a->number],
                                                         .name = names[p->worker_number[a->number] % 4]};
    for (int w = 0; w < p->workers; w++)
        if (s->segments[a->number * p->workers + w]) {
            if (p->worker_number[a->number] == w)
                h.own = h.conn_count;
            conns[h.conn_count++] = (struct ovl_worker_conn){.cmdq = s->segments[a->number * p->workers + w],
                                                             .status = &s->boards[w],
                                                             .socket = s->sockets[a->number * p->workers + w][0],
                                                             .bell = s->bells[w],
                                                             .name = names[w % 4]};
        }
    int members[64];
    for (int r = 0; r < p->ranks; r++)
        members[r] = r;
    struct ovl_team world;
    if (p->late[a->number])
        usleep(100000);
    bool attached = ovl_client_attach(&h, &world, 0, a->number, p->ranks, members, &err) == 0;
    fake_barrier();
    if (attached)
        a->wrong = s->rank(&h, &world, a->number, p->ranks, s->of);
    else
        a->wrong = fake_wrong("%s", err.text);
    fake_barrier();
    bool alone = false;
    for (int w = 0; w < p->workers; w++)
        alone = alone || (p->dead[w] && s->segments[a->number * p->workers + w]);
    if (alone || (a->wrong && !p->path->remote)) { /* who would answer? */
        a->regions = h.regions;
        a->region_count = h.region_count;
        return NULL;
    }
    if (ovl_client_leave(&h, &err) != 0 && !a->wrong)
        a->wrong = fake_wrong("%s", err.text);
    return NULL;
}

static void *pages(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(memory, 0, bytes);
    return memory;
}

static void set_up(struct stage *s)
{
    const struct fake_plan *p = s->plan;
    s->boards = pages((size_t)p->workers * sizeof *s->boards);
    s->segments = calloc((size_t)(p->ranks * p->workers), sizeof *s->segments);
    s->sockets = calloc((size_t)(p->ranks * p->workers), sizeof *s->sockets);
    s->boxes = fake_boxes_make(p->workers);
    s->peers = calloc((size_t)p->ranks, sizeof *s->peers);
    for (int w = 0; w < p->workers && p->tcp; w++)
        if (!(s->bells[w] = ovl_bell_make()) ||
            (s->listeners[w] = ovl_tcp_listen("127.0.0.1", &s->tcp_addresses[w], &(struct ovl_error){.text = ""})) < 0)
            abort();
    for (int w = 0; w < p->workers; w++) {
        ovl_status_init(&s->boards[w]);
        for (int r = 0; r < p->ranks; r++)
            if (!p->path->remote && p->node[r] == node_of_worker(p, w)) {
                struct ovl_cmdq *cmdq = pages(ovl_cmdq_bytes() + ovl_cmdq_area_bytes(p->ranks));
                ovl_cmdq_init(cmdq, r);
                ovl_cmdq_add_areas(cmdq, p->ranks, ovl_cmdq_bytes());
                s->segments[r * p->workers + w] = cmdq;
                if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, s->sockets[r * p->workers + w]) != 0)
                    abort();
            }
    }
    for (int r = 0; r < p->ranks; r++)
        s->peers[r] = (struct ovl_rank_info){p->worker_number[r], p->path->remote ? p->worker_number[r] : p->node[r]};
    for (int r = 0; r < p->ranks && p->path->remote; r++)
        s->eps[r] = fake_ep_make(r, p->ranks);
}

static void take_down(struct stage *s)
{
    const struct fake_plan *p = s->plan;
    for (int i = 0; i < p->ranks * p->workers; i++) {
        free(s->segments[i]);
        ovl_local_close(&s->sockets[i][0]);
        ovl_local_close(&s->sockets[i][1]);
    }
    free(s->segments);
    free(s->sockets);
    for (int r = 0; r < p->ranks && s->eps[r]; r++)
        fake_ep_free(s->eps[r]);
    free(s->boards);
    for (int w = 0; w < p->workers && p->tcp; w++) {
        close(s->listeners[w]);
        ovl_local_close(&s->bells[w]);
    }
    fake_boxes_free(s->boxes, p->workers);
    free(s->peers);
}

const char *fake_wrong(const char *format, ...)
{
    static char texts[64][512];
    static atomic_uint next;
    char *text = texts[atomic_fetch_add(&next, 1) % 64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof texts[0], format, args);
    va_end(args);
    return text;
}

static void free_regions(struct actor *rank)
{
    for (size_t i = 0; i < rank->region_count; i++)
        rank->regions[i].path->dealloc(&rank->regions[i]);
    free(rank->regions);
}

const char *fake_run(const struct fake_plan *plan, fake_rank rank, void *of)
{
    static struct stage stage; /* static, as is what threads hold that outlive this function */
    static struct actor ranks[64], workers[16];
    stage = (struct stage){.plan = plan, .rank = rank, .of = of};
    pthread_t threads[80];
    const char *wrong = NULL;
    int n = 0;
    set_up(&stage);
    pthread_barrier_init(&everybody, NULL, (unsigned)plan->ranks);
    for (int w = 0; w < plan->workers; w++) {
        workers[w] = (struct actor){.stage = &stage, .number = w};
        if (!plan->dead[w])
            pthread_create(&threads[n++], NULL, play_worker, &workers[w]);
    }
    int first_rank = n;
    for (int r = 0; r < plan->ranks; r++) {
        ranks[r] = (struct actor){.stage = &stage, .number = r};
        pthread_create(&threads[n++], NULL, play_rank, &ranks[r]);
    }
    for (int t = first_rank; t < n; t++)
        pthread_join(threads[t], NULL);
    for (int r = 0; r < plan->ranks && !wrong; r++)
        wrong = ranks[r].wrong;
    /* Not all workers have been left where something went wrong: they see that their ranks are no more. */
    for (int i = 0; i < plan->ranks * plan->workers && wrong; i++)
        ovl_local_close(&stage.sockets[i][0]);
    for (int t = 0; t < first_rank; t++)
        pthread_join(threads[t], NULL);
    for (int w = 0; w < plan->workers && !wrong; w++)
        wrong = workers[w].wrong ? fake_wrong("%s", workers[w].wrong) : NULL;
    for (int r = 0; r < plan->ranks; r++)
        free_regions(&ranks[r]);
    pthread_barrier_destroy(&everybody);
    take_down(&stage);
    return wrong;
}
