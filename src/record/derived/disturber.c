/* Who disturbs a run, and what helps: a row each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/disturber.h"
#include "base/name.h"
#include "base/number.h"
#include "base/utf8.h"
#include "record/derived/noisy.h"
#include "record/status.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHAT = 200, CURE = 120 };

/* Each says what of it is there, or returns false. */
struct row {
    bool (*in_run)(const struct row *row, const json_t *head, char what[WHAT]);
    bool (*in_cell)(const struct ovl_cell *cell, char what[WHAT]);
    void (*choose)(const json_t *head, char cure[CURE]); /* or always the same: */
    const char *cure;
    const char *word;         /* before the warning, or NULL */
    const char *field, *noun; /* of hosts[] */
    bool lasts;               /* what is in the run line holds for all cells */
};

static double number_at(const json_t *o, const char *name)
{
    const json_t *x = json_object_get(o, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static double started_with(const json_t *head, const char *name)
{
    return number_at(json_object_get(head, "disturbance"), name);
}

/* CPU quotas. */

static bool quota_in_run(const struct row *row, const json_t *head, char what[WHAT])
{
    double processors = started_with(head, "quota_processors"), processes = started_with(head, "quota_processes");
    (void)row;
    snprintf(what, WHAT, "a CPU quota leaves %.0f processes the time of %.3g processor%s", processes, processors,
             processors == 1 ? "" : "s");
    return processors > 0 && processes > processors;
}

static bool quota_in_cell(const struct ovl_cell *cell, char what[WHAT])
{
    double periods = cell->disturbance.throttled;
    snprintf(what, WHAT, "the kernel stopped ranks in %.0f period%s of a CPU quota", periods, periods == 1 ? "" : "s");
    return ovl_cell_noise(cell) == OVL_THROTTLED;
}

static void choose_quota(const json_t *head, char cure[CURE])
{
    bool for_one = started_with(head, "quota_processors") < 2; /* who would communicate with nobody */
    snprintf(cure, CURE, "a larger quota (cpu.max, docker --cpus)%s", for_one ? "" : ", or fewer ranks");
}

/* Threads of the ranks' own. */

static bool threads(double busy, double spare, char what[WHAT])
{
    snprintf(what, WHAT, "the ranks of a machine have %.0f busy thread%s besides, and lack %.0f core%s", busy,
             busy == 1 ? "" : "s", -spare, spare == -1 ? "" : "s");
    return busy > 0 && spare < 0;
}

static bool threads_in_run(const struct row *row, const json_t *head, char what[WHAT])
{
    (void)row;
    return threads(started_with(head, "busy_threads"), started_with(head, "spare_cores"), what);
}

static bool threads_in_cell(const struct ovl_cell *cell, char what[WHAT])
{
    return threads(cell->disturbance.busy_threads, cell->disturbance.spare_cores, what);
}

/* Which variable has brought them? */
static void choose_threads(const json_t *head, char cure[CURE])
{
    static const struct {
        const char *name, *off;
    } known[] = {{"MPICH_ASYNC_PROGRESS", "0"}, {"MPIR_CVAR_ASYNC_PROGRESS", "0"}, {"I_MPI_ASYNC_PROGRESS", "0"},
                 {"MKL_NUM_THREADS", "1"},      {"OPENBLAS_NUM_THREADS", "1"},     {"OMP_NUM_THREADS", "1"}};
    enum { KNOWN = sizeof known / sizeof *known };
    size_t which = 0;
    for (; which < KNOWN - 1; which++) {
        const char *set = json_string_value(json_object_get(json_object_get(head, "environment"), known[which].name));
        if (set && strcmp(set, known[which].off) != 0)
            break;
    }
    double cores = number_at(json_array_get(json_object_get(head, "hosts"), 0), "cores"),
           ranks = ceil(number_at(head, "ranks") / number_at(head, "nodes"));
    if (cores < 2 * ranks)
        snprintf(cure, CURE, "%s=%s, or %.0f cores on a node with %.0f rank%s", known[which].name, known[which].off,
                 2 * ranks, ranks, ranks == 1 ? "" : "s");
    else
        snprintf(cure, CURE, "more cores for each rank (mpiexec -bind-to core:2), or %s=%s", known[which].name,
                 known[which].off);
}

/* Processes of others, and guests. */

static void say_others(double n, char what[WHAT])
{
    if (n == 1)
        snprintf(what, WHAT, "another process runs on the ranks' cores");
    else
        snprintf(what, WHAT, "%.0f other processes run on the ranks' cores", n);
}

static bool others_in_run(const struct row *row, const json_t *head, char what[WHAT])
{
    double n = started_with(head, "other_processes");
    (void)row;
    say_others(n, what);
    return n > 0 && n > started_with(head, "spare_cores");
}

static bool others_in_cell(const struct ovl_cell *cell, char what[WHAT])
{
    say_others(cell->disturbance.others, what);
    return ovl_cell_noise(cell) == OVL_RIVALLED && cell->disturbance.others > 0;
}

static bool unseen_in_cell(const struct ovl_cell *cell, char what[WHAT])
{
    snprintf(what, WHAT, "ranks wait %s %% of the time for cores of their own",
             OVL_PERCENT(0, cell->disturbance.waited));
    return ovl_cell_noise(cell) == OVL_RIVALLED;
}

static bool steal_in_cell(const struct ovl_cell *cell, char what[WHAT])
{
    snprintf(what, WHAT, "other guests of the hypervisor took %s %% of the time of a rank's cores",
             OVL_PERCENT(0, cell->steal_fraction));
    return ovl_cell_noise(cell) == OVL_STOLEN;
}

/* Unlike nodes. */

static const char *text_of(const json_t *host, const char *name)
{
    return json_string_value(json_object_get(host, name));
}

static json_int_t count_of(const json_t *counts, const char *value)
{
    return json_integer_value(json_object_get(counts, value));
}

/* Nodes that differ from most; of as many the first is like most. */
static bool nodes_in_run(const struct row *row, const json_t *head, char what[WHAT])
{
    const json_t *hosts = json_object_get(head, "hosts");
    json_t *counts = json_object();
    const char *usual = NULL, *value, *other = NULL, *node = NULL;
    size_t n = json_array_size(hosts), differ = 0;
    char is[64], not [64];
    for (size_t i = 0; i < n; i++)
        if ((value = text_of(json_array_get(hosts, i), row->field)))
            json_object_set_new(counts, value, json_integer(count_of(counts, value) + 1));
    for (size_t i = 0; i < n; i++)
        if ((value = text_of(json_array_get(hosts, i), row->field)) &&
            (!usual || count_of(counts, value) > count_of(counts, usual)))
            usual = value;
    for (size_t i = 0; i < n; i++)
        if ((value = text_of(json_array_get(hosts, i), row->field)) && strcmp(value, usual) != 0 && differ++ == 0) {
            other = value;
            node = text_of(json_array_get(hosts, i), "name");
        }
    json_decref(counts);
    if (differ == 0)
        return false;
    ovl_name_shorten(is, sizeof is, other);
    ovl_name_shorten(not, sizeof not, usual);
    bool tells = strcmp(is, not ) != 0;
    ovl_utf8_print(what, WHAT, "%zu of %zu nodes differ%s from the others in the %s: %.32s has %.48s, not %.48s",
                   differ, n, differ == 1 ? "s" : "", row->noun, node ? node : "?", tells ? is : other,
                   tells ? not : usual);
    return true;
}

static const char *node_of(const json_t *head, size_t rank)
{
    const json_t *node = json_array_get(json_object_get(head, "rank_hosts"), rank);
    const char *name = NULL;
    if (json_is_integer(node) && json_integer_value(node) >= 0)
        name = text_of(json_array_get(json_object_get(head, "hosts"), (size_t)json_integer_value(node)), "name");
    return name ? name : "?";
}

/* The rank whose rate is farthest from the median. A calibration that did not come out says nothing of ranks. */
static bool rank_in_run(const struct row *row, const json_t *head, char what[WHAT])
{
    const double most = 0.03, calibrated = 0.02;
    const json_t *calibration = json_object_get(head, "calibration"),
                 *rates = json_object_get(calibration, "rank_units_per_second");
    size_t n = json_array_size(rates), farthest = 0, off = 0;
    double *sorted = n > 0 ? ovl_alloc(n, sizeof *sorted) : NULL, worst = 0;
    (void)row;
    for (size_t r = 0; r < n; r++)
        sorted[r] = json_number_value(json_array_get(rates, r));
    double median = n > 0 ? ovl_stats_median(sorted, n) : NAN;
    free(sorted);
    for (size_t r = 0; r < n; r++) {
        double apart = json_number_value(json_array_get(rates, r)) / median - 1;
        off += fabs(apart) > most;
        if (fabs(apart) > fabs(worst) || (apart < 0 && apart == -worst)) {
            worst = apart;
            farthest = r;
        }
    }
    if (n == 2) /* whose median is in the middle: the slower one against the other */
        worst = 2 * worst / (1 - worst);
    size_t length =
        ovl_utf8_print(what, WHAT, "rank %zu on %.40s computes %s %% %s than %s", farthest, node_of(head, farthest),
                       OVL_PERCENT(0, fabs(worst)), worst < 0 ? "slower" : "faster",
                       n > 2           ? "the median rank"
                       : farthest == 0 ? "rank 1"
                                       : "rank 0");
    if (off > 1 && n > 2)
        ovl_utf8_print(what + length, WHAT - length, ", and %zu more %s over 3 %% off", off - 1,
                       off == 2 ? "is" : "are");
    return off > 0 && number_at(calibration, "nonlinearity") <= calibrated;
}

static bool several_nodes(const json_t *head)
{
    return json_array_size(json_object_get(head, "hosts")) > 1;
}

static void choose_pace(const json_t *head, char cure[CURE])
{
    snprintf(cure, CURE, "%s",
             several_nodes(head) ? "nodes of one pace; ovl_noise says which is not"
                                 : "cores of which nobody else makes use, nor of their sibling threads");
}

/* The gravest first. */
static const struct row rows[] = {
    {.in_run = quota_in_run, .in_cell = quota_in_cell, .choose = choose_quota, .lasts = true},
    {.in_run = threads_in_run, .in_cell = threads_in_cell, .choose = choose_threads, .word = "oversubscribed"},
    {.in_run = others_in_run,
     .in_cell = others_in_cell,
     .cure = "cores of which nobody else makes use (ps -eo psr,pcpu,args)"},
    {.in_cell = steal_in_cell, .cure = "a machine with fewer guests; ovl_noise says which node it is"},
    {.in_cell = unseen_in_cell, .cure = "ranks bound to cores of an idle machine; ovl_noise says what disturbs them"},
    {.in_run = nodes_in_run, .field = "cpu", .noun = "processor", .cure = "nodes of one kind", .lasts = true},
    {.in_run = nodes_in_run, .field = "kernel", .noun = "kernel", .cure = "nodes of one kind", .lasts = true},
    {.in_run = nodes_in_run,
     .field = "mpi_library",
     .noun = "MPI library",
     .cure = "one library on all",
     .lasts = true},
    {.in_run = rank_in_run, .choose = choose_pace, .lasts = true},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *cure_of(const struct row *row, const json_t *head, char cure[CURE])
{
    if (!row->choose)
        return row->cure;
    row->choose(head, cure);
    return cure;
}

void ovl_disturber_warn(const json_t *run_line, json_t *warnings)
{
    char what[WHAT], cure[CURE];
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].in_run && rows[i].in_run(&rows[i], run_line, what))
            json_array_append_new(warnings,
                                  json_sprintf("%s%s%s; try %s", rows[i].word ? rows[i].word : "",
                                               rows[i].word ? ": " : "", what, cure_of(&rows[i], run_line, cure)));
}

/* At least half of the cells; `what` is of the last. */
static bool in_cells(const struct row *row, const struct ovl_run *run, char what[WHAT])
{
    char text[WHAT];
    size_t n = 0;
    for (size_t i = 0; i < run->cell_count && row->in_cell; i++)
        if (row->in_cell(&run->cells[i], text)) {
            memcpy(what, text, sizeof text);
            n++;
        }
    return n > 0 && 2 * n >= run->cell_count;
}

bool ovl_disturber_next(const struct ovl_run *run, char text[OVL_DISTURBER_TEXT])
{
    char what[WHAT], cure[CURE];
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        bool by_run = row->lasts && (row->in_cell || several_nodes(run->head)) && row->in_run(row, run->head, what);
        if (!by_run && !in_cells(row, run, what))
            continue;
        ovl_utf8_print(text, OVL_DISTURBER_TEXT, "%s: %s", cure_of(row, run->head, cure), what);
        return true;
    }
    return false;
}
