/* Linked into an ovl_worker whose operations complete and move nothing, to prove that checks see it: each step of a
   schedule has ended as soon as it begins. The linker gives the engine's own functions these (--wrap). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

void __wrap_ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t);
void __wrap_ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t);
void __wrap_ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t);

void __wrap_ovl_p2p_copy(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    ovl_p2p_complete(w, t);
}

void __wrap_ovl_p2p_send(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    ovl_p2p_complete(w, t);
}

void __wrap_ovl_p2p_recv(struct ovl_worker *w, struct ovl_p2p_req *t)
{
    ovl_p2p_complete(w, t);
}
