/* What a rank needs for a trace, before anything is kept. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"

#include <limits.h>
#include <stdio.h>

/* Of a message with more numbers than MPI counts. */
static int fits(const struct ovl_serve *s, const struct ovl_serve_totals *t, struct ovl_error *err)
{
    bool sums = s->choice.row == &ovl_serve_tp;
    double element = sums ? s->plan.ask.act_bytes : OVL_SERVE_WORD;
    if (t->largest / s->plan.scale_bytes > element * INT_MAX)
        return ovl_error_set(
            err, OVL_USAGE, "a message of %.0f bytes has more numbers than MPI counts; give --scale-bytes", t->largest);
    return 0;
}

/* Events are counted before they are kept. */
int ovl_serve_need(struct ovl_serve *s, int rank, struct ovl_app_need *need, double *macs, struct ovl_error *err)
{
    struct ovl_serve_events e;
    ovl_serve_events_open(&e, s->trace.count, true);
    int rc = s->choice.row->build(&s->plan.ask, rank, &e, err);
    rc = rc == 0 ? fits(s, &e.totals, err) : rc;
    need->bytes = ovl_serve_messages_bytes(&s->plan, &e.totals, e.places);
    need->bytes += s->options.tiny ? ovl_lm_rank_bytes(&s->plan.ask) : 0;
    need->mend = "--scale-bytes, or fewer requests";
    snprintf(need->what, sizeof need->what, "--model %.40s, --strategy %.20s: messages and steps of %zu requests need",
             s->model.name, s->options.strategy, s->trace.count);
    *macs = e.totals.macs;
    ovl_serve_events_close(&e);
    return rc;
}
