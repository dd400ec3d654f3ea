/* What the name of an output leads to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/output_file.h"
#include "base/clock.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, TRIES = 100, NAME_SHOWN = 200 };

/* The length of the part of a path that names its folder, its last slash included. */
static int folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

static bool is_within(const char *folder, const char *tree)
{
    size_t n = strlen(tree);
    return strncmp(folder, tree, n) == 0 && (folder[n] == '/' || folder[n] == '\0');
}

/* The folder in which a path lies, without links. false when there is none. */
static bool real_folder(const char *path, char folder[PATH_MAX])
{
    return realpath(ovl_path("%.*s.", folder_of(path), path).text, folder) != NULL;
}

static bool is_folder_of_descriptors(const char *folder)
{
    static const char *const names[] = {"/proc/self/fd", "/proc/thread-self/fd"};
    char real[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (realpath(names[i], real) && strcmp(real, folder) == 0)
            return true;
    return false;
}

/* Follows links one by one. Where one is a descriptor of this process, its number; else -1. *system: one is in /dev or
   /proc. */
static int follow(const char *path, bool *system)
{
    char at[PATH_MAX], folder[PATH_MAX], to[PATH_MAX];
    *system = false;
    if (strlen(path) >= sizeof at)
        return -1;
    strcpy(at, path);
    for (int links = 0; links < MOST_LINKS; links++) {
        ssize_t n = readlink(at, to, sizeof to - 1);
        if (n < 0 || !real_folder(at, folder))
            return -1;
        to[n] = '\0';
        *system = *system || is_within(folder, "/dev") || is_within(folder, "/proc");
        if (is_folder_of_descriptors(folder))
            return atoi(at + folder_of(at));
        size_t before = *to == '/' ? 0 : (size_t)folder_of(at);
        if (before + (size_t)n >= sizeof at)
            return -1;
        memcpy(at + before, to, (size_t)n + 1);
    }
    return -1;
}

int ovl_output_file_descriptor(const char *path)
{
    bool system;
    return follow(path, &system);
}

bool ovl_output_file_in_place(const char *path)
{
    struct stat there;
    bool system;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return true;
    follow(path, &system);
    return system;
}

int ovl_output_file_hidden(const char *path, struct ovl_path *hidden)
{
    int folder = folder_of(path);
    uint64_t random = (uint64_t)ovl_clock_raw_ns() ^ (uint64_t)getpid() << 32;
    for (int i = 0; i < TRIES; i++) {
        random = ovl_rng_mix(random);
        *hidden =
            ovl_path("%.*s.ovl-%016llx-%.*s", folder, path, (unsigned long long)random, NAME_SHOWN, path + folder);
        if (strlen(path + folder) > NAME_MAX) { /* found out before anything is written */
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(hidden->text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

int ovl_output_file_write(int fd, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}
