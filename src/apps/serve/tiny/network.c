/* Each block reads numbers of -127 to 127, whatever it was given, and nothing is divided before all ranks' parts are
   summed up: so a part is the same number whether one rank works it out or many. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/network.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { WEIGHT = 7, WORD = 64, SCALE = 127, SHRINK = 512, SHARP = 1 << 16, LIKE_MOST = 4095, KEPT_MOST = 1 << 20 };
static const int64_t sum_most = (int64_t)1 << 40;

/* From -most to most. */
static int drawn(uint64_t key, int most)
{
    return (int)(ovl_rng_mix(key) % (uint64_t)(2 * most + 1)) - most;
}

void ovl_lm_make(struct ovl_lm *m)
{
    int8_t *all = (int8_t *)m, *words = &m->words[0][0];
    for (size_t i = 0; i < sizeof *m; i++)
        all[i] = (int8_t)drawn(i, all + i < words ? WEIGHT : WORD);
}

void ovl_lm_model(struct ovl_served *model)
{
    const double attention = 4 * OVL_LM_HIDDEN * OVL_LM_HIDDEN, behind = 2 * OVL_LM_HIDDEN * OVL_LM_BEHIND;
    *model = (struct ovl_served){
        .name = "tiny",
        .blocks = OVL_LM_BLOCKS,
        .hidden = OVL_LM_HIDDEN,
        .heads = OVL_LM_HEADS,
        .kv_heads = OVL_LM_HEADS,
        .head = OVL_LM_HEAD,
        .vocabulary = OVL_LM_WORDS,
        .attention = attention,
        .parameters = OVL_LM_BLOCKS * (attention + behind) + 2 * OVL_LM_WORDS * OVL_LM_HIDDEN,
    };
    model->active = model->parameters;
    model->mixture = (struct ovl_served_mixture){.experts = OVL_LM_HEADS, .top = 3, .expert = behind};
}

int ovl_lm_prompt_word(uint64_t key, uint64_t whose, int place)
{
    return (int)(ovl_rng_mix(key ^ ovl_rng_mix(whose << 32 | (uint64_t)place)) % OVL_LM_WORDS);
}

static int64_t cut(int64_t v, int64_t most)
{
    return v > most ? most : v < -most ? -most : v;
}

void ovl_lm_begin(const struct ovl_lm *m, int word, int place, struct ovl_lm_state *t)
{
    t->digest = 1;
    for (int i = 0; i < OVL_LM_HIDDEN; i++)
        t->x[i] = m->words[word & (OVL_LM_WORDS - 1)][i] +
                  drawn((uint64_t)place << 8 | (uint64_t)i | (uint64_t)1 << 62, WORD);
}

/* The largest is SCALE at most. */
static void even_out(const int64_t x[OVL_LM_HIDDEN], int32_t y[OVL_LM_HIDDEN])
{
    int64_t most = 0;
    for (int i = 0; i < OVL_LM_HIDDEN; i++)
        most = llabs(x[i]) > most ? llabs(x[i]) : most;
    for (int i = 0; i < OVL_LM_HIDDEN; i++)
        y[i] = (int32_t)(x[i] * SCALE / (most + 1));
}

static int32_t times(const int8_t *weights, const int32_t y[OVL_LM_HIDDEN])
{
    int32_t sum = 0;
    for (int i = 0; i < OVL_LM_HIDDEN; i++)
        sum += weights[i] * y[i];
    return sum;
}

/* What a head makes of all places up to this one: the mean of their values, each by how far its key is like the query,
   squared. */
static void look(const int32_t *query, int32_t (*kept)[OVL_LM_KEPT], int head, int place, int64_t *value)
{
    int64_t all = 0;
    memset(value, 0, OVL_LM_HEAD * sizeof *value);
    for (int p = 0; p <= place; p++) {
        const int32_t *key = kept[p] + head * OVL_LM_HEAD, *own = key + OVL_LM_HIDDEN;
        int64_t like = 0;
        for (int d = 0; d < OVL_LM_HEAD; d++)
            like += query[d] * cut(key[d], KEPT_MOST);
        like = like > 0 ? cut(like / SHARP, LIKE_MOST) : 0;
        like = 1 + like * like;
        all += like;
        for (int d = 0; d < OVL_LM_HEAD; d++)
            value[d] += like * cut(own[d], KEPT_MOST);
    }
    for (int d = 0; d < OVL_LM_HEAD; d++)
        value[d] /= all;
}

void ovl_lm_attention(const struct ovl_lm *m, int block, const struct ovl_lm_state *t, int place,
                      int32_t (*kept)[OVL_LM_KEPT], bool keeps, int rank, int ranks, int64_t sum[OVL_LM_HIDDEN])
{
    int32_t y[OVL_LM_HIDDEN];
    even_out(t->x, y);
    memset(sum, 0, OVL_LM_HIDDEN * sizeof *sum);
    for (int head = OVL_LM_HEADS * rank / ranks; head < OVL_LM_HEADS * (rank + 1) / ranks; head++) {
        int32_t query[OVL_LM_HEAD];
        int64_t value[OVL_LM_HEAD];
        for (int d = 0; d < OVL_LM_HEAD; d++) {
            int row = head * OVL_LM_HEAD + d;
            query[d] = times(m->query[block][row], y);
            if (keeps) {
                kept[place][row] = times(m->kept[block][row], y);
                kept[place][OVL_LM_HIDDEN + row] = times(m->kept[block][OVL_LM_HIDDEN + row], y);
            }
        }
        look(query, kept, head, place, value);
        for (int i = 0; i < OVL_LM_HIDDEN; i++)
            for (int d = 0; d < OVL_LM_HEAD; d++)
                sum[i] += m->out[block][i][head * OVL_LM_HEAD + d] * value[d];
    }
}

void ovl_lm_behind(const struct ovl_lm *m, int block, const struct ovl_lm_state *t, int rank, int ranks,
                   int64_t sum[OVL_LM_HIDDEN])
{
    int32_t y[OVL_LM_HIDDEN];
    even_out(t->x, y);
    memset(sum, 0, OVL_LM_HIDDEN * sizeof *sum);
    for (int row = OVL_LM_BEHIND * rank / ranks; row < OVL_LM_BEHIND * (rank + 1) / ranks; row++) {
        int32_t up = times(m->up[block][row], y);
        for (int i = 0; i < OVL_LM_HIDDEN && up > 0; i++)
            sum[i] += m->down[block][i][row] * up;
    }
}

void ovl_lm_add(struct ovl_lm_state *t, const int64_t sum[OVL_LM_HIDDEN])
{
    for (int i = 0; i < OVL_LM_HIDDEN; i++) {
        t->x[i] += cut(sum[i], sum_most) / SHRINK;
        t->digest = ovl_rng_mix(t->digest ^ (uint64_t)sum[i]);
    }
    t->digest |= 1;
}

void ovl_lm_take(struct ovl_lm_state *t, const int64_t x[OVL_LM_HIDDEN])
{
    t->digest = 1;
    for (int i = 0; i < OVL_LM_HIDDEN; i++)
        t->x[i] = cut(x[i], sum_most);
}

void ovl_lm_block(const struct ovl_lm *m, int block, struct ovl_lm_state *t, int place, int32_t (*kept)[OVL_LM_KEPT],
                  bool keeps)
{
    int64_t sum[OVL_LM_HIDDEN];
    ovl_lm_attention(m, block, t, place, kept, keeps, 0, 1, sum);
    ovl_lm_add(t, sum);
    ovl_lm_behind(m, block, t, 0, 1, sum);
    ovl_lm_add(t, sum);
}

int ovl_lm_word(const struct ovl_lm *m, const struct ovl_lm_state *t)
{
    int32_t y[OVL_LM_HIDDEN], most = INT32_MIN;
    int word = 0;
    even_out(t->x, y);
    for (int w = 0; w < OVL_LM_WORDS; w++) {
        int32_t n = times(m->head[w], y);
        if (n > most) {
            most = n;
            word = w;
        }
    }
    return word;
}
