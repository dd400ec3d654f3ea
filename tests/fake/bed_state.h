/* The bed's inside: its ranks, workers and net. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_BED_STATE_H
#define OVL_TESTS_FAKE_BED_STATE_H

#include "offload/client/client_wait.h"
#include "tests/fake/bed_net.h"

struct bed_rank {
    struct ovl_cmdq *cmdq, *other_cmdq[BED_WORKERS]; /* of other workers of its node */
    struct ovl_worker_conn conn;
    struct ovl_region region;
    struct ovl_client_ctx ctx;
    struct ovl_team team[BED_TEAMS];
    bool in_team[BED_TEAMS];
    struct ovl_request request[BED_OPS];
    char *send[BED_OPS], *recv[BED_OPS];
    int *lists[BED_OPS];
    int next; /* action */
};

struct bed {
    const struct bed_job *job;
    struct bed_net net;
    struct ovl_transport transport[BED_WORKERS];
    struct ovl_worker_status status[BED_WORKERS];
    struct ovl_worker *worker[BED_WORKERS];
    struct ovl_rank_info peers[BED_RANKS];
    struct bed_rank rank[BED_RANKS];
    int socket[2]; /* tells workers the process of their ranks */
    struct bed_result *result;
};

/* A result that is fine so far; bed_close completes it. */
void bed_open(struct bed *b, const struct bed_job *job, struct bed_result *result, uint64_t seed);
void bed_close(struct bed *b);
/* The rank's next action, or a worker's turn. False: nothing moved. */
bool bed_step_rank(struct bed *b, int rank);
bool bed_step_worker(struct bed *b, int worker);
/* bed_rules.c: workers break these rules from now on. */
void bed_break_rules(unsigned rules);
/* Who has not finished? That is a hang, where nothing else is wrong. */
void bed_look_who_finished(struct bed *b);

#endif
