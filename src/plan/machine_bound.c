/* The preemptive one-machine bound. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/machine_bound.h"

#include <math.h>
#include <stdlib.h>

static int by_head(const void *a, const void *b)
{
    const struct ovl_machine_job *x = a, *y = b;
    return (x->head > y->head) - (x->head < y->head);
}

/* The heap has the job with the longest tail on top. */
static void push(struct ovl_machine_job **heap, size_t n, struct ovl_machine_job *job)
{
    size_t at = n;
    for (; at > 0 && heap[(at - 1) / 2]->tail < job->tail; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = job;
}

static void pop(struct ovl_machine_job **heap, size_t n)
{
    struct ovl_machine_job *last = heap[n - 1];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n - 1; at = child) {
        if (child + 1 < n - 1 && heap[child + 1]->tail > heap[child]->tail)
            child++;
        if (heap[child]->tail <= last->tail)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
}

double ovl_machine_bound(struct ovl_machine_job *jobs, size_t n, struct ovl_machine_job **heap)
{
    double now = 0, end = 0;
    size_t there = 0, next = 0;
    if (n > 0)
        qsort(jobs, n, sizeof *jobs, by_head);
    while (next < n || there > 0) {
        if (there == 0 && jobs[next].head > now)
            now = jobs[next].head;
        for (; next < n && jobs[next].head <= now; next++)
            push(heap, there++, &jobs[next]);
        struct ovl_machine_job *job = heap[0];
        double until = now + job->work;
        if (next < n && jobs[next].head < until) { /* interrupted */
            job->work -= jobs[next].head - now;
            now = jobs[next].head;
            continue;
        }
        now = until;
        end = fmax(end, now + job->tail);
        pop(heap, there--);
    }
    return end;
}
