/* Teams at a worker: found by id and rank, their members kept once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"
#include "tests/unit/test.h"

#include <malloc.h>
#include <string.h>

enum { RANKS = 10000, CLIENTS = 128, COPIES = 20 };

static struct ovl_worker *w;
static struct ovl_rank_info *peers;

static void setup(void)
{
    w = ovl_alloc(1, sizeof *w);
    peers = ovl_alloc(RANKS, sizeof *peers);
    for (int r = 0; r < RANKS; r++)
        peers[r].node = r / 128;
    w->config.peers = peers;
    w->clients = ovl_alloc(CLIENTS, sizeof *w->clients);
    w->client_count = CLIENTS;
    for (int c = 0; c < CLIENTS; c++) {
        size_t bytes = ovl_cmdq_bytes() + ovl_cmdq_area_bytes(RANKS);
        struct ovl_cmdq *q = aligned_alloc(64, (bytes + 63) / 64 * 64);
        memset(q, 0, bytes);
        ovl_cmdq_init(q, c);
        ovl_cmdq_add_areas(q, RANKS, ovl_cmdq_bytes());
        w->clients[c].cmdq = q;
    }
}

static void teardown(void)
{
    for (int c = 0; c < CLIENTS; c++) {
        ovl_teams_free(w, &w->clients[c]);
        free(w->clients[c].cmdq);
    }
    free(w->teams.bucket);
    free(w->clients);
    free(peers);
    free(w);
}

/* Client c is rank c of the team, whose members begin with `first`. */
static void attach(int c, unsigned number, uint64_t id, int first, int ranks)
{
    struct ovl_command k = {
        .team = (uint16_t)number, .ranks = (uint32_t)ranks, .rank = (uint64_t)c, .send = id, .area = 1};
    int *members = ovl_cmdq_args(w->clients[c].cmdq, &k);
    for (int r = 0; r < ranks; r++)
        members[r] = (first + r) % RANKS;
    ck_assert_int_eq(ovl_team_attach(w, &w->clients[c], &k), 0);
}

static const struct ovl_members *members_of(int c, int number)
{
    return w->clients[c].teams[number]->members;
}

/* A communicator of 10,000 ranks, and its copies, at all clients: one list of members in all. */
TEST(teams_of_the_same_members_share_them)
{
    for (int c = 0; c < CLIENTS; c++)
        for (unsigned t = 0; t < COPIES; t++)
            attach(c, t, 100 + t, 0, RANKS);
    for (int c = 0; c < CLIENTS; c++)
        for (int t = 0; t < COPIES; t++)
            ck_assert_ptr_eq(members_of(c, t), members_of(0, 0));
    ck_assert_uint_eq(members_of(0, 0)->uses, CLIENTS * COPIES);
    ck_assert_int_eq(members_of(0, 0)->placement.nodes, (RANKS + 127) / 128);
    attach(0, COPIES, 7, 1, RANKS); /* in another order */
    attach(0, COPIES + 1, 8, 0, RANKS - 1);
    ck_assert_ptr_ne(members_of(0, COPIES), members_of(0, 0));
    ck_assert_ptr_ne(members_of(0, COPIES + 1), members_of(0, 0));
    ck_assert_int_eq(w->clients[0].teams[COPIES]->world_rank[RANKS - 1], 0);
}

static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* What one more communicator of 10,000 ranks costs a worker. */
TEST(a_team_is_small)
{
    enum { MOST = 1 << 20 };
    attach(0, 0, 99, 0, 20);
    size_t before = held();
    for (int c = 0; c < CLIENTS; c++)
        attach(c, 1, 100, 0, RANKS);
    size_t first = held() - before;
    for (int c = 0; c < CLIENTS; c++)
        attach(c, 2, 101, 0, RANKS);
    size_t copy = held() - before - first;
    ck_assert_msg(first <= MOST && copy <= MOST / 16, "%zu bytes, and %zu for a copy", first, copy);
}

TEST(teams_are_found_until_they_are_detached)
{
    for (int c = 0; c < CLIENTS; c++)
        for (unsigned t = 0; t < COPIES; t++)
            attach(c, t, 100 + t, (int)t, 20);
    for (int c = 0; c < CLIENTS; c++)
        for (unsigned t = 0; t < COPIES; t++)
            ck_assert_ptr_eq(ovl_team_find(w, 100 + t, c), w->clients[c].teams[t]);
    ck_assert_ptr_null(ovl_team_find(w, 100, CLIENTS));
    ck_assert_ptr_null(ovl_team_find(w, 99, 0));
    const struct ovl_members *shared = members_of(1, 5);
    ovl_team_detach(w, &w->clients[0], 5);
    ovl_team_detach(w, &w->clients[0], 5);
    ck_assert_ptr_null(ovl_team_find(w, 105, 0));
    ck_assert_ptr_nonnull(ovl_team_find(w, 105, 1));
    ck_assert_uint_eq(shared->uses, CLIENTS - 1);
    for (int c = 1; c < CLIENTS; c++)
        ovl_team_detach(w, &w->clients[c], 5);
    ck_assert_uint_eq(w->teams.count, CLIENTS * (COPIES - 1));
    attach(0, 5, 205, 5, 20); /* the number is used again */
    ck_assert_ptr_eq(ovl_team_find(w, 205, 0), w->clients[0].teams[5]);
}

/* Other workers, which answer a ping when they are told to. */
enum { WORKERS = 3 };
static uint64_t asked[WORKERS];
static bool has_left[WORKERS];

static int note_ctrl(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload)
{
    (void)state, (void)payload;
    ck_assert_int_eq((int)msg->kind, OVL_CTRL_PING);
    asked[to] = msg->key.sequence;
    return 0;
}

static bool has_left_us(void *state, int worker)
{
    (void)state;
    return has_left[worker];
}

static void answer(int from)
{
    struct ovl_ctrl_msg pong = {.kind = OVL_CTRL_PONG, .key.sequence = asked[from]};
    ovl_worker_on_ctrl(w, from, &pong, NULL);
}

/* Some receive of it ended before its RTS was seen, if that was so. */
static void come_and_go(uint64_t id, bool early)
{
    attach(0, 0, id, 0, 20);
    w->clients[0].teams[0]->early = early;
    ovl_team_detach(w, &w->clients[0], 0);
}

static size_t kept_after_rts(uint64_t id)
{
    struct ovl_ctrl_msg rts = {.kind = OVL_CTRL_RTS, .key = {.team = id, .source = 1, .destination = 0}};
    ovl_worker_on_ctrl(w, 1, &rts, NULL);
    return w->table[OVL_RECEIVING].early;
}

/* An RTS that comes after its team has gone is forgotten, however many have gone since; and so are the teams, when all
   other workers have answered. */
TEST(what_comes_for_teams_long_gone_is_not_kept)
{
    enum { GONE = 1000, FIRST = 100 };
    static struct ovl_peer_worker others[WORKERS];
    static const struct ovl_transport transport = {.send_ctrl = note_ctrl, .left = has_left_us};
    w->peer_workers = others;
    w->config.workers = WORKERS;
    w->config.transport = &transport;
    for (uint64_t t = 0; t < GONE; t++)
        come_and_go(FIRST + t, true);
    for (uint64_t t = 0; t < GONE; t++)
        ck_assert_uint_eq(kept_after_rts(FIRST + t), 0);
    ck_assert_uint_eq(w->gone.count, GONE);
    ck_assert_uint_gt(w->gone.asked, 0);
    answer(1);
    come_and_go(1, true);
    ck_assert_uint_eq(w->gone.count, GONE + 1); /* worker 2 may still have sent one */
    size_t first = w->gone.asked;
    answer(2);
    come_and_go(2, true);
    ck_assert_uint_eq(w->gone.count, GONE + 2 - first);
    ck_assert(!ovl_gone_has(&w->gone, FIRST, 0) && ovl_gone_has(&w->gone, FIRST + first, 0));
    ck_assert_uint_eq(kept_after_rts(1), 0);
    has_left[2] = true; /* it answers no more */
    answer(1);
    come_and_go(3, true);
    ck_assert_uint_eq(w->gone.count, 1);
    for (uint64_t t = 0; t < GONE; t++) /* nothing of these can be under way */
        come_and_go(FIRST + GONE + t, false);
    ck_assert_uint_eq(w->gone.count, 1);
    ck_assert_uint_eq(kept_after_rts(99), 1); /* not attached yet */
    ovl_match_free(&w->table[OVL_RECEIVING]);
    free(w->gone.team);
}

AROUND(setup, teardown)
