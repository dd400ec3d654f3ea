/* Launches with and without the library: what is called better, and what is not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "tests/unit/test.h"
#include "tool/offload/pairs.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_record record;
static struct ovl_offload_pairs p;

static void setup(void)
{
    record = (struct ovl_record){.offloads = json_array()};
}

static void teardown(void)
{
    ovl_offload_pairs_free(&p);
    ovl_record_free(&record);
}

/* What the library told of a launch with it. */
static json_t *told(const char *id, int pair)
{
    static const char report[] =
        "{\"record\": \"offload\", \"program\": \"x\", \"ended\": \"2026-01-01T00:00:00Z\", \"ranks\": 2, \"nodes\": 1,"
        " \"workers\": 1, \"path\": \"cma\", \"shared_cores\": false, \"priority\": \"usual\", \"least_bytes\": 0,"
        " \"operations\": [{\"name\": \"MPI_Ialltoall\", \"calls\": 6, \"offloaded\": 6, \"bytes\": 6, \"host\": {}}],"
        " \"worker_operations\": 6, \"posted\": 6, \"packed\": 0, \"unfinished\": 0,"
        " \"unproven_ranks\": 0, \"start_seconds\": 0, \"seconds\": 0, \"posting_seconds\": 0, \"waited_seconds\": 0,"
        " \"waited_most_seconds\": 0}";
    json_t *line = json_loads(report, 0, NULL);
    json_object_set_new(line, "comparison", json_string(id));
    json_object_set_new(line, "pair", json_integer(pair));
    return line;
}

/* A launch whose wall time is `seconds`, and which printed a and, where it is above 0, b. */
static void add(const char *id, int pair, const char *side, double seconds, double a, double b)
{
    json_t *values = json_pack("{s:f}", "a", a);
    if (b > 0)
        json_object_set_new(values, "b", json_real(b));
    json_array_append_new(record.offloads,
                          json_pack("{s:s, s:s, s:i, s:s, s:[s], s:f, s:s, s:b, s:o}", "record", "launch", "comparison",
                                    id, "pair", pair, "side", side, "command", "x", "wall_seconds", seconds, "metric",
                                    "m", "more_is_better", 1, "values", values));
    if (strcmp(side, "with") == 0)
        json_array_append_new(record.offloads, told(id, pair));
}

/* Six pairs of which all are better, planned to be `planned`; 0: not told. */
static void six(int planned)
{
    json_array_clear(record.offloads);
    for (int i = 1; i <= 6; i++) {
        add("c", i, "without", 1.2 + 0.001 * i, 1, 0);
        add("c", i, "with", 1 + 0.001 * i, 1, 0);
    }
    for (size_t i = 0; i < json_array_size(record.offloads); i++) {
        json_t *line = json_array_get(record.offloads, i);
        json_object_clear(json_object_get(line, "values"));
        if (planned > 0)
            json_object_set_new(line, "pairs", json_integer(planned));
    }
}

/* Of the first `count` launches with workers: they were given nothing. */
static void let_idle(size_t count)
{
    for (size_t i = 0; i < json_array_size(record.offloads) && count > 0; i++) {
        json_t *line = json_array_get(record.offloads, i);
        if (strcmp(json_string_value(json_object_get(line, "record")), "offload") != 0)
            continue;
        json_array_clear(json_object_get(line, "operations"));
        json_object_set_new(line, "posted", json_integer(0));
        json_object_set_new(line, "worker_operations", json_integer(0));
        count--;
    }
}

/* The verdict on the wall time, and its reason. */
static void is(const char *verdict, const char *reason)
{
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_str_eq(p.row[0].verdict, verdict);
    if (reason)
        ck_assert_str_eq(p.row[0].reason, reason);
    ck_assert_str_eq(p.lacking, reason ? reason : "");
    ovl_offload_pairs_free(&p);
}

/* Noise of 2 %. */
static double noise(struct ovl_rng *rng)
{
    return 1 + 0.0002 * ((double)ovl_rng_below(rng, 201) - 100);
}

TEST(a_value_that_the_first_launch_did_not_print_is_told)
{
    for (int i = 1; i <= 8; i++) {
        add("c", i, "without", 1, 5, i == 1 ? 0 : 1);
        add("c", i, "with", 1, 5, 9);
    }
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_uint_eq(p.count, 3);
    ck_assert_str_eq(p.row[2].name, "b");
    ck_assert_str_eq(p.row[2].verdict, "not shown");
    ck_assert_str_ne(p.row[2].reason, "");
    ovl_offload_pairs_free(&p);
}

/* Known truth: wall time 0.7 of without, a (more is better) 1.0, b 0.9. */
TEST(what_differs_is_found_and_nothing_else)
{
    struct ovl_rng rng = ovl_rng_seeded(7);
    for (int i = 1; i <= 12; i++) {
        add("c", i, "without", noise(&rng), 5 * noise(&rng), 2 * noise(&rng));
        add("c", i, "with", 0.7 * noise(&rng), 5 * noise(&rng), 1.8 * noise(&rng));
    }
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_uint_eq(p.pairs, 12);
    ck_assert_uint_eq(p.count, 3);
    ck_assert_str_eq(p.row[0].verdict, "better");
    ck_assert(p.row[0].low < 0.7 && p.row[0].high > 0.7 && p.row[0].high < 0.75);
    ck_assert_double_eq_tol(p.row[0].ratio, 0.7, 0.01);
    ck_assert_str_eq(p.row[1].name, "a");
    ck_assert_str_eq(p.row[1].verdict, "not shown");
    ck_assert(p.row[1].low < 1 && p.row[1].high > 1);
    ck_assert_str_eq(p.row[2].verdict, "worse");
    ck_assert(p.row[2].low < 0.9 && p.row[2].high > 0.9 && p.row[2].high < 1);
}

/* Nothing is better by workers that did nothing; it may be worse by what the library costs. */
TEST(idle_workers_make_nothing_better)
{
    six(6);
    is("better", NULL);
    let_idle(1);
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_str_eq(p.row[0].verdict, "not shown");
    ck_assert_str_eq(p.row[0].reason, "in some launches no operation went to the workers");
    ovl_offload_pairs_free(&p);
    let_idle(6);
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_str_eq(p.row[0].verdict, "not shown");
    ck_assert_str_eq(p.row[0].reason, "no operation went to the workers");
    ovl_offload_pairs_free(&p);
    for (size_t i = 0; i < json_array_size(record.offloads); i++) {
        json_t *wall = json_object_get(json_array_get(record.offloads, i), "wall_seconds");
        if (wall && strcmp(json_string_value(json_object_get(json_array_get(record.offloads, i), "side")), "with") == 0)
            json_real_set(wall, 2 * json_real_value(wall));
    }
    is("worse", NULL);
}

/* Where the library changes nothing, at most 5 % of comparisons find something better, and as many something worse. */
TEST(no_change_is_seldom_taken_for_one)
{
    enum { TIMES = 400 };
    struct ovl_rng rng = ovl_rng_seeded(11);
    int better = 0, worse = 0;
    for (int t = 0; t < TIMES; t++) {
        json_array_clear(record.offloads);
        for (int i = 1; i <= 10; i++) {
            add("c", i, "without", noise(&rng), 5 * noise(&rng), 0);
            add("c", i, "with", noise(&rng), 5 * noise(&rng), 0);
        }
        ovl_offload_pairs_make(&p, &record, "c");
        bool any[2] = {false, false};
        for (size_t i = 0; i < p.count; i++) {
            any[0] |= strcmp(p.row[i].verdict, "better") == 0;
            any[1] |= strcmp(p.row[i].verdict, "worse") == 0;
        }
        better += any[0];
        worse += any[1];
        ovl_offload_pairs_free(&p);
    }
    /* 20 expected at most; 35 with probability 0.1 %. */
    ck_assert_msg(better <= 35 && worse <= 35, "%d better, %d worse of %d", better, worse, TIMES);
    ck_assert(better + worse > 0);
}

/* Lines 3 (i - 1) to 3 (i - 1) + 2 are of pair i: without, with, and what the library told. */
TEST(pairs_that_were_taken_out_or_never_launched_show_nothing)
{
    six(0);
    is("better", NULL);
    six(6);
    is("better", NULL);
    six(40);
    is("not shown", "6 of 40 pairs: pair 7 is lacking, and 33 more");
    six(0);
    for (int i = 0; i < 3; i++)
        json_array_remove(record.offloads, 6);
    is("not shown", "5 of 6 pairs: pair 3 is lacking");
    six(6);
    for (int i = 0; i < 3; i++)
        json_array_remove(record.offloads, 15);
    is("not shown", "5 of 6 pairs: pair 6 is lacking");
    six(0);
    json_array_remove(record.offloads, 16);
    is("not shown", "5 of 6 pairs: pair 6 is lacking");
    six(6);
    json_array_remove(record.offloads, 2);
    is("not shown", "5 of 6 pairs: pair 1 lacks the library's report");
    six(0);
    add("c", 2, "with", 0.9, 1, 0);
    is("not shown", "5 of 6 pairs: pair 2 is there twice");
    six(6);
    json_object_set_new(json_array_get(record.offloads, 2), "refused", json_string("nothing is offloaded"));
    is("not shown", "5 of 6 pairs: pair 1 lacks the library's report");
    six(5);
    is("not shown", "pair 6 is there, and 5 were planned");
    six(0);
    add("c", 700, "with", 0.9, 1, 0);
    is("not shown", "6 of 700 pairs: pair 7 is lacking, and 693 more");
    six(6);
    json_object_set_new(json_array_get(record.offloads, 4), "pairs", json_integer(7));
    is("not shown", "launches tell of different plans");
    six(0);
    json_object_set_new(json_array_get(record.offloads, 4), "ovl_version", json_string(OVL_VERSION));
    is("not shown", "how many pairs were planned is taken out");
    six(6);
    json_array_append_new(record.offloads, told("c", 3));
    json_object_set_new(json_array_get(record.offloads, 18), "ranks", json_integer(3));
    is("not shown", "5 of 6 pairs: pair 3 is there twice");
    six(6); /* a copy of a line is none */
    json_array_append(record.offloads, json_array_get(record.offloads, 0));
    is("better", NULL);
}

/* 6 of 40 launches with the library take ten times as long: the others make up for none of them. */
TEST(who_stalls_is_not_better)
{
    for (int stalls = 0; stalls <= 6; stalls += 6) {
        struct ovl_rng rng = ovl_rng_seeded(3);
        json_array_clear(record.offloads);
        for (int i = 1; i <= 40; i++) {
            add("c", i, "without", noise(&rng), 1, 0);
            add("c", i, "with", i <= stalls ? 10 : 0.9 * noise(&rng), 1, 0);
        }
        ovl_offload_pairs_make(&p, &record, "c");
        ck_assert_str_eq(p.row[0].verdict, stalls > 0 ? "not shown" : "better");
        if (stalls > 0)
            ck_assert_str_eq(p.row[0].reason, "6 launches stall");
        ovl_offload_pairs_free(&p);
    }
}

TEST(what_cannot_be_compared_says_why)
{
    for (int i = 1; i <= 2; i++) {
        add("c", i, "without", 1, i == 2 ? 0 : 1, 1);
        add("c", i, "with", 0.5, 1, i == 1 ? 1 : 0);
    }
    add("d", 1, "with", 1, 1, 1); /* another comparison */
    ovl_offload_pairs_make(&p, &record, "c");
    ck_assert_uint_eq(p.pairs, 2);
    ck_assert_str_eq(p.row[0].reason, "too few launches");
    ck_assert_str_eq(p.row[0].verdict, "not shown");
    ck_assert_str_eq(p.row[1].reason, "not above 0");
    ck_assert_str_eq(p.row[2].reason, "not every launch printed it");
    json_t *ids = ovl_offload_pairs_ids(&record);
    ck_assert_uint_eq(json_array_size(ids), 2);
    json_decref(ids);
    ovl_offload_pairs_free(&p);
    ovl_offload_pairs_make(&p, &record, "d");
    ck_assert_uint_eq(p.pairs, 0);
    ck_assert_str_eq(p.row[0].verdict, "not shown");
}

AROUND(setup, teardown)
