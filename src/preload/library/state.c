/* Errors leave by two ways: a line on stderr (and in the report's file), or the job's end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/state.h"
#include "table/offload_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REWORDED = 2 * OVL_ERROR_TEXT };

struct ovl_library ovl_library = {.lock = PTHREAD_MUTEX_INITIALIZER, .world = MPI_COMM_NULL};

static struct ovl_library *const lib = &ovl_library;

/* The engine's words speak of the drivers' options. */
static void reword(char text[REWORDED], const char *what, const struct ovl_error *err)
{
    static const char *const words[][2] = {{"--worker-timeout", "OVL_OFFLOAD_TIMEOUT"},
                                           {"--path shm", "OVL_OFFLOAD_PATH=bounce"},
                                           {"--path cma", "OVL_OFFLOAD_PATH=cma"},
                                           {"give a smaller --rotate", "give OVL_OFFLOAD_PATH=cma, or wait for some"}};
    const size_t known = sizeof words / sizeof *words;
    size_t n = (size_t)snprintf(text, REWORDED, "%s", what);
    for (const char *at = err->text; *at && n + 48 < REWORDED;) {
        size_t w = 0;
        while (w < known && strncmp(at, words[w][0], strlen(words[w][0])) != 0)
            w++;
        if (w < known)
            n += (size_t)snprintf(text + n, REWORDED - n, "%s", words[w][1]);
        else
            text[n++] = *at;
        at += w < known ? strlen(words[w][0]) : 1;
    }
    text[n] = '\0';
}

/* In one write: the C library may hand on what is printed to stderr in pieces. */
static void print_line(const char *text)
{
    char line[REWORDED + 16];
    snprintf(line, sizeof line, "ovl offload: %s\n", text);
    fputs(line, stderr);
}

void ovl_library_print_error(const char *what, const struct ovl_error *err)
{
    char text[REWORDED];
    reword(text, what, err);
    print_line(text);
}

void ovl_library_print_lost_report(const char *report)
{
    fprintf(stderr, "ovl offload: cannot write %s (%s): give --report another file\n", report, strerror(errno));
}

void ovl_library_notify_tool(bool served)
{
    const char *path = getenv("OVL_OFFLOAD_SERVED");
    int fd = path && *path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (write(fd, served ? "1" : "0", 1) != 1)
        fprintf(stderr, "ovl offload: cannot write %s: %s\n", path, strerror(errno));
    close(fd);
}

static void append_refusal(int ranks, const char *why)
{
    const char *name = getenv("OVL_OFFLOAD_REPORT");
    if (name && *name && ovl_offload_file_refusal(name, program_invocation_short_name, ranks, why) != 0)
        ovl_library_print_lost_report(name);
}

void ovl_library_refuse(const char *what, const struct ovl_error *err, int ranks)
{
    char text[REWORDED];
    reword(text, what, err);
    print_line(text);
    append_refusal(ranks, text);
    ovl_library_notify_tool(false); /* a launcher may lose the exit code */
}

/* So that this rank is not told to have died. */
static void tell_end(void)
{
    for (int i = 0; lib->client.conns && i < lib->client.conn_count; i++)
        atomic_store(&lib->client.conns[i].cmdq->ends_job, 1);
}

void ovl_library_exit(const struct ovl_error *err)
{
    if (!ovl_client_end_reported(&lib->client))
        ovl_library_print_error("", err);
    tell_end();
    _Exit(OVL_ENVIRONMENT);
}

void ovl_library_end_job(void)
{
    tell_end();
    fflush(stderr);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* the launcher passes the line on before it ends all */
    P->Abort((H)MPI_COMM_WORLD, OVL_ENVIRONMENT);
    _Exit(OVL_ENVIRONMENT);
}

void ovl_library_die(const struct ovl_error *err)
{
    enum { NS = 400000000 };
    if (ovl_client_end_reported(&lib->client)) /* another rank says it, and must come to the end of its line */
        nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
    else
        ovl_library_print_error("", err);
    ovl_library_end_job();
}

void *ovl_library_check_alloc(void *memory)
{
    struct ovl_error err;
    if (memory)
        return memory;
    ovl_error_set(&err, OVL_ENVIRONMENT,
                  "rank %d has no memory left for an operation: free some, or start fewer processes", lib->rank);
    ovl_library_die(&err);
}
