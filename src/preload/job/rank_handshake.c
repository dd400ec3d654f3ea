/* Rank 0 asks who has the library, and tells all what will be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/rank_handshake.h"
#include "base/abi_check.h"
#include "base/clock.h"
#include "preload/job/settings.h"
#include "preload/library/poll.h"
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

struct told {
    int rc;
    struct ovl_settings settings;
    struct ovl_error err;
};

/* Between rank 0 and another one, at either. */
struct talk {
    MPI_Request ask, answer, verdict;
    bool asked, came;
    char byte;
    struct ovl_abi_info info; /* the answer */
};

/* Where not all came it stays till the program's end, since MPI may still read or write it. */
static struct {
    struct talk *with; /* at rank 0 by rank, at others one */
    struct told told;
    MPI_Request before, after; /* at others: ranks tell the next one that they have the library */
    char byte[2];
} meeting = {.before = MPI_REQUEST_NULL, .after = MPI_REQUEST_NULL};

static void say(const void *what, size_t bytes, int to, int tag, MPI_Request *q)
{
    P->Psend_init(what, 1, (MPI_Count)bytes, (H)MPI_BYTE, to, tag, (H)MPI_COMM_WORLD, (H)MPI_INFO_NULL, q);
    P->Start(q);
    P->Pready(0, (H)*q);
}

static void listen_to(int from, int tag, void *what, size_t bytes, MPI_Request *q)
{
    P->Precv_init(what, 1, (MPI_Count)bytes, (H)MPI_BYTE, from, tag, (H)MPI_COMM_WORLD, (H)MPI_INFO_NULL, q);
    P->Start(q);
}

/* As often as it is asked. */
static bool over(MPI_Request *q)
{
    int ended = 0;
    return P->Test(q, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && ended;
}

/* Of what both sides have begun. */
static void end(MPI_Request *q)
{
    if (*q == MPI_REQUEST_NULL)
        return;
    ovl_calm_wait(q);
    P->Request_free(q);
}

static void end_all(int talks)
{
    end(&meeting.before);
    end(&meeting.after);
    for (int i = 0; i < talks; i++) {
        end(&meeting.with[i].ask);
        end(&meeting.with[i].answer);
        end(&meeting.with[i].verdict);
    }
    free(meeting.with);
    meeting.with = NULL;
}

static void make_talks(int talks)
{
    meeting.with = ovl_check_alloc(calloc((size_t)talks, sizeof *meeting.with));
    for (int i = 0; i < talks; i++)
        meeting.with[i].ask = meeting.with[i].answer = meeting.with[i].verdict = MPI_REQUEST_NULL;
}

/* All come out of MPI_Init at about the same time. */
static int64_t patience_ns(const struct ovl_settings *s)
{
    return (int64_t)(1e9 / 3 * s->timeout);
}

static void show(struct ovl_abi_info *mine)
{
    char node[64] = "?";
    gethostname(node, sizeof node - 1);
    ovl_abi_info_make(mine, OVL_ABI_VERSION, OVL_VERSION, "", node);
}

static int missed(int ranks, struct ovl_error *err)
{
    int first = 1, count = 0;
    for (int r = ranks - 1; r > 0; r--)
        if (!meeting.with[r].came) {
            first = r;
            count++;
        }
    return ovl_error_set(
        err, OVL_ENVIRONMENT,
        "%d of %d ranks, rank %d the first, run without libovl_offload.so, or left MPI_Init %.3g s after "
        "rank 0: have it under the same path on all nodes, and LD_PRELOAD passed on to them, or raise "
        "OVL_OFFLOAD_TIMEOUT",
        count, ranks, first, 1e-9 * (double)patience_ns(&meeting.told.settings));
}

/* Returns whether it has answered now. */
static bool hear(int rank)
{
    struct talk *t = &meeting.with[rank];
    if (!t->asked && over(&t->ask)) {
        t->asked = true;
        listen_to(rank, ANSWER, &t->info, sizeof t->info, &t->answer);
    }
    if (t->came || !t->asked || !over(&t->answer))
        return false;
    return t->came = true;
}

static int gather(int ranks, int64_t end, struct ovl_error *err)
{
    struct ovl_abi_info *all = ovl_check_alloc(calloc((size_t)ranks, sizeof *all));
    int missing = ranks - 1;
    for (int r = 1; r < ranks; r++)
        say(&meeting.with[r].byte, 1, r, ASK, &meeting.with[r].ask);
    for (int looks = 0; missing > 0 && ovl_clock_ns() < end; ovl_calm_pause(looks++))
        for (int r = 1; r < ranks; r++)
            missing -= hear(r);
    show(&all[0]);
    for (int r = 1; r < ranks; r++)
        all[r] = meeting.with[r].info;
    int rc = missing > 0 ? missed(ranks, err) : ovl_abi_info_check(all, ranks, err);
    free(all);
    return rc;
}

/* Of rank 0: the settings are its own. */
static int lead(int ranks)
{
    struct told *t = &meeting.told;
    struct ovl_error wrong = {.code = OVL_OK};
    int settings = ovl_settings_read(&t->settings, &wrong);
    make_talks(ranks);
    t->rc = gather(ranks, ovl_clock_ns() + patience_ns(&t->settings), &t->err);
    if (settings != 0) {
        t->rc = -1;
        t->err = wrong;
    }
    for (int r = 1; r < ranks; r++)
        say(t, sizeof *t, r, VERDICT, &meeting.with[r].verdict);
    for (int r = 1; r < ranks; r++)
        if (meeting.with[r].came) /* it waits for that */
            ovl_calm_wait(&meeting.with[r].verdict);
    if (t->rc == 0)
        end_all(ranks);
    return t->rc;
}

/* Of several that heard nothing of rank 0 the first speaks: one that has the library before it does so, too. */
static int alone(int rank, int64_t ns, struct ovl_error *err)
{
    ovl_error_set(
        err, OVL_ENVIRONMENT,
        "rank %d heard nothing of rank 0 for %.3g s, which runs without libovl_offload.so, or left MPI_Init so "
        "much later: have it under the same path on all nodes, and LD_PRELOAD passed on to them, or raise "
        "OVL_OFFLOAD_TIMEOUT",
        rank, 1e-9 * (double)ns);
    return rank > 1 && over(&meeting.before) ? 2 : 1;
}

static int follow(int rank, int ranks)
{
    struct told *t = &meeting.told;
    struct talk *with;
    ovl_settings_read(&t->settings, &t->err); /* only for how long to wait, and for who is alone */
    int64_t ns = patience_ns(&t->settings), until = ovl_clock_ns() + ns;
    make_talks(1);
    with = meeting.with;
    listen_to(0, ASK, &with->byte, 1, &with->ask);
    listen_to(0, VERDICT, t, sizeof *t, &with->verdict);
    if (rank > 1)
        listen_to(rank - 1, NEIGHBOUR, &meeting.byte[0], 1, &meeting.before);
    if (rank + 1 < ranks)
        say(&meeting.byte[1], 1, rank + 1, NEIGHBOUR, &meeting.after);
    for (int looks = 0; !over(&with->verdict) && !over(&with->ask); ovl_calm_pause(looks++))
        if (ovl_clock_ns() > until)
            return alone(rank, ns, &t->err);
    if (!over(&with->verdict)) {
        show(&with->info);
        say(&with->info, sizeof with->info, 0, ANSWER, &with->answer);
        ovl_calm_wait(&with->verdict);
    }
    if (t->rc == 0)
        end_all(1);
    return t->rc;
}

int ovl_meet(struct ovl_settings *settings, struct ovl_error *err)
{
    int rank, ranks;
    P->Comm_rank((H)MPI_COMM_WORLD, &rank);
    P->Comm_size((H)MPI_COMM_WORLD, &ranks);
    int rc = rank == 0 ? lead(ranks) : follow(rank, ranks);
    *settings = meeting.told.settings;
    *err = meeting.told.err;
    return rc;
}
