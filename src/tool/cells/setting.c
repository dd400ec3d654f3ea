/* What differs in where launches were measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/setting.h"
#include "base/name.h"
#include "base/utf8.h"
#include "record/status.h"
#include "tool/cells/facet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 200 }; /* bytes of a value, such as the binding of many ranks */

/* Things that are told and do not stop a comparison begin with this. */
static const char told_only[] = "note: ";

static void count(json_t *setting, const char *name, const char *text)
{
    json_t *values = json_object_get(setting, name), *n;
    if (!values) {
        values = json_object();
        json_object_set_new(setting, name, values);
    }
    n = json_object_get(values, text);
    json_object_set_new(values, text, json_integer(json_integer_value(n) + 1));
}

struct counting {
    json_t *setting;
    const struct ovl_run *run;
    const struct ovl_field *field;
};

static void count_value(void *to, const char *name, const json_t *value)
{
    struct counting *c = to;
    char label[160];
    if (name && ovl_environment_per_job(c->run, name, value))
        return;
    /* 2.0 and 2 are one value: programs that rewrite JSON have either. */
    char *text = json_is_string(value) ? ovl_environment_text(name ? name : "", value)
                 : json_is_real(value) ? ovl_text("%.12g", json_real_value(value))
                                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    ovl_utf8_print(label, sizeof label, "%s%s", c->field->part == OVL_PART_SETTING ? "" : told_only,
                   name ? name : c->field->name);
    count(c->setting, label, text);
    free(text);
}

/* Has the run line a list of that path, "name[]", that is empty? That is told, too. */
static bool has_empty(const json_t *head, const char *path)
{
    char name[64];
    size_t n = strcspn(path, "[.");
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    return strcmp(path + n, "[]") == 0 && json_is_array(json_object_get(head, name));
}

/* A row with many values is one thing: all of them as one text. A kernel's patch level is a note unless `strict`. */
static void count_list(struct counting *c, const json_t *head, bool strict)
{
    char *text = ovl_field_list(c->field, head);
    if (!strict && strcmp(c->field->path, "hosts[].kernel") == 0) {
        count(c->setting, "note: hosts[].kernel", text);
        ovl_name_kernel_series(text);
    }
    json_t *value = json_string(text);
    if (*text || !c->field->later || has_empty(head, c->field->path))
        count_value(c, NULL, value);
    json_decref(value);
    free(text);
}

/* Of unlike nodes: which processor each rank is on, in their order, as "3 of A, 1 of B". */
static void count_rank_processors(json_t *setting, const json_t *head)
{
    const json_t *hosts = json_object_get(head, "hosts"), *ranks = json_object_get(head, "rank_hosts"), *at;
    const char *last = NULL, *first = NULL;
    char *text = ovl_text("%s", "");
    size_t i, n = 0;
    bool unlike = false;
    json_array_foreach(ranks, i, at) {
        const json_t *host = json_array_get(hosts, (size_t)json_integer_value(at));
        const char *cpu = json_string_value(json_object_get(host, "cpu"));
        cpu = cpu ? cpu : "";
        first = first ? first : cpu;
        unlike = unlike || strcmp(cpu, first) != 0;
        n = last && strcmp(cpu, last) == 0 ? n + 1 : 1;
        last = cpu;
        const json_t *next = json_array_get(ranks, i + 1);
        const json_t *other = json_array_get(hosts, (size_t)json_integer_value(next));
        const char *then = json_string_value(json_object_get(other, "cpu"));
        if (next && strcmp(then ? then : "", cpu) == 0)
            continue;
        char *more = ovl_text("%s%s%zu of %s", text, *text ? ", " : "", n, cpu);
        free(text);
        text = more;
    }
    if (unlike)
        count(setting, "rank_hosts[].cpu", text);
    free(text);
}

static void count_run(json_t *setting, const struct ovl_run *run, bool strict)
{
    for (const struct ovl_field *f = ovl_fields_run; f->path; f++) {
        struct counting c = {setting, run, f};
        if (f->part != OVL_PART_SETTING && f->part != OVL_PART_NOTE && f->part != OVL_PART_BUILD)
            continue;
        if (strchr(f->path, '['))
            count_list(&c, run->head, strict);
        else
            ovl_field_each(run->head, f, count_value, &c);
    }
    count_rank_processors(setting, run->head);
}

/* A variable that some launches lack has another value there. */
static void count_unset(json_t *setting, size_t runs)
{
    const char *name;
    json_t *values, *n;
    json_object_foreach(setting, name, values) {
        const char *text;
        json_int_t have = 0;
        json_object_foreach(values, text, n) {
            have += json_integer_value(n);
        }
        if (have < (json_int_t)runs)
            json_object_set_new(values, "not set", json_integer((json_int_t)runs - have));
    }
}

json_t *ovl_setting_of(const struct ovl_record *record)
{
    json_t *setting = json_object();
    for (size_t r = 0; r < record->run_count; r++)
        count_run(setting, &record->runs[r], false);
    count_unset(setting, record->run_count);
    return setting;
}

json_t *ovl_setting_of_run(const struct ovl_run *run, bool strict)
{
    json_t *counts = json_object(), *setting = json_object(), *values;
    const char *name;
    count_run(counts, run, strict);
    json_object_foreach(counts, name, values) {
        if (strncmp(name, told_only, strlen(told_only)) != 0)
            json_object_set_new(setting, name, json_string(json_object_iter_key(json_object_iter(values))));
    }
    json_decref(counts);
    return setting;
}

/* "a", or "a (3 launches), b (5)". */
static void print_values(FILE *out, json_t *values)
{
    const char *text;
    json_t *n;
    size_t told = 0;
    if (json_object_size(values) == 0)
        fputs("not set", out);
    json_object_foreach(values, text, n) {
        size_t shown = ovl_utf8_cut(text, SHOWN);
        fprintf(out, "%s%.*s%s", told++ ? ", " : "", *text ? (int)shown : 4, *text ? text : "none",
                text[shown] ? " ..." : "");
        if (json_object_size(values) > 1)
            fprintf(out, " (%lld launch%s)", (long long)json_integer_value(n), json_integer_value(n) == 1 ? "" : "es");
    }
}

/* Launches of one cell and side that count: the setting of them alone. */
static json_t *setting_of_members(const struct ovl_group *group, size_t side, size_t *runs)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m);
    json_t *setting = json_object();
    *runs = 0;
    for (size_t i = 0; i < n; i++)
        if (ovl_member_claims(&m[i])) {
            count_run(setting, m[i].run, false);
            ++*runs;
        }
    count_unset(setting, *runs);
    return setting;
}

static bool same_texts(json_t *a, json_t *b)
{
    const char *text;
    json_t *n;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach(a, text, n) {
        if (!json_object_get(b, text))
            return false;
    }
    return true;
}

/* Adds the names under which a has other texts than b, or several in other numbers of launches. */
static void add_unlike(json_t *unlike, json_t *a, json_t *b)
{
    const char *name;
    json_t *values;
    json_object_foreach(a, name, values) {
        json_t *other = json_object_get(b, name);
        if (!same_texts(values, other) || (json_object_size(values) > 1 && !json_equal(values, other)))
            json_object_set_new(unlike, name, json_true());
    }
}

/* The launches of one cell and side that count, by what they have under `names`: {all of these texts as one: how many}.
 */
static json_t *joint_of_members(const struct ovl_group *group, size_t side, json_t *names)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m);
    json_t *joint = json_object(), *unused;
    for (size_t i = 0; i < n; i++) {
        if (!ovl_member_claims(&m[i]))
            continue;
        json_t *setting = ovl_setting_of_run(m[i].run, false), *of = json_object();
        const char *name;
        json_object_foreach(names, name, unused) {
            json_object_set(of, name, json_object_get(setting, name));
        }
        char *text = json_dumps(of, JSON_COMPACT | JSON_SORT_KEYS);
        json_object_set_new(joint, text, json_integer(json_integer_value(json_object_get(joint, text)) + 1));
        free(text);
        json_decref(of);
        json_decref(setting);
    }
    return joint;
}

/* Adds the names of `setting` under which each side has the same several texts, where they go together otherwise on the
   other side: one machine with the one variable and one with the other, exchanged, so that no launch is like any there.
 */
static void add_unlike_jointly(json_t *unlike, const struct ovl_group *group, json_t *setting)
{
    json_t *several = json_object(), *values;
    const char *name;
    json_object_foreach(setting, name, values) {
        if (json_object_size(values) > 1 && strncmp(name, told_only, strlen(told_only)) != 0 &&
            !json_object_get(unlike, name))
            json_object_set_new(several, name, json_true());
    }
    if (json_object_size(several) > 1) {
        json_t *old = joint_of_members(group, 0, several), *new = joint_of_members(group, 1, several);
        if (!json_equal(old, new))
            json_object_update(unlike, several);
        json_decref(old);
        json_decref(new);
    }
    json_decref(several);
}

json_t *ovl_setting_unlike(const struct ovl_groups *groups)
{
    json_t *unlike = json_object();
    for (size_t g = 0; g < groups->count; g++) {
        size_t olds, news;
        json_t *old = setting_of_members(&groups->group[g], 0, &olds);
        json_t *new = setting_of_members(&groups->group[g], 1, &news);
        if (olds > 0 && news > 0) {
            add_unlike(unlike, old, new);
            add_unlike(unlike, new, old);
            add_unlike_jointly(unlike, &groups->group[g], old);
        }
        json_decref(old);
        json_decref(new);
    }
    return unlike;
}

/* `unlike`: some cell has other values on the other side, or in other numbers. */
static size_t print_if_differs(FILE *out, const char *name, json_t *old, json_t *new, bool unlike)
{
    bool note = strncmp(name, told_only, strlen(told_only)) == 0, same = same_texts(old, new);
    if (same && json_object_size(old) == 1)
        return 0;
    fprintf(out, "# %s  %s: ", note ? "note   " : "differs", note ? name + strlen(told_only) : name);
    print_values(out, old);
    if (json_equal(old, new))
        fputs(", on both sides", out);
    else {
        fputs(" -> ", out);
        print_values(out, new);
    }
    fputs(!same ? "\n" : unlike ? ", unlike in a cell\n" : ", alike in each cell\n", out);
    return !note && (!same || unlike);
}

/* Is it what records of before do not tell? Then one that lacks it is like any other. */
static bool is_later(const char *name)
{
    for (const struct ovl_field *f = ovl_fields_run; f->path; f++)
        if (f->later && strcmp(f->name, name) == 0)
            return true;
    return false;
}

/* What the one has and the other lacks, or has otherwise. */
static const char *apart_from(json_t *one, const json_t *other)
{
    const char *name;
    json_t *text;
    json_object_foreach(one, name, text) {
        const json_t *theirs = json_object_get(other, name);
        if (theirs ? !json_equal(text, theirs) : !is_later(name))
            return name;
    }
    return NULL;
}

const char *ovl_setting_apart(json_t *one, json_t *other)
{
    const char *name = apart_from(one, other);
    return name ? name : apart_from(other, one);
}

void ovl_setting_mixed(const struct ovl_group *group, bool (*passes)(const char *name), char what[OVL_SETTING_MIXED])
{
    json_t *first = NULL;
    *what = '\0';
    for (size_t i = 0; i < group->count && !*what; i++) {
        if (!ovl_member_claims(&group->member[i]))
            continue;
        json_t *setting = ovl_setting_of_run(group->member[i].run, false), *text;
        const char *name;
        void *next;
        json_object_foreach_safe(setting, next, name, text)
        {
            if (passes && passes(name))
                json_object_del(setting, name);
        }
        name = first ? ovl_setting_apart(first, setting) : NULL;
        snprintf(what, OVL_SETTING_MIXED, "%s", name ? name : "");
        first = first ? first : json_incref(setting);
        json_decref(setting);
    }
    json_decref(first);
}

size_t ovl_setting_differences(FILE *out, json_t *old, json_t *new, const json_t *unlike)
{
    const char *name;
    json_t *values;
    size_t n = 0;
    json_object_foreach(old, name, values) {
        if (json_object_get(new, name) || !is_later(name))
            n += print_if_differs(out, name, values, json_object_get(new, name), json_object_get(unlike, name));
    }
    json_object_foreach(new, name, values) {
        if (!json_object_get(old, name) && !is_later(name))
            n += print_if_differs(out, name, NULL, values, true);
    }
    return n;
}

void ovl_setting_note_mixed(FILE *out, const char *before, const struct ovl_groups *groups)
{
    json_t *mixed = json_object(), *values;
    const char *name, *gap = " launches of one cell differ in ";
    for (size_t g = 0; g < groups->count; g++) {
        size_t runs;
        json_t *setting = setting_of_members(&groups->group[g], 0, &runs);
        json_object_foreach(setting, name, values) {
            if (json_object_size(values) > 1 && strncmp(name, told_only, strlen(told_only)) != 0)
                json_object_set_new(mixed, name, json_true());
        }
        json_decref(setting);
    }
    json_object_foreach(mixed, name, values) {
        fprintf(out, "%s%s%s", before, gap, name);
        gap = ", ";
        before = "";
    }
    fputs(json_object_size(mixed) > 0 ? "\n" : "", out);
    json_decref(mixed);
}
