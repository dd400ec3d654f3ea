/* Threads of this process, by /proc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/threads.h"
#include "base/path.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const double busy = 0.5, at_work = 0.05, all = 0.9; /* of the time */

static bool read_times(const char *root, int thread, double *ran, double *waited)
{
    FILE *in = fopen(ovl_path("%s/proc/self/task/%d/schedstat", root, thread).text, "re");
    bool told = in && fscanf(in, "%lf %lf", ran, waited) == 2;
    if (in)
        fclose(in);
    *ran *= 1e-9;
    *waited *= 1e-9;
    return told;
}

void ovl_threads_read(struct ovl_threads *t, const char *root, int self)
{
    double ran = 0, waited = 0;
    struct rusage usage;
    DIR *tasks = opendir(ovl_path("%s/proc/self/task", root).text);
    t->count = 0;
    for (const struct dirent *e; tasks && (e = readdir(tasks)) && t->count < OVL_THREADS_MOST;) {
        int id = atoi(e->d_name);
        if (id <= 0 || id == self || !read_times(root, id, &ran, &waited))
            continue;
        t->id[t->count] = id;
        t->ran[t->count] = ran;
        t->wanted[t->count++] = ran + waited;
    }
    if (tasks)
        closedir(tasks);
    t->waited = read_times(root, self, &ran, &waited) ? waited : NAN;
    t->switches = getrusage(RUSAGE_THREAD, &usage) == 0 ? (double)usage.ru_nivcsw : NAN;
}

size_t ovl_threads_busy(const struct ovl_threads *from, const struct ovl_threads *to, double seconds,
                        uint64_t mask[OVL_MACHINE_MASK_WORDS])
{
    size_t n = 0;
    for (size_t i = 0; i < to->count; i++) {
        double ran = to->ran[i], wanted = to->wanted[i];
        for (size_t k = 0; k < from->count; k++) /* one that was not there began at 0 */
            if (from->id[k] == to->id[i]) {
                ran -= from->ran[k];
                wanted -= from->wanted[k];
            }
        if (wanted < busy * seconds || (ran < at_work * seconds && wanted < all * seconds))
            continue;
        ovl_machine_mask(to->id[i], mask);
        n++;
    }
    return n;
}
