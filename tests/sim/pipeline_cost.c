/* What a rank and a worker cost as the job grows: counted on a worker of 16 of P ranks, 128 ranks and 8 workers a node,
 * whose messages to others go nowhere. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/pipeline_cost.h"
#include "base/clock.h"
#include "offload/client/client_wait.h"
#include "offload/worker/worker.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NODE = 128, NODE_WORKERS = 8, SERVED = NODE / NODE_WORKERS, BLOCK = 64 << 10 };

static int map(struct ovl_region *region, const char *name, int socket)
{
    (void)region, (void)name, (void)socket;
    return 0;
}

static const struct ovl_mem_path path = {.name = "direct", .map = map};

static int send_ctrl(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    (void)state, (void)to, (void)msg, (void)payload;
    return 0;
}

static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *frag)
{
    (void)state, (void)to, (void)tag, (void)data, (void)bytes, (void)frag;
    return 0;
}

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    (void)state, (void)from, (void)tag, (void)data, (void)bytes, (void)frag;
    return 0;
}

static int poll_net(void *state, const struct ovl_transport_events *events, void *to)
{
    (void)state, (void)events, (void)to;
    return 0;
}

static bool quiet(void *state)
{
    (void)state;
    return true;
}

static void cancel(void *state)
{
    (void)state;
}

static double allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)(m.uordblks + m.hblkhd);
}

struct job {
    int ranks, workers;
    struct ovl_transport transport;
    struct ovl_worker_status status;
    struct ovl_rank_info *peers;
    struct ovl_region region; /* of all ranks; hardly touched */
    struct ovl_worker *worker;
    struct ovl_cmdq *cmdq[SERVED];
    struct ovl_worker_conn conn[SERVED];
    struct ovl_client_ctx ctx[SERVED];
};

static void must(bool is)
{
    if (!is)
        abort();
}

static void *zeroed(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    must(memory);
    return memset(memory, 0, bytes);
}

static void ask(struct job *j, int r, struct ovl_command *c, const void *args, size_t bytes)
{
    struct ovl_request request;
    struct ovl_error err;
    must(ovl_conn_send(&j->ctx[r], &j->conn[r], c, args, bytes, &request, &err) == 0);
    while (!ovl_conn_test(&j->conn[r], request.slot, request.sequence))
        ovl_worker_progress(j->worker);
}

/* Ranks 0, 8, 16 ... 120 of node 0 are this worker's. */
static void open_job(struct job *j, int ranks)
{
    int *members = malloc((size_t)ranks * sizeof *members);
    *j = (struct job){.ranks = ranks, .workers = (ranks + NODE - 1) / NODE * NODE_WORKERS};
    j->peers = malloc((size_t)ranks * sizeof *j->peers);
    for (int r = 0; r < ranks; r++) {
        members[r] = r;
        j->peers[r] = (struct ovl_rank_info){r / NODE * NODE_WORKERS + r % NODE_WORKERS, r / NODE};
    }
    j->transport = (struct ovl_transport){.tags = 1 << 20,
                                          .send_ctrl = send_ctrl,
                                          .send = send_data,
                                          .receive = receive_data,
                                          .poll = poll_net,
                                          .quiet = quiet,
                                          .cancel = cancel};
    j->region = (struct ovl_region){.shared = {.bytes = (size_t)ranks * BLOCK}, .number = 1, .path = &path};
    j->region.shared.base =
        mmap(NULL, j->region.shared.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(j->region.shared.base != MAP_FAILED);
    ovl_status_init(&j->status);
    struct ovl_worker_config config = {.index = 0,
                                       .workers = j->workers,
                                       .transport = &j->transport,
                                       .path = &path,
                                       .peers = j->peers,
                                       .ranks = ranks,
                                       .status = &j->status,
                                       .slowdown = 1,
                                       .timeout = 1000,
                                       .tuning = ovl_tuning_default,
                                       .limits = ovl_worker_limits_of(OVL_WORKER_MEMORY)};
    must((j->worker = ovl_worker_open(&config, &(struct ovl_error){.text = ""})) != NULL);
    for (int r = 0; r < SERVED; r++) {
        j->cmdq[r] = zeroed(ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks));
        ovl_cmdq_init(j->cmdq[r], r * NODE_WORKERS);
        ovl_cmdq_add_areas(j->cmdq[r], ranks, ovl_cmdq_bytes());
        j->conn[r] = (struct ovl_worker_conn){.cmdq = j->cmdq[r], .status = &j->status};
        j->ctx[r] = (struct ovl_client_ctx){.rank = r * NODE_WORKERS,
                                            .path = &path,
                                            .conns = &j->conn[r],
                                            .timeout = 10,
                                            .regions = &j->region,
                                            .region_count = 1};
        must(ovl_worker_serve(j->worker, j->cmdq[r], NULL, 0, true) == 0);
    }
    for (int r = 0; r < SERVED; r++) {
        struct ovl_command c = {
            .kind = OVL_COMMAND_ATTACH, .ranks = (uint32_t)ranks, .rank = (uint32_t)(r * NODE_WORKERS), .send = 7};
        ask(j, r, &c, members, (size_t)ranks * sizeof *members);
        struct ovl_command m = {.kind = OVL_COMMAND_MAP,
                                .root = 1,
                                .bytes = j->region.shared.bytes,
                                .send = (uintptr_t)j->region.shared.base};
        ask(j, r, &m, "", 1);
    }
    free(members);
}

static void close_job(struct job *j)
{
    ovl_worker_close(j->worker);
    for (int r = 0; r < SERVED; r++)
        free(j->cmdq[r]);
    free(j->peers);
    munmap(j->region.shared.base, j->region.shared.bytes);
}

/* Each served rank posts one, and none of the others. */
static void post_all(struct job *j, enum ovl_operation operation, size_t bytes)
{
    for (int r = 0; r < SERVED; r++) {
        struct ovl_team team = {.ranks = j->ranks, .rank = r * NODE_WORKERS, .id = 7};
        struct ovl_coll_args call = {.operation = operation,
                                     .team = &team,
                                     .send = j->region.shared.base,
                                     .recv = j->region.shared.base,
                                     .bytes = bytes,
                                     .dtype = OVL_INT32};
        struct ovl_request request;
        struct ovl_error err;
        must(ovl_client_post(&j->ctx[r], &call, &request, &err) == 0);
    }
    while (ovl_worker_progress(j->worker))
        ;
    must(!j->status.fault);
}

struct cost cost_of(int ranks)
{
    struct cost c = {.ranks = ranks, .workers = (ranks + NODE - 1) / NODE * NODE_WORKERS};
    static struct job j;
    double before = allocated();
    open_job(&j, ranks);
    size_t mine = (ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks)) * SERVED;
    c.base = allocated() - before - (double)mine;
    c.rank_shared = (double)(NODE_WORKERS * ovl_cmdq_bytes() + ovl_cmdq_area_bytes(ranks));
    c.node_shared = NODE * c.rank_shared + NODE_WORKERS * (double)ovl_status_bytes();
    c.eager = 2 * ovl_worker_eager_bytes(c.workers);
    struct ovl_placement placement;
    int *node = zeroed((size_t)ranks * sizeof *node);
    must(ovl_placement_make(&placement, node, ranks) == 0);
    before = allocated();
    int64_t begin = ovl_clock_ns();
    struct ovl_coll_shape shape = {.operation = OVL_IALLTOALL,
                                   .ranks = ranks,
                                   .bytes = 1024,
                                   .element = 4,
                                   .placement = &placement,
                                   .tuning = &ovl_tuning_default};
    struct ovl_schedule *schedule = ovl_schedule_make(&shape);
    c.build_ms = 1e-6 * (double)(ovl_clock_ns() - begin);
    c.schedule = allocated() - before;
    ovl_schedule_free(schedule);
    ovl_placement_free(&placement);
    free(node);
    before = allocated();
    post_all(&j, OVL_IALLTOALL, BLOCK);
    c.alltoall = allocated() - before;
    close_job(&j);
    return c;
}
