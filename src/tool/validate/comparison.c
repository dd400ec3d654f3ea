/* `ovl validate`: launches of `ovl offload --compare` against each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/comparison.h"
#include "tool/validate/state.h"

#include <stdlib.h>
#include <string.h>

enum { WITHOUT, WITH, REPORT, KINDS };

/* A line of a comparison. Who looks at lines in their order may trust none of their numbers. */
struct line {
    const json_t *json;
    size_t number; /* in the file */
    json_int_t pair;
    int kind;
};

struct pair {
    json_int_t number;
    const json_t *of[KINDS];
    bool twice;     /* of one kind two lines tell different things; a copy of a line tells nothing */
    bool last;      /* of its comparison, */
    bool cut_short; /* whose last line is this pair's launch with the library: whoever was killed then left no report */
};

static const char *text_of(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));
    return text ? text : "";
}

void ovl_checking_launch(struct ovl_checking *c, json_t *line)
{
    const char *id = json_string_value(json_object_get(line, "comparison"));
    if (!id)
        return;
    c->launches = c->launches ? c->launches : json_object();
    json_t *lines = json_object_get(c->launches, id);
    if (!lines)
        json_object_set_new(c->launches, id, lines = json_array());
    json_array_append_new(lines, json_pack("{s:O, s:I}", "line", line, "number", (json_int_t)c->line));
}

static struct line read_line(const json_t *at)
{
    const json_t *line = json_object_get(at, "line");
    return (struct line){.json = line,
                         .number = (size_t)json_integer_value(json_object_get(at, "number")),
                         .pair = json_integer_value(json_object_get(line, "pair")),
                         .kind = strcmp(text_of(line, "record"), "offload") == 0 ? REPORT
                                 : strcmp(text_of(line, "side"), "with") == 0    ? WITH
                                                                                 : WITHOUT};
}

static int by_pair(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = (x->pair > y->pair) - (x->pair < y->pair);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The pair that begins there; returns how many lines it has. */
static size_t take_pair(struct pair *p, const struct line *l, size_t n)
{
    size_t i = 0;
    *p = (struct pair){.number = l->pair};
    for (; i < n && l[i].pair == p->number; i++) {
        const json_t **of = &p->of[l[i].kind];
        if (l[i].kind == REPORT && json_object_get(l[i].json, "refused"))
            continue;
        p->twice = p->twice || (*of && !json_equal(*of, l[i].json));
        *of = l[i].json;
    }
    return i;
}

/* Of the last pair one launch may be all that there is. */
static void check_pair(struct ovl_checking *c, const struct pair *p)
{
    long long number = (long long)p->number;
    bool both = p->of[WITH] && p->of[WITHOUT];
    if (p->twice)
        ovl_checking_problem(c, "/pair: pair %lld of this comparison is there twice", number);
    else if (p->of[WITH] && !p->of[REPORT] && !p->cut_short)
        ovl_checking_problem(c, "/side: no offload line tells what the library did in launch %lld with it", number);
    else if (!p->of[WITH] && p->of[REPORT])
        ovl_checking_problem(c, "/pair: the library tells of launch %lld, and there is none with it", number);
    else if (!both && !p->last)
        ovl_checking_problem(c, "/pair: pair %lld of this comparison is not whole, and later ones are there", number);
}

/* Are all lines of one thing, and do the library's reports belong to their launches? */
static void check_alike(struct ovl_checking *c, const struct line *l, size_t n)
{
    const json_t *first = NULL;
    const char *why = NULL;
    for (size_t i = 0; i < n && !why; i++) {
        c->line = l[i].number;
        if (l[i].kind != REPORT) {
            first = first ? first : l[i].json;
            why = ovl_comparison_unlike(first, l[i].json);
        }
        for (size_t k = 0; k < n && l[i].kind == WITH && !why; k++)
            if (l[k].kind == REPORT && l[k].pair == l[i].pair && !ovl_offload_unproven(l[k].json))
                why = ovl_comparison_unproven(l[i].json, l[k].json);
    }
    if (why)
        ovl_checking_problem(c, "/comparison: %s", why);
}

/* Does every launch tell one plan, and, as this version does, any? Returns it; 0: none. */
static json_int_t check_plan(struct ovl_checking *c, const struct line *l, size_t n)
{
    json_int_t planned = -1;
    bool unlike = false, missing = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *pairs = json_object_get(l[i].json, "pairs");
        json_int_t here = json_integer_value(pairs);
        if (l[i].kind == REPORT)
            continue;
        unlike = unlike || (planned >= 0 && here != planned);
        missing = missing || (!pairs && ovl_checking_is_ours(l[i].json));
        planned = here;
    }
    if (missing)
        ovl_checking_problem(c, "/pairs: is missing, and this version tells it");
    else if (unlike)
        ovl_checking_problem(c, "/pairs: launches of one comparison tell of different plans");
    return unlike || planned < 0 ? 0 : planned;
}

/* `end` is the last line of all in the file; `l` has them by their pairs. */
static void check_pairs(struct ovl_checking *c, const struct line *l, size_t n, const json_t *end, json_int_t planned)
{
    struct pair p = {.number = 0};
    json_int_t before = 0;
    for (size_t i = 0; i < n; before = p.number) {
        i += take_pair(&p, l + i, n - i);
        p.last = i == n;
        p.cut_short = p.last && p.of[WITH] == end;
        c->line = l[i - 1].number;
        if (p.number > before + 1)
            ovl_checking_problem(c, "/pair: pair %lld of this comparison is lacking, and later ones are there",
                                 (long long)before + 1);
        check_pair(c, &p);
    }
    if (planned > 0 && p.number > planned)
        ovl_checking_problem(c, "/pair: %lld, of a comparison of %lld pairs", (long long)p.number, (long long)planned);
    c->unfinished += p.number < planned || !p.of[WITH] || !p.of[WITHOUT] || !p.of[REPORT];
}

void ovl_checking_comparisons(struct ovl_checking *c)
{
    const char *id;
    json_t *lines;
    json_object_foreach(c->launches, id, lines) {
        size_t n = json_array_size(lines);
        struct line *l = ovl_alloc(n, sizeof *l);
        for (size_t i = 0; i < n; i++)
            l[i] = read_line(json_array_get(lines, i));
        const struct line end = l[n - 1];
        c->line = end.number;
        json_int_t planned = check_plan(c, l, n);
        check_alike(c, l, n);
        qsort(l, n, sizeof *l, by_pair);
        check_pairs(c, l, n, end.json, planned);
        free(l);
    }
}
