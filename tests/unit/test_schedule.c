/* Schedules, by running those of all ranks against each other: random order, messages as late or as early as they may
   be, and every byte of every result. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "offload/coll/packed.h"
#include "tests/fake/deal.h"
#include "tests/sim/schedule_cost.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One rank: its schedule, its buffers, and how far it is. */
struct player {
    struct ovl_coll_shape shape;
    struct ovl_schedule *schedule;
    char *buffer[3];
    size_t bytes[3];
    int round;
    size_t started;  /* steps that may run */
    char *done;      /* of each step */
    uint32_t *ended; /* steps of each round */
};

static char *at(const struct player *p, struct ovl_bufref ref, size_t bytes)
{
    size_t room = ref.buffer == OVL_TEMPORARY ? p->schedule->temporary : p->bytes[ref.buffer];
    ck_assert_msg(ref.offset + bytes <= room, "a step reaches outside its buffer");
    return p->buffer[ref.buffer] + ref.offset;
}

static void advance(struct player *p)
{
    while (p->round < p->schedule->rounds && p->ended[p->round] == p->schedule->in_round[p->round])
        p->round++;
    while (p->started < p->schedule->steps && p->schedule->step[p->started].first_round <= p->round)
        p->started++;
}

static void end(struct player *p, size_t i)
{
    p->done[i] = 1;
    p->ended[p->schedule->step[i].round]++;
    advance(p);
}

/* The step of `p` that receives what step `i` of `sender` sends, if it may run. */
static long partner(const struct player *p, int sender, const struct ovl_step *sent)
{
    long found = -1;
    for (size_t i = 0; i < p->started; i++) {
        const struct ovl_step *s = &p->schedule->step[i];
        bool receives = s->kind == OVL_STEP_RECV || s->kind == OVL_STEP_REDUCE;
        if (!p->done[i] && receives && s->peer == sender && s->tag == sent->tag) {
            ck_assert_msg(found < 0, "two messages that cannot be told apart");
            ck_assert_uint_eq(s->bytes, sent->bytes);
            ck_assert(s->sized == sent->sized);
            found = (long)i;
        }
    }
    return found;
}

static void strided(const struct player *p, const struct ovl_step *s)
{
    for (int end = 0; end < 2; end++) { /* the first block and the last one are inside */
        ptrdiff_t i = end ? (ptrdiff_t)s->blocks - 1 : 0, bytes = (ptrdiff_t)s->bytes;
        at(p, ovl_bufref_at(s->from, (size_t)(i * s->from_stride * bytes)), s->bytes);
        at(p, ovl_bufref_at(s->to, (size_t)(i * s->to_stride * bytes)), s->bytes);
    }
    ovl_step_strided(s, p->buffer[OVL_TEMPORARY]);
}

/* Streams and numbers of a computation are inside, as far as they may reach. */
static void computed(const struct player *p, const struct ovl_step *s)
{
    bool packs = s->kind == OVL_STEP_PACK || s->kind == OVL_STEP_PACK_SUMS,
         wide = s->kind == OVL_STEP_PACK_SUMS || s->kind == OVL_STEP_ADD;
    struct ovl_bufref data = packs ? s->to : s->from, numbers = packs ? s->from : s->to;
    ck_assert(data.buffer == OVL_TEMPORARY && numbers.buffer == OVL_TEMPORARY && data.offset >= OVL_STREAM_HEAD);
    at(p, data, ovl_packed_most(s->bytes / sizeof(float)));
    at(p, numbers, s->bytes * (wide ? 2 : 1));
    ovl_step_packed(s, p->schedule->bound, p->buffer[OVL_TEMPORARY]);
}

/* Tries a step; true when it ended. A message moves as a whole once both sides may run, its bytes taken then: a
   schedule that writes what it is still sending is found out. */
static bool try_step(struct player *all, int rank, size_t i)
{
    struct player *p = &all[rank];
    const struct ovl_step *s = &p->schedule->step[i];
    if (s->kind == OVL_STEP_COPY) {
        memmove(at(p, s->to, s->bytes), at(p, s->from, s->bytes), s->bytes);
        end(p, i);
        return true;
    }
    if (s->kind == OVL_STEP_STRIDED) {
        strided(p, s);
        end(p, i);
        return true;
    }
    if (ovl_step_computes(s)) {
        computed(p, s);
        end(p, i);
        return true;
    }
    if (s->kind != OVL_STEP_SEND)
        return false;
    struct player *q = &all[s->peer];
    long j = partner(q, rank, s);
    if (j < 0)
        return false;
    const struct ovl_step *r = &q->schedule->step[j];
    char *from = s->bytes ? at(p, s->from, s->bytes) : NULL;
    size_t bytes = s->sized ? ovl_packed_bytes(s, p->buffer[OVL_TEMPORARY]) : s->bytes;
    if (s->sized) /* as the receiver was told before */
        ck_assert(bytes <= s->bytes && bytes == ovl_packed_bytes(r, q->buffer[OVL_TEMPORARY]));
    if (s->bytes && r->kind == OVL_STEP_RECV)
        memcpy(at(q, r->to, s->bytes), from, bytes);
    else if (s->bytes)
        ovl_reduce_local(OVL_SUM, OVL_INT32, at(q, r->to, s->bytes), from, at(q, r->from, s->bytes), s->bytes);
    end(q, (size_t)j);
    end(p, i);
    return true;
}

/* Runs all to their ends, each time a random step of those that can. */
static void play(struct player *all, int ranks, struct ovl_rng *rng)
{
    for (int r = 0; r < ranks; r++)
        advance(&all[r]);
    for (;;) {
        bool moved = false, over = true;
        int first = (int)ovl_rng_below(rng, (uint32_t)ranks);
        for (int k = 0; k < ranks && !moved; k++) {
            int r = (first + k) % ranks;
            struct player *p = &all[r];
            over = over && p->round == p->schedule->rounds;
            size_t turn = p->started ? ovl_rng_below(rng, (uint32_t)p->started) : 0;
            for (size_t i = 0; i < p->started && !moved; i++) {
                size_t step = (turn + i) % p->started;
                moved = !p->done[step] && try_step(all, r, step);
            }
        }
        if (!moved) {
            const struct ovl_coll_shape *s = &all->shape;
            ck_assert_msg(over, "%s %s, %d ranks, %zu bytes%s: no step can run, and not all have ended",
                          ovl_operations[s->operation].name, s->algorithm ? s->algorithm->name : "", ranks, s->bytes,
                          s->in_place ? ", in place" : "");
            return;
        }
    }
}

struct game {
    struct deal deal;
    const struct ovl_placement *placement;
    struct ovl_tuning tuning;
};

static struct ovl_coll_shape shape_of(const struct game *g, int rank, const int *lists)
{
    struct ovl_coll_args a = deal_args(&g->deal, rank, lists);
    return (struct ovl_coll_shape){.operation = a.operation,
                                   .algorithm = a.algorithm,
                                   .rank = rank,
                                   .ranks = g->deal.ranks,
                                   .root = a.root,
                                   .to = a.to,
                                   .from = a.from,
                                   .bytes = a.bytes,
                                   .recv_bytes = a.recv_bytes,
                                   .element = 4,
                                   .bound = a.bound,
                                   .in_place = deal_in_place(&g->deal, rank),
                                   .send_counts = a.send_counts,
                                   .send_displs = a.send_displs,
                                   .recv_counts = a.recv_counts,
                                   .recv_displs = a.recv_displs,
                                   .placement = g->placement,
                                   .tuning = &g->tuning};
}

static void deal_to_player(const struct game *g, struct player *p, int rank, int *lists)
{
    deal_counts(&g->deal, rank, lists);
    p->shape = shape_of(g, rank, lists);
    p->schedule = ovl_schedule_make(&p->shape);
    ck_assert_ptr_nonnull(p->schedule);
    ck_assert_uint_eq(ovl_schedule_payload(&p->shape), 4 * deal_payload(&g->deal, rank));
    for (int i = 0; i < 2; i++) {
        bool unused = p->shape.in_place && (i == OVL_RECV_BUFFER) == ovl_operations[g->deal.operation].scatters;
        p->bytes[i] = unused ? 0 : 4 * deal_length(&g->deal, rank, i == OVL_RECV_BUFFER);
        p->buffer[i] = malloc(4 * deal_length(&g->deal, rank, i == OVL_RECV_BUFFER) + 1);
    }
    p->buffer[OVL_TEMPORARY] = malloc(p->schedule->temporary + 1);
    p->done = calloc(p->schedule->steps + 1, 1);
    p->ended = calloc((size_t)p->schedule->rounds + 1, sizeof *p->ended);
    deal_fill(&g->deal, rank, lists, (int32_t *)p->buffer[OVL_SEND_BUFFER], (int32_t *)p->buffer[OVL_RECV_BUFFER]);
}

static void clear(struct player *p)
{
    for (int i = 0; i < 3; i++)
        free(p->buffer[i]);
    free(p->done);
    free(p->ended);
    ovl_schedule_free(p->schedule);
}

static void run(const struct game *g, uint64_t seed)
{
    int n = g->deal.ranks;
    struct player *all = calloc((size_t)n, sizeof *all);
    int *lists = calloc((size_t)n * (size_t)n * 4, sizeof *lists);
    struct ovl_rng rng = ovl_rng_seeded(seed);
    for (int r = 0; r < n; r++)
        deal_to_player(g, &all[r], r, lists + r * n * 4);
    play(all, n, &rng);
    for (int r = 0; r < n; r++) {
        long first;
        size_t wrong = deal_wrong(&g->deal, r, lists + r * n * 4, (int32_t *)all[r].buffer[OVL_RECV_BUFFER], &first);
        ck_assert_msg(wrong == 0, "%s %s of %d ranks, root %d, %zu numbers%s: rank %d has %zu wrong, the first at %ld",
                      ovl_operations[g->deal.operation].name, g->deal.algorithm ? g->deal.algorithm->name : "", n,
                      g->deal.root, g->deal.count, g->deal.in_place ? ", in place" : "", r, wrong, first);
        clear(&all[r]);
    }
    free(lists);
    free(all);
}

/* Nodes that are even, uneven, mixed up, and one rank each. */
static int node_of(int layout, int rank, int ranks)
{
    switch (layout) {
    case 0:
        return 7;
    case 1:
        return rank;
    case 2:
        return rank / 2;
    case 3:
        return rank % 3;
    default:
        return rank < ranks - 1 ? 0 : 1;
    }
}

/* Small limits, so that windows and pieces are cut at small sizes. */
static const struct ovl_tuning tunings[] = {{.piece = 24, .pieces = 8, .window = 2},
                                            {.piece = 64, .pieces = 1000, .window = 5}};

enum { MOST_RANKS = 17, LAYOUTS = 5 };

/* One algorithm for so many ranks, on every layout of nodes, at several sizes, from several roots. */
static void every_deal(const struct ovl_algorithm *a, int ranks)
{
    static const size_t counts[] = {0, 1, 7, 64};
    for (int layout = 0; layout < LAYOUTS; layout++) {
        struct ovl_placement placement;
        int node[MOST_RANKS];
        for (int r = 0; r < ranks; r++)
            node[r] = node_of(layout, r, ranks);
        ck_assert_int_eq(ovl_placement_make(&placement, node, ranks), 0);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int in_place = 0; in_place < 2; in_place++) {
                int root = (int)(c * 5 + (size_t)(layout + in_place)) % ranks;
                struct game g = {.deal = {a->operation, ranks, root, counts[c], in_place, a},
                                 .placement = &placement,
                                 .tuning = tunings[(c + (size_t)layout) % 2]};
                run(&g, (uint64_t)(ranks * 100 + layout * 10 + in_place));
            }
        ovl_placement_free(&placement);
    }
}

static int rows(void)
{
    int n = 0;
    while (ovl_algorithms[n].name)
        n++;
    return n;
}

LOOP_TEST(every_algorithm, 0, rows())
{
    const struct ovl_algorithm *a = &ovl_algorithms[_i];
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
        if (ovl_algorithm_works(a, ranks) && (ranks <= 8 || ranks % 4 < rounds(2, 4)))
            every_deal(a, ranks);
}

/* Each row but those that are there for the asking is chosen for some size, number of ranks and layout; whatever they
   are, one is. */
TEST(every_algorithm_is_chosen)
{
    enum { MOST = 64 };
    bool seen[MOST] = {false};
    int node[MOST], counts[MOST];
    ck_assert_int_lt(rows(), MOST);
    for (int ranks = 2; ranks <= MOST; ranks += 7)
        for (int nodes = 1; nodes <= ranks; nodes++)
            for (size_t bytes = 1; bytes < 16 << 20; bytes *= 8) {
                struct ovl_placement placement;
                for (int r = 0; r < ranks; r++) {
                    node[r] = r % nodes;
                    counts[r] = (int)bytes / ranks;
                }
                ck_assert_int_eq(ovl_placement_make(&placement, node, ranks), 0);
                struct ovl_coll_shape s = {
                    .ranks = ranks, .bytes = bytes, .element = 1, .recv_counts = counts, .placement = &placement};
                for (int o = OVL_IALLTOALL; o < OVL_OPERATIONS; o++) {
                    s.operation = (enum ovl_operation)o;
                    const struct ovl_algorithm *a = ovl_algorithm_of(&s);
                    ck_assert_ptr_nonnull(a);
                    ck_assert_int_eq(a->operation, o);
                    ck_assert(ovl_algorithm_works(a, ranks));
                    seen[a - ovl_algorithms] = true;
                }
                ovl_placement_free(&placement);
            }
    for (int i = 0; i < rows(); i++) {
        char text[128];
        const struct ovl_algorithm *a = &ovl_algorithms[i];
        ck_assert_msg(seen[i] == !a->asked_for, "%s %s is %s", ovl_operations[a->operation].name, a->name,
                      seen[i] ? "chosen" : "never chosen");
        ck_assert_ptr_eq(ovl_algorithm_find(a->operation, a->name), a);
        ck_assert(a->about && a->source && a->build);
        ovl_algorithm_chosen(text, sizeof text, a);
        ck_assert_msg(*text, "%s", a->name);
        ovl_algorithm_names(text, sizeof text, a->operation);
        ck_assert_ptr_nonnull(strstr(text, a->name));
    }
    ck_assert_ptr_null(ovl_algorithm_find(OVL_IALLTOALL, "ring"));
}

/* A barrier's schedules hold every rank until the last one has come: with one player kept out, nobody ends. */
TEST(a_barrier_holds)
{
    int node[6] = {0, 0, 1, 1, 2, 2};
    struct ovl_placement placement;
    ck_assert_int_eq(ovl_placement_make(&placement, node, 6), 0);
    for (int late = 0; late < 6; late++) {
        struct game g = {
            .deal = {.operation = OVL_IBARRIER, .ranks = 6}, .placement = &placement, .tuning = tunings[0]};
        struct player all[6] = {0};
        int lists[24];
        for (int r = 0; r < 6; r++)
            deal_to_player(&g, &all[r], r, lists);
        for (int r = 0; r < 6; r++)
            if (r != late)
                advance(&all[r]);
        for (int turn = 0; turn < 100; turn++)
            for (int r = 0; r < 6; r++)
                for (size_t i = 0; i < all[r].started; i++)
                    if (!all[r].done[i])
                        try_step(all, r, i);
        for (int r = 0; r < 6; r++) {
            ck_assert_int_lt(all[r].round, all[r].schedule->rounds);
            clear(&all[r]);
        }
    }
    ovl_placement_free(&placement);
}

TEST(placements)
{
    static const int node[] = {7, 3, 7, -1, 3, 7}, numbers[] = {0, 1, 0, 2, 1, 0}, order[] = {0, 2, 5, 1, 4, 3};
    struct ovl_placement p;
    ck_assert_int_eq(ovl_placement_make(&p, node, 6), 0);
    ck_assert_int_eq(p.nodes, 3);
    for (int r = 0; r < 6; r++) {
        ck_assert_int_eq(p.node[r], numbers[r]);
        ck_assert_int_eq(p.by_node[r], order[r]);
        ck_assert_int_eq(p.by_node[p.place[r]], r);
    }
    ck_assert_int_eq(p.begin[1], 3);
    ck_assert_int_eq(p.begin[3], 6);
    ovl_placement_free(&p);
}

/* With 10,000 ranks no schedule has many more steps than there are messages, and only as many are under way at a time
   as a window and the ranks of a node allow. Those for small messages have a logarithm of steps. */
LOOP_TEST(large_teams, 0, rows())
{
    enum { RANKS = 10000, EACH = 128, LOG = 14 };
    const struct ovl_algorithm *a = &ovl_algorithms[_i];
    size_t window = (size_t)ovl_tuning_default.window;
    if (!ovl_algorithm_works(a, RANKS))
        return;
    struct schedule_cost c = schedule_cost(a, RANKS, EACH, 64 << 10);
    ck_assert_uint_ge(c.steps, 2);
    size_t each = a->operation == OVL_IALLREDUCE_SZX ? 13 : 4; /* 8 messages, of lengths too, and 5 at its own place */
    ck_assert_uint_le(c.steps, each * RANKS);
    ck_assert_uint_le(c.live, 4 * window + 3 * EACH);
    ck_assert_uint_le(c.bytes, each << 20);
    if (a->most_bytes)
        ck_assert_uint_le(c.steps, 10 * LOG + 3 * EACH);
    if (a->operation == OVL_IBCAST) { /* a long message */
        c = schedule_cost(a, RANKS, EACH, (size_t)1 << 30);
        ck_assert_uint_le(c.steps, 4 * RANKS);
    }
}

/* What a schedule does not follow from does not change its key, and all else does. */
TEST(keys)
{
    int a[2] = {1, 2}, b[2] = {1, 2}, c[2] = {2, 1};
    struct ovl_coll_shape s = {.operation = OVL_IALLGATHERV,
                               .ranks = 2,
                               .bytes = 8,
                               .recv_counts = a,
                               .recv_displs = a},
                          t = s;
    t.recv_counts = b;
    ck_assert(ovl_schedule_key(&s) == ovl_schedule_key(&t));
    t.recv_displs = c;
    ck_assert(ovl_schedule_key(&s) != ovl_schedule_key(&t));
    t.recv_displs = a;
    t.in_place = true;
    ck_assert(ovl_schedule_key(&s) != ovl_schedule_key(&t));
    t.in_place = false;
    t.algorithm = &ovl_algorithms[0];
    ck_assert(ovl_schedule_key(&s) != ovl_schedule_key(&t));
}

#define COMBINES(number, type)                                                                                         \
    do {                                                                                                               \
        type a[5] = {1, 7, 3, 0, 9}, b[5] = {5, 2, 3, 4, 1}, to[5];                                                    \
        ck_assert_uint_eq(ovl_dtype_bytes(number), sizeof(type));                                                      \
        for (int c = 0; c < OVL_REDOPS; c++) {                                                                         \
            ovl_reduce_local((enum ovl_redop)c, number, to, a, b, sizeof to);                                          \
            for (int i = 0; i < 5; i++)                                                                                \
                ck_assert(to[i] == (type)(c == OVL_SUM   ? a[i] + b[i]                                                 \
                                          : c == OVL_MIN ? (a[i] < b[i] ? a[i] : b[i])                                 \
                                          : c == OVL_MAX ? (a[i] > b[i] ? a[i] : b[i])                                 \
                                                         : a[i] * b[i]));                                              \
        }                                                                                                              \
    } while (0)

TEST(combining)
{
    COMBINES(OVL_INT8, int8_t);
    COMBINES(OVL_INT16, int16_t);
    COMBINES(OVL_INT32, int32_t);
    COMBINES(OVL_INT64, int64_t);
    COMBINES(OVL_FLOAT, float);
    COMBINES(OVL_DOUBLE, double);
    int32_t big = INT32_MAX, one = 1, sum;
    ovl_reduce_local(OVL_SUM, OVL_INT32, &sum, &big, &one, 4);
    ck_assert_int_eq(sum, INT32_MIN);
}

/* The same bits in either order: at some ranks the one stands first, at others the other. */
TEST(no_number_combines_alike)
{
    double a[4] = {NAN, 1, -INFINITY, 3}, b[4] = {2, NAN, NAN, 4}, one[4], other[4];
    float c[2] = {NAN, 1}, d[2] = {2, NAN}, first[2], second[2];
    for (int how = OVL_SUM; how < OVL_REDOPS; how++) {
        ovl_reduce_local((enum ovl_redop)how, OVL_DOUBLE, one, a, b, sizeof one);
        ovl_reduce_local((enum ovl_redop)how, OVL_DOUBLE, other, b, a, sizeof other);
        ck_assert_mem_eq(one, other, sizeof one);
        ck_assert(isnan(one[0]) && isnan(one[1]) && isnan(one[2]));
        ovl_reduce_local((enum ovl_redop)how, OVL_FLOAT, first, c, d, sizeof first);
        ovl_reduce_local((enum ovl_redop)how, OVL_FLOAT, second, d, c, sizeof second);
        ck_assert_mem_eq(first, second, sizeof first);
    }
}
