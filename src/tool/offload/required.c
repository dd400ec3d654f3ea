/* Whether any rank was served: what runs without the library in it, as static programs and setuid ones behind a shell
 * do, cannot say that it was not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/offload/required.h"
#include "base/path.h"
#include "tool/util/attend.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nodes that share the folder see it too, and so not first in TMPDIR. */
static int make_file(struct ovl_path *path, struct ovl_error *err)
{
    char here[PATH_MAX];
    const char *other = getenv("TMPDIR");
    const char *const folders[] = {getcwd(here, sizeof here), other && *other ? other : "/tmp"};
    int fd = -1;
    for (int f = folders[0] ? 0 : 1; f < 2 && fd < 0; f++) {
        *path = ovl_path("%s/.ovl-offload-XXXXXX", folders[f]);
        fd = mkostemp(path->text, O_CLOEXEC);
    }
    if (fd < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "cannot make a file here or in %s: %s; go to a folder that can be written", folders[1],
                             strerror(errno));
    close(fd);
    return 0;
}

/* What ranks have said: a byte of each node that was served, and of each process that refused. */
enum answer { NOTHING, REFUSED, SERVED };

/* Opened, since network file systems ask the server then. */
static enum answer answer_in(const char *path)
{
    enum answer found = NOTHING;
    FILE *file = fopen(path, "re");
    for (int c = file ? getc(file) : EOF; c != EOF && found != REFUSED; c = getc(file))
        found = c == '1' ? SERVED : REFUSED;
    if (file)
        fclose(file);
    return found;
}

int ovl_offload_required(char **command, json_t *environment, struct ovl_error *err)
{
    struct ovl_path path;
    const char *name;
    json_t *value;
    int killed_by;
    if (make_file(&path, err) != 0)
        return -1;
    json_object_foreach(environment, name, value) {
        setenv(name, json_string_value(value), 1);
    }
    setenv("OVL_OFFLOAD_SERVED", path.text, 1);
    int rc = ovl_attend(command, &killed_by, err);
    enum answer answer = answer_in(path.text);
    unlink(path.text);
    if (killed_by)
        ovl_attend_end_as(killed_by);
    if (answer == REFUSED) /* it has said why; a launcher that ends the other ranks may end with another code */
        return OVL_ENVIRONMENT;
    if (rc == 0 && answer == NOTHING)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "nothing is offloaded: no process of the command called MPI_Init with the library before "
                             "it; is it an MPI program, linked to a shared MPICH, without setuid, and is LD_PRELOAD "
                             "passed on? (nodes that run it must share this folder)");
    return rc;
}
