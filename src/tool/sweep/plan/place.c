/* Words for the nodes of a launch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/place.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* "a,b", or with the processes of each, "a:2,b:2". */
static json_t *list_of(const json_t *hosts, json_int_t each)
{
    char *all = ovl_text("%s", "");
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *name = json_string_value(json_array_get(hosts, i)), *gap = i > 0 ? "," : "";
        char *more =
            each > 0 ? ovl_text("%s%s%s:%lld", all, gap, name, (long long)each) : ovl_text("%s%s%s", all, gap, name);
        free(all);
        all = more;
    }
    json_t *text = json_string(all);
    free(all);
    return text;
}

void ovl_place_add_hosts(json_t *words, const char *kind, bool open_mpi, const json_t *job)
{
    const json_t *hosts = json_object_get(job, "hosts");
    json_int_t n = (json_int_t)json_array_size(hosts), ranks = json_integer_value(json_object_get(job, "ranks"));
    if (n == 0)
        return;
    json_int_t each = (ranks + n - 1) / n;
    if (strcmp(kind, "srun") == 0) {
        json_t *list = list_of(hosts, 0);
        json_array_append_new(words, json_sprintf("--nodelist=%s", json_string_value(list)));
        json_decref(list);
    } else if (strcmp(kind, "mpirun_rsh") == 0) { /* a word for each process, in order */
        for (json_int_t i = 0; i < ranks; i++)
            json_array_append(words, json_array_get(hosts, (size_t)(i / each)));
    } else {
        json_array_append_new(words, json_string(open_mpi ? "--host" : "-hosts"));
        json_array_append_new(words, list_of(hosts, each));
    }
}
