/* Who disturbs, over all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/disturb.h"
#include "base/bits.h"
#include "base/clock.h"
#include "bench/start/clock_domain.h"
#include "record/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What each rank tells the first one of its machine. */
struct process {
    uint64_t numbers; /* equal where numbers of processes mean the same */
    uint64_t group;   /* of the quota */
    int id, parent;
};

static uint64_t numbers_here(void)
{
    struct stat of;
    return stat("/proc/self/ns/pid", &of) == 0 ? of.st_ino : 0;
}

/* Ranks and workers of this machine; and who started ranks of a job, which is the launcher, and whose children,
   whatever scripts stand around the workers, are of the job. Not what began the machine or the container. */
static void list_ours(struct ovl_disturb *d, const struct process *ranks, size_t n, const struct ovl_job_map *job_map,
                      uint64_t machine)
{
    size_t workers = job_map ? (size_t)job_map->workers : 0;
    int *ours = ovl_alloc(2 * n + workers + 1, sizeof *ours);
    bool alike = true;
    d->our_count = 0;
    for (size_t r = 0; r < n; r++) {
        alike = alike && ranks[r].numbers == ranks[0].numbers;
        ours[d->our_count++] = ranks[r].id;
        if (n > 1 && ranks[r].parent > 1)
            ours[d->our_count++] = ranks[r].parent;
    }
    for (size_t w = 0; w < workers; w++) {
        const struct ovl_job_proc *worker = &job_map->member[job_map->worker_at[w]];
        if (worker->machine == machine)
            ours[d->our_count++] = worker->pid;
    }
    qsort(ours, d->our_count, sizeof *ours, ovl_rivals_order);
    if (alike)
        d->ours = ours;
    else
        free(ours);
}

void ovl_disturb_open(struct ovl_disturb *d, MPI_Comm comm, const struct ovl_provenance *p,
                      const struct ovl_job_map *job_map)
{
    int here, rank;
    struct ovl_machine me;
    *d = (struct ovl_disturb){.comm = comm, .self = gettid(), .quota = ovl_cpu_quota("")};
    ovl_machine_identify(&me);
    struct process mine = {.numbers = numbers_here(), .group = d->quota.group, .id = getpid(), .parent = getppid()},
                   *all;
    MPI_Comm_split(comm, ovl_clock_first_with(comm, p->topology.machine), p->rank, &d->machine);
    MPI_Comm_size(d->machine, &here);
    MPI_Comm_rank(d->machine, &rank);
    MPI_Allreduce(p->topology.mask, d->cores, OVL_MACHINE_MASK_WORDS, MPI_UINT64_T, MPI_BOR, d->machine);
    memcpy(d->watched, d->cores, sizeof d->watched);
    all = ovl_alloc((size_t)here, sizeof *all);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, d->machine);
    d->sharing = p->workers_here; /* they are started as the ranks are */
    for (int r = 0; r < here; r++)
        d->sharing += all[r].group == mine.group;
    d->spare = p->cores_together - p->ranks_here - p->workers_here;
    if (p->waiting_here > 0 && d->spare > -p->waiting_here)
        d->spare = -p->waiting_here;
    if (rank == 0)
        list_ours(d, all, (size_t)here, job_map, me.id);
    free(all);
    ovl_disturb_begin(d);
}

void ovl_disturb_close(struct ovl_disturb *d)
{
    if (d->self == 0)
        return;
    ovl_rivals_free(&d->rivals);
    free(d->ours);
    MPI_Comm_free(&d->machine);
}

void ovl_disturb_begin(struct ovl_disturb *d)
{
    ovl_rivals_free(&d->rivals);
    if (d->ours)
        ovl_rivals_read(&d->rivals, "", d->ours, d->our_count, d->watched);
    d->throttled = ovl_cpu_throttled("");
    d->began = ovl_clock_ns(); /* the span holds both readings, so that no share of it is over 1 */
    ovl_threads_read(&d->threads, "", d->self);
}

void ovl_disturb_thread(struct ovl_disturb *d, int progress, bool apart)
{
    uint64_t mask[OVL_MACHINE_MASK_WORDS] = {0};
    d->progress = progress;
    d->apart = apart;
    if (apart)
        ovl_machine_mask(progress, mask);
    MPI_Allreduce(MPI_IN_PLACE, mask, OVL_MACHINE_MASK_WORDS, MPI_UINT64_T, MPI_BOR, d->machine);
    for (int w = 0; w < OVL_MACHINE_MASK_WORDS; w++)
        d->watched[w] |= mask[w];
    ovl_disturb_begin(d);
}

static double waited_so_far(const struct ovl_threads *of, int id)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->id[i] == id)
            return of->wanted[i] - of->ran[i];
    return 0;
}

/* Seconds: the rank's own thread, or its progress thread, whichever lacked its core for longer. */
static double waited(const struct ovl_disturb *d, const struct ovl_threads *now)
{
    double mine = now->waited - d->threads.waited,
           its = waited_so_far(now, d->progress) - waited_so_far(&d->threads, d->progress);
    return d->apart && its > mine ? its : mine;
}

/* Of one that is to be there. */
static void leave_out(struct ovl_threads *of, int id)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->id[i] == id) {
            of->count--;
            of->id[i] = of->id[of->count];
            of->ran[i] = of->ran[of->count];
            of->wanted[i] = of->wanted[of->count];
            return;
        }
}

/* Collective over the machine: busy threads of its ranks, and the cores that they leave. */
static double count_busy(const struct ovl_disturb *d, const struct ovl_threads *now, double seconds, double *spare)
{
    uint64_t mask[OVL_MACHINE_MASK_WORDS] = {0};
    int busy = (int)ovl_threads_busy(&d->threads, now, seconds, mask);
    MPI_Allreduce(MPI_IN_PLACE, &busy, 1, MPI_INT, MPI_SUM, d->machine);
    MPI_Allreduce(MPI_IN_PLACE, mask, OVL_MACHINE_MASK_WORDS, MPI_UINT64_T, MPI_BOR, d->machine);
    for (int w = 0; w < OVL_MACHINE_MASK_WORDS; w++)
        mask[w] &= ~d->cores[w]; /* threads may have cores of their own */
    *spare = d->spare + ovl_bits_count(mask, OVL_MACHINE_MASK_WORDS) - busy;
    return busy;
}

/* Collective: busy threads of all machines, and those that find cores which ranks and workers leave. */
static void sum_threads(struct ovl_disturb *d, double busy, double spare)
{
    int place;
    MPI_Comm_rank(d->machine, &place);
    double mine[2] = {busy, fmax(0, busy + fmin(0, spare))}, all[2] = {0, 0};
    for (int i = 0; i < 2 && place > 0; i++)
        mine[i] = 0; /* the first of the machine tells */
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, d->comm);
    d->busy_threads = all[0];
    d->housed_threads = all[1];
}

static double count_rivals(const struct ovl_disturb *d, double seconds)
{
    struct ovl_rivals now;
    if (!d->ours)
        return NAN;
    ovl_rivals_read(&now, "", d->ours, d->our_count, d->watched);
    double n = ovl_rivals_count(&d->rivals, &now, seconds);
    ovl_rivals_free(&now);
    return n;
}

struct ovl_disturbance ovl_disturb_end(struct ovl_disturb *d)
{
    enum { NUMBERS = sizeof(struct ovl_disturbance) / sizeof(double) };
    struct ovl_disturbance mine, most;
    struct ovl_threads now;
    double *x = (double *)&mine, *largest = (double *)&most;
    ovl_threads_read(&now, "", d->self);
    double seconds = ovl_clock_since(d->began), lacked = waited(d, &now);
    leave_out(&now, d->progress);
    struct ovl_cpu_throttled throttled = ovl_cpu_throttled("");
    mine.waited = lacked / seconds;
    mine.switches = now.switches - d->threads.switches;
    mine.others = count_rivals(d, seconds);
    mine.busy_threads = count_busy(d, &now, seconds, &mine.spare_cores);
    sum_threads(d, mine.busy_threads, mine.spare_cores);
    mine.throttled = throttled.periods - d->throttled.periods;
    mine.throttled_seconds = throttled.seconds - d->throttled.seconds;
    mine.spare_cores = -mine.spare_cores; /* of this one the least */
    for (int i = 0; i < NUMBERS; i++)
        x[i] = isnan(x[i]) ? -INFINITY : x[i];
    most = mine; /* of the others */
    MPI_Reduce(&mine, &most, NUMBERS, MPI_DOUBLE, MPI_MAX, 0, d->comm);
    for (int i = 0; i < NUMBERS; i++)
        largest[i] = isfinite(largest[i]) ? largest[i] : NAN;
    most.spare_cores = -most.spare_cores;
    return most;
}

static struct ovl_disturbance end_after(struct ovl_disturb *d, double seconds)
{
    double left = seconds - ovl_clock_since(d->began);
    struct timespec nap = {.tv_nsec = (long)(1e9 * left)};
    if (left > 0)
        nanosleep(&nap, NULL);
    return ovl_disturb_end(d);
}

/* Collective. Of a library that was just loaded, threads spin for a while before they sleep, OpenBLAS's for 2^26
   cycles: where some are busy, another span tells whether they stay so. */
static struct ovl_disturbance at_start(struct ovl_disturb *d)
{
    const double seconds = 0.05;
    struct ovl_disturbance seen = end_after(d, seconds);
    int busy = seen.busy_threads > 0;
    MPI_Bcast(&busy, 1, MPI_INT, 0, d->comm);
    if (!busy)
        return seen;
    ovl_disturb_begin(d);
    return end_after(d, seconds);
}

/* Collective: of the ranks whose quota is exceeded by most. */
static void add_quota(const struct ovl_disturb *d, json_t *to)
{
    int rank;
    struct {
        double value;
        int rank;
    } mine = {d->sharing / d->quota.cpus, 0}, worst;
    double numbers[2] = {d->sharing, d->quota.cpus};
    MPI_Comm_rank(d->comm, &mine.rank);
    rank = mine.rank;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, d->comm);
    MPI_Bcast(numbers, 2, MPI_DOUBLE, worst.rank, d->comm);
    if (rank != 0)
        return;
    bool over = worst.value > 1;
    json_object_set_new(to, "quota_processes", over ? json_integer((json_int_t)numbers[0]) : json_null());
    json_object_set_new(to, "quota_processors", over ? json_real(numbers[1]) : json_null());
}

json_t *ovl_disturb_json(struct ovl_disturb *d)
{
    static const char in[] = "disturbance.";
    int rank;
    struct ovl_cell cell = {.disturbance = at_start(d)};
    MPI_Comm_rank(d->comm, &rank);
    json_t *numbers = rank == 0 ? json_object() : NULL;
    for (const struct ovl_field *f = ovl_fields_cell; f->path && numbers; f++)
        if (strncmp(f->path, in, strlen(in)) == 0)
            json_object_set_new(numbers, f->path + strlen(in), ovl_field_json(f, &cell));
    add_quota(d, numbers);
    return numbers;
}
