/* LD_PRELOADed: aligned buffers of the program itself come from MPI_Alloc_mem, as those of programs do that ask for it.
   MPI is found at run time: the library goes into every process of a test, with MPI or without. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LEAST = 4096, MOST = 4096, NO_INFO = 0x1c000000 }; /* MPICH's MPI_INFO_NULL */

static void *made[MOST];
static int count;

static bool says(const char *question)
{
    int (*ask)(int *) = NULL, yes = 0;
    *(void **)&ask = dlsym(RTLD_DEFAULT, question);
    return ask && ask(&yes) == 0 && yes;
}

static bool of_program(void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map && !map->l_prev;
}

int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    int (*alloc)(long, int, void *) = NULL;
    if (bytes >= LEAST && count < MOST && of_program(__builtin_return_address(0)) && says("MPI_Initialized") &&
        !says("MPI_Finalized")) {
        *(void **)&alloc = dlsym(RTLD_DEFAULT, "MPI_Alloc_mem");
        if (alloc((long)bytes, NO_INFO, to) == 0) {
            made[count++] = *to;
            return 0;
        }
    }
    *to = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return *to || bytes == 0 ? 0 : ENOMEM;
}

void free(void *memory)
{
    static void (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "free");
    for (int i = count; memory && i-- > 0;)
        if (made[i] == memory) {
            int (*release)(void *) = NULL;
            *(void **)&release = dlsym(RTLD_DEFAULT, "MPI_Free_mem");
            made[i] = made[--count];
            release(memory);
            return;
        }
    real(memory);
}
