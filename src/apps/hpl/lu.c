/* Right-looking LU with look-ahead. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/lu.h"
#include "apps/hpl/back.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/factor.h"
#include "apps/hpl/rows.h"
#include "base/clock.h"

#include <string.h>

struct run {
    struct ovl_hpl_system *s;
    struct ovl_hpl_bcast *b;
    struct ovl_hpl_times *t;
    bool apart;
};

/* Adds the time since `begin` to a part. Returns it. */
static double took(const struct run *r, enum ovl_hpl_time part, int64_t begin)
{
    double seconds = 1e-9 * (double)(ovl_clock_ns() - begin);
    r->t->seconds[part] += seconds;
    return seconds;
}

static void begin_bcast(const struct run *r, struct ovl_hpl_panel *p)
{
    if (r->apart)
        MPI_Barrier(r->s->grid->all);
    int64_t begin = ovl_clock_ns();
    ovl_hpl_bcast_begin(r->b, p->column_owner, p->data, p->doubles);
    if (r->apart)
        ovl_hpl_bcast_wait(r->b);
    r->t->bcast[p->number] += took(r, OVL_HPL_BCAST, begin);
}

static void wait_bcast(const struct run *r, struct ovl_hpl_panel *p)
{
    int64_t begin = ovl_clock_ns();
    ovl_hpl_bcast_wait(r->b);
    r->t->bcast[p->number] += took(r, OVL_HPL_BCAST, begin);
    struct ovl_hpl_system *s = r->s;
    if (s->singular < 0 && *p->singular >= 0)
        s->singular = (int)*p->singular;
    bool received = s->grid->column_at != p->column_owner;
    if (s->spoil == OVL_HPL_SPOIL_PANEL && p->number == 0 && received && p->rows > 0)
        p->lower[p->rows / 2] += 1;
}

/* Gives a pending broadcast a chance. */
static void poll(const struct run *r, const struct ovl_hpl_panel *pending)
{
    if (!pending || r->b->done)
        return;
    int64_t begin = ovl_clock_ns();
    ovl_hpl_bcast_test(r->b);
    r->t->bcast[pending->number] += took(r, OVL_HPL_BCAST, begin);
}

static void factor(const struct run *r, struct ovl_hpl_panel *p)
{
    if (r->s->grid->column_at != p->column_owner)
        return;
    int64_t begin = ovl_clock_ns();
    ovl_hpl_factor(r->s, p);
    took(r, OVL_HPL_FACTOR, begin);
}

/* Rows exchanged and top rows solved for: local columns from .. to - 1 are then ready to be multiplied. */
static void prepare(const struct run *r, const struct ovl_hpl_panel *p, int from, int to,
                    const struct ovl_hpl_panel *pending)
{
    struct ovl_hpl_system *s = r->s;
    bool in_place = s->grid->rows == 1, owner = s->grid->row_at == p->row_owner;
    enum ovl_hpl_swap swap = to - from <= s->shape.mix_columns ? OVL_HPL_HALVES : OVL_HPL_SPREAD_AND_ROLL;
    for (int c = from, piece = ovl_hpl_piece(&s->shape); c < to; c += piece) {
        int end = to - c < piece ? to : c + piece;
        double *top = s->a + (size_t)c * (size_t)s->ld + p->top, *u = s->u + (size_t)(c - from) * (size_t)p->width;
        int64_t begin = ovl_clock_ns();
        ovl_hpl_rows_exchange(s, p, swap, c, end, u);
        took(r, OVL_HPL_SWAP, begin);
        begin = ovl_clock_ns();
        if (in_place)
            ovl_hpl_solve_lower(p->width, end - c, p->triangle, p->width, top, s->ld);
        else {
            ovl_hpl_solve_lower(p->width, end - c, p->triangle, p->width, u, p->width);
            for (int i = 0; i < end - c && owner; i++)
                memcpy(top + (size_t)i * (size_t)s->ld, u + (size_t)i * (size_t)p->width, (size_t)p->width * sizeof *u);
        }
        took(r, OVL_HPL_UPDATE, begin);
        poll(r, pending);
    }
}

/* Applies a panel to local columns from .. to - 1: in strips while `pending` is on its way, then in one piece. */
static void update(const struct run *r, const struct ovl_hpl_panel *p, int from, int to,
                   const struct ovl_hpl_panel *pending)
{
    struct ovl_hpl_system *s = r->s;
    bool in_place = s->grid->rows == 1;
    prepare(r, p, from, to, pending);
    for (int c = from, width; c < to; c += width) {
        bool strips = pending && !r->b->done && r->b->host_moves;
        width = strips && to - c > s->shape.nb ? s->shape.nb : to - c;
        double *column = s->a + (size_t)c * (size_t)s->ld;
        const double *u = in_place ? column + p->top : s->u + (size_t)(c - from) * (size_t)p->width;
        int64_t begin = ovl_clock_ns();
        ovl_hpl_gemm(p->rows, width, p->width, p->lower, p->rows, u, in_place ? s->ld : p->width, column + p->below,
                     s->ld);
        took(r, OVL_HPL_UPDATE, begin);
        poll(r, pending);
    }
}

/* One panel: with look-ahead the next one is factored and sent before the bulk of the update. */
static void step(const struct run *r, struct ovl_hpl_panel *p, struct ovl_hpl_panel *next)
{
    struct ovl_hpl_system *s = r->s;
    bool ahead = next && s->shape.depth > 0;
    int from = ovl_hpl_columns_before(s, p->first + p->width);
    if (ahead) {
        int after = ovl_hpl_columns_before(s, next->first + next->width);
        if (s->grid->column_at == next->column_owner) {
            update(r, p, from, after, NULL);
            factor(r, next);
        }
        from = after;
        begin_bcast(r, next);
    }
    update(r, p, from, s->mine_columns, ahead ? next : NULL);
    if (!ahead && next) {
        ovl_hpl_panel_set(next, s, p->number + 1);
        factor(r, next);
        begin_bcast(r, next);
    }
}

void ovl_hpl_solve(struct ovl_hpl_system *s, struct ovl_hpl_bcast *b, bool apart, struct ovl_hpl_times *t)
{
    struct run r = {s, b, t, apart};
    int buffers = s->shape.depth + 1;
    memset(t->seconds, 0, sizeof t->seconds);
    memset(t->bcast, 0, (size_t)t->panels * sizeof *t->bcast);
    int64_t start = ovl_clock_ns();
    ovl_hpl_panel_set(&s->panel[0], s, 0);
    factor(&r, &s->panel[0]);
    begin_bcast(&r, &s->panel[0]);
    for (int k = 0; k < s->panels; k++) {
        struct ovl_hpl_panel *p = &s->panel[k % buffers], *next = &s->panel[(k + 1) % buffers];
        wait_bcast(&r, p);
        ovl_hpl_rows_plan(s, p);
        if (k + 1 == s->panels)
            next = NULL;
        else if (s->shape.depth > 0)
            ovl_hpl_panel_set(next, s, k + 1);
        step(&r, p, next);
    }
    int64_t begin = ovl_clock_ns();
    ovl_hpl_back_substitute(s);
    took(&r, OVL_HPL_SOLVE, begin);
    t->seconds[OVL_HPL_TOTAL] = 1e-9 * (double)(ovl_clock_ns() - start);
}
