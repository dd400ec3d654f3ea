/* An order of the matrix as a problem of the frame: its system, the ways of broadcasting, and the check. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/back.h"
#include "apps/hpl/state.h"
#include "base/rng.h"
#include "machine/blas.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int add_variant(struct ovl_hpl *p, const struct ovl_mode *mode, const char *name, int depth, const char *scheme,
                       struct ovl_error *err)
{
    struct ovl_app_schemes *a = &p->job.schemes;
    if (a->count == OVL_LOOP_MODES)
        return ovl_error_set(err, OVL_USAGE, "--bcast, --depth, --mode: more than %d ways; give some of them",
                             OVL_LOOP_MODES);
    p->variant[a->count].depth = depth;
    p->variant[a->count].scheme = ovl_hpl_scheme_find(scheme, strcspn(scheme, ","));
    a->scheme[a->count] = (struct ovl_app_scheme){.name = name, .mode = mode};
    p->job.stage.modes[a->count++] = mode;
    return 0;
}

/* The schemes of --bcast in host mode; waited for at once the first of them, with the first look-ahead; in dpu mode the
   one that the mode itself does, whatever that list has, by the algorithm asked for. */
int ovl_hpl_choose(struct ovl_hpl *p, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    struct ovl_app_schemes *a = &p->job.schemes;
    int rc =
        ovl_offload_choose(&p->job.offload, &o->common.offload, o->algorithm, OVL_IBCAST, "ibcast", o->columns, err);
    a->count = 0;
    a->blocking = -1;
    for (const char *m = o->common.offload.modes; *m; m += strcspn(m, ","), m += *m == ',') {
        static const char blocking[] = "blocking";
        bool blocks = strncmp(m, blocking, strlen(blocking)) == 0;
        const struct ovl_mode *mode =
            blocks ? ovl_mode_find("host", 4, "mpi") : ovl_mode_find(m, strcspn(m, ","), o->common.offload.engine);
        bool host = strcmp(mode->name, "host") == 0;
        if (blocks)
            a->blocking = a->count;
        for (size_t d = 0; d < (blocks ? 1 : o->depths.n); d++)
            for (const char *at = host ? o->schemes : "ibcast"; *at && rc == 0; at += *at == ',') {
                rc = add_variant(p, mode, blocks ? blocking : mode->name, (int)o->depths.value[d], at, err);
                at += blocks ? strlen(at) : strcspn(at, ",");
            }
    }
    return rc;
}

static int open_variants(struct ovl_hpl *h, struct ovl_error *err)
{
    struct ovl_app_schemes *a = &h->job.schemes;
    int rc = 0;
    for (int s = 0; s < a->count; s++) {
        struct ovl_hpl_variant *v = &h->variant[s];
        bool blocks = s == a->blocking;
        v->singular = -1;
        const struct ovl_hpl_way way = {v->scheme, a->scheme[s].mode, v->depth, blocks};
        if (ovl_hpl_lu_open(&v->lu, &h->system, &way, a->node, err) != 0)
            rc = -1;
        a->scheme[s].run = &v->lu.run;
        a->scheme[s].plan = 2 * v->depth + blocks;
    }
    return rc;
}

static int open_order(struct ovl_app_job *job, size_t problem, struct ovl_error *err)
{
    struct ovl_hpl *h = (struct ovl_hpl *)job;
    const struct ovl_hpl_options *o = &h->options;
    struct ovl_hpl_shape shape = ovl_hpl_options_shape(o, o->orders.value[problem]);
    ovl_blas_threads((int)o->threads);
    h->open = true; /* at all ranks, so that closing can be collective */
    if (ovl_hpl_grid_open(&h->grid, job->comm, &shape, job->stage.offload, err) != 0)
        return -1;
    int rc = ovl_hpl_open(&h->system, &shape, &h->grid, ovl_rng_mix(job->options->seed), err);
    rc = open_variants(h, err) == 0 ? rc : -1;
    rc = ovl_hpl_blocks_open(h, err) == 0 ? rc : -1;
    if (ovl_agree(job->comm, rc, err) != 0)
        return -1;
    h->system.spoil = o->spoiled;
    h->wire_bytes = ovl_hpl_wire_bytes(&h->system, job->schemes.node);
    snprintf(job->schemes.problem, sizeof job->schemes.problem, "N %d", shape.n);
    job->schemes.limit = nextafter(OVL_HPL_RESIDUAL_LIMIT, 0);
    return 0;
}

static void close_order(struct ovl_app_job *job)
{
    struct ovl_hpl *h = (struct ovl_hpl *)job;
    if (h->open && h->system.grid) {
        ovl_hpl_blocks_close(h);
        for (int s = 0; s < job->schemes.count; s++)
            ovl_hpl_lu_close(&h->variant[s].lu);
        ovl_hpl_close(&h->system);
    }
    if (h->open)
        ovl_hpl_grid_close(&h->grid);
    h->system.grid = NULL;
    h->open = false;
}

static void fill(struct ovl_app_job *job)
{
    ovl_hpl_fill(&((struct ovl_hpl *)job)->system);
}

static void poison(struct ovl_app_job *job)
{
    ovl_hpl_poison(&((struct ovl_hpl *)job)->system);
}

static double error_of(struct ovl_app_job *job)
{
    struct ovl_hpl *h = (struct ovl_hpl *)job;
    ovl_hpl_share_solution(&h->system);
    double residual = ovl_hpl_residual(&h->system);
    if (h->system.singular < 0)
        return h->system.lost ? INFINITY : residual;
    h->variant[job->schemes.answered].singular = h->system.singular;
    return INFINITY;
}

static void play(struct ovl_app_job *job, int scheme, enum ovl_app_mask mask)
{
    struct ovl_hpl_variant *v = &((struct ovl_hpl *)job)->variant[scheme];
    const struct ovl_hpl_times *t = &v->lu.times;
    size_t panels = (size_t)t->panels * sizeof *t->bcast;
    ovl_hpl_lu_play(&v->lu, mask);
    if (mask == OVL_MASK_TOTAL) {
        memcpy(v->total, t->seconds, sizeof v->total);
        memcpy(v->bcast, t->bcast, panels);
    } else if (mask == OVL_MASK_COMM)
        memcpy(v->came, t->came, panels);
    else
        v->update_apart = t->seconds[OVL_HPL_UPDATE];
}

static void fault(const struct ovl_app_job *job, int scheme, double error, char text[128])
{
    const struct ovl_hpl_variant *v = &((const struct ovl_hpl *)job)->variant[scheme];
    int n = snprintf(text, 128, "%s: ", v->scheme->name);
    if (v->singular >= 0)
        snprintf(text + n, 128 - (size_t)n, "singular: column %d has no pivot", v->singular);
    else if (isinf(error))
        snprintf(text + n, 128 - (size_t)n, "the residual is not a number");
    else
        snprintf(text + n, 128 - (size_t)n, "the residual is %.3g, not under %d", error, OVL_HPL_RESIDUAL_LIMIT);
}

const struct ovl_app_schemes_row ovl_hpl_schemes_row = {
    .check = "residual",
    .open = open_order,
    .close = close_order,
    .fill = fill,
    .error = error_of,
    .poison = poison,
    .play = play,
    .kept = ovl_hpl_keep_block,
    .fault = fault,
    .tell = ovl_hpl_fill_cell,
};
