/* Command lines from a table: the same rows parse, print --help, fill the man page and tell the record what was asked.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_OPTIONS_H
#define OVL_CLI_OPTIONS_H

#include "base/error.h"
#include "cli/sizes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option's argument is, and the type at `offset` that it fills. */
enum ovl_option_kind {
    OVL_OPTION_ON,          /* no argument; int becomes 1 */
    OVL_OPTION_OFF,         /* no argument; int becomes 0 */
    OVL_OPTION_COUNT,       /* uint64_t between least and most */
    OVL_OPTION_COUNT_RANGE, /* [LEAST:]MOST as uint64_t[2]; `N` alone sets the first and raises the second to it */
    OVL_OPTION_SIZE,        /* uint64_t bytes with K, M or G */
    OVL_OPTION_SIZES,       /* [MIN:]MAX, a list and so on, struct ovl_sizes */
    OVL_OPTION_NUMBER,      /* double between least and most */
    OVL_OPTION_NUMBERS,     /* list with commas, struct ovl_numbers */
    OVL_OPTION_TEXT,        /* const char *, pointing into argv */
    OVL_OPTION_TEXTS,       /* the same each time that it stands there, struct ovl_texts */
    OVL_OPTION_WORD,        /* const char *, one of the words of `choices` */
    OVL_OPTION_WORDS,       /* const char *, a list with commas of different words of `choices` */
    OVL_OPTION_FOREIGN,     /* no option: `of`, those of another program, which are refused with what to give instead */
    OVL_OPTION_TABLE,       /* no option: a struct that has a table of its own, `of`, whose rows stand here */
};

struct ovl_numbers {
    size_t n;
    double value[16];
};

struct ovl_texts {
    size_t n;
    const char *text[16];
};

struct ovl_option {
    char letter;      /* 0 when there is none */
    const char *name; /* without its dashes; TABLE: of the one row that is meant, or "" */
    const char *arg;  /* what --help calls the argument, NULL when there is none */
    const char *help; /* one line, with the default */
    enum ovl_option_kind kind;
    size_t offset;       /* in the struct that is filled */
    double least, most;  /* allowed numbers; of a size, least < 0 allows 0 */
    const char *choices; /* "fma|triad": allowed words; NUMBERS: what the letter means alone, which may have its own
                            right behind it: -z, -z90,99; COUNT: what may stand before the number */
    const void *of;      /* OFF: in the record, the name of the option that it switches off; TABLE: the rows */
};

/* Whose they are, and each by letter or name (0 or NULL: it has none that ovl lacks) with what to give instead. */
struct ovl_foreign_options {
    const char *whose;
    struct ovl_foreign_option {
        char letter;
        const char *name, *instead;
    } options[32];
};

/* Of the OSU micro-benchmarks. */
extern const struct ovl_foreign_options ovl_omb_options;

/* The row for those of another table, which fills `member` of a struct; for one of them. */
#define OVL_OPTION_ROWS(type, member, rows) OVL_OPTION_ROW(type, member, rows, "")
#define OVL_OPTION_ROW(type, member, rows, only)                                                                       \
    {                                                                                                                  \
        0, only, NULL, "", OVL_OPTION_TABLE, offsetof(struct type, member), 0, 0, NULL, rows                           \
    }

/* Is a value that stands there twice, as two, refused by the next call? Else the last one counts, as scripts that add
   to a command line expect. ovl's commands refuse: which of two decides a verdict nobody should have to know. */
extern bool ovl_options_each_once;

/* Fills `target` from argv by the rows (ended by a NULL name). Options may stand anywhere; *first gets the index of the
   first other argument after they were moved to the end. -1 and OVL_USAGE: unknown option, bad or missing argument. */
int ovl_options_parse(const struct ovl_option *rows, int argc, char **argv, void *target, int *first,
                      struct ovl_error *err);

/* After that, for programs that take nothing but options: -1 and OVL_USAGE where there is another argument. */
int ovl_options_only(int argc, char **argv, int first, struct ovl_error *err);

/* The option list of --help. */
void ovl_options_help(const struct ovl_option *rows, FILE *out);

/* The option list of the man page, as mdoc. */
void ovl_options_mdoc(const struct ovl_option *rows, FILE *out);

/* All values as a JSON object with the options' names, '-' as '_'. */
json_t *ovl_options_json(const struct ovl_option *rows, const void *source);

/* The decimal number that begins `text`; *end is behind it. -1 when there is none or it is not finite. */
int ovl_options_number(const char *text, double *value, const char **end);

/* Is that word, of so many characters, in the list, "a|b" of choices or "a,b" of a user? */
bool ovl_options_has_word(const char *list, const char *word, size_t length);

/* The name of the option that getopt_long takes such a word for, without its dashes and what stands behind "=": that
   name, or the beginning of one name alone. NULL: of none. */
const char *ovl_options_meant(const struct ovl_option *rows, const char *word, size_t length);

/* unknown_option.c. -1 and OVL_USAGE: a letter, or where that is 0 the word `given`, is none of the rows, which are
   those of the table, with what may be meant. */
int ovl_options_unknown(const struct ovl_option *table, const struct ovl_option *rows, char letter, const char *given,
                        struct ovl_error *err);

/* Do the words differ in one letter, or in the order of two? Then one may be meant for the other. */
bool ovl_options_similar(const char *a, const char *b);

#endif
