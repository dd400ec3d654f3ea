/* What a run of many ranks would need and send, told without running it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/state.h"
#include "bench/app/message.h"
#include "machine/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* A broadcast by a route, in panels. */
struct tally {
    int messages;
    double root, in; /* what the root sends, and what comes in over the link of rank 0's node for that process */
};

static struct tally tally_route(const struct ovl_hpl *h, const struct ovl_hpl_scheme *scheme, int rank, int root)
{
    int ranks = h->options.columns, parts = scheme->parts(ranks), place[OVL_SPACE_LINES];
    const int *node = h->job.schemes.node;
    struct tally t = {0, 0, 0};
    ovl_space_place(&h->grid.space, rank, place);
    int me = (place[OVL_SPACE_ROW] - root + ranks) % ranks;
    for (int part = 0; part < parts; part++) {
        struct ovl_route of_root = scheme->route(0, ranks, part), mine = scheme->route(me, ranks, part);
        for (int i = 0; i < OVL_ROUTE_NEXT; i++)
            t.root += of_root.to[i] >= 0 ? 1.0 / parts : 0;
        if (me > 0 && mine.from >= 0) {
            int from = ovl_space_member(&h->grid.space, rank, OVL_SPACE_ROW, (mine.from + root) % ranks);
            t.in += node[from] != node[rank] ? 1.0 / parts : 0;
        }
    }
    t.messages = parts * (ranks - 1); /* each process gets each part once */
    return t;
}

/* Of a rank's row, over the whole solution: bytes of a panel, and of what the plan has to bring in. */
struct panels {
    double *bytes; /* [panels] */
    double all, in;
};

static void add_up(const struct ovl_hpl *h, const struct ovl_hpl_solve_plan *f, int rank, struct panels *p)
{
    struct ovl_app_plan plan = ovl_hpl_solve_plan_make(f);
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    int place[OVL_SPACE_LINES];
    ovl_space_place(&h->grid.space, rank, place);
    p->all = p->in = 0;
    for (int k = 0; k < ovl_hpl_panels(&f->shape); k++) {
        p->bytes[k] = ovl_hpl_solve_plan_bytes(&f->shape, place[OVL_SPACE_COLUMN], k);
        p->all += p->bytes[k];
    }
    for (size_t g = 0; g < plan.groups[OVL_LANE_CHAIN]; g++)
        for (int i = plan.group(plan.of, rank, OVL_LANE_CHAIN, g, steps); i-- > 0;)
            p->in += steps[i].kind == OVL_APP_POST ? steps[i].in : 0;
}

/* What comes in over the link of rank 0's node in a solution: by the route, else what has to at least. */
static double link_bytes(const struct ovl_hpl *h, const struct ovl_hpl_scheme *scheme,
                         const struct ovl_hpl_solve_plan *f, struct panels *p)
{
    double in = 0;
    for (int r = 0; r < h->job.ranks && r < h->options.dry_run_per_node; r++) {
        add_up(h, f, r, p);
        for (int root = 0; root < h->options.columns && scheme->parts; root++) {
            double share = tally_route(h, scheme, r, root).in;
            for (int k = root; k < ovl_hpl_panels(&f->shape); k += h->options.columns)
                in += share * p->bytes[k];
        }
        in += scheme->parts ? 0 : p->in;
    }
    return in;
}

static void print_way(const struct ovl_hpl *h, int s, const struct ovl_hpl_solve_plan *f, struct panels *p)
{
    const struct ovl_hpl_variant *v = &h->variant[s];
    const struct ovl_app_scheme *scheme = &h->job.schemes.scheme[s];
    char in[32];
    ovl_memory_text(link_bytes(h, v->scheme, f, p), in);
    printf("  %-8s  %-7s  depth %d: ", scheme->name, v->scheme->name, v->depth);
    if (h->options.columns == 1)
        printf("no panel travels\n");
    else if (v->scheme->parts) {
        struct tally t = tally_route(h, v->scheme, 0, 0);
        printf("%d messages a panel along each row, its root sends %.3g panels; by the host; %s come in over a node's "
               "link\n",
               t.messages, t.root, in);
    } else
        printf("a broadcast a panel along each row; by %s; %s or more come in over a node's link\n",
               scheme->mode->offloads ? "workers" : "the MPI library", in);
}

static int print_order(struct ovl_hpl *h, size_t problem, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &h->options;
    struct ovl_app_job *job = &h->job;
    struct ovl_hpl_solve_plan f = {
        .shape = ovl_hpl_options_shape(o, o->orders.value[problem]), .space = h->grid.space, .node = job->schemes.node};
    char rank[32], node[32], first[32], all[32];
    int panels = ovl_hpl_panels(&f.shape), here = o->dry_run_per_node < job->ranks ? o->dry_run_per_node : job->ranks;
    double n = f.shape.n, gflop = 1e-9 * (2.0 / 3 * n * n * n + 1.5 * n * n);
    struct ovl_app_need need;
    if (job->app->need(job, problem, &need, err) != 0 ||
        (job->options->mem_limit && ovl_app_fits(job, &need, (double)job->options->mem_limit, err) != 0))
        return -1;
    struct panels p = {.bytes = ovl_check_alloc(malloc((size_t)panels * sizeof *p.bytes))};
    add_up(h, &f, 0, &p);
    ovl_memory_text(need.bytes, rank);
    ovl_memory_text(need.bytes * here, node);
    ovl_memory_text(p.bytes[0], first);
    ovl_memory_text(p.all, all);
    printf("N %d, NB %d, on %d x %d ranks, %d a node: %.4g GFLOP, %.4g a rank\n", f.shape.n, f.shape.nb, o->rows,
           o->columns, here, gflop, gflop / job->ranks);
    printf("  memory    %s a rank, %s a node\n", rank, node);
    printf("  panels    %d of up to %s, %s in all, along each of %d rows of %d ranks\n", panels, first, all, o->rows,
           o->columns);
    for (int s = 0; s < job->schemes.count; s++)
        print_way(h, s, &f, &p);
    free(p.bytes);
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
    job->schemes.node = ovl_check_alloc(malloc((size_t)job->ranks * sizeof *job->schemes.node));
    for (int r = 0; r < job->ranks; r++)
        job->schemes.node[r] = r / o->dry_run_per_node;
    int rc = 0;
    for (size_t i = 0; i < o->orders.n && rc == 0; i++)
        rc = print_order(h, i, err);
    free(job->schemes.node);
    job->schemes.node = NULL;
    return rc == 0 ? 1 : -1;
}
