/* What the repetitions of one variant come to, and its line in the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/back.h"
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

static double median_of(const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v, int q, double *scratch)
{
    memcpy(scratch, v->max[q], m->done * sizeof *scratch);
    return ovl_stats_median(scratch, m->done);
}

/* The quickest host variant's median; NaN where none carries a claim: its solution is right, and an emulated link held
   it to its rate. `beside` is a cell of the same measurement. */
static double host_seconds(const struct ovl_hpl_measurement *m, const struct ovl_hpl_result *beside, double *scratch)
{
    double least = NAN;
    for (size_t i = 0; i < m->variant_count; i++) {
        const struct ovl_hpl_variant *v = &m->variants[i];
        struct ovl_cell host = beside->cell;
        host.summary[OVL_COMM].median = median_of(m, v, OVL_HPL_ALONE, scratch);
        if (strcmp(v->mode->name, "host") == 0 && !v->wrong && ovl_link_unshaped(&beside->job->output.run, &host) <= 0)
            least = fmin(least, median_of(m, v, OVL_HPL_TOTAL, scratch));
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

/* Why a variant is invalid; "" where it is not. */
static void put_reason(char reason[256], const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v)
{
    reason[0] = '\0';
    if (v->singular >= 0)
        snprintf(reason, 256, "singular: column %d has no pivot", v->singular);
    else if (v->wrong && isnan(v->residual))
        snprintf(reason, 256, "wrong data: the residual is not a number");
    else if (v->wrong)
        snprintf(reason, 256, "wrong data: the residual is %.3g, not under %d", v->residual, OVL_HPL_RESIDUAL_LIMIT);
    else if (v->mode->offloads && m->unproved)
        snprintf(reason, 256, "no proof of offload");
}

/* What was solved, by whom, and how it went. */
static void fill_cell(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v)
{
    struct ovl_cell *c = &r->cell;
    const struct ovl_hpl_shape *h = &r->shape;
    ovl_app_cell(r->job, c, v->mode, v->mode->name, r->group);
    if (v->scheme->parts)
        strcpy(c->engine, "host");
    put_reason(c->reason, m, v);
    snprintf(c->status, sizeof c->status, "%s", *c->reason ? "invalid" : "ok");
    c->problem = json_pack("{s:i, s:i, s:o, s:s, s:i, s:i}", "n", h->n, "nb", h->nb, "procs",
                           json_sprintf("%dx%d", h->rows, h->columns), "bcast", v->scheme->name, "depth", h->depth,
                           "threads", r->threads);
    if (h->by_columns) /* the other order is the usual one, which older records do not name */
        json_object_set_new(c->problem, "pmap", json_string("col"));
    if (h->mix_columns > 0) { /* as above: long is the usual one */
        json_object_set_new(c->problem, "swap", json_string("mix"));
        json_object_set_new(c->problem, "swap_threshold", json_integer(h->mix_columns));
    }
    c->units = rint(ovl_proxy_operations(c));
    c->validated = !v->wrong;
    c->wire_bytes = m->wire_bytes;
    strcpy(c->check_name, "residual");
    c->check_value = v->residual;
    c->check_limit = OVL_HPL_RESIDUAL_LIMIT;
    c->bootstrap_seed = (double)r->seed;
}

/* Its samples, those that every record has and those that only this proxy has. -1 when there is no memory. */
static int fill_samples(struct ovl_cell *c, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v)
{
    if (ovl_samples_make(&c->samples, m->done) != 0)
        return -1;
    c->samples.blocks = m->done;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        for (size_t b = 0; b < m->done; b++) {
            c->samples.max[common[i].to][b] = v->max[common[i].from][b];
            c->samples.mean[common[i].to][b] = v->mean[common[i].from][b];
        }
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++)
        if (!is_common((enum ovl_hpl_quantity)q) &&
            ovl_cell_add_samples(c, ovl_hpl_quantity_names[q], v->max[q], v->mean[q], m->done) != 0)
            return -1;
    return 0;
}

/* What only this proxy has. -1 when there is no memory. */
static int fill_extra(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v)
{
    size_t panels = (size_t)m->times.panels;
    struct ovl_cell *c = &r->cell;
    const struct ovl_hpl_shape *h = &r->shape;
    double *exposed = malloc(panels * sizeof *exposed), *alone = malloc(panels * sizeof *alone),
           *scratch = malloc((m->done + 1) * sizeof *scratch);
    int rc = exposed && alone && scratch ? 0 : -1;
    if (rc == 0) {
        int below = ovl_hpl_below(h->n, h->nb, 0, h->rows);
        char line[128];
        curve(v->exposed, m->times.panels, m->done, scratch, exposed);
        curve(v->alone, m->times.panels, m->done, scratch, alone);
        if (strcmp(v->mode->name, "host") != 0 && ovl_cell_claims(c))
            c->offload_efficiency = host_seconds(m, r, scratch) / c->summary[OVL_TOTAL].median;
        c->curve = json_pack("{s:o, s:o}", "exposed_comm_seconds", numbers(exposed, panels), "comm_seconds",
                             numbers(alone, panels));
        ovl_cell_set(c, "panel_bytes", number(sizeof(double) * (double)h->nb * (below + h->nb + 1.0)));
        ovl_cell_set(c, "update_slowdown_ratio", number(ovl_proxy_slowdown_of(NULL, c)));
        ovl_hpl_result_line(r, line);
        ovl_cell_set(c, "hpl_line", json_string(line));
    }
    free(exposed);
    free(alone);
    free(scratch);
    return rc;
}

int ovl_hpl_result_make(struct ovl_hpl_result *r, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                        struct ovl_error *err)
{
    r->digit = strcmp(v->mode->name, "host") == 0 ? v->scheme->digit : '7';
    r->shape = m->system.shape;
    fill_cell(r, m, v);
    int rc = fill_samples(&r->cell, m, v);
    ovl_cell_round(&r->cell);
    if (rc == 0 && (rc = ovl_cell_derive(&r->cell)) == 0) {
        r->cell.unshaped = ovl_link_unshaped(&r->job->output.run, &r->cell);
        ovl_cell_settle(&r->cell);
        rc = fill_extra(r, m, v);
    }
    return rc == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the times of %d panels", m->times.panels);
}
