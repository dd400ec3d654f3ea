/* MPI_Alloc_mem gives memory that workers map as soon as a collective uses it, so that they need not copy it from and
 * to the rank; libovl_heap.so's malloc gives memory that they map from the start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/memory.h"
#include "preload/library/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

static struct ovl_library *const lib = &ovl_library;

/* What the program had not freed when the library ended. */
static struct {
    struct ovl_region *regions;
    size_t count;
} left;

/* Another library, which only those who want it load: whoever stands before malloc does so for the whole program. */
static int share_heap(struct ovl_error *err)
{
    void *found = dlsym(RTLD_DEFAULT, "ovl_heap_open"), *base;
    int (*open_heap)(size_t least, void **base, size_t *bytes, int *file), file;
    void (*stop_heap)(void);
    size_t bytes;
    if (!found)
        return ovl_error_set(err, OVL_USAGE, "OVL_OFFLOAD_HEAP is set, and LD_PRELOAD does not name libovl_heap.so");
    memcpy(&open_heap, &found, sizeof open_heap);
    int rc = open_heap(lib->settings.heap, &base, &bytes, &file);
    if (rc != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no heap that workers map: %s", strerror(rc));
    if ((file = fcntl(file, F_DUPFD_CLOEXEC, 3)) < 0)
        ovl_error_set(err, OVL_ENVIRONMENT, "no heap that workers map: %s", strerror(errno));
    if (file < 0 || ovl_client_share(&lib->client, base, bytes, file, err) != 0) {
        found = dlsym(RTLD_DEFAULT, "ovl_heap_stop");
        memcpy(&stop_heap, &found, sizeof stop_heap);
        stop_heap();
        return -1;
    }
    lib->heap = base;
    lib->heap_bytes = bytes;
    return 0;
}

void ovl_memory_begin(void)
{
    struct ovl_error err;
    if (lib->settings.heap && share_heap(&err) != 0 && lib->rank == 0)
        ovl_library_print_error("", &err);
}

void ovl_memory_end(void)
{
    left.regions = lib->client.regions;
    left.count = lib->client.region_count;
    lib->client.regions = NULL;
    lib->client.region_count = lib->client.region_room = 0;
}

/* MPI_Finalize calls what the program has hung on MPI_COMM_SELF, which may free memory. No worker has it any more. */
static bool free_left(const void *base)
{
    bool ours = false;
    pthread_mutex_lock(&lib->lock);
    for (size_t i = 0; i < left.count && !ours; i++)
        if (left.regions[i].shared.base == base) {
            ours = true;
            left.regions[i].path->dealloc(&left.regions[i]);
            left.regions[i].shared.base = NULL;
        }
    pthread_mutex_unlock(&lib->lock);
    return ours;
}

/* Local: where there is none the host's memory does as well, by the path of all other memory. */
static void *allocate(MPI_Aint bytes)
{
    struct ovl_error ignored;
    pthread_mutex_lock(&lib->lock);
    void *memory = ovl_client_promise(&lib->client, (size_t)bytes, &ignored);
    pthread_mutex_unlock(&lib->lock);
    return memory;
}

WRAP(Alloc_mem, (MPI_Aint bytes, H info, void *base))
{
    if (atomic_load(&lib->on) && !lib->bounce && base && bytes > 0 && (uint64_t)bytes >= lib->settings.rules.least) {
        void *memory = allocate(bytes);
        if (memory) {
            *(void **)base = memory;
            return MPI_SUCCESS;
        }
    }
    return NEXT->Alloc_mem(bytes, info, base);
}

WRAP(Free_mem, (void *base))
{
    struct ovl_error err;
    bool ours = false;
    int rc = 0;
    if (!atomic_load(&lib->on) || !base)
        return base && free_left(base) ? MPI_SUCCESS : NEXT->Free_mem(base);
    pthread_mutex_lock(&lib->lock);
    for (size_t i = 0; i < lib->client.region_count; i++)
        ours |= lib->client.regions[i].shared.base == base;
    if (ours)
        rc = ovl_client_free(&lib->client, base, &err);
    pthread_mutex_unlock(&lib->lock);
    if (rc != 0)
        ovl_library_die(&err);
    return ours ? MPI_SUCCESS : NEXT->Free_mem(base);
}
