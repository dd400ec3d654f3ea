/* Files that are there whole or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/atomic_file.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "tool/util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is not written is told by the name that was tried: the hidden one, where there is one. */
static int failed(const struct ovl_atomic_file *o, struct ovl_error *err)
{
    const char *why = strerror(errno);
    if (o->hidden.text[0])
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s: %s", o->path, o->hidden.text, why);
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write: %s", o->path, why);
}

static int refuse(const char *path, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_USAGE,
                         "%s: this file is read or written by the same call, and would be lost; name another to write",
                         path);
}

int ovl_atomic_file_check(const char *path, struct ovl_error *err)
{
    return path && strcmp(path, "-") != 0 && ovl_input_file_is_noted(path) ? refuse(path, err) : 0;
}

/* What others write to, too: standard output, another descriptor, a pipe or a device. */
static int open_in_place(struct ovl_atomic_file *o, int descriptor, struct ovl_error *err)
{
    if (descriptor >= 0 && ovl_input_file_is_noted_at(descriptor)) /* as of >>FILE */
        return refuse(o->path ? o->path : "standard output", err);
    if (descriptor == STDOUT_FILENO) {
        o->file = stdout;
        return 0;
    }
    int fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                             : open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    o->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    return o->file ? 0 : failed(o, err);
}

/* What replaces a file may be read by those who might read that. A link is replaced, and what it leads to is none of
   ours: somebody else may have laid it, in a folder that all may write. */
static void keep_mode(const struct ovl_atomic_file *o)
{
    struct stat was;
    if (lstat(o->path, &was) == 0 && S_ISREG(was.st_mode))
        (void)!fchmod(fileno(o->file), was.st_mode & 07777); /* a file system without modes has nothing to keep */
}

int ovl_atomic_file_open(struct ovl_atomic_file *o, const char *path, struct ovl_error *err)
{
    *o = (struct ovl_atomic_file){.path = path};
    bool named = path && strcmp(path, "-") != 0;
    int descriptor = named ? ovl_output_file_descriptor(path) : STDOUT_FILENO;
    if (descriptor >= 0 || ovl_output_file_in_place(path))
        return open_in_place(o, descriptor, err);
    if (ovl_atomic_file_check(path, err) != 0 || ovl_signals_hold(err) != 0)
        return -1;
    int fd = ovl_output_file_hidden(path, &o->hidden);
    o->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (o->file) {
        keep_mode(o);
        return 0;
    }
    failed(o, err);
    o->hidden.text[0] = '\0';
    ovl_signals_release();
    return -1;
}

void ovl_atomic_file_abandon(struct ovl_atomic_file *o)
{
    if (o->file && o->file != stdout)
        fclose(o->file);
    o->file = NULL;
    if (o->hidden.text[0]) {
        unlink(o->hidden.text);
        o->hidden.text[0] = '\0';
        ovl_signals_release();
    }
}

int ovl_atomic_file_close(struct ovl_atomic_file *o, struct ovl_error *err)
{
    if (o->file == stdout)
        return 0; /* main looks after it */
    bool whole = fflush(o->file) == 0 && !ferror(o->file);
    if (whole && o->hidden.text[0])
        whole = fsync(fileno(o->file)) == 0;
    if (whole && o->hidden.text[0])
        ovl_input_file_note(fileno(o->file)); /* another output of this call must not replace it */
    int rc = whole ? 0 : failed(o, err);
    if (fclose(o->file) != 0 && rc == 0)
        rc = failed(o, err);
    o->file = NULL;
    if (rc == 0 && o->hidden.text[0] && rename(o->hidden.text, o->path) != 0)
        rc = failed(o, err);
    if (rc != 0) {
        ovl_atomic_file_abandon(o);
    } else if (o->hidden.text[0]) {
        o->hidden.text[0] = '\0';
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
