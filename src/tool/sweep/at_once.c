/* Several launches at once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/at_once.h"
#include "tool/sweep/attempt.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/plan/each.h"
#include "tool/sweep/there.h"

#include <stdio.h>
#include <string.h>

/* A launch at work. */
struct one {
    size_t launch, attempt; /* index in the plan */
    uint64_t tries;
    json_t *hosts; /* names; none: it has all */
};

struct working {
    struct one one[OVL_SWEEP_AT_ONCE];
    struct ovl_process_running running[OVL_SWEEP_AT_ONCE]; /* of each the same index */
    size_t count;
};

int ovl_sweep_at_once_check(const struct ovl_plan *plan, struct ovl_error *err)
{
    bool named = false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct ovl_launch *l = &plan->launch[i];
        named = named || json_object_get(l->job, "hosts");
        if (ovl_plan_hook(plan, l->job, "before") || ovl_plan_hook(plan, l->job, "after"))
            return ovl_error_set(err, OVL_USAGE,
                                 "--at-once: hooks stand around one launch, on the machine of all; leave them out");
    }
    return named ? 0
                 : ovl_error_set(err, OVL_USAGE,
                                 "--at-once: no job of the plan names nodes of its own; give it \"hosts\" or \"each\"");
}

static json_t *hosts_of(const struct ovl_launch *l)
{
    json_t *names = json_array();
    ovl_each_hosts_of(names, json_object_get(l->job, "hosts"));
    return names;
}

static bool apart(const json_t *a, const json_t *b)
{
    json_t *x, *y;
    size_t i, k;
    json_array_foreach(a, i, x)
        json_array_foreach(b, k, y)
            if (ovl_each_same_host(json_string_value(x), json_string_value(y)))
                return false;
    return json_array_size(a) > 0 && json_array_size(b) > 0;
}

static bool has_room(const struct working *w, const json_t *hosts)
{
    for (size_t k = 0; k < w->count; k++)
        if (!apart(w->one[k].hosts, hosts))
            return false;
    return true;
}

/* Takes `hosts` of *one. */
static int begin(struct ovl_sweeping *s, struct working *w, const struct one *one, struct ovl_error *err)
{
    s->launch = &s->plan.launch[one->launch];
    s->attempt = ovl_sweep_next_attempt(s, s->launch);
    w->one[w->count] = *one;
    w->one[w->count].attempt = s->attempt;
    if (ovl_sweep_attempt_open(s, err) != 0 || ovl_sweep_attempt_start(s, &w->running[w->count], err) != 0) {
        json_decref(one->hosts);
        return -1;
    }
    w->count++;
    return 0;
}

/* Starts what can start, in the order of the plan. */
static int fill(struct ovl_sweeping *s, struct working *w, size_t *next, struct ovl_error *err)
{
    while (w->count < s->options->at_once && *next < s->plan.count) {
        const struct ovl_launch *l = &s->plan.launch[*next];
        if (w->count > 0 && ovl_sweep_lacks_work(s, l)) /* that may be at work */
            return 0;
        if (ovl_sweep_passes_over(s, *next)) {
            ++*next;
            continue;
        }
        json_t *hosts = hosts_of(l);
        if (!has_room(w, hosts)) {
            json_decref(hosts);
            return 0;
        }
        if (begin(s, w, &(struct one){.launch = (*next)++, .hosts = hosts}, err) != 0)
            return -1;
    }
    return 0;
}

/* Takes the one that ended away, and starts it again where it failed and may be. */
static int end(struct ovl_sweeping *s, struct working *w, size_t which, struct ovl_process *p, bool again,
               struct ovl_error *err)
{
    struct one one = w->one[which];
    size_t failed = s->failed;
    w->one[which] = w->one[--w->count];
    w->running[which] = w->running[w->count];
    s->launch = &s->plan.launch[one.launch];
    s->attempt = one.attempt;
    ovl_sweep_attempt_tell(s, one.launch);
    if (ovl_sweep_attempt_conclude(s, p, "", err) != 0) {
        printf("\n");
        json_decref(one.hosts);
        return -1;
    }
    ovl_sweep_tell_left(s, one.launch);
    fflush(stdout);
    if (s->failed > failed && again && !*s->other_build && one.tries++ < s->options->retry &&
        !ovl_sweep_interrupted(p)) {
        s->failed = failed; /* it is attempted again, and counts once */
        return begin(s, w, &one, err);
    }
    json_decref(one.hosts);
    return 0;
}

int ovl_sweep_run_at_once(struct ovl_sweeping *s, struct ovl_process *p, struct ovl_error *err)
{
    struct working w = {.count = 0};
    struct ovl_error later, *told = err; /* the first error counts, and those at work are ended in order */
    size_t next = 0, which;
    bool ends = false, interrupted = false;
    int rc = 0;
    for (;;) {
        interrupted = ovl_sweep_interrupted(p) || interrupted;
        ends = ends || interrupted;
        if (rc == 0 && !ends)
            rc = fill(s, &w, &next, told);
        if (w.count == 0)
            break;
        told = rc == 0 ? err : &later;
        if (ovl_process_wait(w.running, w.count, &which, p, told) != 0) {
            rc = -1;
            json_decref(w.one[which].hosts);
            w.one[which] = w.one[--w.count];
            w.running[which] = w.running[w.count];
            continue;
        }
        if (end(s, &w, which, p, rc == 0 && !ends, told) != 0)
            rc = -1;
        ends = ends || ovl_sweep_ends(s, p);
        interrupted = interrupted || p->how == OVL_PROCESS_INTERRUPTED;
    }
    if (interrupted) /* others may have ended by themselves meanwhile */
        p->how = OVL_PROCESS_INTERRUPTED;
    return rc;
}
