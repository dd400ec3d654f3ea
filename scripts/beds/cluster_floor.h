/* What the two files of cluster_floor share: the memory of all processes, and how they wait for each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SCRIPTS_CLUSTER_FLOOR_H
#define OVL_SCRIPTS_CLUSTER_FLOOR_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOOR_MOST_NODES = 100 };
enum floor_kind { FLOOR_COMM, FLOOR_WORK, FLOOR_TOTAL, FLOOR_KINDS };

/* A node's mailbox between its compute process and its helper. */
struct floor_box {
    _Alignas(64) _Atomic uint32_t posted;
    _Alignas(64) _Atomic uint32_t done;
};

/* What all processes share: made before the first fork. */
struct floor_shared {
    _Alignas(64) _Atomic uint32_t round; /* goes up when a sample is ordered */
    _Atomic uint32_t answered;           /* nodes that have finished it */
    _Atomic uint32_t ready;              /* helpers that are connected */
    enum floor_kind kind;
    int64_t start;
    uint64_t units;
    size_t bytes;
    double seconds[FLOOR_MOST_NODES]; /* of the last sample, or the node's rate */
    double cpu[FLOOR_MOST_NODES];     /* CPU time of the compute process in it */
    struct floor_box box[FLOOR_MOST_NODES];
};

extern struct floor_shared *floor_all;
extern int floor_nodes;

/* Forks the processes of all nodes, for exchanges of at most `most` bytes, and returns when they are connected and
   calibrated. From then on a process that dies ends this program. */
void floor_start(size_t most);

/* Says what failed, and errno; exits. */
_Noreturn void floor_die(const char *what);

void floor_wake(_Atomic uint32_t *word);

/* Sleeps until the word is no longer `old`; returns what it is then. */
uint32_t floor_sleep_on(_Atomic uint32_t *word, uint32_t old);

/* Sleeps until `count` says that all nodes are there. */
void floor_gather(_Atomic uint32_t *count);

void floor_sleep_until(int64_t when);

#endif
