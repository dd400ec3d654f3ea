/* What the repetitions of one variant come to, and its line in the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/map.h"
#include "apps/hpl/report.h"
#include "record/link_model.h"
#include "record/proxy.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Medians over the repetitions, panel by panel. */
static void curve(const double *values, int panels, size_t repetitions, double *scratch, double *out)
{
    for (int p = 0; p < panels; p++) {
        for (size_t r = 0; r < repetitions; r++)
            scratch[r] = values[r * (size_t)panels + (size_t)p];
        out[p] = ovl_stats_median(scratch, repetitions);
    }
}

/* The quickest host variant's median. NaN where there is none whose solution is right. */
static double host_seconds(const struct ovl_hpl_measurement *m, double *scratch)
{
    double least = NAN;
    for (size_t i = 0; i < m->variant_count; i++) {
        const struct ovl_hpl_variant *v = &m->variants[i];
        if (strcmp(v->mode->name, "host") != 0 || v->wrong)
            continue;
        memcpy(scratch, v->max[OVL_HPL_TOTAL], m->done * sizeof *scratch);
        least = fmin(least, ovl_stats_median(scratch, m->done));
    }
    return least;
}

/* The quantities that every record has. */
static const struct {
    enum ovl_quantity to;
    enum ovl_hpl_quantity from;
} common[] = {
    {OVL_TOTAL, (enum ovl_hpl_quantity)OVL_HPL_TOTAL}, {OVL_COMM, OVL_HPL_ALONE}, {OVL_COMPUTE, OVL_HPL_COMPUTE}};

static bool is_common(enum ovl_hpl_quantity q)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (common[i].from == q)
            return true;
    return false;
}

/* What the record has of every proxy. -1 when there is no memory. */
static int fill_cell(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m)
{
    struct ovl_cell *c = &r->cell;
    const char *run_id = ovl_run_text(r->run, "run_id");
    ovl_cell_clear(c);
    snprintf(c->run_id, sizeof c->run_id, "%s", run_id);
    snprintf(c->benchmark, sizeof c->benchmark, "hpl");
    snprintf(c->mode, sizeof c->mode, "%s", r->mode);
    snprintf(c->bcast, sizeof c->bcast, "%s", r->scheme);
    snprintf(c->engine, sizeof c->engine, "%s", r->engine);
    snprintf(c->placement, sizeof c->placement, "%s", r->placement);
    snprintf(c->skew, sizeof c->skew, "none");
    snprintf(c->status, sizeof c->status, "%s", r->status);
    snprintf(c->reason, sizeof c->reason, "%s", r->reason);
    snprintf(c->block_group, sizeof c->block_group, "%.60s/%zu", run_id, r->group);
    c->n = r->shape.n;
    c->nb = r->shape.nb;
    c->p = r->shape.rows;
    c->q = r->shape.columns;
    c->depth = r->shape.depth;
    c->threads = r->threads;
    c->ranks = r->ranks;
    c->units = rint(ovl_proxy_operations(c));
    c->workers = 0;
    if (r->offload)
        ovl_offload_fill(r->offload, r->offload->least > 0 && r->offload->worker_ops == 0, c);
    c->offload_efficiency = r->efficiency;
    c->rotate = 1;
    c->test_calls = 0;
    c->persistent = 0;
    c->validated = !r->variant->wrong;
    c->wire_bytes = m->wire_bytes;
    c->residual = r->residual;
    c->clock_read_seconds = r->clock_read;
    c->steal_fraction = r->stolen;
    c->bootstrap_seed = (double)r->seed;
    if (ovl_samples_make(&c->samples, r->repetitions) != 0)
        return -1;
    c->samples.blocks = r->repetitions;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        for (size_t b = 0; b < r->repetitions; b++) {
            c->samples.max[common[i].to][b] = r->variant->max[common[i].from][b];
            c->samples.mean[common[i].to][b] = r->variant->mean[common[i].from][b];
        }
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++)
        if (!is_common((enum ovl_hpl_quantity)q) &&
            ovl_cell_add_samples(c, ovl_hpl_quantity_names[q], r->variant->max[q], r->variant->mean[q],
                                 r->repetitions) != 0)
            return -1;
    ovl_cell_round(c);
    if (ovl_cell_derive(c) != 0)
        return -1;
    c->unshaped = ovl_link_unshaped(r->run, c);
    ovl_cell_settle(c);
    r->status = c->unshaped > 0 && !*r->reason ? "unshaped" : c->status;
    return 0;
}

int ovl_hpl_result_make(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                        struct ovl_error *err)
{
    const struct ovl_hpl_shape *shape = &m->system.shape;
    size_t panels = (size_t)m->times.panels;
    r->scheme = v->scheme->name;
    r->mode = v->mode->name;
    r->engine = v->scheme->parts ? "host" : v->mode->engine;
    r->placement = v->mode->placement;
    r->offload = v->mode->offloads ? m->grid->offload : NULL;
    r->efficiency = NAN;
    r->digit = strcmp(v->mode->name, "host") == 0 ? v->scheme->digit : '7';
    r->ranks = shape->rows * shape->columns;
    r->shape = *shape;
    r->repetitions = m->done;
    r->residual = v->residual;
    r->panels = m->times.panels;
    r->variant = v;
    r->exposed = malloc(panels * sizeof *r->exposed);
    r->alone = malloc(panels * sizeof *r->alone);
    if (v->singular >= 0)
        snprintf(r->reason, sizeof r->reason, "singular: column %d has no pivot", v->singular);
    else if (v->wrong && isnan(v->residual))
        snprintf(r->reason, sizeof r->reason, "wrong data: the residual is not a number");
    else if (v->wrong)
        snprintf(r->reason, sizeof r->reason, "wrong data: the residual is %.3g, not under 16", v->residual);
    else if (v->mode->offloads && m->unproved)
        snprintf(r->reason, sizeof r->reason, "no proof of offload");
    r->status = *r->reason ? "invalid" : "ok";
    int below = ovl_hpl_below(shape->n, shape->nb, 0, shape->rows);
    r->panel_bytes = sizeof(double) * (double)shape->nb * (below + shape->nb + 1.0);

    double *scratch = malloc((m->done + 1) * sizeof *scratch);
    int rc = r->exposed && r->alone && scratch ? 0 : -1;
    for (int q = 0; q < OVL_HPL_QUANTITIES && rc == 0; q++)
        rc = ovl_stats_summarise_series(v->max[q], m->done, &r->summary[q]);
    if (rc == 0) {
        curve(v->exposed, r->panels, m->done, scratch, r->exposed);
        curve(v->alone, r->panels, m->done, scratch, r->alone);
        r->slowdown = r->summary[OVL_HPL_UPDATE].median / r->summary[OVL_HPL_UPDATE_APART].median;
        if (strcmp(r->mode, "host") != 0 && !*r->reason)
            r->efficiency = host_seconds(m, scratch) / r->summary[OVL_HPL_TOTAL].median;
        rc = fill_cell(r, m);
    }
    free(scratch);
    return rc == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the times of %d panels", r->panels);
}

void ovl_hpl_result_free(struct ovl_hpl_result *r)
{
    free(r->exposed);
    free(r->alone);
    ovl_cell_free(&r->cell);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, number(x[i]));
    return array;
}

json_t *ovl_hpl_result_json(const struct ovl_hpl_result *r)
{
    char hpl[128];
    json_t *line = ovl_cell_to_json(&r->cell);
    if (!line)
        return NULL;
    ovl_hpl_result_line(r, hpl);
    json_object_update_new(line, json_pack("{s:o, s:o, s:s}", "panel_bytes", number(r->panel_bytes),
                                           "update_slowdown_ratio", number(r->slowdown), "hpl_line", hpl));
    json_object_set_new(line, "panels",
                        json_pack("{s:o, s:o}", "exposed_comm_seconds", numbers(r->exposed, (size_t)r->panels),
                                  "comm_seconds", numbers(r->alone, (size_t)r->panels)));
    return line;
}
