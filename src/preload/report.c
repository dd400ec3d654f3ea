/* What was offloaded and what was not, and why: once, at the end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/output_file.h"
#include "preload/calm.h"
#include "preload/library.h"
#include "record/offload_table.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIGURES = 2 + OVL_VERDICTS };

static struct ovl_library *const lib = &ovl_library;

/* Of a rank; of all of them after a sum. */
struct figures {
    uint64_t of[OVL_OPERATIONS][FIGURES]; /* calls, bytes, verdicts */
    uint64_t done, posted, unfinished, packed, disagree, waited_ns, posting_ns;
};

/* Of these the largest of all ranks is told. */
struct times {
    uint64_t start_ns, run_ns, waited_ns;
};

static struct ovl_offload_report report_of(const struct figures *f, const struct times *most)
{
    struct ovl_offload_report r = {.ranks = lib->ranks,
                                   .nodes = lib->nodes,
                                   .workers = lib->carriers,
                                   .path = lib->path,
                                   .shared_cores = lib->shared_cores,
                                   .raised = lib->raised,
                                   .done = f->done,
                                   .posted = f->posted,
                                   .packed = f->packed,
                                   .unfinished = f->unfinished,
                                   .unproven_ranks = f->disagree,
                                   .start_seconds = 1e-9 * (double)most->start_ns,
                                   .seconds = 1e-9 * (double)most->run_ns,
                                   .posting_seconds = 1e-9 * (double)f->posting_ns,
                                   .waited_seconds = 1e-9 * (double)f->waited_ns,
                                   .waited_most_seconds = 1e-9 * (double)most->waited_ns};
    _Static_assert((int)OVL_OPERATIONS <= (int)OVL_OFFLOAD_OPERATIONS, "room for all");
    _Static_assert((int)OVL_VERDICTS <= (int)OVL_OFFLOAD_REASONS, "room for all");
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        const uint64_t *n = f->of[o];
        struct ovl_offload_operation *to = &r.operation[r.operations];
        if (n[0] == 0)
            continue;
        *to = (struct ovl_offload_operation){
            .name = ovl_operations[o].name, .calls = n[0], .offloaded = n[2 + OVL_OFFLOADED], .bytes = n[1]};
        for (int v = OVL_OFFLOADED + 1; v < OVL_VERDICTS; v++)
            if (n[2 + v])
                to->host[to->reasons++] = (struct ovl_offload_reason){ovl_verdict_texts[v], n[2 + v]};
        r.operations++;
    }
    return r;
}

/* The program's name as JSON takes it anywhere. */
static void print_name(FILE *out)
{
    for (const char *c = program_invocation_short_name; *c; c++)
        fputc(*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\' ? *c : '?', out);
}

/* The same as one line of a record. */
static void print_record(FILE *out, const struct ovl_offload_report *r)
{
    char now[32];
    ovl_clock_utc(now);
    fprintf(out, "{\"record\":\"offload\",\"ovl_version\":\"" OVL_VERSION "\",\"ended\":\"%s\",\"program\":\"", now);
    print_name(out);
    fprintf(out,
            "\",\"ranks\":%d,\"nodes\":%d,\"workers\":%d,\"path\":\"%s\",\"shared_cores\":%s,\"priority\":\"%s\","
            "\"least_bytes\":%llu,\"operations\":[",
            r->ranks, r->nodes, r->workers, r->path, r->shared_cores ? "true" : "false", r->raised ? "high" : "usual",
            (unsigned long long)lib->settings.rules.least);
    for (int i = 0; i < r->operations; i++) {
        const struct ovl_offload_operation *o = &r->operation[i];
        fprintf(out, "%s{\"name\":\"%s\",\"calls\":%llu,\"offloaded\":%llu,\"bytes\":%llu,\"host\":{", i ? "," : "",
                o->name, (unsigned long long)o->calls, (unsigned long long)o->offloaded, (unsigned long long)o->bytes);
        for (int k = 0; k < o->reasons; k++)
            fprintf(out, "%s\"%s\":%llu", k ? "," : "", o->host[k].why, (unsigned long long)o->host[k].calls);
        fprintf(out, "}}");
    }
    fprintf(out,
            "],\"worker_operations\":%llu,\"posted\":%llu,\"packed\":%llu,\"unfinished\":%llu,\"unproven_ranks\":%llu,"
            "\"start_seconds\":%.9f,\"seconds\":%.9f,\"posting_seconds\":%.9f,\"waited_seconds\":%.9f,"
            "\"waited_most_seconds\":%.9f}\n",
            (unsigned long long)r->done, (unsigned long long)r->posted, (unsigned long long)r->packed,
            (unsigned long long)r->unfinished, (unsigned long long)r->unproven_ranks, r->start_seconds, r->seconds,
            r->posting_seconds, r->waited_seconds, r->waited_most_seconds);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static void say_lost(const char *name)
{
    fprintf(stderr, "ovl offload: cannot write %s (%s): give --report another file\n", name, strerror(errno));
}

/* A job that was killed inside a line left no newline: a record's line must not be glued to it. */
static bool ends_inside_line(const char *name)
{
    struct stat file;
    char last = '\n';
    int fd =
        stat(name, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0 ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, &last, 1, file.st_size - 1);
    close(fd);
    return n == 1 && last != '\n';
}

/* What is appended to a descriptor that is open already must not open the file behind it a second time. */
static FILE *open_report(const char *name)
{
    int own = ovl_output_file_descriptor(name);
    if (own < 0)
        return fopen(name, "ae");
    int fd = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static void tell(const struct ovl_offload_report *r)
{
    const char *name = getenv("OVL_OFFLOAD_REPORT");
    bool inside = name && *name && ends_inside_line(name);
    FILE *file = name && *name ? open_report(name) : NULL;
    if (name && *name && !file)
        say_lost(name);
    if (file && inside)
        fputc('\n', file);
    if (!file)
        ovl_offload_report_print(stderr, r);
    else if (ends_in(name, ".json") || ends_in(name, ".jsonl"))
        print_record(file, r);
    else
        ovl_offload_report_print(file, r);
    bool lost = file && ferror(file);
    if (file && (fclose(file) != 0 || lost)) { /* a full disk is found out here */
        say_lost(name);
        ovl_offload_report_print(stderr, r);
    }
}

void ovl_library_report(uint64_t done, uint64_t posted, uint64_t unfinished)
{
    struct figures mine = {.done = done,
                           .posted = posted,
                           .unfinished = unfinished,
                           .packed = atomic_load(&lib->packed),
                           .waited_ns = atomic_load(&lib->waited_ns),
                           .posting_ns = atomic_load(&lib->posting_ns),
                           .disagree = done != posted},
                   all;
    struct times here = {lib->start_ns, (uint64_t)ovl_clock_ns() - lib->started_ns, mine.waited_ns}, most;
    for (int o = 0; o < OVL_OPERATIONS; o++) {
        mine.of[o][0] = atomic_load(&lib->tally[o].calls);
        mine.of[o][1] = atomic_load(&lib->tally[o].bytes);
        for (int v = 0; v < OVL_VERDICTS; v++)
            mine.of[o][2 + v] = atomic_load(&lib->tally[o].verdicts[v]);
    }
    MPI_Request sums, largest;
    P->Ireduce(&mine, &all, sizeof mine / sizeof(uint64_t), (H)MPI_UINT64_T, (H)MPI_SUM, 0, (H)lib->world, &sums);
    P->Ireduce(&here, &most, sizeof here / sizeof(uint64_t), (H)MPI_UINT64_T, (H)MPI_MAX, 0, (H)lib->world, &largest);
    ovl_calm_wait(&sums);
    ovl_calm_wait(&largest);
    if (lib->rank == 0) {
        struct ovl_offload_report r = report_of(&all, &most);
        tell(&r);
    }
}
