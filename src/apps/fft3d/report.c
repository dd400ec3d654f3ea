/* The output of ovl_fft3d: the record, and the table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/state.h"
#include "bench/starts.h"
#include "record/link_model.h"
#include "record/proxy.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int ovl_fft3d_open_output(struct ovl_fft3d *d, json_t *provenance, char **argv, struct ovl_error *err)
{
    const struct ovl_fft3d_options *o = &d->options;
    json_t *line = ovl_output_run_line("fft3d", argv, provenance);
    json_object_set_new(line, "datatype", json_null());
    json_object_set_new(line, "workers", json_integer(d->offload.engine.job_map.workers));
    json_t *offload = ovl_offload_json(&d->offload);
    if (offload)
        json_object_set_new(line, "offload", offload);
    json_object_set_new(line, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(line, "options", ovl_options_json(ovl_fft3d_option_rows, o));
    json_object_set_new(line, "clock",
                        json_pack("{s:f, s:b}", "read_seconds", d->clock_read, "synchronised", d->sync.usable));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:n, s:n}", "kernel", "fft", "units_per_second", "nonlinearity"));
    json_object_set_new(line, "fftw", json_string(fftw_version));
    json_object_set_new(
        line, "solves",
        json_sprintf("%s transforms on %d x %d ranks, forwards and back; %d variable%s, times of one; %s", o->transform,
                     o->parts[OVL_ROW], o->parts[OVL_COLUMN], (int)o->variables, o->variables == 1 ? "" : "s",
                     fftw_version));
    d->output.quiet = o->quiet;
    d->output.full = o->full;
    d->output.format = &ovl_format_proxy;
    return ovl_output_open(&d->output, line, o->json, err);
}

/* The samples of a variable, lateness too, which is held against its C; and beside each scheme the exchanges alone by
 * blocking calls. */
static void share_out(const struct ovl_fft3d *d, struct ovl_loop_result *r)
{
    for (int s = 0; s < d->schemes; s++)
        for (size_t b = 0; b < r->samples[s].blocks; b++)
            for (int q = 0; q < OVL_QUANTITIES; q++) {
                r->samples[s].max[q][b] /= d->transform.variables;
                r->samples[s].mean[q][b] /= d->transform.variables;
            }
    for (int s = 0; s < d->schemes; s++)
        for (int q = 0; q < OVL_QUANTITIES; q++)
            for (size_t i = 0; r->rank_samples[s][q] && i < (size_t)d->ranks * r->samples[s].blocks; i++)
                r->rank_samples[s][q][i] /= d->transform.variables;
    for (int s = 0; s < d->schemes && d->blocking >= 0; s++)
        for (size_t b = 0; b < r->samples[s].blocks; b++) {
            r->samples[s].max[OVL_BLOCKING][b] = r->samples[d->blocking].max[OVL_COMM][b];
            r->samples[s].mean[OVL_BLOCKING][b] = r->samples[d->blocking].mean[OVL_COMM][b];
            r->samples[s].max[OVL_BLOCKING_LATE][b] = r->samples[d->blocking].max[OVL_COMM_LATE][b];
            r->samples[s].mean[OVL_BLOCKING_LATE][b] = r->samples[d->blocking].mean[OVL_COMM_LATE][b];
        }
}

static void fill_cell(const struct ovl_fft3d *d, struct ovl_cell *c, const struct ovl_loop *loop, int s,
                      const struct ovl_loop_result *r, bool right)
{
    static const char *const names[] = {"ok", "ci_not_reached", "invalid"};
    const struct ovl_fft3d_options *o = &d->options;
    char grid[64];
    ovl_grid_text(&d->pencil.grid, grid);
    ovl_cell_clear(c);
    snprintf(c->run_id, sizeof c->run_id, "%s", ovl_run_text(&d->output.run, "run_id"));
    strcpy(c->benchmark, "fft3d");
    snprintf(c->mode, sizeof c->mode, "%s", d->names[s]);
    c->problem = json_pack("{s:s, s:o, s:s, s:I, s:i, s:i, s:I}", "grid", grid, "procs",
                           json_sprintf("%dx%d", o->parts[OVL_ROW], o->parts[OVL_COLUMN]), "transform", o->transform,
                           "variables", (json_int_t)o->variables, "chunks", d->scheme[s].chunks, "window",
                           d->scheme[s].window, "test_lines", (json_int_t)(d->scheme[s].mode ? o->test_lines : 0));
    c->ranks = d->ranks;
    snprintf(c->engine, sizeof c->engine, "%s", d->stage.modes[s]->engine);
    snprintf(c->placement, sizeof c->placement, "%s", d->stage.modes[s]->placement);
    c->workers = 0;
    if (d->stage.modes[s]->offloads)
        ovl_offload_fill(&d->offload, d->offload.least > 0 && d->offload.worker_ops == 0, c);
    strcpy(c->skew, "none");
    c->test_calls = 0;
    c->rotate = 1;
    c->persistent = 0;
    snprintf(c->block_group, sizeof c->block_group, "%.60s/%zu", c->run_id, d->grids - 1);
    snprintf(c->status, sizeof c->status, "%s", right && !d->unproved ? names[r->status] : "invalid");
    snprintf(c->reason, sizeof c->reason, "%s",
             !right        ? "wrong data"
             : d->unproved ? "no proof of offload"
                           : r->reason);
    c->validated = right;
    c->wire_bytes = d->wire_bytes;
    c->clock_read_seconds = d->clock_read;
    c->bootstrap_seed = (double)loop->seed;
    c->start_spread_seconds = r->start_spread;
    c->steal_fraction = d->stolen;
    c->cpu_thread_seconds = r->cpu_thread[s] / d->transform.variables;
    c->cpu_process_seconds = r->cpu_process[s] / d->transform.variables;
    c->samples = r->samples[s]; /* lent */
    ovl_starts_fill(c, r, s, &d->provenance);
    c->clock_residual /= d->transform.variables;
    ovl_cell_round(c);
}

static int derive(const struct ovl_fft3d *d, struct ovl_cell *c, int s, const struct ovl_cell *blocking)
{
    if (ovl_cell_derive(c) != 0)
        return -1;
    c->unshaped = ovl_link_unshaped(&d->output.run, c);
    ovl_cell_settle(c);
    return blocking && s != d->blocking ? ovl_proxy_gain(c, &blocking->samples, &c->gain) : 0;
}

static json_t *phases_json(const struct ovl_phase_times *t)
{
    static const char *const names[OVL_PHASES] = {"lines", "pack", "post", "test", "wait"};
    json_t *all = json_object();
    for (int p = 0; p < OVL_PHASES; p++)
        json_object_set_new(all, names[p],
                            json_pack("{s:f, s:f, s:f}", "min", t->least[p], "mean", t->mean[p], "max", t->most[p]));
    return all;
}

static json_t *exchange_json(const struct ovl_fft3d *d, int s, enum ovl_transpose t)
{
    const struct ovl_pencil *p = &d->pencil;
    size_t slab = ovl_pencil_slab_most(p, t, d->scheme[s].chunks);
    size_t there = ovl_pencil_message(p, t, true, slab), back = ovl_pencil_message(p, t, false, slab);
    size_t bytes = (there > back ? there : back) * sizeof(double complex);
    return ovl_carrier_needed(p, t) ? json_integer((json_int_t)bytes) : json_null();
}

/* What only this proxy has. */
static void fill_extra(const struct ovl_fft3d *d, struct ovl_cell *c, int s, const struct ovl_phase_times *t)
{
    ovl_cell_set(
        c, "exchange_bytes",
        json_pack("{s:o, s:o}", "row", exchange_json(d, s, OVL_ROW), "column", exchange_json(d, s, OVL_COLUMN)));
    ovl_cell_set(c, "phase_seconds", phases_json(t));
}

/* The dpu cell of blocks that have host's too: how much longer host takes, if both carry a claim. */
static void compare(const struct ovl_fft3d *d, struct ovl_cell *cells, int s)
{
    for (int h = 0; h < d->schemes && strcmp(d->names[s], "dpu") == 0 && ovl_cell_claims(&cells[s]); h++)
        if (strcmp(d->names[h], "host") == 0 && ovl_cell_claims(&cells[h]))
            cells[s].offload_efficiency = cells[h].summary[OVL_TOTAL].median / cells[s].summary[OVL_TOTAL].median;
}

int ovl_fft3d_report(struct ovl_fft3d *d, const struct ovl_loop *loop, struct ovl_loop_result *result,
                     const struct ovl_phase_times phases[OVL_LOOP_MODES], double error, bool right,
                     struct ovl_error *err)
{
    struct ovl_cell cells[OVL_LOOP_MODES];
    int rc = 0;
    share_out(d, result);
    for (int s = 0; s < d->schemes; s++) {
        fill_cell(d, &cells[s], loop, s, result, right);
        strcpy(cells[s].check_name, "max_error");
        cells[s].check_value = isfinite(error) ? error : NAN;
        cells[s].check_limit = ovl_check_limit(&d->pencil.grid, 1);
        fill_extra(d, &cells[s], s, &phases[s]);
    }
    for (int s = 0; s < d->schemes && rc == 0; s++)
        if (derive(d, &cells[s], s, d->blocking >= 0 ? &cells[d->blocking] : NULL) != 0)
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the statistics of %zu blocks",
                               cells[s].samples.blocks);
    for (int s = 0; s < d->schemes && rc == 0; s++) {
        compare(d, cells, s);
        rc = ovl_output_cell(&d->output, &cells[s], ovl_cell_to_json(&cells[s]), err);
        if (strcmp(cells[s].status, "invalid") == 0) {
            d->invalid = true;
            if (right && !d->unproved)
                fprintf(stderr, "ovl_fft3d: grid %s, %s: invalid: %s\n", ovl_cell_problem_text(&cells[s], "grid"),
                        d->names[s], cells[s].reason);
        }
        d->cells++;
    }
    for (int s = 0; s < d->schemes; s++) {
        memset(&cells[s].samples, 0, sizeof cells[s].samples); /* the loop's */
        ovl_cell_free(&cells[s]);
    }
    return rc;
}
