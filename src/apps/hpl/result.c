/* What is kept of each block, and what only the cells of ovl_hpl have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/back.h"
#include "apps/hpl/solve_plan.h"
#include "apps/hpl/state.h"
#include "record/derived/hpl_line.h"
#include "record/proxy.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name; /* in the record */
    enum ovl_hpl_time from;
} quantities[OVL_HPL_QUANTITIES] = {
    [OVL_HPL_Q_FACTOR] = {"factor_seconds", OVL_HPL_FACTOR},
    [OVL_HPL_Q_BCAST] = {"exposed_comm_seconds", OVL_HPL_BCAST},
    [OVL_HPL_Q_SWAP] = {"swap_seconds", OVL_HPL_SWAP},
    [OVL_HPL_Q_UPDATE] = {"update_seconds", OVL_HPL_UPDATE},
    [OVL_HPL_Q_SOLVE] = {"solve_seconds", OVL_HPL_SOLVE},
    [OVL_HPL_Q_UPDATE_APART] = {"update_apart_seconds", 0},
};

static int open_variant(const struct ovl_hpl *h, struct ovl_hpl_variant *v, struct ovl_error *err)
{
    size_t panels = (size_t)h->system.panels, blocks = h->options.common.blocks[1];
    v->bcast = calloc(panels, sizeof *v->bcast);
    v->came = calloc(panels, sizeof *v->came);
    bool got = v->bcast && v->came;
    if (h->job.rank == 0) {
        v->exposed = malloc(panels * blocks * sizeof *v->exposed);
        v->alone = malloc(panels * blocks * sizeof *v->alone);
        got = got && v->exposed && v->alone;
        for (int q = 0; q < OVL_HPL_QUANTITIES; q++) {
            v->max[q] = malloc(blocks * sizeof *v->max[q]);
            v->mean[q] = malloc(blocks * sizeof *v->mean[q]);
            got = got && v->max[q] && v->mean[q];
        }
    }
    return got ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the times of %zu blocks", blocks);
}

int ovl_hpl_blocks_open(struct ovl_hpl *h, struct ovl_error *err)
{
    int rc = 0;
    h->blocks = 0;
    for (int s = 0; s < h->job.schemes.count; s++)
        if (open_variant(h, &h->variant[s], err) != 0)
            rc = -1;
    return rc;
}

void ovl_hpl_blocks_close(struct ovl_hpl *h)
{
    for (int s = 0; s < h->job.schemes.count; s++) {
        struct ovl_hpl_variant *v = &h->variant[s];
        free(v->bcast);
        free(v->came);
        free(v->exposed);
        free(v->alone);
        for (int q = 0; q < OVL_HPL_QUANTITIES; q++) {
            free(v->max[q]);
            free(v->mean[q]);
        }
        *v = (struct ovl_hpl_variant){.scheme = v->scheme, .depth = v->depth, .lu = v->lu};
    }
}

static void keep_variant(const struct ovl_hpl *h, struct ovl_hpl_variant *v, double update_apart, size_t block)
{
    MPI_Comm all = h->job.comm;
    int panels = h->system.panels;
    double mine[OVL_HPL_QUANTITIES], most[OVL_HPL_QUANTITIES], sum[OVL_HPL_QUANTITIES];
    double *exposed = h->job.rank == 0 ? v->exposed + block * (size_t)panels : NULL;
    double *alone = h->job.rank == 0 ? v->alone + block * (size_t)panels : NULL;
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++)
        mine[q] = q == OVL_HPL_Q_UPDATE_APART ? update_apart : v->total[quantities[q].from];
    MPI_Reduce(mine, most, OVL_HPL_QUANTITIES, MPI_DOUBLE, MPI_MAX, 0, all);
    MPI_Reduce(mine, sum, OVL_HPL_QUANTITIES, MPI_DOUBLE, MPI_SUM, 0, all);
    MPI_Reduce(v->bcast, exposed, panels, MPI_DOUBLE, MPI_MAX, 0, all);
    MPI_Reduce(v->came, alone, panels, MPI_DOUBLE, MPI_MAX, 0, all);
    if (h->job.rank != 0)
        return;
    most[OVL_HPL_Q_BCAST] = 0;
    for (int k = 0; k < panels; k++)
        most[OVL_HPL_Q_BCAST] += exposed[k];
    for (int k = panels - 1; k > 0; k--) /* by how much later than the one before it had come everywhere */
        alone[k] -= alone[k - 1];
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++) {
        v->max[q][block] = most[q];
        v->mean[q][block] = sum[q] / h->job.ranks;
    }
}

void ovl_hpl_keep_block(struct ovl_app_job *job, size_t block)
{
    struct ovl_hpl *h = (struct ovl_hpl *)job;
    for (int s = 0; s < job->schemes.count; s++)
        keep_variant(h, &h->variant[s], h->variant[job->schemes.scheme[s].first].update_apart, block);
    h->blocks = block + 1;
}

/* Medians over the blocks, panel by panel. */
static json_t *curve(const double *values, size_t panels, size_t blocks)
{
    json_t *all = json_array();
    double *scratch = ovl_check_alloc(malloc((blocks + 1) * sizeof *scratch));
    for (size_t p = 0; p < panels; p++) {
        for (size_t b = 0; b < blocks; b++)
            scratch[b] = values[b * panels + p];
        json_array_append_new(all, blocks > 0 ? json_real(ovl_stats_median(scratch, blocks)) : json_null());
    }
    free(scratch);
    return all;
}

static void fill_problem(const struct ovl_hpl *h, const struct ovl_hpl_variant *v, struct ovl_cell *c)
{
    const struct ovl_hpl_shape *p = &h->system.shape;
    c->problem = json_pack("{s:i, s:i, s:o, s:s, s:i, s:i}", "n", p->n, "nb", p->nb, "procs",
                           json_sprintf("%dx%d", p->rows, p->columns), "bcast", v->scheme->name, "depth", v->depth,
                           "threads", (int)h->options.threads);
    if (p->by_columns) /* the other order is the usual one, which older records do not name */
        json_object_set_new(c->problem, "pmap", json_string("col"));
    if (p->mix_columns > 0) { /* as above: long is the usual one */
        json_object_set_new(c->problem, "swap", json_string("mix"));
        json_object_set_new(c->problem, "swap_threshold", json_integer(p->mix_columns));
    }
    c->units = rint(ovl_proxy_operations(c));
}

void ovl_hpl_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *c)
{
    const struct ovl_hpl *h = (const struct ovl_hpl *)job;
    const struct ovl_hpl_variant *v = &h->variant[scheme];
    const struct ovl_hpl_shape *p = &h->system.shape;
    size_t panels = (size_t)h->system.panels, blocks = c->samples.blocks < h->blocks ? c->samples.blocks : h->blocks;
    char line[OVL_HPL_LINE];
    fill_problem(h, v, c);
    if (v->scheme->parts)
        strcpy(c->engine, "host");
    if (strcmp(c->engine, "worker") == 0 && h->options.algorithm)
        snprintf(c->algorithm, sizeof c->algorithm, "%s", h->options.algorithm);
    c->wire_bytes = h->wire_bytes;
    c->check_limit = OVL_HPL_RESIDUAL_LIMIT;
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++)
        ovl_cell_add_samples(c, quantities[q].name, v->max[q], v->mean[q], blocks);
    c->curve = json_pack("{s:o, s:o}", "exposed_comm_seconds", curve(v->exposed, panels, blocks), "comm_seconds",
                         curve(v->alone, panels, blocks));
    double slowdown = ovl_proxy_slowdown_of(NULL, c);
    ovl_cell_set(c, "panel_bytes", json_real(ovl_hpl_solve_plan_largest(p)));
    ovl_cell_set(c, "update_slowdown_ratio", isfinite(slowdown) ? json_real(slowdown) : json_null());
    ovl_cell_hpl_line(c, line);
    ovl_cell_set(c, "hpl_line", json_string(line));
}
