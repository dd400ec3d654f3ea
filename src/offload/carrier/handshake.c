/* Each transfer has a time limit for all its bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/carrier/handshake.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

static bool wait_for(int socket, short what, int64_t end)
{
    struct pollfd p = {.fd = socket, .events = what};
    for (;;) {
        int64_t left = (end - ovl_clock_ns() + 999999) / 1000000;
        int rc = poll(&p, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left);
        if (rc > 0)
            return true;
        if (left <= 0)
            return false;
    }
}

bool ovl_timed_wait(int socket, double seconds)
{
    return wait_for(socket, POLLIN, ovl_clock_ns() + (int64_t)(1e9 * seconds));
}

static int move(int socket, char *at, size_t bytes, double seconds, bool reads)
{
    int64_t end = ovl_clock_ns() + (int64_t)(1e9 * seconds);
    while (bytes > 0) {
        if (!wait_for(socket, reads ? POLLIN : POLLOUT, end)) {
            errno = ETIMEDOUT;
            return -1;
        }
        ssize_t n =
            reads ? recv(socket, at, bytes, MSG_DONTWAIT) : send(socket, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n == 0)
            errno = EPIPE;
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return -1;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int ovl_timed_write(int socket, const void *from, size_t bytes, double seconds)
{
    return move(socket, (char *)from, bytes, seconds, false);
}

int ovl_timed_read(int socket, void *to, size_t bytes, double seconds)
{
    return move(socket, to, bytes, seconds, true);
}
