/* `ovl validate`: what an application checks of its answer, and what serving tells of its requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/check_limit.h"
#include "tool/validate/state.h"

#include <math.h>
#include <string.h>

/* Each time is the median over blocks of one of their order, which has the same order; and no request takes longer than
   all of them do in the longest block. */
static void check_spread(struct ovl_checking *c, const json_t *serving, const char *name, double longest)
{
    const json_t *spread = json_object_get(serving, name), *steps = json_object_get(spread, "steps"), *one;
    const char *const percents[] = {"p50", "p90", "p99"}; /* null where there are too few requests */
    double before = 0;
    size_t i;
    for (i = 0; i < 3; i++) {
        one = json_object_get(spread, percents[i]);
        if (json_is_null(one))
            continue;
        if (!json_is_number(one) || json_number_value(one) < before)
            ovl_checking_problem(c, "/serving/%s/%s: %.6g, below %.6g, or no number", name, percents[i],
                                 json_number_value(one), before);
        before = json_number_value(one);
    }
    double percent = before, least = 0;
    json_array_foreach(steps, i, one) {
        if (json_is_null(one))
            continue;
        if (!json_is_number(one) || json_number_value(one) < least)
            ovl_checking_problem(c, "/serving/%s/steps: %.6g, below %.6g, or no number", name, json_number_value(one),
                                 least);
        least = json_number_value(one);
    }
    one = json_object_get(spread, "mean");
    double mean = json_is_number(one) ? json_number_value(one) : NAN, rounding = 1 + 1e-9;
    if (mean < 0 || (json_array_size(steps) > 0 && (mean > least * rounding || percent > least * rounding)))
        ovl_checking_problem(
            c, "/serving/%s: a mean or a percentile, of %.6g and %.6g, that is not from 0 to %.6g, the most", name,
            mean, percent, least);
    if (fmax(least, percent) > longest * rounding)
        ovl_checking_problem(c, "/serving/%s: %.6g s, and all requests took %.6g s at most", name, fmax(least, percent),
                             longest);
}

static void check_requests(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    static const char *const totals[] = {"prompt_tokens", "output_tokens"};
    double requests, each[2], shared = 0, tokens = json_number_value(json_object_get(serving, "output_tokens"));
    const char *text = ovl_cell_problem_text(cell, "requests");
    const json_t *rate = json_object_get(serving, "output_tokens_per_second");
    char end[8];
    if (sscanf(text, "%lf, %*[^,], %lf in, %lf out, see%1s", &requests, &each[0], &each[1], end) == 4 ||
        sscanf(text, "%lf, %*[^,], %lf in, %lf out, %*[0-9]:%lf share%1s", &requests, &each[0], &each[1], &shared,
               end) == 5) {
        each[0] += shared;
        for (int i = 0; i < 2; i++)
            if (json_number_value(json_object_get(serving, totals[i])) != requests * each[i])
                ovl_checking_problem(c, "/serving/%s: %.12g, of %.0f requests of %.12g each", totals[i],
                                     json_number_value(json_object_get(serving, totals[i])), requests, each[i]);
    }
    if (json_is_number(rate))
        ovl_checking_compare(c, "serving", "/output_tokens_per_second", json_number_value(rate),
                             tokens / cell->summary[OVL_TOTAL].median, 0);
}

/* Of what is looked for some is found, and of what is kept some gives way: what a tier has of each. */
static void check_tier(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    static const char *const pairs[][2] = {{"found", "blocks"}, {"gave_way", "kept"}};
    const json_t *tier = json_object_get(serving, "tier");
    if ((strcmp(ovl_cell_problem_text(cell, "strategy"), "tier") == 0) != json_is_object(tier))
        ovl_checking_problem(c, "/serving/tier: %s", tier ? "no strategy but tier has it" : "not told");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && tier; i++) {
        double less = json_number_value(json_object_get(tier, pairs[i][0]));
        double more = json_number_value(json_object_get(tier, pairs[i][1]));
        if (!(less >= 0 && less <= more))
            ovl_checking_problem(c, "/serving/tier/%s: %.12g, of %.12g", pairs[i][0], less, more);
    }
}

/* With the option alone requests are pushed out, each once or more; and no rank ever has more than its memory. */
static void check_preempted(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    const json_t *of = json_object_get(serving, "preempted");
    const char *how = ovl_cell_problem_text(cell, "preempt"),
               *memory = strrchr(ovl_cell_problem_text(cell, "batching"), ',');
    double requests = json_number_value(json_object_get(of, "requests")), limit;
    double times = json_number_value(json_object_get(of, "times"));
    double again = json_number_value(json_object_get(of, "tokens_read_again"));
    double moved = json_number_value(json_object_get(of, "moved_bytes"));
    double most = json_number_value(json_object_get(serving, "kv_most_bytes"));
    if ((*how != 0) != json_is_object(of))
        ovl_checking_problem(c, "/serving/preempted: %s", of ? "the problem has no preempt" : "not told");
    if (!json_is_object(of))
        return;
    if (!(requests >= 0 && requests <= times && requests <= json_number_value(json_object_get(serving, "requests"))))
        ovl_checking_problem(c, "/serving/preempted/requests: %.12g, of %.12g, pushed out %.12g times", requests,
                             json_number_value(json_object_get(serving, "requests")), times);
    if (again < 0 || moved < 0 || (strcmp(how, "swap") != 0 && moved > 0) || (times == 0 && again + moved > 0))
        ovl_checking_problem(c, "/serving/preempted: %.12g tokens read again and %.12g bytes moved, by %s, %.12g times",
                             again, moved, how, times);
    if (memory && sscanf(memory, ", %lf bytes", &limit) == 1 && most > limit)
        ovl_checking_problem(c, "/serving/kv_most_bytes: %.12g, and a rank has memory for %.12g", most, limit);
}

/* What is sent as other numbers tells which, how much smaller that is, and that no number is off by more than it may
   be. */
static void check_compression(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    const json_t *of = json_object_get(serving, "compression");
    const char *sent = strstr(ovl_cell_problem_text(cell, "layout"), " sent as "), *numbers = "";
    double error = json_number_value(json_object_get(of, "error_by_bound"));
    if ((sent != NULL) != json_is_object(of))
        ovl_checking_problem(c, "/serving/compression: %s", of ? "nothing is sent as other numbers" : "not told");
    if (!sent || !json_is_object(of))
        return;
    numbers = json_is_string(json_object_get(of, "numbers")) ? json_string_value(json_object_get(of, "numbers")) : "";
    double ratio = json_number_value(json_object_get(of, "ratio")), is = strcmp(numbers, "i8") == 0 ? 32.0 / 17 : 2;
    if (!*numbers || strncmp(sent + strlen(" sent as "), numbers, strlen(numbers)) != 0)
        ovl_checking_problem(c, "/serving/compression/numbers: %.20s, and the layout has%.20s", numbers, sent);
    if (fabs(ratio - is) > 1e-9)
        ovl_checking_problem(c, "/serving/compression/ratio: %.9g, and it is %.9g of %.20s", ratio, is, numbers);
    if (!(error >= 0 && error <= 1) && cell->validated > 0) /* 0: nothing was sent */
        ovl_checking_problem(c, "/serving/compression/error_by_bound: %.6g, of an answer that is right", error);
}

/* Nothing that serving counts or times is less than nothing. */
static void check_numbers(struct ovl_checking *c, const json_t *serving)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)serving, name, value)
        if (json_number_value(value) < 0)
            ovl_checking_problem(c, "/serving/%.40s: %.6g", name, json_number_value(value));
}

void ovl_checking_answer(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    static const char *const spreads[] = {"ttft_seconds", "ttft_unqueued_seconds", "tpot_seconds"};
    const struct ovl_summary *total = &cell->summary[OVL_TOTAL];
    const json_t *serving = json_object_get(line, "serving");
    double limit = ovl_cell_check_limit(cell), most = 2 * (double)total->n > cell->blocks ? total->max : INFINITY;
    if (!isnan(cell->check_limit) && fabs(cell->check_limit - limit) > 1e-9 * limit)
        ovl_checking_problem(c, "/check/limit: %.12g, and it is %.12g for this problem", cell->check_limit, limit);
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads && json_is_object(serving); i++)
        check_spread(c, serving, spreads[i], most);
    if (json_is_object(serving)) {
        if (json_is_object(json_object_get(serving, "ttft_bound_seconds"))) /* none before 2.10.0 */
            check_spread(c, serving, "ttft_bound_seconds", INFINITY); /* of the work alone, which may take longer */
        check_numbers(c, serving);
        check_requests(c, serving, cell);
        check_tier(c, serving, cell);
        check_preempted(c, serving, cell);
        check_compression(c, serving, cell);
    }
}
