/* A folder of a test's own, in `folder`: AROUND(folder_make, folder_remove). */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_FOLDER_H
#define OVL_TESTS_UNIT_FOLDER_H

#include "tests/unit/test.h"
#include "tool/util/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[2048];

static inline void folder_make(void)
{
    ck_assert_int_eq(ovl_scratch_make(folder, "test", &err), 0);
}

static inline void folder_remove(void)
{
    char command[2100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

/* Writes a file in it, and the folders that the file is in. */
static inline void folder_put(const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

#endif
