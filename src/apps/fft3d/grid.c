/* One grid after the other: room, plans, data, schemes, and the loop over them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/memory.h"
#include "apps/fft3d/state.h"
#include "base/clock.h"
#include "offload/boot/agree_mpi.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool real(const struct ovl_fft3d *d)
{
    return strcmp(d->options.transform, "r2c") == 0;
}

/* The fewest slabs that a scheme may have, which gives the largest messages. */
static int fewest_chunks(const struct ovl_fft3d *d)
{
    return d->blocking >= 0 || d->options.chunks == 0 ? 1 : d->options.chunks;
}

/* Blocking exchanges need one pair of messages, the others one more than may be in flight. Each is as large as the
   largest that any scheme has. */
static int slots(const struct ovl_fft3d *d)
{
    return d->schemes == 1 && d->blocking == 0 ? 1 : (int)d->options.window + 1;
}

static int check_grid(struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_error *err)
{
    struct ovl_pencil p;
    if (ovl_pencil_make(&p, grid, real(d), d->options.parts, 0, err) != 0) /* rank 0 has no less than others */
        return -1;
    double message = (double)ovl_carrier_largest(&p, fewest_chunks(d)) * sizeof(double complex);
    double need = ovl_transform_bytes(&p, (int)d->options.variables) + 2 * slots(d) * message;
    double has = ovl_memory_of_machine() / d->provenance.ranks_here, least;
    MPI_Allreduce(&has, &least, 1, MPI_DOUBLE, MPI_MIN, d->comm);
    if (d->options.mem_limit)
        least = (double)d->options.mem_limit;
    char name[64], wants[32], gets[32];
    ovl_grid_text(grid, name);
    ovl_memory_text(need, wants);
    ovl_memory_text(least, gets);
    if (need > least)
        return ovl_error_set(err, OVL_USAGE,
                             "--grid %s: %d variables need %s a rank, and a rank has %s%s; give a smaller grid, fewer "
                             "--vars or more ranks",
                             name, (int)d->options.variables, wants, gets,
                             d->options.mem_limit ? " (--mem-limit)" : "");
    if (message / sizeof(double) > INT_MAX)
        return ovl_error_set(err, OVL_USAGE, "--grid %s: messages of %.0f numbers are more than MPI counts; give %s",
                             name, message / sizeof(double),
                             d->blocking >= 0 ? "more ranks or leave out --mode blocking" : "more --chunks");
    return 0;
}

/* Found now, and not after the first plan. */
static int check_wisdom(const struct ovl_fft3d *d, struct ovl_error *err)
{
    FILE *f = d->rank == 0 && d->options.wisdom ? fopen(d->options.wisdom, "a") : NULL;
    if (d->rank == 0 && d->options.wisdom && !f)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--wisdom %s: cannot write it", d->options.wisdom);
    if (f)
        fclose(f);
    return 0;
}

int ovl_fft3d_check(struct ovl_fft3d *d, struct ovl_error *err)
{
    int rc = ovl_agree(d->stage.comm, check_wisdom(d, err), err);
    for (size_t g = 0; g < d->options.grid_count && rc == 0; g++)
        rc = check_grid(d, &d->options.grids[g], err);
    return rc;
}

/* Collective: rank 0 plans, and the others take over what it found, so that all ranks compute alike. */
static int make_transform(struct ovl_fft3d *d, struct ovl_error *err)
{
    unsigned effort = strcmp(d->options.plan, "estimate") == 0  ? FFTW_ESTIMATE
                      : strcmp(d->options.plan, "patient") == 0 ? FFTW_PATIENT
                                                                : FFTW_MEASURE;
    struct ovl_lines found;
    int rc = 0, length = 0;
    char *wisdom = NULL;
    memset(&found, 0, sizeof found);
    if (d->rank == 0) {
        if (d->options.wisdom)
            fftw_import_wisdom_from_filename(d->options.wisdom); /* an empty one says nothing */
        rc = ovl_lines_make(&found, &d->pencil, effort, err);
        wisdom = rc == 0 ? fftw_export_wisdom_to_string() : NULL;
        length = wisdom ? (int)strlen(wisdom) + 1 : 0;
        if (rc == 0 && d->options.wisdom && !fftw_export_wisdom_to_filename(d->options.wisdom))
            rc = ovl_error_set(err, OVL_ENVIRONMENT, "--wisdom %s: cannot write it", d->options.wisdom);
    }
    ovl_lines_free(&found);
    if (ovl_agree(d->stage.comm, rc, err) == 0) {
        MPI_Bcast(&length, 1, MPI_INT, 0, d->stage.comm);
        char *all = d->rank == 0 ? wisdom : malloc((size_t)length + 1);
        rc = all || !length ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for FFTW's wisdom");
        if (ovl_agree(d->stage.comm, rc, err) == 0 && length > 0) {
            MPI_Bcast(all, length, MPI_CHAR, 0, d->stage.comm);
            if (d->rank != 0)
                fftw_import_wisdom_from_string(all);
        }
        if (d->rank != 0)
            free(all);
        if (rc == 0)
            rc = ovl_transform_make(&d->transform, &d->pencil, (int)d->options.variables, effort, err);
        rc = ovl_agree(d->stage.comm, rc, err);
    } else
        rc = -1;
    free(wisdom);
    return rc;
}

static int make_scheme(struct ovl_fft3d *d, int s, int chunks, struct ovl_error *err)
{
    return ovl_agree(d->stage.comm,
                     ovl_scheme_make(&d->scheme[s], &d->transform, &d->carrier,
                                     s == d->blocking ? NULL : d->stage.modes[s], s == d->blocking ? 1 : chunks,
                                     (int)d->options.window, err),
                     err);
}

/* Collective: the quickest of the slowest ranks' pairs; the first pair of each number warms up. */
static int choose_chunks(struct ovl_fft3d *d, int s, struct ovl_error *err)
{
    enum { TRIES = 4 };
    double best = INFINITY;
    int chosen = 1, rc = 0;
    for (int chunks = 1; chunks <= 8 && rc == 0; chunks *= 2) {
        double least = INFINITY;
        rc = make_scheme(d, s, chunks, err);
        for (int t = 0; t < TRIES && rc == 0; t++) {
            struct ovl_parts parts = {0};
            MPI_Barrier(d->comm);
            ovl_scheme_pair(&d->scheme[s], OVL_DO_BOTH, &parts);
            double took = parts.init + parts.test + parts.wait + parts.inner, slowest;
            MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, d->stage.comm);
            if (t > 0)
                least = fmin(least, slowest);
        }
        if (least < best) {
            best = least;
            chosen = chunks;
        }
        ovl_scheme_free(&d->scheme[s]);
    }
    return rc == 0 ? chosen : -1;
}

static int make_schemes(struct ovl_fft3d *d, struct ovl_error *err)
{
    int rc = 0;
    for (int s = 0; s < d->schemes && rc == 0; s++) {
        int chunks = d->options.chunks || s == d->blocking ? d->options.chunks : choose_chunks(d, s, err);
        rc = chunks < 0 ? -1 : make_scheme(d, s, chunks, err);
    }
    return rc;
}

/* The mode whose W a scheme shares: the first whose slabs are the same. */
static int work_of(const struct ovl_fft3d *d, int s)
{
    int first = 0;
    while (d->scheme[first].chunks != d->scheme[s].chunks || (first == d->blocking) != (s == d->blocking))
        first++;
    return first;
}

static struct ovl_loop make_loop(struct ovl_fft3d *d, const struct ovl_stage_ops *ops)
{
    const struct ovl_fft3d_options *o = &d->options;
    struct ovl_loop loop = {
        .ops = ops,
        .stage = d,
        .decides = d->rank == 0,
        .rank = d->rank,
        .ranks = d->ranks,
        .modes = d->schemes,
        .warmup = o->warmup,
        .stop = {o->blocks[0], o->blocks[1], o->ci, o->max_time},
        .seed = ovl_rng_mix(o->seed ^ ovl_rng_mix(d->grids)) >> 12, /* 52 bits: exact as a JSON number everywhere */
        .clock_read = d->clock_read,
        .late_seconds = 0.01 * d->pair_seconds,
        .fixed_seconds = 0, /* the work is the grid's own */
        .per_rank = o->per_rank,
    };
    for (int s = 0; s < d->schemes; s++)
        loop.work_of[s] = work_of(d, s);
    return loop;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Collective: pairs of their own, in which FFTW's part is timed too; the median of each phase. */
static struct ovl_phase_times take_phases(struct ovl_fft3d *d, int s)
{
    enum { PAIRS = 5 };
    double took[OVL_PHASES][PAIRS], mine[OVL_PHASES];
    struct ovl_phase_times times;
    d->transform.clock = ovl_clock_ns;
    d->transform.poll_every = d->scheme[s].mode ? d->options.test_lines : 0;
    for (int i = 0; i < PAIRS; i++) {
        struct ovl_parts parts = {0};
        d->transform.lines_ns = 0;
        MPI_Barrier(d->comm);
        ovl_scheme_pair(&d->scheme[s], OVL_DO_BOTH, &parts);
        double lines = 1e-9 * (double)d->transform.lines_ns;
        const double phases[OVL_PHASES] = {lines, parts.inner - lines, parts.init, parts.test, parts.wait};
        for (int p = 0; p < OVL_PHASES; p++)
            took[p][i] = phases[p] / d->transform.variables;
    }
    d->transform.clock = NULL;
    for (int p = 0; p < OVL_PHASES; p++) {
        qsort(took[p], PAIRS, sizeof took[p][0], by_value);
        mine[p] = took[p][PAIRS / 2];
    }
    MPI_Reduce(mine, times.least, OVL_PHASES, MPI_DOUBLE, MPI_MIN, 0, d->stage.comm);
    MPI_Reduce(mine, times.mean, OVL_PHASES, MPI_DOUBLE, MPI_SUM, 0, d->stage.comm);
    MPI_Reduce(mine, times.most, OVL_PHASES, MPI_DOUBLE, MPI_MAX, 0, d->stage.comm);
    for (int p = 0; p < OVL_PHASES && d->rank == 0; p++)
        times.mean[p] /= d->ranks;
    return times;
}

/* Collective: did workers carry all that was posted in the loop? */
static void prove(struct ovl_fft3d *d, int rc)
{
    struct ovl_error unproved;
    if (ovl_offload_proof_end(&d->offload, &unproved) == 0 || rc != 0)
        return;
    d->unproved = true;
    if (d->rank == 0)
        fprintf(stderr, "ovl_fft3d: %s\n", unproved.text);
}

/* Collective: a grid that is in place. */
static int run_grid(struct ovl_fft3d *d, struct ovl_error *err)
{
    struct ovl_stage_ops ops = ovl_fft3d_stage_ops();
    struct ovl_loop_result result;
    struct ovl_phase_times phases[OVL_LOOP_MODES];
    double before = ovl_fft3d_validate(d), error, limit = ovl_check_limit(&d->pencil.grid, 1);
    struct ovl_loop loop = make_loop(d, &ops);
    bool wrong = !(before <= limit);
    d->data = OVL_DATA_GOOD;
    d->error = 0;

    if (wrong) { /* the time of a wrong answer is worth nothing: the fewest blocks */
        loop.warmup = 0;
        loop.stop.most = loop.stop.least = OVL_STOP_BLOCKS_AT_LEAST;
    }
    ovl_offload_proof_begin(&d->offload);
    ovl_steal_begin(&d->steal);
    int rc = ovl_loop_run(&loop, &result, err);
    d->stolen = ovl_steal_largest(&d->steal, d->stage.comm);
    ovl_fft3d_settle(d);
    ovl_offload_wake(&d->offload, true);
    prove(d, rc);
    double mine = isnan(d->error) ? INFINITY : d->error;
    MPI_Allreduce(&mine, &error, 1, MPI_DOUBLE, MPI_MAX, d->stage.comm);
    error = fmax(error, before);
    for (int s = 0; s < d->schemes; s++)
        phases[s] = take_phases(d, s);
    if (rc == 0 && d->rank == 0 && !result.signal)
        rc = ovl_fft3d_report(d, &loop, &result, phases, error, error <= limit, err);
    if (rc == 0 && !(error <= limit)) {
        char name[64];
        ovl_grid_text(&d->pencil.grid, name);
        d->wrong_data = true;
        if (d->rank == 0)
            fprintf(stderr, "ovl_fft3d: wrong data: grid %s: an error of %.3g, and at most %.3g is right\n", name,
                    error, limit);
    }
    d->signal = rc == 0 ? result.signal : 0;
    ovl_loop_result_free(&result);
    return ovl_agree(d->stage.comm, rc, err);
}

static int measure_grid(struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_error *err)
{
    d->grids++;
    if (d->rank == 0)
        ovl_progress_cell(&d->output.progress, -1);
    int rc = ovl_pencil_make(&d->pencil, grid, real(d), d->options.parts, d->rank, err);
    ovl_offload_wake(&d->offload, false); /* plans are measured */
    if (rc == 0)
        rc = make_transform(d, err);
    ovl_offload_wake(&d->offload, true);
    if (rc == 0) { /* opened at all ranks, so that closing can be collective */
        rc = ovl_agree(d->stage.comm,
                       ovl_carrier_open(&d->carrier, &d->pencil, d->comm, d->stage.offload, slots(d),
                                        ovl_carrier_largest(&d->pencil, fewest_chunks(d)), err),
                       err);
        if (rc == 0)
            rc = make_schemes(d, err);
        d->wire_bytes = ovl_carrier_wire_bytes(&d->pencil, d->comm);
        if (rc == 0)
            rc = run_grid(d, err);
        ovl_offload_wake(&d->offload, true);
        for (int s = 0; s < d->schemes; s++)
            ovl_scheme_free(&d->scheme[s]);
        ovl_carrier_close(&d->carrier);
    }
    ovl_transform_free(&d->transform);
    return rc;
}

int ovl_fft3d_measure(struct ovl_fft3d *d, struct ovl_error *err)
{
    int rc = 0;
    if (d->rank == 0)
        ovl_progress_open(&d->output.progress, d->options.grid_count, d->options.progress);
    for (size_t g = 0; g < d->options.grid_count && rc == 0 && !d->signal; g++)
        rc = measure_grid(d, &d->options.grids[g], err);
    return rc;
}
