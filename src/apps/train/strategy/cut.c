/* Where a pipeline is cut: only between units, so that what travels is what a block hands on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"

#include <math.h>
#include <stdlib.h>

struct cut {
    int units, count; /* count: of pieces */
    bool blocks;      /* are layers known as those of a transformer's blocks? */
    int *first;       /* [units + 1]: layers */
    double *before;   /* [units + 1]: multiply-adds of the units before */
    int *least; /* [count]: units before the end of each piece, so few that the others behind it can do the rest */
};

static void find_units(struct cut *c, const struct ovl_model *m)
{
    int u = 0;
    for (size_t l = 0; l < m->layer_count; l++) {
        if (l == 0 || m->layers[l].unit != m->layers[l - 1].unit) {
            c->first[u] = (int)l;
            c->before[u + 1] = c->before[u];
            u++;
        }
        c->before[u] += m->layers[l].macs;
        c->blocks |= m->layers[l].block;
    }
    c->first[u] = (int)m->layer_count;
    c->units = u;
}

/* The last unit's end that piece i may have, which begins at unit `from`: with no more work than that, but for one unit
   at least, and with one left for each piece behind it. */
static int reach(const struct cut *c, int i, int from, double work)
{
    int end = from + 1, most = c->units - (c->count - 1 - i);
    while (end < most && c->before[end + 1] - c->before[from] <= work)
        end++;
    return end;
}

/* Can each piece be done with so much work? */
static bool goes(const struct cut *c, double work)
{
    int at = 0;
    for (int i = 0; i < c->count; i++)
        at = reach(c, i, at, work);
    return at == c->units;
}

/* The least work of the piece that has most. */
static double least_work(const struct cut *c)
{
    enum { HALVINGS = 60 };
    double low = c->before[c->units] / c->count, high = c->before[c->units];
    for (int u = 0; u < c->units; u++)
        low = fmax(low, c->before[u + 1] - c->before[u]);
    for (int i = 0; i < HALVINGS && !goes(c, low); i++) {
        double middle = low + (high - low) / 2;
        *(goes(c, middle) ? &high : &low) = middle;
    }
    return goes(c, low) ? low : high;
}

static void find_least(struct cut *c, double work)
{
    c->least[c->count - 1] = c->units;
    for (int i = c->count - 1; i > 0; i--) {
        int end = c->least[i], from = end - 1;
        while (from > i && c->before[end] - c->before[from - 1] <= work)
            from--;
        c->least[i - 1] = from;
    }
}

/* As near to equal parts as it may be. */
static int end_of(const struct cut *c, int i, int from, double work)
{
    double wanted = c->before[c->units] * (i + 1) / c->count;
    int end = c->least[i] > from ? c->least[i] : from + 1, most = reach(c, i, from, work);
    while (end < most && fabs(c->before[end + 1] - wanted) <= fabs(c->before[end] - wanted))
        end++;
    return end;
}

/* Halves of blocks in the units from `from` to the one before `end`; where no layers are known as blocks, by their
   work. */
static int halves_of(const struct cut *c, const struct ovl_model *m, int from, int end)
{
    int halves = 0;
    double each = 2 * m->transformer.blocks / m->macs;
    if (!c->blocks)
        return (int)(round(each * c->before[end]) - round(each * c->before[from]));
    for (int u = from; u < end; u++)
        halves += m->layers[c->first[u]].block ? 2 : 0;
    return halves;
}

static double handed_on(const struct ovl_model *m, int end)
{
    double bytes = m->layers[end - 1].activation_bytes;
    for (size_t s = 0; s < m->skip_count; s++)
        bytes += m->skips[s].from < end - 1 && m->skips[s].to >= end ? m->layers[m->skips[s].from].activation_bytes : 0;
    return bytes;
}

/* Weights that are tied stand on both stages (Shoeybi et al., Megatron-LM, 2019, of the embedding and the head). */
static void copy_tied(const struct ovl_model *m, int stages, struct ovl_piece *pieces)
{
    if (m->tied.by == 0)
        return;
    int of = ovl_piece_of(pieces, m->tied.of), by = ovl_piece_of(pieces, m->tied.by);
    pieces[by].numbers += of % stages != by % stages ? m->layers[m->tied.of].numbers : 0;
}

void ovl_pieces_cut(const struct ovl_model *m, int stages, int chunks, struct ovl_piece *pieces)
{
    int count = stages * chunks;
    struct cut c = {.count = count,
                    .first = ovl_check_alloc(calloc(m->layer_count + 1, sizeof *c.first)),
                    .before = ovl_check_alloc(calloc(m->layer_count + 1, sizeof *c.before)),
                    .least = ovl_check_alloc(calloc((size_t)count, sizeof *c.least))};
    find_units(&c, m);
    double work = least_work(&c);
    find_least(&c, work);
    for (int i = 0, from = 0; i < count; i++) {
        int end = end_of(&c, i, from, work);
        struct ovl_piece *p = &pieces[i];
        *p = (struct ovl_piece){.first = c.first[from], .end = c.first[end], .macs = c.before[end] - c.before[from]};
        for (int l = p->first; l < p->end; l++) {
            p->numbers += m->layers[l].numbers;
            p->weights += m->layers[l].weights;
        }
        p->bytes = handed_on(m, p->end);
        p->halves = halves_of(&c, m, from, end);
        from = end;
    }
    copy_tied(m, stages, pieces);
    free(c.first);
    free(c.before);
    free(c.least);
}

int ovl_piece_of(const struct ovl_piece *pieces, int layer)
{
    int i = 0;
    while (pieces[i].end <= layer)
        i++;
    return i;
}
