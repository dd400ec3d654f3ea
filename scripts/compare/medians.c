/* Medians with their intervals, for the scripts that compare: no script has a statistic of its own.
 *
 *   medians <LINES     of lines "LABEL VALUE", for each label, in the order in which they come first, a line
 *                      LABEL MEDIAN LOW HIGH N
 *
 * LOW and HIGH are the 95 % interval of stats/stats.h, and - below 6 values, which have none. Exit code 4 for a line
 * that is none of these. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 64, LINE = 256 };

struct sample {
    char label[LABEL];
    double *value;
    size_t n;
};

static void *room_for(void *old, size_t bytes)
{
    void *room = realloc(old, bytes);
    if (!room) {
        fputs("medians: no memory\n", stderr);
        exit(5);
    }
    return room;
}

static struct sample *sample_of(struct sample **all, size_t *count, const char *label)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*all)[i].label, label) == 0)
            return &(*all)[i];
    *all = room_for(*all, (*count + 1) * sizeof **all);
    struct sample *s = &(*all)[(*count)++];
    *s = (struct sample){.value = NULL};
    strcpy(s->label, label);
    return s;
}

/* The label and the number of a line; false where it has not both, or more. */
static int read_line(char *line, char label[LABEL], double *value)
{
    char *rest, *end, *word = strtok_r(line, " \t\n", &rest), *number = word ? strtok_r(NULL, " \t\n", &rest) : NULL;
    if (!number || strtok_r(NULL, " \t\n", &rest) || strlen(word) >= LABEL)
        return 0;
    strcpy(label, word);
    *value = strtod(number, &end);
    return end != number && *end == '\0' && isfinite(*value);
}

static void print(const struct sample *s)
{
    struct ovl_summary summary = ovl_stats_summarise(s->value, s->n);
    printf("%s %.9g ", s->label, summary.median);
    if (isnan(summary.ci_low))
        printf("- - ");
    else
        printf("%.9g %.9g ", summary.ci_low, summary.ci_high);
    printf("%zu\n", s->n);
}

int main(void)
{
    struct sample *all = NULL;
    char line[LINE], label[LABEL];
    size_t count = 0;
    double value;
    for (size_t number = 1; fgets(line, sizeof line, stdin); number++) {
        if (!read_line(line, label, &value)) {
            fprintf(stderr, "medians: line %zu is no label and a number\n", number);
            return 4;
        }
        struct sample *s = sample_of(&all, &count, label);
        s->value = room_for(s->value, (s->n + 1) * sizeof *s->value);
        s->value[s->n++] = value;
    }
    for (size_t i = 0; i < count; i++) {
        print(&all[i]);
        free(all[i].value);
    }
    free(all);
    return fflush(stdout) == 0 ? 0 : 5;
}
