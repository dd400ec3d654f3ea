/* The plan that is kept with the results of a sweep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/kept_plan.h"
#include "base/printable.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/plan/read.h"
#include "tool/util/atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Byte by byte, so that `cmp` tells whether a sweep is that of somebody's plan; not where --work-from,
   a scan, an include or variables made another plan of it (given: NULL), or where it cannot be read twice. */
static void copy_plan(const struct ovl_plan *p, const char *given, FILE *out)
{
    char part[1 << 12];
    struct stat file;
    size_t n;
    FILE *in = NULL;
    if (given && stat(given, &file) == 0 && S_ISREG(file.st_mode))
        in = fopen(given, "re");
    if (!in) {
        json_dumpf(p->json, out, JSON_INDENT(1));
        putc('\n', out);
        return;
    }
    while ((n = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, n, out);
    fclose(in);
}

/* What the one says otherwise than the other, or alone; NULL: nothing. */
static const char *differing(json_t *one, const json_t *other)
{
    const char *name;
    json_t *value;
    json_object_foreach(one, name, value) {
        const json_t *theirs = json_object_get(other, name);
        if (!theirs || !json_equal(value, theirs))
            return name;
    }
    return NULL;
}

static int hold_against(const struct ovl_plan *p, const char *path, const char *folder, struct ovl_error *err)
{
    struct ovl_plan_read kept; /* by the same way as the one given, which leaves out what changes nothing */
    if (ovl_plan_read(&kept, path, NULL, err) != 0)
        return -1;
    const char *name = differing(p->json, kept.json);
    name = name ? name : differing(kept.json, p->json);
    int rc =
        name ? ovl_error_set(err, OVL_USAGE,
                             "%s holds the sweep of another plan, or of another --work-from or -S (%.40s differs, see "
                             "%s); give another -o",
                             folder, name, path)
             : 0;
    ovl_plan_read_free(&kept);
    return rc;
}

int ovl_sweep_plan_keep(const struct ovl_plan *p, const char *given, const char *folder, bool resume,
                        struct ovl_error *err)
{
    const struct ovl_path path = ovl_path("%s/plan.json", folder), log_path = ovl_path("%s/sweep.log", folder);
    struct ovl_atomic_file o;
    struct stat log;
    if (access(path.text, F_OK) == 0) {
        if (!resume)
            return ovl_error_set(err, OVL_USAGE,
                                 "%s holds a sweep already; --resume goes on with it, or give another -o", folder);
        return hold_against(p, path.text, folder, err);
    }
    if (stat(log_path.text, &log) == 0 && S_ISREG(log.st_mode) && log.st_size > 0)
        return ovl_error_set(err, OVL_USAGE, "%s is the log of a sweep whose plan is gone; give another -o",
                             log_path.text);
    if (ovl_atomic_file_open(&o, path.text, err) != 0)
        return -1;
    copy_plan(p, given, o.file);
    return ovl_atomic_file_close(&o, err);
}

/* --work-from is as good as the plan's own word for it: it is kept with the plan. */
int ovl_sweep_plan_work(struct ovl_plan *p, const char *work_from, const char *folder, struct ovl_error *err)
{
    struct ovl_path from;
    if (work_from && json_object_set_new(p->json, "work_from", json_string(work_from)) != 0)
        return ovl_error_set(err, OVL_USAGE, "--work-from %s: this name is no UTF-8; rename it", work_from);
    const char *named = json_string_value(json_object_get(p->json, "work_from"));
    if (named && access(named, R_OK) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot take work from it: %s", named, strerror(errno));
    size_t takers = 0;
    for (size_t i = 0; named && i < p->count; i++)
        takers += ovl_launch_work_from(p, &p->launch[i], folder, &from);
    if (named && takers == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s: no job takes work from it: it has no record, or all jobs have options that say their "
                             "work; name another record, or none",
                             named);
    for (size_t i = 0; named && i < p->count; i++) {
        const struct ovl_launch *l = &p->launch[i];
        if (l->number == 1 && !ovl_launch_work_from(p, l, folder, &from)) {
            printf("# job %s takes no work from ", ovl_launch_job(l));
            ovl_printable_put(stdout, named);
            printf(": its own is calibrated, or set by its options\n");
        }
    }
    return 0;
}
