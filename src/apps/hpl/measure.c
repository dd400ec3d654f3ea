/* Repetitions of the solution. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/measure.h"
#include "apps/hpl/back.h"
#include "base/clock.h"
#include "base/rng.h"
#include "bench/interrupt.h"
#include "stats/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ovl_hpl_quantity_names[OVL_HPL_QUANTITIES] = {
    [OVL_HPL_TOTAL] = "total_seconds",
    [OVL_HPL_FACTOR] = "factor_seconds",
    [OVL_HPL_BCAST] = "exposed_comm_seconds",
    [OVL_HPL_SWAP] = "swap_seconds",
    [OVL_HPL_UPDATE] = "update_seconds",
    [OVL_HPL_SOLVE] = "solve_seconds",
    [OVL_HPL_COMPUTE] = "compute_seconds",
    [OVL_HPL_ALONE] = "comm_seconds",
    [OVL_HPL_UPDATE_APART] = "update_apart_seconds",
};

static int open_variant(struct ovl_hpl_measurement *m, struct ovl_hpl_variant *v, struct ovl_error *err)
{
    size_t panels = (size_t)m->times.panels;
    v->singular = -1;
    int rc = ovl_hpl_bcast_open(&v->bcast, v->scheme, v->mode, m->grid, err);
    if (m->grid->rank != 0)
        return rc;
    v->exposed = malloc(panels * m->repetitions * sizeof *v->exposed);
    v->alone = malloc(panels * m->repetitions * sizeof *v->alone);
    bool got = v->exposed && v->alone;
    for (int q = 0; q < OVL_HPL_QUANTITIES; q++) {
        v->max[q] = malloc(m->repetitions * sizeof *v->max[q]);
        v->mean[q] = malloc(m->repetitions * sizeof *v->mean[q]);
        got = got && v->max[q] && v->mean[q];
    }
    return got ? rc : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu repetitions", m->repetitions);
}

int ovl_hpl_measurement_open(struct ovl_hpl_measurement *m, const struct ovl_hpl_shape *shape, uint64_t key,
                             struct ovl_error *err)
{
    int rc = ovl_hpl_open(&m->system, shape, m->grid, key, err);
    size_t panels = (size_t)m->system.panels;
    m->times.panels = m->system.panels;
    m->times.bcast = malloc(panels * sizeof *m->times.bcast);
    m->largest = malloc(panels * sizeof *m->largest);
    if (!m->times.bcast || !m->largest)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the times of %d panels", m->system.panels);
    for (size_t i = 0; i < m->variant_count; i++)
        if (open_variant(m, &m->variants[i], err) != 0)
            rc = -1;
    return rc;
}

void ovl_hpl_measurement_close(struct ovl_hpl_measurement *m)
{
    for (size_t i = 0; i < m->variant_count; i++) {
        struct ovl_hpl_variant *v = &m->variants[i];
        ovl_hpl_bcast_close(&v->bcast);
        free(v->exposed);
        free(v->alone);
        for (int q = 0; q < OVL_HPL_QUANTITIES; q++) {
            free(v->max[q]);
            free(v->mean[q]);
        }
    }
    free(m->times.bcast);
    free(m->largest);
    ovl_hpl_close(&m->system);
}

/* At rank 0: the largest over ranks of every time, of the broadcasts panel by panel, and the mean over ranks. */
static void reduce(struct ovl_hpl_measurement *m, double largest[OVL_HPL_TIMES + 1], double mean[OVL_HPL_TIMES + 1])
{
    const double *t = m->times.seconds;
    double mine[OVL_HPL_TIMES + 1], compute = 0;
    for (int q = OVL_HPL_FACTOR; q < OVL_HPL_TIMES; q++)
        compute += q == OVL_HPL_BCAST ? 0 : t[q];
    memcpy(mine, t, sizeof m->times.seconds);
    mine[OVL_HPL_TIMES] = compute;
    MPI_Comm all = m->grid->all;
    MPI_Reduce(mine, largest, OVL_HPL_TIMES + 1, MPI_DOUBLE, MPI_MAX, 0, all);
    MPI_Reduce(mine, mean, OVL_HPL_TIMES + 1, MPI_DOUBLE, MPI_SUM, 0, all);
    MPI_Reduce(m->times.bcast, m->largest, m->times.panels, MPI_DOUBLE, MPI_MAX, 0, all);
    for (int q = 0; q <= OVL_HPL_TIMES; q++)
        mean[q] /= m->grid->rows * m->grid->columns;
    largest[OVL_HPL_BCAST] = 0;
    for (int k = 0; k < m->times.panels && m->grid->rank == 0; k++)
        largest[OVL_HPL_BCAST] += m->largest[k];
}

static void keep(struct ovl_hpl_measurement *m, struct ovl_hpl_variant *v, bool apart, size_t repetition)
{
    double largest[OVL_HPL_TIMES + 1], mean[OVL_HPL_TIMES + 1];
    size_t panels = (size_t)m->times.panels;
    reduce(m, largest, mean);
    if (m->grid->rank != 0)
        return;
    memcpy((apart ? v->alone : v->exposed) + repetition * panels, m->largest, panels * sizeof *m->largest);
    if (!apart) {
        for (int q = 0; q < OVL_HPL_TIMES; q++) {
            v->max[q][repetition] = largest[q];
            v->mean[q][repetition] = mean[q];
        }
        return;
    }
    v->max[OVL_HPL_COMPUTE][repetition] = largest[OVL_HPL_TIMES];
    v->mean[OVL_HPL_COMPUTE][repetition] = mean[OVL_HPL_TIMES];
    v->max[OVL_HPL_ALONE][repetition] = largest[OVL_HPL_BCAST];
    v->mean[OVL_HPL_ALONE][repetition] = mean[OVL_HPL_BCAST];
    v->max[OVL_HPL_UPDATE_APART][repetition] = largest[OVL_HPL_UPDATE];
    v->mean[OVL_HPL_UPDATE_APART][repetition] = mean[OVL_HPL_UPDATE];
}

/* Collective: solves and checks once. */
static void run(struct ovl_hpl_measurement *m, struct ovl_hpl_variant *v, bool apart)
{
    struct ovl_hpl_system *s = &m->system;
    ovl_hpl_fill(s);
    if (m->grid->lines.offload)
        ovl_offload_wake(m->grid->lines.offload, v->mode->offloads);
    MPI_Barrier(m->grid->all);
    ovl_hpl_solve(s, &v->bcast, apart, &m->times);
    ovl_hpl_share_solution(s);
    double residual = ovl_hpl_residual(s);
    if (!(residual <= v->residual) && !isnan(v->residual))
        v->residual = residual;
    int wrong = !ovl_hpl_passes(residual) || s->singular >= 0, anywhere;
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, m->grid->all);
    v->wrong = v->wrong || anywhere;
    if (s->singular >= 0)
        v->singular = s->singular;
}

/* The same at all ranks: a rank's clock may say that the time is over before another's does. */
static bool over(struct ovl_hpl_measurement *m, int64_t begin)
{
    bool late = m->done >= OVL_STOP_BLOCKS_AT_LEAST && 1e-9 * (double)(ovl_clock_ns() - begin) >= m->max_seconds;
    int mine[2] = {ovl_interrupt_signal(), late}, any[2];
    MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, m->grid->all);
    m->signal = any[0];
    bool ends = any[0] || any[1];
    for (size_t i = 0; i < m->variant_count; i++)
        ends = ends || m->variants[i].wrong;
    return ends;
}

void ovl_hpl_measure(struct ovl_hpl_measurement *m)
{
    m->wire_bytes = ovl_hpl_wire_bytes(&m->system);
    struct ovl_rng rng = ovl_rng_seeded(m->seed);
    int64_t begin = ovl_clock_ns();
    size_t runs = 2 * m->variant_count, *order = malloc(runs * sizeof *order);
    for (size_t r = 0; r < m->warmup + m->repetitions && !over(m, begin); r++) {
        for (size_t i = 0; i < runs; i++) {
            size_t other = ovl_rng_below(&rng, (uint32_t)i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        for (size_t i = 0; i < runs; i++) {
            struct ovl_hpl_variant *v = &m->variants[order[i] / 2];
            run(m, v, order[i] % 2);
            if (r >= m->warmup)
                keep(m, v, order[i] % 2, r - m->warmup);
        }
        m->done = r >= m->warmup ? r - m->warmup + 1 : 0;
    }
    free(order);
}
