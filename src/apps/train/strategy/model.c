/* Reading stops at the first fault, which names the file, the layer and the member. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/model.h"
#include "base/input_file.h"
#include "base/path.h"
#include "base/printable.h"
#include "cli/presets/model_text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS_MOST = 100000, SKIPS_MOST = 1000, DEPTH_MOST = 8, PLACE = 256 };

struct reader {
    struct ovl_model *m;
    const char *path;
    size_t layer_room, tensor_room;
    struct named { /* layers, and groups that have ended, each with its last layer */
        const char *name;
        int layer;
    } * named;
    size_t named_count, named_room;
    bool block; /* of the layers that are read now */
    struct ovl_error *err;
};

static int fault(const struct reader *r, const char *place, const char *name, const char *wanted)
{
    return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: %s%s%s: give %s", r->path, place, *place && *name ? "." : "",
                         name, wanted);
}

/* A number from 0 to 2^53; where it is not there, `usual`, if that is one. */
static int number(const struct reader *r, const json_t *o, const char *place, const char *name, double usual,
                  double *out)
{
    const json_t *v = json_object_get(o, name);
    *out = v ? json_number_value(v) : usual;
    if ((v && !json_is_number(v)) || !(*out >= 0 && *out <= 0x1p53))
        return fault(r, place, name, "a number from 0 to 2^53");
    return 0;
}

static int add_tensor(struct reader *r, const json_t *v, const char *place)
{
    struct ovl_model *m = r->m;
    if (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > (json_int_t)1 << 40)
        return fault(r, place, "tensors", "whole numbers from 1 to 2^40: how many numbers each tensor has");
    if (m->tensor_count == r->tensor_room) {
        r->tensor_room = r->tensor_room ? 2 * r->tensor_room : 512;
        m->tensors = ovl_check_alloc(realloc(m->tensors, r->tensor_room * sizeof *m->tensors));
    }
    m->tensors[m->tensor_count++] = (uint64_t)json_integer_value(v);
    return 0;
}

/* What has just ended has the name that `o` gives it. */
static void name_it(struct reader *r, const json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "name"));
    if (!name)
        return;
    if (r->named_count == r->named_room) {
        r->named_room = r->named_room ? 2 * r->named_room : 256;
        r->named = ovl_check_alloc(realloc(r->named, r->named_room * sizeof *r->named));
    }
    r->named[r->named_count++] = (struct named){name, (int)r->m->layer_count - 1};
}

/* The layer that member `word` of `o` names, the nearest one before; -1 without that member, -2 with a fault. */
static int layer_named(const struct reader *r, const json_t *o, const char *place, const char *word)
{
    const json_t *v = json_object_get(o, word);
    const char *name = json_string_value(v);
    if (!v)
        return -1;
    for (size_t i = r->named_count; i-- > 0 && name;)
        if (strcmp(r->named[i].name, name) == 0)
            return r->named[i].layer;
    fault(r, place, word, "the name of an earlier layer, or of an earlier group");
    return -2;
}

static int add_skip(struct reader *r, int from, const char *place)
{
    struct ovl_model *m = r->m;
    size_t i = 0;
    while (i < m->skip_count && m->skips[i].from != from)
        i++;
    if (i == SKIPS_MOST)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: %s: skips of over %d layers", r->path, place, SKIPS_MOST);
    if (i == m->skip_count)
        m->skips = ovl_check_alloc(realloc(m->skips, ++m->skip_count * sizeof *m->skips));
    m->skips[i] = (struct ovl_skip){from, (int)m->layer_count};
    return 0;
}

/* What a layer, the next one, has of earlier ones. */
static int add_links(struct reader *r, const json_t *o, const char *place)
{
    struct ovl_model *m = r->m;
    int from = layer_named(r, o, place, "skip"), of = layer_named(r, o, place, "tied");
    if (from == -2 || of == -2 || (from >= 0 && add_skip(r, from, place) != 0))
        return -1;
    if (of >= 0 && (m->tied.by > 0 || m->layers[of].tensors == 0))
        return fault(r, place, "tied", "the name of a layer with tensors, in one layer of the model");
    if (of >= 0)
        m->tied = (struct ovl_tie){of, (int)m->layer_count};
    return 0;
}

static int add_layer(struct reader *r, const json_t *o, const char *place)
{
    struct ovl_model *m = r->m;
    struct ovl_layer layer = {.first = m->tensor_count, .unit = m->units, .block = r->block};
    const json_t *tensors = json_object_get(o, "tensors"), *v;
    size_t i;
    if (number(r, o, place, "macs", NAN, &layer.macs) != 0 ||
        number(r, o, place, "activation_bytes", NAN, &layer.activation_bytes) != 0)
        return -1;
    if (!json_is_array(tensors))
        return fault(r, place, "tensors", "a list of whole numbers");
    json_array_foreach(tensors, i, v) {
        if (add_tensor(r, v, place) != 0)
            return -1;
        layer.numbers += (double)json_integer_value(v);
    }
    layer.tensors = m->tensor_count - layer.first;
    if (m->layer_count == LAYERS_MOST)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: %s: over %d layers", r->path, place, LAYERS_MOST);
    if (add_links(r, o, place) != 0)
        return -1;
    bool tied = m->tied.by > 0 && m->tied.by == (int)m->layer_count;
    layer.weights = layer.tensors > 0 || tied ? layer.macs : 0;
    if (m->layer_count == r->layer_room) {
        r->layer_room = r->layer_room ? 2 * r->layer_room : 256;
        m->layers = ovl_check_alloc(realloc(m->layers, r->layer_room * sizeof *m->layers));
    }
    m->layers[m->layer_count++] = layer;
    m->numbers += layer.numbers;
    m->macs += layer.macs;
    m->weights += layer.weights;
    return 0;
}

/* A list of layers, and of groups of them, which may be repeated. */
static int add_layers(struct reader *r, const json_t *list, const char *inside, int depth)
{
    const json_t *o;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return fault(r, inside, "layers", "a list of layers");
    if (depth == DEPTH_MOST)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: %s: groups of layers stand over %d deep in each other",
                             r->path, inside, DEPTH_MOST);
    json_array_foreach(list, i, o) {
        char place[PLACE];
        double repeat;
        snprintf(place, sizeof place, "%.200s%slayers[%zu]", inside, *inside ? "." : "", i);
        if (number(r, o, place, "repeat", 1, &repeat) != 0)
            return -1;
        if (!json_is_object(o) || repeat != floor(repeat) || repeat < 1 || repeat > LAYERS_MOST)
            return fault(r, place, "repeat", "a whole number from 1 to 100000");
        const json_t *inner = json_object_get(o, "layers");
        r->block = depth == 0 ? (int)repeat == r->m->transformer.blocks : r->block;
        for (int k = 0; k < (int)repeat; k++) {
            if ((inner ? add_layers(r, inner, place, depth + 1) : add_layer(r, o, place)) != 0)
                return -1;
            name_it(r, o);
            r->m->units += depth == 0;
        }
    }
    return 0;
}

static int read_transformer(struct reader *r, const json_t *o)
{
    struct ovl_transformer *t = &r->m->transformer;
    const struct {
        const char *name;
        int *to;
        double most;
    } parts[] = {{"blocks", &t->blocks, LAYERS_MOST},
                 {"hidden", &t->hidden, 1e6},
                 {"sequence", &t->sequence, 1e6},
                 {"heads", &t->heads, 1e6}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && o; i++) {
        double value;
        if (number(r, o, "transformer", parts[i].name, NAN, &value) != 0)
            return -1;
        if (value != floor(value) || value < 1 || value > parts[i].most)
            return fault(r, "transformer", parts[i].name,
                         i == 0 ? "a whole number from 1 to 100000" : "a whole number from 1 to 1000000");
        *parts[i].to = (int)value;
    }
    return 0;
}

/* One name for all numbers, or a name for each kind. */
static int read_types(struct reader *r, const json_t *o)
{
    static const char *const names[OVL_NUMBERS_OF] = {
        [OVL_OF_GRADIENTS] = "gradients", [OVL_OF_PARAMETERS] = "parameters", [OVL_OF_ACTIVATIONS] = "activations"};
    for (int k = 0; k < OVL_NUMBERS_OF; k++) {
        const char *name = json_string_value(json_is_object(o) ? json_object_get(o, names[k]) : o);
        r->m->types.of[k] = name ? ovl_number_find(name, strlen(name)) : NULL;
        if (!r->m->types.of[k])
            return fault(r, json_is_object(o) ? "dtype" : "", json_is_object(o) ? names[k] : "dtype",
                         "\"f32\", \"bf16\", \"f16\", \"f8\" or \"i8\"");
    }
    return 0;
}

static int read_model(struct reader *r, const json_t *o)
{
    struct ovl_model *m = r->m;
    const char *schema = json_string_value(json_object_get(o, "schema"));
    const char *name = json_string_value(json_object_get(o, "name"));
    if (!schema || strcmp(schema, "ovl-model-1") != 0)
        return fault(r, "", "schema", "\"ovl-model-1\": only such files are models");
    if (!name || !*name || strlen(name) >= sizeof m->name)
        return fault(r, "", "name", "a name of 63 letters at most");
    strcpy(m->name, name);
    if (read_types(r, json_object_get(o, "dtype")) != 0 || number(r, o, "", "sample_bytes", 0, &m->sample_bytes) != 0 ||
        read_transformer(r, json_object_get(o, "transformer")) != 0 ||
        add_layers(r, json_object_get(o, "layers"), "", 0) != 0)
        return -1;
    return m->tensor_count > 0 && m->macs > 0 ? 0 : fault(r, "", "layers", "tensors and macs to some of them");
}

int ovl_model_load(struct ovl_model *m, const char *name, struct ovl_error *err)
{
    struct ovl_path path;
    json_error_t error;
    *m = (struct ovl_model){.units = 0};
    char *text = ovl_model_text("models", name, &path, err);
    if (!text)
        return -1;
    ovl_input_keep("model", text);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!o)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: line %d, column %d: %s", path.text, error.line, error.column,
                             error.text);
    struct reader r = {.m = m, .path = path.text, .err = err};
    ovl_printable(o);
    int rc = read_model(&r, o);
    free(r.named);
    json_decref(o);
    if (rc != 0)
        ovl_model_free(m);
    return rc;
}

void ovl_model_retype(struct ovl_model *m, const struct ovl_number_types *types)
{
    double times = (double)types->of[OVL_OF_ACTIVATIONS]->bytes / ovl_model_element(m, OVL_OF_ACTIVATIONS);
    for (size_t l = 0; l < m->layer_count; l++)
        m->layers[l].activation_bytes *= times;
    m->types = *types;
}

void ovl_model_free(struct ovl_model *m)
{
    free(m->layers);
    free(m->tensors);
    free(m->skips);
    *m = (struct ovl_model){.units = 0};
}
