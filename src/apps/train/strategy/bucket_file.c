/* A line of the file is a bucket; errors name the line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/strategy.h"
#include "base/input_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 };

/* The numbers of a line, which ends at a #. */
static int read_line(char *line, struct ovl_bucket_list *b)
{
    char *rest = NULL;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
        char *end;
        double n = strtod(word, &end);
        if (*end || !(n >= 1 && n <= 1e15) || n != (double)(long long)n || b->count == MOST)
            return -1;
        b->numbers[b->count++] = n;
        b->sum += n;
    }
    return 0;
}

int ovl_bucket_list_read(struct ovl_bucket_list *b, const char *file, const struct ovl_model *m, struct ovl_error *err)
{
    char option[OVL_ERROR_TEXT];
    int number = 0, rc = 0;
    snprintf(option, sizeof option, "--buckets %s", file);
    char *text = ovl_input_text(file, option, err);
    *b = (struct ovl_bucket_list){.count = 0};
    if (!text)
        return -1;
    ovl_input_keep("buckets", text);
    b->numbers = ovl_check_alloc(malloc(MOST * sizeof *b->numbers));
    for (char *line = text, *rest; rc == 0 && line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        number++;
        rc = read_line(line, b);
    }
    free(text);
    if (rc != 0)
        ovl_error_set(err, OVL_WRONG_DATA, "--buckets %s: line %d: give whole numbers of parameters, up to %d in all",
                      file, number, MOST);
    else if (b->sum != m->numbers)
        rc = ovl_error_set(err, OVL_USAGE, "--buckets %s: has %.0f parameters, and %s %.0f; give all of them", file,
                           b->sum, m->name, m->numbers);
    if (rc != 0)
        ovl_bucket_list_free(b);
    return rc;
}

void ovl_bucket_list_free(struct ovl_bucket_list *b)
{
    free(b->numbers);
    *b = (struct ovl_bucket_list){.count = 0};
}
