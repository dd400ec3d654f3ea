/* Work by a roofline: every part takes the longer of computing and reading. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/work.h"

#include <math.h>

double ovl_serve_weights_macs(const struct ovl_serve_ask *ask, double weights, double tokens)
{
    return tokens > 0 ? weights * fmax(tokens, ask->balance) : 0;
}

double ovl_serve_experts_macs(const struct ovl_serve_ask *ask, double experts, double top, double tokens)
{
    double read = experts * (1 - pow(1 - top / experts, tokens));
    return ask->model->mixture.expert * fmax(top * tokens, ask->balance * read);
}

double ovl_serve_behind_macs(const struct ovl_serve_ask *ask, int block, double tokens)
{
    const struct ovl_served_mixture *x = &ask->model->mixture;
    double own = ovl_serve_weights_macs(ask, ovl_served_own_macs(ask->model, block), tokens);
    bool routed = x->experts > 0 && block >= x->dense_blocks;
    return own + (routed ? ovl_serve_experts_macs(ask, x->experts, x->top, tokens) : 0);
}

double ovl_serve_blocks_macs(const struct ovl_serve_ask *ask, int first, int end, double tokens)
{
    double macs = (end - first) * ovl_serve_weights_macs(ask, ovl_served_attention_macs(ask->model), tokens);
    for (int block = first; block < end; block++)
        macs += ovl_serve_behind_macs(ask, block, tokens);
    return macs;
}

double ovl_serve_head_macs(const struct ovl_serve_ask *ask, double writes)
{
    return ovl_serve_weights_macs(ask, ovl_served_head_macs(ask->model), writes);
}

double ovl_serve_looks_macs(const struct ovl_serve_ask *ask, int ranks, const struct ovl_batcher_work *w)
{
    const struct ovl_served *m = ask->model;
    const bool reads = w->reads > 0;
    double tokens = reads ? w->reads : 1, context = (double)w->context;
    double looks = ovl_served_look_macs(m, reads) * tokens * (context + (tokens + 1) / 2) / ranks;
    double kept = ask->kv_bytes / 2 * ovl_served_kept_shared(m, ranks) / m->blocks;
    return fmax(looks, ask->balance * kept * context);
}
