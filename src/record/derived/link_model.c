/* Bytes on the wire, and its rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/link_model.h"
#include "cli/catalog.h"
#include "cli/link.h"

#include <math.h>
#include <string.h>

static const char *cluster_of(const struct ovl_run *run)
{
    return json_string_value(json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER"));
}

double ovl_link_cluster_rate(const struct ovl_run *run)
{
    return ovl_link_emulated_rate(cluster_of(run));
}

/* Of an emulated link's bytes those that are no headers. */
static double payload_share(const struct ovl_run *run)
{
    return ovl_link_payload_share(cluster_of(run));
}

double ovl_link_rate(const struct ovl_run *run)
{
    const json_t *adapters = json_object_get(json_array_get(json_object_get(run->head, "hosts"), 0), "adapters");
    double emulated = ovl_link_cluster_rate(run), all = 0;
    if (!isnan(emulated))
        return emulated;
    for (size_t i = 0; i < json_array_size(adapters); i++) {
        const json_t *adapter = json_array_get(adapters, i), *rate = json_object_get(adapter, "rate_gbps");
        const char *state = json_string_value(json_object_get(adapter, "state"));
        if (json_is_number(rate) && state && strcmp(state, "active") == 0)
            all += json_number_value(rate) * 1e9 / 8;
    }
    return all > 0 ? all : NAN;
}

/* Has each node as many ranks? Records without that list do not say, and are taken to. */
static bool nodes_are_alike(const json_t *head)
{
    const json_t *of = json_object_get(head, "rank_hosts");
    size_t hosts = json_array_size(json_object_get(head, "hosts")), ranks = json_array_size(of);
    for (size_t h = 0; h < hosts && ranks > 0; h++) {
        size_t here = 0;
        for (size_t r = 0; r < ranks; r++)
            here += json_integer_value(json_array_get(of, r)) == (json_int_t)h;
        if (here > 0 && here * hosts != ranks)
            return false;
    }
    return true;
}

double ovl_link_seconds(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_benchmark *b = ovl_benchmark_find(cell->benchmark);
    double nodes = json_number_value(json_object_get(run->head, "nodes"));
    if (ovl_cell_solves(cell))
        return cell->wire_bytes / ovl_link_rate(run);
    bool some = json_is_string(json_object_get(json_object_get(run->head, "options"), "group"));
    if (some || !b || !b->wire_bytes || !(nodes > 1) || !(cell->ranks >= nodes) || fmod(cell->ranks, nodes) != 0 ||
        !nodes_are_alike(run->head))
        return NAN;
    return b->wire_bytes(cell->size_bytes, cell->ranks, nodes) / ovl_link_rate(run);
}

int ovl_link_unshaped(const struct ovl_run *run, const struct ovl_cell *cell, bool former)
{
    double wire = ovl_link_seconds(run, cell) / (former ? 1 : payload_share(run));
    return isnan(ovl_link_cluster_rate(run)) || isnan(wire) ? -1 : cell->summary[OVL_COMM].median < 0.9 * wire;
}
