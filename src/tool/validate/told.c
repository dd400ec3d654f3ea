/* `ovl validate`: what programs of this version tell in each record. Who takes a field out says no less than who
 * changes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "tool/validate/state.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

/* Of records that say that they are of this version; `since`: the schema 2.N with which it, or what begins so,
   came. */
static const struct {
    const char *path;
    int since;
} of_run[] = {{"build.compiler", 1},
              {"build.flags", 1},
              {"rank_hosts", 1},
              {"environment_differs", 2},
              {"mpi.library_more", 2}},
  of_host[] = {{"physical_cores", 1}, {"caches", 1}, {"load", 1}},
  later[] = {{"marks[]", 2}, {"blocks_kept", 2}, {"offload_efficiency_ci.", 3}, {"disturbance.", 3}};

static int schema_of(const json_t *head)
{
    const char *schema = json_string_value(json_object_get(head, "schema"));
    return schema && strncmp(schema, "2.", 2) == 0 ? atoi(schema + 2) : 0;
}

static bool is_ours(const json_t *head)
{
    const char *version = json_string_value(json_object_get(head, "ovl_version"));
    return version && strcmp(version, OVL_VERSION) == 0;
}

static void missing(struct ovl_checking *c, const char *path)
{
    ovl_checking_problem(c, "/%s: is missing, and this version tells it", path);
}

void ovl_checking_told_head(struct ovl_checking *c, const json_t *head)
{
    const json_t *hosts = json_object_get(head, "hosts");
    if (!is_ours(head))
        return;
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        if (schema_of(head) >= of_run[i].since && !ovl_field_at(head, of_run[i].path))
            missing(c, of_run[i].path);
    if (json_integer_value(json_object_get(head, "workers")) > 0 && !json_object_get(head, "offload"))
        missing(c, "offload");
    for (size_t k = 0; k < json_array_size(hosts); k++)
        for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++)
            if (!json_object_get(json_array_get(hosts, k), of_host[i].path))
                missing(c, of_host[i].path);
}

static bool came_with(const char *path, int schema)
{
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strncmp(later[i].path, path, strlen(later[i].path)) == 0)
            return schema >= later[i].since;
    return true;
}

/* All that a cell of any program has a member for, and how late ranks began where they had a common start. */
void ovl_checking_told_cell(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    static const char *const late[] = {"samples.comm_late_seconds", "samples.compute_late_seconds",
                                       "samples.total_late_seconds"};
    const json_t *synchronised = ovl_field_at(head, "clock.synchronised");
    if (!is_ours(head))
        return;
    for (size_t i = 0; ovl_field_row(i); i++) {
        const struct ovl_field *f = ovl_field_row(i);
        if (f->line & OVL_LINE_CELL && f->size > 0 && f->of == OVL_OF_ALL && came_with(f->path, schema_of(head)) &&
            !strchr(f->path, '[') && !ovl_field_at(line, f->path))
            missing(c, f->path);
    }
    if (came_with("marks[]", schema_of(head)) && !json_object_get(line, "marks"))
        missing(c, "marks");
    for (size_t i = 0; i < sizeof late / sizeof *late && cell->samples.blocks > 0; i++)
        if (json_is_true(synchronised) && !ovl_field_at(line, late[i]))
            missing(c, late[i]);
}
