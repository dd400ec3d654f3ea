/* The MPI library. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/library.h"
#include "base/error.h"
#include "base/printable.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ovl_library_offloads(void)
{
    bool (*serves)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "ovl_offload_serves"); /* of src/preload/job/start.h */
    memcpy(&serves, &found, sizeof found);
    return serves && serves();
}

/* Blanks for what ends lines, and none at the end. */
static void on_one_line(char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (strchr("\t\n\r", text[i]))
            text[i] = ' ';
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
}

json_t *ovl_library_json(void)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    char library[MPI_MAX_LIBRARY_VERSION_STRING], standard[16];
    int length, major, minor, level;
    MPI_Get_library_version(library, &length);
    MPI_Get_version(&major, &minor);
    MPI_Query_thread(&level);
    snprintf(standard, sizeof standard, "%d.%d", major, minor);
    const char *name = level == MPI_THREAD_SINGLE       ? levels[0]
                       : level == MPI_THREAD_FUNNELED   ? levels[1]
                       : level == MPI_THREAD_SERIALIZED ? levels[2]
                                                        : levels[3];
    /* The first line holds name and version; MPICH tells its device and its configure line behind that. */
    char *more = library + strcspn(library, "\n");
    if (*more)
        *more++ = '\0';
    on_one_line(library);
    on_one_line(more);
    char *all = ovl_text("%s%s", library, ovl_library_offloads() ? " under ovl offload" : "");
    json_t *name_line = ovl_printable_json(all);
    free(all);
    return json_pack("{s:o, s:o, s:s, s:s}", "library", name_line, "library_more", ovl_printable_json(more), "standard",
                     standard, "thread_level", name);
}
