/* The gate of a mixture of experts, routes and tokens, from their definitions: laws of chance, and every token counted
   by hand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/tokens.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_moe asked(int experts, int top, double skew)
{
    struct ovl_moe moe = ovl_moe_default();
    moe.experts = experts;
    moe.top = top;
    moe.skew = skew;
    return moe;
}

/* Probabilities of Zipf's law, the most likely first. */
static void zipf(double *p, int n, double skew)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow(i + 1, -skew);
    for (int i = 0; i < n; i++)
        p[i] = pow(i + 1, -skew) / sum;
}

static const struct {
    int experts, top;
    double skew;
} laws[] = {{8, 2, 0}, {8, 2, 1}, {16, 3, 1.2}, {64, 6, 0.5}, {3, 3, 2}, {1, 1, 1}};

/* The first draw has the law itself; the second one that of what is left: p_j times the sum of p_i / (1 - p_i) over all
   others. Within five standard deviations. */
LOOP_TEST(experts_are_as_popular_as_the_law_says, 0, sizeof laws / sizeof *laws)
{
    enum { TOKENS = 40000 };
    const int n = laws[_i].experts, top = laws[_i].top;
    struct ovl_moe moe = asked(n, top, laws[_i].skew);
    double p[64], ratios = 0, first[64] = {0}, second[64] = {0};
    int place[64], chosen[OVL_MOE_TOP_MOST], wrong = 0;
    struct ovl_moe_gate g;
    zipf(p, n, laws[_i].skew);
    ovl_moe_gate_open(&g, &moe, 5);
    for (int i = 0; i < n; i++) {
        place[g.expert[i]] = i;
        ratios += p[i] / (1 - p[i]);
    }
    for (int t = 0; t < TOKENS; t++) {
        ovl_moe_gate_choose(&g, 5, 1, 3, t, chosen);
        for (int k = 0; k < top; k++)
            for (int j = 0; j < k; j++)
                wrong += chosen[k] == chosen[j];
        first[place[chosen[0]]]++;
        if (top > 1)
            second[place[chosen[1]]]++;
    }
    ck_assert_int_eq(wrong, 0);
    for (int i = 0; i < n; i++) {
        double off = 5 * sqrt(TOKENS * p[i] * (1 - p[i]));
        ck_assert_msg(fabs(first[i] - TOKENS * p[i]) <= off, "%d: %g, not %g", i, first[i], TOKENS * p[i]);
        double q = p[i] * (ratios - p[i] / (1 - p[i]));
        ck_assert(top < 2 || fabs(second[i] - TOKENS * q) <= 5 * sqrt(TOKENS * q * (1 - q)));
    }
    ovl_moe_gate_close(&g);
}

/* Who is popular differs between blocks, each order as likely; the last of a thousand still has a chance. */
TEST(blocks_have_other_favourites)
{
    int count[4] = {0};
    struct ovl_moe moe = asked(4, 1, 3), many = asked(1000, 2, 9);
    struct ovl_moe_gate g;
    for (int block = 0; block < 4000; block++) {
        bool seen[4] = {false};
        ovl_moe_gate_open(&g, &moe, block);
        count[g.expert[0]]++;
        for (int i = 0; i < 4; i++)
            seen[g.expert[i]] = true;
        ck_assert(seen[0] && seen[1] && seen[2] && seen[3]);
        ovl_moe_gate_close(&g);
    }
    for (int e = 0; e < 4; e++)
        ck_assert(abs(count[e] - 1000) <= 5 * 28);
    ovl_moe_gate_open(&g, &many, 0);
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_ge(g.weight[i], 1);
    ovl_moe_gate_close(&g);
}

/* What every machine must draw: records of two of them are compared. */
TEST(draws_are_the_same_everywhere)
{
    static const int wanted[4][2] = {{6, 0}, {6, 0}, {1, 0}, {0, 6}};
    struct ovl_moe moe = asked(8, 2, 1);
    struct ovl_moe_gate g;
    ovl_moe_gate_open(&g, &moe, 3);
    for (int t = 0; t < 4; t++) {
        int chosen[2];
        ovl_moe_gate_choose(&g, 3, 0, 1, 1000 * t, chosen);
        ck_assert_msg(chosen[0] == wanted[t][0] && chosen[1] == wanted[t][1], "%d: %d, %d", t, chosen[0], chosen[1]);
    }
    ovl_moe_gate_close(&g);
}

static const struct shape {
    int experts, top, members, tokens;
    double capacity, skew;
    enum ovl_moe_overlap overlap;
    bool per_expert;
} shapes[] = {
    {8, 2, 4, 64, 0, 0, OVL_MOE_NONE, false},    {8, 2, 4, 64, 0, 0, OVL_MOE_NONE, true},
    {8, 4, 2, 50, 1, 1.5, OVL_MOE_TWO, false},   {8, 4, 2, 50, 1, 1.5, OVL_MOE_TWO, true},
    {4, 2, 4, 33, 1.25, 1, OVL_MOE_NONE, false}, {6, 6, 3, 7, 0.01, 0, OVL_MOE_SHARED, false},
    {1, 1, 1, 5, 0, 0, OVL_MOE_NONE, false},     {12, 3, 1, 20, 0.5, 2, OVL_MOE_TWO, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, BLOCKS = 3, MEMBERS = 4, EXPERTS = 12 };

/* Which experts each token of each member gets, by the rules. */
struct truth {
    bool gets[MEMBERS][64][EXPERTS];
    double dropped;
};

static void find_truth(const struct shape *s, const struct ovl_moe *moe, int block, int part, struct truth *truth)
{
    struct ovl_moe_gate g;
    double most = s->capacity > 0 ? ceil(s->capacity * s->tokens * s->top / s->experts) : INFINITY;
    memset(truth, 0, sizeof *truth);
    ovl_moe_gate_open(&g, moe, block);
    for (int m = 0; m < s->members; m++) {
        double taken[EXPERTS] = {0};
        for (int t = 0; t < s->tokens; t++) {
            int chosen[OVL_MOE_TOP_MOST];
            ovl_moe_gate_choose(&g, block, part, m, t, chosen);
            for (int k = 0; k < s->top; k++)
                if (taken[chosen[k]]++ < most)
                    truth->gets[m][t][chosen[k]] = true;
                else
                    truth->dropped++;
        }
    }
    ovl_moe_gate_close(&g);
}

/* Copies of a member's tokens for another one, against the truth, in the order of the tokens. */
static int wrong_copies(const struct shape *s, const struct truth *truth, int from, int to,
                        const struct ovl_moe_copy *copies, int count)
{
    int here = s->experts / s->members, n = 0, wrong = 0;
    for (int t = 0; t < s->tokens; t++) {
        unsigned experts = 0, sum = 0;
        for (int e = to * here; e < (to + 1) * here; e++) {
            experts += truth->gets[from][t][e];
            sum += truth->gets[from][t][e] ? (unsigned)e : 0;
        }
        unsigned found = 0, found_sum = 0;
        for (; n < count && copies[n].token == t; n++) {
            wrong += ovl_moe_copy_experts(&copies[n]) < 1 || (s->per_expert && ovl_moe_copy_experts(&copies[n]) != 1);
            wrong += !s->per_expert && found > 0; /* once for all */
            found += ovl_moe_copy_experts(&copies[n]);
            found_sum += copies[n].sum;
        }
        wrong += found != experts || found_sum != sum;
    }
    return wrong + (n != count);
}

static void open_shape(const struct shape *s, struct ovl_moe *moe, struct ovl_moe_routes *r)
{
    *moe = asked(s->experts, s->top, s->skew);
    moe->capacity = s->capacity;
    moe->overlap = s->overlap;
    moe->per_expert = s->per_expert;
    ck_assert_msg(ovl_moe_settle(moe, s->members, 2, &err) == 0, "%s", err.text);
    for (int m = 0; m < s->members; m++)
        ovl_moe_routes_open(&r[m], moe, BLOCKS, s->members, m, s->tokens);
}

/* Routes by counts, which are drawn once for all members, are those that each member draws, but for the copies. */
static void check_counts(const struct shape *s, const struct ovl_moe *moe, const struct ovl_moe_routes *r,
                         const double *sums)
{
    struct ovl_moe_counts c;
    struct ovl_moe_routes by_counts;
    double all[MEMBERS * MEMBERS] = {0};
    const int cells = BLOCKS * ovl_moe_parts(moe), square = s->members * s->members;
    ovl_moe_counts_open(&c, moe, BLOCKS, s->members, s->tokens);
    for (int i = 0; i < cells * square; i++)
        all[i % square] += c.copies[i];
    ck_assert_int_eq(memcmp(all, sums, (size_t)square * sizeof *all), 0);
    for (int m = 0; m < s->members; m++) {
        double copies = 0, lists = 0;
        ovl_moe_routes_count(&by_counts, &c, m);
        for (int i = 0; i < cells; i++) {
            const struct ovl_moe_route *a = &by_counts.list[i], *b = &r[m].list[i];
            size_t bytes = ((size_t)s->members + 1) * sizeof *a->sent;
            ck_assert(!a->out && !a->in && a->member == m && a->tokens == s->tokens);
            ck_assert(memcmp(a->sent, b->sent, bytes) == 0 && memcmp(a->got, b->got, bytes) == 0);
            ck_assert(a->work == b->work && a->most_work == b->most_work);
            ck_assert(a->chosen == b->chosen && a->dropped == b->dropped);
            copies += b->sent[s->members] + b->got[s->members];
            lists += 2.0 * (s->members + 1);
        }
        /* Of a copy 16 bytes, of a member two places. */
        double heads = (double)cells * sizeof(struct ovl_moe_route) + 4 * lists;
        ck_assert_double_eq(ovl_moe_routes_bytes(&by_counts), heads);
        ck_assert_double_eq(ovl_moe_routes_bytes(&r[m]), heads + 16 * copies);
        ovl_moe_routes_close(&by_counts);
    }
    ck_assert_double_eq(ovl_moe_counts_bytes(&c), cells * (4.0 * square + 8 * s->members + 8));
    ovl_moe_counts_close(&c);
}

LOOP_TEST(every_token_goes_where_its_experts_are, 0, SHAPES)
{
    const struct shape *s = &shapes[_i];
    struct ovl_moe moe;
    struct ovl_moe_routes r[MEMBERS];
    struct truth truth;
    double sums[MEMBERS * MEMBERS] = {0};
    open_shape(s, &moe, r);
    int here = s->experts / s->members, parts = ovl_moe_parts(&moe), wrong = 0;
    for (int i = 0; i < BLOCKS * parts; i++) {
        double most = 0, work[MEMBERS] = {0};
        find_truth(s, &moe, i / parts, i % parts, &truth);
        for (int m = 0; m < s->members; m++)
            for (int t = 0; t < s->tokens; t++)
                for (int e = 0; e < s->experts; e++)
                    work[e / here] += truth.gets[m][t][e];
        for (int m = 0; m < s->members; m++)
            most = fmax(most, work[m]);
        for (int m = 0; m < s->members; m++) {
            const struct ovl_moe_route *route = ovl_moe_route(&r[m], i / parts, i % parts);
            ck_assert_double_eq(route->work, work[m]);
            ck_assert_double_eq(route->most_work, most);
            ck_assert_double_eq(route->chosen, s->members * s->tokens * s->top);
            ck_assert_double_eq(route->dropped, truth.dropped);
            for (int o = 0; o < s->members; o++) {
                int sent = route->sent[o + 1] - route->sent[o], got = route->got[o + 1] - route->got[o];
                wrong += wrong_copies(s, &truth, m, o, route->out + route->sent[o], sent);
                wrong += wrong_copies(s, &truth, o, m, route->in + route->got[o], got);
                sums[m * s->members + o] += sent;
            }
        }
    }
    ck_assert_int_eq(wrong, 0);
    check_counts(s, &moe, r, sums);
    for (int m = 0; m < s->members; m++)
        ovl_moe_routes_close(&r[m]);
}

/* What one member sends to another, by the lists of both. */
static void exchange(const struct ovl_moe_routes *r, bool back, int words, uint32_t **from, uint32_t **to)
{
    int members = r->list->members, lists[MEMBERS][4 * MEMBERS];
    for (int m = 0; m < members; m++)
        ovl_moe_lists(r[m].list, back, words, lists[m]);
    for (int a = 0; a < members; a++)
        for (int b = 0; b < members; b++) {
            const int *out = lists[a], *in = lists[b] + 2 * members;
            ck_assert_int_eq(out[b], in[a]);
            memcpy(to[b] + in[members + a], from[a] + out[members + b], (size_t)out[b] * sizeof **to);
        }
}

static uint32_t **new_buffers(uint32_t *memory[MEMBERS], int members)
{
    for (int m = 0; m < members; m++)
        memory[m] = ovl_check_alloc(calloc(64 * EXPERTS * 8, sizeof **memory));
    return memory;
}

/* The member to whom a copy goes. */
static int expert_side(const struct ovl_moe_route *r, int copy)
{
    int to = 0;
    while (r->sent[to + 1] <= copy)
        to++;
    return to;
}

/* Without what is added to each word, the sum over what comes back of a token is its words, once for each of its
 * experts, and the numbers of these. */
static int wrong_sums(const struct shape *s, const struct ovl_moe_route *r, const struct truth *truth,
                      const uint32_t *sent, const uint32_t *back, struct ovl_moe_words words)
{
    int wrong = 0;
    for (int t = 0; t < s->tokens; t++) {
        uint32_t experts = 0, numbers = 0;
        for (int e = 0; e < s->experts; e++) {
            experts += truth->gets[r->member][t][e];
            numbers += truth->gets[r->member][t][e] ? (uint32_t)e : 0;
        }
        for (size_t w = 0; w < words.back; w++) {
            uint32_t sum = 0, word = 0;
            for (int c = 0; c < r->sent[r->members]; c++)
                if (r->out[c].token == t) {
                    sum += back[(size_t)c * words.back + w] - ovl_moe_added(77, expert_side(r, c), r->member, t, w);
                    word = sent[(size_t)c * words.there + w % words.there];
                }
            wrong += sum != experts * word + numbers;
        }
    }
    return wrong;
}

/* Does a copy's answer follow from what was sent by one factor and one summand, as its first words have them? */
static bool tells_others(const struct ovl_moe_route *r, struct ovl_moe_words words, const uint32_t *sent,
                         const uint32_t *back)
{
    size_t n = words.there < words.back ? words.there : words.back, alike = 0, looked = 0;
    for (int c = 0; c < r->sent[r->members]; c++)
        for (size_t i = 1; i < n; i++, looked++) {
            const uint32_t *s = sent + (size_t)c * words.there, *b = back + (size_t)c * words.back;
            alike += b[i] - b[0] == ovl_moe_copy_experts(&r->out[c]) * (s[i] - s[0]);
        }
    return looked > 0 && alike > 0;
}

static const struct ovl_moe_words sizes[] = {{3, 3}, {2, 5}, {4, 1}, {1, 4}};

LOOP_TEST(sums_of_experts_are_known_and_every_wrong_word_is_found, 0, SHAPES)
{
    const struct shape *s = &shapes[_i];
    const struct ovl_moe_words words = sizes[_i % 4];
    struct ovl_moe moe;
    struct ovl_moe_routes r[MEMBERS];
    struct truth truth;
    uint32_t *memory[4][MEMBERS],
        **sent = new_buffers(memory[0], s->members), **came = new_buffers(memory[1], s->members),
        **answers = new_buffers(memory[2], s->members), **back = new_buffers(memory[3], s->members);
    open_shape(s, &moe, r);
    find_truth(s, &moe, 0, 0, &truth);
    for (int m = 0; m < s->members; m++)
        ovl_moe_fill(r[m].list, 77, words.there, sent[m]);
    exchange(r, false, (int)words.there, sent, came);
    for (int m = 0; m < s->members; m++)
        ovl_moe_answer(r[m].list, 77, words, came[m], answers[m]);
    exchange(r, true, (int)words.back, answers, back);
    for (int m = 0; m < s->members; m++) {
        const struct ovl_moe_route *route = r[m].list;
        ck_assert_int_eq(ovl_moe_wrong_copy(route, false, 77, words, came[m]), -1);
        ck_assert_int_eq(ovl_moe_wrong_copy(route, true, 77, words, back[m]), -1);
        ck_assert_int_eq(ovl_moe_sends(route, false) > 2 && tells_others(route, words, sent[m], back[m]), 0);
        ck_assert_int_eq(wrong_sums(s, route, &truth, sent[m], back[m], words), 0);
        for (int way = 0; way < 2; way++) {
            uint32_t *got = way ? back[m] : came[m];
            size_t each = way ? words.back : words.there;
            for (size_t i = 0; i < (size_t)ovl_moe_sends(route, !way) * each; i++) {
                int member, token;
                got[i] ^= 1u << i % 32;
                ck_assert_int_eq(ovl_moe_wrong_copy(route, way, 77, words, got), (int)(i / each));
                got[i] ^= 1u << i % 32;
                ovl_moe_copy_of(route, way, (int)(i / each), &member, &token);
                ck_assert(token >= 0 && token < s->tokens && (way ? member == m : member < s->members));
            }
            if (ovl_moe_sends(route, !way) > 0) /* of another sample */
                ck_assert_int_eq(ovl_moe_wrong_copy(route, way, 78, words, got), 0);
        }
    }
    for (int m = 0; m < s->members; m++) {
        ovl_moe_routes_close(&r[m]);
        for (int i = 0; i < 4; i++)
            free(memory[i][m]);
    }
}

static const struct {
    int experts, top, ranks;
    double batch;
    enum ovl_moe_overlap overlap;
    const char *says;
} misfits[] = {
    {6, 2, 4, 1, OVL_MOE_NONE, "--experts 6: 4 ranks cannot have equal parts of them; give --experts 4 or 8"},
    {4, 2, 6, 1, OVL_MOE_NONE, "--experts 4: 6 ranks cannot have equal parts of them; give --experts 3 or 6"},
    {4, 5, 2, 1, OVL_MOE_NONE, "--top-k 5: there are 4 experts; give --top-k 4 or less, or --experts"},
    {8, 2, 2, 3, OVL_MOE_TWO, "--overlap two: it halves the batch of 3; give an even --batch"},
    {0, 2, 4099, 1, OVL_MOE_NONE, "--experts: 4099 ranks have 4099 of them; give --experts 4096 or fewer"},
};

LOOP_TEST(numbers_that_do_not_go_together_are_told, 0, sizeof misfits / sizeof *misfits)
{
    struct ovl_moe moe = asked(misfits[_i].experts, misfits[_i].top, 0);
    moe.overlap = misfits[_i].overlap;
    ck_assert_int_eq(ovl_moe_settle(&moe, misfits[_i].ranks, misfits[_i].batch, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_str_eq(err.text, misfits[_i].says);
}

/* Without numbers: two of eight, or of the next multiple of the ranks; each rank then has its part. */
TEST(what_is_left_open_fits_any_number_of_ranks)
{
    static const int wanted[][2] = {{1, 8},  {2, 8}, {3, 9},   {4, 8},  {5, 10},
                                    {7, 14}, {8, 8}, {11, 11}, {16, 8}, {100000, 8}};
    char text[OVL_MOE_TEXT];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct ovl_moe moe = ovl_moe_default();
        ck_assert_int_eq(ovl_moe_settle(&moe, wanted[i][0], 1, &err), 0);
        ck_assert_int_eq(moe.experts, wanted[i][1]);
        ck_assert_int_eq(moe.top, 2);
    }
    struct ovl_moe one = asked(1, 0, 0);
    ck_assert_int_eq(ovl_moe_settle(&one, 4, 1, &err), 0);
    ck_assert_int_eq(one.top, 1);
    one.capacity = 1.25;
    ovl_moe_words(&one, "f32", "bf16", "shared", "expert");
    ovl_moe_text(&one, text);
    ck_assert_str_eq(text, "1 of 1, capacity 1.25, skew 0, f32 and bf16 an expert, shared");
}
