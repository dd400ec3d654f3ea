/* What to try next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "base/utf8.h"
#include "cli/sizes.h"
#include "record/derived/disturber.h"
#include "record/status.h"
#include "table/finding.h"
#include "table/situation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The rules. Each says whether it holds, and what is to be tried then. */

static bool data_are_wrong(const struct ovl_situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "another MPI library, transport or path: data came out wrong, as said above");
    return s->wrong_data;
}

static bool one_rank(const struct ovl_situation *s, char *next)
{
    double workers = json_number_value(json_object_get(s->run->head, "workers"));
    if (workers > 0)
        snprintf(next, OVL_FINDING_TEXT, "mpiexec -n %.0f: two ranks beside the workers; one communicates with nobody",
                 workers + 2);
    else
        snprintf(next, OVL_FINDING_TEXT,
                 "more ranks, by this MPI library's own launcher (mpiexec -n 2): one communicates with nobody");
    return s->alone;
}

static bool something_disturbs(const struct ovl_situation *s, char *next)
{
    char text[OVL_DISTURBER_TEXT];
    bool found = ovl_disturber_next(s->run, text);
    ovl_utf8_print(next, OVL_FINDING_TEXT, "%s", found ? text : "");
    return found && !s->oversubscribed; /* who takes the cores then is the job itself */
}

static bool nothing_claims(const struct ovl_situation *s, char *next)
{
    if (s->host.claims + s->thread.claims + s->dpu.claims > 0)
        return false;
    if (s->oversubscribed && !s->workers_share)
        snprintf(next, OVL_FINDING_TEXT, "fewer ranks: each needs a core of its own");
    else if (s->oversubscribed)
        snprintf(next, OVL_FINDING_TEXT,
                 "a core for each worker beside those of the ranks: %g on a machine, in place of %g", s->wanted,
                 s->cores);
    else if (strncmp(s->invalid, "ranks start apart", strlen("ranks start apart")) == 0)
        snprintf(next, OVL_FINDING_TEXT, "ranks bound to cores of an idle machine; ovl_noise says what disturbs them");
    else if (*s->invalid)
        snprintf(next, OVL_FINDING_TEXT, "ovl_noise, which says whether these nodes are fit; reasons are above");
    return true;
}

static bool ranks_wait_for_cores(const struct ovl_situation *s, char *next)
{
    if (s->workers_share)
        snprintf(
            next, OVL_FINDING_TEXT,
            "a core for each worker, %g on a machine in place of %g: they share those of the ranks, and times hold "
            "the waiting",
            s->wanted, s->cores);
    else
        snprintf(next, OVL_FINDING_TEXT, "fewer ranks: they share cores, and times hold the waiting");
    return s->oversubscribed;
}

static bool too_short(const struct ovl_situation *s, char *next)
{
    if (s->host.usable + s->thread.usable + s->dpu.usable + s->host.vague + s->thread.vague + s->dpu.vague > 0)
        return false;
    if (s->run->cell_count > 0 && s->run->cells[0].size_bytes > 0)
        snprintf(next, OVL_FINDING_TEXT, "larger messages (-m)");
    return true;
}

static bool small_for_workers(const struct ovl_situation *s, char *next)
{
    char size[24];
    ovl_options_size_text(isnan(s->dpu_from) ? 0 : (uint64_t)s->dpu_from, size);
    snprintf(next, OVL_FINDING_TEXT, "--dpu-min %s: below, the host is the quicker one", size);
    return !isnan(s->dpu_from);
}

/* Did --max-time end cells before they had 30 blocks? How long the slowest of these needs for so many. */
static bool out_of_time(const struct ovl_situation *s, char *next)
{
    const json_t *options = json_object_get(s->run->head, "options");
    double time = json_number_value(json_object_get(options, "max_time")), need = 0, blocks = INFINITY;
    double most = json_number_value(json_array_get(json_object_get(options, "iterations"), 1));
    for (size_t i = 0; i < s->run->cell_count; i++) {
        const struct ovl_cell *c = &s->run->cells[i];
        if (!ovl_cell_claims(c) || !(c->blocks > 0) || c->blocks >= fmin(30, most) || c->blocks >= blocks)
            continue;
        blocks = c->blocks;
        need = 30 * time / blocks;
    }
    double digit = pow(10, floor(log10(need)));
    snprintf(next, OVL_FINDING_TEXT, "--max-time %g: it ended cells after %g blocks, and 30 take so long",
             ceil(need / digit) * digit, blocks);
    return need > 0;
}

/* Who had help, or the host. */
static const struct ovl_facts *helped(const struct ovl_situation *s)
{
    return s->dpu.largest ? &s->dpu : s->thread.largest ? &s->thread : &s->host;
}

static bool wide(const struct ovl_situation *s, char *next)
{
    char unended[OVL_FINDING_TEXT];
    if (out_of_time(s, unended))
        snprintf(next, OVL_FINDING_TEXT, "%s", unended);
    else
        snprintf(next, OVL_FINDING_TEXT, "-i 100:10000 --max-time 60: most intervals are wide");
    size_t usable = s->host.usable + s->thread.usable + s->dpu.usable,
           vague = s->host.vague + s->thread.vague + s->dpu.vague, wide = s->host.wide + s->thread.wide + s->dpu.wide;
    return 2 * wide > usable || (usable == 0 && vague > 0);
}

static bool slows_work(const struct ovl_situation *s, char *next)
{
    const struct ovl_facts *f = helped(s);
    snprintf(
        next, OVL_FINDING_TEXT,
        "a core of its own for what progresses the communication: beside it the work takes at least %.2f times as long",
        f->slowdown);
    return f->slowdown > 1.1;
}

static bool host_without_tests(const struct ovl_situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "-t 8: test calls let the MPI library move data while the ranks compute");
    return s->host.largest && s->host.kind <= OVL_FOUND_PART && s->tests == 0;
}

/* Then nothing is hidden by more of them. */
static bool tests_move_the_data(const struct ovl_situation *s, char *next)
{
    const struct ovl_cell *c = s->host.largest;
    double share = c ? c->summary[OVL_TEST].median / c->summary[OVL_COMM].median : NAN;
    snprintf(next, OVL_FINDING_TEXT,
             "%s: test calls take %s %% of the communication's time, so they move the data themselves",
             s->no_workers ? "fewer test calls (-t)" : "--mode host,dpu, or fewer test calls (-t)",
             OVL_PERCENT(0, share));
    return s->tests > 0 && s->host.kind <= OVL_FOUND_PART && s->dpu.cells == 0 && share > 0.5;
}

static bool host_with_tests(const struct ovl_situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "--mode host,dpu: a worker on a core of its own moves the data");
    return s->host.largest && s->host.kind <= OVL_FOUND_LITTLE && s->dpu.cells == 0 && !s->no_workers;
}

static bool more_tests(const struct ovl_situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "-t %g: more test calls may hide more", 4 * s->tests);
    return s->host.largest && s->host.kind == OVL_FOUND_PART && s->tests > 0 && s->dpu.cells == 0;
}

static bool blocking_is_as_good(const struct ovl_situation *s, char *next)
{
    const struct ovl_facts *f = helped(s);
    snprintf(next, OVL_FINDING_TEXT, "-f: computing first and calling the blocking twin then is no slower; see C / B");
    return f->speedup < 1;
}

/* A program's data seldom come from where the last message was. */
static bool buffers_are_hot(const struct ovl_situation *s, char *next)
{
    const struct ovl_facts *f = helped(s);
    double cache = 0;
    json_t *caches = json_object_get(json_array_get(json_object_get(s->run->head, "hosts"), 0), "caches"), *one;
    size_t i;
    json_array_foreach(caches, i, one)
        cache = fmax(cache, json_number_value(json_object_get(one, "bytes")));
    bool hot = f->largest && f->largest->rotate == 1 && 2 * f->smallest->size_bytes <= cache;
    snprintf(next, OVL_FINDING_TEXT, "--rotate 8: a message from the same buffer each time is hot in a cache");
    return hot;
}

static bool more_launches(const struct ovl_situation *s, char *next)
{
    (void)s;
    snprintf(next, OVL_FINDING_TEXT, "more launches, by ovl sweep: one says little of the next");
    return true;
}

/* The first that holds. */
static bool (*const rules[])(const struct ovl_situation *s, char *next) = {
    data_are_wrong,
    one_rank,
    something_disturbs,
    nothing_claims,
    ranks_wait_for_cores,
    too_short,
    small_for_workers,
    slows_work,
    host_without_tests,
    tests_move_the_data,
    more_tests,
    host_with_tests,
    wide,
    blocking_is_as_good,
    buffers_are_hot,
    more_launches,
};

void ovl_situation_next(const struct ovl_situation *s, char *next)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        *next = '\0';
        if (rules[i](s, next))
            return;
    }
}
