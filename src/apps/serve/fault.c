/* Where the first wrong data of a sample were, in words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"

#include <stdio.h>

void ovl_serve_locate(struct ovl_app_job *job, int scheme)
{
    struct ovl_serve_wrong *w = &((struct ovl_serve *)job)->players[scheme].wrong;
    int none = 2 * job->ranks, mine = !w->any ? none : w->back ? job->ranks + job->rank : job->rank, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, job->comm); /* what a tier got wrong it sends back wrong */
    if (first < none)
        MPI_Bcast(w, sizeof *w / sizeof(int), MPI_INT, first % job->ranks, job->comm);
}

void ovl_serve_fault(const struct ovl_app_job *job, int scheme, double error, char text[128])
{
    const struct ovl_serve_wrong *w = &((const struct ovl_serve *)job)->players[scheme].wrong;
    if (w->any && w->place >= 0)
        snprintf(text, 128,
                 "%.0f place(s) with another outcome than a serial program's: request %d, place %d, seen at rank %d",
                 error, w->request, w->place, w->rank);
    else if (w->any && w->request >= 0)
        snprintf(text, 128,
                 "%.0f message(s) with wrong data: keys and values of request %d, part %d, at rank %d, of rank %d",
                 error, w->request, w->part, w->rank, w->from);
    else if (w->any && w->token >= 0)
        snprintf(text, 128,
                 "%.0f message(s) with wrong data: %s of block %d, iteration %d: token %d of rank %d, at rank %d",
                 error, w->returns ? "combine" : "dispatch", w->part, w->iteration, w->token, w->from, w->rank);
    else if (w->any)
        snprintf(text, 128, "%.0f message(s) with wrong data: sum %d of iteration %d at rank %d", error, w->part,
                 w->iteration, w->rank);
}
