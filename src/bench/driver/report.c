/* A driver's output: the record, and the table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/driver.h"
#include "record/derived/efficiency.h"
#include "record/field.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of the cells, and a word on those that are left out. */
static void describe_sizes(const struct ovl_driver *d, json_t *line, json_t *warnings)
{
    const struct ovl_sizes *s = &d->options.sizes;
    json_t *sizes = json_array();
    char left[24], limit[24];
    for (size_t i = 0; i < d->sizes; i++)
        json_array_append_new(sizes, json_integer((json_int_t)s->size[i]));
    json_object_set_new(line, "sizes_bytes", sizes);
    if (d->sizes == s->n)
        return;
    ovl_options_size_text(s->size[d->sizes], left);
    ovl_options_size_text(d->options.common.mem_limit, limit);
    json_array_append_new(warnings,
                          json_sprintf("from %s on, %d ranks need more than --mem-limit %s: those sizes are left out",
                                       left, d->group_ranks, limit));
}

void ovl_driver_describe(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_driver *d = (struct ovl_driver *)job;
    json_t *warnings = json_object_get(line, "warnings");
    describe_sizes(d, line, warnings);
    if (d->nonlinearity > 0.02)
        json_array_append_new(
            warnings,
            d->nonlinearity > 0.2
                ? json_sprintf("kernel %s could not be calibrated, its rates differ by %.0f %%: the machine is busy",
                               d->work.kernel->name, 100 * d->nonlinearity)
                : json_sprintf("kernel %s could be calibrated within %.1f %% only: the machine is busy",
                               d->work.kernel->name, 100 * d->nonlinearity));
    if (d->benchmark->size_max > 0)
        json_object_set_new(line, "datatype", json_string(ovl_driver_type_name(ovl_datatype_row(d->type)->word)));
    if (d->work.kernel->blas)
        ovl_output_run_blas(line);
    json_t *rates = json_array();
    for (int r = 0; r < job->ranks; r++)
        json_array_append_new(rates, json_real(ovl_field_round(d->rates[r])));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:f, s:f, s:o}", "kernel", d->work.kernel->name, "units_per_second",
                                  d->work.rate, "nonlinearity", d->nonlinearity, "rank_units_per_second", rates));
}

void ovl_driver_name_cell(const struct ovl_driver *d, const struct ovl_loop *loop, struct ovl_cell *cell)
{
    snprintf(cell->compute_kind, sizeof cell->compute_kind, "%s", d->work.kernel->name);
    cell->size_bytes = d->size;
    if (!isnan(d->size))
        snprintf(cell->datatype, sizeof cell->datatype, "%s", ovl_driver_type_name(ovl_datatype_row(d->type)->word));
    cell->ranks = d->job.ranks;
    cell->ratio = isnan(loop->fixed_seconds) ? loop->ratio : NAN;
    cell->compute_us = d->options.compute_us;
}

static void fill_cell(const struct ovl_driver *d, struct ovl_cell *c, const struct ovl_loop *loop, int mode,
                      struct ovl_loop_result *r)
{
    const struct ovl_mode *row = d->job.stage.modes[mode];
    ovl_app_cell(&d->job, c, row, row->name, d->cells);
    ovl_driver_name_cell(d, loop, c);
    c->units = (double)r->units;
    c->from_record = d->options.work_from ? loop->fixed_units > 0 : -1;
    if (row->offloads && d->job.stage.exchanges[0].size >= d->job.offload.least)
        snprintf(c->algorithm, sizeof c->algorithm, "%s", ovl_offload_algorithm(&d->job.stage.exchanges[0]));
    c->test_calls = (double)loop->tests;
    c->rotate = (double)d->options.rotate;
    c->persistent = d->options.persistent;
    ovl_app_cell_measured(&d->job, c, loop, mode, r);
    c->slowest = r->slowest[mode];
    memset(&r->samples[mode], 0, sizeof r->samples[mode]); /* the cell's now */
    c->validated = d->validated;
    if (row->offloads && *d->job.unproved_why) {
        strcpy(c->status, "invalid");
        snprintf(c->reason, sizeof c->reason, "%s", d->job.unproved_why);
    }
    if (d->validated == 0) {
        strcpy(c->status, "invalid");
        strcpy(c->reason, "wrong data");
    }
}

/* Of host mode's samples those with which dpu mode's are compared, if they carry a claim. */
static void keep_host(struct ovl_driver *d, const struct ovl_cell *c)
{
    free(d->host.max[OVL_TOTAL]);
    d->host = (struct ovl_samples){.blocks = 0};
    if (strcmp(c->mode, "host") != 0 || !ovl_cell_claims(c))
        return;
    size_t n = d->host.blocks = c->samples.blocks;
    d->host.max[OVL_TOTAL] = memcpy(ovl_alloc(n, sizeof(double)), c->samples.max[OVL_TOTAL], n * sizeof(double));
}

int ovl_driver_report_cell(struct ovl_driver *d, const struct ovl_loop *loop, int mode, struct ovl_loop_result *result,
                           struct ovl_error *err)
{
    struct ovl_cell c;
    char what[32];
    fill_cell(d, &c, loop, mode, result);
    ovl_cell_round(&c);
    ovl_app_cell_derive(&d->job, &c);
    d->job.invalid =
        d->job.invalid || ovl_cell_alone(&c) || (d->job.output.format != &ovl_format_table && !ovl_cell_claims(&c));
    if (mode == 0)
        keep_host(d, &c);
    else if (!d->pilot && ovl_cell_claims(&c) && d->host.blocks > 0)
        c.offload_efficiency = ovl_cell_offload_efficiency(&c, &d->host);
    snprintf(what, sizeof what, "%zu bytes", d->job.stage.exchanges[0].size);
    int rc = ovl_app_cell_tell(&d->job, &c, what, err);
    ovl_cell_free(&c);
    return rc;
}
