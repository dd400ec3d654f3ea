/* Names in the abstract namespace, credentials by SO_PEERCRED, and descriptors by SCM_RIGHTS. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/local.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

int ovl_local_above_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd < 0 ? 0 : fd;
    int other = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return other < 0 ? 0 : other;
}

static socklen_t address_of(const char *name, struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int open_socket(void)
{
    return ovl_local_above_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static int peer_of(int socket, struct ucred *peer)
{
    socklen_t length = sizeof *peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

static bool same_user(int socket)
{
    struct ucred peer;
    return peer_of(socket, &peer) == 0 && peer.uid == geteuid();
}

int ovl_local_listen(char name[OVL_LOCAL_NAME], int waiting, struct ovl_error *err)
{
    struct sockaddr_un a;
    uint64_t random[2];
    int fd = open_socket();
    if (fd && getrandom(random, sizeof random, 0) == sizeof random) {
        snprintf(name, OVL_LOCAL_NAME, "ovl-%016llx%016llx", (unsigned long long)random[0],
                 (unsigned long long)random[1]);
        socklen_t length = address_of(name, &a);
        if (bind(fd, (struct sockaddr *)&a, length) == 0 && listen(fd, waiting) == 0)
            return fd;
    }
    ovl_error_set(err, OVL_ENVIRONMENT, "no Unix socket between ranks and worker: %s", strerror(errno));
    ovl_local_close(&fd);
    return 0;
}

/* Where more wait than the system lets, it waits in their line: who only tried now and then could always come too late
   for the place that another caller, who waits, gets first. */
static int connect_within(int fd, const struct sockaddr_un *a, socklen_t length, double seconds)
{
    int64_t left, end = ovl_clock_ns() + (int64_t)(1e9 * seconds);
    int rc = -1;
    fcntl(fd, F_SETFL, 0);
    while (rc != 0 && (left = end - ovl_clock_ns()) > 0) {
        struct timeval time = {.tv_sec = (time_t)(left / 1000000000), .tv_usec = (suseconds_t)(left / 1000 % 1000000)};
        time.tv_usec += time.tv_sec == 0 && time.tv_usec == 0; /* which would be for ever */
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
        rc = connect(fd, (const struct sockaddr *)a, length);
        if (rc != 0 && errno != EINTR && errno != EAGAIN)
            break;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return rc;
}

int ovl_local_connect(const char *name, int32_t who, double seconds)
{
    struct sockaddr_un a;
    socklen_t length = address_of(name, &a);
    int fd = open_socket();
    if (!fd)
        return 0;
    bool connected = connect_within(fd, &a, length, seconds) == 0 && same_user(fd);
    /* One that has hung up may have said why, which can still be read. */
    if (!connected || (send(fd, &who, sizeof who, MSG_NOSIGNAL) != sizeof who && errno != EPIPE && errno != ECONNRESET))
        ovl_local_close(&fd);
    return fd;
}

int ovl_local_accept(int listener)
{
    int fd = ovl_local_above_standard(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd && !same_user(fd)) {
        ovl_local_close(&fd);
        errno = EPERM;
    }
    return fd;
}

int32_t ovl_local_caller(int socket)
{
    int32_t who;
    return recv(socket, &who, sizeof who, 0) == sizeof who ? who : -1;
}

void ovl_local_raise_file_limit(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) != 0)
        return;
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
}

void ovl_local_close(int *socket)
{
    if (*socket)
        close(*socket);
    *socket = 0;
}

pid_t ovl_local_pid(int socket)
{
    struct ucred peer;
    return peer_of(socket, &peer) == 0 ? peer.pid : 0;
}

bool ovl_local_closed(int socket)
{
    struct pollfd p = {.fd = socket};
    return socket && poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

int ovl_local_send_file(int socket, uint32_t number, int file)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof file)];
    } control = {.room = {0}};
    struct iovec data = {&number, sizeof number};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.head =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    ssize_t n;
    do
        n = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == sizeof number ? 0 : errno ? errno : EIO;
}

int ovl_local_receive_file(int socket, uint32_t number)
{
    int file;
    uint32_t said = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof file)];
    } control;
    struct iovec data = {&said, sizeof said};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (n < 0)
        return 0;
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof file)) {
        errno = message.msg_flags & MSG_CTRUNC ? EMFILE : EBADMSG;
        return 0;
    }
    memcpy(&file, CMSG_DATA(head), sizeof file);
    file = ovl_local_above_standard(file);
    if (said == number)
        return file;
    ovl_local_close(&file);
    errno = EBADMSG;
    return 0;
}
