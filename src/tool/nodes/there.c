/* Which launches left a record that is there; and the end of what was made of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "tool/cells/apart.h"
#include "tool/cells/inputs.h"
#include "tool/nodes/nodes.h"

#include <stdlib.h>
#include <string.h>

json_t *ovl_nodes_there(const struct ovl_record *record)
{
    json_t *there = json_object();
    for (size_t r = 0; r < record->run_count; r++) {
        const char *file = record->runs[r].file, *slash = strrchr(file, '/');
        char job[OVL_MEMBER_JOB];
        if (ovl_inputs_partial(file))
            continue;
        ovl_apart_job(job, file);
        json_object_set_new_nocheck(there, ovl_path("%s %ld", job, slash ? strtol(slash + 1, NULL, 10) : 0).text,
                                    json_true());
    }
    return there;
}

bool ovl_nodes_is_there(const json_t *there, const char *job, size_t number)
{
    return json_object_get(there, ovl_path("%s %zu", job, number).text) != NULL;
}

void ovl_nodes_count_launches(struct ovl_nodes *n, const struct ovl_record *record, const json_t *of)
{
    n->files = json_object();
    for (size_t r = 0; r < record->run_count; r++) {
        const char *file = record->runs[r].file;
        char job[OVL_MEMBER_JOB];
        ovl_apart_job(job, file);
        const json_t *at = json_object_get(of, job);
        if (ovl_inputs_partial(file))
            continue;
        if (at)
            n->place[json_integer_value(at)].launches++;
        if (r == 0 || strcmp(file, record->runs[r - 1].file) != 0)
            json_object_set_new_nocheck(n->files, job,
                                        json_integer(json_integer_value(json_object_get(n->files, job)) + 1));
    }
}

void ovl_nodes_free(struct ovl_nodes *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->name[i]);
    for (size_t i = 0; i < n->places; i++)
        free(n->place[i].name);
    for (size_t i = 0; i < n->cells; i++)
        free(n->cell[i]);
    free(n->name);
    free(n->place);
    free(n->cell);
    free(n->good);
    json_decref(n->files);
    *n = (struct ovl_nodes){.count = 0};
}
