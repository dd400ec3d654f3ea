/* Words that are no option: what may be meant, and what to give for another program's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* Letters and names that differ in one place or by one letter: enough for a typing error. */
bool ovl_options_similar(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return strcmp(a, b) == 0 || (*a && strcmp(a + 1, b) == 0) || (*b && strcmp(a, b + 1) == 0) ||
           (*a && *b && strcmp(a + 1, b + 1) == 0) ||
           (*a && *b && a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0);
}

/* One of another program's, of a word, or of a letter. -1: it is one, and refused. */
static int refuse_foreign(const struct ovl_option *table, char letter, const char *word, struct ovl_error *err)
{
    for (const struct ovl_option *r = table; r->name; r++) {
        const struct ovl_foreign_options *all = r->kind == OVL_OPTION_FOREIGN ? r->of : NULL;
        for (const struct ovl_foreign_option *o = all ? all->options : NULL; o && o->instead; o++)
            if (letter ? o->letter == letter : o->name && strcmp(o->name, word) == 0)
                return letter
                           ? ovl_error_set(err, OVL_USAGE, "-%c is an option of %s: %s", letter, all->whose, o->instead)
                           : ovl_error_set(err, OVL_USAGE, "--%s is an option of %s: %s", word, all->whose, o->instead);
    }
    return 0;
}

int ovl_options_unknown(const struct ovl_option *table, const struct ovl_option *rows, char letter, const char *given,
                        struct ovl_error *err)
{
    char word[64];
    given += strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    if (refuse_foreign(table, letter, word, err) != 0)
        return -1;
    if (letter)
        return ovl_error_set(err, OVL_USAGE, "unknown option -%c; --help lists the options", letter);
    for (const struct ovl_option *r = rows; r->name; r++)
        if (strcmp(word, r->name) == 0)
            return ovl_error_set(err, OVL_USAGE, "--%s takes no argument", r->name);
    for (const struct ovl_option *r = rows; r->name; r++)
        if (ovl_options_similar(word, r->name))
            return ovl_error_set(err, OVL_USAGE, "unknown option --%s; is --%s meant?", word, r->name);
    return ovl_error_set(err, OVL_USAGE, "unknown option --%s; --help lists the options", word);
}

int ovl_options_only(int argc, char **argv, int first, struct ovl_error *err)
{
    return first == argc
               ? 0
               : ovl_error_set(err, OVL_USAGE, "stray argument %s; options begin with a dash, --help lists them",
                               argv[first]);
}
