/* Programs without MPI_Init: MPI sessions, those whose MPI_Init is out of sight, and those that are serial. What is
 * said of them is said when they end, by one process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library/unserved.h"
#include "preload/library/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const rank_names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", NULL};
static const char *const size_names[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", NULL};

static _Atomic bool sessions, unseen; /* MPI_Session_init was called; operations were, and nothing that begins MPI */
static bool under_rank;               /* a rank, or what it started, started this process */
static pid_t loaded_by;               /* children that it forks have another one, and are no ranks */

static int from_launcher(const char *const *names, int otherwise)
{
    for (; *names; names++)
        if (getenv(*names))
            return atoi(getenv(*names));
    return otherwise;
}

int ovl_launcher_rank(int otherwise)
{
    return from_launcher(rank_names, otherwise);
}

int ovl_launcher_ranks(void)
{
    int ranks = from_launcher(size_names, 1);
    return ranks > 0 ? ranks : 1;
}

static bool required(void)
{
    const char *mode = getenv("OVL_OFFLOAD");
    return mode && strcmp(mode, "require") == 0;
}

static void refuse(const char *what, const char *why, bool speaks)
{
    struct ovl_error err;
    if (speaks) {
        ovl_error_set(&err, OVL_ENVIRONMENT, "%s %s", program_invocation_short_name, why);
        ovl_library_refuse(what, &err, ovl_launcher_ranks());
    }
    if (required()) {
        ovl_library_notify_tool(false); /* the launcher may end the one that speaks, and forget this one's exit code */
        fflush(NULL);
        _exit(OVL_ENVIRONMENT);
    }
}

static const char session_text[] = "begins MPI by MPI_Session_init, and only programs that begin it by MPI_Init are "
                                   "served: let it call MPI_Init",
                  unseen_text[] = "begins MPI by a call that this library does not see: let it call MPI_Init by its "
                                  "name, not through dlsym",
                  serial_text[] = "ended and never called MPI_Init: build it with MPI, or where it finds MPI_Init "
                                  "through dlsym let it call that by its name",
                  unfinished_text[] =
                      "ended without a call of MPI_Finalize that this library sees: no report can be made, "
                      "and nothing proves that workers did what was posted to them";

void ovl_unserved_operation(void)
{
    enum { REST_S = 2 };
    const char *mode = getenv("OVL_OFFLOAD");
    if (mode && strcmp(mode, "off") == 0)
        return;
    unseen = true;
    if (!required())
        return;
    if (ovl_launcher_rank(0) != 0) /* the first rank may not come here: when it has spoken the launcher ends all */
        sleep(REST_S);
    refuse(OVL_NOTHING_OFFLOADED, sessions ? session_text : unseen_text, true);
}

/* Has the environment of a process such a variable? What cannot be read has not. */
static bool is_rank(pid_t process)
{
    char path[64], variable[4096];
    size_t n = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    FILE *in = fopen(path, "re");
    for (int c = in ? getc(in) : EOF; c != EOF && !found; c = getc(in)) {
        if (c && n + 1 < sizeof variable)
            variable[n++] = (char)c;
        if (c)
            continue;
        variable[n] = '\0';
        n = 0;
        for (const char *const *name = rank_names; *name; name++)
            found = found || (strncmp(variable, *name, strlen(*name)) == 0 && variable[strlen(*name)] == '=');
    }
    if (in)
        fclose(in);
    return found;
}

/* The library is in every process of the command: shells, tools that bind ranks to cores, what these start, which may
   outlive them. A rank's program for certain is what the launcher started with a rank's number and what started nothing
   itself. */
static bool is_whole_rank(void)
{
    struct rusage children;
    return ovl_launcher_rank(-1) >= 0 && getrusage(RUSAGE_CHILDREN, &children) == 0 && children.ru_maxrss == 0 &&
           !under_rank;
}

static void at_exit(int status, void *unused)
{
    const char *mode = getenv("OVL_OFFLOAD");
    bool first = ovl_launcher_rank(0) == 0; /* ranks have no way to agree on who speaks */
    (void)unused;
    if (getpid() != loaded_by || status != 0 || (mode && strcmp(mode, "off") == 0))
        return;
    if (ovl_library.on)
        refuse("nothing is known: ", unfinished_text, first);
    else if (!ovl_library.began && sessions)
        refuse(OVL_NOTHING_OFFLOADED, session_text, first);
    else if (!ovl_library.began && unseen)
        refuse(OVL_NOTHING_OFFLOADED, unseen_text, first);
    else if (!ovl_library.began && is_whole_rank())
        refuse(OVL_NOTHING_OFFLOADED, serial_text, first);
}

__attribute__((constructor)) static void note_process(void)
{
    static const char inherited[] = "OVL_OFFLOAD_UNDER_RANK";
    loaded_by = getpid();
    under_rank = ovl_launcher_rank(-1) >= 0 && (getenv(inherited) || is_rank(getppid()));
    if (under_rank)
        setenv(inherited, "1", 1);
    on_exit(at_exit, NULL);
}

/* MPI_Init may still come. */
WRAP(Session_init, (H info, H errhandler, void *session))
{
    sessions = true;
    return NEXT->Session_init(info, errhandler, session);
}
