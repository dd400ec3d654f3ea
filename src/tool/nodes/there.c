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

size_t ovl_nodes_files(const struct ovl_record *record, const char *job)
{
    size_t files = 0;
    for (size_t r = 0; r < record->run_count; r++) {
        const char *file = record->runs[r].file;
        char own[OVL_MEMBER_JOB];
        ovl_apart_job(own, file);
        files += strcmp(own, job) == 0 && !ovl_inputs_partial(file) &&
                 !(r > 0 && strcmp(file, record->runs[r - 1].file) == 0);
    }
    return files;
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
    *n = (struct ovl_nodes){.count = 0};
}
