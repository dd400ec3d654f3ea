/* Processes of others, by /proc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/rivals.h"
#include "base/error.h"
#include "base/path.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double share = 0.05; /* of the time */

int ovl_rivals_order(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool is_in(const int *list, size_t n, int id)
{
    return bsearch(&id, list, n, sizeof *list, ovl_rivals_order) != NULL;
}

static double tick(void)
{
    long per_second = sysconf(_SC_CLK_TCK);
    return 1.0 / (per_second > 0 ? (double)per_second : 100);
}

/* "7 (a name) R parent ..."; the name may have anything in it. False: the process is gone, or one of the kernel's. */
static bool read_stat(const char *root, int id, int *parent, unsigned *processor, double *seconds)
{
    enum { OF_THE_KERNEL = 0x200000 }; /* PF_KTHREAD of include/linux/sched.h */
    char line[1024];
    unsigned flags;
    unsigned long long user, system;
    FILE *in = fopen(ovl_path("%s/proc/%d/stat", root, id).text, "re");
    char *rest = in && fgets(line, sizeof line, in) ? strrchr(line, ')') : NULL;
    if (in)
        fclose(in);
    if (!rest || sscanf(rest + 1,
                        " %*c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u "
                        "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %u",
                        parent, &flags, &user, &system, processor) != 5)
        return false;
    *seconds = tick() * (double)(user + system);
    return (flags & OF_THE_KERNEL) == 0;
}

void ovl_rivals_read(struct ovl_rivals *r, const char *root, const int *ours, size_t our_count,
                     const uint64_t mask[OVL_MACHINE_MASK_WORDS])
{
    int parent;
    unsigned processor;
    *r = (struct ovl_rivals){.list = NULL};
    DIR *all = opendir(ovl_path("%s/proc", root).text);
    for (const struct dirent *e; all && (e = readdir(all));) {
        struct ovl_rival one = {.id = atoi(e->d_name)};
        if (one.id <= 0 || !read_stat(root, one.id, &parent, &processor, &one.seconds) ||
            is_in(ours, our_count, one.id) || is_in(ours, our_count, parent))
            continue;
        one.on = processor < 64 * OVL_MACHINE_MASK_WORDS && (mask[processor / 64] >> processor % 64 & 1);
        r->list = ovl_grow_one(r->list, r->count, sizeof *r->list);
        r->list[r->count++] = one;
    }
    if (all)
        closedir(all);
    if (r->count > 0)
        qsort(r->list, r->count, sizeof *r->list, ovl_rivals_order); /* the number stands first */
}

void ovl_rivals_free(struct ovl_rivals *r)
{
    free(r->list);
    *r = (struct ovl_rivals){.list = NULL};
}

double ovl_rivals_count(const struct ovl_rivals *from, const struct ovl_rivals *to, double seconds)
{
    double least = fmax(share * seconds, 1.5 * tick()); /* 1.5: rounding must not make two ticks fewer */
    size_t n = 0;
    for (size_t i = 0; i < to->count; i++) {
        const struct ovl_rival *now = &to->list[i], *then = from->count > 0 ? bsearch(&now->id, from->list, from->count,
                                                                                      sizeof *now, ovl_rivals_order)
                                                                            : NULL;
        bool on = now->on || (then && then->on);
        n += on && now->seconds - (then ? then->seconds : 0) >= least;
    }
    return n == 0 && share * seconds < 1.5 * tick() ? NAN : (double)n;
}
