/* Workers that join by addresses alone and reach each other by TCP: who may join, order, bytes, and ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/mem/bell.h"
#include "offload/mem/local.h"
#include "offload/transport/epoll_wait.h"
#include "offload/transport/transport_tcp.h"
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, MESSAGES = 300, PIECES = 40, LONGEST = 300000 };

static struct ovl_tcp_address tcp_addresses[WORKERS];
static int listeners[WORKERS];
static pthread_barrier_t all_here;

static void listen_all(void)
{
    for (int w = 0; w < WORKERS; w++)
        ck_assert_int_ge(listeners[w] = ovl_tcp_listen("127.0.0.1", &tcp_addresses[w], &err), 0);
    pthread_barrier_init(&all_here, NULL, WORKERS);
}

static void close_all(void)
{
    for (int w = 0; w < WORKERS; w++)
        close(listeners[w]);
    pthread_barrier_destroy(&all_here);
}

static struct ovl_transport join(int worker)
{
    struct ovl_transport t;
    int fds[WORKERS][OVL_TCP_STREAMS];
    if (ovl_tcp_join(listeners[worker], tcp_addresses, WORKERS, worker, 20, fds, &err) != 0 ||
        ovl_transport_tcp_open(&t, fds, WORKERS, worker, &err) != 0)
        ck_abort_msg("%s", err.text);
    return t;
}

/* The workers 1 and 2 as threads, 0 in the test's own. */
static void together(void *(*worker)(void *))
{
    static const int numbers[WORKERS] = {0, 1, 2};
    pthread_t threads[WORKERS];
    for (int w = 1; w < WORKERS; w++)
        pthread_create(&threads[w], NULL, worker, (void *)(uintptr_t)&numbers[w]);
    worker((void *)(uintptr_t)&numbers[0]);
    for (int w = 1; w < WORKERS; w++)
        pthread_join(threads[w], NULL);
}

/* Byte i of piece n, or of message n, from one worker to another. */
static uint8_t byte_of(int from, int to, int n, size_t i)
{
    return (uint8_t)((size_t)(from * 7 + to * 13 + n * 31) + i * (i >> 8 | 1));
}

static size_t bytes_of_message(int n)
{
    return n % 3 == 0 ? 0 : n % 50 == 1 ? OVL_EAGER_BYTES : (size_t)n % 100;
}

static size_t bytes_of_piece(int n)
{
    return n % 5 == 0 ? 0 : n % 7 == 1 ? LONGEST : (size_t)n * 100 + 1;
}

/* How many bytes are not those of byte_of. */
static size_t wrong_bytes(const uint8_t *got, size_t bytes, int from, int to, int n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; i++)
        wrong += got[i] != byte_of(from, to, n, i);
    return wrong;
}

struct heard {
    int me, messages[WORKERS], ends;
};

static void on_ctrl(void *to, int from, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct heard *h = to;
    int n = h->messages[from]++;
    ck_assert_int_eq(msg->rank, n); /* in the order sent */
    ck_assert_uint_eq(msg->bytes, bytes_of_message(n));
    ck_assert_uint_eq((uintptr_t)payload % 8, 0);
    ck_assert_uint_eq(wrong_bytes(payload, msg->bytes, from, h->me, n), 0);
}

static void on_complete(void *to, void *frag)
{
    ((struct heard *)to)->ends++;
    ++*(int *)frag;
}

static const struct ovl_transport_events events = {.on_ctrl = on_ctrl, .on_complete = on_complete};

static int tag_of(int n)
{
    return n % 4;
}

static void *says_all(void *number)
{
    struct heard h = {.me = *(const int *)number};
    struct ovl_transport t = join(h.me);
    uint8_t *sent = malloc((size_t)WORKERS * PIECES * LONGEST), *got = calloc((size_t)WORKERS * PIECES, LONGEST),
            text[OVL_EAGER_BYTES];
    static int frags[WORKERS][2][WORKERS][PIECES];
    for (int n = 0; n < MESSAGES; n++)
        for (int w = 0; w < WORKERS; w++) {
            size_t all = (size_t)w * PIECES * LONGEST, at = all + (size_t)n * LONGEST;
            struct ovl_ctrl_msg msg = {.rank = n, .bytes = (uint32_t)bytes_of_message(n)};
            if (w == h.me)
                continue;
            for (size_t i = 0; i < msg.bytes; i++)
                text[i] = byte_of(h.me, w, n, i);
            ck_assert_int_eq(t.send_ctrl(t.state, w, &msg, text), 0);
            if (n >= PIECES)
                continue;
            for (size_t i = 0; i < bytes_of_piece(n); i++)
                sent[at + i] = byte_of(h.me, w, n, i);
            ck_assert_int_eq(t.send(t.state, w, tag_of(n), sent + at, bytes_of_piece(n), &frags[h.me][0][w][n]), 0);
            if (n % 2) /* receives come late, and tags in another order than that of the pieces */
                t.poll(t.state, &events, &h);
            if (n % 8 == 7)
                for (int k = 0; k < 8; k++) {
                    int piece = n - 7 + k / 2 + k % 2 * 4; /* n - 7, n - 3, n - 6 ...: of one tag in order */
                    ck_assert_int_eq(t.receive(t.state, w, tag_of(piece), got + all + (size_t)piece * LONGEST,
                                               bytes_of_piece(piece), &frags[h.me][1][w][piece]),
                                     0);
                }
        }
    int64_t end = ovl_clock_ns() + INT64_C(60000000000);
    while (ovl_clock_ns() < end && (h.ends < 2 * (WORKERS - 1) * PIECES || !t.quiet(t.state) ||
                                    h.messages[(h.me + 1) % 3] < MESSAGES || h.messages[(h.me + 2) % 3] < MESSAGES))
        t.poll(t.state, &events, &h);
    for (int w = 0; w < WORKERS; w++)
        for (int n = 0; n < PIECES && w != h.me; n++) {
            ck_assert_int_eq(frags[h.me][0][w][n], 1);
            ck_assert_int_eq(frags[h.me][1][w][n], 1);
            ck_assert_uint_eq(
                wrong_bytes(got + ((size_t)w * PIECES + (size_t)n) * LONGEST, bytes_of_piece(n), w, h.me, n), 0);
        }
    ovl_transport_tcp_close(&t, 20);
    free(sent);
    free(got);
    return NULL;
}

TEST(all_arrives_in_order)
{
    together(says_all);
}

static void *ends_at_once(void *number)
{
    int me = *(const int *)number;
    struct ovl_transport t = join(me);
    struct heard h = {.me = me};
    struct ovl_ctrl_msg msg = {.rank = 0};
    int64_t begun = ovl_clock_ns();
    if (me == 2) /* its credit is for workers that may have closed */
        for (int64_t end = begun + 200000000; ovl_clock_ns() < end;)
            t.poll(t.state, &events, &h);
    if (me == 2)
        for (int w = 0; w < 2; w++)
            ck_assert_int_eq(t.send_ctrl(t.state, w, &msg, NULL), 0);
    ovl_transport_tcp_close(&t, 20);
    ck_assert(ovl_clock_ns() - begun < INT64_C(15000000000));
    return NULL;
}

TEST(who_has_said_goodbye_is_not_lost)
{
    together(ends_at_once);
}

static int first_to_break; /* OVL_TCP_CTRL: all break */

/* Worker 2 goes without goodbye, or its data do, with some on their way to it and from it. */
static void *loses_one(void *number)
{
    static char data[8 << 20];
    int me = *(const int *)number, frag[2] = {0, 0}, fds[WORKERS][OVL_TCP_STREAMS];
    struct heard h = {.me = me};
    struct ovl_ctrl_msg msg = {.rank = 0};
    if (me == 2) {
        ck_assert_int_eq(ovl_tcp_join(listeners[2], tcp_addresses, WORKERS, 2, 20, fds, &err), 0);
        pthread_barrier_wait(&all_here);
        for (int w = 0; w < 2; w++)
            for (int s = first_to_break; s < OVL_TCP_STREAMS; s++)
                close(fds[w][s]);
        pthread_barrier_wait(&all_here); /* the others have noticed */
        for (int w = 0; w < 2; w++)
            for (int s = 0; s < first_to_break; s++)
                close(fds[w][s]);
        return NULL;
    }
    struct ovl_transport t = join(me);
    ck_assert_int_eq(t.send(t.state, 2, 0, data, sizeof data, &frag[0]), 0);
    ck_assert_int_eq(t.receive(t.state, 2, 0, data, sizeof data, &frag[1]), 0);
    pthread_barrier_wait(&all_here);
    int rc = 0;
    for (int64_t end = ovl_clock_ns() + INT64_C(20000000000); rc == 0 && ovl_clock_ns() < end;) {
        t.poll(t.state, &events, &h);
        rc = t.send_ctrl(t.state, 2, &msg, NULL);
    }
    pthread_barrier_wait(&all_here);
    ck_assert_int_eq(rc, -1);
    ck_assert_int_eq(t.send_ctrl(t.state, 1 - me, &msg, NULL), 0); /* the others go on */
    for (int64_t end = ovl_clock_ns() + INT64_C(20000000000); h.messages[1 - me] == 0 && ovl_clock_ns() < end;)
        t.poll(t.state, &events, &h);
    ck_assert_int_eq(h.messages[1 - me], 1);
    ck_assert_int_eq(frag[1], 0);
    t.cancel(t.state);
    ovl_transport_tcp_close(&t, 20);
    return NULL;
}

LOOP_TEST(a_lost_worker_holds_nobody_up, 0, OVL_TCP_STREAMS)
{
    first_to_break = _i;
    together(loses_one);
}

/* Both ends of a piece give it up half-way: that is no loss, and what is left of it is in nobody's way. */
static void *gives_up(void *number)
{
    static char data[16 << 20];
    int me = *(const int *)number, frag = 0;
    struct heard h = {.me = me};
    struct ovl_ctrl_msg msg = {.rank = 0};
    struct ovl_transport t = join(me);
    if (me == 0)
        ck_assert_int_eq(t.send(t.state, 1, 0, data, sizeof data, &frag), 0);
    pthread_barrier_wait(&all_here);
    t.cancel(t.state);
    int next = (me + 1) % WORKERS, last = (me + 2) % WORKERS;
    ck_assert_int_eq(t.send_ctrl(t.state, next, &msg, NULL), 0);
    for (int64_t end = ovl_clock_ns() + INT64_C(20000000000); h.messages[last] == 0 && ovl_clock_ns() < end;)
        t.poll(t.state, &events, &h);
    ck_assert_int_eq(h.messages[last], 1);
    ovl_transport_tcp_close(&t, 20);
    ck_assert_int_eq(frag + h.ends, 0);
    return NULL;
}

TEST(a_piece_given_up_is_no_loss)
{
    together(gives_up);
}

/* A piece that is shorter than who waits for it expects is no whole one: the connection counts as lost. */
static void *sends_too_little(void *number)
{
    static char data[200];
    int me = *(const int *)number, frag[2] = {0, 0}, rc = 0;
    struct heard h = {.me = me};
    struct ovl_ctrl_msg msg = {.rank = 0};
    struct ovl_transport t = join(me);
    if (me == 0)
        ck_assert_int_eq(t.send(t.state, 1, 0, data, 100, &frag[0]), 0);
    else if (me == 1)
        ck_assert_int_eq(t.receive(t.state, 0, 0, data, 200, &frag[1]), 0);
    for (int64_t end = ovl_clock_ns() + INT64_C(20000000000); me < 2 && rc == 0 && ovl_clock_ns() < end;) {
        t.poll(t.state, &ovl_transport_no_events, &h);
        rc = t.send_ctrl(t.state, 1 - me, &msg, NULL);
    }
    ck_assert_int_eq(rc, me < 2 ? -1 : 0);
    ck_assert_int_eq(frag[1], 0);
    ovl_transport_tcp_close(&t, 20);
    return NULL;
}

TEST(a_short_piece_completes_no_receive)
{
    together(sends_too_little);
}

static bool polls_only;

/* As sends_too_little, where so much is expected that epoll tells of all of it at once: it is seen when no more data
   come for long, though control messages do, and whether the receiver sleeps or not. A bell ends a sleep each time that
   it is rung, and is not read. */
static void *sleeps(void *number)
{
    static char data[100000];
    int me = *(const int *)number, frag[2] = {0, 0}, rc = 0, bell = ovl_bell_make();
    struct heard h = {.me = me};
    struct ovl_ctrl_msg msg = {.rank = 0};
    struct ovl_transport t = join(me);
    ck_assert_int_eq(t.listen(t.state, bell), 0);
    for (int i = 0; i < 3; i++) {
        int64_t begin = ovl_clock_ns();
        ovl_bell_ring(bell);
        t.sleep(t.state, INT64_C(20000000000));
        ck_assert_int_lt(ovl_clock_ns() - begin, INT64_C(10000000000));
        t.poll(t.state, &ovl_transport_no_events, &h);
    }
    if (me == 0)
        ck_assert_int_eq(t.send(t.state, 1, 0, data, sizeof data / 2, &frag[0]), 0);
    else if (me == 1)
        ck_assert_int_eq(t.receive(t.state, 0, 0, data, sizeof data, &frag[1]), 0);
    for (int64_t end = ovl_clock_ns() + INT64_C(20000000000); me < 2 && rc == 0 && ovl_clock_ns() < end;) {
        if (me == 0 || !polls_only)
            t.sleep(t.state, 20000000);
        t.poll(t.state, &ovl_transport_no_events, &h);
        rc = t.send_ctrl(t.state, 1 - me, &msg, NULL);
    }
    ck_assert_int_eq(rc, me < 2 ? -1 : 0);
    ovl_transport_tcp_close(&t, 20);
    ovl_local_close(&bell);
    return NULL;
}

LOOP_TEST(a_bell_and_time_end_a_sleep, 0, 4)
{
    ovl_has_epoll_pwait2 = _i % 2 == 0;
    polls_only = _i >= 2;
    together(sleeps);
}

/* With epoll_pwait2 and without it: no wait is shorter than it was to be, and what is there ends it. */
LOOP_TEST(waits_of_any_length_end, 0, 2)
{
    static const int64_t lengths[] = {0, 200000, 1000000, 3400000};
    struct epoll_event e = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC), bell = ovl_bell_make();
    ovl_has_epoll_pwait2 = _i == 0;
    ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, bell, &e), 0);
    for (int rung = 0; rung < 2; rung++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int64_t begin = ovl_clock_ns();
            ck_assert_int_eq(ovl_epoll_wait(epoll, &e, 1, lengths[i]), rung);
            ck_assert(rung || ovl_clock_ns() - begin >= lengths[i]);
        }
        ovl_bell_ring(bell);
    }
    close(epoll);
    ovl_local_close(&bell);
}

static int sockets[WORKERS][OVL_TCP_STREAMS];
static struct ovl_error said;

static void *joins(void *transport)
{
    *(struct ovl_transport *)transport = join(1);
    return NULL;
}

TEST(strangers_do_not_join)
{
    struct ovl_transport mine, other[2];
    /* Two connections stand before the workers': one says nothing, one has no cookie. */
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(tcp_addresses[0].port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int silent = socket(AF_INET, SOCK_STREAM, 0), loud = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(silent, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_eq(connect(loud, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_gt(send(loud, "0123456789012345678901234567890123456789", 40, 0), 0);
    pthread_t one;
    pthread_create(&one, NULL, joins, &other[0]);
    ck_assert_int_eq(ovl_tcp_join(listeners[2], tcp_addresses, WORKERS, 2, 20, sockets, &said), 0);
    mine = join(0);
    pthread_join(one, NULL);
    ck_assert_int_eq(ovl_transport_tcp_open(&other[1], sockets, WORKERS, 2, &said), 0);
    char byte;
    ck_assert_int_le(recv(loud, &byte, 1, 0), 0);
    close(silent);
    close(loud);
    struct ovl_transport *all[] = {&mine, &other[0], &other[1]};
    for (int i = 0; i < 3; i++)
        ovl_transport_tcp_close(all[i], 0.2);
}

static int caller_of(int worker)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(tcp_addresses[worker].port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
        ck_abort_msg("a stranger cannot connect");
    return fd;
}

static void *joins_soon(void *fds)
{
    usleep(200000); /* the strangers have been taken in */
    if (ovl_tcp_join(listeners[1], tcp_addresses, 2, 1, 20, fds, &err) != 0)
        ck_abort_msg("%s", err.text);
    return NULL;
}

/* Silent ones, more than are remembered where so many files are allowed, and some that say half of what workers say. */
TEST(strangers_keep_nobody_waiting)
{
    enum { STRANGERS = 1200, SPARE = 100 };
    static int stranger[STRANGERS];
    int fds[2][WORKERS][OVL_TCP_STREAMS], count = 0;
    struct rlimit before, most;
    pthread_t one;
    getrlimit(RLIMIT_NOFILE, &before);
    ovl_local_raise_file_limit();
    getrlimit(RLIMIT_NOFILE, &most);
    for (; count < STRANGERS && 2 * count + SPARE < (int)most.rlim_cur; count++) {
        stranger[count] = caller_of(0);
        if (count % 10 == 0)
            ck_assert_int_gt(send(stranger[count], tcp_addresses[0].cookie, 8, MSG_NOSIGNAL), 0);
    }
    pthread_create(&one, NULL, joins_soon, fds[1]);
    int64_t begin = ovl_clock_ns();
    ck_assert_msg(ovl_tcp_join(listeners[0], tcp_addresses, 2, 0, 20, fds[0], &said) == 0, "%s", said.text);
    ck_assert_int_lt(ovl_clock_ns() - begin, INT64_C(15000000000)); /* a second for each would take all of the time */
    pthread_join(one, NULL);
    while (count > 0)
        close(stranger[--count]);
    for (int w = 0; w < 2; w++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++)
            close(fds[w][1 - w][s]);
    setrlimit(RLIMIT_NOFILE, &before);
}

static int option_of(int fd, int level, int name)
{
    int value = 0;
    socklen_t size = sizeof value;
    ck_assert_int_eq(getsockopt(fd, level, name, &value, &size), 0);
    return value;
}

/* Through a program's long computation, in which firewalls forget what is idle. */
TEST(connections_are_kept_alive)
{
    int fds[2][WORKERS][OVL_TCP_STREAMS];
    pthread_t one;
    pthread_create(&one, NULL, joins_soon, fds[1]);
    ck_assert_msg(ovl_tcp_join(listeners[0], tcp_addresses, 2, 0, 20, fds[0], &said) == 0, "%s", said.text);
    pthread_join(one, NULL);
    for (int w = 0; w < 2; w++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++) {
            int fd = fds[w][1 - w][s];
            ck_assert_int_ne(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
            ck_assert_int_le(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 30);
            ck_assert_int_le(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 30);
            close(fd);
        }
}

/* Without a descriptor for it a call cannot be taken, and stays: that is said, and not tried again and again. */
TEST(too_few_files_are_told)
{
    struct rlimit before, few;
    int64_t begin = ovl_clock_ns();
    int caller = caller_of(0), next = dup(0);
    close(next);
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    ck_assert_int_eq(ovl_tcp_join(listeners[0], tcp_addresses, 2, 0, 20, sockets, &said), -1);
    setrlimit(RLIMIT_NOFILE, &before);
    ck_assert_msg(strstr(said.text, "worker 0 cannot take in all 1 others: Too many open files: raise ulimit -n"), "%s",
                  said.text);
    ck_assert_int_lt(ovl_clock_ns() - begin, INT64_C(5000000000)); /* at once, and not when its patience is over */
    close(caller);
}

/* Calls worker 0 as workers do, and stays until it is ended. */
static _Noreturn void be_the_others(int count)
{
    ovl_local_raise_file_limit();
    for (uint32_t from = 1; from < (uint32_t)count; from++)
        for (uint32_t stream = 0; stream < OVL_TCP_STREAMS; stream++) {
            struct {
                uint8_t cookie[16];
                uint32_t magic, from, stream, zero;
            } hello = {.magic = 0x6f766c31, .from = from, .stream = stream};
            memcpy(hello.cookie, tcp_addresses[0].cookie, sizeof hello.cookie);
            if (send(caller_of(0), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
                _exit(1);
        }
    for (;;)
        pause();
}

/* Two connections with each, which is more than the usual soft limit. */
TEST(a_thousand_workers_join)
{
    enum { COUNT = 1000, USUAL = 1024, SPARE = 100 };
    static struct ovl_tcp_address roster[COUNT];
    static int fds[COUNT][OVL_TCP_STREAMS];
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < COUNT * OVL_TCP_STREAMS + SPARE)
        return;
    limit.rlim_cur = USUAL;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    pid_t others = fork();
    if (others == 0)
        be_the_others(COUNT);
    roster[0] = tcp_addresses[0];
    ovl_local_raise_file_limit();
    int rc = ovl_tcp_join(listeners[0], roster, COUNT, 0, 20, fds, &err);
    kill(others, SIGKILL);
    waitpid(others, NULL, 0);
    ck_assert_msg(rc == 0, "%s", err.text);
    for (int i = 1; i < COUNT; i++)
        for (int k = 0; k < OVL_TCP_STREAMS; k++)
            ck_assert_int_eq(close(fds[i][k]), 0);
}

/* As behind a firewall that drops what comes: the kernel drops calls for which the listener has no room. */
TEST(who_does_not_answer_is_given_up_early)
{
    int64_t begin = ovl_clock_ns();
    ck_assert_int_eq(listen(listeners[0], 0), 0);
    int caller = caller_of(0);
    ck_assert_int_eq(ovl_tcp_join(listeners[1], tcp_addresses, 2, 1, 15, sockets, &said), -1);
    ck_assert_msg(strstr(said.text, "cannot be reached: Connection timed out"), "%s", said.text);
    ck_assert_int_lt(ovl_clock_ns() - begin, INT64_C(12000000000));
    close(caller);
}

TEST(who_does_not_come_is_named)
{
    ck_assert_int_eq(ovl_tcp_join(listeners[0], tcp_addresses, WORKERS, 0, 0.2, sockets, &said), -1);
    ck_assert_str_eq(said.text, "worker 1 did not join within the time: can its machine reach 127.0.0.1?");
    ck_assert_int_eq(sockets[1][0], -1);
    close(listeners[0]);
    listeners[0] = -1;
    ck_assert_int_eq(ovl_tcp_join(listeners[1], tcp_addresses, WORKERS, 1, 5, sockets, &said), -1);
    ck_assert_ptr_nonnull(strstr(said.text, "worker 0 at 127.0.0.1, port "));
    ck_assert_ptr_nonnull(strstr(said.text, "cannot be reached: Connection refused"));
    ck_assert_int_eq(ovl_tcp_listen("no address", &tcp_addresses[0], &said), -1);
    ck_assert_ptr_nonnull(strstr(said.text, "'no address' is no numeric address"));
}

AROUND(listen_all, close_all)
