/* The steps of a plan, written out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* Takes steps of a group in. */
static void append(struct ovl_app_list *list, const struct ovl_app_step *steps, size_t n, size_t group)
{
    if (list->count + n > list->room) {
        list->room = 2 * (list->count + n);
        list->steps = ovl_grow(list->steps, list->room, sizeof *list->steps);
        list->group = ovl_grow(list->group, list->room, sizeof *list->group);
    }
    if (n > 0)
        memcpy(list->steps + list->count, steps, n * sizeof *steps);
    for (size_t i = 0; i < n; i++)
        list->group[list->count++] = group;
}

int ovl_app_steps_make(struct ovl_app_steps *s, const struct ovl_app_plan *plan, size_t most, struct ovl_error *err)
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    *s = (struct ovl_app_steps){.ranks = plan->ranks, .slots = plan->slots, .work_alone = plan->work_alone};
    s->lists = ovl_alloc((size_t)plan->ranks * OVL_LANES, sizeof *s->lists);
    for (int r = 0; r < plan->ranks; r++)
        for (int lane = 0; lane < OVL_LANES; lane++) {
            struct ovl_app_list *list = &s->lists[r * OVL_LANES + lane];
            list->groups = plan->groups[lane];
            list->first = s->count;
            for (size_t g = 0; g < list->groups && s->count <= most; g++) {
                size_t n = (size_t)plan->group(plan->of, r, (enum ovl_app_lane)lane, g, steps);
                s->count += n;
                append(list, steps, n, g);
            }
        }
    if (s->count <= most)
        return 0;
    ovl_app_steps_free(s);
    return ovl_error_set(err, OVL_ENVIRONMENT, "the plan of %d ranks has over %zu steps", plan->ranks, most);
}

void ovl_app_steps_free(struct ovl_app_steps *s)
{
    for (int i = 0; s->lists && i < s->ranks * OVL_LANES; i++) {
        free(s->lists[i].steps);
        free(s->lists[i].group);
    }
    free(s->lists);
    memset(s, 0, sizeof *s);
}

static int blocking_group(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_app_plan *plan = of;
    int all = plan->group(plan->of, rank, lane, group, steps), n = 0;
    for (int i = 0; i < all; i++) {
        if (steps[i].kind == OVL_APP_POST)
            steps[i].kind = OVL_APP_SYNC;
        if (steps[i].kind != OVL_APP_WAIT)
            steps[n++] = steps[i];
    }
    return n;
}

struct ovl_app_plan ovl_app_blocking(const struct ovl_app_plan *plan)
{
    struct ovl_app_plan twin = *plan;
    twin.of = plan;
    twin.group = blocking_group;
    return twin;
}
