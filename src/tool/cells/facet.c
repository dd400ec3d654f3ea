/* The facets, from the table of fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/facet.h"
#include "base/name.h"
#include "base/utf8.h"
#include "tool/cells/point.h"
#include "tool/util/json_file.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_field environment = {
    .line = OVL_LINE_RUN, .path = "environment.*", .name = "environment", .axis = OVL_AXIS_VARIANT, .phrase = "%s"};

static const struct ovl_field others = {
    .line = OVL_LINE_CELL, .path = "problem", .name = "problem", .axis = OVL_AXIS_PANEL, .phrase = "%s"};

const struct ovl_field *ovl_facet(size_t i)
{
    const struct ovl_field *const tables[] = {ovl_fields_run, ovl_fields_point};
    size_t seen = 0;
    for (size_t t = 0; t < 2; t++)
        for (const struct ovl_field *f = tables[t]; f->path; f++)
            if (f->axis != OVL_AXIS_NONE && seen++ == i)
                return f;
    return i == seen ? &environment : i == seen + 1 ? &others : NULL;
}

/* Does it name a host of the run as the record does, or without a domain? */
static bool names_host(const struct ovl_run *run, const json_t *value)
{
    const json_t *hosts = json_object_get(run->head, "hosts");
    const char *text = json_string_value(value) ? json_string_value(value) : "";
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(hosts, i), "name"));
        size_t n = name ? strcspn(name, ".") : 0;
        if (name && (strcmp(name, text) == 0 || (strlen(text) == n && strncmp(name, text, n) == 0)))
            return true;
    }
    return json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER") != NULL;
}

static bool chooses_network(const char *name)
{
    return strstr(name, "_INTERFACE_HOSTNAME");
}

char *ovl_environment_text(const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    unsigned char a[16];
    if (text && chooses_network(name) && inet_pton(AF_INET, text, a) == 1)
        return ovl_text("%d.%d.%d.*", a[0], a[1], a[2]);
    if (text && chooses_network(name) && inet_pton(AF_INET6, text, a) == 1)
        return ovl_text("%x:%x:%x:%x:*", a[0] << 8 | a[1], a[2] << 8 | a[3], a[4] << 8 | a[5], a[6] << 8 | a[7]);
    if (text && chooses_network(name) && strchr(text, '.'))
        return ovl_text("*%s", strchr(text, '.'));
    return text ? ovl_text("%s", text) : NULL;
}

bool ovl_environment_per_job(const struct ovl_run *run, const char *name, const json_t *value)
{
    if (chooses_network(name))
        return names_host(run, value);
    return ovl_name_of_launcher(name) || strcmp(name, "OVL_CLUSTER") == 0 || strcmp(name, "OVL_NONCE") == 0;
}

bool ovl_environment_tunes(const struct ovl_run *run, const char *name, const json_t *value)
{
    static const char *const prefixes[] = {"UCX_", "MPICH_", "MPIR_CVAR_", "OMPI_MCA_"};
    const char *text = json_string_value(value);
    bool tunes = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        tunes |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    bool own = strcmp(name, "UCX_TLS") == 0 && text && strcmp(text, "tcp,self") == 0 &&
               json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER");
    return tunes && !own && strcmp(name, "UCX_LOG_LEVEL") != 0 &&
           strcmp(name, "OMPI_MCA_rmaps_base_oversubscribe") != 0 && !ovl_environment_per_job(run, name, value);
}

/* Counts under each name of an object how many of the runs have the value that was seen first. */
static void count_values(json_t *seen, const json_t *values)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)values, name, value) {
        json_t *first = json_object_get(seen, name);
        if (!first)
            json_object_set_new(seen, name, json_pack("{s:O, s:i}", "value", value, "runs", 1));
        else if (ovl_json_same(json_object_get(first, "value"), value))
            json_object_set_new(first, "runs", json_integer(json_integer_value(json_object_get(first, "runs")) + 1));
    }
}

json_t *ovl_facet_differing(const struct ovl_record *all, const char *benchmark, const char *object)
{
    json_t *seen = json_object(), *value;
    const char *name;
    void *next;
    json_int_t runs = 0;
    for (size_t r = 0; r < all->run_count; r++)
        if (!benchmark || strcmp(ovl_run_text(&all->runs[r], "benchmark"), benchmark) == 0) {
            count_values(seen, json_object_get(all->runs[r].head, object));
            runs++;
        }
    json_object_foreach_safe(seen, next, name, value)
    {
        if (json_integer_value(json_object_get(value, "runs")) == runs)
            json_object_del(seen, name);
    }
    return seen;
}

/* Variables in which runs differ. */
static void put_environment(char text[OVL_FACET_TEXT], const json_t *differing, const struct ovl_run *run)
{
    const char *name;
    json_t *value;
    size_t n = 0;
    json_object_foreach(json_object_get(run->head, "environment"), name, value) {
        bool skip = ovl_environment_per_job(run, name, value) || !json_object_get(differing, name);
        char *said = skip ? NULL : ovl_environment_text(name, value);
        if (said && n + 1 < OVL_FACET_TEXT)
            n += ovl_utf8_print(text + n, OVL_FACET_TEXT - n, "%s%s=%s", n ? ", " : "", name, said);
        free(said);
    }
}

void ovl_facet_text(char text[OVL_FACET_TEXT], const struct ovl_field *facet, const json_t *differing,
                    const struct ovl_run *run, const struct ovl_cell *cell)
{
    char value[OVL_FIELD_TEXT_ROOM];
    text[0] = '\0';
    if (facet->axis == OVL_AXIS_OFFLOAD && strcmp(cell->mode, "dpu") != 0)
        return;
    if (facet == &environment) {
        put_environment(text, differing, run);
        return;
    }
    if (facet == &others) {
        ovl_point_unknown(text, OVL_FACET_TEXT, cell);
        return;
    }
    ovl_field_text(value, facet, run, cell);
    bool usual = facet->usual && strcmp(value, facet->usual) == 0;
    if (*value && !(usual && (facet->axis != OVL_AXIS_PANEL || strcmp(value, "none") == 0)))
        ovl_field_say(text, OVL_FACET_TEXT, facet, value);
}
