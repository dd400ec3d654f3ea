/* Opening files for reading. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct noted {
    dev_t device;
    ino_t inode;
} * noted;
static size_t count;

static bool is_noted(const struct stat *file)
{
    if (!S_ISREG(file->st_mode))
        return false;
    for (size_t i = 0; i < count; i++)
        if (noted[i].device == file->st_dev && noted[i].inode == file->st_ino)
            return true;
    return false;
}

bool ovl_input_file_is_noted(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && is_noted(&file);
}

bool ovl_input_file_is_noted_at(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 && is_noted(&file);
}

int ovl_input_file_note(int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || is_noted(&file))
        return 0;
    if ((count & (count - 1)) == 0) { /* it doubles */
        struct noted *larger = realloc(noted, (count > 0 ? 2 * count : 1) * sizeof *larger);
        if (!larger)
            return -1;
        noted = larger;
    }
    noted[count++] = (struct noted){file.st_dev, file.st_ino};
    return 0;
}

void ovl_input_file_forget(void)
{
    free(noted);
    noted = NULL;
    count = 0;
}

FILE *ovl_input_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool usable = fd >= 0 && fcntl(fd, F_SETFL, 0) == 0 && ovl_input_file_note(fd) == 0;
    FILE *file = usable ? fdopen(fd, "r") : NULL;
    int why = errno;
    if (!file && fd >= 0)
        close(fd);
    errno = why;
    return file;
}
