/* Each rank shows itself to rank 0, which tells those that came what will be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/meet.h"
#include "base/abi_check.h"
#include "base/clock.h"
#include "preload/calm.h"
#include "preload/settings.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 32752 };

/* All have come out of MPI_Init at about the same time. */
static int64_t patience_ns(const struct ovl_settings *s, int times)
{
    return (int64_t)(1e9 / 3 * s->timeout * times);
}

struct shown {
    int rank;
    struct ovl_abi_info info;
};

struct told {
    int rc;
    struct ovl_settings settings;
    struct ovl_error err;
};

static void show(struct shown *s, int rank)
{
    char node[64] = "?";
    gethostname(node, sizeof node - 1);
    memset(s, 0, sizeof *s);
    s->rank = rank;
    ovl_abi_info_make(&s->info, OVL_ABI_VERSION, OVL_VERSION, "", node);
}

/* True when it has come within the time. */
static bool take(void *to, size_t bytes, int from, int64_t end)
{
    MPI_Request q;
    int here = 0;
    P->Irecv(to, (int)bytes, (H)MPI_BYTE, from, TAG, (H)MPI_COMM_WORLD, &q);
    for (int looks = 0; P->Test(&q, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS && !here && ovl_clock_ns() < end; looks++)
        ovl_calm_pause(looks);
    if (!here) { /* it may come all the same before it is cancelled */
        MPI_Status status;
        int cancelled = 1;
        P->Cancel(&q);
        if (P->Wait(&q, &status) == MPI_SUCCESS)
            P->Test_cancelled(&status, &cancelled);
        here = !cancelled;
    }
    return here;
}

static int missed(const bool *came, int ranks, struct ovl_error *err)
{
    int first = 1, count = 0;
    for (int r = ranks - 1; r > 0; r--)
        if (!came[r]) {
            first = r;
            count++;
        }
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "%d of %d ranks, rank %d the first, run without libovl_offload.so: have it under the same "
                         "path on all nodes, and LD_PRELOAD passed on to them",
                         count, ranks, first);
}

static int gather(int ranks, int64_t end, bool *came, struct ovl_error *err)
{
    struct ovl_abi_info *all = ovl_check_alloc(calloc((size_t)ranks, sizeof *all));
    struct shown s;
    int missing = ranks - 1;
    show(&s, 0);
    all[0] = s.info;
    while (missing > 0 && take(&s, sizeof s, MPI_ANY_SOURCE, end)) {
        if (s.rank <= 0 || s.rank >= ranks ||
            came[s.rank]) /* a message of the program's, from where there is no library */
            continue;
        all[s.rank] = s.info;
        came[s.rank] = true;
        missing--;
    }
    int rc = missing > 0 ? missed(came, ranks, err) : ovl_abi_info_check(all, ranks, err);
    free(all);
    return rc;
}

/* Of rank 0: the settings are its own. */
static struct told lead(int ranks)
{
    struct told t = {.rc = 0};
    bool *came = ovl_check_alloc(calloc((size_t)ranks, sizeof *came));
    struct ovl_error wrong = {.code = OVL_OK};
    int settings = ovl_settings_read(&t.settings, &wrong);
    t.rc = gather(ranks, ovl_clock_ns() + patience_ns(&t.settings, 1), came, &t.err);
    if (settings != 0) {
        t.rc = -1;
        t.err = wrong;
    }
    for (int r = 1; r < ranks; r++)
        if (came[r])
            P->Send(&t, sizeof t, (H)MPI_BYTE, r, TAG, (H)MPI_COMM_WORLD);
    free(came);
    return t;
}

static _Noreturn void alone(int rank, int64_t ns)
{
    struct ovl_error err;
    ovl_error_set(
        &err, OVL_ENVIRONMENT,
        "rank %d heard nothing of rank 0 for %.0f s: rank 0 runs without libovl_offload.so; have it under the "
        "same path on all nodes, and LD_PRELOAD passed on to them",
        rank, 1e-9 * (double)ns);
    ovl_library_die(&err);
}

int ovl_meet(struct ovl_settings *settings, struct ovl_error *err)
{
    int rank, ranks;
    struct told t;
    struct shown s;
    P->Comm_rank((H)MPI_COMM_WORLD, &rank);
    P->Comm_size((H)MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        t = lead(ranks);
    else {
        int64_t ns;
        ovl_settings_read(&t.settings, &t.err); /* only for how long to wait: rank 0 will say */
        ns = patience_ns(&t.settings, 2);
        show(&s, rank);
        P->Send(&s, sizeof s, (H)MPI_BYTE, 0, TAG, (H)MPI_COMM_WORLD);
        if (!take(&t, sizeof t, 0, ovl_clock_ns() + ns))
            alone(rank, ns);
    }
    *settings = t.settings;
    *err = t.err;
    return t.rc;
}
