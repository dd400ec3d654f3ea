/* Blocks without gaps are copied by memcpy; all others by MPI_Pack and MPI_Unpack of the program's MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/buffer.h"
#include "preload/library/state.h"
#include "preload/op/datatype.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int64_t count_of(const struct ovl_call_side *s, int block)
{
    return s->counts.at ? ovl_list_get(&s->counts, block) : s->count;
}

struct ovl_type_layout ovl_layout_of(H type)
{
    MPI_Count size = 0, lb, extent = 0;
    P->Type_size_x(type, &size);
    P->Type_get_extent_x(type, &lb, &extent);
    return (struct ovl_type_layout){.size = size, .extent = extent};
}

/* In extents from the base. */
static int64_t place_of(const struct ovl_call_side *s, int block, int64_t before)
{
    return s->displs.at ? ovl_list_get(&s->displs, block) : before;
}

void ovl_side_measure(struct ovl_call_side *s)
{
    int64_t elements = 0;
    for (int b = 0; b < (s->counts.at ? s->blocks : 0); b++)
        elements += count_of(s, b);
    if (!s->counts.at)
        elements = s->count * s->blocks;
    s->bytes = elements * s->layout.size;
}

int64_t ovl_side_largest(const struct ovl_call_side *s, int element)
{
    int64_t most = 0, before = 0, scale = s->layout.size / element;
    if (!s->plain)
        return -1;
    for (int b = 0; b < s->blocks; b++) {
        int64_t count = count_of(s, b), place = place_of(s, b, before);
        if (place < 0)
            return -1;
        if ((count > place ? count : place) * scale > most)
            most = (count > place ? count : place) * scale;
        before += count;
    }
    return most;
}

/* MPICH packs nothing from MPI_BOTTOM, which it takes for an error: the datatype is moved against another base. */
static void move_typed(struct ovl_call_side *s, char *user, int64_t n, MPI_Count *at, bool pack)
{
    MPI_Datatype type = s->type;
    if (!user) {
        int one = 1;
        user = s->staging;
        MPI_Aint back = -(MPI_Aint)(uintptr_t)user;
        MPI_Datatype moved;
        P->Type_create_hindexed(1, &one, &back, (H)s->type, &moved);
        P->Type_create_resized((H)moved, 0, s->layout.extent, &type);
        P->Type_free(&moved);
        P->Type_commit(&type);
    }
    if (pack)
        P->Pack_c(user, n, (H)type, s->staging, s->bytes, at, (H)ovl_library.world);
    else
        P->Unpack_c(s->staging, s->bytes, at, user, n, (H)type, (H)ovl_library.world);
    if (type != s->type)
        P->Type_free(&type);
}

/* Moves all blocks between the program's memory and the staging buffer. */
static void move(struct ovl_call_side *s, bool pack)
{
    MPI_Count at = 0;
    int64_t before = 0;
    bool whole = !s->displs.at; /* one block after the other */
    for (int b = 0; b < (whole ? 1 : s->blocks); b++) {
        int64_t n = whole && s->layout.size ? s->bytes / s->layout.size : whole ? 0 : count_of(s, b);
        char *user = (char *)((uintptr_t)s->base + (uintptr_t)(place_of(s, b, before) * s->layout.extent));
        size_t bytes = (size_t)(n * s->layout.size);
        if (bytes == 0)
            continue;
        if (s->plain) {
            memcpy(pack ? s->staging + at : user, pack ? user : s->staging + at, bytes);
            at += (MPI_Count)bytes;
        } else
            move_typed(s, user, n, &at, pack);
        before += n;
    }
}

/* The program may free its datatype, and change its lists, before the operation has ended. */
static void keep(struct ovl_call_side *s)
{
    if (!s->plain) {
        s->type = ovl_datatype_copy((H)s->type);
        s->own_type = true;
    }
    if (!s->displs.at)
        return;
    s->kept_lists = ovl_library_check_alloc(malloc(2 * (size_t)s->blocks * sizeof *s->kept_lists));
    for (int b = 0; b < s->blocks; b++) {
        s->kept_lists[b] = count_of(s, b);
        s->kept_lists[s->blocks + b] = ovl_list_get(&s->displs, b);
    }
    s->counts = (struct ovl_list){s->kept_lists, true};
    s->displs = (struct ovl_list){s->kept_lists + s->blocks, true};
}

/* Memory that carriers have mapped is dear to make: it is kept, by powers of two. A block that is kept begins with the
   list's word. What has been kept longer goes back where that is too much, or where there is no room for more. What is
   larger than all that may be kept is made and given back each time, and as large as it must be. */
enum { CLASSES = 48, LEAST = 12, KEPT_MOST = 256 << 20 };
struct kept {
    struct kept *next;
};
static struct kept *kept[CLASSES];
static size_t kept_bytes;

static size_t class_bytes(int class)
{
    return (size_t)1 << (class + LEAST);
}

static int class_of(size_t bytes)
{
    int class = 0;
    while (class_bytes(class) < bytes && class < CLASSES - 1)
        class ++;
    return class;
}

/* The lock is held. Blocks that are kept go back, the largest first, until no more than `most` bytes are. */
static int give_back(size_t most, struct ovl_error *err)
{
    for (int class = CLASSES - 1; class >= 0; class --)
        while (kept_bytes > most && kept[class]) {
            struct kept *memory = kept[class];
            kept[class] = memory->next;
            kept_bytes -= class_bytes(class);
            if (ovl_client_free(&ovl_library.client, memory, err) != 0)
                return -1;
        }
    return 0;
}

/* The lock is held. Of memory that is kept, new, or new in place of what was kept. */
static struct kept *take(size_t bytes, struct ovl_error *err)
{
    int class = class_of(bytes);
    struct kept *memory = kept[class];
    size_t wanted = class_bytes(class) > KEPT_MOST ? bytes : class_bytes(class);
    if (memory) {
        kept[class] = memory->next;
        kept_bytes -= class_bytes(class);
        return memory;
    }
    memory = ovl_client_alloc(&ovl_library.client, wanted, err);
    return memory || kept_bytes == 0 || give_back(0, err) != 0 ? memory
                                                               : ovl_client_alloc(&ovl_library.client, wanted, err);
}

static void *alloc_staging(size_t bytes)
{
    struct ovl_error err;
    if (!ovl_library.bounce)
        return ovl_library_check_alloc(malloc(bytes + 1));
    pthread_mutex_lock(&ovl_library.lock);
    struct kept *memory = take(bytes, &err);
    pthread_mutex_unlock(&ovl_library.lock);
    if (!memory)
        ovl_library_die(&err);
    return memory;
}

static void free_staging(void *staging, size_t bytes)
{
    if (!ovl_library.bounce) {
        free(staging);
        return;
    }
    int class = class_of(bytes);
    struct kept *memory = staging;
    struct ovl_error err;
    bool stays = class_bytes(class) <= KEPT_MOST; /* the next operation may be as large */
    pthread_mutex_lock(&ovl_library.lock);
    int rc =
        stays ? give_back(KEPT_MOST - class_bytes(class), &err) : ovl_client_free(&ovl_library.client, memory, &err);
    if (stays) {
        memory->next = kept[class];
        kept[class] = memory;
        kept_bytes += class_bytes(class);
    }
    pthread_mutex_unlock(&ovl_library.lock);
    if (rc != 0)
        ovl_library_die(&err);
}

void ovl_side_pack(struct ovl_call_side *s)
{
    s->staging = alloc_staging((size_t)s->bytes);
    atomic_fetch_add_explicit(&ovl_library.packed, 1, memory_order_relaxed);
    if (s->fill)
        move(s, true);
    if (s->empty)
        keep(s);
}

void ovl_side_unpack(struct ovl_call_side *s)
{
    if (!s->staging)
        return;
    if (s->empty)
        move(s, false);
    if (s->own_type)
        P->Type_free(&s->type);
    free(s->kept_lists);
    free_staging(s->staging, (size_t)s->bytes);
    s->staging = NULL;
}
