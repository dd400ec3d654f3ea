/* How figures of publications are made of an old and a new value: a row for each measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_PUBLISHED_FORMULA_H
#define OVL_TOOL_REPORT_PUBLISHED_FORMULA_H

/* What goes into a figure. */
struct ovl_published_values {
    double old, new;
    double times; /* how many times as many ranks the new one has */
    double r;     /* the speed of a helper by that of its rank */
};

struct ovl_published_formula {
    const char *name, *text;
    int decimals;
    const char *unit;
    double (*of)(const struct ovl_published_values *v); /* NULL: the source alone has a figure */
};

/* NULL where there is none of that name. */
const struct ovl_published_formula *ovl_published_formula_find(const char *name);

#endif
