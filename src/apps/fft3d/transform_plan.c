/* A group of the chain for each exchange, and one for what is left in flight at the end of a pass. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/transform_plan.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 2 * sizeof(double) };

enum ovl_transpose ovl_transform_plan_transpose(const struct ovl_slab_exchange *step, bool back)
{
    return (step->turn == 0) == back ? OVL_COLUMN : OVL_ROW;
}

bool ovl_transform_plan_carried(const struct ovl_pencil *pencil, enum ovl_transpose t)
{
    return pencil->space.members[t] > 1;
}

static bool is_fused(const struct ovl_pencil *p, int chunks, int window)
{
    enum { MOST = 32 }; /* slabs of two variables must be told apart */
    return window > 0 && chunks > 1 && chunks <= MOST && p->space.members[OVL_ROW] == 1 &&
           p->space.members[OVL_COLUMN] > 1;
}

int ovl_transform_plan_slots(const struct ovl_pencil *pencil, int chunks, int window)
{
    return is_fused(pencil, chunks, window) ? 2 * chunks : window + 1;
}

/* Where each step finds the stream: full windows, and second transposes, take exchanges in. */
static void count(const struct ovl_transform_plan *f, struct ovl_transform_plan_pass *p)
{
    int posted = 0, landed = 0;
    for (int i = 0; i < p->count; i++) {
        const struct ovl_slab_exchange *at = &p->steps[i];
        p->posted[i] = posted;
        p->landed[i] = landed;
        posted += p->carried[at->turn];
        if (at->turn == 0)
            p->first_ends[at->variable] = p->carried[0] && !p->second_idle ? posted : 0;
        else if (p->first_ends[at->variable] > landed)
            landed = p->first_ends[at->variable];
        landed = posted - f->window > landed ? posted - f->window : landed;
    }
    p->posted[p->count] = p->exchanges = posted;
    p->landed[p->count] = landed;
}

static int make_pass(struct ovl_transform_plan *f, bool back)
{
    struct ovl_transform_plan_pass *p = &f->passes[back];
    size_t most = 2 * (size_t)f->variables * (size_t)f->chunks + 1;
    for (int turn = 0; turn < 2; turn++) {
        struct ovl_slab_exchange step = {.turn = turn};
        p->carried[turn] = ovl_transform_plan_carried(&f->pencil, ovl_transform_plan_transpose(&step, back));
    }
    p->second_idle = back && !p->carried[1];
    p->steps = calloc(most, sizeof *p->steps);
    p->posted = malloc(most * sizeof *p->posted);
    p->landed = malloc(most * sizeof *p->landed);
    p->first_ends = calloc((size_t)f->variables, sizeof *p->first_ends);
    if (!p->steps || !p->posted || !p->landed || !p->first_ends)
        return -1;
    int ahead = p->carried[0] && f->window > 0;
    for (int v = 0; v < f->variables + ahead; v++) {
        for (int k = 0; k < f->chunks && v < f->variables; k++)
            p->steps[p->count++] = (struct ovl_slab_exchange){v, 0, k};
        for (int k = 0; k < f->chunks && v >= ahead; k++)
            p->steps[p->count++] = (struct ovl_slab_exchange){v - ahead, 1, k};
    }
    count(f, p);
    return 0;
}

struct ovl_slab_exchange ovl_transform_plan_exchange(const struct ovl_transform_plan *f, int index, bool *back)
{
    if (f->fused) {
        int of_pass = index % (f->variables * f->chunks);
        *back = index >= f->variables * f->chunks;
        return (struct ovl_slab_exchange){of_pass / f->chunks, *back ? 0 : 1, of_pass % f->chunks};
    }
    *back = index >= f->passes[0].count;
    return f->passes[*back].steps[index - (*back ? f->passes[0].count : 0)];
}

/* A step of an exchange: its message. */
static struct ovl_app_step step_of(const struct ovl_transform_plan *f, bool back, int i, enum ovl_app_kind kind,
                                   enum ovl_transform_what word)
{
    const struct ovl_transform_plan_pass *p = &f->passes[back];
    bool carried = p->carried[p->steps[i].turn];
    int slot = carried ? p->posted[i] % (f->window + 1) : 0, send = slot + 1, recv = f->pair.slots + slot + 1;
    return (struct ovl_app_step){
        .kind = kind,
        .what = word,
        .index = i + (back ? f->passes[0].count : 0),
        .mark = carried ? p->posted[i] + (back ? f->passes[0].exchanges : 0) : -1,
        .units = 1,
        .slot = slot,
        .read = !carried || word == OVL_TRANSFORM_PRODUCE ? 0
                : word == OVL_TRANSFORM_CONSUME           ? recv
                                                          : send,
        .write = !carried || word == OVL_TRANSFORM_CONSUME ? 0
                 : word == OVL_TRANSFORM_PRODUCE           ? send
                                                           : recv,
    };
}

/* Adds who takes part, and the bytes. Rows are teams 0 and on, columns behind them. */
static struct ovl_app_step exchange(const struct ovl_transform_plan *f, int rank, struct ovl_app_step step)
{
    bool back;
    struct ovl_slab_exchange where = ovl_transform_plan_exchange(f, step.index, &back), *at = &where;
    enum ovl_transpose t = ovl_transform_plan_transpose(at, back);
    struct ovl_pencil p;
    struct ovl_error impossible;
    ovl_pencil_make(&p, &f->pencil.grid, f->pencil.real, &f->pencil.space, rank, &impossible);
    size_t slab = ovl_pencil_slab(&p, t, f->chunks, at->chunk).count;
    step.team = t == OVL_ROW ? p.place[OVL_COLUMN] : p.space.members[OVL_COLUMN] + p.place[OVL_ROW];
    step.ranks = p.space.members[t];
    step.root = ovl_space_member(&p.space, rank, t, 0);
    step.needs = slab > 0 ? OVL_NEEDS_ALL : OVL_NEEDS_NOBODY;
    for (int peer = 0; peer < p.space.members[t] && f->node; peer++) {
        if (f->node[ovl_space_member(&p.space, rank, t, peer)] == f->node[rank])
            continue;
        step.in += NUMBER * (double)ovl_pencil_block(&p, t, back, slab, peer).count;
        step.out += NUMBER * (double)ovl_pencil_block(&p, t, !back, slab, peer).count;
    }
    return step;
}

/* The step whose exchange has that number in the pass. */
static int step_that_posts(const struct ovl_transform_plan_pass *p, int number)
{
    int low = 0, high = p->count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->posted[middle + 1] > number)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int add_consume(const struct ovl_transform_plan *f, bool back, int number, bool wait, struct ovl_app_step *steps)
{
    int i = step_that_posts(&f->passes[back], number), n = 0;
    if (wait)
        steps[n++] = step_of(f, back, i, OVL_APP_WAIT, OVL_TRANSFORM_EXCHANGE);
    steps[n++] = step_of(f, back, i, OVL_APP_COMPUTE, OVL_TRANSFORM_CONSUME);
    return n;
}

/* A step that is carried: while its message is made the window is in flight; the oldest one is waited for before it is
   posted, and taken in behind. */
static int add_exchange(const struct ovl_transform_plan *f, int rank, bool back, int i, int landed,
                        struct ovl_app_step *steps)
{
    const struct ovl_transform_plan_pass *p = &f->passes[back];
    bool full = f->window > 0 && p->posted[i] - landed == f->window;
    int n = 0;
    steps[n++] = step_of(f, back, i, OVL_APP_COMPUTE, OVL_TRANSFORM_PRODUCE);
    if (full)
        steps[n++] = step_of(f, back, step_that_posts(p, landed), OVL_APP_WAIT, OVL_TRANSFORM_EXCHANGE);
    steps[n++] =
        exchange(f, rank, step_of(f, back, i, f->window ? OVL_APP_POST : OVL_APP_SYNC, OVL_TRANSFORM_EXCHANGE));
    if (full || f->window == 0)
        n += add_consume(f, back, full ? landed : p->posted[i], false, steps + n);
    return n;
}

/* A step of the fused plan: slots of two variables, in turn. */
static struct ovl_app_step fused_step(const struct ovl_transform_plan *f, bool back, int variable, int chunk,
                                      enum ovl_app_kind kind, enum ovl_transform_what word)
{
    int slot = variable % 2 * f->chunks + chunk, send = slot + 1, recv = f->pair.slots + slot + 1;
    int number = ((back ? f->variables : 0) + variable) * f->chunks + chunk;
    bool produces = word == OVL_TRANSFORM_PRODUCE || word == OVL_TRANSFORM_PRODUCE_ALL,
         exchanges = word == OVL_TRANSFORM_EXCHANGE;
    return (struct ovl_app_step){
        .kind = kind,
        .what = word,
        .index = number,
        .mark = number,
        .units = 1,
        .slot = slot,
        .read = exchanges  ? send
                : produces ? 0
                           : recv,
        .write = exchanges  ? recv
                 : produces ? send
                            : 0,
        .buffers = word == OVL_TRANSFORM_PRODUCE_ALL || word == OVL_TRANSFORM_CONSUME_ALL ? f->chunks : 1,
    };
}

/* A variable is made and posted, and the one before it taken in: forwards made at once, backwards taken in at once. */
static int fused_group(const struct ovl_transform_plan *f, int rank, bool back, int variable,
                       struct ovl_app_step *steps)
{
    int n = 0;
    if (variable < f->variables && !back)
        steps[n++] = fused_step(f, back, variable, 0, OVL_APP_COMPUTE, OVL_TRANSFORM_PRODUCE_ALL);
    for (int k = 0; k < f->chunks && variable < f->variables; k++) {
        if (back)
            steps[n++] = fused_step(f, back, variable, k, OVL_APP_COMPUTE, OVL_TRANSFORM_PRODUCE);
        steps[n++] = exchange(f, rank, fused_step(f, back, variable, k, OVL_APP_POST, OVL_TRANSFORM_EXCHANGE));
    }
    for (int k = 0; k < f->chunks && variable > 0; k++) {
        steps[n++] = fused_step(f, back, variable - 1, k, OVL_APP_WAIT, OVL_TRANSFORM_EXCHANGE);
        if (!back)
            steps[n++] = fused_step(f, back, variable - 1, k, OVL_APP_COMPUTE, OVL_TRANSFORM_CONSUME);
    }
    if (variable > 0 && back)
        steps[n++] = fused_step(f, back, variable - 1, 0, OVL_APP_COMPUTE, OVL_TRANSFORM_CONSUME_ALL);
    return n;
}

/* Groups of a pass. */
static size_t groups_of(const struct ovl_transform_plan *f, bool back)
{
    return (size_t)(f->fused ? f->variables : f->passes[back].count) + 1;
}

/* A group per step, and one for what is left in flight at the end of a pass. */
static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct ovl_transform_plan_part *part = of;
    const struct ovl_transform_plan *f = part->plan;
    size_t first = groups_of(f, false);
    bool back = part->first == 1 || group >= first;
    int i = (int)(back && part->first == 0 ? group - first : group), n = 0;
    const struct ovl_transform_plan_pass *p = &f->passes[back];
    (void)lane;
    if (f->fused)
        return fused_group(f, rank, back, i, steps);
    int landed = p->landed[i], wanted = p->exchanges;
    if (i < p->count)
        wanted = p->steps[i].turn == 1 ? p->first_ends[p->steps[i].variable] : 0;
    for (; landed < wanted; landed++)
        n += add_consume(f, back, landed, true, steps + n);
    if (i == p->count)
        return n;
    if (p->carried[p->steps[i].turn])
        return n + add_exchange(f, rank, back, i, landed, steps + n);
    steps[n++] = step_of(f, back, i, OVL_APP_COMPUTE, OVL_TRANSFORM_PRODUCE);
    steps[n++] = step_of(f, back, i, OVL_APP_COMPUTE, OVL_TRANSFORM_CONSUME);
    return n;
}

int ovl_transform_plan_make(struct ovl_transform_plan *f, const struct ovl_pencil *pencil, int variables, int chunks,
                            int window, const int *node, struct ovl_error *err)
{
    *f = (struct ovl_transform_plan){
        .pencil = *pencil, .variables = variables, .chunks = chunks, .window = window, .node = node};
    f->fused = is_fused(pencil, chunks, window);
    if (make_pass(f, false) != 0 || make_pass(f, true) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the order of %d exchanges", 4 * variables * chunks);
    struct ovl_app_plan plan = {.ranks = pencil->space.members[0] * pencil->space.members[1],
                                .slots = ovl_transform_plan_slots(pencil, chunks, window),
                                .work_alone = true,
                                .group = group_of};
    for (int back = 0; back < 2; back++) {
        f->parts[back] = (struct ovl_transform_plan_part){f, back};
        f->pass[back] = plan;
        f->pass[back].of = &f->parts[back];
        f->pass[back].groups[OVL_LANE_CHAIN] = groups_of(f, back);
    }
    f->pair = f->pass[0];
    f->pair.groups[OVL_LANE_CHAIN] += f->pass[1].groups[OVL_LANE_CHAIN];
    return 0;
}

void ovl_transform_plan_free(struct ovl_transform_plan *f)
{
    for (int back = 0; back < 2; back++) {
        free(f->passes[back].steps);
        free(f->passes[back].posted);
        free(f->passes[back].landed);
        free(f->passes[back].first_ends);
    }
    memset(f, 0, sizeof *f);
}
