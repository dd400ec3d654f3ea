/* Who serves whom: layouts of ranks and workers, from what each process says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/abi_check.h"
#include "base/input_file.h"
#include "machine/machine.h"
#include "offload/boot/job_map.h"
#include "tests/fake/large_job.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ovl_cpu_quota quota = {.cpus = INFINITY};

/* A job from a text: a control message per process, its node; capital where it was started as ovl_worker. */
static int make_mapped(struct ovl_job_map *r, const char *text, int workers, enum ovl_map map,
                       const struct ovl_dpu_map *dpus)
{
    struct ovl_proc_info hellos[32] = {0};
    int n = (int)strlen(text);
    for (int p = 0; p < n; p++) {
        bool capital = text[p] >= 'A' && text[p] <= 'Z';
        char node = capital ? (char)(text[p] - 'A' + 'a') : text[p];
        hellos[p].worker_program = capital;
        hellos[p].workers = capital ? 0 : workers;
        hellos[p].node = (int)(strpbrk(text, (char[]){node, (char)(node - 'a' + 'A'), '\0'}) - text);
        hellos[p].machine = node == 'z' ? 2 : 1;
        hellos[p].cpus[0] = 0xf;
        hellos[p].quota = quota;
        snprintf(hellos[p].node_name, sizeof hellos[p].node_name, "%c", node);
    }
    return ovl_job_map_make(r, hellos, n, map, dpus, &err);
}

static int make(struct ovl_job_map *r, const char *text, int workers, enum ovl_map map)
{
    return make_mapped(r, text, workers, map, NULL);
}

static const struct {
    const char *job;
    int workers;
    enum ovl_map map;
    const char *servers; /* of each process: the world rank of its worker, in hexadecimal; '-': it is one */
} layouts[] = {
    {"aaaa", 1, OVL_MAP_CYCLIC, "333-"},
    {"aabb", 1, OVL_MAP_CYCLIC, "1-3-"},
    {"abab", 1, OVL_MAP_CYCLIC, "23--"},   /* ranks in turn over the nodes */
    {"aaabb", 1, OVL_MAP_CYCLIC, "22-4-"}, /* uneven nodes */
    {"aaaaaa", 2, OVL_MAP_CYCLIC, "4545--"},
    {"aaaaaa", 2, OVL_MAP_BLOCK, "4455--"},
    {"aaaaaaa", 2, OVL_MAP_BLOCK, "55566--"},
    {"aaAaaA", 1, OVL_MAP_CYCLIC, "25-25-"}, /* programs of their own, whatever --workers says */
    {"Aaa", 1, OVL_MAP_CYCLIC, "-00"},
    {"aabbCD", 1, OVL_MAP_CYCLIC, "4455--"}, /* nodes of workers only: the first serves the first */
    {"aabbDCDC", 1, OVL_MAP_CYCLIC, "4657----"},
    {"aabAcC", 1, OVL_MAP_CYCLIC, NULL}, /* b has nobody */
    {"ab", 1, OVL_MAP_CYCLIC, NULL},     /* no rank left */
    {"aab", 2, OVL_MAP_CYCLIC, NULL},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

LOOP_TEST(who_serves_whom, 0, LAYOUTS)
{
    struct ovl_job_map r;
    int rc = make(&r, layouts[_i].job, layouts[_i].workers, layouts[_i].map), processes = 0;
    if (!layouts[_i].servers) {
        ck_assert_int_eq(rc, -1);
        ck_assert_ptr_nonnull(strstr(err.text, "node "));
        ovl_job_map_free(&r);
        return;
    }
    ck_assert_msg(rc == 0, "%s", err.text);
    for (const char *s = layouts[_i].servers; *s; s++, processes++) {
        const struct ovl_job_proc *m = &r.member[processes];
        ck_assert_int_eq(m->worker, *s == '-');
        ck_assert_int_eq(m->worker ? r.worker_at[m->number] : r.rank_at[m->number], processes);
        if (!m->worker) {
            ck_assert_int_eq(r.worker_at[m->worker_number], *s - '0');
            ck_assert_int_eq(r.worker_node[m->worker_number], m->node);
        }
        ck_assert_int_eq(m->oversubscribed, r.processes > 4);
        ck_assert_int_eq(m->workers_here, r.workers);
    }
    ck_assert_int_eq(processes, r.processes);
    ck_assert_int_eq(r.ranks + r.workers, r.processes);
    ovl_job_map_free(&r);
}

/* Four processors and four processes; a quota may still be too small, and another machine has its own. */
TEST(a_quota_is_shared)
{
    struct ovl_job_map r;
    quota = (struct ovl_cpu_quota){4, 9};
    ck_assert_int_eq(make(&r, "aaab", 0, OVL_MAP_CYCLIC), 0);
    ck_assert(!r.oversubscribed);
    ovl_job_map_free(&r);
    quota.cpus = 2.5;
    ck_assert_int_eq(make(&r, "aaabz", 0, OVL_MAP_CYCLIC), 0);
    ck_assert(r.oversubscribed && r.member[0].oversubscribed && r.member[3].oversubscribed);
    ck_assert(!r.member[4].oversubscribed);
    ovl_job_map_free(&r);
}

TEST(far_workers)
{
    struct ovl_job_map r;
    ck_assert_int_eq(make(&r, "aaZ", 1, OVL_MAP_CYCLIC), 0);
    ck_assert(r.remote && r.member[0].remote && r.member[2].remote);
    ck_assert_int_eq(r.member[1].worker_number, 0);
    ovl_job_map_free(&r);
    ck_assert_int_eq(make(&r, "aabB", 1, OVL_MAP_CYCLIC), -1); /* a has nobody: b's workers have ranks there */
    ovl_job_map_free(&r);
    ck_assert_int_eq(make(&r, "aA", 1, OVL_MAP_CYCLIC), 0);
    ck_assert(!r.remote && !r.member[0].remote);
    ovl_job_map_free(&r);
}

/* Nodes by a dpu-map, whatever the order of processes says. */
static const struct {
    const char *job, *map, *servers, *devices; /* device of each process, by its last character; '.': none */
    const char *error;
} mapped[] = {
    {"aabbCD", "a d rxe0 rxe1\nb c rxe2 rxe3\n", "5544--", "002231", NULL},
    {"aaCD", "a c rxe0 rxe1\na d rxe2 rxe3 # two of one host\n", "23--", "0213", NULL},
    {"aaaaDD", "a.example.org d.example.org - mlx5_1:2 3", "4545--", "....11", NULL},
    {"aA", "a a rxe0 rxe1", "1-", "01", NULL}, /* its own workers, by adapters that are named */
    {"aabbCD", "a d rxe0 rxe1", NULL, NULL, "node b has no worker: the dpu-map does not name it"},
    {"aaC", "a d rxe0 rxe1", NULL, NULL, "none was started on its DPU d"},
    {"aabbC", "a c rxe0 rxe1\nb c rxe0 rxe1", NULL, NULL, "serve two nodes, a and b"},
};

enum { MAPPED = sizeof mapped / sizeof *mapped };

LOOP_TEST(who_serves_whom_by_map, 0, MAPPED)
{
    struct ovl_job_map r;
    struct ovl_dpu_map map;
    ck_assert_int_eq(ovl_dpu_map_parse(&map, "m", mapped[_i].map, &err), 0);
    int rc = make_mapped(&r, mapped[_i].job, 1, OVL_MAP_CYCLIC, &map);
    ck_assert_msg((rc == 0) == !mapped[_i].error, "%s", err.text);
    if (mapped[_i].error)
        ck_assert_msg(strstr(err.text, mapped[_i].error), "%s", err.text);
    for (int p = 0; rc == 0 && p < r.processes; p++) {
        const struct ovl_job_proc *m = &r.member[p];
        char device = mapped[_i].devices[p];
        if (!m->worker)
            ck_assert_int_eq(r.worker_at[m->worker_number], mapped[_i].servers[p] - '0');
        ck_assert_int_eq(device == '.' ? '\0' : device,
                         *m->port_request.device ? m->port_request.device[strlen(m->port_request.device) - 1] : '\0');
    }
    ovl_job_map_free(&r);
    free(map.row);
}

static const char *const bad_maps[] = {
    "a b",         "a b c d e",  "a b c d 1 2",        "a b :1 d",           "a b c:0 d",
    "a b c:256 d", "a b c:1x d", "a b c:4294967297 d", "a b c d 4294967297", "a b c d 99999999999999999999",
    "# nothing",   "a b c d -1"};

LOOP_TEST(a_bad_map_is_named_by_line, 0, sizeof bad_maps / sizeof *bad_maps)
{
    struct ovl_dpu_map map;
    ck_assert_int_eq(ovl_dpu_map_parse(&map, "m", bad_maps[_i], &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_msg(strncmp(err.text, "m:1: ", 5) == 0 || strstr(err.text, "names no DPU"), "%s", err.text);
    free(map.row);
    ck_assert_int_eq(ovl_dpu_map_read(&map, "/no/such/map", &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
}

TEST(a_map_is_kept_for_the_record)
{
    static const char text[] = "a b c:1 d\n";
    char path[] = "map-XXXXXX";
    struct ovl_dpu_map map;
    const char *option = NULL, *kept = NULL;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int rc = ovl_dpu_map_read(&map, path, &err);
    unlink(path);
    ck_assert_int_eq(rc, 0);
    free(map.row);
    for (size_t i = 0; (kept = ovl_input_kept(i, &option)) && strcmp(option, "dpu-map") != 0; i++)
        ;
    ck_assert_ptr_nonnull(kept);
    ck_assert_str_eq(kept, text);
}

static const struct ovl_port ports[] = {
    {"rxe0", 1, false, 10}, {"rxe1", 1, true, 21}, {"rxe1", 2, true, 21}, {"rxe2", 1, true, 10}, {"rxe3", 1, true, 10}};

static const struct {
    const char *port_request;
    int taken; /* -1: */
    const char *error;
} wishes[] = {
    {"", 3, NULL},
    {"rxe1", 1, NULL},
    {"rxe1:2", 2, NULL},
    {"rxe0", -1, "no port of rxe0 on node n is up"},
    {"rxe9", -1, "no adapter rxe9 on node n; there: rxe0, rxe1, rxe2, rxe3"},
    {"rxe2:3", -1, "no adapter rxe2 with that port"},
};

enum { WISHES = sizeof wishes / sizeof *wishes };

LOOP_TEST(which_port, 0, WISHES)
{
    struct ovl_port_request port_request = {.gid = -1};
    if (*wishes[_i].port_request)
        ck_assert_int_eq(
            ovl_port_request_parse(&port_request, wishes[_i].port_request, strlen(wishes[_i].port_request)), 0);
    ck_assert_int_eq(ovl_port_choose(ports, 5, &port_request, "n", &err), wishes[_i].taken);
    if (wishes[_i].error)
        ck_assert_msg(strstr(err.text, wishes[_i].error) && err.code == OVL_ENVIRONMENT, "%s", err.text);
    ck_assert_int_eq(ovl_port_choose(ports, 0, &port_request, "n", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "no RDMA adapter on node n"));
}

TEST(which_gid)
{
    static const uint8_t none[16], v4[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1},
                                   v6[16] = {0x20, 1, [15] = 1}, local[16] = {0xfe, 0x80, [15] = 1};
    ck_assert_int_eq(ovl_gid_worth(none, OVL_GID_ROCE_2), 0);
    ck_assert_int_gt(ovl_gid_worth(v4, OVL_GID_ROCE_2), ovl_gid_worth(v6, OVL_GID_ROCE_2));
    ck_assert_int_gt(ovl_gid_worth(v6, OVL_GID_ROCE_2), ovl_gid_worth(local, OVL_GID_ROCE_2));
    ck_assert_int_gt(ovl_gid_worth(local, OVL_GID_ROCE_2), ovl_gid_worth(v4, OVL_GID_ROCE_1));
    ck_assert_int_gt(ovl_gid_worth(v4, OVL_GID_ROCE_1), 0);
}

/* 5,000 hosts and as many DPUs, in their order and by a map that turns it round: not by looking at each for each. */
LOOP_TEST(thousands_of_nodes, 0, 2)
{
    struct large_job job = large_job_make(5000, 2);
    struct ovl_job_map r;
    ck_assert_int_eq(ovl_job_map_make(&r, job.process, job.processes, OVL_MAP_CYCLIC, _i ? &job.dpus : NULL, &err), 0);
    ck_assert_int_eq(r.nodes, 10000);
    ck_assert_int_eq(r.workers, 5000);
    for (int p = 0; p < 10000; p++)
        ck_assert_int_eq(r.member[p].worker_number, _i ? 4999 - p / 2 : p / 2);
    ck_assert(!r.oversubscribed);
    ovl_job_map_free(&r);
    large_job_free(&job);
}

/* What each process of a machine says of itself: r, a rank, or w, a worker, of x86_64, R or W of aarch64; an emulator's
   has a ' behind it, where the kernel tells. Then the emulated workers, as a mask, and whether some rank is. */
static const struct {
    const char *job;
    unsigned emulated;
    bool ranks;
} mixed[] = {{"rrww", 0, false},  {"RRWW", 0, false},  {"rrW'", 1, false}, {"rrW'w", 1, false},
             {"rrwW'", 2, false}, {"rrW", 1, true},    {"rrwW", 3, true},  {"R'w", 0, true},
             {"rR'", 0, true},    {"r'r'w'", 1, true}, {"RR", 0, false}};
enum { MIXED = sizeof mixed / sizeof *mixed };

LOOP_TEST(which_workers_are_emulated, 0, MIXED)
{
    struct ovl_proc_info hellos[8] = {0};
    struct ovl_job_map r;
    int n = 0;
    for (const char *c = mixed[_i].job; *c; c++) {
        struct ovl_proc_info *h = &hellos[n++];
        bool arm = *c == 'R' || *c == 'W';
        *h = (struct ovl_proc_info){
            .worker_program = *c == 'w' || *c == 'W', .machine = 1, .quota = quota, .emulated = c[1] == '\''};
        snprintf(h->architecture, sizeof h->architecture, "%s", arm ? "aarch64" : "x86_64");
        c += h->emulated;
    }
    ck_assert_int_eq(ovl_job_map_make(&r, hellos, n, OVL_MAP_CYCLIC, NULL, &err), 0);
    ck_assert_msg(r.emulated_ranks == mixed[_i].ranks, "%s", mixed[_i].job);
    for (int w = 0; w < r.workers; w++) {
        const struct ovl_job_proc *m = &r.member[r.worker_at[w]];
        ck_assert_msg(m->emulated == (mixed[_i].emulated >> w & 1), "%s, worker %d", mixed[_i].job, w);
        ck_assert_str_eq(m->architecture, hellos[r.worker_at[w]].architecture);
    }
    ovl_job_map_free(&r);
}

/* What virtual machines of clouds say of themselves is none of it. */
TEST(which_machine_is_translated)
{
    static const struct {
        const char *hypervisor, *implementer, *part;
        bool is;
    } rows[] = {{"TCGTCGTCGTCG", "", "", true},  {"KVMKVMKVM", "", "", false},    {"", "", "", false},
                {"Microsoft Hv", "", "", false}, {"XenVMMXenVMM", "", "", false}, {"VMwareVMware", "", "", false},
                {"", "0x00", "0x051", true},     {"", "0x41", "0xd4f", false},    {"", "0x41", "0x051", false},
                {"", "0x00", "0x000", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(ovl_machine_translated(rows[i].hypervisor, rows[i].implementer, rows[i].part) == rows[i].is,
                      "row %zu", i);
}

TEST(who_emulates)
{
    struct ovl_machine here;
    ovl_machine_identify(&here);
    /* Where the suites themselves are run by an emulator, this is told of them. */
    ck_assert(*here.architecture && here.emulated == (getenv("OVL_EMULATED") != NULL));
    ck_assert(ovl_machine_emulates("aarch64", "x86_64"));
    ck_assert(ovl_machine_emulates("x86_64", "aarch64"));
    ck_assert(ovl_machine_emulates("i686", "aarch64"));
    ck_assert(!ovl_machine_emulates("aarch64", "aarch64"));
    ck_assert(!ovl_machine_emulates("aarch64", "")); /* a kernel that does not tell */
    ck_assert(!ovl_machine_emulates("", "x86_64"));
    ck_assert(!ovl_machine_emulates("i686", "x86_64"));
    ck_assert(!ovl_machine_emulates("arm", "aarch64"));
    ck_assert(!ovl_machine_emulates("i686", "i586"));
    ck_assert(!ovl_machine_emulates("ppc", "ppc64"));
    ck_assert(!ovl_machine_emulates("riscv32", "riscv64"));
    ck_assert(ovl_machine_emulates("riscv64", "riscv32"));
    ck_assert(ovl_machine_emulates("ppc64le", "x86_64"));
    ck_assert(!ovl_machine_emulates("arm", "armv7l"));
}

TEST(no_workers)
{
    struct ovl_job_map r;
    ck_assert_int_eq(make(&r, "aabb", 0, OVL_MAP_CYCLIC), 0);
    ck_assert_int_eq(r.workers, 0);
    ck_assert_int_eq(r.ranks, 4);
    ck_assert_int_eq(r.nodes, 2);
    ovl_job_map_free(&r);
}

TEST(who_fits_together)
{
    struct ovl_abi_info p[3];
    for (int i = 0; i < 3; i++)
        ovl_abi_info_make(&p[i], 1, "0.1.0",
                          i ? "MPICH Version:\t4.0.2\nbuilt there" : "MPICH Version: 4.0.2, built here", "n");
    ck_assert_int_eq(ovl_abi_info_check(p, 3, &err), 0);
    ovl_abi_info_make(&p[2], 2, "0.1.0", "MPICH Version: 4.0.2", "dpu");
    ck_assert_int_eq(ovl_abi_info_check(p, 3, &err), -1);
    ck_assert_str_eq(err.text, "process 2 on node dpu is of ovl 0.1.0 (wire format 2) and process 0 on node n of ovl "
                               "0.1.0 (wire format 1): build both from one version");
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ovl_abi_info_make(&p[2], 0x01000000, "0.1.0", "MPICH Version: 4.0.2", "dpu");
    ck_assert_int_eq(ovl_abi_info_check(p, 3, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "process 2 on node dpu has its bytes in another order"));
    ovl_abi_info_make(&p[2], 1, "0.1.0", "MPICH Version: 4.1", "dpu");
    ck_assert_int_eq(ovl_abi_info_check(p, 3, &err), -1);
    ck_assert_msg(strstr(err.text, "runs with \"MPICH Version: 4.1\""), "%s", err.text);
}
