/* Which buffers of a rank stay registered with an adapter, and what is counted of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/ep.h"
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <string.h>
#include <unistd.h>

static const char *key_of(const struct ovl_client_ctx *h, const void *memory)
{
    size_t i = 0;
    while (h->regions[i].shared.base != memory)
        i++;
    return h->regions[i].name;
}

/* Operations that send the same: those that find one under way leave the key as it is, one that comes later takes a new
   one. What an operation does not look at is not registered. */
static const char *cold_together(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct deal d = {OVL_IALLGATHER, ranks, 0, 20000, false, NULL}, e = {OVL_IBCAST, ranks, 0, 10, false, NULL};
    struct play p, q[4], b;
    char key[2][64];
    (void)of, (void)rank;
    h->cold = true;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 4; i++)
        TRY(play_open(&q[i], h, world, &d));
    TRY(play_post(&p, h));
    strcpy(key[0], key_of(h, p.send));
    for (int i = 0; i < 4; i++) {
        q[i].call.send = p.send;
        usleep(300); /* the worker is at it */
        if (ovl_client_post(h, &q[i].call, &q[i].request, &err) != 0)
            return fake_wrong("%s", err.text);
    }
    for (int i = 0; i < 4; i++)
        TRY(play_end(&q[i], h));
    TRY(play_end(&p, h));
    TRY(play_post(&p, h));
    if (strcmp(key[0], key_of(h, p.send)) == 0)
        return "what nobody uses any more is not registered anew";
    TRY(play_end(&p, h));
    TRY(play_open(&b, h, world, &e));
    strcpy(key[0], key_of(h, b.send));
    strcpy(key[1], key_of(h, b.recv));
    TRY(play_post(&b, h));
    TRY(play_end(&b, h));
    if (strcmp(key[0], key_of(h, b.send)) != 0 || strcmp(key[1], key_of(h, b.recv)) == 0)
        return "a broadcast registers something else than its buffer";
    TRY(play_close(&b, h));
    for (int i = 0; i < 4; i++)
        TRY(play_close(&q[i], h));
    return play_close(&p, h);
}

TEST(cold_leaves_what_is_in_use)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &fake_remote_path);
    fake_expect_fine(&p, cold_together, NULL);
}

/* Three pairs of buffers, of which two pairs stay registered: which pair comes back, and how many of its buffers must
   then be registered anew. */
static const char *by_few_registrations(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    static const struct {
        int pair;
        unsigned registered;
    } turns[] = {{1, 0}, {2, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 0}, {0, 2}};
    struct deal d = {OVL_IALLGATHER, ranks, 0, 20000, false, NULL};
    struct play p[3];
    (void)of, (void)rank;
    h->registrations = 4;
    for (int i = 0; i < 3; i++)
        TRY(play_open(&p[i], h, world, &d));
    for (int i = 0; i < 3; i++) {
        TRY(play_post(&p[i], h));
        TRY(play_end(&p[i], h));
    }
    for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
        ovl_client_proof_begin(h);
        TRY(play_post(&p[turns[t].pair], h));
        TRY(play_end(&p[turns[t].pair], h));
        if (h->buffer_uses != 2 || h->registered != turns[t].registered)
            return fake_wrong("turn %zu: %u of %u buffers registered anew", t, (unsigned)h->registered,
                              (unsigned)h->buffer_uses);
    }
    for (int i = 0; i < 3; i++) /* more under way than may stay */
        TRY(play_post(&p[i], h));
    for (int i = 0; i < 3; i++)
        TRY(play_end(&p[i], h));
    for (int i = 0; i < 3; i++)
        TRY(play_close(&p[i], h));
    return NULL;
}

TEST(registrations_that_stay)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, &fake_remote_path);
    fake_expect_fine(&p, by_few_registrations, NULL);
}
