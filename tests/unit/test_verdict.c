/* Which launches stand against each other, and what verdict.c makes of their values: launches without noise but what
   tells them apart, so that every verdict is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stats/stalls.h"
#include "tests/sim/families.h"
#include "tests/unit/test.h"
#include "tool/cells/odd_ratio.h"
#include "tool/cells/turns.h"
#include "tool/compare/launch_pairs.h"
#include "tool/compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static struct ovl_run run[MOST];
static struct ovl_cell cell[MOST];
static struct ovl_member member[MOST];
static char file[MOST][64];
static struct ovl_group group;
static struct ovl_groups groups;

static void teardown(void)
{
    for (size_t i = 0; i < group.count; i++) {
        json_decref(run[i].head);
        json_decref(run[i].end);
        ovl_cell_free(&cell[i]);
    }
    group.count = 0;
}

static void setup(void)
{
    group = (struct ovl_group){.member = member, .label = "a cell"};
    groups = (struct ovl_groups){.group = &group, .count = 1};
}

/* The launches of side 0 come first, as group.c sorts them; number -1: a file without one. */
static bool own;       /* launches whose work no record tells */
static bool alternate; /* in every other pair the new side begins first */
static bool apart;     /* each side has a machine of its own */

/* Of one sample. */
static void set_median(struct ovl_cell *c, enum ovl_quantity q, double seconds)
{
    c->summary[q].median = c->summary[q].min = c->summary[q].max = seconds;
}

static struct ovl_cell *launch(size_t side, int number, int minute, double total)
{
    size_t i = group.count++;
    char started[32];
    snprintf(file[i], sizeof file[i], number < 0 ? "%s/launch.jsonl" : "%s/a/%03d.jsonl", side ? "new" : "old", number);
    snprintf(started, sizeof started, "2026-01-01T%02d:%02d:00Z", minute / 60, minute % 60);
    run[i] = (struct ovl_run){
        .file = file[i],
        .head = json_pack("{s:s, s:[{s:s}]}", "started", started, "hosts", "machine", apart && side == 1 ? "b" : "a"),
        .end = json_pack("{s:s}", "status", "complete")};
    ovl_cell_clear(&cell[i]);
    strcpy(cell[i].status, "ok");
    cell[i].units = own ? NAN : 1000;
    cell[i].problem = own ? json_null() : NULL;
    set_median(&cell[i], OVL_TOTAL, total);
    member[i] = (struct ovl_member){.side = side, .run = &run[i], .cell = &cell[i]};
    groups.member_count = group.count;
    return &cell[i];
}

/* The minute of launch i of twelve old ones and twelve new ones. */
static int in_turns(int i)
{
    return 2 * (i % 12) + ((i >= 12) != (alternate && i % 2));
}

static bool usable(const struct ovl_member *m, const void *with)
{
    (void)with;
    return strcmp(m->cell->status, "ok") == 0;
}

/* The pairs as "old-new old-new ...", by the totals of the launches. */
static const char *pairs(struct ovl_launch_pairs *p)
{
    static char text[512];
    *text = '\0';
    ovl_launch_pairs_match(p, &group, usable, NULL);
    for (size_t i = 0; i < p->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%g-%g", i ? " " : "",
                 p->old[i]->cell->summary[OVL_TOTAL].median, p->new[i]->cell->summary[OVL_TOTAL].median);
    return text;
}

TEST(numbers_of_launches)
{
    ck_assert_int_eq(ovl_launch_number("sweep/job/007.jsonl"), 7);
    ck_assert_int_eq(ovl_launch_number("12.jsonl"), 12);
    ck_assert_int_eq(ovl_launch_number("sweep/7/first.jsonl"), -1);
    ck_assert_int_eq(ovl_launch_number("7a.jsonl"), -1);
    ck_assert_int_eq(ovl_launch_number("7.json"), -1);
    ck_assert_int_eq(ovl_launch_number(".jsonl"), -1);
    ck_assert_int_eq(ovl_launch_number("99999999999999999999.jsonl"), -1);
}

TEST(a_missing_launch_shifts_no_pair)
{
    struct ovl_launch_pairs p;
    for (int i = 1; i <= 5; i++)
        if (i != 4)
            launch(0, i, 2 * i, i);
    for (int i = 1; i <= 5; i++)
        if (i != 2)
            launch(1, i, 2 * i + 1, i);
    ck_assert_str_eq(pairs(&p), "1-1 3-3 5-5");
    ck_assert_uint_eq(p.unmatched, 2);
    ck_assert_uint_eq(p.unusable, 0);
    ck_assert(p.by_number);
    ovl_launch_pairs_free(&p);
    strcpy(cell[2].status, "invalid"); /* number 3 of the old side */
    ck_assert_str_eq(pairs(&p), "1-1 5-5");
    ck_assert_uint_eq(p.unmatched, 2);
    ck_assert_uint_eq(p.unusable, 2);
    ovl_launch_pairs_free(&p);
}

/* What drifts meanwhile would pass for the change. */
TEST(launches_of_one_number_that_are_apart_in_time_are_no_pair)
{
    struct ovl_launch_pairs p;
    for (int i = 1; i <= 5; i++)
        launch(0, i, i, i);
    for (int i = 1; i <= 5; i++)
        launch(1, i, 30 - i, i);
    ck_assert_str_eq(pairs(&p), "5-5");
    ck_assert_uint_eq(p.apart, 8);
    ck_assert_uint_eq(p.unmatched, 8);
    ck_assert(!p.one_order);
    ovl_launch_pairs_free(&p);
    teardown();
    for (int i = 0; i < 6; i++)
        launch(i > 2, i % 3, 2 * (i % 3) + (i > 2), i % 3); /* old, new, old, new */
    ck_assert_str_eq(pairs(&p), "0-0 1-1 2-2");
    ck_assert(p.one_order);
    ovl_launch_pairs_free(&p);
}

TEST(without_numbers_neighbours_in_time_are_pairs)
{
    struct ovl_launch_pairs p;
    /* old 0 and 30, new 10 and 20 and 50: old, new, new, old, (old is missing), new */
    launch(0, -1, 0, 1);
    launch(0, -1, 30, 2);
    launch(1, -1, 10, 1);
    launch(1, -1, 20, 2);
    launch(1, -1, 50, 3);
    ck_assert_str_eq(pairs(&p), "1-1 2-2");
    ck_assert(!p.by_number);
    ck_assert_uint_eq(p.unmatched, 1);
    ovl_launch_pairs_free(&p);
    teardown();
    /* old, (new is missing), old, new, old, new: the first has no partner, and takes none from the others. */
    for (int i = 0; i < 3; i++)
        launch(0, -1, 20 * i, i);
    for (int i = 1; i < 3; i++)
        launch(1, -1, 20 * i + 11, i); /* nearer to the next old one */
    ck_assert_str_eq(pairs(&p), "1-1 2-2");
    ovl_launch_pairs_free(&p);
    teardown();
    /* All old ones first: only two follow each other. */
    for (int i = 0; i < 6; i++)
        launch(i > 2, -1, i, i);
    ck_assert_str_eq(pairs(&p), "2-3");
    ck_assert_uint_eq(p.unmatched, 4);
    ovl_launch_pairs_free(&p);
    teardown();
    /* A number that a side has twice is no number. */
    launch(0, 1, 0, 1);
    launch(0, 1, 2, 2);
    launch(1, 1, 1, 1);
    launch(1, 2, 3, 2);
    ck_assert_str_eq(pairs(&p), "1-1 2-2");
    ck_assert(!p.by_number);
    ovl_launch_pairs_free(&p);
}

static double total(const struct ovl_member *m, const void *with)
{
    (void)with;
    return m->cell->summary[OVL_TOTAL].median;
}

TEST(surplus_launches_are_thinned_by_value)
{
    struct ovl_launch_pairs p;
    for (int i = 0; i < 5; i++)
        strcpy(launch(0, -1, i, i)->status, i == 1 ? "invalid" : "ok");
    for (int i = 0; i < 2; i++)
        launch(1, -1, i, i);
    ovl_launch_pairs_level(&p, &group, usable, total, NULL);
    ck_assert_uint_eq(p.count, 2);
    double first = p.old[0]->cell->summary[OVL_TOTAL].median, second = p.old[1]->cell->summary[OVL_TOTAL].median;
    ck_assert(first != second);
    ck_assert_uint_eq(p.unusable, 1);
    ck_assert_uint_eq(p.unmatched, 2);
    ovl_launch_pairs_free(&p);
    ovl_launch_pairs_level(&p, &group, usable, total, NULL);
    ck_assert_double_eq(p.old[0]->cell->summary[OVL_TOTAL].median, first);
    ovl_launch_pairs_free(&p);
    teardown();
    /* Of forty as many are of each half, whatever their order. */
    size_t early = 0;
    for (int i = 0; i < 40; i++)
        launch(0, -1, i, i * 17 % 40);
    for (int i = 0; i < 20; i++)
        launch(1, -1, i, i);
    ovl_launch_pairs_level(&p, &group, usable, total, NULL);
    for (size_t i = 0; i < p.count; i++)
        early += p.old[i]->cell->summary[OVL_TOTAL].median < 20;
    ck_assert_uint_eq(p.count, 20);
    ck_assert_uint_eq(early, 10);
    ovl_launch_pairs_free(&p);
}

/* Twelve pairs whose totals are `old` and `new`, and of which W takes the rest; every launch has its own deviation. */
static struct ovl_change judge(const char *metric, double old, double new, double old_work, double new_work,
                               bool paired)
{
    struct ovl_gate gate = {.metric = ovl_metric_find(metric, &err), .delta = 0.05, .paired = paired};
    struct ovl_changes all;
    for (int i = 0; i < 24; i++) {
        double wobble = 1 + 0.001 * (i * 7 % 12), total = i < 12 ? old : new;
        struct ovl_cell *c = launch(i >= 12, i % 12, in_turns(i), total * wobble);
        set_median(c, OVL_COMPUTE, (i < 12 ? old_work : new_work) * wobble);
        c->exposed = (struct ovl_estimate){total * wobble, NAN, NAN};
    }
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_uint_eq(all.count, 1);
    struct ovl_change c = all.change[0];
    ovl_changes_free(&all);
    teardown();
    return c;
}

TEST(a_slower_machine_is_no_regression)
{
    for (int paired = 0; paired < 2; paired++) {
        /* W and T are 8 % up: all of the change is the machine's. */
        struct ovl_change c = judge("total_seconds", 100, 108, 90, 98, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
        ck_assert_ptr_nonnull(strstr(c.reason, "the machine computes 8.9 % slower"));
        ck_assert_double_eq_tol(c.pace, 98.0 / 90, 1e-9);
        ck_assert_double_le(c.low, 1.05);
        /* The machine is slower, and T - W is 10 points of T worse as well. */
        c = judge("total_seconds", 100, 118, 90, 98, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_REGRESSED);
        ck_assert_double_eq_tol(c.pace, 98.0 / 90, 1e-9);
        /* W as it was: T decides alone. */
        c = judge("total_seconds", 100, 108, 90, 90.5, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_REGRESSED);
        ck_assert(isnan(c.pace));
        /* A slower machine leaves OK as it is. */
        c = judge("total_seconds", 100, 103, 90, 93, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_OK);
        ck_assert_double_eq_tol(c.pace, 93.0 / 90, 1e-9);
    }
}

TEST(own_computation_that_takes_longer_is_a_regression)
{
    own = alternate = true;
    struct ovl_change c = judge("total_seconds", 100, 108, 90, 98, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_REGRESSED);
    char note[200];
    ovl_change_note(&c, note);
    ck_assert_str_eq(note, "its own computation takes 8.9 % longer");
    /* Side after side it may be the machine. */
    c = judge("total_seconds", 100, 108, 90, 98, false);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert_str_eq(c.reason, "its own computation takes 8.9 % longer, and T and T - W do not both tell");
    /* Or a drift, where one side is always the first. */
    alternate = false;
    c = judge("total_seconds", 100, 108, 90, 98, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
    own = false;
}

/* A library whose thread takes a part of each core makes the work take longer, too. */
TEST(in_turns_what_slows_the_work_is_the_side_s_own)
{
    alternate = true;
    struct ovl_change c = judge("total_seconds", 100, 108, 90, 98, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_REGRESSED);
    char note[200];
    ovl_change_note(&c, note);
    ck_assert_str_eq(note, "the same work takes 8.9 % longer");
    /* Side after side it may be the machine; but that T is worse is shown, and no doubt. */
    c = judge("total_seconds", 100, 108, 90, 98, false);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert(c.slower);
    c = judge("total_seconds", 100, 103, 90, 93, false);
    ck_assert(!c.slower);
    /* Each side on machines of its own: a slow one favours the other side, whatever the turns are. */
    apart = true;
    c = judge("total_seconds", 100, 108, 90, 98, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert_ptr_nonnull(strstr(c.reason, "the machine computes 8.9 % slower"));
    apart = alternate = false;
}

TEST(a_quicker_kernel_hides_no_regression)
{
    alternate = true;
    struct ovl_change c = judge("total_seconds", 100, 100, 90, 81, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert_str_eq(c.reason, "the same work takes 10.0 % less, and T and T - W do not both tell");
    own = true; /* it is the program that became quicker */
    c = judge("total_seconds", 100, 100, 90, 81, true);
    ck_assert_int_eq(c.verdict, OVL_VERDICT_OK);
    own = alternate = false;
}

TEST(a_quicker_machine_hides_no_regression)
{
    for (int paired = 0; paired < 2; paired++) {
        /* T is as it was, for W is 10 % down and T - W up by 9 points of T. */
        struct ovl_change c = judge("total_seconds", 100, 100, 90, 81, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_INCONCLUSIVE);
        ck_assert_ptr_nonnull(strstr(c.reason, "the machine computes 10.0 % faster"));
        ck_assert(!c.passes);
        /* Both show that nothing got worse. */
        c = judge("total_seconds", 100, 91, 90, 81, paired);
        ck_assert_int_eq(c.verdict, OVL_VERDICT_OK);
        ck_assert(c.passes);
        /* A metric other than the total is not asked. */
        c = judge("wait_seconds", 100, 91, 90, 81, paired);
        ck_assert(isnan(c.pace));
    }
}

TEST(values_without_a_logarithm_count)
{
    struct ovl_gate gate = {.metric = ovl_metric_find("exposed_comm_seconds", &err), .delta = 0.05, .paired = true};
    struct ovl_changes all;
    /* The new side hides all but noise in half of its launches: its best ones have no logarithm. */
    for (int i = 0; i < 24; i++) {
        double wobble = 0.01 * (i * 7 % 12);
        launch(i >= 12, i % 12, in_turns(i), 1)->exposed.value = i < 12  ? 1 + wobble
                                                                 : i % 2 ? -0.01 - wobble
                                                                         : 1 + wobble;
    }
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_uint_eq(all.change[0].launches, 12);
    ck_assert_uint_eq(all.change[0].unusable, 0);
    ck_assert(all.change[0].by_difference);
    ck_assert_int_eq(all.change[0].verdict, OVL_VERDICT_OK);
    ck_assert_double_lt(all.change[0].value, 0.8); /* the six best launches are seen */
    ovl_changes_free(&all);
    /* Of nothing there is no twentieth part. */
    for (int i = 0; i < 12; i++)
        cell[i].exposed.value = -0.01 * i;
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_int_eq(all.change[0].verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert_ptr_nonnull(strstr(all.change[0].reason, "the old median is not above 0"));
    ck_assert_int_eq(ovl_changes_exit(&all), OVL_INCONCLUSIVE);
    ovl_changes_free(&all);
}

TEST(more_is_better_is_the_same_turned_round)
{
    struct ovl_gate gate = {.metric = ovl_metric_find("gflops", &err), .delta = 0.05, .paired = true};
    struct ovl_changes all;
    for (int i = 0; i < 24; i++)
        launch(i >= 12, i % 12, in_turns(i), 1)->gflops.value = (i < 12 ? 10 : 9) * (1 + 0.001 * (i * 7 % 12));
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_int_eq(all.change[0].verdict, OVL_VERDICT_REGRESSED);
    ck_assert_double_lt(all.change[0].high, 1 / 1.05);
    ck_assert_double_lt(all.change[0].detectable, 1 / 1.05);
    ck_assert_double_le(all.change[0].low, 0.9);
    ovl_changes_free(&all);
    cell[0].gflops.value = 0; /* by difference, and still worse */
    ovl_changes_make(&all, &groups, &gate);
    ck_assert(all.change[0].by_difference);
    ck_assert_double_eq_tol(all.change[0].value, 0.9, 0.02);
    ovl_changes_free(&all);
}

/* Most launches are a little better, which is all that signed ranks see. */
TEST(pairs_of_which_some_stall_do_not_pass)
{
    struct ovl_gate gate = {.metric = ovl_metric_find("total_seconds", &err), .delta = 0.05, .paired = true};
    struct ovl_changes all;
    for (int i = 0; i < 60; i++) {
        int number = i % 30;
        launch(i >= 30, number, 2 * number + (i >= 30), (i < 30 ? 1 : 0.995) * (1 + 0.001 * (i * 7 % 11)));
    }
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_int_eq(ovl_changes_exit(&all), OVL_OK);
    ovl_changes_free(&all);
    for (int slow = 1; slow <= 6; slow++) {
        struct ovl_cell *late = &cell[30 + 4 * slow];
        set_median(late, OVL_TOTAL, late->summary[OVL_TOTAL].median * (slow % 2 ? 10 : 1.2));
        ovl_changes_make(&all, &groups, &gate);
        ck_assert_int_eq(ovl_changes_exit(&all), slow < 5 ? OVL_OK : OVL_INCONCLUSIVE);
        ck_assert(all.change[0].passes == (slow < 5));
        if (slow == 5)
            ck_assert_str_eq(all.change[0].reason,
                             "5 of 30 pairs are worse by over twice the margin: some launches stall");
        ovl_changes_free(&all);
    }
    /* Both sides do. */
    for (int slow = 1; slow <= 6; slow++)
        set_median(&cell[4 * slow + 1], OVL_TOTAL, 10 * cell[4 * slow + 1].summary[OVL_TOTAL].median);
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_int_eq(ovl_changes_exit(&all), OVL_OK);
    ovl_changes_free(&all);
}

/* Sides that are alike, with launches of heavy tails and such as stall now and then. */
TEST(stalls_of_both_sides_are_chance)
{
    enum { PAIRS = 24, FAMILIES = 2000 };
    struct ovl_rng rng = ovl_rng_seeded(3);
    const double margin = log1p(0.05);
    for (int shape = 0; shape < LAUNCH_SHAPES; shape++)
        for (int wide = 0; wide < 2; wide++) {
            int wrong = 0;
            for (int f = 0; f < FAMILIES; f++) {
                double x[2 * PAIRS];
                for (size_t i = 0; i < 2 * PAIRS; i++)
                    x[i] = (wide ? 0.05 : 0.015) * launch_value(&rng, (enum launch_shape)shape) +
                           (wide && ovl_rng_below(&rng, 10) == 0 ? log(5) : 0);
                wrong += ovl_stalls_count(x, x + PAIRS, PAIRS, margin) > 0;
            }
            ck_assert_int_le(wrong, wide ? FAMILIES * 5 / 100 : FAMILIES / 200);
        }
    const double old[2000] = {0};
    double new[2000] = {1, 1, 1, 1, 1};
    ck_assert_uint_eq(ovl_stalls_count(old, new, 12, margin), 5);
    new[7] = -1;
    ck_assert_uint_eq(ovl_stalls_count(old, new, 12, margin), 0);
    /* Those that differ by far count by themselves, and a gain of most launches makes up for nothing. */
    for (int i = 0; i < 60; i++)
        new[i] = i < 10 ? log(10) : i < 14 ? -0.14 : 0;
    ck_assert_uint_eq(ovl_stalls_count(old, new, 60, margin), 10);
    for (int i = 0; i < 30; i++)
        new[i] = i < 5 ? log(6) : -0.5;
    ck_assert_uint_eq(ovl_stalls_count(old, new, 30, margin), 5);
    for (int i = 0; i < 2000; i++)
        new[i] = i < 1010 ? 1 : -1; /* more than a coin's 2^-n can say in a double */
    ck_assert_uint_eq(ovl_stalls_count(old, new, 2000, margin), 0);
}

TEST(unpaired_launches_are_ten_a_side)
{
    struct ovl_gate gate = {.metric = ovl_metric_find("total_seconds", &err), .delta = 0.05};
    struct ovl_changes all;
    for (int i = 0; i < 23; i++)
        launch(i >= 14, i, i, (i < 14 ? 1 : 2) + 0.001 * i);
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_uint_eq(all.change[0].launches, 9);
    ck_assert_uint_eq(all.change[0].unmatched, 5);
    ck_assert_int_eq(all.change[0].verdict, OVL_VERDICT_INCONCLUSIVE);
    ck_assert(isnan(all.change[0].p) && isnan(all.change[0].low));
    ck_assert_double_eq_tol(all.change[0].value, 2, 0.05);
    ovl_changes_free(&all);
    launch(1, 23, 23, 2.023);
    ovl_changes_make(&all, &groups, &gate);
    ck_assert_int_eq(all.change[0].verdict, OVL_VERDICT_REGRESSED);
    ck_assert_int_eq(ovl_changes_exit(&all), OVL_MISSED);
    ovl_changes_free(&all);
}

/* The work of a step with compressed gradients follows the communication of plain ones. */
TEST(compressed_gradients_have_no_odd_ratio)
{
    struct ovl_cell step;
    const struct ovl_cell *const cells[] = {&step};
    ovl_cell_clear(&step);
    step.ratio = 1;
    step.summary[OVL_COMM].median = 1;
    step.summary[OVL_COMPUTE].median = 0.05;
    step.problem = json_pack("{s:s}", "compress", "none");
    ck_assert_double_eq_tol(ovl_odd_ratio(cells, 1), 0.05, 1e-12);
    json_object_set_new(step.problem, "compress", json_string("fp16"));
    ck_assert(isnan(ovl_odd_ratio(cells, 1)));
    ovl_cell_free(&step);
}

AROUND(setup, teardown)
