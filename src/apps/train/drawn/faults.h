/* Failures of a training that goes back to its last checkpoint: when they come, what they cost, and how often to write
   checkpoints. Pure.

   A failure follows a step with probability 1 / mtbf, before the checkpoint that may be due; then all steps since the
   last checkpoint are done again. So steps between failures are geometric with mean mtbf. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_DRAWN_FAULTS_H
#define OVL_APPS_TRAIN_DRAWN_FAULTS_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct ovl_faults {
    struct ovl_rng rng;
    double mtbf;   /* mean steps from one failure to the next, above 1 */
    uint64_t left; /* steps till the next one, at least 1 */
};

/* The seed of the failures of an epoch, from 0; all kinds of epochs fail alike. */
uint64_t ovl_faults_seed(uint64_t seed, uint64_t epoch);
void ovl_faults_start(struct ovl_faults *f, double mtbf, uint64_t seed);
/* A step was played. Is it followed by a failure? Then *victim is one of so many ranks. */
bool ovl_faults_strike(struct ovl_faults *f, uint32_t ranks, uint32_t *victim);

/* What `steps` steps with a checkpoint after each `interval` come to, if each is on disk as soon as it is taken. */
struct ovl_faults_count {
    uint64_t played, failures, checkpoints;
};
struct ovl_faults_count ovl_faults_replay(double mtbf, uint64_t seed, uint32_t ranks, uint64_t steps,
                                          uint64_t interval);

/* Steps that are expected to be played for `interval` in a row without a failure: ((1 - 1/mtbf)^-interval - 1) mtbf. It
   goes to Daly's formula (Future Generation Computer Systems 22, 2006, eq. 13) where a step is short. */
double ovl_faults_played(double mtbf, double interval);
/* The share of the time in which steps are played that stay, with `interval` steps from one checkpoint to the next; a
   checkpoint costs `cost` steps of time, and a restart `restart`. No failure strikes while these last. */
double ovl_faults_goodput(double mtbf, double interval, double cost, double restart);

/* Steps between checkpoints that waste least: sqrt(2 cost mtbf) (Young, CACM 17, 1974), and Daly's (eq. 37). Rounded,
   at least 1. */
uint64_t ovl_faults_young(double mtbf, double cost);
uint64_t ovl_faults_daly(double mtbf, double cost);

#endif
