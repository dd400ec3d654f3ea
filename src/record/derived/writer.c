/* Appending to record files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/writer.h"
#include "base/input_file.h"
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 12 digits hold nanoseconds over hours; ovl_cell_round gives the samples the same. */
enum { DUMP = JSON_COMPACT | JSON_REAL_PRECISION(12) };

static int not_writable(const struct ovl_writer *w, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "--json %s: cannot write: %s", w->path, strerror(errno));
}

/* A pipe that nobody reads would take what fits and then never return: O_NONBLOCK asks. */
static int open_pipe(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETFL, 0) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Does what a file begins with tell of a record? Its first line may be cut short, or longer than is looked at. What is
   simulated stands in a file of its own. */
static bool is_record(const char *text, size_t length)
{
    static const char usual[] = "{\"record\":", simulated[] = "{\"record\":\"simulated\"";
    const char *end = memchr(text, '\n', length);
    if (length > strlen(simulated) && strncmp(text, simulated, strlen(simulated)) == 0)
        return false;
    if (strncmp(text, usual, length < strlen(usual) ? length : strlen(usual)) == 0)
        return true;
    json_t *line = json_loadb(text, end ? (size_t)(end - text) : length, 0, NULL);
    bool is = json_string_value(json_object_get(line, "record")) != NULL;
    json_decref(line);
    return is;
}

int ovl_writer_check(const char *path, struct ovl_error *err)
{
    char text[1 << 16];
    struct stat file;
    FILE *in = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? fopen(path, "re") : NULL;
    if (!in) /* whoever opens it says why */
        return 0;
    size_t n = fread(text, 1, sizeof text, in), space = 0;
    fclose(in);
    while (space < n && strchr(" \t\r\n", text[space]) && text[space])
        space++;
    if (space < n ? is_record(text + space, n - space) : !ovl_input_file_is_noted(path))
        return 0;
    return ovl_error_set(err, OVL_USAGE, "%s: this file is no record, and lines of one would be appended; name another",
                         path);
}

/* The descriptor for `path`, or -1 with errno. */
static int open_for(const char *path, bool pipe, int own)
{
    if (own >= 0)
        return fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return pipe ? open_pipe(path) : open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

int ovl_writer_open(struct ovl_writer *w, const char *path, struct ovl_error *err)
{
    *w = (struct ovl_writer){.fd = -1, .path = path};
    if (!path)
        return 0;
    struct stat file;
    int own = ovl_output_file_descriptor(path);
    bool pipe = stat(path, &file) == 0 && S_ISFIFO(file.st_mode);
    if (own < 0 && ovl_writer_check(path, err) != 0)
        return -1;
    w->fd = open_for(path, pipe, own);
    if (w->fd < 0 && own < 0 && !pipe && (errno == EACCES || errno == EINVAL))
        w->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC); /* a file that may only be written */
    if (w->fd < 0 && pipe && errno == ENXIO)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--json %s: cannot write: nobody reads this pipe", path);
    if (w->fd < 0)
        return not_writable(w, err);

    /* A job that was killed inside a line left no newline: do not glue the next line to it. */
    off_t end = lseek(w->fd, 0, SEEK_END);
    char last;
    if (end > 0 && pread(w->fd, &last, 1, end - 1) == 1 && last != '\n' && ovl_output_file_write(w->fd, "\n", 1) != 0)
        return not_writable(w, err);
    return 0;
}

int ovl_writer_line(struct ovl_writer *w, json_t *line, struct ovl_error *err)
{
    if (w->fd < 0) {
        json_decref(line);
        return 0;
    }
    char *text = line ? json_dumps(line, DUMP) : NULL;
    json_decref(line);
    if (!text)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--json %s: no memory for a line, or a text in it is not UTF-8",
                             w->path);
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the terminator: line and newline go out in one write */
    int rc = ovl_output_file_write(w->fd, text, length + 1);
    free(text);
    struct stat file;
    if (rc == 0 && fstat(w->fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--json %s: the file was removed while the run went on", w->path);
    if (rc != 0 || (fdatasync(w->fd) != 0 && errno != EINVAL && errno != EROFS))
        return not_writable(w, err);
    return 0;
}

int ovl_writer_close(struct ovl_writer *w, struct ovl_error *err)
{
    int fd = w->fd;
    w->fd = -1;
    return fd >= 0 && close(fd) != 0 ? not_writable(w, err) : 0;
}
