/* The library's state, and the two ways in which it speaks of an error: by a line, and by the job's end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ovl_library ovl_library = {.lock = PTHREAD_MUTEX_INITIALIZER, .world = MPI_COMM_NULL};

static struct ovl_library *const lib = &ovl_library;

/* The engine's words speak of the drivers' options. */
void ovl_library_reword(char text[OVL_REWORDED], const char *what, const struct ovl_error *err)
{
    static const char *const words[][2] = {{"--worker-timeout", "OVL_OFFLOAD_TIMEOUT"},
                                           {"--path shm", "OVL_OFFLOAD_PATH=bounce"},
                                           {"--path cma", "OVL_OFFLOAD_PATH=cma"}};
    size_t n = (size_t)snprintf(text, OVL_REWORDED, "%s", what);
    for (const char *at = err->text; *at && n + 40 < OVL_REWORDED;) {
        size_t w = 0;
        while (w < 3 && strncmp(at, words[w][0], strlen(words[w][0])) != 0)
            w++;
        if (w < 3)
            n += (size_t)snprintf(text + n, OVL_REWORDED - n, "%s", words[w][1]);
        else
            text[n++] = *at;
        at += w < 3 ? strlen(words[w][0]) : 1;
    }
    text[n] = '\0';
}

void ovl_library_say(const char *what, const struct ovl_error *err)
{
    char text[OVL_REWORDED];
    ovl_library_reword(text, what, err);
    fprintf(stderr, "ovl offload: %s\n", text);
}

void ovl_library_end_job(void)
{
    fflush(stderr);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* the launcher passes the line on before it ends all */
    P->Abort((H)MPI_COMM_WORLD, OVL_ENVIRONMENT);
    _Exit(OVL_ENVIRONMENT);
}

void ovl_library_die(const struct ovl_error *err)
{
    enum { NS = 400000000 };
    if (ovl_client_told(&lib->client)) /* another rank says it, and must come to the end of its line */
        nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
    else
        ovl_library_say("", err);
    ovl_library_end_job();
}
