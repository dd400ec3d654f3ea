/* What a run found: facts from its cells, sentences from the facts, and rules for what to try next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/finding.h"
#include "base/utf8.h"
#include "cli/catalog.h"
#include "cli/sizes.h"
#include "record/derived/disturber.h"
#include "record/derived/settle.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { HARM, LITTLE, PART, MOST };

/* What is known of a mode: of its largest sizes, as far down as the same kind goes. */
struct facts {
    const char *mode;
    size_t cells, claims, usable; /* usable: with a hidden part that is known */
    size_t vague;                 /* with a claim, and a hidden part that is not */
    size_t silent;                /* of the work that is looked at, and not usable */
    const struct ovl_cell *largest, *smallest;
    bool all; /* these are all usable sizes */
    enum kind kind;
    double low, high; /* least and greatest hidden part */
    double slowdown;  /* of the work beside the communication, at the largest size: low end of the interval */
    double speedup;   /* against computing first and calling the blocking twin then: high end */
    struct ovl_estimate total_ratio; /* T of dpu mode / T of host mode at the largest size; NaN where there is none */
    size_t wide;                     /* usable cells whose interval is wide, or rests on few blocks */
};

struct situation {
    const struct ovl_run *run;
    struct facts host, dpu;
    bool oversubscribed, wrong_data;
    bool workers_share; /* cores, of which there would be enough for the ranks */
    bool alone;         /* one rank communicates with nobody */
    bool no_workers;    /* that could do the operation: --mode dpu is refused, or there is no core for one */
    double tests;       /* test calls */
    double ratio;       /* nearest to 1, of those measured; NaN: fixed work */
    char invalid[256];  /* the reason of an invalid cell */
    double dpu_from; /* dpu mode's T is below the host's from that size on, and above at the smallest one; else NaN */
};

static enum kind kind_of(const struct ovl_cell *c)
{
    const struct ovl_estimate *hidden = &c->derived[OVL_HIDDEN];
    double hideable = c->derived[OVL_HIDEABLE].value;
    if (isnan(hideable))
        hideable = 1;
    if (hidden->value < -0.05 && hidden->ci_high < 0)
        return HARM;
    return hidden->value < 0.2 * hideable ? LITTLE : hidden->value < 0.8 * hideable ? PART : MOST;
}

static bool nearer(double ratio, double than)
{
    return isnan(than) || fabs(log(ratio)) < fabs(log(than));
}

static bool is_looked_at(const struct situation *s, const struct ovl_cell *c)
{
    return isnan(c->ratio) || c->ratio == s->ratio;
}

static bool is_measured(const struct situation *s, const struct ovl_cell *c, const char *mode)
{
    return strcmp(c->mode, mode) == 0 && ovl_cell_claims(c) && !isnan(c->derived[OVL_HIDDEN].value) &&
           is_looked_at(s, c);
}

/* Within so much; a sentence on less would be on noise. */
static bool is_known(const struct ovl_cell *c)
{
    const double within = 0.15;
    const struct ovl_estimate *hidden = &c->derived[OVL_HIDDEN];
    return hidden->ci_high - hidden->ci_low <= 2 * within;
}

static bool is_usable(const struct situation *s, const struct ovl_cell *c, const char *mode)
{
    return is_measured(s, c, mode) && is_known(c);
}

/* The usable cell of the next smaller size than that of `above` (NULL: the largest), or NULL. */
static const struct ovl_cell *next_smaller(const struct situation *s, const char *mode, const struct ovl_cell *above)
{
    const struct ovl_cell *found = NULL;
    for (size_t i = 0; i < s->run->cell_count; i++) {
        const struct ovl_cell *c = &s->run->cells[i];
        if (is_usable(s, c, mode) && (!above || c->size_bytes < above->size_bytes) &&
            (!found || c->size_bytes > found->size_bytes))
            found = c;
    }
    return found;
}

static void look_at(struct situation *s, struct facts *f, const char *mode)
{
    *f = (struct facts){.mode = mode, .total_ratio = {NAN, NAN, NAN}};
    for (size_t i = 0; i < s->run->cell_count; i++) {
        const struct ovl_cell *c = &s->run->cells[i];
        f->cells += strcmp(c->mode, mode) == 0;
        f->claims += strcmp(c->mode, mode) == 0 && ovl_cell_claims(c);
        f->usable += is_usable(s, c, mode);
        f->silent += strcmp(c->mode, mode) == 0 && is_looked_at(s, c) && !is_usable(s, c, mode);
        f->vague += is_measured(s, c, mode) && !is_known(c);
        f->wide += is_usable(s, c, mode) && (ovl_cell_marks(c) & (1U << OVL_MARK_FEW | 1U << OVL_MARK_WIDE)) != 0;
    }
    const struct ovl_cell *c = next_smaller(s, mode, NULL);
    if (!c)
        return;
    f->largest = c;
    f->kind = kind_of(c);
    f->low = f->high = c->derived[OVL_HIDDEN].value;
    f->slowdown = c->derived[OVL_SLOWDOWN].ci_low;
    f->speedup = c->derived[OVL_SPEEDUP].ci_high;
    const struct ovl_estimate *e = &c->offload_efficiency;
    f->total_ratio = (struct ovl_estimate){1 / e->value, 1 / e->ci_high, 1 / e->ci_low};
    for (; c && kind_of(c) == f->kind; c = next_smaller(s, mode, c)) {
        f->smallest = c;
        f->low = fmin(f->low, c->derived[OVL_HIDDEN].value);
        f->high = fmax(f->high, c->derived[OVL_HIDDEN].value);
    }
    f->all = !c && f->silent == 0;
}

/* Where dpu mode begins to win: the least size, by its interval, above the largest one at which it loses, by its
   interval and by over 2 %. Sizes at which neither is known are passed over. */
static double find_dpu_from(const struct situation *s)
{
    double from = NAN, chosen = json_number_value(json_object_get(json_object_get(s->run->head, "options"), "dpu_min"));
    const struct ovl_cell *c = NULL;
    while ((c = next_smaller(s, "dpu", c))) {
        if (isnan(c->offload_efficiency.value) || chosen > 0)
            return NAN;
        if (c->offload_efficiency.value < 0.98 && c->offload_efficiency.ci_high < 1)
            return from;
        if (c->offload_efficiency.ci_low > 1)
            from = c->size_bytes;
    }
    return NAN; /* it loses none */
}

/* Workers have not all operations, and move messages in one piece; each wants a core beside those of the ranks. */
static bool no_workers(const struct ovl_run *run)
{
    const json_t *hosts = json_object_get(run->head, "hosts"), *options = json_object_get(run->head, "options");
    double cores = 0;
    for (size_t i = 0; i < json_array_size(hosts); i++)
        cores += json_number_value(json_object_get(json_array_get(hosts, i), "cores"));
    return ovl_benchmark_find(ovl_run_text(run, "benchmark"))->host_only ||
           json_is_string(json_object_get(options, "vector")) || (cores > 0 && run->cells[0].ranks >= cores);
}

static void look(struct situation *s, const struct ovl_run *run)
{
    const json_t *warnings = json_object_get(run->head, "warnings");
    *s = (struct situation){.run = run, .ratio = NAN, .tests = NAN};
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        double ranks, workers, cores;
        s->oversubscribed |= warning && strncmp(warning, "oversubscribed", strlen("oversubscribed")) == 0;
        s->workers_share |= warning &&
                            sscanf(warning, "oversubscribed: %lf rank%*[s] and %lf worker%*[s] on %lf", &ranks,
                                   &workers, &cores) == 3 &&
                            ranks <= cores;
    }
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct ovl_cell *c = &run->cells[i];
        if (nearer(c->ratio, s->ratio) && !isnan(c->ratio))
            s->ratio = c->ratio;
        if (strcmp(c->status, "invalid") == 0)
            snprintf(s->invalid, sizeof s->invalid, "%s", c->reason);
        s->wrong_data |= c->validated == 0;
        s->tests = c->test_calls;
    }
    s->alone = run->cells[0].ranks == 1;
    s->no_workers = no_workers(run);
    look_at(s, &s->host, "host");
    look_at(s, &s->dpu, "dpu");
    s->dpu_from = find_dpu_from(s);
}

/* " from 64K to 1M", " at 1M", " at all sizes, 64K to 1M", or nothing where there is no message. */
static void say_sizes(char text[80], const struct facts *f)
{
    char low[24], high[24];
    *text = '\0';
    if (!(f->largest->size_bytes > 0))
        return;
    ovl_options_size_text((uint64_t)f->smallest->size_bytes, low);
    ovl_options_size_text((uint64_t)f->largest->size_bytes, high);
    if (f->smallest == f->largest)
        snprintf(text, 80, " at %s", high);
    else
        snprintf(text, 80, " %s %s to %s", f->all ? "at all sizes," : "from", low, high);
}

/* "3 %", "0 to 5 %". */
static void say_percent(char text[40], const struct facts *f)
{
    double low = round(100 * f->low) + 0.0, high = round(100 * f->high) + 0.0; /* no -0 */
    if (low == high)
        snprintf(text, 40, "%g %%", low);
    else
        snprintf(text, 40, "%g to %g %%", low, high);
}

static void add(struct ovl_finding *f, const char *text)
{
    if (f->count < OVL_FINDINGS)
        ovl_utf8_print(f->found[f->count++], OVL_FINDING_TEXT, "%s", text);
}

static void say(struct ovl_finding *out, const struct situation *s, const struct facts *f)
{
    char text[OVL_FINDING_TEXT], sizes[80], percent[40], largest[24], rest[120] = "";
    size_t n = 0;
    if (f->cells == 0)
        return;
    if (!f->largest) {
        ovl_utf8_print(text, sizeof text, "%s: %s", f->mode,
                       f->vague > 0    ? "no cell says within 15 points how much of the communication is hidden"
                       : f->claims > 0 ? "the communication is too short to say how much of it is hidden"
                                       : "no cell carries a claim");
        add(out, text);
        return;
    }
    say_sizes(sizes, f);
    say_percent(percent, f);
    ovl_options_size_text(f->largest->size_bytes > 0 ? (uint64_t)f->largest->size_bytes : 0, largest);
    if (f == &s->dpu && isfinite(f->total_ratio.value))
        n = (size_t)snprintf(rest, sizeof rest, ";%s%s the total is %.2f times the host's", *sizes ? " at " : "",
                             *sizes ? largest : "", f->total_ratio.value);
    if (n > 0 && isfinite(f->total_ratio.ci_low) && isfinite(f->total_ratio.ci_high))
        n += (size_t)snprintf(rest + n, sizeof rest - n, " (%.2f to %.2f)", f->total_ratio.ci_low,
                              f->total_ratio.ci_high);
    if (f->silent > 0)
        snprintf(rest + n, sizeof rest - n, "; %zu size%s say%s nothing", f->silent, f->silent == 1 ? "" : "s",
                 f->silent == 1 ? "s" : "");
    if (f->kind == HARM)
        ovl_utf8_print(text, sizeof text, "%s: overlapping costs more than it hides (%s hidden)%s%s", f->mode, percent,
                       sizes, rest);
    else if (round(100 * f->high) <= 0)
        ovl_utf8_print(text, sizeof text, "%s: nothing of the communication is hidden (%s)%s%s", f->mode, percent,
                       sizes, rest);
    else
        ovl_utf8_print(text, sizeof text, "%s: %s of the communication is hidden%s%s", f->mode, percent, sizes, rest);
    add(out, text);
}

/* The rules. Each says whether it holds, and what is to be tried then. */

static bool data_are_wrong(const struct situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "another MPI library, transport or path: data came out wrong, as said above");
    return s->wrong_data;
}

static bool one_rank(const struct situation *s, char *next)
{
    double workers = json_number_value(json_object_get(s->run->head, "workers"));
    if (workers > 0)
        snprintf(next, OVL_FINDING_TEXT, "mpiexec -n %.0f: two ranks beside the workers; one communicates with nobody",
                 workers + 2);
    else
        snprintf(next, OVL_FINDING_TEXT, "more ranks: one communicates with nobody; is it the MPI library's launcher?");
    return s->alone;
}

static bool something_disturbs(const struct situation *s, char *next)
{
    char text[OVL_DISTURBER_TEXT];
    bool found = ovl_disturber_next(s->run, text);
    ovl_utf8_print(next, OVL_FINDING_TEXT, "%s", found ? text : "");
    return found;
}

static bool nothing_claims(const struct situation *s, char *next)
{
    if (s->host.claims + s->dpu.claims > 0)
        return false;
    if (s->oversubscribed && !s->workers_share)
        snprintf(next, OVL_FINDING_TEXT, "fewer ranks: each needs a core of its own");
    else if (s->oversubscribed)
        snprintf(next, OVL_FINDING_TEXT, "a core for each worker beside those of the ranks");
    else if (strncmp(s->invalid, "ranks start apart", strlen("ranks start apart")) == 0)
        snprintf(next, OVL_FINDING_TEXT, "ranks bound to cores of an idle machine; ovl_noise says what disturbs them");
    else if (*s->invalid)
        snprintf(next, OVL_FINDING_TEXT, "ovl_noise, which says whether these nodes are fit; reasons are above");
    return true;
}

static bool ranks_wait_for_cores(const struct situation *s, char *next)
{
    if (s->workers_share)
        snprintf(next, OVL_FINDING_TEXT,
                 "a core for each worker: they share those of the ranks, and times hold the waiting");
    else
        snprintf(next, OVL_FINDING_TEXT, "fewer ranks: they share cores, and times hold the waiting");
    return s->oversubscribed;
}

static bool too_short(const struct situation *s, char *next)
{
    if (s->host.usable + s->dpu.usable + s->host.vague + s->dpu.vague > 0)
        return false;
    if (s->run->cell_count > 0 && s->run->cells[0].size_bytes > 0)
        snprintf(next, OVL_FINDING_TEXT, "larger messages (-m)");
    return true;
}

static bool small_for_workers(const struct situation *s, char *next)
{
    char size[24];
    ovl_options_size_text(isnan(s->dpu_from) ? 0 : (uint64_t)s->dpu_from, size);
    snprintf(next, OVL_FINDING_TEXT, "--dpu-min %s: below, the host is the quicker one", size);
    return !isnan(s->dpu_from);
}

/* Did --max-time end cells before they had 30 blocks? How long the slowest of these needs for so many. */
static bool out_of_time(const struct situation *s, char *next)
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

static bool wide(const struct situation *s, char *next)
{
    char unended[OVL_FINDING_TEXT];
    if (out_of_time(s, unended))
        snprintf(next, OVL_FINDING_TEXT, "%s", unended);
    else
        snprintf(next, OVL_FINDING_TEXT, "-i 100:10000 --max-time 60: most intervals are wide");
    size_t usable = s->host.usable + s->dpu.usable, vague = s->host.vague + s->dpu.vague;
    return 2 * (s->host.wide + s->dpu.wide) > usable || (usable == 0 && vague > 0);
}

static bool slows_work(const struct situation *s, char *next)
{
    const struct facts *f = s->dpu.largest ? &s->dpu : &s->host;
    snprintf(
        next, OVL_FINDING_TEXT,
        "a core of its own for what progresses the communication: beside it the work takes at least %.2f times as long",
        f->slowdown);
    return f->slowdown > 1.1;
}

static bool host_without_tests(const struct situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "-t 8: test calls let the MPI library move data while the ranks compute");
    return s->host.largest && s->host.kind <= PART && s->tests == 0;
}

static bool host_with_tests(const struct situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "--mode host,dpu: a worker on a core of its own moves the data");
    return s->host.largest && s->host.kind <= LITTLE && s->dpu.cells == 0 && !s->no_workers;
}

static bool more_tests(const struct situation *s, char *next)
{
    snprintf(next, OVL_FINDING_TEXT, "-t %g: more test calls may hide more", 4 * s->tests);
    return s->host.largest && s->host.kind == PART && s->tests > 0 && s->dpu.cells == 0;
}

static bool blocking_is_as_good(const struct situation *s, char *next)
{
    const struct facts *f = s->dpu.largest ? &s->dpu : &s->host;
    snprintf(next, OVL_FINDING_TEXT, "-f: computing first and calling the blocking twin then is no slower; see C / B");
    return f->speedup < 1;
}

static bool more_launches(const struct situation *s, char *next)
{
    (void)s;
    snprintf(next, OVL_FINDING_TEXT, "more launches, by ovl sweep: one says little of the next");
    return true;
}

/* The first that holds. */
static bool (*const rules[])(const struct situation *s, char *next) = {
    data_are_wrong,      one_rank,      something_disturbs, nothing_claims, ranks_wait_for_cores, too_short,
    small_for_workers,   slows_work,    host_without_tests, more_tests,     host_with_tests,      wide,
    blocking_is_as_good, more_launches,
};

void ovl_finding_make(struct ovl_finding *f, const struct ovl_run *run)
{
    struct situation s;
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    *f = (struct ovl_finding){.count = 0};
    if (run->cell_count == 0 || !b || b->fixed_us > 0 || ovl_cell_solves(&run->cells[0]))
        return;
    look(&s, run);
    if (!s.alone) {
        say(f, &s, &s.host);
        say(f, &s, &s.dpu);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        *f->next = '\0';
        if (rules[i](&s, f->next))
            return;
    }
}
