/* Jobs for the bed: who is where, what is posted in which order, all from one seed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "tests/fake/bed.h"

#include <string.h>

static int below(struct ovl_rng *r, int n)
{
    return (int)(ovl_rng_next(r) % (uint64_t)n);
}

static void swap(int *a, int *b)
{
    int c = *a;
    *a = *b;
    *b = c;
}

/* Nodes have a worker or two; a rank's worker is on its node. */
static void place(struct bed_job *job, struct ovl_rng *r)
{
    enum { WORKERS = 4 };
    int most = job->ranks < WORKERS ? job->ranks : WORKERS;
    job->workers = 1 + below(r, most);
    int paired = job->path != BED_REMOTE && below(r, 3) == 0; /* two workers a node */
    for (int i = 0; i < job->ranks; i++) {
        job->worker[i] = i < job->workers ? i : below(r, job->workers);
        job->node[i] = paired ? job->worker[i] / 2 : job->worker[i];
    }
}

/* All ranks in some order, or some of them. */
static void make_team(struct bed_job *job, int t, struct ovl_rng *r)
{
    int *m = job->member[t], n = job->ranks;
    for (int i = 0; i < n; i++)
        m[i] = t == 1 ? n - 1 - i : i;
    for (int i = n - 1; i > 0 && t == 2; i--)
        swap(&m[i], &m[below(r, i + 1)]);
    job->members[t] = t == 2 ? 1 + below(r, n) : n;
}

static void shuffle_teams(struct bed_job *job, int rank, struct ovl_rng *r, int *order)
{
    int left[BED_TEAMS] = {0}, next[BED_TEAMS] = {0}, all = 0, lists[BED_TEAMS][BED_OPS];
    for (int o = 0; o < job->ops; o++) {
        int t = job->team[o];
        for (int m = 0; m < job->members[t]; m++)
            if (job->member[t][m] == rank) {
                lists[t][left[t]++] = o;
                all++;
            }
    }
    int first = below(r, BED_TEAMS), mode = below(r, 3); /* a team after the other, or mixed */
    for (int k = 0; k < all; k++) {
        int t = mode ? first : below(r, BED_TEAMS);
        while (next[t] == left[t])
            t = (t + 1) % BED_TEAMS;
        order[k] = lists[t][next[t]++];
        if (mode == 2 && below(r, 4) == 0)
            first = below(r, BED_TEAMS);
    }
    order[all] = -1;
}

void bed_job_actions(struct bed_job *job, uint64_t seed, bool waits_early)
{
    struct ovl_rng rng = ovl_rng_seeded(seed ^ 0xac7);
    for (int rank = 0; rank < job->ranks; rank++) {
        int order[BED_OPS + 1], n = 0;
        bool posted[BED_OPS] = {false}, waited[BED_OPS] = {false};
        shuffle_teams(job, rank, &rng, order);
        for (int k = 0; order[k] >= 0; k++) {
            int lowest = BED_OPS; /* not posted yet */
            posted[order[k]] = true;
            job->action[rank][n++] = (struct bed_action){false, order[k]};
            for (int j = k + 1; order[j] >= 0; j++)
                lowest = order[j] < lowest ? order[j] : lowest;
            for (int o = 0; o < lowest && o < job->ops && waits_early; o++)
                if (posted[o] && !waited[o] && below(&rng, 3) == 0) {
                    waited[o] = true;
                    job->action[rank][n++] = (struct bed_action){true, o};
                }
        }
        for (int o = job->ops - 1; o >= 0; o--)
            if (posted[o] && !waited[o])
                job->action[rank][n++] = (struct bed_action){true, o};
        job->actions[rank] = n;
    }
}

/* One of the operation's, or what the table chooses. */
static const struct ovl_algorithm *some_algorithm(struct ovl_rng *r, enum ovl_operation operation, int ranks)
{
    const struct ovl_algorithm *works[16] = {NULL};
    int n = 1;
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name && n < 16; a++)
        if (a->operation == operation && ovl_algorithm_works(a, ranks))
            works[n++] = a;
    return works[below(r, n)];
}

void bed_job_of(struct bed_job *job, uint64_t seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed), *r = &rng;
    static const int pools[] = {1, 1, 2, 3, 8};
    int pool = pools[below(r, 5)];
    *job = (struct bed_job){.ranks = 1 + below(r, below(r, 8) == 0 ? BED_RANKS : 6),
                            .path = (enum bed_path)below(r, BED_PATHS),
                            .strict = below(r, 2),
                            .stuck = -1,
                            .teams = BED_TEAMS};
    job->limits = (struct ovl_worker_limits){.fragment = BED_FRAGMENT,
                                             .eager = below(r, 3) ? 64 : 0,
                                             .large = pool,
                                             .small = 1 + below(r, 2),
                                             .requests = pool,
                                             .tags = below(r, 2) ? pool : 4};
    static const int windows[] = {2, 4, 32};
    job->window = windows[below(r, 3)];
    place(job, r);
    for (int t = 0; t < job->teams; t++)
        make_team(job, t, r);
    job->ops = below(r, 10) == 0 ? 64 : 1 + below(r, 10);
    for (int o = 0; o < job->ops; o++) {
        static const int counts[] = {0, 1, 5, 16, 40, 64, 100, 200, 500};
        int t = job->team[o] = below(r, job->teams), n = job->members[t];
        int count = counts[below(r, job->ranks > 8 || job->ops > 20 ? 7 : 9)];
        enum ovl_operation operation = (enum ovl_operation)(OVL_IALLTOALL + below(r, OVL_OPERATIONS - OVL_IALLTOALL));
        job->deal[o] =
            (struct deal){operation, n, below(r, n), (size_t)count, below(r, 3) == 0, some_algorithm(r, operation, n)};
    }
    for (int i = 0; i < job->ranks; i++)
        job->late[i] = below(r, 6) == 0;
    bed_job_actions(job, seed, below(r, 2));
}

void bed_job_begin(struct bed_job *job, int ranks, enum bed_path path, int pool)
{
    *job = (struct bed_job){
        .ranks = ranks, .workers = ranks, .path = path, .stuck = -1, .strict = true, .teams = 1, .window = 32};
    job->limits = (struct ovl_worker_limits){
        .fragment = BED_FRAGMENT, .large = pool, .small = pool, .requests = pool, .tags = pool};
    for (int r = 0; r < ranks; r++) {
        job->worker[r] = job->node[r] = r;
        job->member[0][job->members[0]++] = r;
    }
}

void bed_add_team(struct bed_job *job, int n, const int *members)
{
    int t = job->teams++;
    job->members[t] = n;
    memcpy(job->member[t], members, (size_t)n * sizeof *members);
}

int bed_add_operation(struct bed_job *job, enum ovl_operation operation, int team, size_t count)
{
    job->team[job->ops] = team;
    job->deal[job->ops] = (struct deal){.operation = operation, .ranks = job->members[team], .count = count};
    return job->ops++;
}

void bed_act(struct bed_job *job, int rank, bool wait, int op)
{
    job->action[rank][job->actions[rank]++] = (struct bed_action){wait, op};
}

void bed_opposite_orders(struct bed_job *job, enum bed_path path, int pool, enum ovl_operation operation)
{
    static const int both[] = {1, 0};
    bed_job_begin(job, 2, path, pool);
    bed_add_team(job, 2, both);
    int y = bed_add_operation(job, operation, 1, 100), x = bed_add_operation(job, operation, 0, 100);
    bed_act(job, 0, false, x);
    bed_act(job, 0, false, y);
    bed_act(job, 0, true, y);
    bed_act(job, 0, true, x);
    bed_act(job, 1, false, y);
    bed_act(job, 1, true, y);
    bed_act(job, 1, false, x);
    bed_act(job, 1, true, x);
}
