/* `ovl validate`: launches of `ovl offload --compare` against each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/validate/state.h"

#include <stdlib.h>
#include <string.h>

/* A pair of a comparison, as far as it is told. */
struct pair {
    size_t with, without, reports; /* lines */
    size_t line;                   /* the last of its launches */
};

/* A comparison. Who looks at lines in their order may trust none of their numbers. */
struct comparison {
    const char *id;
    struct pair *pair;
    size_t room, last; /* pairs that there may be at most; the largest number of one */
    json_int_t planned;
    bool unlike; /* lines tell of different plans */
};

static const char *text_of(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text ? text : "";
}

void ovl_checking_launch(struct ovl_checking *c, json_t *line)
{
    json_t *at;
    if (!json_object_get(line, "comparison"))
        return;
    c->launches = c->launches ? c->launches : json_array();
    at = json_pack("{s:O, s:I}", "line", line, "number", (json_int_t)c->line);
    json_array_append_new(c->launches, at);
}

static void add(struct comparison *of, const json_t *line, size_t number)
{
    json_int_t pair = json_integer_value(json_object_get(line, "pair")),
               planned = json_integer_value(json_object_get(line, "pairs"));
    if (strcmp(text_of(line, "comparison"), of->id) != 0 || pair < 1 || (size_t)pair > of->room)
        return;
    struct pair *p = &of->pair[pair - 1];
    of->last = (size_t)pair > of->last ? (size_t)pair : of->last;
    if (strcmp(text_of(line, "record"), "offload") == 0) {
        p->reports += !json_object_get(line, "refused");
        return;
    }
    bool first = of->planned < 0;
    of->unlike = of->unlike || (!first && planned != of->planned);
    of->planned = first ? planned : of->planned;
    p->line = number;
    if (strcmp(text_of(line, "side"), "with") == 0)
        p->with++;
    else
        p->without++;
}

/* The launch of the last pair may be all that there is of it, and of that one the report may be cut off. */
static void check_pair(struct ovl_checking *c, const struct comparison *of, size_t i)
{
    const struct pair *p = &of->pair[i];
    bool last = i + 1 == of->last;
    c->line = p->line ? p->line : c->line;
    if (p->with > 1 || p->without > 1 || p->reports > 1)
        ovl_checking_problem(c, "/pair: pair %zu of this comparison is there twice", i + 1);
    else if (p->with > 0 && p->reports == 0 && !(last && c->cut))
        ovl_checking_problem(c, "/side: no offload line tells what the library did in launch %zu with it", i + 1);
    else if (p->with == 0 && p->reports > 0)
        ovl_checking_problem(c, "/pair: the library tells of launch %zu, and there is none with it", i + 1);
    else if (p->with + p->without < 2 && !last)
        ovl_checking_problem(c, "/pair: pair %zu of this comparison is %s, and later ones are there", i + 1,
                             p->with + p->without == 1 ? "not whole" : "lacking");
}

static void check_comparison(struct ovl_checking *c, struct comparison *of)
{
    if (of->unlike)
        ovl_checking_problem(c, "/pairs: launches of one comparison tell of different plans");
    else if (of->planned > 0 && (json_int_t)of->last > of->planned)
        ovl_checking_problem(c, "/pair: %zu, of a comparison of %lld pairs", of->last, (long long)of->planned);
    for (size_t i = 0; i < of->last; i++)
        check_pair(c, of, i);
    const struct pair *last = of->last > 0 ? &of->pair[of->last - 1] : NULL;
    c->unfinished += (json_int_t)of->last < of->planned || (last && last->with + last->without < 2);
}

void ovl_checking_comparisons(struct ovl_checking *c)
{
    size_t lines = json_array_size(c->launches), end = c->line;
    json_t *seen = json_object();
    for (size_t i = 0; i < lines; i++) {
        const char *id = text_of(json_object_get(json_array_get(c->launches, i), "line"), "comparison");
        if (json_object_get(seen, id))
            continue;
        json_object_set_new(seen, id, json_true());
        struct comparison of = {.id = id, .pair = ovl_alloc(lines, sizeof *of.pair), .room = lines, .planned = -1};
        c->line = end;
        for (size_t k = 0; k < lines; k++) {
            const json_t *at = json_array_get(c->launches, k);
            add(&of, json_object_get(at, "line"), (size_t)json_integer_value(json_object_get(at, "number")));
        }
        check_comparison(c, &of);
        free(of.pair);
    }
    json_decref(seen);
}
