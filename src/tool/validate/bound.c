/* `ovl validate`: is a scheme quicker than its bound says that it can be? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/proxy.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>

#define ALPHA 0.05

struct suspect {
    size_t line, below, blocks;
    double p;
};

/* The sign test: P(so many blocks or more lie below) where each does so with 1/2 at most. */
static double sign_test(size_t below, size_t blocks)
{
    double n = (double)blocks, p = 0;
    for (size_t k = below; k <= blocks; k++)
        p += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) - n * log(2));
    return fmin(p, 1);
}

static int by_p(const void *a, const void *b)
{
    double x = ((const struct suspect *)a)->p, y = ((const struct suspect *)b)->p;
    return (x > y) - (x < y);
}

/* Holm, Scand. J. Statist. 6, 1979: over all cells of the file that carry a claim and have a bound. */
void ovl_checking_bounds(struct ovl_checking *c)
{
    size_t cells = 0, n = 0;
    for (size_t r = 0; r < c->runs; r++)
        cells += c->run[r].sound;
    struct suspect *s = ovl_alloc(cells + 1, sizeof *s);
    for (size_t r = 0; r < c->runs; r++)
        for (size_t i = 0; i < c->run[r].sound; i++) {
            const struct ovl_seen_cell *seen = &c->run[r].cell[i];
            s[n].line = seen->line;
            if (seen->claims && ovl_proxy_below_bound(&seen->cell, &s[n].below, &s[n].blocks)) {
                s[n].p = sign_test(s[n].below, s[n].blocks);
                n++;
            }
        }
    qsort(s, n, sizeof *s, by_p);
    for (size_t i = 0; i < n && s[i].p * (double)(n - i) < ALPHA; i++) {
        c->line = s[i].line;
        ovl_checking_problem(
            c,
            "bound_exceeded: T is over 2 %% below bound_seconds in %zu of %zu blocks (p = %.1g, the file has "
            "%zu cell%s with a bound): the bound is wrong, or the samples are",
            s[i].below, s[i].blocks, s[i].p, n, n == 1 ? "" : "s");
    }
    free(s);
}
