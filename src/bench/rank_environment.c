/* Variables in which ranks differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rank_environment.h"
#include "base/error.h"
#include "base/name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void add_differing(json_t *names, const json_t *a, const json_t *b)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)a, name, value) {
        const json_t *other = json_object_get(b, name);
        if (!ovl_name_of_launcher(name) && !(other && json_equal(value, other)))
            json_object_set_new(names, name, json_true());
    }
}

json_t *ovl_rank_environment_differing(const json_t *mine, const json_t *other)
{
    json_t *names = json_object();
    if (names) {
        add_differing(names, mine, other);
        add_differing(names, other, mine);
    }
    return names;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *sorted(json_t *names)
{
    size_t n = 0;
    const char **list = ovl_alloc(json_object_size(names), sizeof *list), *name;
    json_t *array = json_array(), *value;
    json_object_foreach(names, name, value) {
        list[n++] = name;
    }
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(list[i]));
    free(list);
    return array;
}

json_t *ovl_rank_environment_names(const char *texts, int ranks, int *differ)
{
    json_t *all = json_object();
    *differ = 0;
    for (int r = 0; r < ranks; r++, texts += strlen(texts) + 1) {
        json_t *one = *texts ? json_loads(texts, 0, NULL) : NULL;
        *differ += one != NULL;
        json_object_update(all, one);
        json_decref(one);
    }
    json_t *names = sorted(all);
    json_decref(all);
    return names;
}
