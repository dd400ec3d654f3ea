/* Launches that a cell has lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/lost.h"
#include "base/path.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_log(const struct dirent *entry)
{
    size_t digits = strspn(entry->d_name, "0123456789");
    return digits > 0 && strcmp(entry->d_name + digits, ".log") == 0;
}

/* Launches of a sweep's job whose output is in the folder, and whose record is not: they failed before they
   wrote it. What left NNN.partial with something in it is read as a run without an end (cells/inputs.c). */
static size_t without_record(const char *folder, size_t length)
{
    struct dirent **entry;
    struct stat file;
    size_t lost = 0;
    const struct ovl_path in = ovl_path("%.*s", (int)length, folder);
    int n = scandir(in.text, &entry, is_log, NULL);
    for (int i = 0; i < n; i++) {
        size_t digits = strspn(entry[i]->d_name, "0123456789");
        const struct ovl_path record = ovl_path("%s/%.*s.jsonl", in.text, (int)digits, entry[i]->d_name);
        const struct ovl_path partial = ovl_path("%s/%.*s.partial", in.text, (int)digits, entry[i]->d_name);
        lost += access(record.text, F_OK) != 0 && (stat(partial.text, &file) != 0 || file.st_size == 0);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return lost;
}

static size_t folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* The same of all folders that the launches are from: folders with records named by number. */
static size_t never_written(const struct ovl_member *m, size_t n)
{
    size_t lost = 0;
    for (size_t i = 0; i < n; i++) {
        const char *path = m[i].run->file;
        size_t length = folder_of(path), k = 0;
        while (k < i && (folder_of(m[k].run->file) != length || strncmp(m[k].run->file, path, length) != 0))
            k++;
        if (k == i && ovl_launch_number(path) >= 0)
            lost += length > 0 ? without_record(path, length) : without_record(".", 1);
    }
    return lost;
}

bool ovl_compare_lost_many(const struct ovl_groups *groups, const struct ovl_group *group, size_t side,
                           ovl_launch_usable *usable, const void *with)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), kept = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        kept += usable(&m[i], with);
        lost += !usable(&m[i], with) && !ovl_run_unended(m[i].run);
    }
    if (side < groups->record_count) {
        bool *owed = ovl_groups_lost(groups, group, side);
        for (size_t r = 0; r < groups->record[side]->run_count; r++)
            lost += owed[r];
        free(owed);
    }
    return 2 * (lost + never_written(m, n)) > kept;
}

size_t ovl_compare_wrong(const struct ovl_group *group, size_t side)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += m[i].cell->validated == 0;
    return wrong;
}
