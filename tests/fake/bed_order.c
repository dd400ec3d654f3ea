/* In which order the bed's ranks and workers step, and what lies between them arrives. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/bed_state.h"

#include <stdlib.h>

/* Everything arrives, and everybody steps. False: nobody could. */
static bool sweep(struct bed *b, bool late_too)
{
    bool any = false;
    b->net.all = true;
    b->net.moved = 0;
    for (int w = 0; w < b->job->workers; w++)
        any = bed_step_worker(b, w) || any;
    for (int r = 0; r < b->job->ranks; r++)
        any = ((late_too || !b->job->late[r]) && bed_step_rank(b, r)) || any;
    b->net.all = false;
    return any || b->net.moved;
}

struct bed_result bed_run(const struct bed_job *job, uint64_t seed)
{
    static struct bed b; /* large */
    struct bed_result result;
    bed_open(&b, job, &result, seed);
    struct ovl_rng rng = ovl_rng_seeded(seed ^ 0xbed);
    int actors = job->ranks + job->workers;
    for (int still = 0; result.end == BED_FINE; result.steps++) {
        int a = (int)(ovl_rng_next(&rng) % (uint64_t)actors);
        bool moved = a < job->workers ? bed_step_worker(&b, a)
                                      : !job->late[a - job->workers] && bed_step_rank(&b, a - job->workers);
        still = moved ? 0 : still + 1;
        if (still < 4 * actors)
            continue;
        still = 0;
        if (!sweep(&b, false) && !sweep(&b, false) && !sweep(&b, true) && !sweep(&b, true))
            break;
    }
    bed_look_who_finished(&b);
    bed_close(&b);
    return result;
}

/* A message, an RDMA and a rank's step take a round each. */
struct bed_result bed_run_in_rounds(const struct bed_job *job)
{
    static struct bed b;
    struct bed_result result;
    bed_open(&b, job, &result, 0);
    while (result.end == BED_FINE && (sweep(&b, true) || sweep(&b, true)))
        result.steps++;
    bed_look_who_finished(&b);
    bed_close(&b);
    return result;
}

/* Workers do what they can without anything arriving. */
static void settle(struct bed *b)
{
    for (bool any = true; any && b->result->end == BED_FINE;) {
        any = false;
        for (int w = 0; w < b->job->workers; w++)
            any = bed_step_worker(b, w) || any;
    }
}

enum { MOST_CHOICES = 4096, MOST_EVENTS = 64 };

/* One order: `path` says which of the events is taken where there are several, and gets longer. */
static void run_path(struct bed *b, const struct bed_job *job, struct bed_result *result, int *path, int *of,
                     int *length)
{
    int depth = 0;
    bed_open(b, job, result, 0);
    b->net.chosen = true;
    for (; result->end == BED_FINE; result->steps++) {
        struct bed_event events[MOST_EVENTS];
        b->net.event = (struct bed_event){BED_NOTHING, 0, 0};
        settle(b);
        int n = bed_events(&b->net, events, MOST_EVENTS), ranks[BED_RANKS], able = 0;
        for (int r = 0; r < job->ranks; r++) {
            const struct bed_rank *k = &b->rank[r];
            const struct bed_action *a = &job->action[r][k->next];
            if (k->next < job->actions[r] && (!a->wait || ovl_client_test(&b->rank[r].ctx, &k->request[a->op])))
                ranks[able++] = r;
        }
        if (n + able == 0)
            break;
        if (depth == MOST_CHOICES)
            abort();
        if (depth == *length) {
            path[depth] = 0;
            (*length)++;
        }
        of[depth] = n + able;
        int pick = path[depth++];
        if (pick < able)
            bed_step_rank(b, ranks[pick]);
        else {
            b->net.event = events[pick - able];
            for (int w = 0; w < job->workers; w++)
                bed_step_worker(b, w);
        }
    }
    *length = depth;
    bed_look_who_finished(b);
    bed_close(b);
}

struct bed_result bed_run_all(const struct bed_job *job, uint64_t most, uint64_t *orders)
{
    static struct bed b;
    static int path[MOST_CHOICES], of[MOST_CHOICES];
    struct bed_result result;
    int length = 0;
    for (*orders = 1;; ++*orders) {
        run_path(&b, job, &result, path, of, &length);
        while (length > 0 && path[length - 1] + 1 >= of[length - 1])
            length--;
        if (result.end != BED_FINE || length == 0 || *orders == most)
            return result;
        path[length - 1]++;
    }
}
