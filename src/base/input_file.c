/* Opening files for reading, and reading texts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct noted {
    dev_t device;
    ino_t inode;
} * noted;
static size_t count;

static struct kept {
    char *option, *text;
    bool digest;
} * kept;
static size_t kept_count;

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

void ovl_input_file_note(int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || is_noted(&file))
        return;
    noted = ovl_grow_one(noted, count, sizeof *noted);
    noted[count++] = (struct noted){file.st_dev, file.st_ino};
}

void ovl_input_file_forget(void)
{
    free(noted);
    noted = NULL;
    count = 0;
}

/* What a shell puts in a file's place, as in <(...), is named so. */
static bool is_named_as_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

const char *ovl_input_file_why(int number)
{
    return number == ENXIO ? "no plain file" : strerror(number);
}

FILE *ovl_input_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), why;
    struct stat at;
    FILE *file = NULL;
    if (fd >= 0 && fstat(fd, &at) == 0 && !S_ISREG(at.st_mode) && !S_ISDIR(at.st_mode) && !is_named_as_device(path))
        errno = ENXIO; /* as open() says of a socket */
    else if (fd >= 0 && fcntl(fd, F_SETFL, 0) == 0)
        file = fdopen(fd, "r");
    why = errno;
    if (!file && fd >= 0)
        close(fd);
    if (file)
        ovl_input_file_note(fd);
    errno = why;
    return file;
}

static char *refused(char *text, FILE *in, struct ovl_error *err, enum ovl_exit code, const char *name, const char *why)
{
    free(text);
    if (in)
        fclose(in);
    ovl_error_set(err, code, "%s: %s", name, why);
    return NULL;
}

size_t ovl_input_line(char **line, size_t *room, size_t most, FILE *in)
{
    size_t n = 0;
    for (int c = 0; n < most && c != '\n' && (c = getc_unlocked(in)) != EOF;) {
        if (n + 2 > *room) {
            *room = 2 * *room + 128;
            *line = ovl_grow(*line, *room, 1);
        }
        (*line)[n++] = (char)c;
        (*line)[n] = '\0';
    }
    return n;
}

char *ovl_input_text(const char *path, const char *name, struct ovl_error *err)
{
    FILE *in = ovl_input_file_open(path);
    char *text = NULL, why[128];
    size_t n = 0, got = in != NULL;
    for (size_t room = 4096; got > 0; room *= 2) {
        text = ovl_grow(text, room + 1, 1);
        got = fread(text + n, 1, room - n, in);
        if (memchr(text + n, '\0', got))
            return refused(text, in, err, OVL_WRONG_DATA, name, "no text: it holds a byte 0");
        n += got;
        if (n > OVL_INPUT_TEXT_MOST)
            return refused(text, in, err, OVL_WRONG_DATA, name, "over 64 MiB: is it the right file?");
    }
    if (!in || ferror(in)) {
        snprintf(why, sizeof why, "cannot read: %s", ovl_input_file_why(errno));
        return refused(text, in, err, OVL_ENVIRONMENT, name, why);
    }
    text[n] = '\0';
    fclose(in);
    return text;
}

static void keep(const char *option, const char *text, bool digest)
{
    size_t i = 0;
    while (i < kept_count && strcmp(kept[i].option, option) != 0)
        i++;
    if (i == kept_count) {
        kept = ovl_grow_one(kept, kept_count, sizeof *kept);
        kept[kept_count++] = (struct kept){.option = ovl_text("%s", option)};
    }
    free(kept[i].text);
    kept[i].text = ovl_text("%s", text);
    kept[i].digest = digest;
}

void ovl_input_keep(const char *option, const char *text)
{
    keep(option, text, false);
}

void ovl_input_keep_digest(const char *option, const char *sha256)
{
    keep(option, sha256, true);
}

bool ovl_input_kept_is_digest(size_t i)
{
    return i < kept_count && kept[i].digest;
}

const char *ovl_input_kept(size_t i, const char **option)
{
    if (i >= kept_count)
        return NULL;
    *option = kept[i].option;
    return kept[i].text;
}
