/* What differs in where launches were measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/setting.h"
#include "base/name.h"
#include "tool/facet.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };

/* Things that are told and do not stop a comparison begin with this. */
static const char told_only[] = "note: ";

static void count(json_t *setting, const char *name, const char *text)
{
    json_t *values = json_object_get(setting, name), *n;
    if (!values) {
        values = json_object();
        json_object_set_new(setting, name, values);
    }
    n = json_object_get(values, text);
    json_object_set_new(values, text, json_integer(json_integer_value(n) + 1));
}

static const char *text_in(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "?";
}

/* "AMD EPYC, 2 cores; ..." once for all hosts that are alike. */
static void count_hosts(json_t *setting, const json_t *head)
{
    char cpus[TEXT] = "", kernels[TEXT] = "", governors[TEXT] = "", names[TEXT] = "", one[256];
    const json_t *hosts = json_object_get(head, "hosts");
    struct {
        char *all;
        const char *field;
    } parts[] = {{cpus, "cpu"}, {kernels, "kernel"}, {governors, "governor"}, {names, "name"}};
    for (size_t h = 0; h < json_array_size(hosts); h++) {
        const json_t *host = json_array_get(hosts, h);
        for (size_t i = 0; i < 4; i++) {
            snprintf(one, sizeof one, "%.200s", text_in(host, parts[i].field));
            if (i == 0) {
                size_t n = strlen(one);
                snprintf(one + n, sizeof one - n, ", %d cores",
                         (int)json_integer_value(json_object_get(host, "cores")));
            }
            size_t n = strlen(parts[i].all);
            if (!strstr(parts[i].all, one))
                snprintf(parts[i].all + n, TEXT - n, "%s%s", n ? "; " : "", one);
        }
    }
    count(setting, "processor", cpus);
    count(setting, "kernel", kernels);
    count(setting, "frequency governor", governors);
    count(setting, "note: hosts", names);
}

static void count_binding(json_t *setting, const json_t *head)
{
    char all[TEXT] = "";
    const json_t *binding = json_object_get(head, "binding");
    for (size_t r = 0; r < json_array_size(binding); r++) {
        const char *text = json_string_value(json_array_get(binding, r));
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? " " : "", text ? text : "?");
    }
    count(setting, "binding", all);
}

static void count_options(json_t *setting, json_t *head)
{
    static const char *const steering[] = {"iterations", "warmup", "ci", "max_time"};
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++) {
        char name[64];
        char *text = json_dumps(json_object_get(json_object_get(head, "options"), steering[i]),
                                JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
        snprintf(name, sizeof name, "note: option %s", steering[i]);
        count(setting, name, text ? text : "not told");
        free(text);
    }
}

static void count_run(json_t *setting, const struct ovl_run *run)
{
    char library[256], version[256];
    const char *name;
    json_t *value;
    ovl_name_shorten(library, sizeof library, text_in(json_object_get(run->head, "mpi"), "library"));
    count(setting, "MPI library", library);
    count(setting, "thread level", text_in(json_object_get(run->head, "mpi"), "thread_level"));
    count_hosts(setting, run->head);
    count_binding(setting, run->head);
    json_object_foreach(json_object_get(run->head, "environment"), name, value) {
        if (!ovl_environment_per_job(name) && json_is_string(value))
            count(setting, name, json_string_value(value));
    }
    snprintf(version, sizeof version, "%.100s (%.100s)", ovl_run_text(run, "ovl_version"), ovl_run_text(run, "git"));
    count(setting, "note: ovl", version);
    count_options(setting, run->head);
}

/* A variable that some launches lack has another value there. */
static void count_unset(json_t *setting, size_t runs)
{
    const char *name;
    json_t *values, *n;
    json_object_foreach(setting, name, values) {
        const char *text;
        json_int_t have = 0;
        json_object_foreach(values, text, n) {
            have += json_integer_value(n);
        }
        if (have < (json_int_t)runs)
            json_object_set_new(values, "not set", json_integer((json_int_t)runs - have));
    }
}

json_t *ovl_setting_of(const struct ovl_record *record)
{
    json_t *setting = json_object();
    for (size_t r = 0; setting && r < record->run_count; r++)
        count_run(setting, &record->runs[r]);
    if (setting)
        count_unset(setting, record->run_count);
    return setting;
}

/* "a", or "a (3 launches), b (5)". */
static void print_values(FILE *out, json_t *values)
{
    const char *text;
    json_t *n;
    size_t told = 0;
    if (json_object_size(values) == 0)
        fputs("not set", out);
    json_object_foreach(values, text, n) {
        fprintf(out, "%s%s", told++ ? ", " : "", *text ? text : "none");
        if (json_object_size(values) > 1)
            fprintf(out, " (%lld launches)", (long long)json_integer_value(n));
    }
}

static bool same_texts(json_t *a, json_t *b)
{
    const char *text;
    json_t *n;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach(a, text, n) {
        if (!json_object_get(b, text))
            return false;
    }
    return true;
}

static size_t print_if_differs(FILE *out, const char *name, json_t *old, json_t *new)
{
    bool note = strncmp(name, told_only, strlen(told_only)) == 0;
    if (same_texts(old, new) && json_object_size(old) == 1)
        return 0;
    fprintf(out, "# %s  %s: ", note ? "note   " : "differs", note ? name + strlen(told_only) : name);
    print_values(out, old);
    if (same_texts(old, new)) {
        fputs(", on both sides\n", out);
        return 0;
    }
    fputs(" -> ", out);
    print_values(out, new);
    fputs("\n", out);
    return !note;
}

size_t ovl_setting_differences(FILE *out, json_t *old, json_t *new)
{
    const char *name;
    json_t *values;
    size_t n = 0;
    json_object_foreach(old, name, values) {
        n += print_if_differs(out, name, values, json_object_get(new, name));
    }
    json_object_foreach(new, name, values) {
        if (!json_object_get(old, name))
            n += print_if_differs(out, name, NULL, values);
    }
    return n;
}
