/* What is left when somebody ends: memory without a name, sockets that tell of it, workers that say who died. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"
#include "offload/mem/local.h"
#include "offload/worker/state.h"
#include "tests/fake/play.h"
#include "tests/fake/transport.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void pair(int ends[2])
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
}

TEST(who_can_connect_is_known)
{
    char name[OVL_LOCAL_NAME];
    int listener = ovl_local_listen(name, 2, &err);
    ck_assert_int_gt(listener, 2);
    ck_assert_int_eq(ovl_local_accept(listener), 0);
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(ovl_local_connect("ovl-no-such-name", 5, 5), 0);
    int rank = ovl_local_connect(name, 5, 5), worker = ovl_local_accept(listener);
    ck_assert_int_gt(rank, 2);
    ck_assert_int_gt(worker, 2);
    ck_assert_int_eq(ovl_local_caller(worker), 5);
    ck_assert_int_eq(ovl_local_caller(worker), -1);
    ck_assert_int_eq(ovl_local_pid(worker), getpid());
    ck_assert(!ovl_local_closed(worker));
    ck_assert(!ovl_local_closed(0));
    ovl_local_close(&rank);
    ck_assert(ovl_local_closed(worker));
    ovl_local_close(&worker);
    ovl_local_close(&listener);
    ck_assert_int_eq(listener, 0);
}

/* Who connects has not yet said who it is when the other hangs up, in a part of the turns. */
TEST(what_one_said_who_hung_up_can_be_read)
{
    enum { TURNS = 20000 };
    char name[OVL_LOCAL_NAME], said;
    int listener = ovl_local_listen(name, 2, &err);
    pid_t other = fork();
    for (int left = TURNS; other == 0 && left > 0;) {
        int caller = ovl_local_accept(listener);
        if (caller && write(caller, "!", 1) == 1)
            left--;
        ovl_local_close(&caller);
    }
    if (other == 0)
        _exit(0);
    for (int turn = 0; turn < TURNS; turn++) {
        int fd = ovl_local_connect(name, 5, 5);
        ssize_t n;
        ck_assert_int_gt(fd, 2);
        ck_assert_int_eq(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 5000), 1);
        do
            n = recv(fd, &said, 1, 0);
        while (n < 0 && errno == ECONNRESET); /* that is told once, before what was sent */
        ck_assert_int_eq(n, 1);
        ovl_local_close(&fd);
    }
    ck_assert_int_eq(waitpid(other, NULL, 0), other);
    ovl_local_close(&listener);
}

TEST(memory_is_handed_over_without_a_name)
{
    struct ovl_shared mine, other;
    int ends[2];
    pair(ends);
    ck_assert_int_eq(ovl_shared_create(&mine, 100, &err), 0);
    ck_assert_int_eq(ftruncate(mine.file, 0), -1); /* whoever has the file: no SIGBUS */
    ck_assert_int_eq(ovl_shared_map(&other, ends[1], 7), EAGAIN);
    ck_assert_int_eq(ovl_local_send_file(ends[0], 7, mine.file), 0);
    ck_assert_int_eq(ovl_shared_map(&other, ends[1], 7), 0);
    ck_assert_uint_eq(other.bytes, mine.bytes);
    ck_assert_int_eq(ovl_local_send_file(ends[0], 7, mine.file), 0);
    ovl_shared_close_file(&mine);
    strcpy(mine.base, "seen");
    ck_assert_str_eq(other.base, "seen");
    ovl_shared_close(&other);
    ck_assert_int_eq(ovl_shared_map(&other, ends[1], 8), EBADMSG); /* another's number */
    ck_assert_int_eq(send(ends[0], "12", 2, 0), 2);
    ck_assert_int_eq(ovl_shared_map(&other, ends[1], 8), EBADMSG); /* no file */
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(ovl_local_send_file(ends[0], 8, null), 0);
    ck_assert_int_ne(ovl_shared_map(&other, ends[1], 8), 0); /* one that could be made shorter */
    close(null);
    ovl_shared_close(&mine);
    ovl_local_close(&ends[1]);
    ck_assert_int_eq(ovl_local_send_file(ends[0], 8, 0), EPIPE);
    ovl_local_close(&ends[0]);
}

TEST(no_room_is_an_error)
{
    struct ovl_shared s;
    ck_assert_int_eq(ovl_shared_create(&s, (size_t)1 << 50, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "there is no room for 1125899906842624 bytes of shared memory"));
}

static bool never(void *of, const struct ovl_request *request)
{
    (void)of, (void)request;
    return false;
}

static bool at_last(void *of, const struct ovl_request *request)
{
    (void)request;
    int *looks = of; /* the first round of looks finds nothing */
    return ++*looks > 100;
}

/* A process that ends is seen at once, long before the limit; what it did before its end counts. */
TEST(a_worker_that_ends_is_named)
{
    struct ovl_worker_status status = {.fault = OVL_FAULT_NONE};
    int ends[2], looks = 0;
    ovl_status_init(&status);
    pair(ends);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    close(ends[1]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    struct ovl_client_ctx h = {.timeout = 1000};
    struct ovl_worker_conn line = {.status = &status, .socket = ends[0], .name = "worker 7"};
    ck_assert_int_eq(ovl_client_wait_for(&h, &line, never, NULL, NULL, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_str_eq(err.text, "worker 7 died: its process has ended");
    ck_assert_int_eq(ovl_client_wait_for(&h, &line, at_last, &looks, NULL, &err), 0);
    ovl_local_close(&ends[0]);
}

/* Stands still for longer than the limit, once, as a job does that is stopped. */
static bool after_a_stop(void *of, const struct ovl_request *request)
{
    (void)request;
    int *looks = of;
    if (++*looks == 50)
        usleep(400000);
    return *looks > 2000;
}

TEST(a_stopped_job_is_no_dead_worker)
{
    struct ovl_worker_status status = {.fault = OVL_FAULT_NONE};
    int looks = 0;
    ovl_status_init(&status);
    struct ovl_client_ctx h = {.timeout = 0.3};
    struct ovl_worker_conn line = {.status = &status, .name = "worker 7"};
    ck_assert_msg(ovl_client_wait_for(&h, &line, after_a_stop, &looks, NULL, &err) == 0, "%s", err.text);
    ck_assert_int_eq(ovl_client_wait_for(&h, &line, never, NULL, NULL, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "shows no life for 0.3 s"));
}

/* A worker that ends the job says why; a rank has the same words, should nobody hear the worker. */
TEST(a_rank_lets_the_worker_speak)
{
    struct ovl_worker_status status = {.fault = OVL_FAULT_LOST, .text = "rank 3 on node b died"};
    struct ovl_client_ctx h = {.timeout = 0.1};
    struct ovl_worker_conn line = {.status = &status, .name = "worker 7"};
    ck_assert_int_eq(ovl_client_wait_for(&h, &line, never, NULL, NULL, &err), -1);
    ck_assert_str_eq(err.text, "rank 3 on node b died");
}

/* Two workers; rank 4 is the first one's own. */
struct bereaved {
    struct fake_box *boxes;
    struct ovl_transport transport[2];
    struct ovl_worker_status status[2];
    struct ovl_rank_info peers[8];
    struct ovl_cmdq *cmdq[2];
    int ends[2][2];
    struct ovl_worker *worker[2];
};

static void set_up(struct bereaved *b)
{
    b->boxes = fake_boxes_make(2);
    for (int w = 0; w < 2; w++) {
        ovl_status_init(&b->status[w]);
        b->transport[w] = fake_transport(b->boxes, w);
        struct ovl_worker_config plan = {.index = w,
                                         .workers = 2,
                                         .transport = &b->transport[w],
                                         .path = &fake_path,
                                         .peers = b->peers,
                                         .ranks = 8,
                                         .status = &b->status[w],
                                         .idle = OVL_IDLE_SLEEP,
                                         .slowdown = 1,
                                         .timeout = 20,
                                         .tuning = ovl_tuning_default,
                                         .limits = ovl_worker_limits_of(1 << 20),
                                         .node = "b"};
        b->worker[w] = ovl_worker_open(&plan, &err);
        b->cmdq[w] = aligned_alloc(64, ovl_cmdq_bytes());
        memset(b->cmdq[w], 0, ovl_cmdq_bytes());
        ovl_cmdq_init(b->cmdq[w], 4 + w);
        pair(b->ends[w]);
        ovl_worker_serve(b->worker[w], b->cmdq[w], NULL, b->ends[w][1], true);
    }
}

static void take_down(struct bereaved *b)
{
    for (int w = 0; w < 2; w++) {
        ovl_worker_close(b->worker[w]);
        ovl_local_close(&b->ends[w][0]);
        ovl_local_close(&b->ends[w][1]);
        free(b->cmdq[w]);
    }
    fake_boxes_free(b->boxes, 2);
}

TEST(a_rank_that_dies_is_told_to_all)
{
    static const char text[] = "rank 4 on node b died: its process has ended";
    struct bereaved b = {.boxes = NULL};
    set_up(&b);
    ovl_local_close(&b.ends[0][0]);
    ck_assert_int_eq(ovl_worker_run(b.worker[0]), -1);
    ck_assert_int_eq(ovl_worker_reporter(b.worker[0]), OVL_WORKER_REPORTS);
    ck_assert_int_eq(ovl_worker_run(b.worker[1]), -1); /* whose own rank lives */
    ck_assert_int_eq(ovl_worker_reporter(b.worker[1]), OVL_OTHERS_REPORT);
    for (int w = 0; w < 2; w++) {
        ck_assert_str_eq(b.status[w].text, text);
        ck_assert_uint_eq(atomic_load(&b.status[w].fault), OVL_FAULT_LOST);
    }
    take_down(&b);
}

static int refuse(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    (void)state, (void)to, (void)msg, (void)payload;
    errno = ENOTCONN;
    return -1;
}

/* Another worker that has gone is a reason, but not where there was one before. */
TEST(who_died_is_told_though_a_worker_has_gone)
{
    struct bereaved b = {.boxes = NULL};
    struct ovl_ctrl_msg ping = {.kind = OVL_CTRL_PING};
    set_up(&b);
    for (int w = 0; w < 2; w++)
        b.transport[w].send_ctrl = refuse;
    ovl_local_close(&b.ends[0][0]);
    ck_assert_int_eq(ovl_worker_run(b.worker[0]), -1);
    ck_assert_str_eq(b.status[0].text, "rank 4 on node b died: its process has ended");
    ovl_worker_send_ctrl(b.worker[1], 0, &ping, NULL);
    ck_assert_str_eq(b.status[1].text,
                     "worker 0 is gone: its connection has closed; look at its node for why it ended");
    take_down(&b);
}

TEST(a_rank_that_ends_the_job_has_said_why)
{
    struct bereaved b = {.boxes = NULL};
    set_up(&b);
    atomic_store(&b.cmdq[0]->ends_job, 1);
    ovl_local_close(&b.ends[0][0]);
    ck_assert_int_eq(ovl_worker_run(b.worker[0]), -1);
    ck_assert_int_eq(ovl_worker_reporter(b.worker[0]), OVL_OTHERS_REPORT);
    take_down(&b);
}

static int mapped, unmapped;

static int map_once(struct ovl_region *region, const char *name, int socket)
{
    (void)region, (void)name, (void)socket;
    return mapped++ == 0 ? 0 : ENOMEM;
}

static void count_unmap(struct ovl_region *region)
{
    (void)region;
    unmapped++;
}

/* Where one of two workers cannot map memory, the other gives it back. */
static const char *maps_at_one(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)world, (void)ranks, (void)of;
    if (rank == 0 && ovl_client_alloc(h, 100, &err))
        return "memory that only one worker could map";
    if (rank == 0 && (mapped != 2 || unmapped != 1))
        return fake_wrong("mapped %d times and given back %d times", mapped, unmapped);
    return NULL;
}

TEST(memory_is_mapped_at_all_workers_or_at_none)
{
    struct ovl_mem_path path = fake_path;
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &path);
    path.map = map_once;
    path.unmap = count_unmap;
    mapped = unmapped = 0;
    fake_expect_fine(&p, maps_at_one, NULL);
}

static const char *takes_numbers(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { MANY = 300 };
    void *memory[MANY];
    struct ovl_team team;
    (void)of;
    for (int i = 0; i < MANY; i++)
        memory[i] = ovl_client_alloc(h, 10, &err);
    ovl_client_free(h, memory[99], &err);
    memory[99] = ovl_client_alloc(h, 10, &err);
    for (size_t i = 0; i < h->region_count; i++)
        if (h->regions[i].number > MANY || (h->regions[i].shared.base == memory[99] && h->regions[i].number != 100))
            return fake_wrong("number %u", h->regions[i].number);
    h->teams = OVL_TEAMS; /* so many came and went */
    if (ovl_client_attach(h, &team, 77, rank, ranks, &rank, &err) != 0)
        return fake_wrong("a team: %s", err.text);
    unsigned number = team.number;
    if (number == world->number || ovl_client_detach(h, &team, &err) != 0 ||
        ovl_client_attach(h, &team, 78, rank, ranks, &rank, &err) != 0 || team.number != number ||
        ovl_client_detach(h, &team, &err) != 0)
        return "the number of a team that has ended is not given again";
    memset(h->team_taken, 0xff, sizeof h->team_taken);
    if (ovl_client_attach(h, &team, 79, rank, ranks, &rank, &err) == 0 || err.code != OVL_USAGE)
        return "a team whose number another has";
    return NULL;
}

TEST(numbers_are_the_lowest_and_never_taken_twice)
{
    struct fake_plan p = fake_plan_of(ONE_ALONE, &fake_path);
    fake_expect_fine(&p, takes_numbers, NULL);
}

TEST(an_address_of_no_region_is_a_raw_one)
{
    struct ovl_region region = {.shared = {.base = &region, .bytes = 1}, .number = 1};
    struct ovl_rank_mem r = {.regions = (struct ovl_region[]){{.number = 0}, region}, .count = 2};
    ck_assert_ptr_eq(ovl_mem_addr(&r, ovl_raddr(1, 0)), (char *)&region);
    ck_assert_ptr_null(ovl_mem_addr(&r, ovl_raddr(2, 0)));
    ck_assert_ptr_null(ovl_mem_addr(&r, UINT64_C(0xb400ffff12345678))); /* tagged */
    char bytes[8];
    struct ovl_rdma rdma = {.why = 0};
    ck_assert(ovl_mem_start(&r, bytes, (uintptr_t)&r, sizeof bytes, false, &rdma)); /* of a process that is not known */
    ck_assert_int_eq(rdma.why, ESRCH);
}

static unsigned long tracers[8]; /* of the first calls since tracer_count was set to 0 */
static atomic_int tracer_count = 8;

int prctl(int option, ...)
{
    va_list args;
    unsigned long word[4];
    va_start(args, option);
    for (int i = 0; i < 4; i++)
        word[i] = va_arg(args, unsigned long);
    va_end(args);
    int call = option == PR_SET_PTRACER ? atomic_fetch_add(&tracer_count, 1) : 8;
    if (call < 8)
        tracers[call] = word[0];
    return (int)syscall(SYS_prctl, option, word[0], word[1], word[2], word[3]);
}

static const char *opens_its_memory(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)world, (void)rank, (void)ranks, (void)of;
    return ovl_client_probe(h, &ovl_mem_path_cma, &err) == 0 ? NULL : fake_wrong("%s", err.text);
}

/* MPI may have said the same for messages of its own: whoever said another word would take that back. */
TEST(memory_that_is_open_to_mpi_stays_open)
{
    struct fake_plan p = fake_plan_of(ONE_ALONE, &ovl_mem_path_cma);
    atomic_store(&tracer_count, 0);
    fake_expect_fine(&p, opens_its_memory, NULL);
    ck_assert_int_ge(atomic_load(&tracer_count), 1);
    for (int i = 0; i < atomic_load(&tracer_count) && i < 8; i++)
        ck_assert_uint_eq(tracers[i], PR_SET_PTRACER_ANY);
}
