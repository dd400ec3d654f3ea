/* `ovl list`: what can be measured, with what, and which adapters are here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalog.h"
#include "kernels/kernel.h"
#include "machine/adapters.h"
#include "offload/coll/algorithm.h"
#include "tool/doctor/check.h"
#include "tool/util/command.h"

#include <math.h>

struct wanted {
    int help, check, algorithms;
    const char *dpu_map;
};

#define AT(member) offsetof(struct wanted, member)

static const struct ovl_option options[] = {
    {0, "check", NULL, "look at what --path verbs needs here: links, GIDs, locked memory; and with", OVL_OPTION_ON,
     AT(check), 0, 0, NULL, NULL},
    {0, "dpu-map", "FILE", "the map that a job will get: are this node and its adapters in it", OVL_OPTION_TEXT,
     AT(dpu_map), 0, 0, NULL, NULL},
    {0, "algorithms", NULL, "how workers do each operation, and at which sizes", OVL_OPTION_ON, AT(algorithms), 0, 0,
     NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct way {
    const char *name, *says;
};

static const struct way engines[] = {
    {"host", "the MPI library, progressed by the measuring ranks themselves"},
    {"thread", "the MPI library, progressed by a thread of each rank that calls MPI_Test meanwhile (--thread-idle)"},
    {"dpu", "workers that progress for the ranks (--workers), or an MPI library that offloads (--engine mpi)"},
    {NULL, NULL},
};

static const struct way paths[] = {
    {"shm", "a segment shared by rank and worker"},
    {"cma", "process_vm_readv and process_vm_writev, staged through blocks of the worker"},
    {"verbs", "RDMA READ and WRITE, staged through blocks of the worker, which shares no memory with the rank"},
    {NULL, NULL},
};

static void list_ways(const char *title, const struct way *ways)
{
    printf("\n%s\n", title);
    for (; ways->name; ways++)
        printf("  %-20s %s\n", ways->name, ways->says);
}

static void list_benchmarks(void)
{
    printf("benchmarks: mpiexec -n N PROGRAM\n");
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        printf("  %-26s %-26s %s\n", b->program, b->call, b->summary);
}

static void list_proxies(void)
{
    printf("\napplications: mpiexec -n N PROGRAM\n");
    for (const struct ovl_proxy *p = ovl_proxies; p->name; p++)
        printf("  %-20s %s\n", p->program, p->summary);
}

static void list_checks(void)
{
    printf("\nare these nodes fit to measure on: mpiexec -n N PROGRAM\n");
    printf("  %-20s %s\n", ovl_noise_program.program, ovl_noise_program.summary);
}

static void list_kernels(void)
{
    printf("\nkernels: --compute KIND\n");
    for (const struct ovl_kernel *const *k = ovl_kernels; *k; k++)
        if ((*k)->absent)
            printf("  %-20s not in this build: %s\n", (*k)->name, (*k)->absent);
        else
            printf("  %-20s %s\n", (*k)->name, (*k)->summary);
}

/* Of an operation's algorithms the first is chosen that fits. */
static void list_algorithms(void)
{
    printf("%-22s %-19s %-42s %s\n", "operation", "--algorithm", "chosen", "how");
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name; a++) {
        char chosen[128];
        ovl_algorithm_chosen(chosen, sizeof chosen, a);
        printf("%-22s %-19s %-42s %s\n", ovl_operations[a->operation].name, a->name, chosen, a->about);
    }
    printf("\nthe first that fits is chosen; a shared node has several ranks; from\n");
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name; a++) {
        const struct ovl_algorithm *b = ovl_algorithms;
        while (b->source != a->source)
            b++;
        if (b == a)
            printf("  %s\n", a->source);
    }
}

static int list_adapters(struct ovl_error *err)
{
    enum { MOST = 64 };
    struct ovl_adapter found[MOST];
    printf("\nadapters found here\n");
    if (ovl_adapters_absent) {
        printf("  not in this build: %s\n", ovl_adapters_absent);
        return 0;
    }
    int n = ovl_adapters_find(found, MOST, err);
    if (n < 0)
        return -1;
    if (n == 0)
        printf("  none\n");
    for (const struct ovl_adapter *a = found; a < found + n; a++) {
        printf("  %-20s ", a->name);
        if (a->port > 1)
            printf("port %d, ", a->port);
        if (!isnan(a->rate_gbps))
            printf("%g Gbit/s, ", a->rate_gbps);
        printf("%s, %s, firmware %s", a->state, a->link_layer, a->firmware);
        if (a->numa_node >= 0)
            printf(", NUMA node %d", a->numa_node);
        if (a->bluefield)
            printf(", BlueField-%u", a->bluefield);
        printf("\n");
    }
    return 0;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    int first;
    struct wanted wanted = {.dpu_map = NULL};
    if (ovl_options_parse(options, argc, argv, &wanted, &first, err) != 0)
        return -1;
    if (first < argc)
        return ovl_error_set(err, OVL_USAGE, "stray argument %s; list takes none", argv[first]);
    if (wanted.check)
        return ovl_list_check(wanted.dpu_map, err);
    if (wanted.dpu_map)
        return ovl_error_set(err, OVL_USAGE, "--dpu-map is looked at with --check");
    if (wanted.algorithms) {
        list_algorithms();
        return OVL_OK;
    }
    list_benchmarks();
    list_proxies();
    list_checks();
    list_kernels();
    list_ways("engines: --mode", engines);
    list_ways("memory paths of the dpu engine: --path", paths);
    if (ovl_adapters_absent)
        printf("  %-20s not there: %s\n", "", ovl_adapters_absent);
    return list_adapters(err) == 0 ? OVL_OK : -1;
}

const struct ovl_tool_command ovl_command_list = {
    .name = "list",
    .arguments = "[--algorithms | --check [--dpu-map FILE]]",
    .summary = "benchmarks, kernels, engines, memory paths, algorithms of workers, and the adapters found here",
    .options = options,
    .run = run,
};
