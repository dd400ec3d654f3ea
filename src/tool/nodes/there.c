/* Which launches left a record that is there; and the end of what was made of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "tool/cells/apart.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/point.h"
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

json_t *ovl_nodes_kinds(const struct ovl_plan *plan)
{
    json_t *kinds = json_object(), *seen = json_object(), *job;
    size_t i;
    json_array_foreach(json_object_get(plan->json, "jobs"), i, job) {
        json_t *bare = json_copy(job);
        json_object_del(bare, "name");
        json_object_del(bare, "hosts");
        char *text = json_dumps(bare, JSON_COMPACT | JSON_SORT_KEYS);
        if (!json_object_get(seen, text))
            json_object_set_new(seen, text, json_integer((json_int_t)json_object_size(seen)));
        json_object_set(kinds, json_string_value(json_object_get(job, "name")), json_object_get(seen, text));
        json_decref(bare);
        free(text);
    }
    json_decref(seen);
    return kinds;
}

char *ovl_nodes_key(const struct ovl_member *m, const json_t *kinds)
{
    char *point = ovl_point_key(m->run, m->cell, NULL),
         *key = ovl_text("%s\t%lld", point, (long long)json_integer_value(json_object_get(kinds, m->job)));
    free(point);
    return key;
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
