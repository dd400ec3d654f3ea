/* Which node each rank is on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rank_hosts.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct ovl_rank_hosts ovl_rank_hosts_make(const struct ovl_rank_host *told, int ranks)
{
    struct ovl_rank_hosts h = {.ranks = ranks};
    h.node_of = ovl_alloc((size_t)ranks, sizeof *h.node_of);
    h.name = ovl_alloc((size_t)ranks, sizeof *h.name);
    for (int r = 0; r < ranks; r++) {
        if (told[r].leader == r)
            memcpy(h.name[h.nodes], told[r].name, sizeof *h.name);
        h.node_of[r] = told[r].leader == r ? h.nodes++ : h.node_of[told[r].leader];
    }
    return h;
}

void ovl_rank_hosts_free(struct ovl_rank_hosts *hosts)
{
    free(hosts->node_of);
    free(hosts->name);
    memset(hosts, 0, sizeof *hosts);
}

json_t *ovl_rank_hosts_json(const struct ovl_rank_hosts *hosts)
{
    json_t *array = json_array();
    for (int r = 0; r < hosts->ranks; r++)
        json_array_append_new(array, json_integer(hosts->node_of[r]));
    return array;
}

int ovl_rank_machines(const json_t *hosts)
{
    json_t *machines = json_object();
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *machine = json_string_value(json_object_get(json_array_get(hosts, i), "machine"));
        json_object_set_new(machines, machine ? machine : "", json_true());
    }
    int n = (int)json_object_size(machines);
    json_decref(machines);
    return n;
}

json_t *ovl_rank_texts_json(const char *texts, int ranks)
{
    json_t *array = json_array();
    for (int r = 0; r < ranks; r++, texts += strlen(texts) + 1)
        json_array_append_new(array, json_string(texts));
    return array;
}

json_t *ovl_rank_objects_json(const char *texts, int ranks)
{
    json_t *array = json_array();
    for (int r = 0; r < ranks; r++, texts += strlen(texts) + 1)
        if (*texts)
            json_array_append_new(array, json_loads(texts, 0, NULL));
    return array;
}
