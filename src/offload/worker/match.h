/* Where the two halves of a message find each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_WORKER_MATCH_H
#define OVL_OFFLOAD_WORKER_MATCH_H

#include "offload/worker/worker.h"

struct ovl_p2p_req;

/* Entry of a match table: a begun request that waits for the peer, or a control message that came before its request
   was begun. */
struct ovl_match_entry {
    struct ovl_match_entry *next;
    struct ovl_key key;
    struct ovl_p2p_req *req; /* NULL: it is the first member of a struct ovl_early */
};

struct ovl_early {
    struct ovl_match_entry entry;
    struct ovl_ctrl_msg msg;
    char payload[]; /* of an eager message */
};

enum { OVL_MATCH_BUCKETS = 256 };

struct ovl_match_table {
    struct ovl_match_entry *small[OVL_MATCH_BUCKETS];
    struct ovl_match_entry **bucket; /* NULL: `small` */
    size_t buckets, entries;         /* it grows */
    size_t early, most_early;        /* control messages in it; ever */
    size_t unanswered;               /* posted requests in the table to which the peer has not replied */
};

/* The other half's entry, taken out of the table, or NULL; `find` leaves it there. */
struct ovl_match_entry *ovl_match_remove(struct ovl_match_table *t, const struct ovl_key *key);
struct ovl_match_entry *ovl_match_find(const struct ovl_match_table *t, const struct ovl_key *key);
void ovl_match_insert(struct ovl_match_table *t, struct ovl_match_entry *e);
void ovl_match_free(struct ovl_match_table *t);

#endif
