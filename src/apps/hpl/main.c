/* ovl_hpl: an LU solution as HPL does it, whose panel broadcasts overlap with the update. From options to exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/blas.h"
#include "apps/hpl/options.h"
#include "apps/hpl/report.h"
#include "base/clock.h"
#include "base/rng.h"
#include "bench/interrupt.h"
#include "bench/provenance.h"
#include "bench/steal.h"
#include "machine/clock_cost.h"
#include "offload/boot/agree_mpi.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    MPI_Comm comm; /* the ranks */
    int rank, ranks;
    struct ovl_offload offload;
    struct ovl_hpl_options options;
    struct ovl_provenance provenance;
    struct ovl_hpl_grid grid;
    struct ovl_hpl_variant *variants;
    size_t variant_count;
    struct ovl_output out; /* at rank 0 */
    size_t cells;
    bool wrong_data, unproved;
    int signal;
    double clock_read, stolen; /* as ovl_steal_largest: at rank 0, of the present order */
    struct ovl_steal steal;
};

static void usage(void)
{
    puts(
        "Usage: mpirun -n RANKS ovl_hpl [OPTION]...\n"
        "Solve a random dense system by LU with partial pivoting, as HPL does, and measure how much of the broadcasts\n"
        "of its panels is hidden behind the update. This is hpl-panel: no rated HPL run.\n");
    ovl_options_help(ovl_hpl_option_rows, stdout);
    puts("\nExit status: 0 fine, 2 interrupted, 3 usage, 4 wrong data, 5 environment. See ovl_hpl(1) and ovl(7).");
}

/* The schemes of --bcast in host mode; in dpu mode the one that the mode itself does, whatever that list has. */
static int choose_variants(struct program *p, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    const char *modes = o->offload.modes;
    p->variants = calloc(strlen(modes) + strlen(o->schemes) + 2, sizeof *p->variants);
    if (!p->variants)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory");
    for (const char *m = modes; *m; m += strcspn(m, ","), m += *m == ',') {
        const struct ovl_mode *mode = ovl_mode_find(m, strcspn(m, ","), o->offload.engine);
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
    return (struct ovl_hpl_shape){
        .n = (int)n, .nb = (int)o->nb, .depth = (int)o->depth, .rows = o->rows, .columns = o->columns};
}

/* Collective: before anything is measured. */
static int check_memory(struct program *p, struct ovl_error *err)
{
    struct ovl_hpl_options *o = &p->options;
    double share = 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / p->provenance.ranks_here;
    double limit = o->mem_limit > 0 ? (double)o->mem_limit : share;
    MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_DOUBLE, MPI_MIN, p->comm);
    for (size_t i = 0; i < o->orders.n; i++) {
        struct ovl_hpl_shape shape = shape_of(p, o->orders.value[i]);
        double need = ovl_hpl_memory(&shape);
        if (need > limit)
            return ovl_error_set(err, OVL_USAGE,
                                 "--order: %d on %d x %d needs %.0f MB a rank, over the limit of %.0f MB; give a "
                                 "smaller N, more ranks or a larger --mem-limit",
                                 shape.n, shape.rows, shape.columns, 1e-6 * need, 1e-6 * limit);
    }
    o->mem_limit = (uint64_t)limit;
    return 0;
}

/* Takes `provenance`. */
static json_t *run_line(const struct program *p, bool threads_set, json_t *provenance, char **argv)
{
    const struct ovl_hpl_options *o = &p->options;
    const char *blas = ovl_hpl_blas_name();
    int name = (int)strcspn(blas, " "); /* and version; what follows says how it was built */
    name += blas[name] ? 1 + (int)strcspn(blas + name + 1, " ") : 0;
    if (!threads_set)
        json_array_append_new(json_object_get(provenance, "warnings"),
                              json_string("the BLAS library could not be told its number of threads"));
    json_t *line = ovl_output_run_line("hpl", argv, provenance);
    json_object_set_new(line, "datatype", json_null());
    json_object_set_new(line, "workers", json_integer(p->offload.engine.job_map.workers));
    json_t *offload = ovl_offload_json(&p->offload);
    if (offload)
        json_object_set_new(line, "offload", offload);
    json_object_set_new(line, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(line, "options", ovl_options_json(ovl_hpl_option_rows, o));
    json_object_set_new(line, "clock", json_pack("{s:f, s:b}", "read_seconds", p->clock_read, "synchronised", 0));
    json_object_set_new(line, "calibration",
                        json_pack("{s:s, s:n, s:n}", "kernel", "none", "units_per_second", "nonlinearity"));
    json_object_set_new(line, "solves",
                        json_sprintf("an LU solution whose panels travel during the update, no rated HPL run; grid "
                                     "%d x %d, NB %d, look-ahead %d; %d thread%s a rank, %.*s",
                                     o->rows, o->columns, (int)o->nb, (int)o->depth, (int)o->threads,
                                     o->threads == 1 ? "" : "s", name, blas));
    json_object_set_new(line, "blas", json_string(blas));
    return line;
}

/* At rank 0. */
static int report(struct program *p, const struct ovl_hpl_measurement *m, const struct ovl_hpl_variant *v,
                  struct ovl_error *err)
{
    struct ovl_hpl_result r = {
        .run = &p->out.run,
        .threads = (int)p->options.threads,
        .seed = m->seed,
        .clock_read = p->clock_read,
        .stolen = p->stolen,
        .group = p->cells / p->variant_count,
    };
    int rc = ovl_hpl_result_make(&r, m, v, err);
    if (rc == 0) {
        rc = ovl_output_cell(&p->out, &r.cell, ovl_cell_to_json(&r.cell), err);
        if (strcmp(r.cell.status, "invalid") == 0)
            fprintf(stderr, "ovl_hpl: N %d, %s: %s\n", r.shape.n, v->scheme->name, r.cell.reason);
        p->cells++;
    }
    ovl_cell_free(&r.cell);
    return rc;
}

/* Collective: did workers carry all that was posted? */
static void prove(struct program *p, struct ovl_hpl_measurement *m)
{
    struct ovl_error unproved;
    if (ovl_offload_proof_end(&p->offload, &unproved) == 0)
        return;
    p->unproved = m->unproved = true;
    if (p->rank == 0)
        fprintf(stderr, "ovl_hpl: %s\n", unproved.text);
}

/* Collective: one order, all variants. */
static int run_order(struct program *p, double n, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    struct ovl_hpl_shape shape = shape_of(p, n);
    struct ovl_hpl_measurement m = {
        .grid = &p->grid,
        .variants = p->variants,
        .variant_count = p->variant_count,
        .repetitions = o->repetitions,
        .warmup = o->warmup,
        .seed = ovl_rng_mix(o->seed ^ ovl_rng_mix((uint64_t)shape.n)) >> 12, /* exact as a JSON number everywhere */
    };
    for (size_t i = 0; i < p->variant_count; i++)
        p->variants[i] = (struct ovl_hpl_variant){.scheme = p->variants[i].scheme, .mode = p->variants[i].mode};
    int rc = ovl_agree(p->comm, ovl_hpl_measurement_open(&m, &shape, ovl_rng_mix(o->seed), err), err);
    if (rc == 0) {
        m.system.spoil = o->spoiled;
        ovl_offload_proof_begin(&p->offload);
        ovl_steal_begin(&p->steal);
        ovl_hpl_measure(&m);
        p->stolen = ovl_steal_largest(&p->steal, p->comm);
        prove(p, &m);
        p->signal = m.signal;
        for (size_t i = 0; i < p->variant_count; i++) {
            p->wrong_data = p->wrong_data || p->variants[i].wrong;
            if (p->rank == 0 && rc == 0 && !m.signal)
                rc = report(p, &m, &p->variants[i], err);
        }
        rc = ovl_agree(p->comm, rc, err);
    }
    ovl_hpl_measurement_close(&m);
    return rc;
}

/* Collective: everything after the options. */
static int measure(struct program *p, char **argv, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    if (ovl_agree(p->comm, ovl_provenance_load(&p->provenance, p->comm, &p->offload.engine.job_map, err), err) != 0 ||
        ovl_agree(p->comm, check_memory(p, err), err) != 0)
        return -1;
    bool threads_set = ovl_hpl_blas_threads((int)o->threads);
    json_t *provenance = ovl_provenance_json(&p->provenance, p->comm);
    int rc = 0;
    p->clock_read = 1e-9 * ovl_clock_read_cost();
    ovl_steal_open(&p->steal);
    if (p->rank == 0) {
        p->out.format = strcmp(o->format, "hpl") == 0 ? &ovl_hpl_format_hpl : &ovl_format_proxy;
        p->out.quiet = o->quiet;
        p->out.full = o->full;
        rc = ovl_output_open(&p->out, run_line(p, threads_set, provenance, argv), o->json, err);
    }
    rc = ovl_agree(p->comm, rc, err);
    bool opened = rc == 0;
    if (rc == 0) {
        struct ovl_offload *offload = p->offload.engine.connected ? &p->offload : NULL;
        rc = ovl_hpl_grid_open(&p->grid, p->comm, o->rows, o->columns, offload, err);
        for (size_t i = 0; i < o->orders.n && rc == 0 && !p->signal; i++)
            rc = run_order(p, o->orders.value[i], err);
        ovl_hpl_grid_close(&p->grid);
    }
    if (opened && p->rank == 0)
        rc = ovl_output_close(&p->out, rc, p->signal, p->cells, err);
    json_decref(p->out.run.head);
    return ovl_agree(p->comm, rc, err);
}

/* Collective over the ranks: everything between the meeting of all and their parting. */
static int run_ranks(struct program *p, char **argv, struct ovl_error *err)
{
    MPI_Comm_dup(p->offload.engine.comm, &p->comm);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->ranks);
    int rc = ovl_hpl_options_ranks(&p->options, p->ranks, err);
    if (rc == 0)
        rc = ovl_agree(p->comm, choose_variants(p, err), err);
    if (rc == 0)
        rc = measure(p, argv, err);
    if (rc == 0 && p->signal && p->rank == 0)
        fprintf(stderr, "ovl_hpl: interrupted by %s; %zu finished cells are kept\n", ovl_interrupt_name(p->signal),
                p->cells);
    free(p->variants);
    ovl_provenance_free(&p->provenance);
    MPI_Comm_free(&p->comm);
    return rc;
}

static int run(struct program *p, int rc, char **argv, struct ovl_error *err)
{
    const struct ovl_engine *e = &p->offload.engine;
    bool leave = rc == 0 && (p->options.help || p->options.version);
    p->offload.program = "ovl_hpl";
    rc = ovl_offload_join(&p->offload, &p->options.offload, leave, err);
    if (rc == 0 && !e->worker)
        rc = run_ranks(p, argv, err);
    else if (leave && e->first && p->options.help)
        usage();
    else if (leave && e->first)
        printf("ovl_hpl %s (%s)\n", OVL_VERSION, OVL_GIT);
    if (rc != 0 && e->first && *err->text)
        fprintf(stderr, "ovl_hpl: %s\n", err->text);
    ovl_offload_release(&p->offload);
    int code = rc != 0         ? (int)err->code
               : p->unproved   ? OVL_ENVIRONMENT
               : p->wrong_data ? OVL_WRONG_DATA
               : p->signal     ? OVL_INCONCLUSIVE
                               : OVL_OK;
    return ovl_engine_agree_exit_code(&p->offload.engine, code);
}

int main(int argc, char **argv)
{
    struct program p = {.out = {.writer = {.fd = -1}}, .options = ovl_hpl_options_default()};
    struct ovl_error err = {.code = OVL_OK};
    int rc = ovl_hpl_options_parse(argc, argv, &p.options, &err);
    if (rc == 0 && ovl_offload_wanted(&p.options.offload))
        ovl_engine_prepare((int)p.options.offload.workers);
    MPI_Init(&argc, &argv);
    ovl_interrupt_catch();
    return ovl_engine_finalize(run(&p, rc, argv, &err));
}
