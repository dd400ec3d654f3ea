/* A disk that is full behind OVL_FULL_DISK bytes of any checkpoint, file of a data set, log of a sweep, or record
   full.jsonl. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_limited(int fd)
{
    char link[64], path[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, path, sizeof path - 1) > 0 &&
           (strstr(path, "/sweep.log") != NULL || strstr(path, "/full.jsonl") != NULL ||
            (strstr(path, "/.ovl-") != NULL && (strstr(path, ".ckpt") != NULL || strstr(path, ".bin") != NULL)));
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*next)(int, const void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "write");
    const char *room = getenv("OVL_FULL_DISK");
    if (room && is_limited(fd)) {
        off_t left = (off_t)atol(room) - lseek(fd, 0, SEEK_CUR);
        if (left <= 0) {
            errno = ENOSPC;
            return -1;
        }
        if ((off_t)bytes > left)
            bytes = (size_t)left;
    }
    return next(fd, data, bytes);
}
