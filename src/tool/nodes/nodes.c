/* Holding nodes, or pairs of them, against all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/nodes/nodes.h"
#include "base/utf8.h"
#include "stats/stalls.h"
#include "stats/stats.h"
#include "tool/cells/apart.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/point.h"
#include "tool/cells/unlike.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/plan/each.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 3 }; /* places that a median says something of */

const char *const ovl_place_words[OVL_PLACE_STATES] = {"good", "unsure", "open", "elsewhere", "SLOW", "FAILED"};

/* A value of one launch. */
struct value {
    const struct ovl_member *member;
    char *key;
    size_t place;
    double x;
};

/* Of one cell and place. */
struct level {
    size_t place, n;
    double median, least;
    double *x; /* its n values */
};

static size_t node_of(struct ovl_nodes *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->name[i], name) == 0)
            return i;
    n->name = ovl_grow_one(n->name, n->count, sizeof *n->name);
    n->name[n->count] = ovl_text("%s", name);
    return n->count++;
}

/* The place of a job's hosts, which may be new. */
static size_t place_of(struct ovl_nodes *n, const json_t *hosts)
{
    struct ovl_place p = {.nodes = json_array_size(hosts), .worst = NAN, .where = ""};
    for (size_t i = 0; i < p.nodes; i++)
        p.node[i] = node_of(n, json_string_value(json_array_get(hosts, i)));
    if (p.nodes == 2 && p.node[0] > p.node[1]) {
        size_t first = p.node[0];
        p.node[0] = p.node[1];
        p.node[1] = first;
    }
    for (size_t i = 0; i < n->places; i++)
        if (n->place[i].nodes == p.nodes && memcmp(n->place[i].node, p.node, sizeof p.node) == 0)
            return i;
    p.name =
        p.nodes == 1 ? ovl_text("%s", n->name[p.node[0]]) : ovl_text("%s %s", n->name[p.node[0]], n->name[p.node[1]]);
    n->place = ovl_grow_one(n->place, n->places, sizeof *n->place);
    n->place[n->places] = p;
    return n->places++;
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* The hosts of a job that is of one node or a pair; NULL: it is not. */
static const json_t *hosts_of(const json_t *job)
{
    const json_t *hosts = json_object_get(job, "hosts");
    return json_array_size(hosts) == 1 || json_array_size(hosts) == 2 ? hosts : NULL;
}

/* The place of each job, by its name: an object of numbers. */
static json_t *places_of(struct ovl_nodes *n, const struct ovl_plan *plan)
{
    json_t *of = json_object(), *jobs = json_object_get(plan->json, "jobs"), *job;
    size_t i;
    json_array_foreach(jobs, i, job) {
        for (size_t k = 0; k < json_array_size(hosts_of(job)); k++)
            node_of(n, json_string_value(json_array_get(hosts_of(job), k)));
    }
    if (n->count > 0)
        qsort(n->name, n->count, sizeof *n->name, by_name);
    json_array_foreach(jobs, i, job) {
        const json_t *hosts = hosts_of(job);
        if (hosts)
            json_object_set_new(of, json_string_value(json_object_get(job, "name")),
                                json_integer((json_int_t)place_of(n, hosts)));
    }
    return of;
}

static void raise(struct ovl_place *p, enum ovl_place_state state)
{
    p->state = state > p->state ? state : p->state;
}

/* Launches of the plan that left nothing, or nothing that is there. */
static void count_lost(struct ovl_nodes *n, const struct ovl_plan *plan, const struct ovl_sweep_log *log,
                       const json_t *there, const json_t *of)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct ovl_launch *l = &plan->launch[i];
        const json_t *at = json_object_get(of, ovl_launch_job(l));
        const struct ovl_attempts *a = log->lines > 0 ? &log->launch[l->place] : NULL;
        bool wrong = a && a->wrong + (ovl_job_is_ours(l->job) ? a->said : 0) > 0;
        bool whole = a ? a->whole > 0 : true, failed = a && !whole && a->count > 0 && !(a->open && n->how.working);
        if (at && wrong) /* also in an attempt that was made again */
            raise(&n->place[json_integer_value(at)], OVL_PLACE_FAILED);
        if (!at || (whole && ovl_nodes_is_there(there, ovl_launch_job(l), l->number)))
            continue;
        struct ovl_place *p = &n->place[json_integer_value(at)];
        p->failed += failed;
        p->open += !failed;
        raise(p, failed ? OVL_PLACE_FAILED : OVL_PLACE_OPEN);
    }
}

/* Did the run take place there and nowhere else? */
static bool was_there(const struct ovl_nodes *n, struct ovl_place *p, const struct ovl_run *run)
{
    const json_t *hosts = json_object_get(run->head, "hosts");
    bool seen[2] = {false, p->nodes < 2}, other = false;
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const char *host = json_string_value(json_object_get(json_array_get(hosts, i), "name"));
        bool here = false;
        for (size_t k = 0; k < p->nodes && host; k++)
            if (ovl_each_same_host(host, n->name[p->node[k]]))
                seen[k] = here = true;
        if (!here && host)
            ovl_utf8_print(p->elsewhere, sizeof p->elsewhere, "%s", host);
        other = other || !here;
    }
    return seen[0] && seen[1] && !other;
}

static double turned(const struct ovl_nodes *n, double x)
{
    return n->how.metric->more_is_better ? 1 / x : x;
}

/* The values of all launches of places; who was elsewhere, or has none, is marked. */
static struct value *gather(struct ovl_nodes *n, const struct ovl_groups *groups, const json_t *of, const json_t *kinds,
                            size_t *count)
{
    struct value *v = ovl_alloc(groups->member_count + 1, sizeof *v);
    for (size_t i = 0; i < groups->member_count; i++) {
        const struct ovl_member *m = &groups->members[i];
        const json_t *at = json_object_get(of, m->job);
        if (!at)
            continue;
        struct ovl_place *p = &n->place[json_integer_value(at)];
        if (!was_there(n, p, m->run)) {
            raise(p, OVL_PLACE_ELSEWHERE);
            continue;
        }
        double x = turned(n, ovl_metric_of(n->how.metric, m).value);
        if (!(x > 0) || isinf(x))
            raise(p, m->cell->validated == 0 ? OVL_PLACE_FAILED : OVL_PLACE_UNSURE);
        else
            v[(*count)++] = (struct value){m, ovl_nodes_key(m, kinds), (size_t)json_integer_value(at), x};
    }
    return v;
}

static int by_key(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    int order = strverscmp(x->key, y->key);
    return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* The median of the places of the same number of nodes. */
static double middle_of(const struct ovl_nodes *n, const struct level *l, size_t count, size_t nodes, size_t *of)
{
    double *x = ovl_alloc(count + 1, sizeof *x);
    *of = 0;
    for (size_t i = 0; i < count; i++)
        if (n->place[l[i].place].nodes == nodes && !n->place[l[i].place].late)
            x[(*of)++] = l[i].median;
    double median = ovl_stats_median(x, *of);
    free(x);
    return median;
}

/* Are more of that place's launches beyond the limit than of the others' of as many nodes, though its median is not,
   and more than chance makes of one of `of` places? It stalls. */
static bool stalls(const struct ovl_nodes *n, const struct level *l, size_t count, size_t at, size_t of, double limit)
{
    size_t slow = 0, all = 0;
    for (size_t i = 0; i < count; i++)
        if (i != at && !n->place[l[i].place].late && n->place[l[i].place].nodes == n->place[l[at].place].nodes) {
            slow += ovl_stalls_above(l[i].x, l[i].n, limit);
            all += l[i].n;
        }
    return ovl_stalls_more(slow, all, ovl_stalls_above(l[at].x, l[at].n, limit), l[at].n,
                           OVL_STALLS_LEVEL / (double)of);
}

static void judge(struct ovl_nodes *n, const struct level *l, size_t count, const char *label)
{
    bool compared = false;
    for (size_t nodes = 1; nodes <= 2; nodes++) {
        size_t of;
        double middle = middle_of(n, l, count, nodes, &of);
        n->compared[nodes - 1] += of >= LEAST;
        for (size_t i = 0; i < count && of >= LEAST; i++) {
            struct ovl_place *p = &n->place[l[i].place];
            double limit = middle * (1 + n->how.within);
            if (p->nodes != nodes)
                continue;
            compared = true;
            p->compared++;
            if (p->late) /* at another time: what that time was like is all that it says */
                continue;
            raise(p, l[i].least > limit                                         ? OVL_PLACE_SLOW
                     : l[i].median > limit || stalls(n, l, count, i, of, limit) ? OVL_PLACE_UNSURE
                                                                                : OVL_PLACE_GOOD);
            if (!(l[i].median / middle <= p->worst)) {
                p->worst = l[i].median / middle;
                p->where = label;
            }
        }
    }
    n->alone += !compared;
}

static bool same_work(const struct ovl_nodes *n, const struct value *v, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!ovl_same_model(v[i].member->run, v[0].member->run) ||
            (n->how.metric->of_work && !n->how.any_work && !ovl_same_units(v[i].member->cell, v[0].member->cell)))
            return false;
    return true;
}

/* Has each launch of their jobs that value? They are of one cell and place. */
static bool has_each(const struct value *v, size_t count, const json_t *of)
{
    bool all = true;
    for (size_t job = 0; job < count && all; job++) {
        size_t files = 0;
        for (size_t i = 0; i < count && (job == 0 || strcmp(v[job - 1].member->job, v[job].member->job) != 0); i++) {
            bool first = strcmp(v[i].member->job, v[job].member->job) == 0;
            for (size_t k = 0; k < i && first; k++)
                first = strcmp(v[k].member->run->file, v[i].member->run->file) != 0;
            files += first;
        }
        all = files == 0 || (json_int_t)files >= json_integer_value(json_object_get(of, v[job].member->job));
    }
    return all;
}

static void mark_late(struct ovl_nodes *n, const struct value *v, size_t count)
{
    const struct ovl_run **run = ovl_alloc(count, sizeof *run);
    size_t *place = ovl_alloc(count, sizeof *place);
    for (size_t i = 0; i < count; i++) {
        run[i] = v[i].member->run;
        place[i] = v[i].place;
    }
    ovl_nodes_mark_late(n, run, place, count);
    free(place);
    free(run);
}

/* Values of one cell: a level for each place. */
static void judge_cell(struct ovl_nodes *n, const struct value *v, size_t count, const struct ovl_groups *groups)
{
    struct level *l = ovl_alloc(count, sizeof *l);
    size_t levels = 0;
    const char *label = "";
    for (size_t k = 0; k < groups->count; k++)
        for (size_t i = 0; i < groups->group[k].count; i++)
            if (&groups->group[k].member[i] == v->member)
                label = groups->group[k].label;
    n->cell = ovl_grow_one(n->cell, n->cells, sizeof *n->cell);
    n->cell[n->cells] = ovl_text("%.*s", (int)(strstr(label, " job=") ? strstr(label, " job=") - label : 255), label);
    label = n->cell[n->cells++];
    for (size_t i = 0, same; i < count; i += same) {
        double *x = ovl_alloc(count, sizeof *x);
        for (same = 0; i + same < count && v[i + same].place == v[i].place; same++)
            x[same] = v[i + same].x;
        struct ovl_summary s = ovl_stats_summarise(x, same);
        l[levels++] = (struct level){v[i].place, same, s.median, s.min, x};
        n->place[v[i].place].cells++;
        n->place[v[i].place].partly += !has_each(v + i, same, n->files);
    }
    mark_late(n, v, count);
    if (same_work(n, v, count))
        judge(n, l, levels, label);
    else
        n->unlike++;
    for (size_t i = 0; i < levels; i++)
        free(l[i].x);
    free(l);
}

/* Good is who has each cell that could be compared, and none besides. */
static void find_unknown(struct ovl_nodes *n)
{
    for (size_t i = 0; i < n->places; i++) {
        struct ovl_place *p = &n->place[i];
        size_t all = n->compared[p->nodes - 1];
        p->unknown = (p->cells - p->compared) + (all - p->compared);
        if (p->compared == 0)
            raise(p, OVL_PLACE_OPEN);
        else if (p->unknown + p->partly > 0 || p->late)
            raise(p, OVL_PLACE_UNSURE);
    }
}

static int by_badness(const void *a, const void *b)
{
    const struct ovl_place *x = a, *y = b;
    if (x->state != y->state)
        return x->state > y->state ? -1 : 1;
    double p = isnan(x->worst) ? 0 : x->worst, q = isnan(y->worst) ? 0 : y->worst;
    return p != q ? (p > q ? -1 : 1) : strverscmp(x->name, y->name);
}

int ovl_nodes_make(struct ovl_nodes *n, const struct ovl_plan *plan, const struct ovl_sweep_log *log,
                   const json_t *there, const struct ovl_record *record, const struct ovl_nodes_how *how,
                   struct ovl_error *err)
{
    *n = (struct ovl_nodes){.how = *how};
    json_t *of = places_of(n, plan);
    struct ovl_groups groups;
    size_t count = 0;
    ovl_groups_make(&groups, &record, 1);
    ovl_nodes_count_launches(n, record, of);
    count_lost(n, plan, log, there, of);
    json_t *kinds = ovl_nodes_kinds(plan);
    struct value *v = gather(n, &groups, of, kinds, &count);
    json_decref(kinds);
    qsort(v, count, sizeof *v, by_key);
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && strcmp(v[i + same].key, v[i].key) == 0;)
            same++;
        judge_cell(n, v + i, same, &groups);
    }
    for (size_t i = 0; i < count; i++)
        free(v[i].key);
    free(v);
    json_decref(of);
    find_unknown(n);
    ovl_nodes_find_good(n);
    if (n->places > 0)
        qsort(n->place, n->places, sizeof *n->place, by_badness);
    ovl_groups_free(&groups);
    return n->places > 0 ? 0
                         : ovl_error_set(err, OVL_USAGE,
                                         "no job of this sweep is of one node or a pair: give its plan \"each\": "
                                         "\"node\" or \"pair\"");
}

int ovl_nodes_exit(const struct ovl_nodes *n)
{
    enum ovl_place_state worst = OVL_PLACE_GOOD;
    for (size_t i = 0; i < n->places; i++)
        worst = n->place[i].state > worst ? n->place[i].state : worst;
    bool compared = n->cells > n->alone + n->unlike;
    return worst >= OVL_PLACE_SLOW ? OVL_MISSED : worst > OVL_PLACE_GOOD || !compared ? OVL_INCONCLUSIVE : OVL_OK;
}
