/* Listening, calling and being called, each within a time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/tcp_join.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first bytes of a connection. */
struct hello {
    uint8_t cookie[16]; /* of the one that is called */
    uint32_t magic, from, stream, zero;
};

enum { MAGIC = 0x6f766c31, STRANGER_MS = 1000 }; /* a caller that says nothing keeps the others waiting no longer */

static int resolve(const char *host, int port, int flags, struct addrinfo **found)
{
    char service[8];
    const struct addrinfo how = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | flags};
    snprintf(service, sizeof service, "%d", port);
    return getaddrinfo(host, service, &how, found);
}

static int port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof at;
    if (getsockname(fd, &at.any, &size) != 0)
        return -1;
    return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}

int ovl_tcp_listen(const char *host, struct ovl_tcp_address *mine, struct ovl_error *err)
{
    struct addrinfo *at;
    memset(mine, 0, sizeof *mine);
    if (strlen(host) >= sizeof mine->host || resolve(host, 0, AI_PASSIVE, &at) != 0)
        return ovl_error_set(err, OVL_USAGE, "'%s' is no numeric address: give one such as 10.0.0.1", host);
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool fine = fd >= 0 && bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0;
    int why = errno, port = fine ? port_of(fd) : -1;
    freeaddrinfo(at);
    if (port < 0 || getrandom(mine->cookie, sizeof mine->cookie, 0) != (ssize_t)sizeof mine->cookie) {
        if (fd >= 0)
            close(fd);
        return ovl_error_set(err, OVL_ENVIRONMENT, "a worker cannot listen at %s: %s", host, strerror(why));
    }
    memcpy(mine->host, host, strlen(host));
    mine->port = (uint16_t)port;
    return fd;
}

static int ms_until(int64_t end)
{
    int64_t left = (end - ovl_clock_ns() + 999999) / 1000000;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static bool ready(int fd, short what, int64_t end)
{
    struct pollfd p = {.fd = fd, .events = what};
    int rc;
    do
        rc = poll(&p, 1, ms_until(end));
    while ((rc < 0 && errno == EINTR) || (rc == 0 && ovl_clock_ns() < end));
    return rc > 0;
}

/* -1 with errno. */
static int call(const struct ovl_tcp_address *to, int64_t end)
{
    struct addrinfo *at;
    errno = EINVAL;
    if (resolve(to->host, to->port, 0, &at) != 0)
        return -1;
    int why = 0, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof why;
    if (fd < 0 || (connect(fd, at->ai_addr, at->ai_addrlen) != 0 && errno != EINPROGRESS))
        why = errno;
    else if (!ready(fd, POLLOUT, end))
        why = ETIMEDOUT;
    else
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
    freeaddrinfo(at);
    if (why == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

/* A new connection takes a hello whole. */
static int call_all(const struct ovl_tcp_address *roster, int index, int64_t end, int (*fds)[OVL_TCP_STREAMS],
                    struct ovl_error *err)
{
    for (int i = 0; i < index; i++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++) {
            struct hello hello = {.magic = MAGIC, .from = (uint32_t)index, .stream = (uint32_t)s};
            memcpy(hello.cookie, roster[i].cookie, sizeof hello.cookie);
            fds[i][s] = call(&roster[i], end);
            if (fds[i][s] < 0 || send(fds[i][s], &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello)
                return ovl_error_set(err, OVL_ENVIRONMENT, "worker %d at %.45s, port %d, cannot be reached: %s", i,
                                     roster[i].host, roster[i].port, strerror(errno));
        }
    return 0;
}

static bool read_hello(int fd, struct hello *hello, int64_t end)
{
    size_t had = 0;
    while (had < sizeof *hello && ready(fd, POLLIN, end)) {
        ssize_t n = recv(fd, (char *)hello + had, sizeof *hello - had, 0);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return false;
        had += n > 0 ? (size_t)n : 0;
    }
    return had == sizeof *hello;
}

/* Where the connection that is to be taken belongs; NULL for a stranger. */
static int *place_of(int fd, const struct ovl_tcp_address *mine, int count, int index, int64_t end,
                     int (*fds)[OVL_TCP_STREAMS])
{
    struct hello hello;
    int64_t patience = ovl_clock_ns() + STRANGER_MS * INT64_C(1000000);
    if (!read_hello(fd, &hello, end < patience ? end : patience) || hello.magic != MAGIC ||
        memcmp(hello.cookie, mine->cookie, sizeof hello.cookie) != 0 || hello.from >= (uint32_t)count ||
        hello.from <= (uint32_t)index || hello.stream >= OVL_TCP_STREAMS)
        return NULL;
    int *place = &fds[hello.from][hello.stream];
    return *place < 0 ? place : NULL;
}

static int be_called(int listener, const struct ovl_tcp_address *mine, int count, int index, int64_t end,
                     int (*fds)[OVL_TCP_STREAMS], struct ovl_error *err)
{
    for (int missing = (count - 1 - index) * OVL_TCP_STREAMS; missing > 0;) {
        int fd = ready(listener, POLLIN, end) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
        if (fd < 0 && ovl_clock_ns() < end)
            continue; /* who called has hung up */
        if (fd < 0)
            break;
        int *place = place_of(fd, mine, count, index, end, fds);
        if (place) {
            *place = fd;
            missing--;
        } else
            close(fd);
    }
    for (int i = index + 1; i < count; i++)
        if (fds[i][OVL_TCP_CTRL] < 0 || fds[i][OVL_TCP_DATA] < 0)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "worker %d did not join within the time: can its machine reach %.45s?", i, mine->host);
    return 0;
}

int ovl_tcp_join(int listener, const struct ovl_tcp_address *roster, int count, int index, double seconds,
                 int (*fds)[OVL_TCP_STREAMS], struct ovl_error *err)
{
    int64_t end = ovl_clock_ns() + (int64_t)(seconds * 1e9);
    for (int i = 0; i < count; i++)
        fds[i][OVL_TCP_CTRL] = fds[i][OVL_TCP_DATA] = -1;
    int rc = call_all(roster, index, end, fds, err);
    if (rc == 0)
        rc = be_called(listener, &roster[index], count, index, end, fds, err);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++) {
            if (fds[i][s] >= 0 && rc == 0)
                setsockopt(fds[i][s], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
            else if (fds[i][s] >= 0) {
                close(fds[i][s]);
                fds[i][s] = -1;
            }
        }
    return rc;
}
