/* Messages under way at the same time, which share a link or a core, against what LogGP says of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/simulated.h"

#include <stdint.h>
#include <stdlib.h>

/* Each goes from one rank to another one; all ranks post theirs in this order, and then wait for them. */
struct messages {
    int ranks, count;
    struct {
        int from, to;
        size_t bytes;
    } m[4];
};

static int group_of(const void *of, int rank, enum ovl_app_lane lane, size_t group, struct ovl_app_step *steps)
{
    const struct messages *s = of;
    int n = 0;
    (void)group;
    for (int kind = OVL_APP_POST; kind <= OVL_APP_WAIT && lane == OVL_LANE_CHAIN; kind++)
        for (int i = 0; i < s->count; i++)
            if (s->m[i].from == rank || s->m[i].to == rank)
                steps[n++] = (struct ovl_app_step){.kind = (enum ovl_app_kind)kind,
                                                   .index = i,
                                                   .slot = i,
                                                   .team = i,
                                                   .ranks = 2,
                                                   .root = s->m[i].from,
                                                   .needs = OVL_NEEDS_ROOT};
    return n;
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct messages *s = of;
    int from = s->m[step->index].from, to = s->m[step->index].to;
    struct ovl_sim_operation o = {.shape = ovl_sim_shape(OVL_ISENDRECV, s->m[step->index].bytes, 1, 2, 0),
                                  .first = from < to ? from : to,
                                  .stride = abs(to - from)};
    (void)rank;
    o.shape.algorithm = ovl_algorithm_find(OVL_ISENDRECV, "direct");
    o.shape.from = from > to;
    o.shape.to = from < to;
    return o;
}

/* `workers` 0: the ranks move them in their calls. */
static double seconds_of(const struct messages *s, int per_node, int workers, double carry)
{
    struct ovl_sim_result result;
    const struct ovl_app_plan plan = {.ranks = s->ranks, .slots = 4, .groups = {1, 0}, .of = s, .group = group_of};
    const struct ovl_sim_program program = {.plan = &plan, .mask = OVL_MASK_TOTAL, .of = s, .operation = operation_of};
    const struct ovl_sim_machine machine = {
        .per_node = per_node,
        .rates = {.latency = L, .byte = G, .overhead = O, .carry = carry, .eager = SIZE_MAX},
        .mover = workers > 0 ? OVL_SIM_BY_WORKERS : OVL_SIM_BY_CALLS,
        .workers = workers};
    ck_assert_msg(ovl_sim_play(&program, &machine, &result, &err) == 0, "%s", err.text);
    ck_assert_double_eq(result.messages, s->count);
    return result.seconds;
}

static const double m = 1e6, n = 3e6; /* bytes: for longer on a link than all overheads */

/* Two out of a node, or two into one: the second one's bytes are behind those of the first, a + (m + n) b. Out of one
   node into another both hold, once. */
TEST(two_messages_share_a_link)
{
    for (int workers = 0; workers <= 1; workers++) {
        struct messages out = {3, 2, {{0, 1, (size_t)m}, {0, 2, (size_t)n}}};
        NEAR(seconds_of(&out, 1, workers, 0), a + (m + n) * G);
        struct messages in = {3, 2, {{1, 0, (size_t)m}, {2, 0, (size_t)n}}};
        NEAR(seconds_of(&in, 1, workers, 0), a + (m + n) * G);
        struct messages both = {2, 2, {{1, 0, (size_t)m}, {1, 0, (size_t)n}}};
        NEAR(seconds_of(&both, 1, workers, 0), a + (m + n) * G);
    }
    /* Of two ranks of a node, to two of another one. */
    struct messages nodes = {4, 2, {{0, 2, (size_t)m}, {1, 3, (size_t)n}}};
    NEAR(seconds_of(&nodes, 2, 0, 0), a + (m + n) * G);
}

/* What has a link of its own waits for nothing: other nodes, or the other direction. */
TEST(two_messages_on_two_links)
{
    struct messages apart = {4, 2, {{0, 1, (size_t)m}, {2, 3, (size_t)n}}};
    NEAR(seconds_of(&apart, 1, 0, 0), a + n * G);
    struct messages back = {2, 2, {{0, 1, (size_t)m}, {1, 0, (size_t)n}}};
    NEAR(seconds_of(&back, 1, 0, 0), a + n * G);
}

/* A core that carries a byte in c seconds, longer than the link takes, carries one message behind the other: (m + n) c,
   and o for each. Two cores carry both at once, and the link has the last of the first one's bytes when they have done
   so: n c, and m b of the shorter one that is behind it. */
TEST(two_messages_share_a_core)
{
    double c = 3 * G;
    struct messages out = {3, 2, {{0, 1, (size_t)m}, {0, 2, (size_t)n}}};
    NEAR(seconds_of(&out, 1, 0, c), a + O + (m + n) * c);
    NEAR(seconds_of(&out, 1, 1, c), a + O + (m + n) * c);
    struct messages ranks = {4, 2, {{0, 2, (size_t)n}, {1, 3, (size_t)n}}};
    NEAR(seconds_of(&ranks, 2, 1, c), a + O + 2 * n * c);
    NEAR(seconds_of(&ranks, 2, 2, c), a + n * c + n * G);
}
