/* A driver's output: the record, and the table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver_state.h"
#include "bench/starts.h"
#include "record/derived/link_model.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *run_line(struct ovl_driver *d, json_t *provenance, char **argv)
{
    if (d->nonlinearity > 0.02)
        json_array_append_new(json_object_get(provenance, "warnings"),
                              json_sprintf("kernel %s could be calibrated within %.0f %% only: the machine is busy",
                                           d->work.kernel->name, 100 * d->nonlinearity));
    json_t *line = ovl_output_run_line(d->benchmark->name, argv, provenance);
    json_object_set_new(line, "datatype",
                        d->benchmark->size_max > 0 ? json_string(ovl_driver_type_name(ovl_datatype_row(d->type)->word))
                                                   : json_null());
    json_object_set_new(line, "workers", json_integer(d->offload.engine.job_map.workers));
    if (d->work.kernel->blas)
        ovl_output_run_blas(line);
    json_t *offload = ovl_offload_json(&d->offload);
    if (offload)
        json_object_set_new(line, "offload", offload);
    json_object_set_new(line, "seed", json_integer((json_int_t)d->options.common.seed));
    json_object_set_new(line, "options", ovl_options_json(ovl_driver_option_rows, &d->options));
    json_object_set_new(line, "clock",
                        json_pack("{s:f, s:b}", "read_seconds", d->clock_read, "synchronised", d->sync.usable));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:f, s:f}", "kernel", d->work.kernel->name, "units_per_second", d->work.rate,
                                  "nonlinearity", d->nonlinearity));
    return line;
}

int ovl_driver_open_output(struct ovl_driver *d, json_t *provenance, char **argv, struct ovl_error *err)
{
    d->output.quiet = d->options.common.quiet;
    d->output.full = d->options.common.full;
    return ovl_output_open(&d->output, run_line(d, provenance, argv), d->options.common.json, err);
}

void ovl_driver_name_cell(const struct ovl_driver *d, const struct ovl_loop *loop, struct ovl_cell *cell)
{
    ovl_cell_clear(cell);
    snprintf(cell->benchmark, sizeof cell->benchmark, "%s", d->benchmark->name);
    snprintf(cell->compute_kind, sizeof cell->compute_kind, "%s", d->work.kernel->name);
    cell->size_bytes = d->size;
    if (!isnan(d->size))
        snprintf(cell->datatype, sizeof cell->datatype, "%s", ovl_driver_type_name(ovl_datatype_row(d->type)->word));
    cell->ranks = d->ranks;
    cell->ratio = isnan(loop->fixed_seconds) ? loop->ratio : NAN;
    cell->compute_us = d->options.compute_us;
}

static void fill_cell(const struct ovl_driver *d, struct ovl_cell *c, const struct ovl_loop *loop, int mode,
                      struct ovl_loop_result *r)
{
    const struct ovl_mode *row = d->stage.modes[mode];
    ovl_driver_name_cell(d, loop, c);
    snprintf(c->run_id, sizeof c->run_id, "%s", ovl_run_text(&d->output.run, "run_id"));
    snprintf(c->mode, sizeof c->mode, "%s", row->name);
    c->units = (double)r->units;
    c->from_record = d->options.work_from ? loop->fixed_units > 0 : -1;
    snprintf(c->engine, sizeof c->engine, "%s", row->engine);
    snprintf(c->placement, sizeof c->placement, "%s", row->placement);
    c->workers = 0;
    bool by_host = d->stage.exchanges[0].size < d->offload.least;
    if (row->offloads)
        ovl_offload_fill(&d->offload, by_host, c);
    if (row->offloads && !by_host)
        snprintf(c->algorithm, sizeof c->algorithm, "%s", ovl_offload_algorithm(&d->stage.exchanges[0]));
    c->test_calls = (double)loop->tests;
    c->rotate = (double)d->options.rotate;
    c->persistent = d->options.persistent;
    snprintf(c->skew, sizeof c->skew, "%s", d->options.common.skew);
    snprintf(c->block_group, sizeof c->block_group, "%.60s/%zu", c->run_id, d->cells);
    snprintf(c->status, sizeof c->status, "%s", d->validated == 0 ? "invalid" : ovl_loop_status_words[r->status]);
    snprintf(c->reason, sizeof c->reason, "%s", d->validated == 0 ? "wrong data" : r->reason);
    c->validated = d->validated;
    c->clock_read_seconds = d->clock_read;
    c->bootstrap_seed = (double)loop->seed;
    c->start_spread_seconds = r->start_spread;
    c->steal_fraction = d->stolen;
    c->cpu_thread_seconds = r->cpu_thread[mode];
    c->cpu_process_seconds = r->cpu_process[mode];
    c->samples = r->samples[mode];
    memset(&r->samples[mode], 0, sizeof r->samples[mode]);
    ovl_starts_fill(c, r, mode, &d->provenance);
}

int ovl_driver_report_cell(struct ovl_driver *d, const struct ovl_loop *loop, int mode, struct ovl_loop_result *result,
                           struct ovl_error *err)
{
    struct ovl_cell c;
    fill_cell(d, &c, loop, mode, result);
    ovl_cell_round(&c);
    ovl_cell_derive(&c);
    c.unshaped = ovl_link_unshaped(&d->output.run, &c);
    ovl_cell_settle(&c);
    d->invalid = d->invalid || strcmp(c.status, "invalid") == 0 ||
                 (d->output.format != &ovl_format_table && !ovl_cell_claims(&c));
    if (mode == 0)
        d->host_total = strcmp(c.mode, "host") == 0 && ovl_cell_claims(&c) ? c.summary[OVL_TOTAL].median : NAN;
    else if (!d->pilot && ovl_cell_claims(&c))
        c.offload_efficiency = d->host_total / c.summary[OVL_TOTAL].median;
    int rc = ovl_output_cell(&d->output, &c, ovl_cell_to_json(&c), err);
    if (strcmp(c.status, "invalid") == 0 && c.validated != 0)
        fprintf(stderr, "%s: %zu bytes: invalid: %s\n", d->benchmark->program, d->stage.exchanges[0].size, c.reason);
    ovl_cell_free(&c);
    return rc;
}
