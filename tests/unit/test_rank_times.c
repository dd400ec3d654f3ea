/* What each rank exposed, and which are the worst. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/rank_times.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 9, RANKS = 12 };

static struct ovl_run run;
static struct ovl_cell cell;

static json_t *blocks(double value)
{
    json_t *array = json_array();
    for (int b = 0; b < BLOCKS; b++)
        json_array_append_new(array, b == 2 ? json_null() : json_real(value + (b - 4)));
    return array;
}

static void setup(void)
{
    json_t *work = json_array(), *total = json_array(), *hosts = json_array();
    memset(&run, 0, sizeof run);
    sample_cell(&cell, "a", 8, BLOCKS);
    for (int r = 0; r < RANKS; r++) {
        json_array_append_new(work, blocks(100 + r));
        json_array_append_new(total, blocks(200 + r + (r == 5 ? 40 : r == 9 ? 30 : r % 3)));
        json_array_append_new(hosts, json_integer(r % 2));
    }
    ovl_cell_set(&cell, "rank_samples", json_pack("{s:o, s:o}", "compute_seconds", work, "total_seconds", total));
    run.head = json_pack("{s:o, s:[{s:s}, {s:s}]}", "rank_hosts", hosts, "hosts", "name", "a", "name", "b");
}

static void teardown(void)
{
    ovl_cell_free(&cell);
    json_decref(run.head);
}

TEST(each_rank_has_its_own)
{
    size_t ranks, worst[4];
    struct ovl_rank_time *t = ovl_rank_times(&run, &cell, &ranks);
    ck_assert_uint_eq(ranks, RANKS);
    for (size_t r = 0; r < RANKS; r++) {
        double wanted = 100 + (r == 5 ? 40 : r == 9 ? 30 : (double)(r % 3));
        ck_assert_double_eq_tol(t[r].seconds, wanted, 1e-9);
        ck_assert(t[r].ci_low < t[r].seconds && t[r].ci_high > t[r].seconds);
        ck_assert_int_eq(t[r].node, (int)r % 2);
    }
    ck_assert_double_eq(ovl_rank_times_median(t, ranks), 101);
    ck_assert_uint_eq(ovl_rank_times_worst(t, ranks, worst, 4), 4);
    ck_assert(worst[0] == 5 && worst[1] == 9 && worst[2] == 2 && worst[3] == 8);
    ck_assert_uint_eq(ovl_rank_times_worst(t, 2, worst, 4), 1); /* of 100 and 101 one is above the median */
    ck_assert_str_eq(ovl_rank_node_name(&run, 1), "b");
    ck_assert_str_eq(ovl_rank_node_name(&run, 2), "");
    ck_assert_str_eq(ovl_rank_node_name(&run, -1), "");
    free(t);
}

/* A damaged or older line: no node, no value, or nothing at all. */
TEST(what_is_missing)
{
    size_t ranks, worst[2];
    json_object_set_new(run.head, "rank_hosts", json_pack("[i, s, i]", 7, "x", -1));
    json_t *samples = json_object_get(cell.extra, "rank_samples");
    json_array_set_new(json_object_get(samples, "total_seconds"), 5, json_string("?"));
    json_array_set_new(json_object_get(samples, "compute_seconds"), 9, json_array());
    struct ovl_rank_time *t = ovl_rank_times(&run, &cell, &ranks);
    for (size_t r = 0; r < RANKS; r++)
        ck_assert_int_eq(t[r].node, -1);
    ck_assert(isnan(t[5].seconds) && isnan(t[9].seconds));
    ck_assert_uint_eq(ovl_rank_times_worst(t, ranks, worst, 2), 2);
    ck_assert_uint_eq(worst[0], 2);
    free(t);
    json_object_set_new(samples, "total_seconds", json_integer(3));
    ck_assert_ptr_null(ovl_rank_times(&run, &cell, &ranks));
    json_object_del(cell.extra, "rank_samples");
    ck_assert_ptr_null(ovl_rank_times(&run, &cell, &ranks));
}

/* What a reader keeps of a line with samples of ranks is what the line had. */
TEST(a_line_keeps_them)
{
    struct ovl_cell read;
    json_t *line = ovl_cell_to_json(&cell), *again;
    ck_assert(json_is_object(json_object_get(line, "rank_samples")));
    ck_assert_int_eq(ovl_cell_from_json(line, true, &read, &err), 0);
    again = ovl_cell_to_json(&read);
    ck_assert(json_equal(json_object_get(line, "rank_samples"), json_object_get(again, "rank_samples")));
    ovl_cell_free(&read);
    ck_assert_int_eq(ovl_cell_from_json(line, false, &read, &err), 0);
    ck_assert_ptr_null(json_object_get(read.extra, "rank_samples"));
    ovl_cell_free(&read);
    json_decref(line);
    json_decref(again);
}

AROUND(setup, teardown)
