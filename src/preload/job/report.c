/* Counts of all ranks are added up at rank 0, which writes the table, or a line of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/report.h"
#include "base/clock.h"
#include "preload/library/poll.h"
#include "preload/library/state.h"
#include "table/offload.h"
#include "table/offload_file.h"
#include "version.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURES = 2 + OVL_OFFLOAD_WHYS };

static struct ovl_library *const lib = &ovl_library;

/* Of a rank; of all of them after a sum. */
struct figures {
    uint64_t of[OVL_OPERATIONS][FIGURES]; /* calls, bytes, verdicts */
    uint64_t hosted[OVL_HOSTED];
    uint64_t done, posted, unfinished, packed, mapped, staged, heaps, disagree, waited_ns, posting_ns;
};

/* Of these the largest of all ranks is told. */
struct times {
    uint64_t start_ns, run_ns, waited_ns;
};

static const char *const hosted_names[OVL_HOSTED] = {
#define HOSTED(name, params, args) [OVL_HOSTED_##name] = "i" #name,
#include "preload/pmpi/hosted.inc"
#undef HOSTED
};

/* Who chose the least size. */
static const char *least_why(void)
{
    const char *given = getenv("OVL_OFFLOAD_MIN"), *why = getenv("OVL_OFFLOAD_MIN_WHY");
    return !given || !*given ? "the default" : why && *why ? why : "as asked";
}

static struct ovl_offload_report report_of(const struct figures *f, const struct times *most)
{
    struct ovl_offload_report r = {.ranks = lib->ranks,
                                   .nodes = lib->nodes,
                                   .workers = lib->carriers,
                                   .path = lib->path,
                                   .shared_cores = lib->shared_cores,
                                   .raised = lib->raised,
                                   .least = lib->settings.rules.least,
                                   .least_why = least_why(),
                                   .done = f->done,
                                   .posted = f->posted,
                                   .packed = f->packed,
                                   .mapped_bytes = f->mapped,
                                   .staged_bytes = f->staged,
                                   .heap_ranks = f->heaps,
                                   .unfinished = f->unfinished,
                                   .unproven_ranks = f->disagree,
                                   .start_seconds = 1e-9 * (double)most->start_ns,
                                   .seconds = 1e-9 * (double)most->run_ns,
                                   .posting_seconds = 1e-9 * (double)f->posting_ns,
                                   .waited_seconds = 1e-9 * (double)f->waited_ns,
                                   .waited_most_seconds = 1e-9 * (double)most->waited_ns};
    _Static_assert((int)OVL_OPERATIONS + (int)OVL_HOSTED <= (int)OVL_OFFLOAD_OPERATIONS, "room for all");
    _Static_assert((int)OVL_OFFLOAD_WHYS <= (int)OVL_OFFLOAD_REASONS, "room for all");
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        const uint64_t *n = f->of[o];
        struct ovl_offload_operation *to = &r.operation[r.operations];
        if (n[0] == 0)
            continue;
        *to = (struct ovl_offload_operation){
            .name = ovl_operations[o].name, .calls = n[0], .offloaded = n[2 + OVL_OFFLOADED], .bytes = n[1]};
        for (int v = OVL_OFFLOADED + 1; v < OVL_OFFLOAD_WHYS; v++)
            if (n[2 + v])
                to->host[to->reasons++] = (struct ovl_offload_reason){ovl_offload_why_texts[v], n[2 + v]};
        r.operations++;
    }
    for (int o = 0; o < OVL_HOSTED; o++)
        if (f->hosted[o])
            r.operation[r.operations++] =
                (struct ovl_offload_operation){.name = hosted_names[o],
                                               .calls = f->hosted[o],
                                               .host = {{"workers do no such operation", f->hosted[o]}},
                                               .reasons = 1};
    return r;
}

/* The same as one line of a record. */
static void print_record(FILE *out, const struct ovl_offload_report *r)
{
    char now[32];
    ovl_clock_utc(now);
    fprintf(out, "{\"record\":\"offload\",\"ovl_version\":\"" OVL_VERSION "\",\"ended\":\"%s\",\"program\":\"", now);
    ovl_offload_file_put(out, program_invocation_short_name);
    fprintf(out,
            "\",\"ranks\":%d,\"nodes\":%d,\"workers\":%d,\"path\":\"%s\",\"shared_cores\":%s,\"priority\":\"%s\","
            "\"least_bytes\":%llu,\"least_why\":\"",
            r->ranks, r->nodes, r->workers, r->path, r->shared_cores ? "true" : "false", r->raised ? "high" : "usual",
            (unsigned long long)r->least);
    ovl_offload_file_put(out, r->least_why);
    fputs("\",\"operations\":[", out);
    for (int i = 0; i < r->operations; i++) {
        const struct ovl_offload_operation *o = &r->operation[i];
        fprintf(out, "%s{\"name\":\"%s\",\"calls\":%llu,\"offloaded\":%llu,\"bytes\":%llu,\"host\":{", i ? "," : "",
                o->name, (unsigned long long)o->calls, (unsigned long long)o->offloaded, (unsigned long long)o->bytes);
        for (int k = 0; k < o->reasons; k++)
            fprintf(out, "%s\"%s\":%llu", k ? "," : "", o->host[k].why, (unsigned long long)o->host[k].calls);
        fprintf(out, "}}");
    }
    fprintf(out,
            "],\"worker_operations\":%llu,\"posted\":%llu,\"packed\":%llu,\"mapped_bytes\":%llu,"
            "\"staged_bytes\":%llu,\"heap_ranks\":%llu,\"unfinished\":%llu,\"unproven_ranks\":%llu,"
            "\"start_seconds\":%.9f,\"seconds\":%.9f,\"posting_seconds\":%.9f,\"waited_seconds\":%.9f,"
            "\"waited_most_seconds\":%.9f}\n",
            (unsigned long long)r->done, (unsigned long long)r->posted, (unsigned long long)r->packed,
            (unsigned long long)r->mapped_bytes, (unsigned long long)r->staged_bytes, (unsigned long long)r->heap_ranks,
            (unsigned long long)r->unfinished, (unsigned long long)r->unproven_ranks, r->start_seconds, r->seconds,
            r->posting_seconds, r->waited_seconds, r->waited_most_seconds);
}

/* In one write, which no other rank's words can part. */
static void print_to_stderr(const struct ovl_offload_report *r)
{
    char *text = NULL;
    size_t length;
    FILE *whole = open_memstream(&text, &length);
    if (whole)
        ovl_offload_report_print(whole, r);
    if (whole && fclose(whole) == 0)
        fputs(text, stderr);
    free(text);
}

static void write_report(const struct ovl_offload_report *r)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), programs = plain ? uselocale(plain) : (locale_t)0;
    const char *name = getenv("OVL_OFFLOAD_REPORT");
    FILE *file = name && *name ? ovl_offload_file_open(name) : NULL;
    if (name && *name && !file)
        ovl_library_print_lost_report(name);
    if (!file)
        print_to_stderr(r);
    else if (ovl_offload_file_is_record(name))
        print_record(file, r);
    else
        ovl_offload_report_print(file, r);
    bool lost = file && ferror(file);
    if (file && (fclose(file) != 0 || lost)) { /* a full disk is found out here */
        ovl_library_print_lost_report(name);
        print_to_stderr(r);
    }
    if (plain) { /* the program's may write numbers with a comma */
        uselocale(programs);
        freelocale(plain);
    }
}

void ovl_library_report(uint64_t done, uint64_t posted, uint64_t unfinished, bool proven)
{
    struct figures mine = {.done = done,
                           .posted = posted,
                           .unfinished = unfinished,
                           .packed = atomic_load(&lib->packed),
                           .mapped = lib->client.mapped_bytes,
                           .staged = lib->client.staged_bytes,
                           .heaps = lib->heap_bytes > 0,
                           .waited_ns = atomic_load(&lib->waited_ns),
                           .posting_ns = atomic_load(&lib->posting_ns),
                           .disagree = !proven},
                   all;
    struct times here = {lib->start_ns, (uint64_t)ovl_clock_ns() - lib->started_ns, mine.waited_ns}, most;
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        mine.of[o][0] = atomic_load(&lib->tally[o].calls);
        mine.of[o][1] = atomic_load(&lib->tally[o].bytes);
        for (int v = 0; v < OVL_OFFLOAD_WHYS; v++)
            mine.of[o][2 + v] = atomic_load(&lib->tally[o].verdicts[v]);
    }
    for (int o = 0; o < OVL_HOSTED; o++)
        mine.hosted[o] = atomic_load(&lib->hosted[o]);
    MPI_Request sums, largest;
    P->Ireduce(&mine, &all, sizeof mine / sizeof(uint64_t), (H)MPI_UINT64_T, (H)MPI_SUM, 0, (H)lib->world, &sums);
    P->Ireduce(&here, &most, sizeof here / sizeof(uint64_t), (H)MPI_UINT64_T, (H)MPI_MAX, 0, (H)lib->world, &largest);
    ovl_poll_wait(&sums);
    ovl_poll_wait(&largest);
    if (lib->rank == 0) {
        struct ovl_offload_report r = report_of(&all, &most);
        write_report(&r);
    }
}
