/* Bytes on the wire, and its rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/wire.h"
#include "core/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ovl_wire_alltoall(double size, double ranks, double nodes)
{
    double here = ranks / nodes;
    return here * (ranks - here) * size;
}

double ovl_wire_gather(double size, double ranks, double nodes)
{
    return (ranks - ranks / nodes) * size;
}

double ovl_wire_vector(double size, double ranks, double nodes)
{
    (void)ranks, (void)nodes;
    return size;
}

/* P. Patarasuk and X. Yuan, J. Parallel Distrib. Comput. 69 (2009): the bound, which a ring reaches. */
double ovl_wire_allreduce(double size, double ranks, double nodes)
{
    return 2 * ovl_wire_reduce_scatter(size, ranks, nodes);
}

double ovl_wire_reduce_scatter(double size, double ranks, double nodes)
{
    (void)ranks;
    return (nodes - 1) / nodes * size;
}

/* "nodes=2 rate=1000000000 burst=262144": bits a second. */
double ovl_wire_cluster_rate(const struct ovl_run *run)
{
    const char *text = json_string_value(json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER"));
    while (text && *text) {
        if (strncmp(text, "rate=", 5) == 0) {
            char *end;
            double rate = strtod(text + 5, &end);
            return rate > 0 && isfinite(rate) && (*end == ' ' || *end == '\0') ? rate / 8 : NAN;
        }
        text = strchr(text, ' ');
        text += text != NULL;
    }
    return NAN;
}

double ovl_wire_rate(const struct ovl_run *run)
{
    const json_t *adapters = json_object_get(json_array_get(json_object_get(run->head, "hosts"), 0), "adapters");
    double emulated = ovl_wire_cluster_rate(run), fastest = NAN;
    if (!isnan(emulated))
        return emulated;
    for (size_t i = 0; i < json_array_size(adapters); i++) {
        const json_t *adapter = json_array_get(adapters, i), *rate = json_object_get(adapter, "rate_gbps");
        const char *state = json_string_value(json_object_get(adapter, "state"));
        if (json_is_number(rate) && state && strcmp(state, "active") == 0)
            fastest = fmax(fastest, json_number_value(rate) * 1e9 / 8);
    }
    return fastest > 0 ? fastest : NAN;
}

double ovl_wire_seconds(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(cell->benchmark);
    double nodes = json_number_value(json_object_get(run->head, "nodes"));
    if (!b || !b->wire_bytes || !(nodes > 1) || !(cell->ranks >= nodes) || fmod(cell->ranks, nodes) != 0)
        return NAN;
    return b->wire_bytes(cell->size_bytes, cell->ranks, nodes) / ovl_wire_rate(run);
}
