/* The table of an offloaded program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/offload.h"

typedef unsigned long long count;

static void bytes_text(char text[24], uint64_t bytes)
{
    static const char units[] = "BKMGTP";
    double value = (double)bytes;
    int u = 0;
    for (; value >= 10000 && units[u + 1]; u++)
        value /= 1024;
    snprintf(text, 24, u ? "%.1f %c" : "%.0f %c", value, units[u]);
}

static void print_operation(FILE *out, const struct ovl_offload_operation *o)
{
    char bytes[24];
    bytes_text(bytes, o->bytes);
    fprintf(out, "  %-21s %10llu %10llu %10s", o->name, (count)o->calls, (count)o->offloaded, bytes);
    for (int i = 0; i < o->reasons; i++)
        fprintf(out, "%s%llu %s", i ? ", " : "  ", (count)o->host[i].calls, o->host[i].why);
    fprintf(out, "\n");
}

void ovl_offload_report_print(FILE *out, const struct ovl_offload_report *r)
{
    double all = r->ranks * r->seconds;
    if (r->refused) {
        fprintf(out, "ovl offload: %s\n", r->refused);
        return;
    }
    fprintf(out, "ovl offload: %d ranks on %d node%s, %d worker%s, path %s, %s%s\n", r->ranks, r->nodes,
            r->nodes == 1 ? "" : "s", r->workers, r->workers == 1 ? "" : "s", r->path,
            r->shared_cores ? "workers share the ranks' cores" : "workers on cores of their own",
            r->raised ? ", priority high" : "");
    char least[24];
    bytes_text(least, r->least);
    fprintf(out, "  least size %s%s%s\n", least, *r->least_why ? ": " : "", r->least_why);
    fprintf(out, "  %-21s %10s %10s %10s  %s\n", "operation", "calls", "offloaded", "bytes", "on the host, because");
    for (int o = 0; o < r->operations; o++)
        print_operation(out, &r->operation[o]);
    fprintf(out, "  proof: workers did %llu of %llu; buffers packed %llu%s", (count)r->done, (count)r->posted,
            (count)r->packed, r->unproven_ranks ? "; SOME RANK'S WORKER DID NOT DO WHAT THE RANK POSTED" : "");
    if (r->unfinished)
        fprintf(out, "; %llu never completed", (count)r->unfinished);
    char mapped[24], staged[24];
    bytes_text(mapped, r->mapped_bytes);
    bytes_text(staged, r->staged_bytes);
    if (r->mapped_bytes || r->staged_bytes)
        fprintf(out, "\n  memory: workers addressed %s of buffers, and copied %s", mapped, staged);
    if (r->heap_ranks)
        fprintf(out, "; heap at %llu rank%s", (count)r->heap_ranks, r->heap_ranks == 1 ? "" : "s");
    fprintf(out, "\n  time: ranks waited %.3g s in all, %.3g %% of theirs, and the one that waited most %.3g s; ",
            r->waited_seconds, all > 0 ? 100 * r->waited_seconds / all : 0, r->waited_most_seconds);
    fprintf(out, "posting took %.3g s, the start %.3g s\n", r->posting_seconds, r->start_seconds);
}
