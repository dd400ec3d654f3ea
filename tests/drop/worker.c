/* Linked into an ovl_worker whose operations complete and do not move what they should, to prove that checks see it.
   The linker gives the engine's own functions these (--wrap). */
/* SPDX-License-Identifier: BSD-3-Clause */
/* OVL_WORKER_DROPS says what: "all", the default, each step of a schedule, which has ended as soon as it begins;
   "last", messages from and to the last rank of a team; "place", none, but of a buffer what stands before a message
   goes in its stead, where as much does. */
#include "offload/worker/state.h"

#include <stdlib.h>
#include <string.h>

void __wrap_ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t);
void __wrap_ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t);
void __wrap_ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t);
void __real_ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t);
void __real_ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t);
void __real_ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t);

static bool drops(const char *what)
{
    const char *text = getenv("OVL_WORKER_DROPS");
    return strcmp(text ? text : "all", what) == 0;
}

static bool is_dropped(const struct ovl_p2p_req *t)
{
    int last = t->op->team->ranks - 1;
    return drops("all") ||
           (drops("last") && t->step->kind != OVL_STEP_COPY && (t->op->team->rank == last || t->step->peer == last));
}

static void change(struct ovl_p2p_req *t, bool sends)
{
    const struct ovl_step *s = t->step;
    bool place = sends && drops("place") && s->from.offset >= s->bytes, half = drops("half") && s->bytes >= 16;
    if (s->sized || !(place || half))
        return;
    t->own = *s;
    t->own.from.offset -= place ? s->bytes : 0;
    t->own.bytes = half ? s->bytes / 16 * 8 : s->bytes;
    t->step = &t->own;
}

void __wrap_ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    change(t, true);
    (is_dropped(t) ? ovl_p2p_complete : __real_ovl_p2p_copy)(w, t);
}

void __wrap_ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    change(t, true);
    (is_dropped(t) ? ovl_p2p_complete : __real_ovl_p2p_send)(w, t);
}

void __wrap_ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    change(t, false);
    (is_dropped(t) ? ovl_p2p_complete : __real_ovl_p2p_recv)(w, t);
}
