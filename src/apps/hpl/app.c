/* ovl_hpl: an LU solution as HPL does it, whose panel broadcasts overlap with the update. What the frame has to know of
   it, and one order after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/app.h"
#include "apps/hpl/blas.h"
#include "apps/hpl/options.h"
#include "apps/hpl/report.h"
#include "base/rng.h"
#include "offload/boot/agree_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct ovl_app_job job; /* the first */
    struct ovl_hpl_options options;
    struct ovl_hpl_grid grid;
    struct ovl_hpl_variant *variants;
    size_t variant_count;
};

static struct program *program_of(struct ovl_app_job *job)
{
    return (struct program *)job;
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct program *p = program_of(job);
    p->options = ovl_hpl_options_default();
    return ovl_hpl_options_parse(argc, argv, &p->options, err);
}

/* The schemes of --bcast in host mode; in dpu mode the one that the mode itself does, whatever that list has. */
static int choose_variants(struct program *p, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    const char *modes = o->common.offload.modes;
    p->variants = calloc(strlen(modes) + strlen(o->schemes) + 2, sizeof *p->variants);
    if (!p->variants)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    for (const char *m = modes; *m; m += strcspn(m, ","), m += *m == ',') {
        const struct ovl_mode *mode = ovl_mode_find(m, strcspn(m, ","), o->common.offload.engine);
        const char *schemes = strcmp(mode->name, "host") == 0 ? o->schemes : "ibcast";
        for (const char *at = schemes; *at; at += strcspn(at, ","), at += *at == ',')
            p->variants[p->variant_count++] =
                (struct ovl_hpl_variant){.scheme = ovl_hpl_scheme_find(at, strcspn(at, ",")), .mode = mode};
    }
    return 0;
}

static struct ovl_hpl_shape shape_of(const struct program *p, double n)
{
    const struct ovl_hpl_options *o = &p->options;
    return (struct ovl_hpl_shape){.n = (int)n,
                                  .nb = (int)o->nb,
                                  .depth = (int)o->depth,
                                  .rows = o->rows,
                                  .columns = o->columns,
                                  .by_columns = ovl_space_by_columns(o->pmap),
                                  .mix_columns = (int)o->swap_threshold};
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct program *p = program_of(job);
    if (ovl_hpl_options_ranks(&p->options, job->ranks, err) != 0)
        return -1;
    return ovl_agree(job->comm, choose_variants(p, err), err);
}

static size_t problems(const struct ovl_app_job *job)
{
    return ((const struct program *)job)->options.orders.n;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need_of, struct ovl_error *err)
{
    const struct program *p = program_of(job);
    struct ovl_hpl_shape shape = shape_of(p, p->options.orders.value[problem]);
    (void)err;
    need_of->bytes = ovl_hpl_memory(&shape);
    need_of->mend = "a smaller N, more ranks or a larger --mem-limit";
    snprintf(need_of->what, sizeof need_of->what, "--order: %d on %d x %d needs", shape.n, shape.rows, shape.columns);
    return 0;
}

static json_t *solves(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_hpl_options *o = &program_of(job)->options;
    const char *blas = ovl_hpl_blas_name();
    int name = (int)strcspn(blas, " "); /* and version; what follows says how it was built */
    name += blas[name] ? 1 + (int)strcspn(blas + name + 1, " ") : 0;
    if (!ovl_hpl_blas_threads((int)o->threads))
        json_array_append_new(json_object_get(line, "warnings"),
                              json_string("the BLAS library could not be told its number of threads"));
    json_object_set_new(line, "blas", json_string(blas));
    char swap[64] = "";
    if (o->swap_threshold > 0)
        snprintf(swap, sizeof swap, ", swap mix up to %d columns", (int)o->swap_threshold);
    return json_sprintf("an LU solution whose panels travel during the update, no rated HPL run; grid "
                        "%d x %d, NB %d, look-ahead %d%s; %d thread%s a rank, %.*s",
                        o->rows, o->columns, (int)o->nb, (int)o->depth, swap, (int)o->threads,
                        o->threads == 1 ? "" : "s", name, blas);
}

static const struct ovl_format *format(const struct ovl_app_job *job)
{
    return strcmp(job->options->format, "hpl") == 0 ? &ovl_hpl_format_hpl : &ovl_format_proxy;
}

/* At rank 0. */
static int report(struct program *p, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                  struct ovl_error *err)
{
    struct ovl_hpl_result r = {
        .job = &p->job,
        .threads = (int)p->options.threads,
        .seed = m->seed,
        .group = p->job.cells / p->variant_count,
    };
    int rc = ovl_hpl_result_make(&r, m, v, err);
    if (rc == 0) {
        rc = ovl_output_cell(&p->job.output, &r.cell, ovl_cell_to_json(&r.cell), err);
        if (strcmp(r.cell.status, "invalid") == 0)
            fprintf(stderr, "ovl_hpl: N %d, %s: %s\n", r.shape.n, v->scheme->name, r.cell.reason);
        p->job.cells++;
    }
    ovl_cell_free(&r.cell);
    return rc;
}

/* Collective: one order, all variants. */
static int run_order(struct program *p, double n, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    struct ovl_hpl_shape shape = shape_of(p, n);
    if (p->job.rank == 0)
        ovl_progress_cell(&p->job.output.progress, -1);
    struct ovl_hpl_measurement m = {
        .grid = &p->grid,
        .variants = p->variants,
        .variant_count = p->variant_count,
        .repetitions = o->repetitions,
        .warmup = o->warmup,
        .max_seconds = o->common.max_time,
        .seed =
            ovl_rng_mix(o->common.seed ^ ovl_rng_mix((uint64_t)shape.n)) >> 12, /* exact as a JSON number everywhere */
    };
    for (size_t i = 0; i < p->variant_count; i++)
        p->variants[i] = (struct ovl_hpl_variant){.scheme = p->variants[i].scheme, .mode = p->variants[i].mode};
    int rc = ovl_agree(p->job.comm, ovl_hpl_measurement_open(&m, &shape, ovl_rng_mix(o->common.seed), err), err);
    if (rc == 0) {
        m.system.spoil = o->spoiled;
        ovl_app_prove_begin(&p->job);
        ovl_hpl_measure(&m);
        ovl_app_prove(&p->job);
        m.unproved = p->job.unproved;
        p->job.signal = m.signal;
        for (size_t i = 0; i < p->variant_count; i++) {
            p->job.wrong_data = p->job.wrong_data || p->variants[i].wrong;
            if (p->job.rank == 0 && rc == 0 && !m.signal)
                rc = report(p, &m, &p->variants[i], err);
        }
        rc = ovl_agree(p->job.comm, rc, err);
    }
    ovl_hpl_measurement_close(&m);
    return rc;
}

static int measure(struct ovl_app_job *job, struct ovl_error *err)
{
    struct program *p = program_of(job);
    const struct ovl_hpl_options *o = &p->options;
    ovl_hpl_blas_threads((int)o->threads);
    int rc = ovl_hpl_grid_open(&p->grid, job->comm, o->rows, o->columns, ovl_space_by_columns(o->pmap),
                               job->stage.offload, err);
    for (size_t i = 0; i < o->orders.n && rc == 0 && !job->signal; i++)
        rc = run_order(p, o->orders.value[i], err);
    ovl_hpl_grid_close(&p->grid);
    return rc;
}

static void end(struct ovl_app_job *job)
{
    free(program_of(job)->variants);
}

const struct ovl_app ovl_app = {
    .name = "hpl",
    .about =
        "Solve a random dense system by LU with partial pivoting, as HPL does, and measure how much of the broadcasts\n"
        "of its panels is hidden behind the update. This is hpl-panel: no rated HPL run.\n",
    .exit_status = "0 fine, 2 interrupted, 3 usage, 4 wrong data, 5 environment",
    .size = sizeof(struct program),
    .options_at = offsetof(struct program, options),
    .rows = ovl_hpl_option_rows,
    .parse = parse,
    .begin = begin,
    .need = need,
    .problems = problems,
    .kernel = "none",
    .solves = solves,
    .format = format,
    .measure = measure,
    .end = end,
};
