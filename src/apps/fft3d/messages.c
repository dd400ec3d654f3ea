/* Buffers lie in memory of the engine where there are workers; the exchange of a slab is described anew for each post.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/messages.h"
#include "apps/fft3d/transform_plan.h"
#include "bench/app/message.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>
#include <string.h>

size_t ovl_messages_largest(const struct ovl_pencil *pencil, int chunks)
{
    size_t most = 0;
    for (int t = 0; t < OVL_TRANSPOSES; t++) {
        bool carried = ovl_transform_plan_carried(pencil, (enum ovl_transpose)t);
        size_t numbers = carried ? ovl_pencil_message_most(pencil, (enum ovl_transpose)t, chunks) : 0;
        most = numbers > most ? numbers : most;
    }
    return most;
}

int ovl_messages_open(struct ovl_messages *c, MPI_Comm comm, const bool workers[OVL_TRANSPOSES], int slots,
                      const size_t *largest, struct ovl_error *err)
{
    int rc = ovl_app_lines_open(&c->lines, comm, &c->pencil->space, c->offload, workers, err);
    const int *members = c->pencil->space.members;
    size_t ranks = (size_t)(members[OVL_ROW] > members[OVL_COLUMN] ? members[OVL_ROW] : members[OVL_COLUMN]);
    c->slots = calloc((size_t)slots, sizeof *c->slots);
    c->slot_count = c->slots ? slots : 0;
    bool got = c->slots;
    for (int s = 0; s < c->slot_count; s++) {
        struct ovl_exchange *x = &c->slots[s].exchange;
        *x = (struct ovl_exchange){.offload = c->offload, .request = MPI_REQUEST_NULL};
        x->send_counts = calloc(4 * ranks, sizeof *x->send_counts);
        got = got && x->send_counts;
        if (!x->send_counts)
            continue;
        x->send_displs = x->send_counts + ranks;
        x->recv_counts = x->send_displs + ranks;
        x->recv_displs = x->recv_counts + ranks;
    }
    if (rc == 0 && !got)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %d messages among %zu ranks", slots, ranks);
    rc = ovl_agree(comm, rc, err); /* memory that workers reach is obtained by all */
    for (int s = 0; s < c->slot_count && rc == 0; s++) {
        struct ovl_message *m = &c->slots[s];
        size_t bytes = largest[s] * sizeof(double complex);
        if (ovl_app_memory(c->offload, &m->exchange.send, bytes, err) != 0 ||
            ovl_app_memory(c->offload, &m->exchange.recv, bytes, err) != 0)
            rc = -1;
        m->exchange.source = m->send = m->exchange.send;
        m->exchange.target = m->recv = m->exchange.recv;
    }
    return rc;
}

void ovl_messages_close(struct ovl_messages *c)
{
    for (int s = 0; s < c->slot_count; s++) {
        ovl_app_memory_free(c->offload, c->slots[s].exchange.send);
        ovl_app_memory_free(c->offload, c->slots[s].exchange.recv);
        free(c->slots[s].exchange.send_counts);
    }
    free(c->slots);
    ovl_app_lines_close(&c->lines);
    memset(c, 0, sizeof *c);
}

void ovl_messages_describe(struct ovl_messages *c, int slot, enum ovl_transpose t, bool back, size_t slab)
{
    const struct ovl_pencil *p = c->pencil;
    struct ovl_exchange *x = &c->slots[slot].exchange;
    x->collective = ovl_pencil_even(p, t) ? &ovl_coll_ialltoall : &ovl_coll_ialltoallv;
    x->comm = c->lines.comm[t];
    x->rank = p->place[t];
    x->ranks = x->in = x->out = p->space.members[t];
    x->type = MPI_DOUBLE;
    x->element = sizeof(double);
    x->dtype = OVL_DOUBLE;
    for (int peer = 0; peer < x->ranks; peer++) { /* two doubles a number */
        struct ovl_range send = ovl_pencil_block(p, t, !back, slab, peer),
                         recv = ovl_pencil_block(p, t, back, slab, peer);
        x->send_counts[peer] = 2 * (int)send.count;
        x->send_displs[peer] = 2 * (int)send.first;
        x->recv_counts[peer] = 2 * (int)recv.count;
        x->recv_displs[peer] = 2 * (int)recv.first;
    }
    x->count = x->send_counts[0]; /* of all, where they are even */
    x->size = (size_t)x->count * x->element;
    x->send_bytes = ovl_pencil_message(p, t, !back, slab) * sizeof(double complex);
    x->recv_bytes = ovl_pencil_message(p, t, back, slab) * sizeof(double complex);
    if (x->offload) {
        ovl_offload_describe(x);
        x->call.team = &c->lines.team[t];
        x->by_host =
            !c->lines.attached[t] || ovl_pencil_largest(p, t, slab) * sizeof(double complex) < x->offload->least;
    }
}
