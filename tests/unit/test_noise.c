/* What ovl_noise makes of its numbers: pairs in rounds, nodes from ranks, lines, verdicts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/merge.h"
#include "apps/noise/pairing.h"
#include "base/number.h"
#include "record/derived/field_schema.h"
#include "record/derived/noise.h"
#include "record/field.h"
#include "table/table.h"
#include "tests/unit/test.h"
#include "tool/util/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each member has one partner a round, whose partner it is; no pair comes twice; all neighbours and, in O(log n)
   rounds, all are joined. */
TEST(rounds_of_pairs)
{
    for (int n = 0; n <= 70; n++) {
        static bool met[70][70];
        int rounds = ovl_pairing_rounds(n);
        memset(met, 0, sizeof met);
        ck_assert_int_le(rounds, n < 2 ? 0 : 3 + (int)ceil(log2(n)));
        for (int r = 0; r < rounds; r++)
            for (int i = 0; i < n; i++) {
                int p = ovl_pairing_partner(n, r, i);
                if (p < 0)
                    continue;
                ck_assert_msg(p < n && p != i && ovl_pairing_partner(n, r, p) == i, "%d: %d and %d", n, i, p);
                ck_assert_msg(!met[i][p], "%d: %d and %d meet twice", n, i, p);
                met[i][p] = true;
            }
        for (int i = 0; i < n && n > 1; i++)
            ck_assert_msg(met[i][(i + 1) % n], "%d: %d never meets its neighbour", n, i);
    }
}

/* Nodes a, b, c ... of two ranks each on two cores of their own, quiet, with all pairs alike. */
enum { NODES = 8 };
static struct ovl_node nodes[NODES];
static struct ovl_node_pair pairs[NODES];
static struct ovl_run run;
static struct ovl_noise_verdict verdict;

static void setup(void)
{
    for (int i = 0; i < NODES; i++) {
        struct ovl_node *n = &nodes[i];
        ovl_node_clear(n);
        ovl_node_pair_clear(&pairs[i]);
        snprintf(n->name, sizeof n->name, "%c", 'a' + i);
        strcpy(n->run_id, "r");
        n->ranks = n->ranks_on_machine = n->cores = 2;
        n->quanta = n->brief = (struct ovl_node_quanta){
            .seconds = 10, .usual = 1e-3, .lost = 1e-3, .per_second = 2, .typical = 1e-4, .period = NAN};
        n->monotonic.system_call = n->raw.system_call = n->common = 0;
        n->latest = 1. / NODES;
        pairs[i] = (struct ovl_node_pair){.kind = "ring", .trips = 10, .latency_min = 9e-6, .latency = 1e-5};
        pairs[i].bytes = 1e5;
        pairs[i].bytes_per_second = 1e9;
        snprintf(pairs[i].with, sizeof pairs[i].with, "%c", 'a' + (i + 1) % NODES);
        n->pairs = &pairs[i];
        n->pair_count = 1;
    }
    run = (struct ovl_run){
        .head =
            json_pack("{s:s, s:i, s:{s:f}}", "benchmark", "noise", "ranks", 2 * NODES, "clock", "read_seconds", 25e-9),
        .end = json_pack("{s:s, s:{s:i, s:f}}", "record", "end", "starts", "count", 1000, "late_median_seconds", 5e-8),
        .nodes = nodes,
        .node_count = NODES,
    };
}

static void teardown(void)
{
    json_decref(run.head);
    json_decref(run.end);
}

static enum ovl_noise_kind judged(void)
{
    ovl_noise_judge(&run, &verdict);
    return ovl_noise_first(&verdict);
}

static void says(enum ovl_noise_kind kind, const char *text)
{
    ck_assert_int_eq(judged(), kind);
    ck_assert_msg(strstr(verdict.finding[kind], text), "%s", verdict.finding[kind]);
}

static void late(double seconds)
{
    json_object_set_new(json_object_get(run.end, "starts"), "late_median_seconds", json_real(seconds));
}

TEST(limits_have_their_reasons)
{
    for (int i = 0; i < OVL_NOISE_LIMITS; i++) {
        ck_assert_ptr_nonnull(ovl_noise_limits[i].name);
        ck_assert_double_gt(ovl_noise_limits[i].limit, 0);
        ck_assert_uint_gt(strlen(ovl_noise_limits[i].why), 3);
    }
    for (int k = 0; k <= OVL_NOISE_KINDS; k++)
        ck_assert_ptr_nonnull(ovl_noise_word((enum ovl_noise_kind)k));
}

TEST(quiet_nodes)
{
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
    ck_assert_double_eq_tol(verdict.comm_least, 20 * 25e-9, 1e-12); /* 50 ns late is under 3 reads */
    ck_assert_uint_eq(verdict.pairs.count, NODES);
    ck_assert_double_eq(verdict.pairs.latency, 1e-5);
}

TEST(the_noisiest_node_is_named)
{
    nodes[2].quanta.lost = 0.012;
    nodes[5].quanta = (struct ovl_node_quanta){
        .usual = 1e-3, .lost = 0.041, .typical = 2.3e-3, .period = 0.01, .per_second = 100, .rank = 11};
    says(OVL_NOISE_NOISY, "node f loses 4.1 % to detours of 2.3 ms every 10 ms");
    nodes[5].quanta.period = NAN;
    says(OVL_NOISE_NOISY, "node f loses 4.1 % to detours of 2.3 ms, 100 a second");
    nodes[5].quanta.lost = 0.0099;
    says(OVL_NOISE_NOISY, "node c loses 1.2 %");
    nodes[2].quanta.lost = 0.0099;
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
}

TEST(sick_clocks)
{
    nodes[1].backward_between = 3;
    says(OVL_NOISE_CLOCKS, "node b goes back in time: 0 times within a rank, 3 between ranks");
    nodes[1].backward_between = 0;
    nodes[1].monotonic = (struct ovl_node_clock){.read = 1.1e-6, .system_call = 1};
    strcpy(nodes[1].source, "hpet");
    says(OVL_NOISE_CLOCKS, "node b reads its clock by a system call, 1.1 us each (clock source hpet)");
    nodes[1].monotonic.system_call = 0;
    nodes[1].drift_ppm = -150;
    says(OVL_NOISE_CLOCKS, "node b drifts from rank 0's by -150 ppm");
    nodes[1].common = 1;
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
    nodes[1].offset = 0.5;
    nodes[1].offset_error = 1e-5; /* cloned guests share a boot_id */
    says(OVL_NOISE_CLOCKS, "node b has rank 0's boot_id, as a cloned guest may, but its clock is 500 ms apart");
    nodes[1].offset = -9e-6;
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
    nodes[1].slew_ppm = 600;
    says(OVL_NOISE_CLOCKS, "steers its clock by 600 ppm");
}

/* C from which on cells can be ok. */
TEST(starts_say_which_cells)
{
    late(0.9e-6);
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
    ck_assert_double_eq_tol(verdict.comm_least, 45e-6, 1e-12);
    late(2.4e-6);
    nodes[3].latest = 0.7;
    says(OVL_NOISE_STARTS,
         "the latest rank is 2.4 us late in the median, most often on node d: cells with C under 120 us "
         "will not be ok here");
    late(5e-8);
    nodes[3].residual = 6e-6;
    says(OVL_NOISE_STARTS, "cells with C under 200 us will not be ok here, for the residual of the clocks");
    ck_assert_double_eq_tol(verdict.comm_least, 200e-6, 1e-9);
    nodes[3].common = 1; /* no model is needed */
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
    json_object_set_new(json_object_get(run.end, "starts"), "late_median_seconds", json_null());
    says(OVL_NOISE_STARTS, "clocks could not be synchronised");
}

TEST(the_slowest_pair_is_named)
{
    pairs[3].latency = 3.1e-5;
    says(OVL_NOISE_NETWORK, "pair d-e is 3.1 x slower than the median pair");
    pairs[3].latency = 1e-5;
    pairs[7].bytes_per_second = 3e8;
    says(OVL_NOISE_NETWORK, "pair h-a has 0.30 of the median pair's bandwidth");
    run.node_count = 1; /* ranks of one node */
    ck_assert_int_eq(judged(), OVL_NOISE_KINDS);
}

TEST(other_findings)
{
    nodes[4].steal = 0.03;
    says(OVL_NOISE_STOLEN, "other guests take 3.0 % of the cores of node e");
    nodes[4].steal = NAN;
    nodes[4].quanta.usual = 1.2e-3;
    says(OVL_NOISE_UNEVEN, "node e takes 1.20 times as long as the median node");
    nodes[0].ranks_on_machine = 3; /* comes first, whatever else is found */
    says(OVL_NOISE_OVERSUBSCRIBED, "3 ranks on 2 cores");
    ck_assert(*verdict.finding[OVL_NOISE_UNEVEN]);
}

TEST(what_was_not_measured_is_not_quiet)
{
    json_object_del(run.end, "starts");
    says(OVL_NOISE_UNFINISHED, "not measured: starts");
    nodes[6].quanta.lost = NAN;
    run.node_count = 7;
    for (int i = 0; i < NODES; i++)
        nodes[i].pair_count = 0;
    says(OVL_NOISE_UNFINISHED, "not measured: noise starts round trips");
    json_decref(run.end);
    run.end = NULL;
    run.node_count = 0;
    says(OVL_NOISE_UNFINISHED, "not measured: noise starts");
}

TEST(ranks_of_a_node_come_together)
{
    struct ovl_node into, other;
    ovl_node_clear(&into);
    ovl_node_clear(&other);
    other.quanta = (struct ovl_node_quanta){.rank = 3, .lost = 0.2, .usual = 1e-3};
    other.late = 2e-6;
    other.backward = 1;
    ovl_noise_merge(&into, &other);
    ck_assert_double_eq(into.quanta.rank, 3);
    ck_assert_double_eq(into.late, 2e-6);
    other.quanta = (struct ovl_node_quanta){.rank = 4, .lost = 0.1, .usual = 2e-3}; /* slow, and quiet */
    other.late = 1e-6;
    other.backward = 2;
    other.steal = 0.01;
    ovl_noise_merge(&into, &other);
    ck_assert_double_eq(into.quanta.rank, 3);
    ck_assert_double_eq(into.quanta.usual, 2e-3);
    ck_assert_double_eq(into.late, 2e-6);
    ck_assert_double_eq(into.backward, 3);
    ck_assert_double_eq(into.steal, 0.01);
}

static char *table_of(const struct ovl_run *of)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    ovl_format_noise.foot(out, of, true);
    fclose(out);
    return text;
}

/* The line fits the schema, and what is read back gives the same table and verdict. */
TEST(lines_there_and_back)
{
    struct ovl_node back[NODES];
    json_t *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, &err);
    struct ovl_run again = run;
    nodes[1].quanta.lost = 0.1 / 3;
    for (int i = 0; i < NODES; i++) {
        ovl_node_round(&nodes[i]);
        json_t *line = ovl_node_to_json(&nodes[i]);
        char *text = json_dumps(line, JSON_REAL_PRECISION(12));
        json_decref(line);
        line = json_loads(text, 0, NULL);
        ck_assert_uint_eq(ovl_schema_check(schema, line, NULL, NULL), 0);
        ck_assert_int_eq(ovl_node_from_json(line, &back[i], &err), 0);
        json_decref(line);
        free(text);
    }
    again.nodes = back;
    char *one = table_of(&run), *two = table_of(&again);
    ck_assert_str_eq(one, two);
    ck_assert_ptr_nonnull(strstr(one, "# verdict   noisy: node b loses 3.3 %"));
    free(one);
    free(two);
    for (int i = 0; i < NODES; i++)
        ovl_node_free(&back[i]);
    ovl_schema_free(schema);
    json_decref(table);
}

TEST(lines_of_another_kind_are_refused)
{
    struct ovl_node node;
    json_t *line = ovl_node_to_json(&nodes[0]);
    json_object_set_new(json_object_get(line, "quanta"), "lost_fraction", json_string("much"));
    ck_assert_int_eq(ovl_node_from_json(line, &node, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "quanta.lost_fraction"));
    json_object_set_new(json_object_get(line, "quanta"), "lost_fraction", json_null());
    ck_assert_int_eq(ovl_node_from_json(line, &node, &err), 0);
    ck_assert(isnan(node.quanta.lost));
    ovl_node_free(&node);
    json_array_append_new(json_object_get(line, "pairs"), json_string("x"));
    ck_assert_int_eq(ovl_node_from_json(line, &node, &err), 0);
    ck_assert_uint_eq(node.pair_count, 2);
    ovl_node_free(&node);
    json_decref(line);
}

TEST(times_in_few_digits)
{
    static const struct {
        double seconds;
        const char *text;
    } all[] = {{2.3e-3, "2.3 ms"}, {1.5, "1.5 s"},         {18e-9, "18 ns"}, {0.99996e-3, "1 ms"},
               {0, "0 ns"},        {123456, "1.23e+05 s"}, {NAN, "-"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_str_eq(OVL_TIME(all[i].seconds), all[i].text);
}

AROUND(setup, teardown)
