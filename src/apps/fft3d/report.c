/* Members of a cell's `problem` that only ovl_fft3d has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"

void ovl_fft3d_describe(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_fft3d_options *o = &((struct ovl_fft3d *)job)->options;
    json_object_set_new(line, "fftw", json_string(fftw_version));
    json_object_set_new(
        line, "solves",
        json_sprintf("%s transforms on %d x %d ranks, forwards and back; %d variable%s, times of one; %s", o->transform,
                     o->space.members[OVL_ROW], o->space.members[OVL_COLUMN], (int)o->variables,
                     o->variables == 1 ? "" : "s", fftw_version));
}

static json_t *exchange_json(const struct ovl_fft3d *d, int s, enum ovl_transpose t)
{
    const struct ovl_pencil *p = &d->pencil;
    size_t bytes = ovl_pencil_message_most(p, t, d->scheme[s].plan.chunks) * sizeof(double complex);
    return ovl_transform_plan_carried(p, t) ? json_integer((json_int_t)bytes) : json_null();
}

void ovl_fft3d_fill_cell(const struct ovl_app_job *job, int s, struct ovl_cell *c)
{
    const struct ovl_fft3d *d = (const struct ovl_fft3d *)job;
    const struct ovl_fft3d_options *o = &d->options;
    char grid[64];
    ovl_grid_text(&d->pencil.grid, grid);
    c->problem = json_pack("{s:s, s:o, s:s, s:I, s:i, s:i, s:I}", "grid", grid, "procs",
                           json_sprintf("%dx%d", o->space.members[OVL_ROW], o->space.members[OVL_COLUMN]), "transform",
                           o->transform, "variables", (json_int_t)o->variables, "chunks", d->scheme[s].plan.chunks,
                           "window", d->scheme[s].plan.window, "test_lines", (json_int_t)d->scheme[s].poll_lines);
    if (o->space.by_columns) /* the other order is the usual one, which older records do not name */
        json_object_set_new(c->problem, "pmap", json_string("col"));
    ovl_cell_set(
        c, "exchange_bytes",
        json_pack("{s:o, s:o}", "row", exchange_json(d, s, OVL_ROW), "column", exchange_json(d, s, OVL_COLUMN)));
}
