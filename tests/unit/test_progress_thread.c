/* The progress thread's hand-over, with a fake MPI_Test that notices whoever calls it wrongly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "bench/thread/progress_thread.h"
#include "bench/thread/thread_place.h"
#include "tests/unit/test.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* What MPI_Test would be given. It is no atomic: a thread sanitizer sees two that touch it without a hand-over. */
struct request {
    long calls, needs; /* it is complete with so many calls */
    bool complete;
    int by; /* thread of the last call */
    atomic_int inside, wrong;
};

static bool fake_test(void *of)
{
    struct request *r = of;
    if (atomic_fetch_add(&r->inside, 1) > 0 || r->complete)
        atomic_fetch_add(&r->wrong, 1);
    r->by = gettid();
    r->complete = ++r->calls >= r->needs;
    bool complete = r->complete;
    atomic_fetch_sub(&r->inside, 1);
    return complete;
}

/* As MPI_Wait: until it is complete. */
static void finish(struct request *r)
{
    while (!fake_test(r))
        continue;
}

static struct ovl_progress *begin(enum ovl_progress_idle idle)
{
    struct ovl_progress *p = ovl_progress_begin(idle, true, NULL, &err);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void right(const struct request *r)
{
    ck_assert(r->complete);
    ck_assert_int_eq(r->calls, r->needs);
    ck_assert_int_eq(r->wrong, 0);
}

LOOP_TEST(the_thread_completes_what_it_has, OVL_PROGRESS_SPIN, OVL_PROGRESS_SLEEP + 1)
{
    struct ovl_progress *p = begin((enum ovl_progress_idle)_i);
    for (int turn = 0; turn < 50; turn++) {
        struct request r = {.needs = 1 + turn % 5};
        int ticket = ovl_progress_hand(p, fake_test, &r);
        ovl_progress_wait(p, ticket);
        right(&r);
        ck_assert_int_eq(r.by, ovl_progress_id(p));
        ck_assert_int_ne(r.by, gettid());
    }
    ovl_progress_end(p);
}

/* Whoever completes it, that is one of both, and the other knows. */
LOOP_TEST(a_request_has_one_owner, OVL_PROGRESS_SPIN, OVL_PROGRESS_SLEEP + 1)
{
    struct ovl_progress *p = begin((enum ovl_progress_idle)_i);
    int by_thread = 0;
    for (int turn = 0; turn < 2000; turn++) {
        struct request r = {.needs = turn % 7 == 0 ? 1000000000 : 1 + turn % 40};
        int ticket = ovl_progress_hand(p, fake_test, &r);
        for (int i = 0; i < turn % 300; i++)
            if (ovl_progress_done(p, ticket))
                break;
        if (turn % 3 == 0)
            sched_yield();
        if (ovl_progress_take_back(p, ticket)) {
            by_thread++;
        } else {
            ck_assert(!r.complete);
            r.needs = r.calls + 3; /* it is this one's again */
            finish(&r);
            ck_assert_int_eq(r.by, gettid());
        }
        right(&r);
    }
    ck_assert_int_lt(by_thread, 2000);
    ovl_progress_end(p);
}

/* Many at once, which end in another order; more than the thread has room for stay with the rank. */
TEST(many_requests)
{
    enum { MANY = OVL_PROGRESS_MOST + 5 };
    static struct request r[MANY];
    static int ticket[MANY];
    struct ovl_progress *p = begin(OVL_PROGRESS_YIELD);
    for (int turn = 0; turn < 3; turn++) {
        memset(r, 0, sizeof r);
        for (int i = 0; i < MANY; i++) {
            r[i].needs = 1 + (i * 7919) % 13;
            ticket[i] = ovl_progress_hand(p, fake_test, &r[i]);
            ck_assert_int_eq(ticket[i] == OVL_PROGRESS_NONE, i >= OVL_PROGRESS_MOST);
        }
        for (int k = 0; k < MANY; k++) {
            int i = k % 2 ? MANY - 1 - k / 2 : k / 2;
            if (ticket[i] == OVL_PROGRESS_NONE)
                finish(&r[i]);
            else if (i % 3)
                ovl_progress_wait(p, ticket[i]);
            else if (!ovl_progress_take_back(p, ticket[i]))
                finish(&r[i]);
            right(&r[i]);
        }
    }
    ovl_progress_end(p);
}

/* At rest it burns nothing, whatever it does between tests, and the next request wakes it. */
LOOP_TEST(at_rest_it_sleeps, OVL_PROGRESS_SPIN, OVL_PROGRESS_SLEEP + 1)
{
    struct ovl_progress *p = begin((enum ovl_progress_idle)_i);
    for (int turn = 0; turn < 20; turn++) {
        struct request r = {.needs = 3};
        int ticket = ovl_progress_hand(p, fake_test, &r);
        if (turn % 2)
            ovl_progress_wait(p, ticket);
        else if (!ovl_progress_take_back(p, ticket)) /* perhaps before it has woken up */
            finish(&r);
        ck_assert(ovl_progress_rest(p));
        double cpu = ovl_progress_cpu(p);
        for (int64_t until = ovl_clock_ns() + 2000000; ovl_clock_ns() < until;)
            continue;
        ck_assert_double_lt(ovl_progress_cpu(p) - cpu, 0.0005);
        right(&r);
    }
    ovl_progress_end(p);
}

/* Who has left a request with it, as after an error, does not wait for its rest for ever. */
TEST(with_a_request_it_does_not_rest)
{
    struct ovl_progress *p = begin(OVL_PROGRESS_SLEEP);
    struct request never = {.needs = LONG_MAX}, done = {.needs = 1};
    int ticket = ovl_progress_hand(p, fake_test, &never), other = ovl_progress_hand(p, fake_test, &done);
    ck_assert(!ovl_progress_rest(p));
    ck_assert(!ovl_progress_take_back(p, ticket));
    ck_assert(!ovl_progress_rest(p)); /* the other ticket has not ended */
    ovl_progress_wait(p, other);
    ck_assert(ovl_progress_rest(p));
    ovl_progress_end(p);
}

TEST(a_thread_where_it_must_not_run)
{
    uint64_t nowhere[OVL_PROGRESS_MASK_WORDS] = {0};
    nowhere[OVL_PROGRESS_MASK_WORDS - 1] = UINT64_C(1) << 63;
    ck_assert_ptr_null(ovl_progress_begin(OVL_PROGRESS_SPIN, false, nowhere, &err));
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "--mode thread: no progress thread: "));
    ovl_progress_end(NULL);
}

static const struct {
    const char *place;
    uint64_t rank;
    int units, number;
    const char *mask, *wrong;
} places[] = {
    {"rank", 0x6, 4, 1, "1-2", NULL},
    {"next", 0x2, 4, 0, "2", NULL},
    {"next", 0x8, 4, 0, "0", NULL},
    {"next", 0xf, 4, 0, "0-3", NULL},
    {"2,5-7", 0x1, 8, 0, "2", NULL},
    {"2,5-7", 0x1, 8, 3, "7", NULL},
    {"2,5-7", 0x1, 8, 4, "2", NULL},
    {"3", 0x1, 8, 5, "3", NULL},
    {"3", 0x1, 2, 0, NULL, "--thread-cpu 3: there is no processor 3 here; they are 0 to 1"},
    {"7-5", 0x1, 8, 0, NULL, "--thread-cpu 7-5: give rank, next, or processors of this machine such as 2,5-7"},
    {"1,,2", 0x1, 8, 0, NULL, "--thread-cpu 1,,2: give rank, next, or processors of this machine such as 2,5-7"},
    {"1-", 0x1, 8, 0, NULL, "--thread-cpu 1-: give rank, next, or processors of this machine such as 2,5-7"},
    {"99999", 0x1, 8, 0, NULL, "--thread-cpu 99999: give rank, next, or processors of this machine such as 2,5-7"},
};

LOOP_TEST(places_of_threads, 0, sizeof places / sizeof *places)
{
    uint64_t rank[OVL_THREAD_PLACE_WORDS] = {places[_i].rank}, mask[OVL_THREAD_PLACE_WORDS];
    char text[64];
    int rc = ovl_thread_place(places[_i].place, rank, places[_i].units, places[_i].number, mask, &err);
    ck_assert_int_eq(rc, places[_i].wrong ? -1 : 0);
    if (places[_i].wrong) {
        ck_assert_str_eq(err.text, places[_i].wrong);
        return;
    }
    ovl_thread_place_text(mask, text, sizeof text);
    ck_assert_str_eq(text, places[_i].mask);
}

TEST(processors_as_text)
{
    uint64_t mask[OVL_THREAD_PLACE_WORDS] = {0x55, 1};
    char text[16], all[32];
    ovl_thread_place_text(mask, all, sizeof all);
    ck_assert_str_eq(all, "0,2,4,6,64");
    ovl_thread_place_text(mask, text, 9);
    ck_assert_str_eq(text, "0,2,4...");
}
