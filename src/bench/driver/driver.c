/* What a driver adds to the frame of an application; the collective is the one linked in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/driver.h"
#include "base/input_file.h"
#include "bench/input_files.h"
#include "bench/starts.h"
#include "offload/boot/agree_mpi.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new row that lacks something is found at its first start. */
static int check_row(const struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_collective *c = &ovl_collective;
    if (!d->benchmark)
        return ovl_error_set(err, OVL_USAGE, "collective %s has no row in cli/catalog.c; add one", c->name);
    if (d->benchmark->host_only != !c->operation && d->benchmark->fixed_us <= 0)
        return ovl_error_set(err, OVL_USAGE,
                             "cli/catalog.c and the row of collective %s differ in whether workers do it", c->name);
    if (!c->shape || !c->post || !c->blocking || !c->segments != !c->segment ||
        (d->benchmark->size_max > 0 && !c->segments))
        return ovl_error_set(err, OVL_USAGE, "the row of collective %s lacks a hook; see bench/exchange/collective.h",
                             c->name);
    return 0;
}

static int choose_algorithm(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    return ovl_offload_choose(&d->job.offload, &o->common.offload, o->algorithm, ovl_collective.operation,
                              d->benchmark->name, d->group_ranks, err);
}

/* Chooses the rows of --mode. */
static int choose_modes(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    static const char *const names[] = {"host", "thread", "dpu"}; /* host first, however they were named */
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        if (!strstr(o->common.offload.modes, names[m]))
            continue;
        const struct ovl_mode *mode = ovl_mode_find(names[m], strlen(names[m]), o->common.offload.engine);
        if (mode->offloads && !ovl_collective.operation)
            return ovl_error_set(err, OVL_USAGE,
                                 "%s stays with the host: the workers of ovl have no such operation; leave dpu out of "
                                 "--mode",
                                 d->benchmark->name);
        /* Work follows the host's communication time, so that is measured too, as long as it takes to set the work:
           also beside --work-from, whose record may lack a size. Where the library offloads, no operation is the
           host's. */
        bool by_library = strcmp(names[m], "dpu") == 0 && !mode->offloads;
        if (m > 0 && d->modes == 0 && isnan(o->compute_us) && !by_library) {
            d->job.stage.modes[d->modes++] = ovl_mode_find("host", 4, o->common.offload.engine);
            d->pilot = true;
        }
        d->job.stage.modes[d->modes++] = mode;
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
    if (o->root > 0 && !ovl_collective.rooted)
        return ovl_error_set(err, OVL_USAGE, "%s has no root: leave out --root", program);
    if (o->in_place && ovl_collective.in_place == OVL_IN_PLACE_NEVER)
        return ovl_error_set(err, OVL_USAGE, "%s has no form in place: leave out --in-place", program);
    if (o->pairs && strstr(o->pairs, "-way") && d->group_ranks < 2)
        return ovl_error_set(err, OVL_USAGE, "--pairs %s: a pair is two ranks; start two, or give --pairs ring",
                             o->pairs);
    if (o->persistent && !ovl_collective.init)
        return ovl_error_set(err, OVL_USAGE, "%s has no persistent form: leave out --persistent", program);
    if (o->persistent && !ovl_collective.init_call)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "--persistent: this MPI library has no persistent form of %s (it is part of MPI 4)",
                             d->benchmark->call);
    return 0;
}

/* Collective: do messages of that size fit? */
static int check_memory(const struct ovl_driver *d, uint64_t largest, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    struct ovl_exchange_plan plan = ovl_driver_plan(d, largest);
    size_t need = ovl_exchange_memory(&plan), sets = o->rotate + ovl_driver_stream(d);
    need = need > SIZE_MAX / sets ? SIZE_MAX : need * sets;
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
    return ovl_agree(d->job.comm, rc, err);
}

/* Collective: do the largest messages fit? Sizes that nobody asked for are left out where they do not, as in OMB. */
static int check_sizes(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_sizes *s = &d->options.sizes;
    int rc;
    for (d->sizes = s->n;; d->sizes--) {
        rc = check_memory(d, d->sizes > 0 ? s->size[d->sizes - 1] : 0, err);
        if (rc == 0 || !s->all_default || d->sizes <= 1)
            return rc;
    }
}

/* Collective: the same answer at all ranks. */
static int check_request(struct ovl_driver *d, struct ovl_error *err)
{
    if (choose_modes(d, err) != 0 || choose_algorithm(d, err) != 0 || check_form(d, err) != 0)
        return -1;
    return check_sizes(d, err);
}

/* Collective: the median of the ranks' rates, all calibrating at once, until N against 2N units holds within 2 %. */
static void calibrate(struct ovl_driver *d)
{
    enum { TRIES = 5 };
    size_t ranks = (size_t)d->job.ranks;
    double *rates = ovl_alloc(ranks, sizeof *rates), best = INFINITY;
    d->rates = ovl_alloc(ranks, sizeof *d->rates);
    for (int t = 0; t < TRIES && best > 0.02; t++) {
        double rate, nonlinearity, worst;
        MPI_Barrier(d->job.stage.comm);
        ovl_work_calibrate(&d->work, &rate, &nonlinearity);
        MPI_Allreduce(&nonlinearity, &worst, 1, MPI_DOUBLE, MPI_MAX, d->job.stage.comm);
        MPI_Allgather(&rate, 1, MPI_DOUBLE, rates, 1, MPI_DOUBLE, d->job.stage.comm);
        if (worst < best) {
            best = worst;
            memcpy(d->rates, rates, ranks * sizeof *rates);
            d->work.rate = ovl_stats_median(rates, ranks);
        }
    }
    d->nonlinearity = best;
    free(rates);
}

/* Collective over the ranks: the communicator of those that this one communicates with, by --group. */
static int make_group(struct ovl_driver *d, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &d->options;
    d->group = d->job.comm;
    d->group_ranks = d->job.ranks;
    if (o->group_ranks == 0)
        return 0;
    if (o->group_ranks > (uint64_t)d->job.ranks)
        return ovl_error_set(err, OVL_USAGE, "--group %s: there are only %d ranks", o->group, d->job.ranks);
    if (o->group_ranks == 1 && d->job.ranks > 1)
        return ovl_error_set(err, OVL_USAGE, "--group %s: one rank alone communicates with nobody; give 2 or more",
                             o->group);
    d->group_ranks = (int)o->group_ranks;
    int groups = d->job.ranks / d->group_ranks;
    bool left_over = d->job.rank >= groups * d->group_ranks;
    d->group_number = o->group_cyclic ? d->job.rank % groups : d->job.rank / d->group_ranks;
    bool idle = left_over || (!o->multi && d->group_number > 0);
    MPI_Comm_split(d->job.comm, idle ? MPI_UNDEFINED : d->group_number, d->job.rank, &d->group);
    return 0;
}

/* The file of --edges, at each rank that has neighbours. */
static int read_graph(struct ovl_driver *d, struct ovl_error *err)
{
    int rank;
    char name[512];
    if (d->group == MPI_COMM_NULL)
        return 0;
    snprintf(name, sizeof name, "--edges %s", d->options.edges);
    char *text = ovl_input_text(d->options.edges, name, err);
    if (!text)
        return -1;
    ovl_input_keep("edges", text);
    MPI_Comm_rank(d->group, &rank);
    int rc = ovl_neighbours_parse(&d->graph, text, name, rank, d->group_ranks, err);
    free(text);
    return rc;
}

/* Collective. */
static int find_neighbours(struct ovl_driver *d, struct ovl_error *err)
{
    MPI_Comm comm = d->job.comm;
    if (!d->options.edges)
        return 0;
    return ovl_agree(comm, read_graph(d, err), err) == 0 ? ovl_agree(comm, ovl_input_files_same(comm, err), err) : -1;
}

static struct ovl_driver *driver_of(struct ovl_app_job *job)
{
    return (struct ovl_driver *)job;
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_driver *d = driver_of(job);
    d->group = MPI_COMM_NULL;
    d->benchmark = ovl_benchmark_find(ovl_collective.name);
    d->options = ovl_driver_options_default(d->benchmark ? d->benchmark : ovl_benchmarks);
    if (check_row(d, err) != 0 || ovl_driver_options_parse(d->benchmark, argc, argv, &d->options, err) != 0)
        return -1;
    if (d->options.type)
        d->type = ovl_datatype_find(d->options.type);
    return 0;
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_driver *d = driver_of(job);
    const struct ovl_app_options *o = &d->options.common;
    struct ovl_error no_room;
    job->unrecorded = d->options.self_test;
    d->of_ranks = o->per_rank || (strncmp(o->format, "omb", 3) == 0 && o->full &&
                                  ovl_starts_room(o->blocks[1], job->ranks, &no_room) == 0);
    if (make_group(d, err) != 0 || find_neighbours(d, err) != 0 ||
        ovl_agree(job->comm, ovl_offload_attach(&job->offload, d->group, err), err) != 0 ||
        check_request(d, err) != 0 || ovl_agree(job->comm, ovl_work_open(&d->work, d->options.compute, err), err) != 0)
        return -1;
    job->stage.work = &d->work;
    calibrate(d);
    return 0;
}

static size_t cells(const struct ovl_app_job *job)
{
    const struct ovl_driver *d = (const struct ovl_driver *)job;
    return (d->sizes > 0 ? d->sizes : 1) * d->options.ratios.n;
}

static const struct ovl_format *format(const struct ovl_app_job *job)
{
    return ovl_format_find(job->options->format);
}

static int measure(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_driver *d = driver_of(job);
    return job->unrecorded ? ovl_driver_self_test(d, err) : ovl_driver_measure_cells(d, err);
}

static void end(struct ovl_app_job *job)
{
    struct ovl_driver *d = driver_of(job);
    ovl_work_close(&d->work);
    free(d->host.max[OVL_TOTAL]);
    free(d->rates);
    ovl_neighbours_free(&d->graph);
    if (d->group != job->comm && d->group != MPI_COMM_NULL)
        MPI_Comm_free(&d->group);
}

int main(int argc, char **argv)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_collective.name);
    char about[512] = "";
    if (b)
        snprintf(about, sizeof about, "Measure how much of %s can be hidden behind computation.\n%c%s.\n", b->call,
                 b->summary[0] - ('a' <= b->summary[0] && b->summary[0] <= 'z' ? 32 : 0), b->summary + 1);
    const struct ovl_app driver = {
        .name = ovl_collective.name,
        .program = b ? b->program : NULL,
        .about = about,
        .exit_status = "0 fine, 1 --self-test missed a bound, 2 an invalid cell or a signal, 3 usage, 4 wrong data, 5 "
                       "environment",
        .size = sizeof(struct ovl_driver),
        .options_at = offsetof(struct ovl_driver, options),
        .rows = ovl_driver_option_rows,
        .parse = parse,
        .print = ovl_driver_print,
        .begin = begin,
        .problems = cells,
        .describe = ovl_driver_describe,
        .format = format,
        .measure = measure,
        .end = end,
    };
    return ovl_app_main(&driver, argc, argv);
}
