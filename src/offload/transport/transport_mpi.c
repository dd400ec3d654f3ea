/* Control messages and data of workers by MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/transport_mpi.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CTRL_TAG = 1,
    ARRIVING = 16,
    LEAVING = 64, /* control messages that MPI has at a time: the others wait, so that it tests few */
    CTRL_BYTES = sizeof(struct ovl_ctrl_msg) + OVL_EAGER_BYTES,
    TAGS_MOST = 1 << 20,
    TAGS_LEAST = 32767
};

/* A control message on its way out. They are used again: most are a line long, those with a payload of any size. */
struct leaving {
    struct leaving *next;
    int to;
    bool large;
    size_t bytes;
    char data[];
};

struct state {
    MPI_Comm ctrl_comm, data;
    int size;

    /* Receives for control messages, posted in a ring: matched in that order, so looked at in that order. */
    char (*arriving)[CTRL_BYTES];
    MPI_Request arrive[ARRIVING];
    int next;

    /* Data under way and control messages that leave: [0, count). */
    MPI_Request *requests;
    void **what; /* the fragment, or the control message */
    bool *is_ctrl;
    int *indices;
    MPI_Status *statuses;
    void **heard;
    int count, room, leaving;
    struct leaving *waiting, **last_waiting; /* to be sent when others have left */
    struct leaving *free[2];                 /* [large] */
    uint64_t *sent;                          /* control messages to each worker, ever */
    uint64_t read;                           /* control messages, ever */
};

static int make_room(struct state *s)
{
    if (s->count < s->room)
        return 0;
    size_t room = s->room ? 2 * (size_t)s->room : 64;
    MPI_Request *requests = realloc(s->requests, room * sizeof *requests);
    if (requests)
        s->requests = requests;
    void **what = realloc(s->what, room * sizeof *what);
    if (what)
        s->what = what;
    bool *is_ctrl = realloc(s->is_ctrl, room * sizeof *is_ctrl);
    if (is_ctrl)
        s->is_ctrl = is_ctrl;
    int *indices = realloc(s->indices, room * sizeof *indices);
    if (indices)
        s->indices = indices;
    MPI_Status *statuses = realloc(s->statuses, room * sizeof *statuses);
    if (statuses)
        s->statuses = statuses;
    void **heard = realloc(s->heard, room * sizeof *heard);
    if (heard)
        s->heard = heard;
    if (!requests || !what || !is_ctrl || !indices || !statuses || !heard)
        return -1;
    s->room = (int)room;
    return 0;
}

static void keep(struct state *s, void *what, bool is_ctrl)
{
    s->what[s->count] = what;
    s->is_ctrl[s->count++] = is_ctrl;
}

static struct leaving *alloc_leaving(struct state *s, bool large)
{
    struct leaving *e = s->free[large];
    if (e)
        s->free[large] = e->next;
    else if ((e = malloc(sizeof *e + (large ? CTRL_BYTES : sizeof(struct ovl_ctrl_msg)))))
        e->large = large;
    return e;
}

static void free_leaving(struct state *s, struct leaving *e)
{
    e->next = s->free[e->large];
    s->free[e->large] = e;
}

/* As many as MPI may have, in their order. */
static void send_waiting(struct state *s)
{
    for (struct leaving *e; (e = s->waiting) && s->leaving < LEAVING && make_room(s) == 0; s->leaving++) {
        s->waiting = e->next;
        MPI_Isend(e->data, (int)e->bytes, MPI_BYTE, e->to, CTRL_TAG, s->ctrl_comm, &s->requests[s->count]);
        keep(s, e, true);
    }
}

static int send_ctrl(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct state *s = state;
    struct leaving *e = make_room(s) == 0 ? alloc_leaving(s, msg->bytes > 0) : NULL;
    if (!e)
        return -1;
    e->next = NULL;
    e->to = to;
    e->bytes = sizeof *msg + msg->bytes;
    memcpy(e->data, msg, sizeof *msg);
    if (msg->bytes)
        memcpy(e->data + sizeof *msg, payload, msg->bytes);
    if (!s->waiting)
        s->last_waiting = &s->waiting;
    *s->last_waiting = e;
    s->last_waiting = &e->next;
    s->sent[to]++;
    send_waiting(s);
    return 0;
}

static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *frag)
{
    struct state *s = state;
    if (make_room(s) != 0)
        return -1;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, s->data, &s->requests[s->count]);
    keep(s, frag, false);
    return 0;
}

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *frag)
{
    struct state *s = state;
    if (make_room(s) != 0)
        return -1;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, s->data, &s->requests[s->count]);
    keep(s, frag, false);
    return 0;
}

static void expect(struct state *s, int i)
{
    MPI_Irecv(s->arriving[i], CTRL_BYTES, MPI_BYTE, MPI_ANY_SOURCE, CTRL_TAG, s->ctrl_comm, &s->arrive[i]);
}

static void read_ctrl(struct state *s, int from, const struct ovl_transport_events *events, void *to)
{
    struct ovl_ctrl_msg msg;
    int i = s->next;
    s->next = (i + 1) % ARRIVING;
    s->read++;
    memcpy(&msg, s->arriving[i], sizeof msg);
    events->on_ctrl(to, from, &msg, s->arriving[i] + sizeof msg);
    expect(s, i);
}

/* Control messages in the order of arrival; each receive is posted again when its control message has been read. */
static int more_ctrl(struct state *s, const struct ovl_transport_events *events, void *to)
{
    int n = 0, complete = 1;
    for (; n < ARRIVING; n++) {
        MPI_Status status;
        MPI_Test(&s->arrive[s->next], &complete, &status);
        if (!complete)
            break;
        read_ctrl(s, status.MPI_SOURCE, events, to);
    }
    return n;
}

/* What ended is taken out of the arrays before anybody hears of it, since who hears may begin something new. Returns
   how many fragments there are in `heard`. */
static int compact(struct state *s, void **heard)
{
    int frags = 0, kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->requests[i] != MPI_REQUEST_NULL) {
            s->requests[kept] = s->requests[i];
            s->what[kept] = s->what[i];
            s->is_ctrl[kept++] = s->is_ctrl[i];
        } else if (s->is_ctrl[i]) {
            free_leaving(s, s->what[i]);
            s->leaving--;
        } else
            heard[frags++] = s->what[i];
    }
    s->count = kept;
    send_waiting(s);
    return frags;
}

/* One call asks for everything, since each goes through the library's progress and its system calls: data and control
   messages under way, and the next control message to arrive, which stands last. */
static int poll_mpi(void *state, const struct ovl_transport_events *events, void *to)
{
    struct state *s = state;
    int ended, from = -1;
    if (s->size == 1)
        return 0;
    if (make_room(s) != 0)
        return 0;
    s->requests[s->count] = s->arrive[s->next];
    MPI_Testsome(s->count + 1, s->requests, &ended, s->indices, s->statuses);
    if (ended <= 0)
        return 0;
    for (int i = 0; i < ended; i++)
        if (s->indices[i] == s->count)
            from = s->statuses[i].MPI_SOURCE;
    int frags = compact(s, s->heard);
    for (int i = 0; i < frags; i++)
        events->on_complete(to, s->heard[i]);
    if (from >= 0)
        read_ctrl(s, from, events, to);
    return from < 0 ? ended : ended + more_ctrl(s, events, to);
}

static bool quiet(void *state)
{
    const struct state *s = state;
    return s->leaving == 0 && !s->waiting;
}

/* What a rank that left too early has begun may never end; a send that MPI does not give up is left to it. */
static void cancel(void *state)
{
    struct state *s = state;
    for (int i = 0; i < s->count; i++)
        if (!s->is_ctrl[i]) {
            MPI_Cancel(&s->requests[i]);
            MPI_Request_free(&s->requests[i]);
        }
    compact(s, s->heard);
}

/* A worker that serves nobody waits here for as long as the job lasts, and leaves its core to others: most MPI
   libraries spin in a wait. */
static void wait_for_all(MPI_Request *all)
{
    enum { FIRST_NS = 20000, MOST_NS = 5000000 };
    long ns = FIRST_NS;
    for (int done = 0; MPI_Test(all, &done, MPI_STATUS_IGNORE), !done; ns = 2 * ns < MOST_NS ? 2 * ns : MOST_NS)
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Credit and answers may still come, from workers that have not closed. */
static void read_the_rest(struct state *s)
{
    uint64_t expected;
    MPI_Request all;
    MPI_Ireduce_scatter_block(s->sent, &expected, 1, MPI_UINT64_T, MPI_SUM, s->data, &all);
    wait_for_all(&all);
    while (s->size > 1 && (s->read < expected || !quiet(s)))
        poll_mpi(s, &ovl_transport_no_events, NULL);
}

int ovl_transport_mpi_open(struct ovl_transport *t, MPI_Comm comm, struct ovl_error *err)
{
    struct state *s = calloc(1, sizeof *s);
    char(*arriving)[CTRL_BYTES] = calloc(ARRIVING, sizeof *arriving);
    if (!s || !arriving || make_room(s) != 0) {
        free(s);
        free(arriving);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the worker's messages");
    }
    int found, *most;
    s->arriving = arriving;
    MPI_Comm_dup(comm, &s->ctrl_comm);
    MPI_Comm_dup(comm, &s->data);
    MPI_Comm_size(comm, &s->size);
    s->sent = ovl_check_alloc(calloc((size_t)s->size, sizeof *s->sent));
    /* An attribute of MPI_COMM_WORLD only, and at least 32767 (MPI 4.0, 9.1.2). */
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    int tags = found ? *most : TAGS_LEAST;
    *t = (struct ovl_transport){.state = s,
                                .tags = tags < TAGS_MOST ? tags : TAGS_MOST,
                                .send_ctrl = send_ctrl,
                                .send = send_data,
                                .receive = receive_data,
                                .poll = poll_mpi,
                                .quiet = quiet,
                                .cancel = cancel};
    for (int i = 0; i < ARRIVING && s->size > 1; i++)
        expect(s, i);
    return 0;
}

void ovl_transport_mpi_close(struct ovl_transport *t)
{
    struct state *s = t->state;
    read_the_rest(s);
    for (int i = 0; i < ARRIVING && s->size > 1; i++) {
        MPI_Cancel(&s->arrive[i]);
        MPI_Wait(&s->arrive[i], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&s->ctrl_comm);
    MPI_Comm_free(&s->data);
    for (int large = 0; large < 2; large++)
        for (struct leaving *e = s->free[large], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    free(s->arriving);
    free(s->sent);
    free(s->requests);
    free(s->what);
    free(s->is_ctrl);
    free(s->indices);
    free(s->statuses);
    free(s->heard);
    free(s);
}
