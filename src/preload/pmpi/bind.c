/* Finds the program's MPI library and the functions in it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "preload/pmpi/pmpi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ovl_pmpi ovl_pmpi_table, ovl_pmpi_next;
_Atomic int ovl_pmpi_family;

struct binding {
    const char *name;
    size_t at;
};

static const struct binding bindings[] = {
#define BIND(name)         {"PMPI_" #name, offsetof(struct ovl_pmpi, name)},
#define BIND_(name)        BIND(name)
#define CALL(name, params) BIND(name)
#include "preload/pmpi/calls.inc"
#define NBC(i, init, ...) BIND_(F(i)) BIND_(F(init))
#define HOSTED(i, ...)    BIND_(F(I##i))
#define F(name)           name
#include "preload/pmpi/collectives.inc"
#include "preload/pmpi/hosted.inc"
#undef F
#define F(name) name##_c
#include "preload/pmpi/collectives.inc"
#include "preload/pmpi/hosted.inc"
#undef F
#undef NBC
#undef HOSTED
    {"PMPIX_Grequest_class_create", offsetof(struct ovl_pmpi, class_create)},
    {"PMPIX_Grequest_class_allocate", offsetof(struct ovl_pmpi, class_allocate)},
};

/* dlsym on an object finds what its dependencies define, too. */
static void *handle_of(const char *object)
{
    void *handle = dlopen(object, RTLD_NOLOAD | RTLD_LAZY);
    void *found = handle ? dlsym(handle, "PMPI_Init") : NULL;
    Dl_info info;
    return found && dladdr(found, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : NULL;
}

struct objects {
    char **name;
    size_t count;
};

static int note(struct dl_phdr_info *info, size_t size, void *list)
{
    struct objects *o = list;
    (void)size;
    if (!info->dlpi_name || !*info->dlpi_name)
        return 0;
    char **more = realloc(o->name, (o->count + 1) * sizeof *more);
    char *name = more ? strdup(info->dlpi_name) : NULL;
    if (more)
        o->name = more;
    if (name)
        o->name[o->count++] = name;
    return 0;
}

/* One that was loaded for somebody alone (RTLD_LOCAL, as Python does) is in no search order. */
static void *find_library(void)
{
    Dl_info info;
    void *found = dlsym(RTLD_NEXT, "PMPI_Init"), *handle = NULL;
    if (found && dladdr(found, &info) && info.dli_fname)
        handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    struct objects all = {.name = NULL};
    if (!handle)
        dl_iterate_phdr(note, &all);
    for (size_t i = all.count; i > 0; i--) { /* it came late */
        if (!handle)
            handle = handle_of(all.name[i - 1]);
        free(all.name[i - 1]);
    }
    free(all.name);
    return handle;
}

/* MPICH's old device, which ends the program where one asks it for partitioned communication. */
static bool is_ch3(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", device[8] = "";
    int length;
    ovl_pmpi_table.Get_library_version(text, &length);
    const char *at = strstr(text, "Device:");
    return at && sscanf(at, "Device: %7s", device) == 1 && strncmp(device, "ch3", 3) == 0;
}

/* The library of MPI-5's common ABI, which an MPICH from 4.3 on may be built with beside its own: it has the functions
   that are asked for, and other handles. */
static bool is_abi(const char *file)
{
    const char *slash = strrchr(file, '/');
    return strncmp(slash ? slash + 1 : file, "libmpi_abi.", strlen("libmpi_abi.")) == 0;
}

static void *object_of(void *function)
{
    Dl_info info;
    return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

/* What stands behind this library under a name of MPI's, in an object other than the MPI library `mpi`; NULL: nothing.
 */
static void *find_tool(const char *name, const void *mpi)
{
    void *f = dlsym(RTLD_NEXT, name);
    return f && object_of(f) != mpi ? f : NULL;
}

static void bind_all(void)
{
    void *handle = find_library();
    if (!handle) {
        fprintf(stderr, "ovl offload: the program calls MPI, and no MPI library is loaded as a shared one: link it to "
                        "one, or run it without `ovl offload`\n");
        _Exit(OVL_ENVIRONMENT);
    }
    void *init = dlsym(handle, "PMPI_Init"), *mpi = object_of(init);
    Dl_info info = {.dli_fname = ""};
    dladdr(init, &info);
    bool in_order = object_of(dlsym(RTLD_NEXT, "PMPI_Init")) == mpi; /* else names lead to another MPI, or to none */
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        void *f = dlsym(handle, bindings[i].name), *tool = in_order ? find_tool(bindings[i].name + 1, mpi) : NULL;
        memcpy((char *)&ovl_pmpi_table + bindings[i].at, &f, sizeof f);
        memcpy((char *)&ovl_pmpi_next + bindings[i].at, tool ? &tool : &f, sizeof f);
    }
    bool serves =
        ovl_pmpi_table.class_allocate && ovl_pmpi_table.Pack_c && ovl_pmpi_table.Unpack_c && ovl_pmpi_table.Psend_init;
    ovl_pmpi_family = dlsym(handle, "ompi_mpi_comm_world") ? OVL_MPI_OPEN
                      : is_abi(info.dli_fname)             ? OVL_MPI_ABI
                      : !serves                            ? OVL_MPI_OTHER
                      : is_ch3()                           ? OVL_MPI_CH3
                                                           : OVL_MPI_MPICH;
}

void ovl_pmpi_bind(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind_all);
}

static bool is_seen(const char *name)
{
    return object_of(dlsym(RTLD_DEFAULT, name)) == object_of((void *)&ovl_pmpi_table);
}

void ovl_pmpi_look(struct ovl_pmpi_seen *seen)
{
    enum { CALLS = sizeof bindings / sizeof *bindings };
    _Static_assert(CALLS <= 8 * sizeof seen->bit, "a bit for each call");
    memset(seen, 0, sizeof *seen);
    for (int i = 0; i < CALLS; i++)
        if (is_seen(bindings[i].name + 1))
            seen->bit[i / 8] |= (unsigned char)(1 << i % 8);
}

const char *ovl_pmpi_unlike(const struct ovl_pmpi_seen *a, const struct ovl_pmpi_seen *b)
{
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if ((a->bit[i / 8] ^ b->bit[i / 8]) >> i % 8 & 1)
            return bindings[i].name + 1;
    return NULL;
}

bool ovl_pmpi_sees_requests(void)
{
    static const char *const names[] = {
#define CALL(name, params)
#define REQUEST(name, params) "MPI_" #name,
#include "preload/pmpi/calls.inc"
    };
    bool all = true;
    for (size_t i = 0; i < sizeof names / sizeof *names && all; i++)
        all = is_seen(names[i]);
    return all;
}
