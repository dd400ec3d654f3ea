/* A driver from options to exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver.h"
#include "bench/driver_state.h"
#include "bench/interrupt.h"
#include "bench/overdue.h"
#include "bench/starts.h"
#include "offload/boot/agree_mpi.h"
#include "version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(const struct ovl_benchmark *b)
{
    printf("Usage: mpirun -n RANKS %s [OPTION]...\n"
           "Measure how much of %s can be hidden behind computation.\n"
           "%c%s.\n\n",
           b->program, b->call, b->summary[0] - ('a' <= b->summary[0] && b->summary[0] <= 'z' ? 32 : 0),
           b->summary + 1);
    ovl_options_help(ovl_driver_option_rows, stdout);
    printf("\nExit status: 0 fine, 2 an invalid cell, 3 usage, 4 wrong data, 5 environment. See %s(1) and ovl(7).\n",
           b->program);
}

/* A new row that lacks something is found at its first start. */
static int check_row(const struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_collective *c = d->collective;
    if (!d->benchmark)
        return ovl_error_set(err, OVL_USAGE, "collective %s has no row in cli/catalog.c; add one", c->name);
    if (!c->shape || !c->post || !c->blocking || !c->segments != !c->segment ||
        (d->benchmark->size_max > 0 && !c->segments))
        return ovl_error_set(err, OVL_USAGE, "the row of collective %s lacks a hook; see bench/exchange/collective.h",
                             c->name);
    return 0;
}

static int choose_algorithm(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    return ovl_offload_choose(&d->offload, &o->common.offload, o->algorithm, d->collective->operation,
                              d->benchmark->name, d->group_ranks, err);
}

/* Chooses the rows of --mode. */
static int choose_modes(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    static const char *const names[] = {"host", "dpu"}; /* host first, however they were named */
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        if (!strstr(o->common.offload.modes, names[m]))
            continue;
        const struct ovl_mode *mode = ovl_mode_find(names[m], strlen(names[m]), o->common.offload.engine);
        if (mode->offloads && !d->collective->operation)
            return ovl_error_set(err, OVL_USAGE,
                                 "%s stays with the host: the workers of ovl have no such operation; leave dpu out of "
                                 "--mode",
                                 d->benchmark->name);
        /* Work follows the host's communication time, so that is measured too, as long as it takes to set the work:
           also beside --work-from, whose record may lack a size. Where the library offloads, no operation is the
           host's. */
        if (mode->offloads && d->modes == 0 && isnan(o->compute_us) && strcmp(mode->engine, "mpi") != 0) {
            d->stage.modes[d->modes++] = ovl_mode_find("host", 4, o->common.offload.engine);
            d->pilot = true;
        }
        d->stage.modes[d->modes++] = mode;
    }
    return 0;
}

/* Options that this collective, or so many ranks, cannot do. */
static int check_form(const struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    const char *program = d->benchmark->program;
    if (o->root >= (uint64_t)d->group_ranks)
        return ovl_error_set(err, OVL_USAGE, "--root %llu: the ranks are 0 to %d", (unsigned long long)o->root,
                             d->group_ranks - 1);
    if (o->root > 0 && !d->collective->rooted)
        return ovl_error_set(err, OVL_USAGE, "%s has no root: leave out --root", program);
    if (o->in_place && d->collective->in_place == OVL_IN_PLACE_NEVER)
        return ovl_error_set(err, OVL_USAGE, "%s has no form in place: leave out --in-place", program);
    if (o->pairs && strstr(o->pairs, "-way") && d->group_ranks < 2)
        return ovl_error_set(err, OVL_USAGE, "--pairs %s: a pair is two ranks; start two, or give --pairs ring",
                             o->pairs);
    if (o->common.per_rank && ovl_starts_room(o->common.blocks[1], d->ranks, err) != 0)
        return -1;
    if (o->persistent && !d->collective->init)
        return ovl_error_set(err, OVL_USAGE, "%s has no persistent form: leave out --persistent", program);
    if (o->persistent && !d->collective->init_call)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "--persistent: this MPI library has no persistent form of %s (it is part of MPI 4)",
                             d->benchmark->call);
    return 0;
}

/* Collective: do the largest messages fit? */
static int check_memory(const struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    uint64_t largest = o->sizes.n > 0 ? o->sizes.size[o->sizes.n - 1] : 0;
    struct ovl_exchange_plan plan = ovl_driver_plan(d, largest);
    size_t need = ovl_exchange_memory(&plan);
    need = need > SIZE_MAX / o->rotate ? SIZE_MAX : need * o->rotate;
    int rc = ovl_exchange_check(&plan, err);
    if (need > o->common.mem_limit) {
        char size[24], limit[24];
        ovl_options_size_text(largest, size);
        ovl_options_size_text(o->common.mem_limit, limit);
        rc = ovl_error_set(
            err, OVL_USAGE,
            "--message-size: %s with %d ranks needs %zu bytes a rank, over the limit of %s; give a smaller MAX or a "
            "larger --mem-limit",
            size, d->group_ranks, need, limit);
    }
    return ovl_agree(d->comm, rc, err);
}

/* Collective: the same answer at all ranks. */
static int check_request(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    if (choose_modes(d, err) != 0 || choose_algorithm(d, err) != 0 || check_form(d, err) != 0 ||
        ovl_skew_parse(o->common.skew, &d->stage.skew, err) != 0)
        return -1;
    d->stage.skew_rng = ovl_rng_seeded(o->common.seed ^ ovl_rng_mix((uint64_t)d->rank + 1));
    return check_memory(d, err);
}

/* Collective: the median of the ranks' rates, all calibrating at once, until N against 2N units holds within 2 %. */
static void calibrate(struct ovl_driver *d)
{
    enum { TRIES = 5 };
    double *rates = ovl_alloc((size_t)d->ranks, sizeof *rates), best = INFINITY;
    for (int t = 0; t < TRIES && best > 0.02; t++) {
        double rate, nonlinearity, worst;
        MPI_Barrier(d->stage.comm);
        ovl_work_calibrate(&d->work, &rate, &nonlinearity);
        MPI_Allreduce(&nonlinearity, &worst, 1, MPI_DOUBLE, MPI_MAX, d->stage.comm);
        MPI_Allgather(&rate, 1, MPI_DOUBLE, rates, 1, MPI_DOUBLE, d->stage.comm);
        if (worst < best) {
            best = worst;
            d->work.rate = ovl_stats_median(rates, (size_t)d->ranks);
        }
    }
    d->nonlinearity = best;
    free(rates);
}

/* Collective: everything after the options. */
static int measure(struct ovl_driver *d, char **argv, struct ovl_error *err)
{
    const struct ovl_engine *e = &d->offload.engine;
    if (ovl_agree(d->stage.comm, ovl_provenance_load(&d->provenance, d->comm, &e->job_map, err), err) != 0 ||
        ovl_agree(d->stage.comm, ovl_work_open(&d->work, d->options.compute, err), err) != 0)
        return -1;
    ovl_steal_open(&d->steal);
    d->clock_read = ovl_stage_meet(&d->stage, &d->sync, d->comm, &d->provenance);
    d->stage.work = &d->work;
    calibrate(d);

    if (d->options.self_test) {
        int tested = ovl_driver_self_test(d, err);
        ovl_sync_close(&d->sync);
        return tested;
    }
    json_t *provenance = ovl_provenance_json(&d->provenance, d->comm);
    int rc = ovl_agree(d->stage.comm, d->rank == 0 ? ovl_driver_open_output(d, provenance, argv, err) : 0, err);
    if (rc == 0) {
        rc = ovl_driver_measure_cells(d, err);
        if (d->rank == 0)
            rc = ovl_output_close(&d->output, rc, d->signal, err);
        rc = ovl_agree(d->stage.comm, rc, err);
    }
    json_decref(d->output.run.head);
    ovl_sync_close(&d->sync);
    return rc;
}

/* Collective over the ranks: from the options to the last cell. */
static int run_driver(struct ovl_driver *d, char **argv, struct ovl_error *err)
{
    d->output.format = ovl_format_find(d->options.common.format);
    if (d->options.type)
        d->type = ovl_datatype_find(d->options.type);
    return check_request(d, err) == 0 ? measure(d, argv, err) : -1;
}

/* What can be said before the job is one. */
static int read_options(struct ovl_driver *d, int argc, char **argv, struct ovl_error *err)
{
    d->options = ovl_driver_options_default(d->benchmark ? d->benchmark : ovl_benchmarks);
    return check_row(d, err) == 0 ? ovl_driver_options_parse(d->benchmark, argc, argv, &d->options, err) : -1;
}

/* Collective over the ranks: the communicator of those that this one communicates with, by --group. */
static int make_group(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    d->group = d->comm;
    d->group_ranks = d->ranks;
    if (o->group_ranks == 0)
        return 0;
    if (o->group_ranks > (uint64_t)d->ranks)
        return ovl_error_set(err, OVL_USAGE, "--group %s: there are only %d ranks", o->group, d->ranks);
    d->group_ranks = (int)o->group_ranks;
    int groups = d->ranks / d->group_ranks;
    bool left_over = d->rank >= groups * d->group_ranks;
    d->group_number = o->group_cyclic ? d->rank % groups : d->rank / d->group_ranks;
    bool idle = left_over || (!o->multi && d->group_number > 0);
    MPI_Comm_split(d->comm, idle ? MPI_UNDEFINED : d->group_number, d->rank, &d->group);
    return 0;
}

/* Collective over the ranks: everything between the meeting of all and their parting. */
static int run_ranks(struct ovl_driver *d, char **argv, struct ovl_error *err)
{
    MPI_Comm_dup(d->offload.engine.comm, &d->comm);
    MPI_Comm_rank(d->comm, &d->rank);
    MPI_Comm_size(d->comm, &d->ranks);
    ovl_stage_open(&d->stage, d->comm);
    d->stage.program = d->offload.program;
    d->stage.offload = d->offload.engine.connected ? &d->offload : NULL;
    int rc = make_group(d, err);
    if (rc == 0)
        rc = ovl_agree(d->comm, ovl_offload_attach(&d->offload, d->group, err), err);
    if (rc == 0)
        rc = run_driver(d, argv, err);
    if (rc == 0 && d->signal && d->rank == 0 && d->options.self_test)
        fprintf(stderr, "%s: interrupted by %s\n", d->benchmark->program, ovl_interrupt_name(d->signal));
    else if (rc == 0 && d->signal && d->rank == 0)
        fprintf(stderr, "%s: interrupted by %s; %zu finished cells are kept\n", d->benchmark->program,
                ovl_interrupt_name(d->signal), d->output.cell_lines);
    ovl_work_close(&d->work);
    ovl_stage_close(&d->stage);
    ovl_provenance_free(&d->provenance);
    if (d->group != d->comm && d->group != MPI_COMM_NULL)
        MPI_Comm_free(&d->group);
    MPI_Comm_free(&d->comm);
    return rc;
}

int ovl_driver_run(const struct ovl_collective *collective, int argc, char **argv)
{
    static struct ovl_driver d; /* lasts until the process ends, for bench/overdue.c */
    d.collective = collective;
    d.benchmark = ovl_benchmark_find(collective->name);
    d.output.writer.fd = -1;
    struct ovl_error err = {.code = OVL_OK};
    d.offload.program = d.benchmark ? d.benchmark->program : collective->name;
    ovl_overdue_watch(d.offload.program, &d.output);

    int rc = read_options(&d, argc, argv, &err);
    bool leave = rc == 0 && (d.options.common.help || d.options.common.version);
    const struct ovl_engine *e = &d.offload.engine;
    rc = ovl_offload_join(&d.offload, &d.options.common.offload, leave, &err);
    if (rc == 0 && !e->worker)
        rc = run_ranks(&d, argv, &err);
    else if (leave && e->first) {
        if (d.options.common.help)
            usage(d.benchmark);
        else
            printf("%s %s (%s)\n", d.benchmark->program, OVL_VERSION, OVL_GIT);
        rc = ovl_output_printed(&err);
    }
    if (rc != 0 && e->first && *err.text)
        fprintf(stderr, "%s: %s\n", d.offload.program, err.text);
    ovl_offload_release(&d.offload);

    int code = rc != 0                 ? (int)err.code
               : d.unproved            ? OVL_ENVIRONMENT
               : d.wrong_data          ? OVL_WRONG_DATA
               : d.missed              ? OVL_MISSED
               : d.invalid || d.signal ? OVL_INCONCLUSIVE
                                       : OVL_OK;
    return ovl_engine_agree_exit_code(&d.offload.engine, code);
}
