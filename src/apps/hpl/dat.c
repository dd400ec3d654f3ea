/* HPL.dat. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/dat.h"
#include "apps/hpl/bcast_scheme.h"
#include "cli/hpl_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 31, VALUES = 20 /* HPL_MAX_PARAM */ };
enum { NS, NBS, PS, QS, PFACTS, NBMINS, NDIVS, RFACTS, BCASTS, DEPTHS, LISTS };
enum { PMAP, SWAP, THRESHOLD, L1, U, EQUILIBRATION, SINGLES };

/* Lines count from 1. `fixed`: what ovl_hpl always does, or -1. */
static const struct list {
    const char *name;
    int count_line, line, least, most, fixed;
} lists[LISTS] = {
    {"Ns", 5, 6, 1, OVL_HPL_ORDER_MOST, -1}, {"NBs", 7, 8, 1, INT_MAX, -1}, {"Ps", 10, 11, 1, INT_MAX, -1},
    {"Qs", 10, 12, 1, INT_MAX, -1},          {"PFACTs", 14, 15, 0, 2, 0},   {"NBMINs", 16, 17, 1, INT_MAX, 8},
    {"NDIVs", 18, 19, 2, INT_MAX, 2},        {"RFACTs", 20, 21, 0, 2, 2},   {"BCASTs", 22, 23, 0, 5, -1},
    {"DEPTHs", 24, 25, 0, INT_MAX, -1},
};

static const struct single {
    const char *name;
    int line, least, most, fixed;
} singles[SINGLES] = {
    {"PMAP", 9, 0, 1, -1}, {"SWAP", 26, 0, 2, -1}, {"the swapping threshold", 27, 0, INT_MAX - 1, -1},
    {"L1", 28, 0, 1, 1},   {"U", 29, 0, 1, 1},     {"Equilibration", 30, 0, 1, 0},
};

struct file {
    const char *name;
    const char *line[LINES + 1]; /* from 1: each up to its line end */
    int value[LISTS][VALUES], count[LISTS], single[SINGLES];
};

static int split(const char *text, struct file *f, struct ovl_error *err)
{
    for (int i = 1; i <= LINES; i++) {
        if (!*text)
            return ovl_error_set(err, OVL_USAGE, "%s ends at line %d; a HPL.dat has %d lines", f->name, i - 1, LINES);
        f->line[i] = text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return 0;
}

/* The next whole number of a line, behind which *at is then. */
static int number(const struct file *f, const char **at, int line, const char *name, int least, int most, int *value,
                  struct ovl_error *err)
{
    const char *from = *at + strspn(*at, " \t");
    char *end;
    long x = strtol(from, &end, 10);
    if (end == from || isspace((unsigned char)*from) || strcspn(end, " \t\r\n") > 0 || x < least || x > most)
        return ovl_error_set(err, OVL_USAGE, "%s:%d: %s: %.*s is no number that goes here; give %d%s%.0d%s", f->name,
                             line, name, (int)strcspn(from, " \t\r\n"), from, least, most < INT_MAX - 1 ? " to " : "",
                             most < INT_MAX - 1 ? most : 0, most < INT_MAX - 1 ? "" : " or more");
    *at = end;
    *value = (int)x;
    return 0;
}

static int read_numbers(struct file *f, struct ovl_error *err)
{
    for (int i = 0; i < LISTS; i++) {
        const struct list *l = &lists[i];
        const char *count = f->line[l->count_line], *at = f->line[l->line];
        if (number(f, &count, l->count_line, "how many", 1, VALUES, &f->count[i], err) != 0)
            return -1;
        for (int k = 0; k < f->count[i]; k++)
            if (number(f, &at, l->line, l->name, l->least, l->most, &f->value[i][k], err) != 0)
                return -1;
    }
    for (int i = 0; i < SINGLES; i++) {
        const struct single *s = &singles[i];
        const char *at = f->line[s->line];
        if (number(f, &at, s->line, s->name, s->least, s->most, &f->single[i], err) != 0)
            return -1;
    }
    return 0;
}

static void add(struct ovl_hpl_dat *d, const char *option, char *value)
{
    d->word[d->words++] = ovl_text("%s", option);
    d->word[d->words++] = value;
}

/* The values with commas, each once; of those of a table its names. The caller frees it. */
static char *joined(const struct file *f, int list, const char *const *names)
{
    char *text = ovl_text("%s", "");
    for (int k = 0; k < f->count[list]; k++) {
        int value = f->value[list][k], before = 0;
        while (before < k && f->value[list][before] != value)
            before++;
        if (before < k)
            continue;
        char *longer = names ? ovl_text("%s%s%s", text, k ? "," : "", names[value])
                             : ovl_text("%s%s%d", text, k ? "," : "", value);
        free(text);
        text = longer;
    }
    return text;
}

static void add_all(const struct file *f, struct ovl_hpl_dat *d)
{
    const char *broadcasts[OVL_HPL_SCHEMES_OF_HPL];
    for (int i = 0; i < OVL_HPL_SCHEMES_OF_HPL; i++)
        broadcasts[i] = ovl_hpl_schemes[i].name;
    int swap = f->single[SWAP];
    add(d, "--order", joined(f, NS, NULL));
    add(d, "--nb", ovl_text("%d", f->value[NBS][0]));
    add(d, "--procs", ovl_text("%dx%d", f->value[PS][0], f->value[QS][0]));
    add(d, "--pmap", ovl_text("%s", f->single[PMAP] ? "col" : "row"));
    add(d, "--bcast", joined(f, BCASTS, broadcasts));
    add(d, "--depth", joined(f, DEPTHS, NULL));
    /* By halves always is by halves up to more columns than there can be; up to none it is never. */
    int threshold = swap == 0 ? OVL_HPL_ORDER_MOST + 1 : swap == 2 ? f->single[THRESHOLD] : 0;
    add(d, "--swap", ovl_text("%s", threshold > 0 ? "mix" : "long"));
    if (threshold > 0)
        add(d, "--swap-threshold", ovl_text("%d", threshold));
}

static void not_used(struct ovl_hpl_dat *d, const char *what, const char *why)
{
    size_t n = strlen(d->unused);
    snprintf(d->unused + n, sizeof d->unused - n, "%s%s%s", n ? ", " : "", what, why);
}

static void tell_unused(const struct file *f, struct ovl_hpl_dat *d)
{
    const char *device = f->line[4] + strspn(f->line[4], " \t"), *limit = f->line[13] + strspn(f->line[13], " \t");
    char why[64];
    if (*device != '6')
        not_used(d, "the output file", "");
    if (f->count[NBS] > 1)
        not_used(d, "NBs", " behind the first");
    if (f->count[PS] > 1)
        not_used(d, "grids", " behind the first");
    if (strtod(limit, NULL) != 16)
        not_used(d, "the threshold", " (it is 16)");
    for (int i = 0; i < LISTS; i++) {
        snprintf(why, sizeof why, " (it is %d)", lists[i].fixed);
        if (lists[i].fixed >= 0 && (f->count[i] > 1 || f->value[i][0] != lists[i].fixed))
            not_used(d, lists[i].name, why);
    }
    for (int i = 0; i < SINGLES; i++) {
        snprintf(why, sizeof why, " (it is %d)", singles[i].fixed);
        if (singles[i].fixed >= 0 && f->single[i] != singles[i].fixed)
            not_used(d, singles[i].name, why);
    }
    not_used(d, "memory alignment", "");
}

int ovl_hpl_dat_read(const char *text, const char *name, struct ovl_hpl_dat *d, struct ovl_error *err)
{
    struct file f = {.name = name};
    *d = (struct ovl_hpl_dat){.words = 0};
    if (split(text, &f, err) != 0 || read_numbers(&f, err) != 0)
        return -1;
    add_all(&f, d);
    tell_unused(&f, d);
    return 0;
}

void ovl_hpl_dat_free(struct ovl_hpl_dat *d)
{
    for (size_t i = 0; i < d->words; i++)
        free(d->word[i]);
    d->words = 0;
}
