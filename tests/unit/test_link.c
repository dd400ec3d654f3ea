/* Bytes and seconds on the wire, against sums made by hand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalog.h"
#include "cli/link.h"
#include "record/derived/link_model.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

/* 8 ranks on 4 nodes, a message of 1000 bytes. */
TEST(bytes_through_a_link)
{
    ck_assert_double_eq(ovl_link_bytes_alltoall(1000, 8, 4), 2 * 6 * 1000);
    ck_assert_double_eq(ovl_link_bytes_gather(1000, 8, 4), 6 * 1000);
    ck_assert_double_eq(ovl_link_bytes_vector(1000, 8, 4), 1000);
    ck_assert_double_eq(ovl_link_bytes_allreduce(1000, 8, 4), 1500);
    ck_assert_double_eq(ovl_link_bytes_reduce_scatter(1000, 8, 4), 750);
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (b->wire_bytes)
            ck_assert_msg(b->wire_bytes(1000, 2, 1) == 0 || b->wire_bytes == ovl_link_bytes_vector, "%s on one node",
                          b->name);
}

static double seconds(const char *environment, const char *adapters, int nodes, double ranks, const char *benchmark)
{
    struct ovl_cell cell;
    json_t *head = json_pack("{s:i, s:o, s:[{s:o}]}", "nodes", nodes, "environment", json_loads(environment, 0, NULL),
                             "hosts", "adapters", json_loads(adapters, 0, NULL));
    struct ovl_run run = {.head = head};
    ovl_cell_clear(&cell);
    snprintf(cell.benchmark, sizeof cell.benchmark, "%s", benchmark);
    cell.size_bytes = 1 << 20;
    cell.ranks = ranks;
    double s = ovl_link_seconds(&run, &cell);
    json_decref(head);
    return s;
}

TEST(seconds_on_the_wire)
{
    static const char gigabit[] = "{\"OVL_CLUSTER\":\"nodes=2 rate=1000000000 burst=262144\"}";
    static const char two[] = "[{\"name\":\"a\",\"rate_gbps\":8,\"state\":\"active\"},"
                              "{\"name\":\"b\",\"rate_gbps\":80,\"state\":\"down\"}]";
    ck_assert_double_eq_tol(seconds(gigabit, "[]", 2, 2, "ialltoall"), 8.388608e-3, 1e-12);
    ck_assert_double_eq_tol(seconds(gigabit, two, 2, 4, "ialltoall"), 4 * 8.388608e-3, 1e-12);
    ck_assert_double_eq_tol(seconds("{}", two, 2, 2, "ibcast"), 1.048576e-3, 1e-12);
    ck_assert_double_nan(seconds("{}", "[]", 2, 2, "ibcast"));
    ck_assert_double_nan(seconds(gigabit, "[]", 1, 2, "ibcast"));
    ck_assert_double_nan(seconds(gigabit, "[]", 2, 3, "ialltoall"));
    ck_assert_double_nan(seconds(gigabit, "[]", 2, 2, "ibarrier"));
    ck_assert_double_nan(seconds(gigabit, "[]", 2, 2, "ineighbor_alltoall"));
    ck_assert_double_nan(seconds("{\"OVL_CLUSTER\":\"nodes=2 rate=fast\"}", "[]", 2, 2, "ialltoall"));
    ck_assert_double_nan(seconds("{\"OVL_CLUSTER\":\"xrate=8 rate=-8\"}", "[]", 2, 2, "ialltoall"));
}

/* 3 ranks on one node and 1 on the other: the formulas are of equal numbers. */
TEST(unlike_nodes_have_no_limit)
{
    struct ovl_cell cell;
    ovl_cell_clear(&cell);
    strcpy(cell.benchmark, "ialltoall");
    cell.size_bytes = 1000;
    cell.ranks = 4;
    for (int last = 0; last < 2; last++) {
        struct ovl_run run = {.head = json_pack("{s:i, s:{s:s}, s:[{}, {}], s:[i, i, i, i]}", "nodes", 2, "environment",
                                                "OVL_CLUSTER", "rate=8000", "hosts", "rank_hosts", 0, 0, last, 1)};
        ck_assert_int_eq(isnan(ovl_link_seconds(&run, &cell)), last == 0);
        json_decref(run.head);
    }
}

TEST(an_emulated_wire)
{
    ck_assert_double_eq(ovl_link_emulated_rate("nodes=2 rate=1000000000 burst=81920 emulated=netns"), 125e6);
    ck_assert_double_eq_tol(ovl_link_settle_seconds("nodes=2 rate=1000000000 burst=81920"), 655.36e-6, 1e-12);
    ck_assert_double_nan(ovl_link_settle_seconds("rate=1000000000"));
    ck_assert_double_nan(ovl_link_settle_seconds("burst=81920"));
    ck_assert_double_nan(ovl_link_settle_seconds(NULL));
    ck_assert_double_eq(ovl_link_payload_share("rate=1000000000 payload=0.9643 emulated=netns"), 0.9643);
    ck_assert_double_eq(ovl_link_payload_share("rate=1000000000 payload=9643"), 1);
    ck_assert_double_eq(ovl_link_payload_share(NULL), 1);

    struct ovl_cell cell;
    struct ovl_run run = {.head = json_pack("{s:i, s:{s:s}, s:[]}", "nodes", 2, "environment", "OVL_CLUSTER",
                                            "rate=1000000000 burst=81920", "hosts")};
    ovl_cell_clear(&cell);
    strcpy(cell.benchmark, "ialltoall");
    cell.size_bytes = 125000; /* 1 ms */
    cell.ranks = 2;
    cell.summary[OVL_COMM].median = 0.91e-3;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 0);
    cell.summary[OVL_COMM].median = 0.89e-3;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 1);
    /* Headers take their part of the link: 1 ms is 1.0455 ms of wire. */
    json_object_set_new(json_object_get(run.head, "environment"), "OVL_CLUSTER",
                        json_string("rate=1000000000 burst=81920 payload=0.9565"));
    cell.summary[OVL_COMM].median = 0.93e-3;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 1);
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, true), 0);
    cell.summary[OVL_COMM].median = 0.95e-3;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 0);
    json_object_set_new(json_object_get(run.head, "environment"), "OVL_CLUSTER",
                        json_string("rate=1000000000 burst=81920"));
    cell.summary[OVL_COMM].median = 0.89e-3;
    strcpy(cell.benchmark, "ibarrier");
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), -1);
    cell.problem = json_pack("{s:i}", "n", 100); /* a proxy's cell says itself what the wire carries */
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), -1);
    cell.wire_bytes = 125000;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 1);
    cell.wire_bytes = 100000;
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), 0);
    json_decref(cell.problem);
    cell.problem = NULL;
    strcpy(cell.benchmark, "ialltoall");
    json_object_clear(json_object_get(run.head, "environment"));
    ck_assert_int_eq(ovl_link_unshaped(&run, &cell, false), -1);
    json_decref(run.head);
}
