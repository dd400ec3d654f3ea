/* The cells of a problem's schemes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/app.h"
#include "record/derived/efficiency.h"
#include "record/proxy.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The samples of one of the equal parts, lateness too, which is held against its C; and beside each scheme the
   communication alone by blocking calls. */
static void share_out(const struct ovl_app_job *job, struct ovl_loop_result *r)
{
    const struct ovl_app_schemes *a = &job->schemes;
    for (int s = 0; s < a->count; s++)
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            for (size_t b = 0; b < r->samples[s].blocks; b++) {
                r->samples[s].max[q][b] /= a->equal;
                r->samples[s].mean[q][b] /= a->equal;
            }
            for (size_t i = 0; r->rank_samples[s][q] && i < (size_t)job->ranks * r->samples[s].blocks; i++)
                r->rank_samples[s][q][i] /= a->equal;
        }
    for (int s = 0; s < a->count && a->blocking >= 0; s++)
        for (size_t b = 0; b < r->samples[s].blocks; b++) {
            const struct ovl_samples *blocking = &r->samples[a->blocking];
            r->samples[s].max[OVL_BLOCKING][b] = blocking->max[OVL_COMM][b];
            r->samples[s].mean[OVL_BLOCKING][b] = blocking->mean[OVL_COMM][b];
            r->samples[s].max[OVL_BLOCKING_LATE][b] = blocking->max[OVL_COMM_LATE][b];
            r->samples[s].mean[OVL_BLOCKING_LATE][b] = blocking->mean[OVL_COMM_LATE][b];
        }
}

static json_t *parts_json(const struct ovl_app_job *job, const struct ovl_app_parts *t)
{
    json_t *all = json_object();
    const char *const *names = ovl_app_parts(job);
    for (int p = 0; names[p]; p++)
        json_object_set_new(all, names[p],
                            json_pack("{s:f, s:f, s:f}", "min", t->least[p], "mean", t->mean[p], "max", t->most[p]));
    return all;
}

int ovl_app_wrong_scheme(const struct ovl_app_schemes *a, const double error[OVL_LOOP_MODES])
{
    int most = 0;
    for (int s = 1; s < a->count; s++)
        most = error[s] > error[most] ? s : most;
    return error[most] <= a->limit ? -1 : most;
}

static void fill_cell(const struct ovl_app_job *job, struct ovl_cell *c, const struct ovl_loop *loop, int s,
                      const struct ovl_loop_result *r, const double error[OVL_LOOP_MODES])
{
    char fault[128] = "", reason[160] = "wrong data";
    const struct ovl_app_schemes *a = &job->schemes;
    int wrong = ovl_app_wrong_scheme(a, error);
    bool right = wrong < 0;
    if (!right && job->app->schemes->fault) {
        job->app->schemes->fault(job, wrong, error[wrong], fault);
        snprintf(reason, sizeof reason, "wrong data%s%s", *fault ? ": " : "", fault);
    }
    ovl_app_cell(job, c, a->scheme[s].mode, a->scheme[s].name, job->problems - 1);
    ovl_app_cell_measured(job, c, loop, s, r);
    bool unproved = a->scheme[s].mode->offloads && *job->unproved_why;
    if (!right || unproved) {
        strcpy(c->status, "invalid");
        snprintf(c->reason, sizeof c->reason, "%s", right ? "no proof of offload" : reason);
    }
    c->validated = right;
    c->wire_bytes = a->wire_bytes;
    c->cpu_thread_seconds /= a->equal;
    c->cpu_process_seconds /= a->equal;
    c->cpu_workers_seconds /= a->equal;
    c->clock_residual /= a->equal;
    c->start_spread_seconds /= a->equal;
    c->energy.seconds /= a->equal;
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        c->energy.joules[k] /= a->equal;
    ovl_cell_round(c);
    snprintf(c->check_name, sizeof c->check_name, "%s", job->app->schemes->check);
    c->check_value = isfinite(error[s]) ? error[s] : NAN;
    c->check_limit = a->limit;
    job->app->schemes->tell(job, s, c);
    ovl_cell_set(c, "phase_seconds", parts_json(job, &a->scheme[s].parts));
}

/* Beside the samples of T: what it cannot go below. */
static void add_bounds(const struct ovl_app_scheme *s, struct ovl_cell *c)
{
    static const char *const names[OVL_APP_BOUNDS] = {"bound_seconds", "bound_here_seconds", "any_bound_seconds"};
    for (int i = 0; i < OVL_APP_BOUNDS; i++) {
        const double *values = s->bounds[i];
        if (c->samples.blocks > 0 && !isnan(values[0]))
            ovl_cell_add_samples(c, names[i], values, values, c->samples.blocks);
    }
}

/* The cell of dpu or thread in blocks that have host's too: how much longer the quickest of those takes; and of
   blocking calls', what is gained over them. If both carry a claim. */
static void compare(const struct ovl_app_schemes *a, struct ovl_cell *cells, int s)
{
    const struct ovl_cell *host = NULL;
    for (int h = 0; h < a->count && ovl_cell_is_helped(&cells[s]) && ovl_cell_claims(&cells[s]); h++)
        if (strcmp(a->scheme[h].name, "host") == 0 && ovl_cell_claims(&cells[h]) &&
            (!host || cells[h].summary[OVL_TOTAL].median < host->summary[OVL_TOTAL].median))
            host = &cells[h];
    if (host)
        cells[s].offload_efficiency = ovl_cell_offload_efficiency(&cells[s], &host->samples);
    if (a->blocking >= 0 && s != a->blocking && ovl_cell_claims(&cells[s]) && ovl_cell_claims(&cells[a->blocking]))
        cells[s].gain = ovl_proxy_gain(&cells[s], &cells[a->blocking].samples);
}

static int print_cells(struct ovl_app_job *job, struct ovl_cell *cells, struct ovl_error *err)
{
    const struct ovl_app_schemes *a = &job->schemes;
    char what[128];
    int rc = 0;
    for (int s = 0; s < a->count && rc == 0; s++) {
        compare(a, cells, s);
        snprintf(what, sizeof what, "%s, %s", a->problem, a->scheme[s].name);
        rc = ovl_app_cell_tell(job, &cells[s], *job->unproved_why ? NULL : what, err);
    }
    return rc;
}

int ovl_app_schemes_report(struct ovl_app_job *job, const struct ovl_loop *loop, struct ovl_loop_result *result,
                           const double error[OVL_LOOP_MODES], struct ovl_error *err)
{
    const struct ovl_app_schemes *a = &job->schemes;
    struct ovl_cell cells[OVL_LOOP_MODES];
    share_out(job, result);
    for (int s = 0; s < a->count; s++) {
        fill_cell(job, &cells[s], loop, s, result, error);
        add_bounds(&a->scheme[s], &cells[s]);
    }
    for (int s = 0; s < a->count; s++)
        ovl_app_cell_derive(job, &cells[s]);
    int rc = print_cells(job, cells, err);
    for (int s = 0; s < a->count; s++) {
        memset(&cells[s].samples, 0, sizeof cells[s].samples); /* the loop's */
        ovl_cell_free(&cells[s]);
    }
    return rc;
}
