/* What is kept of each block: the bounds of T, and what T was spent on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/app.h"
#include "bench/nodes.h"
#include "cli/link.h"
#include "offload/boot/agree_mpi.h"
#include "record/derived/link_model.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At rank 0. The rate of a link is that of an emulated one, for data without its headers, else the adapter's, which no
   byte exceeds; where neither is known, no byte needs time. */
static void find_links(struct ovl_app_job *job)
{
    const char *cluster = getenv("OVL_CLUSTER");
    struct ovl_app_machine *m = &job->schemes.machine;
    double rate = ovl_link_cluster_rate(&job->output.run);
    m->burst = isnan(rate) ? 0 : rate * ovl_link_settle_seconds(cluster);
    m->burst = isnan(m->burst) ? 0 : m->burst;
    m->carry = ovl_link_carry_seconds(cluster);
    m->cores = job->provenance.topology.units; /* which ranks compute on at once */
    m->rate = !isnan(rate) ? rate : ovl_link_rate(&job->output.run);
    m->rate = isnan(m->rate) ? INFINITY : m->rate * ovl_link_payload_share(cluster);
    m->burst *= ovl_link_payload_share(cluster);
}

/* Collective: what the first scheme's plan has to bring in over the busiest node's link. */
static double wire_bytes(const struct ovl_app_job *job)
{
    const struct ovl_app_plan *plan = job->schemes.scheme[0].run->plan;
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double bytes = 0;
    for (size_t g = 0; g < plan->groups[OVL_LANE_CHAIN]; g++)
        for (int i = plan->group(plan->of, job->rank, OVL_LANE_CHAIN, g, steps); i-- > 0;)
            bytes += steps[i].kind == OVL_APP_POST || steps[i].kind == OVL_APP_SYNC ? steps[i].in : 0;
    return ovl_nodes_busiest(job->comm, job->schemes.node, &bytes, 1) / job->schemes.equal;
}

int ovl_app_blocks_open(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_app_schemes *a = &job->schemes;
    int rc = 0, crowded = job->provenance.ranks_here > job->provenance.cores_allowed;
    for (int i = 0; i < a->count; i++) {
        struct ovl_app_scheme *s = &a->scheme[i];
        memset(&s->parts, 0, sizeof s->parts);
        if (s->first == i && ovl_app_bounder_open(&s->bounder, s->run->plan, job->comm, err) != 0)
            rc = -1;
        for (int b = 0; b < OVL_APP_BOUNDS && job->rank == 0; b++)
            s->bounds[b] = ovl_alloc(job->options->blocks[1], sizeof(double));
    }
    MPI_Allreduce(&crowded, &a->crowded, 1, MPI_INT, MPI_MAX, job->stage.comm);
    a->wire_bytes = wire_bytes(job);
    if (job->rank == 0)
        find_links(job);
    return ovl_agree(job->stage.comm, rc, err);
}

void ovl_app_blocks_close(struct ovl_app_job *job)
{
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_app_scheme *s = &job->schemes.scheme[i];
        ovl_app_bounder_close(&s->bounder);
        for (int b = 0; b < OVL_APP_BOUNDS; b++) {
            free(s->bounds[b]);
            s->bounds[b] = NULL;
        }
    }
}

const char *const *ovl_app_parts(const struct ovl_app_job *job)
{
    static const char *const usual[] = {"compute", "post", "test", "wait", NULL};
    return job->app->schemes->parts ? job->app->schemes->parts : usual;
}

static int parts_of(const struct ovl_app_job *job)
{
    int n = 0;
    while (ovl_app_parts(job)[n])
        n++;
    return n;
}

void ovl_app_keep_parts(struct ovl_app_job *job, int scheme)
{
    const struct ovl_app_schemes *a = &job->schemes;
    double *present = job->schemes.scheme[scheme].parts.present;
    const int64_t *ns = a->scheme[scheme].run->ns;
    if (job->app->schemes->parts)
        job->app->schemes->part(job, scheme, present);
    else {
        present[0] = 1e-9 * (double)ns[OVL_PHASE_COMPUTE];
        present[1] = 1e-9 * (double)ns[OVL_PHASE_POST];
        present[2] = 1e-9 * (double)ns[OVL_PHASE_TEST];
        present[3] = 1e-9 * (double)(ns[OVL_PHASE_WAIT] + ns[OVL_PHASE_SYNC]);
    }
    for (int p = 0; p < parts_of(job); p++)
        present[p] /= a->equal;
}

void ovl_app_share_parts(struct ovl_app_job *job)
{
    int parts = parts_of(job);
    for (int s = 0; s < job->schemes.count; s++) {
        struct ovl_app_parts *t = &job->schemes.scheme[s].parts;
        double mine[OVL_APP_PARTS];
        size_t n = t->kept < OVL_APP_RECENT ? t->kept : OVL_APP_RECENT;
        for (int p = 0; p < parts; p++) {
            ovl_stats_sort(t->recent[p], n);
            mine[p] = n > 0 ? t->recent[p][n / 2] : 0;
        }
        MPI_Reduce(mine, t->least, parts, MPI_DOUBLE, MPI_MIN, 0, job->stage.comm);
        MPI_Reduce(mine, t->mean, parts, MPI_DOUBLE, MPI_SUM, 0, job->stage.comm);
        MPI_Reduce(mine, t->most, parts, MPI_DOUBLE, MPI_MAX, 0, job->stage.comm);
        for (int p = 0; p < parts && job->rank == 0; p++)
            t->mean[p] /= job->ranks;
    }
}

/* At rank 0: the bound of any plan, from the work and the bytes of those that were measured. */
static double any_bound(const struct ovl_app_job *job, double *work, double *bytes)
{
    const struct ovl_app_schemes *a = &job->schemes;
    int n = 0;
    for (int s = 0; s < a->count; s++) {
        const struct ovl_app_bounder *b = &a->scheme[s].bounder;
        if (a->scheme[s].first != s || !b->least)
            continue;
        for (int r = 0; r < job->ranks; r++)
            work[n * job->ranks + r] = ovl_app_work(&b->steps, r, b->least);
        for (int node = 0; node < a->machine.nodes; node++)
            bytes[n * a->machine.nodes + node] = ovl_app_link_bytes(&b->steps, a->node, node);
        n++;
    }
    return n ? ovl_app_any_bound(n, job->ranks, work, &a->machine, bytes) : NAN;
}

static void bound_block(struct ovl_app_job *job, size_t kept)
{
    struct ovl_app_schemes *a = &job->schemes;
    double *work = ovl_alloc(2 * OVL_LOOP_MODES * (size_t)job->ranks, sizeof *work);
    double any = any_bound(job, work, work + OVL_LOOP_MODES * (size_t)job->ranks);
    free(work);
    for (int i = 0; i < a->count; i++) {
        struct ovl_app_scheme *s = &a->scheme[i];
        if (s->first < i) {
            for (int b = 0; b < OVL_APP_BOUNDS; b++)
                s->bounds[b][kept] = a->scheme[s->first].bounds[b][kept];
            continue;
        }
        struct ovl_app_bounds of = ovl_app_bounder_bounds(&s->bounder, &a->machine);
        const double values[OVL_APP_BOUNDS] = {of.bound, of.bound_here, any};
        for (int b = 0; b < OVL_APP_BOUNDS; b++)
            s->bounds[b][kept] = a->crowded ? NAN : values[b] / a->equal;
    }
}

void ovl_app_keep_block(struct ovl_app_job *job, size_t kept)
{
    if (kept == OVL_LOOP_NOT_KEPT)
        return;
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_app_scheme *s = &job->schemes.scheme[i];
        struct ovl_app_parts *t = &s->parts;
        for (int p = 0; p < parts_of(job); p++)
            t->recent[p][t->kept % OVL_APP_RECENT] = t->present[p];
        t->kept++;
        if (s->first == i)
            ovl_app_bounder_gather(&s->bounder);
    }
    if (job->rank == 0)
        bound_block(job, kept);
    if (job->app->schemes->kept)
        job->app->schemes->kept(job, kept);
}
