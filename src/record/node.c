/* Node lines, by their rows in the table of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/node.h"
#include "record/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pairs[] = "pairs[].";

static bool of_pair(const struct ovl_field *f)
{
    return strncmp(f->path, pairs, strlen(pairs)) == 0;
}

/* The next row of nodes, or of pairs; the first one after NULL. */
static const struct ovl_field *next(const struct ovl_field *f, bool pair)
{
    f = f ? f + 1 : ovl_fields_node;
    while (f->path && of_pair(f) != pair)
        f++;
    return f->path ? f : NULL;
}

static void clear(void *at, bool pair)
{
    for (const struct ovl_field *f = NULL; (f = next(f, pair));)
        ovl_field_clear(f, at);
}

void ovl_node_clear(struct ovl_node *node)
{
    memset(node, 0, sizeof *node);
    clear(node, false);
}

void ovl_node_pair_clear(struct ovl_node_pair *pair)
{
    memset(pair, 0, sizeof *pair);
    clear(pair, true);
}

void ovl_node_free(struct ovl_node *node)
{
    free(node->pairs);
    node->pairs = NULL;
    node->pair_count = 0;
}

static void round_all(void *at, bool pair)
{
    for (const struct ovl_field *f = NULL; (f = next(f, pair));)
        ovl_field_round_member(f, at);
}

void ovl_node_round(struct ovl_node *node)
{
    round_all(node, false);
    for (size_t i = 0; i < node->pair_count; i++)
        round_all(&node->pairs[i], true);
}

static int set_all(json_t *line, const void *from, bool pair)
{
    int rc = 0;
    for (const struct ovl_field *f = NULL; rc == 0 && (f = next(f, pair));)
        rc = ovl_field_put(line, f->path + (pair ? strlen(pairs) : 0), ovl_field_json(f, from));
    return rc;
}

json_t *ovl_node_to_json(const struct ovl_node *node)
{
    json_t *line = json_pack("{s:s, s:s}", "record", "node", "run_id", node->run_id), *list = json_array();
    int rc = set_all(line, node, false);
    for (size_t i = 0; i < node->pair_count && rc == 0; i++) {
        json_t *pair = json_object();
        rc = set_all(pair, &node->pairs[i], true);
        json_array_append_new(list, pair);
    }
    if (json_object_set_new(line, "pairs", list) != 0 || rc != 0) {
        json_decref(line);
        return NULL;
    }
    return line;
}

static int take(const struct ovl_field *f, const char *path, const json_t *line, void *to, struct ovl_error *err)
{
    const json_t *value = ovl_field_at(line, path);
    void *member = (char *)to + f->offset;
    if (!value || json_is_null(value))
        return 0;
    if (f->kind == OVL_FIELD_TEXT && json_is_string(value))
        snprintf(member, f->size, "%s", json_string_value(value));
    else if (f->kind == OVL_FIELD_TRUTH && json_is_boolean(value))
        *(int *)member = json_is_true(value);
    else if ((f->kind == OVL_FIELD_NUMBER || f->kind == OVL_FIELD_WHOLE) && json_is_number(value))
        *(double *)member = json_number_value(value);
    else
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: a value of another kind is wanted here", f->path);
    return 0;
}

static int take_all(const json_t *line, void *to, bool pair, struct ovl_error *err)
{
    for (const struct ovl_field *f = NULL; (f = next(f, pair));)
        if (take(f, f->path + (pair ? strlen(pairs) : 0), line, to, err) != 0)
            return -1;
    return 0;
}

int ovl_node_from_json(const json_t *line, struct ovl_node *node, struct ovl_error *err)
{
    const json_t *list = json_object_get(line, "pairs");
    const char *run_id = json_string_value(json_object_get(line, "run_id"));
    ovl_node_clear(node);
    snprintf(node->run_id, sizeof node->run_id, "%s", run_id ? run_id : "");
    node->pairs = ovl_alloc(json_array_size(list), sizeof *node->pairs);
    int rc = take_all(line, node, false, err);
    for (; node->pair_count < json_array_size(list) && rc == 0; node->pair_count++) {
        ovl_node_pair_clear(&node->pairs[node->pair_count]);
        rc = take_all(json_array_get(list, node->pair_count), &node->pairs[node->pair_count], true, err);
    }
    if (rc != 0)
        ovl_node_free(node);
    return rc;
}
