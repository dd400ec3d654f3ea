/* Feeds files to a harness, one by one, without libFuzzer: `make check` replays the kept inputs with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static void feed(int from, const char *path)
{
    int fd = openat(from, path, O_RDONLY | O_CLOEXEC);
    FILE *in = fd >= 0 ? fdopen(fd, "rb") : NULL;
    uint8_t *data = NULL;
    size_t size = 0, room = 0, n;
    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    do {
        room = room ? 2 * room : 4096;
        data = realloc(data, room);
        MUST(data);
        n = fread(data + size, 1, room - size, in);
        size += n;
    } while (n > 0);
    fclose(in);
    /* Of its exact size, so that a read beyond it is one beyond an allocation. */
    uint8_t *exact = malloc(size ? size : 1);
    MUST(exact);
    memcpy(exact, data, size);
    free(data);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    int from = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* a harness may go to another folder */
    for (int i = 1; i < argc; i++)
        feed(from, argv[i]);
    fprintf(stderr, "%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
