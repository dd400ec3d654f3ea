/* The facets: a row each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/facet.h"
#include "base/name.h"
#include "record/link_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FACET(function)                                                                                                \
    static void function(char text[OVL_FACET_TEXT], const struct ovl_record *all, const struct ovl_run *run,           \
                         const struct ovl_cell *cell)

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "?";
}

static long long whole_of(const json_t *object, const char *name)
{
    return (long long)json_integer_value(json_object_get(object, name));
}

FACET(machine)
{
    (void)all, (void)cell;
    const json_t *hosts = json_object_get(run->head, "hosts"), *first = json_array_get(hosts, 0);
    bool mixed = false;
    for (size_t i = 1; i < json_array_size(hosts); i++)
        mixed |= strcmp(text_of(json_array_get(hosts, i), "cpu"), text_of(first, "cpu")) != 0;
    ovl_name_shorten(text, OVL_FACET_TEXT, text_of(first, "cpu"));
    size_t n = strlen(text);
    long long cores = whole_of(first, "cores");
    snprintf(text + n, OVL_FACET_TEXT - n, ", %lld core%s%s", cores, cores == 1 ? "" : "s",
             mixed ? ", and others" : "");
}

FACET(library)
{
    (void)all, (void)cell;
    ovl_name_shorten(text, OVL_FACET_TEXT, text_of(json_object_get(run->head, "mpi"), "library"));
}

FACET(ranks)
{
    (void)all;
    double nodes = (double)whole_of(run->head, "nodes"), rate = ovl_link_cluster_rate(run);
    int n = snprintf(text, OVL_FACET_TEXT, "%g rank%s on %g node%s", cell->ranks, cell->ranks == 1 ? "" : "s", nodes,
                     nodes == 1 ? "" : "s");
    if (nodes > 1 && cell->ranks > nodes)
        n += snprintf(text + n, OVL_FACET_TEXT - (size_t)n, " (%g per node)", cell->ranks / nodes);
    if (!isnan(rate))
        snprintf(text + n, OVL_FACET_TEXT - (size_t)n, ", emulated network of %g Gbit/s", 8e-9 * rate);
}

FACET(problem)
{
    (void)all, (void)run;
    text[0] = '\0';
    if (*cell->grid)
        snprintf(text, OVL_FACET_TEXT, "grid %s", cell->grid);
    else if (!isnan(cell->n))
        snprintf(text, OVL_FACET_TEXT, isnan(cell->nb) ? "N %.0f" : "N %.0f, NB %.0f", cell->n, cell->nb);
}

/* How a matrix, or a grid, is dealt and solved. */
FACET(layout)
{
    (void)all, (void)run;
    text[0] = '\0';
    if (!isnan(cell->n) && !isnan(cell->p))
        snprintf(text, OVL_FACET_TEXT, "grid %.0f x %.0f, look-ahead %.0f, threads %.0f", cell->p, cell->q, cell->depth,
                 cell->threads);
    else if (*cell->procs)
        snprintf(text, OVL_FACET_TEXT, "%s on %s, %g variable%s", cell->transform, cell->procs, cell->variables,
                 cell->variables == 1 ? "" : "s");
}

/* How a run's schemes overlap their exchanges: chosen once for all of them. */
FACET(slabs)
{
    (void)all;
    const json_t *options = json_object_get(run->head, "options");
    const char *chunks = json_string_value(json_object_get(options, "chunks"));
    long long tests = whole_of(options, "test_lines");
    text[0] = '\0';
    if (!*cell->grid || !chunks)
        return;
    int n = snprintf(text, OVL_FACET_TEXT, "slabs %s, window %lld", chunks, whole_of(options, "window"));
    if (tests > 0)
        snprintf(text + n, OVL_FACET_TEXT - (size_t)n, ", a test every %lld lines", tests);
}

FACET(bcast)
{
    (void)all, (void)run;
    snprintf(text, OVL_FACET_TEXT, "%s", cell->bcast);
}

FACET(kernel)
{
    (void)all, (void)run;
    if (!*cell->compute_kind) {
        text[0] = '\0';
        return;
    }
    snprintf(text, OVL_FACET_TEXT, "kernel %s", cell->compute_kind);
}

FACET(work)
{
    (void)all, (void)run;
    text[0] = '\0';
    if (!isnan(cell->ratio))
        snprintf(text, OVL_FACET_TEXT, "work %g x host communication", cell->ratio);
    else if (!isnan(cell->compute_us))
        snprintf(text, OVL_FACET_TEXT, "work %g us", cell->compute_us);
}

FACET(skew)
{
    (void)all, (void)run;
    if (!*cell->skew || strcmp(cell->skew, "none") == 0)
        text[0] = '\0';
    else
        snprintf(text, OVL_FACET_TEXT, "skew %s", cell->skew);
}

FACET(offload)
{
    (void)all;
    long long workers = whole_of(run->head, "workers");
    snprintf(text, OVL_FACET_TEXT, "%lld worker%s, %s%s%s", workers, workers == 1 ? "" : "s", cell->placement,
             cell->path[0] ? " by " : "", cell->path);
}

FACET(tests)
{
    (void)all, (void)run;
    if (cell->test_calls > 0)
        snprintf(text, OVL_FACET_TEXT, "%g MPI_Test call%s", cell->test_calls, cell->test_calls == 1 ? "" : "s");
    else
        text[0] = '\0';
}

FACET(persistent)
{
    (void)all, (void)run;
    strcpy(text, cell->persistent > 0 ? "persistent" : "");
}

FACET(buffers)
{
    (void)all, (void)run;
    if (cell->rotate > 1)
        snprintf(text, OVL_FACET_TEXT, "%g buffers in turn", cell->rotate);
    else
        text[0] = '\0';
}

/* Is the variable set to that value in every run of this benchmark? */
static bool shared(const struct ovl_record *all, const char *benchmark, const char *name, const json_t *value)
{
    for (size_t r = 0; r < all->run_count; r++) {
        const json_t *other = json_object_get(json_object_get(all->runs[r].head, "environment"), name);
        if (strcmp(ovl_run_text(&all->runs[r], "benchmark"), benchmark) == 0 && !json_equal(value, other))
            return false;
    }
    return true;
}

bool ovl_environment_per_job(const char *name)
{
    static const char *const per_job[] = {"SLURM_",        "OMPI_COMM_WORLD", "OMPI_ARGV",
                                          "OMPI_UNIVERSE", "OMPI_FILE",       "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                          "OVL_CLUSTER",   "OVL_NONCE"};
    for (size_t i = 0; i < sizeof per_job / sizeof *per_job; i++)
        if (strncmp(name, per_job[i], strlen(per_job[i])) == 0)
            return true;
    return false;
}

/* Variables in which runs differ. */
FACET(environment)
{
    const char *name;
    json_t *value;
    size_t n = 0;
    text[0] = '\0';
    json_object_foreach(json_object_get(run->head, "environment"), name, value) {
        bool skip = ovl_environment_per_job(name) || shared(all, cell->benchmark, name, value);
        if (!skip && json_is_string(value) && n + 1 < OVL_FACET_TEXT)
            n += (size_t)snprintf(text + n, OVL_FACET_TEXT - n, "%s%s=%s", n ? ", " : "", name,
                                  json_string_value(value));
    }
}

const struct ovl_facet ovl_facets[OVL_FACETS] = {
    {"machine", OVL_FACET_VARIANT, machine, NULL},
    {"library", OVL_FACET_VARIANT, library, NULL},
    {"ranks", OVL_FACET_PANEL, ranks, NULL},
    {"problem", OVL_FACET_PANEL, problem, NULL},
    {"layout", OVL_FACET_PANEL, layout, NULL},
    {"slabs", OVL_FACET_VARIANT, slabs, NULL},
    {"bcast", OVL_FACET_VARIANT, bcast, NULL},
    {"offload", OVL_FACET_OFFLOAD, offload, NULL},
    {"kernel", OVL_FACET_PANEL, kernel, NULL},
    {"work", OVL_FACET_PANEL, work, NULL},
    {"tests", OVL_FACET_VARIANT, tests, NULL},
    {"skew", OVL_FACET_PANEL, skew, "no skew"},
    {"persistent", OVL_FACET_VARIANT, persistent, NULL},
    {"buffers", OVL_FACET_VARIANT, buffers, NULL},
    {"environment", OVL_FACET_VARIANT, environment, NULL},
};
