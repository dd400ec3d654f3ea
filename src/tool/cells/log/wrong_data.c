/* Wrong data of attempts that did not end well. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/log/wrong_data.h"
#include "base/path.h"
#include "tool/util/json_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char digits[] = "0123456789";

bool ovl_wrong_data_hidden(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t number = *name == '.' ? strspn(name + 1, digits) : 0;
    const char *rest = name + 1 + number;
    if (number > 0 && *rest == '-' && strspn(rest + 1, digits) > 0)
        rest += 1 + strspn(rest + 1, digits);
    return number > 0 && strcmp(rest, ".jsonl") == 0;
}

/* The last line may be cut off. */
static bool is_wrong(const json_t *cell, const char *text)
{
    return cell ? json_is_false(json_object_get(cell, "validated")) : strstr(text, "\"validated\":false") != NULL;
}

bool ovl_wrong_data_in(const char *path)
{
    return ovl_json_file_has_line(path, is_wrong);
}

/* "ovl_hpl: wrong data: ...", as rank 0 prints it; a launcher may put words before it. */
static bool is_said(const json_t *line, const char *text)
{
    (void)line;
    for (const char *at = text; (at = strstr(at, "ovl_")); at++) {
        size_t name = strcspn(at, " :");
        if (strncmp(at + name, ": wrong data: ", 14) == 0)
            return true;
    }
    return false;
}

bool ovl_wrong_data_said(const char *path)
{
    return ovl_json_file_has_line(path, is_said);
}

struct attempt {
    bool there, wrong, said;
};

/* A file of the launch's attempt: .partial, .NNN.jsonl (`dot` is ".") or, where it ended well, NNN.jsonl; and .log. */
static struct ovl_path left(const char *folder, const char *job, size_t launch, size_t attempt, const char *dot,
                            const char *end)
{
    char of[32] = "";
    if (attempt > 1)
        snprintf(of, sizeof of, "-%zu", attempt);
    return ovl_path("%s/%s/%s%03zu%s.%s", folder, job, dot, launch, of, end);
}

static struct attempt look(const char *folder, const char *job, size_t launch, size_t n, bool ours)
{
    const struct ovl_path path[] = {left(folder, job, launch, n, "", "partial"),
                                    left(folder, job, launch, n, ".", "jsonl"),
                                    left(folder, job, launch, n, "", "jsonl")},
                          printed = left(folder, job, launch, n, "", "log");
    struct attempt a = {.there = access(printed.text, F_OK) == 0};
    a.said = a.there && ours && ovl_wrong_data_said(printed.text);
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        a.there = a.there || access(path[k].text, F_OK) == 0;
        a.wrong = a.wrong || ovl_wrong_data_in(path[k].text);
    }
    return a;
}

enum { MOST_ATTEMPTS = 10000 }; /* a log may tell of more, and no sweep makes them */

size_t ovl_wrong_data_attempts(const char *folder, const char *job, size_t launch, size_t told, bool ours)
{
    struct attempt a = {0};
    size_t wrong = 0;
    for (size_t n = 1; (n <= told + 1 || a.there) && n <= MOST_ATTEMPTS; n++) {
        a = look(folder, job, launch, n, ours);
        wrong += a.wrong || a.said;
    }
    return wrong;
}

size_t ovl_wrong_data_only_said(const char *folder, const char *job, size_t launch)
{
    bool there = true;
    for (size_t n = 1; there && n <= MOST_ATTEMPTS; n++) {
        const struct ovl_path printed = left(folder, job, launch, n, "", "log");
        there = access(printed.text, F_OK) == 0; /* each attempt has one */
        if (there && ovl_wrong_data_said(printed.text) && !look(folder, job, launch, n, false).wrong)
            return n;
    }
    return 0;
}
