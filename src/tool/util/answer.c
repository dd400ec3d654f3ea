/* What a command found, as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/answer.h"
#include "base/clock.h"
#include "tool/util/atomic_file.h"
#include "version.h"

#include <math.h>

json_t *ovl_answer_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

int ovl_answer_write(const char *path, const char *command, int code, json_t *found, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    char now[32];
    if (path && (fflush(stdout) != 0 || ferror(stdout))) { /* the answer must say what the command comes to */
        json_decref(found);
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write to standard output");
    }
    if (!path || ovl_atomic_file_open(&o, path, err) != 0) {
        json_decref(found);
        return path ? -1 : 0;
    }
    ovl_clock_utc(now);
    json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:s, s:i}", "answer", OVL_ANSWER_FORM, "command", command,
                            "ovl_version", OVL_VERSION, "git", OVL_GIT, "created", now, "exit", code);
    json_object_update(all, found);
    json_dumpf(all, o.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', o.file);
    json_decref(all);
    json_decref(found);
    return ovl_atomic_file_close(&o, err);
}
