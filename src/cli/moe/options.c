/* Names of what a mixture of experts does, and whether its numbers go together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/moe/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_EXPERTS = 8, USUAL_TOP = 2 };

static const struct ovl_moe_type types[] = {{"f8", 1}, {"bf16", 2}, {"f32", 4}};

static const char *const overlaps[] = {"none", "shared", "two"};

struct ovl_moe ovl_moe_default(void)
{
    return (struct ovl_moe){.dispatch = types[0], .combine = types[1]};
}

static struct ovl_moe_type type_of(const char *name, struct ovl_moe_type usual)
{
    for (size_t i = 0; i < sizeof types / sizeof *types && name; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i];
    return usual;
}

void ovl_moe_words(struct ovl_moe *moe, const char *dispatch, const char *combine, const char *overlap, const char *per)
{
    int o = overlap ? OVL_MOE_TWO : OVL_MOE_NONE;
    while (o > OVL_MOE_NONE && strcmp(overlaps[o], overlap) != 0)
        o--;
    moe->overlap = (enum ovl_moe_overlap)o;
    moe->per_expert = per && strcmp(per, "expert") == 0;
    moe->dispatch = type_of(dispatch, moe->dispatch);
    moe->combine = type_of(combine, moe->combine);
}

/* As many as are usual, where ranks have equal parts of them. */
static int usual_experts(int ranks)
{
    bool parts = USUAL_EXPERTS % ranks == 0 || ranks % USUAL_EXPERTS == 0;
    int experts = parts ? USUAL_EXPERTS : (USUAL_EXPERTS + ranks - 1) / ranks * ranks, fewer = experts;
    while (fewer > OVL_MOE_EXPERTS_MOST || (fewer <= ranks && ranks % fewer != 0))
        fewer--;
    return fewer > 1 ? fewer : experts;
}

/* The largest divisor of the ranks that is no larger, and the next multiple. */
static int uneven(const struct ovl_moe *moe, int ranks, struct ovl_error *err)
{
    int less = moe->experts < ranks ? moe->experts : ranks, more = (moe->experts + ranks - 1) / ranks * ranks;
    while (ranks % less != 0)
        less--;
    if (more > OVL_MOE_EXPERTS_MOST)
        return ovl_error_set(err, OVL_USAGE,
                             "--experts %d: %d ranks cannot have equal parts of them; give --experts %d", moe->experts,
                             ranks, less);
    return ovl_error_set(err, OVL_USAGE,
                         "--experts %d: %d ranks cannot have equal parts of them; give --experts %d or %d",
                         moe->experts, ranks, less, more);
}

int ovl_moe_settle(struct ovl_moe *moe, int ranks, double batch, struct ovl_error *err)
{
    moe->experts = moe->experts > 0 ? moe->experts : usual_experts(ranks);
    moe->top = moe->top > 0 ? moe->top : moe->experts > 1 ? USUAL_TOP : 1;
    if (moe->experts > OVL_MOE_EXPERTS_MOST)
        return ovl_error_set(err, OVL_USAGE, "--experts: %d ranks have %d of them; give --experts %d or fewer", ranks,
                             moe->experts, OVL_MOE_EXPERTS_MOST);
    if (moe->experts % ranks != 0 && ranks % moe->experts != 0)
        return uneven(moe, ranks, err);
    if (moe->top > moe->experts)
        return ovl_error_set(err, OVL_USAGE, "--top-k %d: there are %d experts; give --top-k %d or less, or --experts",
                             moe->top, moe->experts, moe->experts);
    if (ovl_moe_parts(moe) > 1 && fmod(batch, ovl_moe_parts(moe)) != 0)
        return ovl_error_set(err, OVL_USAGE, "--overlap two: it halves the batch of %.0f; give an even --batch", batch);
    return 0;
}

void ovl_moe_text(const struct ovl_moe *moe, char text[OVL_MOE_TEXT])
{
    char capacity[32] = "all tokens";
    if (moe->capacity > 0)
        snprintf(capacity, sizeof capacity, "capacity %.9g", moe->capacity);
    snprintf(text, OVL_MOE_TEXT, "%d of %d, %s, skew %.9g, %s and %s a%s %s, %s", moe->top, moe->experts, capacity,
             moe->skew, moe->dispatch.name, moe->combine.name, moe->per_expert ? "n" : "",
             moe->per_expert ? "expert" : "rank", overlaps[moe->overlap]);
}
