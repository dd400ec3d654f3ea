/* What a run of many ranks would need and send, told without running it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/state.h"
#include "apps/hpl/traffic.h"
#include "bench/app/dry_run.h"
#include "bench/app/message.h"
#include "machine/memory.h"

#include <stdio.h>

/* What the root of a route sends, in panels. */
static double sent_by_root(const struct ovl_hpl_scheme *scheme, int ranks)
{
    int parts = scheme->parts(ranks);
    double sends = 0;
    for (int part = 0; part < parts; part++) {
        struct ovl_route route = scheme->route(0, ranks, part);
        for (int i = 0; i < OVL_ROUTE_NEXT; i++)
            sends += route.to[i] >= 0 ? 1.0 / parts : 0;
    }
    return sends;
}

/* `largest`: bytes of a panel; `known`: could all panels be counted? */
static void print_way(const struct ovl_hpl *h, int s, double largest, struct ovl_hpl_traffic *traffic, bool known)
{
    const struct ovl_hpl_variant *v = &h->variant[s];
    const struct ovl_app_scheme *scheme = &h->job.schemes.scheme[s];
    int ranks = h->options.columns;
    struct ovl_busiest busiest;
    char carrier[OVL_DRY_RUN_TEXT];
    char in[OVL_DRY_RUN_TEXT] = "what comes in over links is not told: too much to count";
    printf("  %-8s  %-7s  depth %d: ", scheme->name, v->scheme->name, v->depth);
    if (ranks == 1) {
        printf("no panel travels\n");
        return;
    }
    if (known && ovl_hpl_traffic_busiest(traffic, v->scheme, &busiest))
        ovl_dry_run_link(&busiest, !v->scheme->parts, "solution", in);
    if (v->scheme->parts) /* each process gets each part once */
        printf("%.0f messages a panel along each row, its root sends %.3g panels; by the host; %s\n",
               (double)v->scheme->parts(ranks) * (ranks - 1), sent_by_root(v->scheme, ranks), in);
    else {
        ovl_dry_run_carrier(0, largest, (double)h->job.options->offload.dpu_min, "the MPI library", carrier);
        printf("a broadcast a panel along each row; by %s; %s\n", scheme->mode->offloads ? carrier : "the MPI library",
               in);
    }
}

static int simulate(struct ovl_hpl *h, const struct ovl_hpl_shape *shape, struct ovl_error *err)
{
    static const struct ovl_hpl_scheme of_mode = {.name = "ibcast"};
    struct ovl_hpl_traffic traffic;
    struct ovl_busiest busiest = {.in = 0};
    bool known = ovl_hpl_traffic_open(&traffic, shape, &h->grid.space, h->options.dry_run_per_node);
    if (known && !ovl_hpl_traffic_busiest(&traffic, &of_mode, &busiest))
        busiest.in = 0;
    ovl_hpl_traffic_close(&traffic);
    return ovl_hpl_simulate(h, shape, busiest.in, err);
}

static int print_order(struct ovl_hpl *h, size_t problem, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &h->options;
    struct ovl_app_job *job = &h->job;
    const struct ovl_hpl_shape shape = ovl_hpl_options_shape(o, o->orders.value[problem]);
    int here = o->dry_run_per_node < job->ranks ? o->dry_run_per_node : job->ranks;
    double n = shape.n, gflop = 1e-9 * (2.0 / 3 * n * n * n + 1.5 * n * n);
    struct ovl_app_need need;
    struct ovl_hpl_traffic traffic;
    if (job->app->need(job, problem, &need, err) != 0 ||
        (job->options->mem_limit && ovl_app_fits(job, &need, (double)job->options->mem_limit, err) != 0))
        return -1;
    if (ovl_network_given(&o->network))
        return simulate(h, &shape, err);
    printf("N %d, NB %d, on %d x %d ranks, %d a node: %.4g GFLOP, %.4g a rank\n", shape.n, shape.nb, o->rows,
           o->columns, here, gflop, gflop / job->ranks);
    ovl_dry_run_memory(need.bytes, job->ranks, o->dry_run_per_node);
    bool known = ovl_hpl_traffic_open(&traffic, &shape, &h->grid.space, o->dry_run_per_node);
    char first[32], all[32] = "";
    double largest = ovl_hpl_solve_plan_largest(&shape);
    ovl_memory_text(largest, first);
    if (known)
        ovl_memory_text(ovl_hpl_traffic_all(&traffic), all);
    printf("  panels    %d of up to %s%s%s%s, along each of %d rows of %d ranks\n", ovl_hpl_panels(&shape), first,
           known ? ", " : "", all, known ? " in all" : "", o->rows, o->columns);
    for (int s = 0; s < job->schemes.count; s++)
        print_way(h, s, largest, &traffic, known);
    ovl_hpl_traffic_close(&traffic);
    return 0;
}

int ovl_hpl_print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_hpl *h = (struct ovl_hpl *)job;
    const struct ovl_hpl_options *o = &h->options;
    if (!o->dry_run_ranks || o->common.help || o->common.version)
        return 0;
    job->ranks = o->dry_run_ranks;
    if (ovl_hpl_options_ranks(&h->options, job->ranks, err) != 0 || ovl_hpl_choose(h, err) != 0)
        return -1;
    h->grid.space =
        (struct ovl_space){{[OVL_SPACE_ROW] = o->columns, [OVL_SPACE_COLUMN] = o->rows}, ovl_space_by_columns(o->pmap)};
    int rc = 0;
    for (size_t i = 0; i < o->orders.n && rc == 0; i++)
        rc = print_order(h, i, err);
    return rc == 0 ? 1 : -1;
}
