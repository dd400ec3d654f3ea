/* All members know one size of such an exchange, that of a mean message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/token_shape.h"

void ovl_token_shape(struct ovl_exchange *x, const struct ovl_event *post, size_t words, int *lists)
{
    x->count = (int)((size_t)ovl_moe_sends(post->route, post->returns) * words);
    x->send_bytes = (size_t)x->count * x->element;
    x->recv_bytes = (size_t)ovl_moe_sends(post->route, !post->returns) * words * x->element;
    x->size = (size_t)post->route->tokens * words * x->element / (size_t)x->ranks;
    if (!lists)
        return;
    ovl_moe_lists(post->route, post->returns, (int)words, lists);
    x->send_counts = lists;
    x->send_displs = lists + x->ranks;
    x->recv_counts = lists + 2 * x->ranks;
    x->recv_displs = lists + 3 * x->ranks;
}

double ovl_token_shape_most(const struct ovl_event *post, size_t words)
{
    int sent = ovl_moe_sends(post->route, false), got = ovl_moe_sends(post->route, true);
    return (double)(sent > got ? sent : got) * (double)words;
}
