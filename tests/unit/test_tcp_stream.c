/* One connection of a worker: what epoll tells of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "offload/transport/tcp_data.h"
#include "offload/transport/transport_tcp.h"
#include "tests/unit/test.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* Two ends of a TCP connection of this machine. */
static void connect_pair(int ends[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(ends[1], (struct sockaddr *)&at, size), 0);
    ends[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    ck_assert_int_ge(ends[0], 0);
    close(listener);
}

/* Data for which no receive is posted is left where it is. When its sender is reset meanwhile, a worker that sleeps is
   told of that once, and not at each sleep. */
TEST(a_connection_that_is_held_and_reset_wakes_nobody_again_and_again)
{
    enum { SLEEPS = 5, SLEEP_NS = 20000000 };
    struct {
        struct ovl_tcp_data_head head;
        char data[100];
    } sent = {.head = {.bytes = 1000, .tag = 3}};
    int ctrl[2], data[2], fds[2][OVL_TCP_STREAMS] = {{-1, -1}, {-1, -1}};
    struct ovl_transport t;
    connect_pair(ctrl);
    connect_pair(data);
    fds[1][OVL_TCP_CTRL] = ctrl[0];
    fds[1][OVL_TCP_DATA] = data[0];
    ck_assert_int_eq(ovl_transport_tcp_open(&t, fds, 2, 0, &err), 0);
    ck_assert_int_eq(send(data[1], &sent, sizeof sent, 0), sizeof sent);
    t.sleep(t.state, SLEEP_NS);
    t.poll(t.state, &ovl_transport_no_events, NULL);
    setsockopt(data[1], SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    close(data[1]);
    t.sleep(t.state, SLEEP_NS);
    t.poll(t.state, &ovl_transport_no_events, NULL);
    int64_t begin = ovl_clock_ns();
    for (int i = 0; i < SLEEPS; i++) {
        t.sleep(t.state, SLEEP_NS);
        t.poll(t.state, &ovl_transport_no_events, NULL);
    }
    ck_assert_int_ge(ovl_clock_ns() - begin, (SLEEPS - 1) * SLEEP_NS);
    /* Who then wants its data hears of the end. */
    char place[1000];
    int frag;
    ck_assert_int_eq(t.receive(t.state, 1, 3, place, sizeof place, &frag), 0);
    for (int i = 0; i < SLEEPS; i++) {
        t.sleep(t.state, SLEEP_NS);
        t.poll(t.state, &ovl_transport_no_events, NULL);
    }
    ck_assert_int_eq(t.send(t.state, 1, 1, place, 1, &frag), -1);
    close(ctrl[1]);
    ovl_transport_tcp_close(&t, 0);
}

TEST(kernels_that_tell_of_a_full_window)
{
    ck_assert(!ovl_tcp_kernel_tells("4.18.0-553.el8.x86_64"));
    ck_assert(!ovl_tcp_kernel_tells("5.4.0-1049-bluefield"));
    ck_assert(!ovl_tcp_kernel_tells("5.11.22"));
    ck_assert(ovl_tcp_kernel_tells("5.12.0"));
    ck_assert(ovl_tcp_kernel_tells("5.15.0-1042-bluefield"));
    ck_assert(ovl_tcp_kernel_tells("6.1.0-18-amd64"));
    ck_assert(!ovl_tcp_kernel_tells("unknown"));
}
