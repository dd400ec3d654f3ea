/* All steps are gone through once, for all ranks where they choose among the samples of a step. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/order.h"
#include "apps/train/drawn/sample_buffer.h"
#include "base/rng.h"

#include <stdlib.h>

const char *const ovl_order_words[OVL_ORDERS] = {"random", "lru", "solar"};

/* What is known while the steps are gone through. */
struct making {
    const struct ovl_order_ask *ask;
    size_t steps, in_step; /* samples of all ranks */
    uint32_t *samples;     /* [epochs][samples]: in their order */
    uint32_t *owner;       /* [samples]: the rank whose buffer has it; OVL_SAMPLE_BUFFER_NONE */
    uint32_t *slot;        /* [samples]: where it is there */
    struct ovl_sample_buffer *buffers;
    uint32_t *chosen; /* [in_step]: the rank of each sample of a step */
    uint32_t *taken;  /* [ranks]: samples of a step that it has */
    bool *hit;        /* [in_step] */
    struct ovl_order *order;
    uint32_t rank;
};

static void shuffle(uint32_t *samples, uint32_t n, uint64_t seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    for (uint32_t i = 0; i < n; i++)
        samples[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = ovl_rng_below(&rng, i), kept = samples[i - 1];
        samples[i - 1] = samples[other];
        samples[other] = kept;
    }
}

static void note(struct making *m, uint32_t epoch, size_t step, uint32_t rank, struct ovl_order_use use)
{
    if (rank == m->rank) {
        ovl_order_batch(m->order, epoch, step)[m->taken[rank]] = use;
        m->order->hits[epoch] += use.hit;
    }
    m->taken[rank]++;
}

static void use_slot(struct making *m, uint32_t epoch, size_t step, uint32_t sample, uint32_t rank)
{
    uint32_t slot = m->slot[sample];
    ovl_sample_buffer_touch(&m->buffers[rank], slot);
    note(m, epoch, step, rank, (struct ovl_order_use){sample, slot, true});
}

static void use_file(struct making *m, uint32_t epoch, size_t step, uint32_t sample, uint32_t rank)
{
    uint32_t gone, slot = OVL_SAMPLE_BUFFER_NONE;
    if (m->owner[sample] == OVL_SAMPLE_BUFFER_NONE) /* one rank's buffer is enough */
        slot = ovl_sample_buffer_take(&m->buffers[rank], sample, m->ask->kind == OVL_ORDER_LRU, &gone);
    if (slot != OVL_SAMPLE_BUFFER_NONE) {
        if (gone != OVL_SAMPLE_BUFFER_NONE)
            m->owner[gone] = OVL_SAMPLE_BUFFER_NONE;
        m->owner[sample] = rank;
        m->slot[sample] = slot;
    }
    note(m, epoch, step, rank, (struct ovl_order_use){sample, slot, false});
}

/* Who has which samples of a step: of solar who has it in the buffer, as long as that rank's batch has room; the others
   go to the ranks whose batches have. */
static void choose(struct making *m, const uint32_t *samples)
{
    uint32_t rank = 0;
    for (size_t i = 0; i < m->in_step; i++) {
        uint32_t owner = m->owner[samples[i]];
        m->chosen[i] = OVL_SAMPLE_BUFFER_NONE;
        if (owner == OVL_SAMPLE_BUFFER_NONE || m->taken[owner] == m->ask->batch)
            continue;
        m->chosen[i] = owner;
        m->taken[owner]++;
    }
    for (size_t i = 0; i < m->in_step; i++) {
        if (m->chosen[i] != OVL_SAMPLE_BUFFER_NONE)
            continue;
        while (m->taken[rank] == m->ask->batch)
            rank++;
        m->chosen[i] = rank;
        m->taken[rank]++;
    }
}

static void clear_taken(struct making *m)
{
    for (uint32_t r = 0; r < m->ask->ranks; r++)
        m->taken[r] = 0;
}

/* What is in buffers first, for what is read may take its place. */
static void play_step(struct making *m, uint32_t epoch, size_t step)
{
    const uint32_t *samples = m->samples + (size_t)epoch * m->ask->samples + step * m->in_step;
    bool solar = m->ask->kind == OVL_ORDER_SOLAR;
    clear_taken(m);
    if (solar)
        choose(m, samples);
    clear_taken(m);
    for (size_t i = 0; i < m->in_step; i++) {
        m->chosen[i] = solar ? m->chosen[i] : (uint32_t)(i / m->ask->batch);
        m->hit[i] = m->owner[samples[i]] == m->chosen[i];
        if (m->hit[i] && (solar || m->chosen[i] == m->rank))
            use_slot(m, epoch, step, samples[i], m->chosen[i]);
    }
    for (size_t i = 0; i < m->in_step; i++)
        if (!m->hit[i] && (solar || m->chosen[i] == m->rank))
            use_file(m, epoch, step, samples[i], m->chosen[i]);
}

static int open_all(struct making *m, struct ovl_error *err)
{
    const struct ovl_order_ask *a = m->ask;
    size_t all = (size_t)a->samples * a->epochs, uses = m->steps * a->batch * a->epochs;
    m->samples = malloc(all * sizeof *m->samples);
    m->owner = malloc(a->samples * sizeof *m->owner);
    m->slot = malloc(a->samples * sizeof *m->slot);
    m->chosen = malloc(m->in_step * sizeof *m->chosen);
    m->taken = malloc(a->ranks * sizeof *m->taken);
    m->hit = malloc(m->in_step * sizeof *m->hit);
    m->buffers = calloc(a->ranks, sizeof *m->buffers);
    m->order->uses = malloc(uses * sizeof *m->order->uses);
    m->order->hits = calloc(a->epochs, sizeof *m->order->hits);
    if (!m->samples || !m->owner || !m->slot || !m->chosen || !m->taken || !m->hit || !m->buffers || !m->order->uses ||
        !m->order->hits)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the order of %.0f samples in %.0f epochs",
                             (double)a->samples, (double)a->epochs);
    for (uint32_t r = 0; r < a->ranks; r++)
        if ((a->kind == OVL_ORDER_SOLAR || r == m->rank) &&
            ovl_sample_buffer_open(&m->buffers[r], a->kind == OVL_ORDER_RANDOM ? 0 : a->room, err) != 0)
            return -1;
    return 0;
}

static void close_all(struct making *m)
{
    for (uint32_t r = 0; r < m->ask->ranks && m->buffers; r++)
        ovl_sample_buffer_close(&m->buffers[r]);
    free(m->samples);
    free(m->owner);
    free(m->slot);
    free(m->chosen);
    free(m->taken);
    free(m->hit);
    free(m->buffers);
}

int ovl_order_make(struct ovl_order *o, const struct ovl_order_ask *ask, uint32_t rank, struct ovl_error *err)
{
    struct making m = {.ask = ask, .order = o, .rank = rank, .in_step = (size_t)ask->ranks * ask->batch};
    m.steps = ask->samples / m.in_step;
    *o = (struct ovl_order){.steps = m.steps, .batch = ask->batch, .epochs = ask->epochs};
    int rc = open_all(&m, err);
    for (uint32_t e = 0; e < ask->epochs && rc == 0; e++) {
        size_t from = (size_t)e * ask->samples;
        shuffle(m.samples + from, ask->samples, ovl_rng_mix(ask->seed ^ ovl_rng_mix((uint64_t)e + 1)));
    }
    for (uint32_t s = 0; s < ask->samples && rc == 0; s++)
        m.owner[s] = OVL_SAMPLE_BUFFER_NONE;
    for (uint32_t e = 0; e < ask->epochs && rc == 0; e++)
        for (size_t step = 0; step < m.steps; step++)
            play_step(&m, e, step);
    close_all(&m);
    if (rc != 0)
        ovl_order_free(o);
    return rc;
}

void ovl_order_free(struct ovl_order *o)
{
    free(o->uses);
    free(o->hits);
    o->uses = NULL;
    o->hits = NULL;
}

double ovl_order_bytes(const struct ovl_order_ask *ask)
{
    double all = (double)ask->samples * ask->epochs, ranks = ask->kind == OVL_ORDER_SOLAR ? ask->ranks : 1;
    return all * (sizeof(uint32_t) + sizeof(struct ovl_order_use) / (double)ask->ranks) +
           (double)ask->samples * 2 * sizeof(uint32_t) + ranks * ask->room * 12.0;
}
