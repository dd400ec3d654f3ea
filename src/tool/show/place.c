/* Machines and libraries of runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/show/place.h"
#include "base/name.h"
#include "record/field.h"

#include <stdlib.h>
#include <string.h>

static const char hosts[] = "hosts";

static bool is_of_place(const struct ovl_field *f)
{
    static const char *const begins[] = {"hosts[].", "mpi.library", "blas"};
    bool any = false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        any = any || strncmp(f->path, begins[i], strlen(begins[i])) == 0;
    return any && f->part == OVL_PART_SETTING;
}

struct counting {
    json_t *values;
    bool series; /* of kernels: what stands behind it says which patches they have */
};

static void count(void *to, const char *name, const json_t *value)
{
    struct counting *c = to;
    char *text = json_is_string(value) ? ovl_text("%s", json_string_value(value))
                                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
    (void)name;
    if (c->series)
        ovl_name_kernel_series(text);
    json_object_set_new_nocheck(c->values, text,
                                json_integer(1 + json_integer_value(json_object_get(c->values, text))));
    free(text);
}

json_t *ovl_place_of(const struct ovl_run *run)
{
    json_t *place = json_object();
    for (const struct ovl_field *f = ovl_fields_run; f->path; f++) {
        if (!is_of_place(f))
            continue;
        struct counting c = {json_object(), strcmp(f->path, "hosts[].kernel") == 0};
        ovl_field_each(run->head, f, count, &c);
        json_object_set_new(place, f->name, c.values);
    }
    json_object_set_new(place, hosts, json_integer((json_int_t)json_array_size(json_object_get(run->head, hosts))));
    return place;
}

static bool has_all(json_t *values, const json_t *of)
{
    const char *text;
    json_t *times;
    json_object_foreach(values, text, times) {
        if (!json_object_get(of, text))
            return false;
    }
    return true;
}

const char *ovl_place_differs(const json_t *a, const json_t *b)
{
    bool as_many = json_equal(json_object_get(a, hosts), json_object_get(b, hosts));
    for (const struct ovl_field *f = ovl_fields_run; f->path; f++) {
        json_t *x = json_object_get(a, f->name), *y = json_object_get(b, f->name);
        bool lacks = f->later && (json_object_size(x) == 0 || json_object_size(y) == 0);
        if (is_of_place(f) && !lacks && !(as_many ? json_equal(x, y) : has_all(x, y) || has_all(y, x)))
            return f->name;
    }
    return NULL;
}
