/* Finding and reading the files that a command line names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 16 };

static int no_memory(struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the list of files");
}

static int add(struct ovl_inputs *s, const char *path, struct ovl_error *err)
{
    char **larger = realloc(s->path, (s->count + 1) * sizeof *larger);
    if (!larger)
        return no_memory(err);
    s->path = larger;
    s->path[s->count] = strdup(path);
    return s->path[s->count] ? (s->count++, 0) : no_memory(err);
}

static bool is_record(const char *name)
{
    size_t n = strlen(name);
    return n > 6 && strcmp(name + n - 6, ".jsonl") == 0;
}

static int add_folder(struct ovl_inputs *s, const char *folder, int depth, struct ovl_error *err)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort), rc = 0;
    if (n < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat file;
        const char *name = entries[i]->d_name;
        bool fits = (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path;
        if (rc == 0 && name[0] != '.' && fits && stat(path, &file) == 0) {
            if (S_ISDIR(file.st_mode) && depth < DEEPEST)
                rc = add_folder(s, path, depth + 1, err);
            else if (S_ISREG(file.st_mode) && is_record(name))
                rc = add(s, path, err);
        }
        free(entries[i]);
    }
    free(entries);
    return rc;
}

int ovl_inputs_add(struct ovl_inputs *s, const char *path, struct ovl_error *err)
{
    struct stat file;
    size_t before = s->count;
    if (stat(path, &file) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    if (!S_ISDIR(file.st_mode))
        return add(s, path, err);
    if (add_folder(s, path, 0, err) != 0)
        return -1;
    return s->count > before ? 0
                             : ovl_error_set(err, OVL_ENVIRONMENT, "%s: no record file in this folder (*.jsonl)", path);
}

void ovl_inputs_free(struct ovl_inputs *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->path[i]);
    free(s->path);
    *s = (struct ovl_inputs){NULL, 0};
}

static bool read_before(const struct ovl_record *record, size_t run)
{
    for (size_t r = 0; r < run; r++)
        if (strcmp(ovl_run_text(&record->runs[r], "run_id"), ovl_run_text(&record->runs[run], "run_id")) == 0)
            return true;
    return false;
}

static void drop_last(struct ovl_record *record)
{
    struct ovl_record one = {malloc(sizeof *one.runs), 1};
    if (!one.runs)
        return;
    *one.runs = record->runs[--record->run_count];
    ovl_record_free(&one);
}

int ovl_inputs_read(const struct ovl_inputs *s, bool brief, struct ovl_record *record, size_t *copies,
                    struct ovl_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t first = record->run_count, kept = first;
        if ((brief ? ovl_record_read_brief : ovl_record_read)(record, s->path[i], err) != 0)
            return -1;
        for (size_t r = first; r < record->run_count; r++) {
            struct ovl_run run = record->runs[r];
            record->runs[r] = record->runs[kept];
            record->runs[kept] = run;
            if (read_before(record, kept) == false)
                kept++;
        }
        while (record->run_count > kept) {
            drop_last(record);
            ++*copies;
        }
    }
    return 0;
}
