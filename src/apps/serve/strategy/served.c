/* Reading stops at the first fault, which names the file and the member. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/served.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "cli/moe/options.h"
#include "cli/presets/model_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "ovl-served-model-1";

struct reader {
    const json_t *o;
    const char *path;
    struct ovl_error *err;
};

static int number(const struct reader *r, const char *name, double least, double most, double *out)
{
    const json_t *v = json_object_get(r->o, name);
    *out = json_number_value(v);
    if (!json_is_integer(v) || !(*out >= least && *out <= most))
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: %s: give a whole number from %.0f to %.0f", r->path, name,
                             least, most);
    return 0;
}

static int whole(const struct reader *r, const char *name, int least, int *out)
{
    double x;
    if (number(r, name, least, 1 << 24, &x) != 0)
        return -1;
    *out = (int)x;
    return 0;
}

/* "mixture", which may be left out. */
static int read_mixture(const struct reader *r, struct ovl_served *m)
{
    struct ovl_served_mixture *x = &m->mixture;
    const struct reader own = {json_object_get(r->o, "mixture"), r->path, r->err};
    if (!own.o)
        return 0;
    if (!json_is_object(own.o))
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: mixture: give an object", r->path);
    if (whole(&own, "experts", 1, &x->experts) != 0 || whole(&own, "top", 1, &x->top) != 0 ||
        whole(&own, "shared", 0, &x->shared) != 0 || whole(&own, "dense_blocks", 0, &x->dense_blocks) != 0 ||
        number(&own, "expert", 1, 1e12, &x->expert) != 0 || number(&own, "dense", 0, 1e12, &x->dense) != 0)
        return -1;
    if (x->experts > OVL_MOE_EXPERTS_MOST || x->top > x->experts || x->top > OVL_MOE_TOP_MOST)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: experts, top: give %d at most, and no more than these or %d",
                             r->path, OVL_MOE_EXPERTS_MOST, OVL_MOE_TOP_MOST);
    return x->dense_blocks < m->blocks
               ? 0
               : ovl_error_set(r->err, OVL_WRONG_DATA, "%s: dense_blocks: give less than the %d blocks", r->path,
                               m->blocks);
}

static int read_all(const struct reader *r, struct ovl_served *m)
{
    const char *name = json_string_value(json_object_get(r->o, "name"));
    const char *is = json_string_value(json_object_get(r->o, "schema"));
    const json_t *tied = json_object_get(r->o, "tied");
    if (!is || strcmp(is, schema) != 0)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: schema: give \"%s\"", r->path, schema);
    if (!name || !*name || strlen(name) >= sizeof m->name)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: name: give 1 to %zu letters", r->path, sizeof m->name - 1);
    if (!json_is_boolean(tied))
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: tied: give true or false", r->path);
    strcpy(m->name, name);
    m->tied = json_is_true(tied);
    if (whole(r, "blocks", 1, &m->blocks) != 0 || whole(r, "hidden", 1, &m->hidden) != 0 ||
        whole(r, "heads", 1, &m->heads) != 0 || whole(r, "kv_heads", 1, &m->kv_heads) != 0 ||
        whole(r, "head", 1, &m->head) != 0 || whole(r, "latent", 0, &m->latent) != 0 ||
        whole(r, "vocabulary", 1, &m->vocabulary) != 0)
        return -1;
    if (json_object_get(r->o, "rotary") && (whole(r, "rotary", 0, &m->rotary) != 0))
        return -1;
    if (m->rotary > m->latent)
        return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: rotary: give no more than the %d of latent", r->path,
                             m->latent);
    double words = (m->tied ? 1.0 : 2.0) * m->vocabulary * m->hidden;
    return number(r, "attention", 1, 1e12, &m->attention) != 0 ||
                   number(r, "active", words + m->attention * m->blocks, 1e15, &m->active) != 0 ||
                   number(r, "parameters", m->active, 1e15, &m->parameters) != 0 || read_mixture(r, m) != 0
               ? -1
               : 0;
}

int ovl_served_parse(struct ovl_served *m, const char *text, const char *path, struct ovl_error *err)
{
    json_error_t error;
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    *m = (struct ovl_served){.blocks = 0};
    if (!o)
        return ovl_error_set(err, OVL_WRONG_DATA, "%s: line %d, column %d: %s", path, error.line, error.column,
                             error.text);
    struct reader r = {.o = o, .path = path, .err = err};
    ovl_printable(o);
    int rc = read_all(&r, m);
    json_decref(o);
    return rc;
}

int ovl_served_load(struct ovl_served *m, const char *name, struct ovl_error *err)
{
    struct ovl_path path;
    char *text = ovl_model_text(OVL_MODELS_SERVED, name, &path, err);
    if (!text)
        return -1;
    ovl_input_keep("model", text);
    int rc = ovl_served_parse(m, text, path.text, err);
    free(text);
    return rc;
}

double ovl_served_kept(const struct ovl_served *m)
{
    return m->latent ? (double)m->blocks * m->latent : 2.0 * m->blocks * m->kv_heads * m->head;
}

double ovl_served_kept_shared(const struct ovl_served *m, int ranks)
{
    int heads = (m->kv_heads + ranks - 1) / ranks;
    return m->latent ? ovl_served_kept(m) : 2.0 * m->blocks * heads * m->head;
}

double ovl_served_attention_macs(const struct ovl_served *m)
{
    return m->attention;
}

double ovl_served_head_macs(const struct ovl_served *m)
{
    return (double)m->vocabulary * m->hidden;
}

double ovl_served_own_macs(const struct ovl_served *m, int block)
{
    const struct ovl_served_mixture *x = &m->mixture;
    double words = (m->tied ? 1.0 : 2.0) * m->vocabulary * m->hidden;
    return x->experts == 0           ? (m->active - words) / m->blocks - m->attention
           : block < x->dense_blocks ? x->dense
                                     : (double)m->hidden * x->experts + x->shared * x->expert;
}

/* With a key and with a value. What is latent is both, but for the numbers of its place, which are of the key alone. */
double ovl_served_look_macs(const struct ovl_served *m, bool reads)
{
    double width = reads || !m->latent ? 2.0 * m->head + m->rotary : 2.0 * m->latent - m->rotary;
    return m->heads * width;
}

int ovl_served_check_ranks(const struct ovl_served *m, int ranks, struct ovl_error *err)
{
    int less = ranks < m->heads ? ranks : m->heads;
    while (m->heads % less)
        less--;
    return less == ranks ? 0
                         : ovl_error_set(err, OVL_USAGE,
                                         "--strategy tp: the %d heads of %s do not divide by %d; give %d ranks, or "
                                         "--strategy pd",
                                         m->heads, m->name, ranks, less);
}
