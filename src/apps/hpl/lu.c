/* Right-looking LU with look-ahead: the hooks of its plan. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/lu.h"
#include "apps/hpl/back.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/factor.h"
#include "apps/hpl/row_swap.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* A product of several strips at once is quicker, since each call packs the whole of L anew: by OpenBLAS, of 5,800 rows
   and an NB of 192, strips of NB columns cost 6 % and of three NB 2 %, nearly all of it in the product. The chain,
   which is taken up the later for it, has time as long as there is an update to do. */
enum { STRIPS = 3 };

/* Adds the time since `begin` to a part. Returns it. */
static double took(struct ovl_hpl_lu *lu, enum ovl_hpl_time part, int64_t begin)
{
    double seconds = ovl_clock_since(begin);
    lu->times.seconds[part] += seconds;
    return seconds;
}

static struct ovl_hpl_panel *panel_in(const struct ovl_hpl_lu *lu, int slot)
{
    return &lu->system->panel[slot];
}

static struct ovl_hpl_panel *panel_of(const struct ovl_hpl_lu *lu, int number)
{
    return panel_in(lu, ovl_hpl_buffer(&lu->solve_plan.shape, number));
}

static bool owns(const struct ovl_hpl_lu *lu, const struct ovl_hpl_panel *p)
{
    return lu->system->grid->column_at == p->column_owner;
}

/* In a run of the work alone only the pivots of the solution before say what the rows do. Of a panel that did not come
   pivots are any numbers, and not to be followed out of the matrix. */
static void take_pivots(const struct ovl_hpl_lu *lu, struct ovl_hpl_panel *p)
{
    struct ovl_hpl_system *s = lu->system;
    if (lu->run.mask != OVL_MASK_WORK) {
        for (int i = 0; i < p->width; i++) {
            int at = p->first + i;
            bool possible = p->pivots[i] >= at && p->pivots[i] < s->shape.n;
            s->pivots[at] = possible ? (int)p->pivots[i] : at;
            s->lost = s->lost || !possible;
        }
        if (s->singular < 0 && *p->singular >= 0)
            s->singular = (int)*p->singular;
        if (s->spoil == OVL_HPL_SPOIL_PANEL && p->number == 0 && !owns(lu, p) && p->rows > 0)
            p->lower[p->rows / 2] += 1;
    }
    ovl_hpl_row_swap_plan(s, p);
}

/* The top rows of a local column, once they are solved for. */
static double *top_rows(const struct ovl_hpl_system *s, const struct ovl_hpl_panel *p, int column)
{
    return s->grid->rows == 1 ? s->a + (size_t)column * (size_t)s->ld + p->top
                              : s->u + (size_t)column * (size_t)p->width;
}

/* Rows exchanged and top rows solved for: local columns c .. end - 1 are then ready to be multiplied. */
static void prepare(struct ovl_hpl_lu *lu, const struct ovl_hpl_panel *p, enum ovl_hpl_swap swap, int c, int end)
{
    struct ovl_hpl_system *s = lu->system;
    bool in_place = s->grid->rows == 1, owner = s->grid->row_at == p->row_owner;
    double *top = s->a + (size_t)c * (size_t)s->ld + p->top, *u = top_rows(s, p, c);
    int64_t begin = ovl_clock_ns();
    ovl_hpl_row_swap(s, p, swap, c, end, u);
    took(lu, OVL_HPL_SWAP, begin);
    begin = ovl_clock_ns();
    ovl_hpl_solve_lower(p->width, end - c, p->triangle, p->width, u, in_place ? s->ld : p->width);
    for (int i = 0; i < end - c && owner && !in_place; i++)
        memcpy(top + (size_t)i * (size_t)s->ld, u + (size_t)i * (size_t)p->width, (size_t)p->width * sizeof *u);
    took(lu, OVL_HPL_UPDATE, begin);
}

static void multiply(struct ovl_hpl_lu *lu, const struct ovl_hpl_panel *p, int c, int end)
{
    struct ovl_hpl_system *s = lu->system;
    int64_t begin = ovl_clock_ns();
    ovl_hpl_gemm(p->rows, end - c, p->width, p->lower, p->rows, top_rows(s, p, c),
                 s->grid->rows == 1 ? s->ld : p->width, s->a + (size_t)c * (size_t)s->ld + p->below, s->ld);
    took(lu, OVL_HPL_UPDATE, begin);
}

/* Must the host move a panel on? */
static bool moves(const struct ovl_hpl_lu *lu)
{
    return lu->run.polls && lu->run.pending;
}

/* Strips from .. to - 1 of an update. While the host has to move a panel on, the product too is cut up, else it is made
   in one piece. */
static void update(struct ovl_hpl_lu *lu, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_hpl_system *s = lu->system;
    const struct ovl_hpl_panel *p = panel_of(lu, step->index);
    struct ovl_hpl_columns c = ovl_hpl_solve_plan_columns(&s->shape, s->grid->column_at, step);
    enum ovl_hpl_swap swap = c.to - c.from <= s->shape.mix_columns ? OVL_HPL_BINARY_EXCHANGE : OVL_HPL_SPREAD_AND_ROLL;
    int strip = ovl_hpl_strip(&s->shape), first = c.from + from * strip;
    int last = to == step->units ? c.to : c.from + to * strip;
    for (int at = first, end; at < last; at = end) {
        end = last - at > strip ? at + strip : last;
        prepare(lu, p, swap, at, end);
        if (moves(lu))
            ovl_app_poll(&lu->run);
    }
    for (int at = first, end; at < last; at = end) {
        bool cut = moves(lu) && last - at > s->shape.nb;
        end = cut ? at + s->shape.nb : last;
        multiply(lu, p, at, end);
        if (cut)
            ovl_app_poll(&lu->run);
    }
}

static void hook_compute(void *self, const struct ovl_app_step *step, int from, int to)
{
    struct ovl_hpl_lu *lu = self;
    struct ovl_hpl_system *s = lu->system;
    struct ovl_hpl_panel *p = panel_of(lu, step->index);
    s->talked_ns = 0;
    int64_t begin = ovl_clock_ns();
    switch ((enum ovl_hpl_what)step->what) {
    case OVL_HPL_DO_FACTOR:
        ovl_hpl_panel_set(p, s, step->index);
        ovl_hpl_factor(s, p);
        took(lu, OVL_HPL_FACTOR, begin);
        break;
    case OVL_HPL_DO_TAKE:
        ovl_hpl_panel_set(p, s, step->index);
        take_pivots(lu, p);
        took(lu, OVL_HPL_SWAP, begin);
        break;
    case OVL_HPL_DO_SOLVE:
        ovl_hpl_back_substitute(s);
        took(lu, OVL_HPL_SOLVE, begin);
        break;
    default:
        update(lu, step, from, to);
    }
    ovl_app_aside(&lu->run, s->talked_ns);
}

static void hook_post(void *self, const struct ovl_app_step *step)
{
    struct ovl_hpl_lu *lu = self;
    struct ovl_hpl_panel *p = panel_in(lu, step->slot);
    struct ovl_hpl_bcast *b = &lu->bcast[step->slot];
    int64_t begin = ovl_clock_ns();
    ovl_hpl_panel_set(p, lu->system, step->index);
    ovl_hpl_bcast_begin(b, p->column_owner, p->data, p->doubles);
    lu->run.polls = b->host_moves;
    lu->run.stride = b->host_moves || lu->solve_plan.shape.rows > 1 ? 1 : STRIPS;
    lu->times.bcast[p->number] += took(lu, OVL_HPL_BCAST, begin);
}

static bool hook_test(void *self, int slot)
{
    struct ovl_hpl_lu *lu = self;
    int64_t begin = ovl_clock_ns();
    bool complete = ovl_hpl_bcast_test(&lu->bcast[slot]);
    lu->times.bcast[panel_in(lu, slot)->number] += took(lu, OVL_HPL_BCAST, begin);
    return complete;
}

static void hook_wait(void *self, int slot)
{
    struct ovl_hpl_lu *lu = self;
    const struct ovl_hpl_panel *p = panel_in(lu, slot);
    int64_t begin = ovl_clock_ns();
    ovl_hpl_bcast_wait(&lu->bcast[slot]);
    lu->times.bcast[p->number] += took(lu, OVL_HPL_BCAST, begin);
    if (!owns(lu, p))
        lu->times.came[p->number] = ovl_clock_since(lu->begin);
}

static void hook_sync(void *self, const struct ovl_app_step *step)
{
    if (step->what == OVL_HPL_DO_SYNC)
        return;
    hook_post(self, step);
    hook_wait(self, step->slot);
}

/* Processes of a column exchange rows within the update and look for pivots together, so none may be at another panel
   than the others. With one panel of look-ahead there is only one order. */
static bool hook_agree(void *self, bool complete)
{
    const struct ovl_hpl_lu *lu = self;
    int all = complete;
    if (lu->solve_plan.shape.rows > 1 && lu->solve_plan.shape.depth > 1)
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, lu->system->grid->column);
    return all;
}

int ovl_hpl_lu_open(struct ovl_hpl_lu *lu, struct ovl_hpl_system *system, const struct ovl_hpl_way *way,
                    const int *node, struct ovl_error *err)
{
    static const struct ovl_app_hooks hooks = {ovl_app_now, hook_compute, hook_post, hook_test,
                                               hook_wait,   hook_sync,    hook_agree};
    int rc = 0;
    *lu = (struct ovl_hpl_lu){.system = system,
                              .solve_plan = {.shape = system->shape, .space = system->grid->space, .node = node},
                              .times = {.panels = system->panels}};
    lu->solve_plan.shape.depth = way->depth;
    lu->plan = ovl_hpl_solve_plan_make(&lu->solve_plan);
    lu->blocking = ovl_app_blocking(&lu->plan);
    lu->run = (struct ovl_app_run){
        .plan = way->blocking ? &lu->blocking : &lu->plan, .rank = system->grid->rank, .hooks = &hooks, .self = lu};
    lu->bcast = ovl_check_alloc(calloc((size_t)lu->plan.slots, sizeof *lu->bcast));
    for (int i = 0; i < lu->plan.slots; i++)
        if (ovl_hpl_bcast_open(&lu->bcast[i], way->scheme, way->mode, system->grid, err) != 0)
            rc = -1;
    lu->times.bcast = calloc((size_t)system->panels, sizeof *lu->times.bcast);
    lu->times.came = calloc((size_t)system->panels, sizeof *lu->times.came);
    return lu->times.bcast && lu->times.came
               ? rc
               : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the times of %d panels", system->panels);
}

void ovl_hpl_lu_close(struct ovl_hpl_lu *lu)
{
    for (int i = 0; i < lu->plan.slots; i++)
        ovl_hpl_bcast_close(&lu->bcast[i]);
    free(lu->bcast);
    free(lu->times.bcast);
    free(lu->times.came);
    *lu = (struct ovl_hpl_lu){.system = NULL};
}

void ovl_hpl_lu_play(struct ovl_hpl_lu *lu, enum ovl_app_mask mask)
{
    struct ovl_hpl_times *t = &lu->times;
    memset(t->seconds, 0, sizeof t->seconds);
    memset(t->bcast, 0, (size_t)t->panels * sizeof *t->bcast);
    memset(t->came, 0, (size_t)t->panels * sizeof *t->came);
    lu->run.mask = mask;
    lu->begin = ovl_clock_ns();
    ovl_app_run(&lu->run);
    t->seconds[OVL_HPL_TOTAL] = t->came[t->panels - 1] = ovl_clock_since(lu->begin);
}
