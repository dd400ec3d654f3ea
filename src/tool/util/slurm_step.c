/* Signals to the steps of Slurm, and the time of its jobs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/slurm_step.h"
#include "tool/util/ask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* "1-02:03:04", "02:03:04" or "03:04". */
static double seconds_of(const char *text)
{
    double days = 0, sum = 0;
    const char *dash = strchr(text, '-');
    if (dash) {
        days = atof(text);
        text = dash + 1;
    }
    for (; *text; text += *text == ':') {
        size_t n = strspn(text, "0123456789");
        if (n == 0 || (text[n] && text[n] != ':'))
            return -1;
        sum = 60 * sum + atof(text);
        text += n;
    }
    return 86400 * days + sum;
}

double ovl_slurm_seconds_left(void)
{
    const char *job = getenv("SLURM_JOB_ID");
    char answer[64];
    const char *const argv[] = {"squeue", "--noheader", "--jobs", job, "--format=%L", NULL};
    if (!job || ovl_ask(argv, PATIENCE_SECONDS, answer, sizeof answer) != 0)
        return -1;
    answer[strcspn(answer, " \n")] = '\0';
    return strcmp(answer, "UNLIMITED") == 0 ? INFINITY : *answer ? seconds_of(answer) : -1;
}
