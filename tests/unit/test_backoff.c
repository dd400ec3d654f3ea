/* How long a worker sleeps: never past what it waits for, and never so long that what comes finds no room. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { US = 1000, MS = 1000 * US };

static struct ovl_worker *w;

static void set_up(void)
{
    w = calloc(1, sizeof *w);
    ck_assert_ptr_nonnull(w);
}

/* Data has come at 8 ns a byte, and so many bytes are still to come. */
static void expects(size_t coming)
{
    w->rx_since = 5 * MS;
    w->landed = 1 << 20;
    ovl_worker_learn_rate(w, 5 * MS + (8 << 20));
    w->coming = coming;
}

static void tear_down(void)
{
    free(w);
}

TEST(the_longer_the_longer)
{
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), 50 * US);
    ck_assert_int_eq(ovl_worker_backoff(w, false, 300 * US), 300 * US);
    ck_assert_int_eq(ovl_worker_backoff(w, false, 20 * MS), MS);
    w->coming = 1 << 20; /* at a pace that nobody knows yet */
    ck_assert_int_eq(ovl_worker_backoff(w, false, 20 * MS), MS);
    ck_assert_int_eq(ovl_worker_backoff(w, true, 0), 4 * US);
    ck_assert_int_eq(ovl_worker_backoff(w, true, 20 * MS), 20 * US);
}

TEST(until_data_is_due)
{
    expects(512 << 10);
    int64_t due = 4 << 20;
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), due * 9 / 10);
    ck_assert_int_eq(ovl_worker_backoff(w, false, due / 2), due / 2 * 9 / 10);
    ck_assert_int_eq(ovl_worker_backoff(w, false, due - 1), due / 4);
    ck_assert_int_eq(ovl_worker_backoff(w, false, 3 * due), MS); /* late: it is no longer known when it comes */
    ck_assert_int_eq(ovl_worker_backoff(w, true, 0), 4 * US);
    w->coming = 16 << 20;
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), 8 * MS);
    w->paced_ns /= 8; /* 1 ns a byte: a megabyte is there in one millisecond, and buffers hold no more */
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), 1 << 20);
}

TEST(not_past_what_others_wait_for)
{
    struct ovl_p2p_req t = {.entry = {.req = &t}};
    expects(1 << 20);
    w->unbegun = 1; /* what comes goes on to somebody */
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), MS);
    w->coming = 256 << 10;
    w->paced_ns /= 2;
    ck_assert_int_eq(ovl_worker_backoff(w, false, 0), 512 * 1024);
    w->paced_ns *= 2;
    w->coming = 1 << 20;
    w->unbegun = 0;
    for (int side = 0; side < OVL_SIDES; side++) {
        ovl_match_insert(&w->table[side], &t.entry);
        ck_assert_int_eq(ovl_worker_backoff(w, false, 0), 50 * US); /* an answer may come at any time */
        ck_assert_ptr_eq(ovl_match_remove(&w->table[side], &t.entry.key), &t.entry);
        ck_assert_int_gt(ovl_worker_backoff(w, false, 0), 7 * MS);
    }
}

TEST(lateness_is_no_pace)
{
    expects(1 << 20);
    double pace = w->paced_ns / w->paced_bytes;
    ck_assert_double_eq(pace, 8);
    w->landed = 256 << 10;
    ovl_worker_learn_rate(w, w->rx_since + 1000 * (int64_t)MS); /* a rank came a second late */
    ck_assert_double_eq_tol(w->paced_ns / w->paced_bytes, 8 * 1.2, 1e-9);
    int64_t rx_since = w->rx_since;
    ovl_worker_learn_rate(w, rx_since + MS); /* nothing has landed */
    ck_assert_int_eq(w->rx_since, rx_since);
    for (int i = 0; i < 64; i++) { /* a quicker link is believed soon */
        w->landed = 256 << 10;
        ovl_worker_learn_rate(w, w->rx_since + (256 << 10));
    }
    ck_assert_double_eq_tol(w->paced_ns / w->paced_bytes, 1, 0.1);
}

/* Who shares a core looks for a millisecond, who has one for longer, and whom nobody could wake for ever. */
LOOP_TEST(when_it_ceases_to_look, 0, 6)
{
    static const struct {
        enum ovl_idle idle;
        bool remote;
        int64_t looks; /* 0: for ever */
    } ways[] = {
        {OVL_IDLE_SLEEP, false, MS},
        {OVL_IDLE_SLEEP, true, MS}, /* brief naps, which are no sleep */
        {OVL_IDLE_SPIN, false, OVL_WORKER_SPIN_NS},
        {OVL_IDLE_YIELD, false, OVL_WORKER_SPIN_NS},
        {OVL_IDLE_SPIN, true, 0},
        {OVL_IDLE_YIELD, true, 0},
    };
    w->config.idle = ways[_i].idle;
    w->remote = ways[_i].remote;
    ck_assert(!ovl_worker_may_sleep_long(w, 0));
    ck_assert(!ovl_worker_may_sleep_long(w, ways[_i].looks ? ways[_i].looks : INT64_MAX));
    ck_assert_int_eq(ovl_worker_may_sleep_long(w, ways[_i].looks + 1), ways[_i].looks > 0);
}

AROUND(set_up, tear_down)
