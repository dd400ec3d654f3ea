/* Launchers of attempts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/launcher/started_by.h"

#include <string.h>

static const char *word(const json_t *words, size_t i)
{
    const char *text = json_string_value(json_array_get(words, i));
    return text ? text : "";
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Where the number of processes stands. */
static size_t counted(const json_t *words)
{
    size_t i = 1;
    while (i < json_array_size(words) && strcmp(word(words, i), "-n") != 0 && strcmp(word(words, i), "-np") != 0)
        i++;
    return i;
}

/* One that exports variables to other nodes, or sets them. */
static bool passes_on(const json_t *words, size_t *i)
{
    const char *text = word(words, *i);
    if (strcmp(text, "-x") == 0 || strcmp(text, "--env") == 0)
        ++*i;
    return text[0] == '-' ? strcmp(text, "--") == 0 || strcmp(text, "-x") == 0 || strcmp(text, "--env") == 0
                          : strchr(text, '=') != NULL;
}

static bool by_program(const json_t *launcher, const json_t *words)
{
    const char *program = json_string_value(json_object_get(launcher, "program"));
    const char *kind = json_string_value(json_object_get(launcher, "kind"));
    if (program)
        return strcmp(word(words, 0), program) == 0;
    return !kind || strcmp(kind, "mpiexec") == 0 || strcmp(last_of(word(words, 0)), kind) == 0;
}

/* The judge's mpiexec may be of another family, which names hosts by another option. */
static bool same(const char *is, const char *wanted)
{
    return strcmp(strcmp(is, "--host") == 0 ? "-hosts" : is, strcmp(wanted, "--host") == 0 ? "-hosts" : wanted) == 0;
}

bool ovl_started_by_plan(const struct ovl_plan *p, const char *job, const json_t *words)
{
    const struct ovl_launch l = {.job = ovl_plan_job(p, job)};
    json_t *wanted = ovl_launch_launcher(p, &l);
    size_t i = counted(words), k = counted(wanted);
    bool good = !words || by_program(ovl_plan_said(p, l.job, "launcher"), words);
    for (; words && good && k < json_array_size(wanted) && i < json_array_size(words); k++, i++)
        if (!same(word(words, i), word(wanted, k)))
            break;
    for (; words && good && k < json_array_size(wanted); k++) /* more than it was started with */
        good = passes_on(wanted, &k);
    for (; words && good && i < json_array_size(words); i++)
        good = passes_on(words, &i);
    json_decref(wanted);
    return good;
}
