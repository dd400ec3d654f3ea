/* MPI_Alloc_mem gives memory that workers map, so that they need not copy it from and to the rank. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/library.h"

static struct ovl_library *const lib = &ovl_library;

/* Local: where there is none the host's memory does as well, by the path of all other memory. */
static void *allocate(MPI_Aint bytes)
{
    const struct ovl_mem_path *path = lib->client.path;
    struct ovl_error ignored;
    pthread_mutex_lock(&lib->lock);
    lib->client.path = &ovl_mem_path_shm;
    void *memory = ovl_client_alloc(&lib->client, (size_t)bytes, &ignored);
    lib->client.path = path;
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
    return P->Alloc_mem(bytes, info, base);
}

WRAP(Free_mem, (void *base))
{
    struct ovl_error err;
    bool ours = false;
    int rc = 0;
    if (!atomic_load(&lib->on) || !base)
        return P->Free_mem(base);
    pthread_mutex_lock(&lib->lock);
    for (size_t i = 0; i < lib->client.region_count; i++)
        ours |= lib->client.regions[i].shared.base == base;
    if (ours)
        rc = ovl_client_free(&lib->client, base, &err);
    pthread_mutex_unlock(&lib->lock);
    if (rc != 0)
        ovl_library_die(&err);
    return ours ? MPI_SUCCESS : P->Free_mem(base);
}
