/* Was a node measured when the others were? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/turns.h"
#include "tool/nodes/nodes.h"

#include <math.h>
#include <stdlib.h>

/* When launches began, by place and by the index of their number among all that there are; 0: there is none. */
struct starts {
    double *began;
    size_t places, numbers;
};

static double at(const struct starts *s, size_t place, size_t number)
{
    return number < s->numbers ? s->began[place * s->numbers + number] : 0;
}

/* Did more than half of the other places of as many nodes begin their next launch before this one, or the one before
   behind it? */
static bool is_late(const struct ovl_nodes *n, const struct starts *s, size_t place, size_t number)
{
    double mine = at(s, place, number);
    size_t others = 0, late = 0;
    for (size_t q = 0; q < s->places; q++) {
        double before = number > 0 ? at(s, q, number - 1) : 0, next = at(s, q, number + 1);
        if (q == place || n->place[q].nodes != n->place[place].nodes || (before == 0 && next == 0))
            continue;
        others++;
        late += before > mine || (next > 0 && next < mine);
    }
    return 2 * late > others;
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The different numbers of the launches, sorted; *count becomes how many. To be freed. */
static long *numbers_of(const struct ovl_run *const *run, size_t *count)
{
    long *all = ovl_alloc(*count + 1, sizeof *all);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        all[i] = ovl_launch_number(run[i]->file);
    qsort(all, *count, sizeof *all, by_number);
    for (size_t i = 0; i < *count; i++)
        if (all[i] >= 0 && (kept == 0 || all[i] != all[kept - 1]))
            all[kept++] = all[i];
    *count = kept;
    return all;
}

void ovl_nodes_mark_late(struct ovl_nodes *n, const struct ovl_run *const *run, const size_t *place, size_t count)
{
    struct starts s = {.places = n->places, .numbers = count};
    long *number = numbers_of(run, &s.numbers);
    s.began = ovl_alloc(s.places * s.numbers + 1, sizeof *s.began);
    for (size_t i = 0; i < count; i++) {
        long mine = ovl_launch_number(run[i]->file);
        const long *found = s.numbers > 0 ? bsearch(&mine, number, s.numbers, sizeof *number, by_number) : NULL;
        if (found)
            s.began[place[i] * s.numbers + (size_t)(found - number)] = ovl_run_began(run[i]);
    }
    for (size_t p = 0; p < s.places; p++) {
        size_t launches = 0, late = 0;
        for (size_t k = 0; k < s.numbers; k++) {
            launches += at(&s, p, k) > 0;
            late += at(&s, p, k) > 0 && is_late(n, &s, p, k);
        }
        n->place[p].late = n->place[p].late || ovl_turns_missed(late, launches);
    }
    free(s.began);
    free(number);
}
