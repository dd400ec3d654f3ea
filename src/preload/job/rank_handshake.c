/* Rank 0 asks each rank by partitioned messages, which no receive of the program can match, and sends the verdict. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/rank_handshake.h"
#include "base/abi_check.h"
#include "base/clock.h"
#include "preload/job/settings.h"
#include "preload/library/poll.h"
#include "preload/pmpi/pmpi.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks without the library may wait for a message from anybody under any tag, and may send under any. So all that is
   said here is partitioned communication, which no other receive and no probe matches, and which matches no other send
   (MPI 4.0, chapter 4). What a rank never takes stays where it is till the end; what it takes late is sent when the
   sender next calls MPI.

   Rank 0 asks each rank. One that hears it within its patience answers, and then waits for the verdict as long as it
   takes: rank 0 is there, and decides when its own patience is over. So it lets all offload only when all wait for
   that: who has given up has not answered, and who comes late finds the question and the verdict. */
enum { ASK = 32752, ANSWER, VERDICT, NEIGHBOUR };

/* In a message of one size for ever: MPI may take one of another size for an error, before anybody can say that the
   versions differ. The error stands in front of what grows. */
struct verdict {
    int rc;
    struct ovl_error err;
    struct ovl_settings settings;
};
enum { VERDICT_BYTES = 16384 };
_Static_assert(sizeof(struct verdict) <= VERDICT_BYTES, "it must not grow: ranks of other versions get it");

struct answer {
    struct ovl_abi_info info;
    struct ovl_pmpi_seen seen;
};

/* Between rank 0 and another one, at either. */
struct exchange {
    MPI_Request ask, answer, verdict;
    bool asked, came;
    char byte;
    struct answer says;
};

/* Where not all came it stays till the program's end, since MPI may still read or write it. */
static struct {
    struct exchange *with; /* at rank 0 by rank, at others one */
    union {
        struct verdict decision;
        char room[VERDICT_BYTES];
    };
    MPI_Request before, after; /* at others: ranks tell the next one that they have the library */
    char byte[2];
} handshake = {.before = MPI_REQUEST_NULL, .after = MPI_REQUEST_NULL};

static void psend(const void *what, size_t bytes, int to, int tag, MPI_Request *q)
{
    P->Psend_init(what, 1, (MPI_Count)bytes, (H)MPI_BYTE, to, tag, (H)MPI_COMM_WORLD, (H)MPI_INFO_NULL, q);
    P->Start(q);
    P->Pready(0, (H)*q);
}

static void precv(int from, int tag, void *what, size_t bytes, MPI_Request *q)
{
    P->Precv_init(what, 1, (MPI_Count)bytes, (H)MPI_BYTE, from, tag, (H)MPI_COMM_WORLD, (H)MPI_INFO_NULL, q);
    P->Start(q);
}

/* As often as it is asked. */
static bool test(MPI_Request *q)
{
    int ended = 0;
    return P->Test(q, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && ended;
}

/* Of what both sides have begun. */
static void end(MPI_Request *q)
{
    if (*q == MPI_REQUEST_NULL)
        return;
    ovl_poll_wait(q);
    P->Request_free(q);
}

static void end_all(int exchanges)
{
    end(&handshake.before);
    end(&handshake.after);
    for (int i = 0; i < exchanges; i++) {
        end(&handshake.with[i].ask);
        end(&handshake.with[i].answer);
        end(&handshake.with[i].verdict);
    }
    free(handshake.with);
    handshake.with = NULL;
}

static void make_exchanges(int exchanges)
{
    handshake.with = ovl_check_alloc(calloc((size_t)exchanges, sizeof *handshake.with));
    for (int i = 0; i < exchanges; i++)
        handshake.with[i].ask = handshake.with[i].answer = handshake.with[i].verdict = MPI_REQUEST_NULL;
}

/* All come out of MPI_Init at about the same time. */
static int64_t timeout_ns(const struct ovl_settings *s)
{
    return (int64_t)(1e9 / 3 * s->timeout);
}

static void abi_of_rank(struct ovl_abi_info *mine)
{
    char node[64] = "?";
    gethostname(node, sizeof node - 1);
    ovl_abi_info_make(mine, OVL_ABI_VERSION, OVL_VERSION, "", node);
}

static int error_of_missing(int ranks, struct ovl_error *err)
{
    int first = 1, count = 0;
    for (int r = ranks - 1; r > 0; r--)
        if (!handshake.with[r].came) {
            first = r;
            count++;
        }
    return ovl_error_set(
        err, OVL_ENVIRONMENT,
        "%d of %d ranks, rank %d the first, run without libovl_offload.so or with OVL_OFFLOAD=off, or left "
        "MPI_Init %.3g s after rank 0: have it under the same path on all nodes, and LD_PRELOAD passed on to them, or "
        "raise "
        "OVL_OFFLOAD_TIMEOUT",
        count, ranks, first, 1e-9 * (double)timeout_ns(&handshake.decision.settings));
}

/* What one rank's workers do, and another's MPI library, would never end. */
static int check_seen(int ranks, struct ovl_error *err)
{
    struct ovl_pmpi_seen mine;
    ovl_pmpi_look(&mine);
    for (int r = 1; r < ranks; r++) {
        const char *unlike = ovl_pmpi_unlike(&mine, &handshake.with[r].says.seen);
        if (unlike)
            return ovl_error_set(err, OVL_ENVIRONMENT,
                                 "ranks 0 and %d run unlike programs: one has an %s of its own, which calls MPI past "
                                 "libovl_offload.so: link all with it, or none",
                                 r, unlike);
    }
    return 0;
}

/* Returns whether it has answered now. */
static bool poll_answer(int rank)
{
    struct exchange *t = &handshake.with[rank];
    if (!t->asked && test(&t->ask)) {
        t->asked = true;
        precv(rank, ANSWER, &t->says, sizeof t->says, &t->answer);
    }
    if (t->came || !t->asked || !test(&t->answer))
        return false;
    return t->came = true;
}

static int gather(int ranks, int64_t end, struct ovl_error *err)
{
    struct ovl_abi_info *all = ovl_check_alloc(calloc((size_t)ranks, sizeof *all));
    int missing = ranks - 1;
    for (int r = 1; r < ranks; r++)
        psend(&handshake.with[r].byte, 1, r, ASK, &handshake.with[r].ask);
    for (int looks = 0; missing > 0 && ovl_clock_ns() < end; ovl_poll_pause(looks++))
        for (int r = 1; r < ranks; r++)
            missing -= poll_answer(r);
    abi_of_rank(&all[0]);
    for (int r = 1; r < ranks; r++)
        all[r] = handshake.with[r].says.info;
    int rc = missing > 0                                ? error_of_missing(ranks, err)
             : ovl_abi_info_check(all, ranks, err) != 0 ? -1
                                                        : check_seen(ranks, err);
    free(all);
    return rc;
}

/* Of rank 0: the settings are its own. */
static int lead(int ranks)
{
    struct verdict *t = &handshake.decision;
    struct ovl_error wrong = {.code = OVL_OK};
    int settings = ovl_settings_read(&t->settings, &wrong);
    make_exchanges(ranks);
    t->rc = gather(ranks, ovl_clock_ns() + timeout_ns(&t->settings), &t->err);
    if (settings != 0) {
        t->rc = -1;
        t->err = wrong;
    }
    for (int r = 1; r < ranks; r++)
        psend(t, VERDICT_BYTES, r, VERDICT, &handshake.with[r].verdict);
    for (int r = 1; r < ranks; r++)
        if (handshake.with[r].came) /* it waits for that */
            ovl_poll_wait(&handshake.with[r].verdict);
    if (t->rc == 0)
        end_all(ranks);
    return t->rc;
}

/* Of several that heard nothing of rank 0 the first speaks: one that has the library before it does so, too. */
static int heard_nothing(int rank, int64_t ns, struct ovl_error *err)
{
    ovl_error_set(err, OVL_ENVIRONMENT,
                  "rank %d heard nothing of rank 0 for %.3g s, which runs without libovl_offload.so or with "
                  "OVL_OFFLOAD=off, or left MPI_Init so much later: have it under the same path on all nodes, and "
                  "LD_PRELOAD passed on to them, or raise OVL_OFFLOAD_TIMEOUT",
                  rank, 1e-9 * (double)ns);
    return rank > 1 && test(&handshake.before) ? 2 : 1;
}

static int follow(int rank, int ranks)
{
    struct verdict *t = &handshake.decision;
    struct exchange *with;
    ovl_settings_read(&t->settings, &t->err); /* only for how long to wait, and for who is heard_nothing */
    int64_t ns = timeout_ns(&t->settings), until = ovl_clock_ns() + ns;
    make_exchanges(1);
    with = handshake.with;
    precv(0, ASK, &with->byte, 1, &with->ask);
    precv(0, VERDICT, t, VERDICT_BYTES, &with->verdict);
    if (rank > 1)
        precv(rank - 1, NEIGHBOUR, &handshake.byte[0], 1, &handshake.before);
    if (rank + 1 < ranks)
        psend(&handshake.byte[1], 1, rank + 1, NEIGHBOUR, &handshake.after);
    for (int looks = 0; !test(&with->verdict) && !test(&with->ask); ovl_poll_pause(looks++))
        if (ovl_clock_ns() > until)
            return heard_nothing(rank, ns, &t->err);
    if (!test(&with->verdict)) {
        abi_of_rank(&with->says.info);
        ovl_pmpi_look(&with->says.seen);
        psend(&with->says, sizeof with->says, 0, ANSWER, &with->answer);
        ovl_poll_wait(&with->verdict);
    }
    if (t->rc == 0)
        end_all(1);
    return t->rc;
}

/* What a rank that came late has not answered, or was not asked to, never moves. */
static bool at_rest(int exchanges)
{
    int moving = !test(&handshake.before) + !test(&handshake.after);
    for (int i = 0; i < exchanges; i++)
        moving += !test(&handshake.with[i].ask) + !test(&handshake.with[i].verdict);
    return moving == 0;
}

void ovl_rank_handshake_end(void)
{
    int rank, ranks;
    if (!handshake.with)
        return;
    P->Comm_rank((H)MPI_COMM_WORLD, &rank);
    P->Comm_size((H)MPI_COMM_WORLD, &ranks);
    int64_t until = ovl_clock_ns() + timeout_ns(&handshake.decision.settings);
    for (int looks = 0; !at_rest(rank == 0 ? ranks : 1) && ovl_clock_ns() < until;)
        ovl_poll_pause(looks++);
    if (rank > 0 && test(&handshake.with->ask)) /* rank 0 is there */
        ovl_poll_wait(&handshake.with->verdict);
}

int ovl_rank_handshake(struct ovl_settings *settings, struct ovl_error *err)
{
    int rank, ranks;
    P->Comm_rank((H)MPI_COMM_WORLD, &rank);
    P->Comm_size((H)MPI_COMM_WORLD, &ranks);
    int rc = rank == 0 ? lead(ranks) : follow(rank, ranks);
    *settings = handshake.decision.settings;
    *err = handshake.decision.err;
    return rc;
}
