/* Signals to the steps of Slurm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/slurm_step.h"
#include "tool/util/ask.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 10 };

static void cancel(const char *step, const char *signal)
{
    char option[32], answer[8];
    snprintf(option, sizeof option, "--signal=%s", signal ? signal : "KILL");
    ovl_ask((const char *const[]){"scancel", option, step, NULL}, PATIENCE_SECONDS, answer, sizeof answer);
}

int ovl_slurm_step_signal(const char *name, const char *signal)
{
    char user[32], answer[1 << 16], *rest = answer, *line;
    int found = 0;
    snprintf(user, sizeof user, "--user=%ld", (long)getuid());
    const char *const argv[] = {"squeue", "--noheader", "--steps", user, "--format=%i %j", NULL};
    if (ovl_ask(argv, PATIENCE_SECONDS, answer, sizeof answer) != 0)
        return 0;
    while ((line = strsep(&rest, "\n"))) {
        size_t id = strcspn(line, " ");
        if (line[id] != ' ' || strcmp(line + id + 1, name) != 0)
            continue;
        line[id] = '\0';
        cancel(line, signal);
        found++;
    }
    return found;
}
