/* Listening; calling and being called at once, so that nobody waits for somebody who waits for him. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_join.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first bytes of a connection. */
struct hello {
    uint8_t cookie[16]; /* of the one that is called */
    uint32_t magic, from, stream, zero;
};

enum { MAGIC = 0x6f766c31, CALLERS = 1000 };

/* Who has called and not yet said all of its hello. */
struct caller {
    int fd;
    size_t had;
    struct hello hello;
};

/* A join under way. */
struct join {
    int listener, count, index, missing; /* connections that are still to be taken */
    const struct ovl_tcp_address *roster;
    int (*fds)[OVL_TCP_STREAMS];
    int64_t end, patience, silent_since; /* patience: with anybody of whom nothing is heard */
    int callers;
    struct caller *caller; /* of CALLERS, the oldest first */
};

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

/* A caller that has said all: a worker gets its place, a stranger is sent away. */
static void seat(struct join *j, int fd, const struct hello *hello)
{
    const uint8_t *cookie = j->roster[j->index].cookie;
    if (hello->magic == MAGIC && memcmp(hello->cookie, cookie, sizeof hello->cookie) == 0 &&
        hello->from < (uint32_t)j->count && hello->from > (uint32_t)j->index && hello->stream < OVL_TCP_STREAMS &&
        j->fds[hello->from][hello->stream] < 0) {
        j->fds[hello->from][hello->stream] = fd;
        j->missing--;
        j->silent_since = ovl_clock_ns();
    } else
        close(fd);
}

/* True when nothing more is to be heard from it. */
static bool read_hello(struct join *j, struct caller *c)
{
    ssize_t n = recv(c->fd, (char *)&c->hello + c->had, sizeof c->hello - c->had, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    c->had += n > 0 ? (size_t)n : 0;
    if (n > 0 && c->had < sizeof c->hello)
        return false;
    if (n > 0)
        seat(j, c->fd, &c->hello);
    else
        close(c->fd);
    return true;
}

static void forget(struct join *j, int i)
{
    memmove(&j->caller[i], &j->caller[i + 1], (size_t)(--j->callers - i) * sizeof *j->caller);
}

/* Takes in who has called. Where too many say nothing the one that has been silent longest goes: workers say their
   hello as they call. -1: this process cannot take more in. */
static int accept_callers(struct join *j, struct ovl_error *err)
{
    for (int i = 0; i < CALLERS; i++) {
        int fd = accept4(j->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        bool full = fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
        if (full && j->callers == 0)
            return ovl_error_set(err, OVL_ENVIRONMENT, "worker %d cannot take in all %d others: %s%s", j->index,
                                 j->count - 1, strerror(errno),
                                 errno == EMFILE   ? ": raise ulimit -n, or have fewer workers"
                                 : errno == ENFILE ? ": raise the system's fs.file-max"
                                                   : "");
        if (fd < 0 && !full)
            return 0; /* who called has hung up, or nobody calls */
        if (full || j->callers == CALLERS) {
            close(j->caller[0].fd);
            forget(j, 0);
        }
        if (full)
            continue;
        struct caller *c = &j->caller[j->callers++];
        *c = (struct caller){.fd = fd};
        if (read_hello(j, c))
            j->callers--;
    }
    return 0;
}

static int ms_until(int64_t end)
{
    int64_t left = (end - ovl_clock_ns() + 999999) / 1000000;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

/* Waits until one of those that call says something, another calls, or the connection `fd`, if there is one, stands or
   has failed; at most until `end`. Returns 1 for `fd`, else 0; -1 with an error. */
static int turn(struct join *j, int fd, int64_t end, struct ovl_error *err)
{
    struct pollfd p[2 + CALLERS] = {{.fd = fd, .events = POLLOUT}, {.fd = j->listener, .events = POLLIN}};
    int callers = j->callers;
    for (int i = 0; i < callers; i++)
        p[2 + i] = (struct pollfd){.fd = j->caller[i].fd, .events = POLLIN};
    if (poll(p, 2 + (nfds_t)callers, ms_until(end)) <= 0)
        return 0;
    for (int i = callers; i-- > 0;) /* backwards: those that go make the ones behind them move up */
        if (p[2 + i].revents && read_hello(j, &j->caller[i]))
            forget(j, i);
    if (p[1].revents && accept_callers(j, err) != 0)
        return -1;
    return p[0].revents != 0;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The connection; -1 with an error. What answers is the other machine's kernel, however busy the worker is. */
static int call(struct join *j, int to, struct ovl_error *err)
{
    const struct ovl_tcp_address *at = &j->roster[to];
    struct addrinfo *where = NULL;
    int64_t end = sooner(j->end, ovl_clock_ns() + j->patience);
    int why = 0, fd = -1, there = 0;
    socklen_t size = sizeof why;
    if (resolve(at->host, at->port, 0, &where) != 0)
        why = EINVAL;
    else if ((fd = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0 ||
             (connect(fd, where->ai_addr, where->ai_addrlen) != 0 && errno != EINPROGRESS))
        why = errno;
    while (why == 0 && there == 0 && ovl_clock_ns() < end)
        there = turn(j, fd, end, err);
    if (why == 0 && there == 0)
        why = ETIMEDOUT;
    else if (why == 0)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
    if (where)
        freeaddrinfo(where);
    if (why == 0 && there > 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return there < 0 ? -1
                     : ovl_error_set(err, OVL_ENVIRONMENT, "worker %d at %.45s, port %d, cannot be reached: %s%s", to,
                                     at->host, at->port, strerror(why),
                                     why == EMFILE ? ": raise ulimit -n, or have fewer workers" : "");
}

/* A new connection takes a hello whole. */
static int call_all(struct join *j, struct ovl_error *err)
{
    for (int i = 0; i < j->index; i++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++) {
            struct hello hello = {.magic = MAGIC, .from = (uint32_t)j->index, .stream = (uint32_t)s};
            memcpy(hello.cookie, j->roster[i].cookie, sizeof hello.cookie);
            if ((j->fds[i][s] = call(j, i, err)) < 0)
                return -1;
            if (send(j->fds[i][s], &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello)
                return ovl_error_set(err, OVL_ENVIRONMENT, "worker %d at %.45s, port %d, hung up: %s", i,
                                     j->roster[i].host, j->roster[i].port, strerror(errno));
        }
    return 0;
}

static int be_called(struct join *j, struct ovl_error *err)
{
    j->silent_since = ovl_clock_ns();
    while (j->missing > 0 && ovl_clock_ns() < sooner(j->end, j->silent_since + j->patience))
        if (turn(j, -1, sooner(j->end, j->silent_since + j->patience), err) < 0)
            return -1;
    for (int i = j->index + 1; i < j->count; i++)
        if (j->fds[i][OVL_TCP_CTRL] < 0 || j->fds[i][OVL_TCP_DATA] < 0)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "worker %d did not join within the time: can its machine reach %.45s?", i,
                                 j->roster[j->index].host);
    return 0;
}

/* Firewalls forget connections that are idle for some minutes, and drop what then comes: a program may compute for
   longer. The kernels keep them alive, whatever the workers do. No TCP_USER_TIMEOUT: it would end a connection whose
   reader is suspended, with its job, for longer. */
static void keep(int fd, double seconds)
{
    enum { IDLE_S = 15, LEAST = 4 };
    int probes = seconds / IDLE_S < LEAST ? LEAST : seconds / IDLE_S > 100 ? 100 : (int)(seconds / IDLE_S) + 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){IDLE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int){IDLE_S}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
}

int ovl_tcp_join(int listener, const struct ovl_tcp_address *roster, int count, int index, double seconds,
                 int (*fds)[OVL_TCP_STREAMS], struct ovl_error *err)
{
    /* With one of whom nothing is heard: in 10 s connect tries four times, in 5 s three times. */
    enum { SHARE = 3, LEAST_S = 5 };
    int64_t ns = (int64_t)(seconds * 1e9), least = INT64_C(1000000000) * LEAST_S, now = ovl_clock_ns();
    struct join j = {.listener = listener,
                     .count = count,
                     .index = index,
                     .missing = (count - 1 - index) * OVL_TCP_STREAMS,
                     .roster = roster,
                     .fds = fds,
                     .end = now + ns,
                     .patience = ns / SHARE > least ? ns / SHARE : least,
                     .caller = calloc(CALLERS, sizeof *j.caller)};
    for (int i = 0; i < count; i++)
        fds[i][OVL_TCP_CTRL] = fds[i][OVL_TCP_DATA] = -1;
    int rc = j.caller ? call_all(&j, err) : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of callers");
    if (rc == 0)
        rc = be_called(&j, err);
    for (int i = 0; i < j.callers; i++)
        close(j.caller[i].fd);
    free(j.caller);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < OVL_TCP_STREAMS; s++) {
            if (fds[i][s] >= 0 && rc == 0)
                keep(fds[i][s], seconds);
            else if (fds[i][s] >= 0) {
                close(fds[i][s]);
                fds[i][s] = -1;
            }
        }
    return rc;
}
