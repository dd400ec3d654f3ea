/* Stages are played against each other, turn by turn: each runs what it has next as soon as its input is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/pipeline.h"
#include "base/error.h"

#include <stdlib.h>

/* Turn n of a stage. It runs some forward passes ahead, so that the next stages have work, then one forwards and one
   backwards in turn. */
static struct ovl_turn turn_of(const struct ovl_pipeline *p, int stage, int n)
{
    int all = p->microbatches * p->chunks, later = p->stages - stage - 1;
    int ahead = p->chunks == 1 ? later : 2 * later + (p->chunks - 1) * p->stages;
    ahead = ahead < all ? ahead : all;
    int k = n < ahead ? n : n < 2 * all - ahead ? (n - ahead) / 2 : n - all; /* of its kind */
    bool back = n >= 2 * all - ahead || (n >= ahead && (n - ahead) % 2 == 1);
    k += n >= ahead && !back ? ahead : 0;
    int place = k % (p->stages * p->chunks), chunk = place / p->stages;
    return (struct ovl_turn){.runs = true,
                             .back = back,
                             .chunk = back ? p->chunks - 1 - chunk : chunk,
                             .microbatch = k / (p->stages * p->chunks) * p->stages + place % p->stages};
}

/* When a pass over a microbatch ran: of the forward passes of all pieces, then of the backward passes. */
static size_t *ran(const struct ovl_pipeline *p, size_t *when, bool back, int piece, int microbatch)
{
    return &when[(size_t)((back ? p->stages * p->chunks : 0) + piece) * (size_t)p->microbatches + (size_t)microbatch];
}

/* Has what the turn needs been made before `now`? */
static bool ready(const struct ovl_pipeline *p, size_t *when, const struct ovl_turn *t, int stage, size_t now)
{
    int piece = t->chunk * p->stages + stage, last = p->stages * p->chunks - 1;
    if (t->back && piece == last)
        return *ran(p, when, false, piece, t->microbatch) < now;
    return (!t->back && piece == 0) || *ran(p, when, t->back, piece + (t->back ? 1 : -1), t->microbatch) < now;
}

void ovl_pipeline_open(struct ovl_pipeline *p)
{
    size_t stages = (size_t)p->stages, passes = 2 * stages * (size_t)p->chunks * (size_t)p->microbatches;
    size_t left = passes, room = 0, now = 0;
    int *next = ovl_check_alloc(calloc(stages, sizeof *next));
    size_t *when = ovl_check_alloc(malloc(passes * sizeof *when));
    for (size_t i = 0; i < passes; i++)
        when[i] = (size_t)-1;
    p->turns = NULL;
    for (; left > 0; now++) {
        if (now == room) {
            room = 2 * room + 64;
            p->turns = ovl_check_alloc(realloc(p->turns, room * stages * sizeof *p->turns));
        }
        for (int s = 0; s < p->stages; s++) {
            struct ovl_turn t = {.runs = next[s] < 2 * p->microbatches * p->chunks};
            if (t.runs)
                t = turn_of(p, s, next[s]);
            t.runs = t.runs && ready(p, when, &t, s, now);
            if (t.runs) {
                *ran(p, when, t.back, t.chunk * p->stages + s, t.microbatch) = now;
                next[s]++;
                left--;
            }
            p->turns[now * stages + (size_t)s] = t;
        }
    }
    p->times = now;
    free(when);
    free(next);
}

void ovl_pipeline_close(struct ovl_pipeline *p)
{
    free(p->turns);
    p->turns = NULL;
}
