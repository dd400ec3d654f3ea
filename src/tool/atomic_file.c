/* Files that are there whole or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/atomic_file.h"
#include "tool/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct ovl_atomic_file *o, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", o->path, strerror(errno));
}

/* Hidden, in the same folder, and of this process. */
static int put_hidden(struct ovl_atomic_file *o)
{
    const char *slash = strrchr(o->path, '/');
    int folder = slash ? (int)(slash - o->path + 1) : 0;
    int n = snprintf(o->hidden, sizeof o->hidden, "%.*s.%ld-%s", folder, o->path, (long)getpid(), o->path + folder);
    if (n < (int)sizeof o->hidden)
        return 0;
    o->hidden[0] = '\0';
    errno = ENAMETOOLONG;
    return -1;
}

int ovl_atomic_file_open(struct ovl_atomic_file *o, const char *path, struct ovl_error *err)
{
    struct stat there;
    *o = (struct ovl_atomic_file){.path = path};
    if (!path || strcmp(path, "-") == 0) {
        o->file = stdout;
        return 0;
    }
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) { /* a pipe or a device has no other name */
        o->file = fopen(path, "we");
        return o->file ? 0 : failed(o, err);
    }
    if (put_hidden(o) != 0)
        return failed(o, err);
    if (ovl_signals_hold(err) != 0) {
        o->hidden[0] = '\0';
        return -1;
    }
    int fd = open(o->hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    o->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (o->file)
        return 0;
    failed(o, err);
    o->hidden[0] = '\0';
    ovl_signals_release();
    return -1;
}

void ovl_atomic_file_abandon(struct ovl_atomic_file *o)
{
    if (o->file && o->file != stdout)
        fclose(o->file);
    o->file = NULL;
    if (o->hidden[0]) {
        unlink(o->hidden);
        o->hidden[0] = '\0';
        ovl_signals_release();
    }
}

int ovl_atomic_file_close(struct ovl_atomic_file *o, struct ovl_error *err)
{
    if (o->file == stdout)
        return 0; /* main looks after it */
    bool whole = fflush(o->file) == 0 && !ferror(o->file);
    if (whole && o->hidden[0])
        whole = fsync(fileno(o->file)) == 0;
    int rc = whole ? 0 : failed(o, err);
    if (fclose(o->file) != 0 && rc == 0)
        rc = failed(o, err);
    o->file = NULL;
    if (rc == 0 && o->hidden[0] && rename(o->hidden, o->path) != 0)
        rc = failed(o, err);
    if (rc != 0) {
        ovl_atomic_file_abandon(o);
    } else if (o->hidden[0]) {
        o->hidden[0] = '\0';
        ovl_signals_release();
    }
    return rc;
}

int ovl_atomic_file_copy(const char *from, const char *path, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    char piece[1 << 14];
    size_t n, all = 0;
    FILE *in = fopen(from, "re");
    if (!in)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", from, strerror(errno));
    int rc = ovl_atomic_file_open(&o, path, err);
    while (rc == 0 && (n = fread(piece, 1, sizeof piece, in)) > 0)
        all += fwrite(piece, 1, n, o.file);
    if (rc == 0 && (ferror(in) || all == 0)) {
        ovl_atomic_file_abandon(&o);
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", from, all ? strerror(EIO) : "it is empty");
    } else if (rc == 0) {
        rc = ovl_atomic_file_close(&o, err);
    }
    fclose(in);
    return rc;
}
