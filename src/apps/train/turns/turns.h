/* Epochs of several kinds in turns, all timed alike: what is compared stands in the same rounds, and no kind is always
   first. What a kind does beside the steps of training are hooks; what they check lies outside the clock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_TURNS_TURNS_H
#define OVL_APPS_TRAIN_TURNS_TURNS_H

#include "base/error.h"
#include "stats/bootstrap.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>

enum { OVL_TURNS_EPOCHS = 17, OVL_TURNS_VALUES = 8 }; /* at most, of a kind */

struct ovl_turns_kind;

/* Each may be NULL. `of` is that of struct ovl_turns. */
struct ovl_turns_hooks {
    /* Collective, before the clock. -1, the same at all ranks. */
    int (*begin)(void *of, struct ovl_turns_kind *k, struct ovl_error *err);
    /* In the clock: at its start; before and after step i; after the last step, but not of an epoch that was broken
       off. `after` says which step is next: i + 1, or one before, to which the training has gone back; all ranks the
       same. */
    void (*start)(void *of, struct ovl_turns_kind *k);
    void (*before)(void *of, struct ovl_turns_kind *k, uint64_t i);
    uint64_t (*after)(void *of, struct ovl_turns_kind *k, uint64_t i);
    void (*finish)(void *of, struct ovl_turns_kind *k);
    /* Behind the clock, also where the epoch was broken off: what went wrong at this rank, -1. And, where the epoch is
       whole and nothing did: is what it made right? -1 at this rank. */
    int (*end)(void *of, struct ovl_turns_kind *k, struct ovl_error *err);
    int (*check)(void *of, struct ovl_turns_kind *k, struct ovl_error *err);
};

struct ovl_turns_kind {
    const struct ovl_turns_hooks *hooks;
    void *what; /* the hooks' own */
    uint64_t steps;
    double spent[OVL_TURNS_VALUES]; /* of the present epoch at this rank, 0 at its start */
    size_t n;                       /* epochs */
    double seconds[OVL_TURNS_EPOCHS], values[OVL_TURNS_VALUES][OVL_TURNS_EPOCHS]; /* each of the slowest rank */
};

struct ovl_turns {
    MPI_Comm comm;
    void *of;
    void (*step)(void *of);   /* one step of training */
    int (*wrong)(void *of);   /* behind an epoch: how many operations of its steps brought this rank wrong data */
    bool (*failed)(void *of); /* has something gone wrong at this rank? Then epochs are broken off; or NULL */
};

/* Collective: so many steps of one kind, timed, and nothing checked; *seconds of the slowest rank. True: it was broken
   off, by a failure or a signal. */
bool ovl_turns_play(const struct ovl_turns *t, struct ovl_turns_kind *k, uint64_t steps, double *seconds);

/* Collective: `rounds` epochs of each kind. -1, the same at all ranks; 1: a signal has ended them. */
int ovl_turns_play_all(const struct ovl_turns *t, struct ovl_turns_kind *kinds, size_t count, uint64_t rounds,
                       struct ovl_error *err);

/* Takes the first epoch away, in which something begins that the others find. */
void ovl_turns_drop_first(struct ovl_turns_kind *k);

/* Medians over epochs: of the seconds of an epoch, and of a value. */
double ovl_turns_seconds(const struct ovl_turns_kind *k);
double ovl_turns_value(const struct ovl_turns_kind *k, int value);

/* {"value", "ci_low", "ci_high"}: by how much a kind's epochs are shorter than those of another one in the same rounds,
   1 - T / T of `base`; or by how much longer, T / T of `base` - 1; or how much of another kind's excess theirs is, with
   null for all three where that one has none. Limits are null with fewer than 6 epochs. */
json_t *ovl_turns_less(const struct ovl_turns_kind *k, const struct ovl_turns_kind *base, uint64_t seed);
json_t *ovl_turns_more(const struct ovl_turns_kind *k, const struct ovl_turns_kind *base, uint64_t seed);
json_t *ovl_turns_of(const struct ovl_turns_kind *k, const struct ovl_turns_kind *other,
                     const struct ovl_turns_kind *base, uint64_t seed);

/* {"ci_low", "ci_high"} of a value of n rounds, of stats/bootstrap.h; null with fewer than 6. */
json_t *ovl_turns_limits(ovl_bootstrap_value *value, const double *column, const double *other, size_t n,
                         uint64_t seed);

/* The seconds of all epochs, in their order. */
json_t *ovl_turns_list(const struct ovl_turns_kind *k);

#endif
