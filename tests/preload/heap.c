/* Collectives on buffers of each of malloc's relatives, before and after a fork, beside threads that allocate. All
 * bytes are checked. `fork`: with forks, as MPI allows them where the child calls nothing of MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 96 << 10, ROUNDS = 3 };

static int rank, ranks;
static atomic_bool ends;

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "heap: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 4);
}

enum { BY_MALLOC, BY_CALLOC, BY_REALLOC, BY_GROWING, BY_SHRINKING, BY_POSIX, BY_ALIGNED, BY_MEMALIGN, BY_VALLOC, WAYS };

static void *grown(size_t from, size_t bytes)
{
    char *memory = malloc(from);
    size_t least = from < bytes ? from : bytes;
    for (size_t i = 0; i < from; i++)
        memory[i] = (char)(i * 7);
    memory = realloc(memory, bytes);
    for (size_t i = 0; i < least; i++)
        must(memory[i] == (char)(i * 7), "realloc lost a byte");
    return memory;
}

static char *alloc(int way, size_t bytes)
{
    void *memory = NULL;
    switch (way) {
    case BY_CALLOC:
        free(memset(malloc(bytes), 1, bytes)); /* which may be used again */
        memory = calloc(bytes / 8, 8);
        must(((char *)memory)[0] == 0 && memcmp(memory, (char *)memory + 1, bytes - 1) == 0, "calloc is not zeroed");
        break;
    case BY_REALLOC:
        memory = realloc(NULL, bytes);
        break;
    case BY_GROWING:
        memory = grown(1000, bytes); /* over any threshold */
        break;
    case BY_SHRINKING:
        memory = grown(3 * bytes, bytes);
        break;
    case BY_POSIX:
        must(posix_memalign(&memory, 3, bytes) != 0 && posix_memalign(&memory, 256, bytes) == 0, "posix_memalign");
        break;
    case BY_ALIGNED:
        memory = aligned_alloc(4096, bytes);
        break;
    case BY_MEMALIGN:
        memory = memalign(1 << 16, bytes);
        must((uintptr_t)memory % (1 << 16) == 0, "memalign");
        break;
    case BY_VALLOC:
        memory = valloc(bytes);
        break;
    default:
        memory = malloc(bytes);
    }
    must(memory && malloc_usable_size(memory) >= bytes, "malloc_usable_size");
    return memory;
}

static char data_of(int way, int round, int from, int to, size_t i)
{
    return (char)((size_t)way * 3 + (size_t)round * 5 + (size_t)from * 7 + (size_t)to * 11 + i / 3);
}

static void fill(char *send, int way, int round)
{
    for (int to = 0; to < ranks; to++)
        for (size_t i = 0; i < BLOCK; i++)
            send[(size_t)to * BLOCK + i] = data_of(way, round, rank, to, i);
}

static bool is_right(const char *recv, int way, int round)
{
    for (int from = 0; from < ranks; from++)
        for (size_t i = 0; i < BLOCK; i++)
            if (recv[(size_t)from * BLOCK + i] != data_of(way, round, from, rank, i))
                return false;
    return true;
}

/* What the child finds, and what it does not see or do to its parent. */
static void fork_beside(char *send, const char *before, size_t bytes)
{
    int status = 0, told[2];
    must(pipe(told) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        char word;
        bool same = memcmp(send, before, bytes) == 0;
        memset(send, 1, bytes);
        same = read(told[0], &word, 1) == 1 && same && send[0] == 1 && memcmp(send, send + 1, bytes - 1) == 0;
        free(send);
        free(malloc(bytes));
        _exit(same ? 0 : 1);
    }
    must(pid > 0 && memcmp(send, before, bytes) == 0, "fork");
    must(write(told[1], "x", 1) == 1 && waitpid(pid, &status, 0) == pid, "waitpid");
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child saw other bytes");
    close(told[0]);
    close(told[1]);
}

static void exchange(int way, int round, bool forks)
{
    size_t bytes = (size_t)ranks * BLOCK;
    char *send = alloc(way, bytes), *recv = alloc((way + 1) % WAYS, bytes), *before = malloc(bytes);
    MPI_Request q;
    fill(send, way, round);
    memset(recv, 0, bytes);
    memcpy(before, send, bytes);
    MPI_Ialltoall(send, BLOCK, MPI_CHAR, recv, BLOCK, MPI_CHAR, MPI_COMM_WORLD, &q);
    if (forks)
        fork_beside(send, before, bytes);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    must(is_right(recv, way, round), "wrong data");
    must(memcmp(send, before, bytes) == 0, "what was sent has changed");
    free(send);
    free(recv);
    free(before);
}

static void *churn(void *of)
{
    unsigned x = (unsigned)(uintptr_t)of;
    while (!ends) {
        x = x * 1664525u + 1013904223u;
        size_t bytes = 1000 + x % (4 * BLOCK);
        char *memory = malloc(bytes), mark = (char)x;
        memset(memory, mark, bytes);
        usleep(100);
        must(memory[0] == mark && memcmp(memory, memory + 1, bytes - 1) == 0, "another thread wrote there");
        memory = realloc(memory, bytes / 2 + 1);
        must(memory[bytes / 2] == mark, "realloc lost a byte");
        free(memory);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    int provided;
    bool forks = argc > 1 && strcmp(argv[1], "fork") == 0;
    char *early = malloc(1 << 20); /* before there is anything */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    early = realloc(early, 2 << 20);
    for (uintptr_t t = 0; t < 2; t++)
        pthread_create(&thread[t], NULL, churn, (void *)(t + 1));
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++)
            exchange(way, round, forks);
    ends = true;
    for (int t = 0; t < 2; t++)
        pthread_join(thread[t], NULL);
    char *late = malloc(1 << 20);
    MPI_Finalize();
    free(memset(late, 1, 1 << 20)); /* when nobody maps it any more */
    free(early);
    free(memset(malloc(1 << 20), 1, 1 << 20));
    if (rank == 0)
        puts("fine");
    return 0;
}
