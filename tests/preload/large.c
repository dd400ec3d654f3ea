/* Datatypes made by each of MPI's constructors with large counts, and copies and rows of them, in collectives that go
 * to the workers and in such that are too small for that. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of one value of any of these types are at 0, 2, 4 ... or side by side. */
enum { MOST = 70000, VALUES = 2 };

static int rank, ranks;

static void must(bool right, const char *what, int form)
{
    if (right)
        return;
    fprintf(stderr, "large: %s, type %d\n", what, form);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

enum form {
    CONTIGUOUS,
    VECTOR,
    HVECTOR,
    INDEXED,
    HINDEXED,
    INDEXED_BLOCK,
    HINDEXED_BLOCK,
    STRUCT,
    SUBARRAY,
    DARRAY,
    RESIZED,
    FORMS
};

/* n bytes each of which stands behind a gap of one, or without gaps. */
static MPI_Datatype make(enum form form, int n)
{
    MPI_Datatype t, one = MPI_CHAR;
    MPI_Count *ones = malloc((size_t)n * sizeof *ones), *places = malloc((size_t)n * sizeof *places), all = n,
              size[] = {2 * all}, part[] = {n}, start[] = {0};
    MPI_Datatype *types = malloc((size_t)n * sizeof *types);
    int block[] = {MPI_DISTRIBUTE_BLOCK}, own[] = {MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {1};
    for (int i = 0; i < n; i++) {
        ones[i] = 1;
        places[i] = 2 * i;
        types[i] = MPI_CHAR;
    }
    switch (form) {
    case CONTIGUOUS:
        MPI_Type_contiguous_c(n, one, &t);
        break;
    case VECTOR:
        MPI_Type_vector_c(n, 1, 2, one, &t);
        break;
    case HVECTOR:
        MPI_Type_create_hvector_c(n, 1, 2, one, &t);
        break;
    case INDEXED:
        MPI_Type_indexed_c(n, ones, places, one, &t);
        break;
    case HINDEXED:
        MPI_Type_create_hindexed_c(n, ones, places, one, &t);
        break;
    case INDEXED_BLOCK:
        MPI_Type_create_indexed_block_c(n, 1, places, one, &t);
        break;
    case HINDEXED_BLOCK:
        MPI_Type_create_hindexed_block_c(n, 1, places, one, &t);
        break;
    case STRUCT:
        MPI_Type_create_struct_c(n, ones, places, types, &t);
        break;
    case SUBARRAY:
        MPI_Type_create_subarray_c(1, size, part, start, MPI_ORDER_C, one, &t);
        break;
    case DARRAY:
        MPI_Type_create_darray_c(1, 0, 1, part, block, own, grid, MPI_ORDER_C, one, &t);
        break;
    default:
        MPI_Type_create_resized_c(one, 0, 2, &t);
    }
    free(ones);
    free(places);
    free(types);
    return t;
}

/* The same again made of that: a copy, or a row of one of it. */
static MPI_Datatype wrap(MPI_Datatype of, int how)
{
    MPI_Datatype made;
    if (how == 0)
        return of;
    if (how == 1)
        MPI_Type_dup(of, &made);
    else
        MPI_Type_contiguous_c(1, of, &made);
    MPI_Type_free(&of);
    return made;
}

static char value(int from, int to, size_t i)
{
    return (char)(from * 31 + to * 7 + (int)(i % 101) + 1);
}

/* To compare what MPI_Pack finds in a block: whatever the datatype, byte i of it. */
static void fill(char *block, size_t extent, MPI_Datatype t, size_t bytes, int from, int to)
{
    char *packed = malloc(bytes);
    int at = 0;
    for (size_t i = 0; i < bytes; i++)
        packed[i] = value(from, to, i);
    memset(block, 0, extent);
    MPI_Unpack(packed, (int)bytes, &at, block, VALUES, t, MPI_COMM_WORLD);
    free(packed);
}

static bool is(const char *block, size_t extent, MPI_Datatype t, size_t bytes, int from, int to)
{
    char *want = malloc(extent);
    fill(want, extent, t, bytes, from, to);
    bool same = memcmp(want, block, extent) == 0;
    free(want);
    return same;
}

static void exchange(MPI_Datatype t, int form, bool persistent)
{
    int size;
    MPI_Aint lb, extent;
    MPI_Request q;
    MPI_Type_size(t, &size);
    MPI_Type_get_extent(t, &lb, &extent);
    size_t block = VALUES * (size_t)extent, bytes = VALUES * (size_t)size;
    char *out = malloc(block * (size_t)ranks + 1), *in = calloc((size_t)ranks, block + 1);
    for (int r = 0; r < ranks; r++)
        fill(out + (size_t)r * block, block, t, bytes, rank, r);
    if (persistent) {
        MPI_Alltoall_init(out, VALUES, t, in, VALUES, t, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        MPI_Type_free(&t); /* which a request that is made does not need any more */
        MPI_Start(&q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        MPI_Request_free(&q);
        t = wrap(make((enum form)(form / 10), size), form % 10);
        MPI_Type_commit(&t);
    } else {
        MPI_Ialltoall(out, VALUES, t, in, VALUES, t, MPI_COMM_WORLD, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    for (int r = 0; r < ranks; r++)
        must(is(in + (size_t)r * block, block, t, bytes, r, rank), "a byte of alltoall is wrong", form);
    MPI_Ibcast(in, VALUES, t, 0, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    must(is(in, block, t, bytes, 0, 0), "a byte of bcast is wrong", form);
    MPI_Type_free(&t);
    free(out);
    free(in);
}

/* Two places of memory, named by their addresses. */
static void broadcast_from_bottom(int n)
{
    MPI_Datatype t;
    MPI_Request q;
    char *part[] = {calloc((size_t)n, 1), calloc((size_t)n, 1)};
    MPI_Count places[2], lengths[] = {n, n};
    for (int p = 0; p < 2; p++) {
        MPI_Aint at;
        MPI_Get_address(part[p], &at);
        places[p] = at;
        for (int i = 0; i < n && rank == 0; i++)
            part[p][i] = value(p, 0, (size_t)i);
    }
    MPI_Type_create_hindexed_c(2, lengths, places, MPI_CHAR, &t);
    MPI_Type_commit(&t);
    MPI_Ibcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD, &q);
    MPI_Type_free(&t);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < n; i++)
            must(part[p][i] == value(p, 0, (size_t)i), "a byte at an address is wrong", 10 * HINDEXED);
        free(part[p]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool persistent = argc > 1 && strcmp(argv[1], "persistent") == 0;
    int sizes[] = {8, MOST};
    for (int s = 0; s < 2; s++) {
        broadcast_from_bottom(sizes[s]);
        for (int form = 0; form < FORMS; form++)
            for (int how = 0; how < 3; how++) {
                MPI_Datatype t = wrap(make((enum form)form, sizes[s]), how);
                MPI_Type_commit(&t);
                exchange(t, 10 * form + how, persistent);
            }
    }
    MPI_Finalize();
    if (rank == 0)
        puts("fine");
    return 0;
}
