/* Helpers: processes of their own beside a rank, which do what need not stand between its steps. They are forked before
   MPI begins, share memory with their rank, and end with it. The worker of dpu mode is none of them: it never computes.
   No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_HELPER_H
#define OVL_APPS_TRAIN_EPOCHS_HELPER_H

#include "apps/train/epochs/checkpoint.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* What a helper is asked for. */
struct ovl_helper_ask {
    char folder[OVL_CHECKPOINT_FOLDER];
    struct ovl_checkpoint checkpoint; /* its data are at the start of the shared memory */
};

struct ovl_helper_answer {
    int rc;
    struct ovl_error err;
    int64_t begin; /* by the clock of base/clock.h, in ns */
    double seconds;
};

struct ovl_helper {
    pid_t process; /* 0: there is none */
    void *shared;
    size_t bytes;
    struct ovl_helper_desk {              /* what has no _Atomic is written before the counter that announces it */
        _Atomic uint32_t asked, answered; /* requests */
        _Atomic uint32_t forgiven;        /* the request that a helper was killed in */
        _Atomic pid_t process;            /* of a helper that can be killed, the one that works at present */
        struct ovl_helper_ask ask;
        struct ovl_helper_answer answer;
    } * desk; /* in shared memory, of a helper that writes checkpoints; NULL */
};

/* Memory that helpers which are started later share with their rank; NULL with OVL_ENVIRONMENT. */
void *ovl_helper_memory(size_t bytes, struct ovl_error *err);

/* What a helper does, in its own process, until the rank ends it, or has ended. */
typedef void ovl_helper_work(const struct ovl_helper *h, void *of);

/* Starts a helper that does some work; `h` is empty but for its memory, if it has any of its own. -1 with
   OVL_ENVIRONMENT. */
int ovl_helper_fork(struct ovl_helper *h, ovl_helper_work *work, void *of, struct ovl_error *err);
bool ovl_helper_lives(const struct ovl_helper *h);

/* Starts a helper that writes checkpoints and shares so many bytes; `mortal`: another process stands behind it, which
   starts it again when it is killed. -1 with OVL_ENVIRONMENT. */
int ovl_helper_start(struct ovl_helper *h, size_t bytes, bool mortal, struct ovl_error *err);
/* Kills a mortal helper in the midst of what it does, which is lost, and waits until another one stands in its place.
   -1 with OVL_ENVIRONMENT, where none comes within ten seconds. */
int ovl_helper_kill(struct ovl_helper *h, int rank, struct ovl_error *err);
/* Ends it. */
void ovl_helper_end(struct ovl_helper *h);

/* Asks it; later, once, waits for the answer. -1 with OVL_ENVIRONMENT, which names the helper, where it has ended or
   does not answer for ten minutes; `rank` is what it is called by. */
int ovl_helper_ask(struct ovl_helper *h, int rank, const struct ovl_helper_ask *ask, struct ovl_error *err);
bool ovl_helper_has_answered(const struct ovl_helper *h);
int ovl_helper_answer(struct ovl_helper *h, int rank, struct ovl_helper_answer *answer, struct ovl_error *err);

#endif
