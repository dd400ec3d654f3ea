/* Compressed allreduces on the way. Of a compressor: pieces are compressed, their sizes and they themselves go all to
   all, each rank adds up its piece and compresses that once, and the sums are gathered. By MPI these are four
   operations for each; one follows the other as soon as a test, a post or a wait finds that it has ended. By workers it
   is one operation, which compresses and adds, too: the rank has nothing to do with it till its end. Both have the same
   sums to the last bit. Of halves: one allreduce. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_LOSSY_LOSSY_ALLREDUCE_H
#define OVL_APPS_TRAIN_LOSSY_LOSSY_ALLREDUCE_H

#include "apps/train/lossy/channels.h"
#include "apps/train/lossy/lossy.h"
#include "bench/exchange/mode.h"

enum ovl_lossy_stage {
    OVL_LOSSY_SIZES,
    OVL_LOSSY_PIECES,
    OVL_LOSSY_SUM_SIZES,
    OVL_LOSSY_SUMS,
    OVL_LOSSY_HALVES,
    OVL_LOSSY_CARRIED /* the whole of it by workers */
};
enum { OVL_LOSSY_STAGES = 6, OVL_LOSSY_LISTS = 9 };

/* One allreduce. */
struct ovl_lossy_allreduce {
    const struct ovl_exchange *whole; /* the allreduce: vectors, ranks and communicator */
    enum ovl_lossy_stage stage;
    bool under_way;
    struct ovl_exchange op[OVL_LOSSY_STAGES];
    int *counts, *lists; /* [ranks]: values of the pieces; counts and displacements of the operations */
    int64_t *sizes, *sizes_in, *sum_sizes;  /* [ranks]; of sum_sizes the first is sent and `ranks` come */
    unsigned char *packed, *arrived, *sums; /* pieces behind each other, or halves, in memory that workers reach */
    unsigned char *packed_sum;
    double *scratch;
    float *sum;
};

/* All of a run, and what it measured of this rank: without what workers did. */
struct ovl_lossy_allreduces {
    struct ovl_lossy lossy;
    struct ovl_lossy_allreduce *list; /* by id */
    int count;
    int *under_way, waiting; /* ids, the oldest first */
    struct ovl_lossy_cost cost;
    MPI_Datatype type; /* of halves */
    MPI_Op sum;
};

/* Bytes of an allreduce of n values that workers must reach. */
size_t ovl_lossy_allreduce_bytes(const struct ovl_lossy *l, size_t n, int ranks);

/* Puts operation `id` in place, over memory of so many bytes. Its stages go by `channel`, which no two have at a time;
   where that is MPI_COMM_NULL, as it may be for halves, by the communicator of `whole`. */
void ovl_lossy_allreduce_open(struct ovl_lossy_allreduces *s, int id, const struct ovl_exchange *whole,
                              MPI_Comm channel, void *memory);
void ovl_lossy_allreduce_close(struct ovl_lossy_allreduces *s);

void ovl_lossy_allreduce_post(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode);
/* Looks at all that are under way, and begins what comes next of each. */
void ovl_lossy_allreduces_progress(struct ovl_lossy_allreduces *s, const struct ovl_mode *mode);
bool ovl_lossy_allreduce_test(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode);
void ovl_lossy_allreduce_wait(struct ovl_lossy_allreduces *s, int id, const struct ovl_mode *mode);
/* By blocking calls. */
void ovl_lossy_allreduce_blocking(struct ovl_lossy_allreduces *s, int id);
/* Collective: where workers alone have compressed, each allreduce once by blocking calls, of what is sent now, so that
   `cost` has its ratio and speeds. */
void ovl_lossy_allreduces_measure(struct ovl_lossy_allreduces *s);

#endif
