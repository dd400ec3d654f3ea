/* Ranks connect to their carrier, or read why it does not serve. Nothing here waits for one caller alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/carrier/accept.h"
#include "base/clock.h"
#include "offload/mem/bell.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { SPARE = 64, LOOK_MS = 50, NOBODY = -1 };

/* A process of this user that has called: a rank says first who it is, and then hands its queues over. */
struct caller {
    int fd, who;
};

struct acceptor {
    struct ovl_serving *c;
    int missing, callers, most; /* `most` callers that have not yet handed over */
    struct caller *caller;      /* the oldest first */
    struct pollfd *poll;
    int64_t end;
};

static int ranks_here(const struct ovl_serving *c)
{
    int n = 0;
    for (int r = 0; r < c->job.ranks; r++)
        n += c->peers[r].node == c->node;
    return n;
}

static void drop_caller(struct acceptor *d, int i)
{
    ovl_local_close(&d->caller[i].fd);
    memmove(&d->caller[i], &d->caller[i + 1], (size_t)(--d->callers - i) * sizeof *d->caller);
}

static int refuse_ranks(const struct ovl_serving *c, int why, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "carrier %d cannot take its ranks in: %s%s", c->job.number,
                         strerror(why), why == EMFILE || why == ENFILE ? "; raise ulimit -n" : "");
}

/* It has said something, or gone. */
static int read_caller(struct acceptor *d, int i, struct ovl_error *err)
{
    struct ovl_serving *c = d->c;
    struct caller *k = &d->caller[i];
    if (k->who == NOBODY) {
        k->who = ovl_local_caller(k->fd);
        if (k->who < 0 || k->who >= c->job.ranks || c->peers[k->who].node != c->node || c->sockets[k->who])
            drop_caller(d, i);
        return 0;
    }
    int why = c->sockets[k->who] ? EBADMSG : ovl_shared_map(&c->queues[k->who], k->fd, 0);
    if (why == 0) {
        c->sockets[k->who] = k->fd;
        k->fd = 0;
        d->missing--;
    }
    drop_caller(d, i);
    return why == EMFILE || why == ENFILE || why == ENOMEM ? refuse_ranks(c, why, err) : 0;
}

/* As many as call now, within bounds. */
static int accept_callers(struct acceptor *d, struct ovl_error *err)
{
    for (int i = 0; i < SPARE; i++) {
        int fd = ovl_local_accept(d->c->local);
        if (!fd && errno == EAGAIN)
            break;
        if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
            return refuse_ranks(d->c, errno, err);
        if (!fd)
            continue; /* another user's, or it has gone */
        if (d->callers == d->most)
            drop_caller(d, 0);
        d->caller[d->callers++] = (struct caller){fd, NOBODY};
    }
    return 0;
}

/* Callers, the listener, and the ranks that have come, whose end is all that is asked of them. */
static int poll_once(struct acceptor *d, struct ovl_error *err)
{
    const struct ovl_serving *c = d->c;
    int callers = d->callers;
    nfds_t n = 0;
    for (int i = 0; i < callers; i++)
        d->poll[n++] = (struct pollfd){.fd = d->caller[i].fd, .events = POLLIN};
    d->poll[n++] = (struct pollfd){.fd = c->local, .events = POLLIN};
    for (int r = 0; r < c->job.ranks; r++)
        if (c->sockets[r])
            d->poll[n++] = (struct pollfd){.fd = c->sockets[r]};
    if (poll(d->poll, n, LOOK_MS) <= 0)
        return 0;
    for (int i = callers; i-- > 0;) /* backwards: those that go make the ones behind them move up */
        if (d->poll[i].revents && read_caller(d, i, err) != 0)
            return -1;
    if (d->poll[callers].revents && accept_callers(d, err) != 0)
        return -1;
    for (int r = 0; r < c->job.ranks; r++)
        if (ovl_local_closed(c->sockets[r]))
            return ovl_error_set(err, OVL_ENVIRONMENT, "rank %d ended while carrier %d waited for others", r,
                                 c->job.number);
    return 0;
}

int ovl_serving_accept(struct ovl_serving *c, struct ovl_error *err)
{
    int here = ranks_here(c), rc = 0;
    struct acceptor d = {
        .c = c, .missing = here, .most = here + SPARE, .end = ovl_clock_ns() + (int64_t)(1e9 * c->job.timeout)};
    d.caller = calloc((size_t)d.most, sizeof *d.caller);
    d.poll = calloc((size_t)(d.most + here + 1), sizeof *d.poll);
    if (!d.caller || !d.poll)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of ranks");
    while (rc == 0 && d.missing > 0 && ovl_clock_ns() < d.end)
        rc = poll_once(&d, err);
    while (d.callers > 0)
        drop_caller(&d, 0);
    free(d.caller);
    free(d.poll);
    for (int r = 0; r < c->job.ranks && rc == 0 && d.missing > 0; r++)
        if (c->peers[r].node == c->node && !c->sockets[r])
            return ovl_error_set(err, OVL_ENVIRONMENT, "rank %d did not come to carrier %d within %g s", r,
                                 c->job.number, c->job.timeout);
    if (rc == 0)
        ovl_local_close(&c->local);
    return rc;
}

int ovl_serving_welcome(struct ovl_serving *c, struct ovl_error *err)
{
    int why = 0;
    for (int r = 0; r < c->job.ranks; r++)
        if (c->sockets[r] && ((why = ovl_local_send_file(c->sockets[r], 0, c->status.file)) != 0 ||
                              (why = ovl_local_send_file(c->sockets[r], OVL_BELL_NUMBER, c->bell)) != 0))
            return ovl_error_set(err, OVL_ENVIRONMENT, "cannot hand memory over to rank %d: %s", r, strerror(why));
    ovl_shared_close_file(&c->status);
    return 0;
}

void ovl_serving_refuse(struct ovl_serving *c, const struct ovl_error *why)
{
    enum { MOST_S = 5 }; /* they come at about the same time */
    int missing = ranks_here(c);
    int64_t end = ovl_clock_ns() + (int64_t)(1e9 * (c->job.timeout < MOST_S ? c->job.timeout : MOST_S));
    for (int r = 0; r < c->job.ranks; r++)
        if (c->sockets[r]) {
            send(c->sockets[r], why, sizeof *why, MSG_NOSIGNAL);
            missing--;
        }
    while (missing > 0 && c->local && ovl_clock_ns() < end) {
        int fd = ovl_local_accept(c->local);
        if (fd) {
            send(fd, why, sizeof *why, MSG_NOSIGNAL);
            ovl_local_close(&fd); /* what was sent can still be read */
            missing--;
        } else if (errno != EPERM)
            poll(&(struct pollfd){.fd = c->local, .events = POLLIN}, 1, LOOK_MS);
    }
}
