/* Control messages and data of workers by MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/transport_mpi.h"

#include <stdlib.h>
#include <string.h>

enum {
    LETTER_TAG = 1,
    ARRIVING = 16,
    ENVELOPE = sizeof(struct ovl_ctrl_msg) + OVL_EAGER_BYTES,
    TAGS_MOST = 1 << 20,
    TAGS_LEAST = 32767
};

/* A control message on its way out; they are used again. */
struct envelope {
    struct envelope *next;
    char bytes[ENVELOPE];
};

struct state {
    MPI_Comm ctrl_comm, data;
    int size;

    /* Receives for control messages, posted in a ring: matched in that order, so looked at in that order. */
    char (*arriving)[ENVELOPE];
    MPI_Request arrive[ARRIVING];
    int next;

    /* Data under way, and after it control messages on their way out: [0, count). */
    MPI_Request *requests;
    void **what; /* the flight, or the envelope */
    bool *outgoing;
    int *indices;
    MPI_Status *statuses;
    void **heard;
    int count, room, letters_out;
    struct envelope *free;
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
    bool *outgoing = realloc(s->outgoing, room * sizeof *outgoing);
    if (outgoing)
        s->outgoing = outgoing;
    int *indices = realloc(s->indices, room * sizeof *indices);
    if (indices)
        s->indices = indices;
    MPI_Status *statuses = realloc(s->statuses, room * sizeof *statuses);
    if (statuses)
        s->statuses = statuses;
    void **heard = realloc(s->heard, room * sizeof *heard);
    if (heard)
        s->heard = heard;
    if (!requests || !what || !outgoing || !indices || !statuses || !heard)
        return -1;
    s->room = (int)room;
    return 0;
}

static void keep(struct state *s, void *what, bool outgoing)
{
    s->what[s->count] = what;
    s->outgoing[s->count++] = outgoing;
}

static int send_letter(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    struct state *s = state;
    struct envelope *e = s->free;
    if (make_room(s) != 0)
        return -1;
    if (e)
        s->free = e->next;
    else if (!(e = malloc(sizeof *e)))
        return -1;
    memcpy(e->bytes, msg, sizeof *msg);
    if (msg->bytes)
        memcpy(e->bytes + sizeof *msg, payload, msg->bytes);
    MPI_Isend(e->bytes, (int)(sizeof *msg + msg->bytes), MPI_BYTE, to, LETTER_TAG, s->ctrl_comm,
              &s->requests[s->count]);
    keep(s, e, true);
    s->letters_out++;
    return 0;
}

static int send_data(void *state, int to, int tag, const void *data, size_t bytes, void *flight)
{
    struct state *s = state;
    if (make_room(s) != 0)
        return -1;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, s->data, &s->requests[s->count]);
    keep(s, flight, false);
    return 0;
}

static int receive_data(void *state, int from, int tag, void *data, size_t bytes, void *flight)
{
    struct state *s = state;
    if (make_room(s) != 0)
        return -1;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, s->data, &s->requests[s->count]);
    keep(s, flight, false);
    return 0;
}

static void expect(struct state *s, int i)
{
    MPI_Irecv(s->arriving[i], ENVELOPE, MPI_BYTE, MPI_ANY_SOURCE, LETTER_TAG, s->ctrl_comm, &s->arrive[i]);
}

static void read_letter(struct state *s, int from, const struct ovl_transport_events *events, void *to)
{
    struct ovl_ctrl_msg msg;
    int i = s->next;
    s->next = (i + 1) % ARRIVING;
    memcpy(&msg, s->arriving[i], sizeof msg);
    events->on_ctrl(to, from, &msg, s->arriving[i] + sizeof msg);
    expect(s, i);
}

/* Control messages in the order of arrival; each receive is posted again when its control message has been read. */
static int more_letters(struct state *s, const struct ovl_transport_events *events, void *to)
{
    int n = 0, complete = 1;
    for (; n < ARRIVING; n++) {
        MPI_Status status;
        MPI_Test(&s->arrive[s->next], &complete, &status);
        if (!complete)
            break;
        read_letter(s, status.MPI_SOURCE, events, to);
    }
    return n;
}

/* What ended is taken out of the arrays before anybody hears of it, since who hears may begin something new. Returns
   how many flights there are in `heard`. */
static int take_out(struct state *s, void **heard)
{
    int flights = 0, kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->requests[i] != MPI_REQUEST_NULL) {
            s->requests[kept] = s->requests[i];
            s->what[kept] = s->what[i];
            s->outgoing[kept++] = s->outgoing[i];
        } else if (s->outgoing[i]) {
            struct envelope *e = s->what[i];
            e->next = s->free;
            s->free = e;
            s->letters_out--;
        } else
            heard[flights++] = s->what[i];
    }
    s->count = kept;
    return flights;
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
    int flights = take_out(s, s->heard);
    for (int i = 0; i < flights; i++)
        events->on_complete(to, s->heard[i]);
    if (from >= 0)
        read_letter(s, from, events, to);
    return from < 0 ? ended : ended + more_letters(s, events, to);
}

static bool quiet(void *state)
{
    return ((struct state *)state)->letters_out == 0;
}

int ovl_transport_mpi_open(struct ovl_transport *t, MPI_Comm comm, struct ovl_error *err)
{
    struct state *s = calloc(1, sizeof *s);
    char(*arriving)[ENVELOPE] = calloc(ARRIVING, sizeof *arriving);
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
    /* An attribute of MPI_COMM_WORLD only, and at least 32767 (MPI 4.0, 9.1.2). */
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    int tags = found ? *most : TAGS_LEAST;
    *t = (struct ovl_transport){.state = s,
                                .tags = tags < TAGS_MOST ? tags : TAGS_MOST,
                                .send_ctrl = send_letter,
                                .send = send_data,
                                .receive = receive_data,
                                .poll = poll_mpi,
                                .quiet = quiet};
    for (int i = 0; i < ARRIVING && s->size > 1; i++)
        expect(s, i);
    return 0;
}

void ovl_transport_mpi_close(struct ovl_transport *t)
{
    struct state *s = t->state;
    MPI_Barrier(s->data);
    for (int i = 0; i < ARRIVING && s->size > 1; i++) {
        MPI_Cancel(&s->arrive[i]);
        MPI_Wait(&s->arrive[i], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&s->ctrl_comm);
    MPI_Comm_free(&s->data);
    for (struct envelope *e = s->free, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    free(s->arriving);
    free(s->requests);
    free(s->what);
    free(s->outgoing);
    free(s->indices);
    free(s->statuses);
    free(s->heard);
    free(s);
}
