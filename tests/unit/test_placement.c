/* Where processes run: who shares a core, who is bound, and which rank is on which node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rank_hosts.h"
#include "machine/crowd.h"
#include "machine/topology.h"
#include "tests/unit/test.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600 };

static uint64_t masks[MOST][OVL_CROWD_WORDS];

static void allow(size_t process, size_t from, size_t to)
{
    memset(masks[process], 0, sizeof *masks);
    for (size_t i = from; i <= to; i++)
        masks[process][i / 64] |= (uint64_t)1 << i % 64;
}

static size_t waiting(size_t processes)
{
    return ovl_crowd_waiting((const uint64_t(*)[OVL_CROWD_WORDS])masks, processes);
}

TEST(who_waits_for_a_processor)
{
    ck_assert_uint_eq(waiting(0), 0);
    /* Unbound: as many as are too many. */
    for (size_t p = 0; p < MOST; p++)
        allow(p, 0, 511);
    ck_assert_uint_eq(waiting(512), 0);
    ck_assert_uint_eq(waiting(MOST), MOST - 512);
    /* Two bound to one processor among others that are free. */
    allow(0, 7, 7);
    ck_assert_uint_eq(waiting(8), 0);
    allow(5, 7, 7);
    ck_assert_uint_eq(waiting(8), 1);
    /* A chain: each can take the place of the next, and the last one's is free. Widest first, so that all must move. */
    for (size_t p = 0; p < 300; p++)
        allow(p, 0, 299 - p);
    ck_assert_uint_eq(waiting(300), 0);
    allow(300, 10, 20);
    ck_assert_uint_eq(waiting(301), 1);
    /* Three on two processors wait, and do not hide two others that fit. */
    for (size_t p = 0; p < 3; p++)
        allow(p, 4094, 4095);
    allow(3, 4094, 4095);
    allow(4, 0, 4095);
    allow(5, 1, 1);
    ck_assert_uint_eq(waiting(6), 2);
}

/* Two workers that are bound to one processor take one, however many the ranks leave. */
TEST(ranks_and_workers_that_run_at_once)
{
    enum { RANKS = 2 };
    const uint64_t(*all)[OVL_CROWD_WORDS] = (const uint64_t(*)[OVL_CROWD_WORDS])masks;
    allow(0, 0, 3);
    allow(1, 0, 3);
    allow(RANKS, 0, 0);
    allow(RANKS + 1, 0, 0);
    ck_assert_uint_eq(ovl_crowd_running(all, RANKS, all + RANKS, 2), 3);
    ck_assert_uint_eq(ovl_crowd_running(all, RANKS, NULL, 0), 2);
    allow(RANKS + 1, 3, 3);
    ck_assert_uint_eq(ovl_crowd_running(all, RANKS, all + RANKS, 2), 4);
}

/* The kernel's word cannot be made up. */
static int made_up_machines(void)
{
    return strcmp(OVL_WITH_HWLOC, "none") != 0;
}

/* A machine that hwloc makes up. */
static struct ovl_topology made_up(const char *description)
{
    struct ovl_topology t;
    ck_assert_int_eq(setenv("HWLOC_SYNTHETIC", description, 1), 0);
    ck_assert_int_eq(ovl_topology_load(&t, &err), 0);
    unsetenv("HWLOC_SYNTHETIC");
    return t;
}

static bool is_bound(struct ovl_topology *t, uint64_t mine, uint64_t together, uint64_t allowed)
{
    uint64_t all[OVL_TOPOLOGY_MASK_WORDS] = {together};
    memset(t->mask, 0, sizeof t->mask);
    memset(t->allowed, 0, sizeof t->allowed);
    t->mask[0] = mine;
    t->allowed[0] = allowed;
    return ovl_topology_bound(t, all);
}

LOOP_TEST(who_is_bound, 0, made_up_machines())
{
    struct ovl_topology t = made_up("pack:2 core:4 pu:2"); /* 16 units */
    ck_assert_int_eq(t.units, 16);
    ck_assert_int_eq(t.cores, 8);
    ck_assert_uint_eq(t.allowed[0], 0xffff);
    ck_assert(!is_bound(&t, 0xffff, 0xffff, 0xffff));
    ck_assert(is_bound(&t, 0x000f, 0xffff, 0xffff));
    ck_assert(is_bound(&t, 0x000f, 0x000f, 0xffff));
    ck_assert(is_bound(&t, 0x0003, 0x0003, 0x0003)); /* two hardware threads of one core */
    ck_assert(is_bound(&t, 0x0001, 0x0001, 0xffff));
    /* A cpuset smaller than the machine: all of it is not bound, a part of it is. */
    ck_assert(!is_bound(&t, 0x00f0, 0x00f0, 0x00f0));
    ck_assert(is_bound(&t, 0x0030, 0x00f0, 0x00f0));
    /* A cpuset for each process of the node. */
    ck_assert(is_bound(&t, 0x000f, 0x00ff, 0x000f));
}

LOOP_TEST(who_shares_a_core, 0, made_up_machines())
{
    static const struct {
        const char *machine;
        size_t units, sharing;
    } rows[] = {{"core:4 pu:1", 4, 0}, {"core:2 pu:2", 4, 2}, {"pack:2 core:2 pu:4", 16, 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ovl_topology t = made_up(rows[i].machine);
        for (size_t p = 0; p < rows[i].units; p++) {
            uint64_t one[OVL_TOPOLOGY_MASK_WORDS] = {(uint64_t)1 << p};
            ovl_topology_cores(&t, one, masks[p]);
        }
        ck_assert_uint_eq(waiting(rows[i].units), rows[i].sharing);
    }
}

TEST(binding_is_written_as_a_list)
{
    struct ovl_topology t;
    ck_assert_int_eq(ovl_topology_load(&t, &err), 0);
    int units = 0, from, to, used;
    for (const char *at = t.binding; *at; at += used + (at[used] == ',')) {
        ck_assert_int_eq(sscanf(at, "%d%n", &from, &used), 1);
        to = from;
        if (at[used] == '-') {
            int more;
            ck_assert_int_eq(sscanf(at + used, "-%d%n", &to, &more), 1);
            used += more;
        }
        units += to - from + 1;
        ck_assert(t.mask[from / 64] >> from % 64 & 1);
    }
    int wanted = 0;
    for (size_t w = 0; w < OVL_TOPOLOGY_MASK_WORDS; w++)
        wanted += __builtin_popcountll(t.mask[w]);
    ck_assert_int_eq(units, wanted);
}

/* Nodes whose ranks are dealt in turn, at the size of a large job. */
TEST(ranks_are_on_nodes)
{
    enum { RANKS = 10000, NODES = 79 };
    struct ovl_rank_host *told = calloc(RANKS, sizeof *told);
    for (int r = 0; r < RANKS; r++) {
        told[r].leader = r % NODES;
        snprintf(told[r].name, sizeof told[r].name, "node%03d", r % NODES);
    }
    struct ovl_rank_hosts hosts = ovl_rank_hosts_make(told, RANKS);
    json_t *json = ovl_rank_hosts_json(&hosts);
    ck_assert_int_eq(hosts.nodes, NODES);
    ck_assert_uint_eq(json_array_size(json), RANKS);
    for (int r = 0; r < RANKS; r++)
        if (hosts.node_of[r] != r % NODES || strcmp(hosts.name[r % NODES], told[r].name) != 0 ||
            json_integer_value(json_array_get(json, (size_t)r)) != r % NODES)
            ck_abort_msg("rank %d", r);
    json_decref(json);
    ovl_rank_hosts_free(&hosts);
    free(told);
}

TEST(texts_of_ranks)
{
    static const char texts[] = "{\"name\":\"a\"}\0\0{\"name\":\"b\"}";
    json_t *all = ovl_rank_texts_json(texts, 3), *objects = ovl_rank_objects_json(texts, 3);
    ck_assert_uint_eq(json_array_size(all), 3);
    ck_assert_str_eq(json_string_value(json_array_get(all, 1)), "");
    ck_assert_uint_eq(json_array_size(objects), 2);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(objects, 1), "name")), "b");
    json_decref(all);
    json_decref(objects);
}
