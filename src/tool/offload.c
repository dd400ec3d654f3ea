/* `ovl offload`: starts an unmodified MPI program with the library before its MPI. What the library does is in
 * src/preload. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/command.h"
#include "tool/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct offload_options {
    int help, require;
    uint64_t workers, least;
    const char *report, *path;
};

#define AT(member) offsetof(struct offload_options, member)

static const struct ovl_option options[] = {
    {'w', "workers", "W", "workers on each node (default 1)", OVL_OPTION_COUNT, AT(workers), 1, 64, NULL, NULL},
    {'m', "min", "SIZE", "leave smaller operations to the host, bytes to each rank or in all (default 64K)",
     OVL_OPTION_SIZE, AT(least), -1, 0, NULL, NULL},
    {0, "require", NULL, "end the job with 5 at the first operation that cannot be offloaded", OVL_OPTION_ON,
     AT(require), 0, 0, NULL, NULL},
    {0, "report", "FILE", "append the report there, as JSON where it ends in .jsonl (default: to stderr)",
     OVL_OPTION_TEXT, AT(report), 0, 0, NULL, NULL},
    {0, "path", "PATH", "how workers reach the program's memory: auto, cma or bounce (default auto)", OVL_OPTION_WORD,
     AT(path), 0, 0, "auto|cma|bounce", NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* A file of ovl's beside this program. */
static int find(const char *folder, const char *name, int how, char path[4096], struct ovl_error *err)
{
    snprintf(path, 4096, "%s/%s", folder, name);
    return access(path, how) == 0
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT,
                               "%s is not there: run `make` with MPICC of MPICH or a relative, or `make install` for a "
                               "copy elsewhere",
                               path);
}

/* Why nothing of that program can be offloaded; false: it can, or nothing is known of it. */
static bool hopeless(const char *path, const struct ovl_program *p, struct ovl_error *err)
{
    if (p->static_)
        ovl_error_set(
            err, OVL_ENVIRONMENT,
            "%s is linked statically, so that no library can stand before its MPI: link it with the shared libmpich",
            path);
    else if (p->privileged)
        ovl_error_set(err, OVL_ENVIRONMENT,
                      "%s is setuid or setgid, so that the system lets no library stand before its MPI: take the bit "
                      "away (chmod ug-s)",
                      path);
    else if (strncmp(p->mpi, "libmpi.so.", 10) == 0 && atoi(p->mpi + 10) >= 20) /* MPICH's relatives are at 12 */
        ovl_error_set(
            err, OVL_ENVIRONMENT,
            "%s is linked to Open MPI (%s), and only MPICH and its relatives are served: build it with mpicc.mpich",
            path, p->mpi);
    else
        return false;
    return true;
}

/* The launcher's words are not known: of those behind it the first that needs an MPI, or can need none that could be
   seen, is the program. */
static int look_at_programs(int argc, char **argv, bool require, struct ovl_error *err)
{
    char path[4096];
    struct ovl_program p;
    for (int i = 1; i < argc; i++) {
        if (*argv[i] == '-' || !ovl_program_find(argv[i], path))
            continue;
        ovl_program_look(path, &p);
        if (!p.elf || (!*p.mpi && !p.static_ && !p.privileged))
            continue;
        if (!hopeless(path, &p, err))
            return 0;
        if (require)
            return -1;
        fprintf(stderr, "ovl offload: nothing is offloaded: %s\n", err->text);
        return 1;
    }
    return 0;
}

static void set_number(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    setenv(name, text, 1);
}

static void set_environment(const struct offload_options *o, const char *library, const char *carrier)
{
    const char *before = getenv("LD_PRELOAD");
    char all[8192];
    snprintf(all, sizeof all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", all, 1);
    setenv("OVL_OFFLOAD_CARRIER", carrier, 1);
    setenv("OVL_OFFLOAD", o->require ? "require" : "on", o->require); /* off, where that is set */
    if (o->workers)
        set_number("OVL_OFFLOAD_WORKERS", o->workers);
    if (o->least != UINT64_MAX)
        set_number("OVL_OFFLOAD_MIN", o->least);
    if (o->report)
        setenv("OVL_OFFLOAD_REPORT", o->report, 1);
    if (o->path)
        setenv("OVL_OFFLOAD_PATH", o->path, 1);
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct offload_options o = {.least = UINT64_MAX};
    char folder[2048], library[4096], carrier[4096];
    int first = 1;
    while (first < argc && strcmp(argv[first], "--") != 0)
        first++;
    int mine = first, rest;
    if (ovl_options_parse(options, mine, argv, &o, &rest, err) != 0 || ovl_options_only(mine, argv, rest, err) != 0)
        return -1;
    if (first + 1 >= argc)
        return ovl_error_set(err, OVL_USAGE,
                             "give the command behind two dashes: ovl offload -- mpiexec -n 4 ./program");
    argv += first + 1;
    argc -= first + 1;
    if (ovl_command_folder(folder) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell where this program is: /proc is not mounted");
    if (find(folder, "../lib/libovl_offload.so", R_OK, library, err) != 0 ||
        find(folder, "ovl_carrier", X_OK, carrier, err) != 0)
        return -1;
    int host = look_at_programs(argc, argv, o.require, err);
    if (host < 0)
        return -1;
    if (host == 0)
        set_environment(&o, library, carrier);
    fflush(NULL);
    execvp(argv[0], argv);
    return ovl_error_set(err, OVL_USAGE, "cannot run %s: %s", argv[0], strerror(errno));
}

const struct ovl_command ovl_command_offload = {
    .name = "offload",
    .arguments = "[options] -- mpiexec -n N PROGRAM [arguments]",
    .summary = "run an unmodified MPI program with its non-blocking collectives on workers",
    .exits = "those of the program; 3 usage, 5 no library, no worker, or with --require not all could be offloaded",
    .options = options,
    .run = run,
};
