/* Reports of `ovl offload` in a file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/offload_file.h"
#include "base/clock.h"
#include "base/output_file.h"
#include "table/offload.h"
#include "version.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

bool ovl_offload_file_is_record(const char *name)
{
    return ends_in(name, ".json") || ends_in(name, ".jsonl");
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

FILE *ovl_offload_file_open(const char *name)
{
    bool inside = ends_inside_line(name);
    FILE *file = open_report(name);
    if (file && inside)
        fputc('\n', file);
    return file;
}

void ovl_offload_file_put(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        fputc(*c >= ' ' && *c <= '~' && *c != '"' && *c != '\\' ? *c : '?', out);
}

/* It has the fields that readers ask of every offload line; the others stand for what was not tried. */
static void print_refusal(FILE *out, const char *program, int ranks, const char *why)
{
    char now[32];
    ovl_clock_utc(now);
    fprintf(out, "{\"record\":\"offload\",\"ovl_version\":\"" OVL_VERSION "\",\"ended\":\"%s\",\"program\":\"", now);
    ovl_offload_file_put(out, program);
    fprintf(out, "\",\"refused\":\"");
    ovl_offload_file_put(out, why);
    fprintf(out,
            "\",\"ranks\":%d,\"nodes\":0,\"workers\":0,\"path\":\"none\",\"shared_cores\":false,\"priority\":\"usual\","
            "\"least_bytes\":0,\"operations\":[],\"worker_operations\":0,\"posted\":0,\"packed\":0,\"unfinished\":0,"
            "\"unproven_ranks\":0,\"start_seconds\":0.0,\"seconds\":0.0,\"posting_seconds\":0.0,\"waited_seconds\":0.0,"
            "\"waited_most_seconds\":0.0}\n",
            ranks);
}

int ovl_offload_file_refusal(const char *name, const char *program, int ranks, const char *why)
{
    const struct ovl_offload_report r = {.refused = why};
    FILE *file = ovl_offload_file_open(name);
    if (!file)
        return -1;
    if (ovl_offload_file_is_record(name))
        print_refusal(file, program, ranks, why);
    else
        ovl_offload_report_print(file, &r);
    bool lost = ferror(file);
    return fclose(file) == 0 && !lost ? 0 : -1; /* a full disk is found out here */
}
