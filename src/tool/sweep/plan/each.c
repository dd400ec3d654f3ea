/* Lists of nodes, and who meets whom. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/each.h"
#include "base/error.h"
#include "base/name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, DIGITS = 9 };

static const char no_list[] = "a list of nodes such as \"n[01-16],n20\" is wanted here";

static const char *add_expanded(json_t *names, const char *before, const char *text, size_t n);

/* One number, or FROM-TO, of what stands in brackets, and behind it the rest of the word. */
static const char *add_range(json_t *names, const char *before, const char *range, size_t length, const char *rest,
                             size_t n)
{
    size_t digits = strspn(range, "0123456789"), more = 0;
    if (digits == 0 || digits > DIGITS || digits > length)
        return no_list;
    unsigned long first = strtoul(range, NULL, 10), last = first;
    if (digits < length) {
        more = range[digits] == '-' ? strspn(range + digits + 1, "0123456789") : 0;
        if (more == 0 || more > DIGITS || digits + 1 + more != length)
            return no_list;
        last = strtoul(range + digits + 1, NULL, 10);
    }
    if (last < first || last - first >= OVL_EACH_HOSTS)
        return no_list;
    for (unsigned long i = first; i <= last; i++) {
        char name[NAME];
        int all = snprintf(name, sizeof name, "%s%0*lu", before, (int)digits, i);
        const char *fault = all < NAME ? add_expanded(names, name, rest, n) : no_list;
        if (fault)
            return fault;
    }
    return NULL;
}

/* `before`, and n characters that may have brackets. */
static const char *add_expanded(json_t *names, const char *before, const char *text, size_t n)
{
    char name[NAME];
    const char *open = memchr(text, '[', n), *close = open ? memchr(open, ']', n - (size_t)(open - text)) : NULL;
    size_t plain = open ? (size_t)(open - text) : n;
    if (snprintf(name, sizeof name, "%s%.*s", before, (int)plain, text) >= NAME || (open && !close) ||
        !ovl_name_is_plain(name))
        return no_list;
    if (!open) {
        if (!*name || *name == '-' || *name == '.' || json_array_size(names) >= OVL_EACH_HOSTS)
            return *name ? "2000 nodes at most are wanted here" : no_list;
        json_array_append_new(names, json_string(name));
        return NULL;
    }
    for (const char *at = open + 1; at <= close;) {
        size_t length = strcspn(at, ",]");
        const char *fault = add_range(names, name, at, length, close + 1, n - (size_t)(close + 1 - text));
        if (fault)
            return fault;
        at += length + 1;
    }
    return NULL;
}

const char *ovl_each_hosts(json_t *names, const char *text)
{
    while (*text) {
        size_t n = 0;
        for (bool in = false; text[n] && (in || text[n] != ','); n++)
            in = text[n] == '[' || (in && text[n] != ']');
        const char *fault = n > 0 ? add_expanded(names, "", text, n) : no_list;
        if (fault)
            return fault;
        text += n + (text[n] == ',');
    }
    return NULL;
}

const char *ovl_each_hosts_of(json_t *names, const json_t *hosts)
{
    const char *fault = json_is_string(hosts) ? ovl_each_hosts(names, json_string_value(hosts)) : NULL;
    for (size_t i = 0; i < json_array_size(hosts) && !fault; i++)
        fault = ovl_each_hosts(names, json_string_value(json_array_get(hosts, i)));
    return fault;
}

/* Of a job, a plan or the allocation. NULL, or what is wanted. */
bool ovl_each_same_host(const char *host, const char *name)
{
    size_t n = strcspn(host, "."), m = strcspn(name, ".");
    return n == m && strncmp(host, name, n) == 0 && (!host[n] || !name[m] || strcmp(host, name) == 0);
}

static const char *find_hosts(const json_t *job, const json_t *plan_hosts, json_t *names)
{
    const json_t *said = json_object_get(job, "hosts");
    const char *allocated = getenv("SLURM_JOB_NODELIST"), *fault;
    said = said ? said : plan_hosts;
    fault = said ? ovl_each_hosts_of(names, said) : allocated ? ovl_each_hosts(names, allocated) : NULL;
    if (fault)
        return fault;
    if (json_array_size(names) == 0)
        return "\"each\" wants nodes: give \"hosts\", or be in an allocation of Slurm (SLURM_JOB_NODELIST)";
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(names); i++)
        json_object_set_new(seen, json_string_value(json_array_get(names, i)), json_true());
    bool twice = json_object_size(seen) < json_array_size(names);
    json_decref(seen);
    return twice ? "a node stands twice among the hosts" : NULL;
}

/* The name that sits at a seat of a round, NULL at the one that is left over. */
static json_t *at_seat(const json_t *names, size_t seats, size_t round, size_t seat)
{
    size_t who = seat == 0 ? 0 : 1 + (seat - 1 + round) % (seats - 1);
    return json_array_get(names, who);
}

static void add_pairs(json_t *places, const json_t *names, size_t rounds)
{
    size_t n = json_array_size(names), seats = n + n % 2;
    for (size_t round = 0; round < rounds && round + 1 < seats; round++)
        for (size_t i = 0; i < seats / 2; i++) {
            json_t *a = at_seat(names, seats, round, i), *b = at_seat(names, seats, round, seats - 1 - i);
            if (a && b)
                json_array_append_new(places, json_pack("[O,O]", a, b));
        }
}

json_t *ovl_each_places(const json_t *job, const json_t *plan_hosts, char wanted[OVL_EACH_WANTED])
{
    json_t *names = json_array(), *places = json_array();
    const json_t *rounds = json_object_get(job, "rounds");
    bool pairs = strcmp(json_string_value(json_object_get(job, "each")), "pair") == 0;
    const char *fault = find_hosts(job, plan_hosts, names);
    if (!fault && pairs && json_array_size(names) < 2)
        fault = "pairs want two nodes or more";
    for (size_t i = 0; i < json_array_size(names) && !fault && !pairs; i++)
        json_array_append_new(places, json_pack("[O]", json_array_get(names, i)));
    if (!fault && pairs)
        add_pairs(places, names, rounds ? (size_t)json_integer_value(rounds) : json_array_size(names));
    json_decref(names);
    if (!fault)
        return places;
    snprintf(wanted, OVL_EACH_WANTED, "%s", fault);
    json_decref(places);
    return NULL;
}
