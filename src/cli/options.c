/* Command lines from a table, on top of getopt_long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"
#include "base/printable.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 112 };

/* The rows with those of tables that stand among them, or the one named `only`; -1 where they do not fit. */
static int flatten(const struct ovl_option *rows, const char *only, size_t offset, struct ovl_option flat[ROWS_MAX + 1],
                   size_t *n)
{
    for (const struct ovl_option *r = rows; r->name; r++) {
        bool table = r->kind == OVL_OPTION_TABLE;
        if (r->kind == OVL_OPTION_FOREIGN)
            continue;
        if (*n == ROWS_MAX || (table && flatten(r->of, *r->name ? r->name : only, offset + r->offset, flat, n) != 0))
            return -1;
        if (table || (*only && strcmp(r->name, only) != 0))
            continue;
        flat[*n] = *r;
        flat[(*n)++].offset += offset;
    }
    flat[*n].name = NULL;
    return 0;
}

const char *ovl_options_meant(const struct ovl_option *rows, const char *word, size_t length)
{
    struct ovl_option flat[ROWS_MAX + 1];
    const char *meant = NULL;
    size_t n = 0, begun = 0;
    if (flatten(rows, "", 0, flat, &n) != 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!*flat[i].name || strncmp(flat[i].name, word, length) != 0)
            continue;
        if (strlen(flat[i].name) == length)
            return flat[i].name;
        meant = flat[i].name;
        begun++;
    }
    return begun == 1 ? meant : NULL;
}

bool ovl_options_has_word(const char *list, const char *word, size_t length)
{
    for (size_t n; *list; list += n, list += *list != '\0')
        if ((n = strcspn(list, "|,")) == length && strncmp(list, word, n) == 0)
            return true;
    return false;
}

static int whole(const char *text, uint64_t *value, const char **end)
{
    if (!isdigit((unsigned char)*text))
        return -1;
    char *stop;
    errno = 0;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return errno ? -1 : 0;
}

int ovl_options_number(const char *text, double *value, const char **end)
{
    char *stop;
    if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-')
        return -1;
    *value = strtod(text, &stop);
    *end = stop;
    if (memchr(text, 'x', (size_t)(stop - text)) || memchr(text, 'X', (size_t)(stop - text)))
        return -1; /* strtod takes 0x10 */
    return stop == text || !isfinite(*value) ? -1 : 0;
}

static int refuse(const struct ovl_option *row, const char *text, const char *wanted, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_USAGE, "--%s %s: give %s", row->name, text, wanted);
}

static int refuse_range(const struct ovl_option *row, const char *text, const char *what, struct ovl_error *err)
{
    bool share = row->kind == OVL_OPTION_NUMBER && row->least == 0 && row->most <= 1;
    return ovl_error_set(err, OVL_USAGE, "--%s %s: give %s from %.15g to %.15g%s", row->name, text, what, row->least,
                         row->most, share ? ": 0.05 is 5 %" : "");
}

static bool within(const struct ovl_option *row, double value)
{
    return value >= row->least && value <= row->most;
}

static int set_count(const struct ovl_option *row, const char *text, uint64_t *out, struct ovl_error *err)
{
    const char *end;
    uint64_t value;
    size_t before = row->choices && strncmp(text, row->choices, strlen(row->choices)) == 0 ? strlen(row->choices) : 0;
    if (whole(text + before, &value, &end) != 0 || *end || !within(row, (double)value))
        return refuse_range(row, text, "a whole number", err);
    *out = value;
    return 0;
}

static int set_count_range(const struct ovl_option *row, const char *text, uint64_t *out, struct ovl_error *err)
{
    const char *end;
    uint64_t low, high;
    if (whole(text, &low, &end) != 0)
        return refuse_range(row, text, "N or N:N, whole numbers", err);
    high = out[1] > low ? out[1] : low;
    if (*end == ':' && whole(end + 1, &high, &end) != 0)
        return refuse_range(row, text, "N or N:N, whole numbers", err);
    if (*end || low > high || !within(row, (double)low) || !within(row, (double)high))
        return refuse_range(row, text, "N or N:N, the smaller first, whole numbers", err);
    out[0] = low;
    out[1] = high;
    return 0;
}

static int set_sizes(const struct ovl_option *row, const char *text, struct ovl_sizes *out, struct ovl_error *err)
{
    uint64_t alone;
    if (ovl_sizes_parse(text, out) == 0)
        return 0;
    if (ovl_options_size(text, &alone) == 0 && alone > 0 && ovl_sizes_doubling(alone, alone).n == 1)
        return ovl_error_set(err, OVL_USAGE,
                             "--%s %s: doubling from %llu does not meet it; for that size alone give %s:%s", row->name,
                             text, out->n > 0 ? (unsigned long long)out->size[0] : 1, text, text);
    return refuse(row, text,
                  "[MIN:]MAX by doubling, the smaller first, such as 1K:1M; MIN:MAX:*3 or MIN:MAX:+4K; "
                  "or a list "
                  "with commas, such as 1K,3K,7K: sizes up to 1024G with K, M or G, 128 at most",
                  err);
}

static int set_numbers(const struct ovl_option *row, const char *text, struct ovl_numbers *out, struct ovl_error *err)
{
    const size_t most = sizeof out->value / sizeof *out->value;
    size_t n = 0;
    for (const char *at = text;; at++) {
        if (n == most)
            return ovl_error_set(err, OVL_USAGE, "--%s %s: at most %zu numbers", row->name, text, most);
        if (ovl_options_number(at, &out->value[n], &at) != 0 || !within(row, out->value[n]) || (*at && *at != ','))
            return refuse_range(row, text, "numbers with commas between them,", err);
        for (size_t i = 0; i < n; i++)
            if (out->value[i] == out->value[n])
                return ovl_error_set(err, OVL_USAGE, "--%s %s: %g stands twice", row->name, text, out->value[n]);
        n++;
        if (!*at)
            break;
    }
    out->n = n;
    return 0;
}

static int set_words(const struct ovl_option *row, const char *text, bool list, const char **out, struct ovl_error *err)
{
    for (const char *at = text;; at++) {
        size_t n = list ? strcspn(at, ",") : strlen(at);
        if (!ovl_options_has_word(row->choices, at, n))
            return ovl_error_set(err, OVL_USAGE, "--%s %s: give %s%s", row->name, text, row->choices,
                                 list ? ", or several with commas" : "");
        for (const char *before = text; before < at; before += strcspn(before, ",") + 1)
            if (strcspn(before, ",") == n && strncmp(before, at, n) == 0)
                return ovl_error_set(err, OVL_USAGE, "--%s %s: %.*s stands twice", row->name, text, (int)n, at);
        at += n;
        if (!*at)
            break;
    }
    *out = text;
    return 0;
}

static int set_texts(const struct ovl_option *row, const char *text, struct ovl_texts *out, struct ovl_error *err)
{
    const size_t most = sizeof out->text / sizeof *out->text;
    if (!*text)
        return refuse(row, "''", "something that is not empty", err);
    if (out->n == most)
        return ovl_error_set(err, OVL_USAGE, "--%s %s: at most %zu of them", row->name, text, most);
    out->text[out->n++] = text;
    return 0;
}

static int set(const struct ovl_option *row, const char *text, void *target, struct ovl_error *err)
{
    void *at = (char *)target + row->offset;
    const char *end;
    double value;
    switch (row->kind) {
    case OVL_OPTION_ON:
    case OVL_OPTION_OFF:
        *(int *)at = row->kind == OVL_OPTION_ON;
        return 0;
    case OVL_OPTION_COUNT:
        return set_count(row, text, at, err);
    case OVL_OPTION_COUNT_RANGE:
        return set_count_range(row, text, at, err);
    case OVL_OPTION_SIZE:
        return ovl_options_size(text, at) == 0 && (*(uint64_t *)at > 0 || row->least < 0)
                   ? 0
                   : refuse(row, text, "a number of bytes, such as 4096, 64K, 512M or 2G", err);
    case OVL_OPTION_SIZES:
        return set_sizes(row, text, at, err);
    case OVL_OPTION_NUMBER:
        if (ovl_options_number(text, &value, &end) != 0 || *end || !within(row, value))
            return refuse_range(row, text, "a number", err);
        *(double *)at = value;
        return 0;
    case OVL_OPTION_NUMBERS:
        return set_numbers(row, text, at, err);
    case OVL_OPTION_TEXT:
        if (!*text)
            return refuse(row, "''", "something that is not empty", err);
        *(const char **)at = text;
        return 0;
    case OVL_OPTION_TEXTS:
        return set_texts(row, text, at, err);
    case OVL_OPTION_WORD:
    case OVL_OPTION_WORDS:
        return set_words(row, text, row->kind == OVL_OPTION_WORDS, at, err);
    case OVL_OPTION_FOREIGN:
    case OVL_OPTION_TABLE:
        break;
    }
    return 0;
}

/* What its letter means without an argument, or NULL. */
static const char *alone(const struct ovl_option *row)
{
    return row->kind == OVL_OPTION_NUMBERS ? row->choices : NULL;
}

bool ovl_options_each_once;

/* `before` is what it was given as, or NULL. */
static int hold_once(const struct ovl_option *row, const char *text, const char **before, struct ovl_error *err)
{
    if (row->kind != OVL_OPTION_TEXTS && text && *before && strcmp(*before, text) != 0)
        return ovl_error_set(err, OVL_USAGE, "--%s is given as %.60s and as %.60s: give one of them", row->name,
                             *before, text);
    *before = text;
    return 0;
}

int ovl_options_parse(const struct ovl_option *table, int argc, char **argv, void *target, int *first,
                      struct ovl_error *err)
{
    struct ovl_option rows[ROWS_MAX + 1];
    struct option longs[ROWS_MAX + 1] = {{0}};
    char shorts[3 * ROWS_MAX + 2] = ":";
    const char *given[ROWS_MAX + 1] = {NULL};
    size_t n = 0, s = 1;
    bool each_once = ovl_options_each_once;
    ovl_options_each_once = false;
    if (flatten(table, "", 0, rows, &n) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "more than %d options: the program's table does not fit", ROWS_MAX);
    n = 0;
    for (const struct ovl_option *r = rows; r->name; r++, n++) {
        longs[n] = (struct option){r->name, r->arg ? required_argument : no_argument, NULL, 256 + (int)n};
        if (r->letter) {
            shorts[s++] = r->letter;
            if (r->arg)
                shorts[s++] = ':';
            if (alone(r))
                shorts[s++] = ':';
        }
    }

    optind = 0;
    opterr = 0;
    for (;;) {
        int c = getopt_long(argc, argv, shorts, longs, NULL);
        if (c == -1)
            break;
        if (c == '?')
            return ovl_options_unknown(table, rows, (char)(optopt < 256 ? optopt : '\0'), argv[optind - 1], err);
        const struct ovl_option *row = rows;
        while (row->name && c != ':' && c != row->letter && c != 256 + (int)(row - rows))
            row++;
        if (c == ':') {
            while (row->name && optopt != row->letter && optopt != 256 + (int)(row - rows))
                row++;
            return ovl_error_set(err, OVL_USAGE, "--%s needs an argument: %s", row->name, row->arg);
        }
        if (each_once && hold_once(row, optarg, &given[row - rows], err) != 0)
            return -1;
        if (set(row, optarg ? optarg : alone(row), target, err) != 0)
            return -1;
    }
    *first = optind;
    return 0;
}

static void spelled(const struct ovl_option *r, char text[80])
{
    int n = r->letter ? snprintf(text, 80, "-%c, ", r->letter) : snprintf(text, 80, "    ");
    snprintf(text + n, 80 - (size_t)n, "--%s%s%s", r->name, r->arg ? " " : "", r->arg ? r->arg : "");
}

void ovl_options_help(const struct ovl_option *table, FILE *out)
{
    struct ovl_option rows[ROWS_MAX + 1];
    size_t n = 0;
    flatten(table, "", 0, rows, &n);
    for (const struct ovl_option *r = rows; r->name; r++) {
        char text[80];
        spelled(r, text);
        if (strlen(text) > 30)
            fprintf(out, "  %s\n  %-30s  %s\n", text, "", r->help);
        else
            fprintf(out, "  %-30s  %s\n", text, r->help);
    }
}

void ovl_options_mdoc(const struct ovl_option *table, FILE *out)
{
    struct ovl_option rows[ROWS_MAX + 1];
    size_t n = 0;
    flatten(table, "", 0, rows, &n);
    fputs(".Bl -tag -width Ds\n", out);
    for (const struct ovl_option *r = rows; r->name; r++) {
        fputs(".It ", out);
        if (r->letter)
            fprintf(out, "Fl %c , ", r->letter);
        fprintf(out, "Fl -%s", r->name);
        if (r->arg)
            fprintf(out, " Ar %s", r->arg);
        fprintf(out, "\n%c%s.\n", toupper((unsigned char)r->help[0]), r->help + 1);
    }
    fputs(".El\n", out);
}

static json_t *value_json(const struct ovl_option *row, const void *source)
{
    const void *at = (const char *)source + row->offset;
    const uint64_t *pair = at;
    switch (row->kind) {
    case OVL_OPTION_ON:
    case OVL_OPTION_OFF:
        return json_boolean(*(const int *)at);
    case OVL_OPTION_COUNT:
    case OVL_OPTION_SIZE:
        return json_integer((json_int_t)*pair);
    case OVL_OPTION_SIZES:
        return ovl_sizes_json(at);
    case OVL_OPTION_COUNT_RANGE:
        return json_pack("[I,I]", (json_int_t)pair[0], (json_int_t)pair[1]);
    case OVL_OPTION_NUMBER:
        return isnan(*(const double *)at) ? json_null() : json_real(*(const double *)at);
    case OVL_OPTION_NUMBERS: {
        const struct ovl_numbers *list = at;
        json_t *array = json_array();
        for (size_t i = 0; i < list->n; i++)
            json_array_append_new(array, json_real(list->value[i]));
        return array;
    }
    case OVL_OPTION_TEXTS: {
        const struct ovl_texts *list = at;
        json_t *array = json_array();
        for (size_t i = 0; i < list->n; i++)
            json_array_append_new(array, ovl_printable_json(list->text[i]));
        return array;
    }
    case OVL_OPTION_TEXT:
    case OVL_OPTION_WORD:
    case OVL_OPTION_WORDS:
        return *(const char *const *)at ? ovl_printable_json(*(const char *const *)at) : json_null();
    case OVL_OPTION_FOREIGN:
    case OVL_OPTION_TABLE:
        break;
    }
    return json_null();
}

json_t *ovl_options_json(const struct ovl_option *table, const void *source)
{
    struct ovl_option rows[ROWS_MAX + 1];
    size_t n = 0;
    flatten(table, "", 0, rows, &n);
    json_t *all = json_object();
    for (const struct ovl_option *r = rows; r->name; r++) {
        char key[64];
        snprintf(key, sizeof key, "%s", r->of ? (const char *)r->of : r->name);
        for (char *c = key; *c; c++)
            if (*c == '-')
                *c = '_';
        json_object_set_new(all, key, value_json(r, source));
    }
    return all;
}
