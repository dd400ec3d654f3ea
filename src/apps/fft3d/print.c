/* What a run of many ranks would need and send, told without running it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"
#include "machine/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Counts one rank's exchanges of a sample, and returns the bytes that come in over its node's link for its sake. */
static double add_up(const struct ovl_transform_plan *f, int rank, int exchanges[OVL_TRANSPOSES])
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double in = 0;
    for (size_t g = 0; g < f->pair.groups[OVL_LANE_CHAIN]; g++)
        for (int i = f->pair.group(f->pair.of, rank, OVL_LANE_CHAIN, g, steps); i-- > 0;) {
            bool back;
            if (steps[i].kind != OVL_APP_POST && steps[i].kind != OVL_APP_SYNC)
                continue;
            struct ovl_slab_exchange at = ovl_transform_plan_exchange(f, steps[i].index, &back);
            exchanges[ovl_transform_plan_transpose(&at, back)]++;
            in += steps[i].in;
        }
    return in;
}

static int print_scheme(struct ovl_fft3d *d, int s, struct ovl_error *err)
{
    static const char *const names[OVL_TRANSPOSES] = {[OVL_ROW] = "rows", [OVL_COLUMN] = "columns"};
    const struct ovl_app_scheme *scheme = &d->job.schemes.scheme[s];
    int chunks = ovl_fft3d_blocks(d, s) ? 1 : d->options.chunks, window = (int)d->options.window;
    int exchanges[OVL_TRANSPOSES] = {0}, others[OVL_TRANSPOSES] = {0};
    bool workers[OVL_TRANSPOSES];
    struct ovl_transform_plan f;
    int rc = ovl_transform_plan_make(&f, &d->pencil, (int)d->options.variables, chunks,
                                     ovl_fft3d_blocks(d, s) ? 0 : window, d->job.schemes.node, err);
    double in = rc == 0 ? add_up(&f, 0, exchanges) : 0;
    for (int r = 1; r < d->options.dry_run_per_node && r < d->job.ranks && rc == 0; r++)
        in += add_up(&f, r, others);
    ovl_fft3d_choose_workers(d, workers);
    for (int t = 0; t < OVL_TRANSPOSES && rc == 0; t++) {
        char all[32], each[32];
        double largest = sizeof(double complex) * (double)ovl_pencil_message_most(&d->pencil, t, chunks);
        if (exchanges[t] == 0)
            continue;
        ovl_memory_text(largest, all);
        ovl_memory_text(largest / d->pencil.space.members[t], each);
        printf("  %-8s  %-7s  %5d exchanges of a sample among %d ranks, of up to %s a rank, %s to each; by %s\n",
               scheme->name, names[t], exchanges[t], d->pencil.space.members[t], all, each,
               scheme->mode->offloads && workers[t] ? "workers" : "the host");
    }
    char bytes[32];
    ovl_memory_text(in, bytes);
    if (rc == 0)
        printf("  %-8s  link     %s come in over a node's link in a sample\n", scheme->name, bytes);
    ovl_transform_plan_free(&f);
    return rc;
}

static int print_grid(struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_error *err)
{
    const struct ovl_fft3d_options *o = &d->options;
    char name[64], rank[32], node[32];
    if (ovl_pencil_make(&d->pencil, grid, o->transform[0] == 'r', &o->space, 0, err) !=
        0) /* rank 0 has no less than others */
        return -1;
    double bytes;
    if (ovl_fft3d_bytes(d, &d->pencil, &bytes, err) != 0)
        return -1;
    int here = o->dry_run_per_node < d->job.ranks ? o->dry_run_per_node : d->job.ranks, rc = 0;
    ovl_grid_text(grid, name);
    ovl_memory_text(bytes, rank);
    ovl_memory_text(bytes * here, node);
    printf("grid %s, %s, %d variables, on %d x %d ranks, %d a node\n", name, o->transform, (int)o->variables,
           o->space.members[OVL_ROW], o->space.members[OVL_COLUMN], here);
    printf("  memory    %s a rank, %s a node\n", rank, node);
    for (int s = 0; s < d->job.schemes.count && rc == 0; s++)
        rc = print_scheme(d, s, err);
    return rc;
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
    job->schemes.node = ovl_check_alloc(malloc((size_t)job->ranks * sizeof *job->schemes.node));
    for (int r = 0; r < job->ranks; r++)
        job->schemes.node[r] = r / o->dry_run_per_node;
    job->schemes.machine.nodes = 1 + (job->ranks - 1) / o->dry_run_per_node;
    for (size_t g = 0; g < o->grid_count && rc == 0; g++)
        rc = print_grid(d, &o->grids[g], err);
    free(job->schemes.node);
    job->schemes.node = NULL;
    return rc == 0 ? 1 : -1;
}
