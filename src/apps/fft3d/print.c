/* What a run of many ranks would need and send, told without running it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"
#include "apps/fft3d/traffic.h"
#include "bench/app/dry_run.h"
#include "bench/app/message.h"
#include "machine/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Who carries a transpose: MPI on the host does where a slab's largest block is below --dpu-min. */
static void find_carrier(const struct ovl_fft3d *d, int t, int chunks, char carrier[OVL_DRY_RUN_TEXT])
{
    double smallest = INFINITY, largest = 0;
    for (int i = 0; i < chunks; i++) {
        size_t slab = ovl_pencil_slab(&d->pencil, t, chunks, i).count;
        double block = sizeof(double complex) * (double)ovl_pencil_largest(&d->pencil, t, slab);
        if (slab > 0) {
            smallest = fmin(smallest, block);
            largest = fmax(largest, block);
        }
    }
    ovl_dry_run_carrier(smallest, largest, (double)d->options.common.offload.dpu_min, "the host", carrier);
}

/* Of each transpose: are some ranks' exchanges with workers, and all? */
static void find_workers(const struct ovl_fft3d *d, bool some[OVL_TRANSPOSES], bool all[OVL_TRANSPOSES])
{
    for (int t = 0; t < OVL_TRANSPOSES; t++) {
        some[t] = false;
        all[t] = true;
    }
    for (int rank = 0; rank < d->job.ranks; rank++) {
        bool workers[OVL_TRANSPOSES];
        ovl_fft3d_choose_workers(d, rank, workers);
        for (int t = 0; t < OVL_TRANSPOSES; t++) {
            some[t] = some[t] || workers[t];
            all[t] = all[t] && workers[t];
        }
    }
}

static void print_scheme(const struct ovl_fft3d *d, int s, const struct ovl_busiest *busiest)
{
    static const char *const names[OVL_TRANSPOSES] = {[OVL_ROW] = "rows", [OVL_COLUMN] = "columns"};
    const struct ovl_app_scheme *scheme = &d->job.schemes.scheme[s];
    int chunks = ovl_fft3d_blocks(d, s) ? 1 : d->options.chunks;
    bool some[OVL_TRANSPOSES], by_all[OVL_TRANSPOSES];
    find_workers(d, some, by_all);
    for (int t = 0; t < OVL_TRANSPOSES; t++) {
        char all[32], each[32], carrier[OVL_DRY_RUN_TEXT];
        double largest = sizeof(double complex) * (double)ovl_pencil_message_most(&d->pencil, t, chunks);
        if (!ovl_transform_plan_carried(&d->pencil, t))
            continue;
        find_carrier(d, t, chunks, carrier);
        ovl_memory_text(largest, all);
        ovl_memory_text(largest / d->pencil.space.members[t], each);
        printf("  %-8s  %-7s  %5.0f exchanges of a sample among %d ranks, of up to %s a rank, %s to each; by %s%s\n",
               scheme->name, names[t], 2.0 * (double)d->options.variables * chunks, d->pencil.space.members[t], all,
               each, scheme->mode->offloads && some[t] ? carrier : "the host",
               scheme->mode->offloads && some[t] && !by_all[t] ? ", and by the host within a node" : "");
    }
    char link[OVL_DRY_RUN_TEXT];
    ovl_dry_run_link(busiest, false, "sample", link);
    printf("  %-8s  link     %s\n", scheme->name, link);
}

static int print_grid(struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_error *err)
{
    const struct ovl_fft3d_options *o = &d->options;
    char name[64];
    struct ovl_app_need need;
    if (ovl_fft3d_need_of(d, grid, &d->pencil, &need, err) != 0 ||
        (d->job.options->mem_limit && ovl_app_fits(&d->job, &need, (double)d->job.options->mem_limit, err) != 0))
        return -1;
    int here = o->dry_run_per_node < d->job.ranks ? o->dry_run_per_node : d->job.ranks;
    struct ovl_busiest busiest = ovl_pencil_busiest(&d->pencil, (int)o->variables, o->dry_run_per_node);
    ovl_grid_text(grid, name);
    if (ovl_network_given(&o->network))
        return ovl_fft3d_simulate(d, name, busiest.in, err);
    printf("grid %s, %s, %d variables, on %d x %d ranks, %d a node\n", name, o->transform, (int)o->variables,
           o->space.members[OVL_ROW], o->space.members[OVL_COLUMN], here);
    ovl_dry_run_memory(need.bytes, d->job.ranks, o->dry_run_per_node);
    for (int s = 0; s < d->job.schemes.count; s++)
        print_scheme(d, s, &busiest);
    return 0;
}

int ovl_fft3d_print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    const struct ovl_fft3d_options *o = &d->options;
    int rc = 0;
    if (!o->dry_run_ranks || o->common.help || o->common.version)
        return 0;
    if (o->chunks == 0)
        return ovl_error_set(err, OVL_USAGE, "--plan %s: with --chunks auto the number of slabs is not known; give one",
                             o->dry_run_text);
    job->ranks = o->dry_run_ranks;
    ovl_app_schemes_choose(job);
    if (ovl_fft3d_options_ranks(&d->options, job->ranks, err) != 0)
        return -1;
    job->schemes.node = ovl_dry_run_nodes(job->ranks, o->dry_run_per_node);
    job->schemes.machine.nodes = 1 + (job->ranks - 1) / o->dry_run_per_node;
    for (size_t g = 0; g < o->grid_count && rc == 0; g++)
        rc = print_grid(d, &o->grids[g], err);
    free(job->schemes.node);
    job->schemes.node = NULL;
    return rc == 0 ? 1 : -1;
}
