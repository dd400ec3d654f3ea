/* What was offloaded and what was not, and why: once, at the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 2 + OVL_VERDICTS };

static struct ovl_library *const lib = &ovl_library;

struct figures {
    uint64_t of[OVL_OPERATIONS][FIGURES]; /* calls, bytes, verdicts */
    uint64_t done, posted, unfinished, packed, waited_ns, disagree;
};

static void bytes_text(char text[24], uint64_t bytes)
{
    static const char units[] = "BKMGTP";
    double value = (double)bytes;
    int u = 0;
    for (; value >= 10000 && units[u + 1]; u++)
        value /= 1024;
    snprintf(text, 24, u ? "%.1f %c" : "%.0f %c", value, units[u]);
}

static void print(FILE *out, const struct figures *f)
{
    char bytes[24];
    fprintf(out, "ovl offload: %d ranks on %d node%s, %d worker%s, path %s, %s\n", lib->ranks, lib->nodes,
            lib->nodes == 1 ? "" : "s", lib->carriers, lib->carriers == 1 ? "" : "s", lib->path,
            lib->shared_cores ? "workers share the ranks' cores" : "workers on cores of their own");
    fprintf(out, "  %-21s %10s %10s %10s  %s\n", "operation", "calls", "offloaded", "bytes", "on the host, because");
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        const uint64_t *n = f->of[o];
        if (n[0] == 0)
            continue;
        bytes_text(bytes, n[1]);
        fprintf(out, "  %-21s %10llu %10llu %10s ", ovl_operations[o].name, (unsigned long long)n[0],
                (unsigned long long)n[2 + OVL_OFFLOADED], bytes);
        const char *comma = " ";
        for (int v = OVL_OFFLOADED + 1; v < OVL_VERDICTS; v++)
            if (n[2 + v]) {
                fprintf(out, "%s%llu %s", comma, (unsigned long long)n[2 + v], ovl_verdict_texts[v]);
                comma = ", ";
            }
        fprintf(out, "\n");
    }
    fprintf(out, "  proof: workers did %llu of %llu; buffers packed %llu%s", (unsigned long long)f->done,
            (unsigned long long)f->posted, (unsigned long long)f->packed,
            f->disagree ? "; SOME RANK'S WORKER DID NOT DO WHAT THE RANK POSTED" : "");
    if (f->unfinished)
        fprintf(out, "; %llu never completed", (unsigned long long)f->unfinished);
    fprintf(out, "\n");
}

/* The same as one line of JSON. */
static void print_record(FILE *out, const struct figures *f)
{
    fprintf(out,
            "{\"record\":\"offload\",\"ranks\":%d,\"nodes\":%d,\"workers\":%d,\"path\":\"%s\",\"shared_cores\":%s,"
            "\"least_bytes\":%llu,\"operations\":{",
            lib->ranks, lib->nodes, lib->carriers, lib->path, lib->shared_cores ? "true" : "false",
            (unsigned long long)lib->settings.rules.least);
    const char *comma = "";
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        const uint64_t *n = f->of[o];
        if (n[0] == 0)
            continue;
        fprintf(out, "%s\"%s\":{\"calls\":%llu,\"bytes\":%llu", comma, ovl_operations[o].name, (unsigned long long)n[0],
                (unsigned long long)n[1]);
        for (int v = 0; v < OVL_VERDICTS; v++)
            fprintf(out, ",\"%s\":%llu", ovl_verdict_texts[v], (unsigned long long)n[2 + v]);
        fprintf(out, "}");
        comma = ",";
    }
    fprintf(out, "},\"worker_operations\":%llu,\"posted\":%llu,\"packed\":%llu,\"unfinished\":%llu}\n",
            (unsigned long long)f->done, (unsigned long long)f->posted, (unsigned long long)f->packed,
            (unsigned long long)f->unfinished);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

void ovl_library_report(uint64_t done, uint64_t posted, uint64_t unfinished)
{
    struct figures mine = {.done = done,
                           .posted = posted,
                           .unfinished = unfinished,
                           .packed = atomic_load(&lib->packed),
                           .waited_ns = atomic_load(&lib->waited_ns),
                           .disagree = done != posted},
                   all;
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        mine.of[o][0] = atomic_load(&lib->tally[o].calls);
        mine.of[o][1] = atomic_load(&lib->tally[o].bytes);
        for (int v = 0; v < OVL_VERDICTS; v++)
            mine.of[o][2 + v] = atomic_load(&lib->tally[o].verdicts[v]);
    }
    P->Reduce(&mine, &all, sizeof mine / sizeof(uint64_t), (H)MPI_UINT64_T, (H)MPI_SUM, 0, (H)lib->world);
    const char *name = getenv("OVL_OFFLOAD_REPORT");
    if (lib->rank != 0)
        return;
    if (!name || !*name) {
        print(stderr, &all);
        return;
    }
    FILE *file = fopen(name, "a");
    if (!file) {
        fprintf(stderr, "ovl offload: cannot write %s (%s): give --report a file in a folder of yours\n", name,
                strerror(errno));
        print(stderr, &all);
        return;
    }
    if (ends_in(name, ".json") || ends_in(name, ".jsonl"))
        print_record(file, &all);
    else
        print(file, &all);
    fclose(file);
}
