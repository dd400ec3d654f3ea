/* The batcher of ovl_serve, on random requests: every token once, no slot twice, memory never above its limit, and an
   end for all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/batch/batch.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <string.h>

/* What a request has had. */
struct had {
    int read, written, worked;
    int slot; /* while it has one; else -1 */
    bool taken, ended;
};

static int64_t most_tokens(const struct ovl_job_request *list, size_t n)
{
    int64_t most = 0;
    for (size_t r = 0; r < n; r++)
        most = ovl_job_request_tokens(&list[r]) > most ? ovl_job_request_tokens(&list[r]) : most;
    return most;
}

/* Slots that requests from `first` on got: the batcher tells them with the first work, so only the number is looked at.
 */
static void look_at_work(const struct ovl_batcher *b, const struct ovl_iteration *it, struct had *had, int *owner)
{
    int reads = 0;
    for (size_t i = 0; i < it->count; i++) {
        const struct ovl_batcher_work *w = &it->work[i];
        const struct ovl_job_request *r = &b->list[w->request];
        struct had *h = &had[w->request];
        ck_assert(h->taken && !h->ended && r->ready <= it->number);
        ck_assert(w->slot >= 0 && w->slot < b->rules.slots);
        ck_assert_int_eq(w->begins, h->worked == 0);
        ck_assert(w->begins ? owner[w->slot] < 0 : owner[w->slot] == (int)w->request);
        owner[w->slot] = (int)w->request;
        int first = h->written > 0 && r->prompt > 0;
        ck_assert_int_eq(w->context, r->known + h->read + h->written - first);
        ck_assert(w->reads > 0 || w->writes || (r->output == 0 && r->prompt == 0));
        h->read += w->reads;
        h->written += w->writes;
        h->worked++;
        reads += w->reads;
        ck_assert(h->read <= r->prompt && h->written <= r->output);
        ck_assert(!w->writes || h->read == r->prompt);
        ck_assert_int_eq(w->ends, h->read == r->prompt && h->written == r->output);
        if (w->ends)
            owner[w->slot] = -1;
        h->ended = w->ends;
    }
    ck_assert(b->rules.chunk == 0 || reads <= b->rules.chunk);
}

static void play(const struct ovl_batcher_rules *rules, const struct ovl_job_request *list, size_t n)
{
    struct ovl_batcher b;
    struct ovl_iteration it;
    struct had *had = ovl_alloc(n + 1, sizeof *had);
    int *owner = ovl_alloc((size_t)rules->slots, sizeof *owner), active = 0;
    int64_t last = -1, used = 0;
    memset(owner, 0xff, (size_t)rules->slots * sizeof *owner);
    ck_assert_msg(ovl_batcher_open(&b, rules, list, n, 1, &err) == 0, "%s", err.text);
    while (ovl_batcher_next(&b, &it)) {
        ck_assert(it.number > last);
        ck_assert(it.taken + it.count > 0); /* something happens */
        ck_assert(rules->continuous || it.taken == 0 || active == 0);
        last = it.number;
        for (size_t r = it.first; r < it.first + it.taken; r++) {
            ck_assert(!had[r].taken && list[r].from <= it.number);
            had[r].taken = true;
            active++;
            used += ovl_job_request_tokens(&list[r]);
        }
        ck_assert(active <= rules->slots && used <= rules->tokens);
        look_at_work(&b, &it, had, owner);
        for (size_t i = 0; i < it.count; i++)
            if (it.work[i].ends) {
                active--;
                used -= ovl_job_request_tokens(&list[it.work[i].request]);
            }
        ck_assert_int_eq(b.kv.used, used);
        ck_assert(b.kv.most <= rules->tokens);
        int waits = 0;
        for (size_t r = 0; r < it.first + it.taken; r++)
            waits += !had[r].ended && list[r].ready > it.number;
        ck_assert(rules->arriving == 0 || waits <= rules->arriving);
    }
    for (size_t r = 0; r < n; r++)
        ck_assert(had[r].ended && had[r].read == list[r].prompt && had[r].written == list[r].output);
    ck_assert_int_eq(used, 0);
    ovl_batcher_close(&b);
    free(had);
    free(owner);
}

TEST(every_token_once_no_slot_twice_and_memory_within_its_limit)
{
    struct ovl_rng rng = ovl_rng_seeded(11);
    for (int round = 0; round < rounds(400, 2000); round++) {
        struct ovl_job_request list[40];
        size_t n = ovl_rng_below(&rng, 40);
        bool remote = ovl_rng_below(&rng, 2);
        int64_t from = 0;
        for (size_t r = 0; r < n; r++) {
            from += ovl_rng_below(&rng, 2) ? ovl_rng_below(&rng, 30) : 0;
            int tokens = 1 + (int)ovl_rng_below(&rng, 50);
            list[r] = (struct ovl_job_request){.from = from,
                                               .ready = from + (remote ? ovl_rng_below(&rng, 20) : 0),
                                               .prompt = remote ? 0 : tokens,
                                               .known = remote ? tokens : 0,
                                               .output = (int)ovl_rng_below(&rng, 12) + remote};
        }
        struct ovl_batcher_rules rules = {.continuous = ovl_rng_below(&rng, 2),
                                          .slots = 1 + (int)ovl_rng_below(&rng, 6),
                                          .tokens = most_tokens(list, n) + ovl_rng_below(&rng, 100),
                                          .chunk = (int)ovl_rng_below(&rng, 2) * (1 + (int)ovl_rng_below(&rng, 30)),
                                          .arriving = (int)ovl_rng_below(&rng, 4)};
        play(&rules, list, n);
    }
}

/* One slot, and memory for the longest request alone. */
TEST(one_slot_serves_all)
{
    struct ovl_job_request list[20];
    for (int r = 0; r < 20; r++)
        list[r] = (struct ovl_job_request){.prompt = 5 + r, .output = r % 4};
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 1, .tokens = most_tokens(list, 20), .chunk = 1};
    play(&rules, list, 20);
    rules.continuous = false;
    play(&rules, list, 20);
}

/* What a request has where others may have to give way. */
struct alive {
    bool has_slot, out;
    int slot, place;
    int64_t stored, moved; /* tokens whose KV are there; and those that were put away */
    int64_t worked, lost;  /* tokens that went through the model; and those whose KV were lost */
    int written, times;
    bool ended;
};

/* They give up slots by their age, the youngest one first, and have them again in the other order. */
static void look_at_pushed(const struct ovl_batcher *b, const struct ovl_iteration *it, struct alive *of)
{
    for (int i = 0; i < it->out_count; i++) {
        const struct ovl_batcher_pushed *p = &it->out[i];
        struct alive *a = &of[p->request];
        ck_assert(a->has_slot && !a->out && (a->slot < 0 || p->slot == a->slot));
        ck_assert(p->place >= 0 && p->place < b->rules.slots);
        bool youngest = true, apart = true;
        for (size_t r = 0; r < b->requests; r++) {
            youngest &= !of[r].has_slot || r <= p->request;
            apart &= !of[r].out || of[r].place != p->place;
        }
        ck_assert(youngest && apart);
        ck_assert(p->tokens == 0 || (b->rules.preempt == OVL_PREEMPT_SWAP && p->tokens == a->stored && a->written > 0));
        a->lost += p->tokens ? 0 : a->stored;
        a->stored = 0;
        a->moved = p->tokens;
        a->place = p->place;
        a->has_slot = false;
        a->out = true;
        a->times++;
    }
    ck_assert(it->out_count == 0 || it->back_count + (int)it->taken == 0);
    for (int i = 0; i < it->back_count; i++) {
        const struct ovl_batcher_pushed *p = &it->back[i];
        struct alive *a = &of[p->request];
        ck_assert(a->out && p->place == a->place && p->tokens == a->moved);
        bool oldest = true;
        for (size_t r = 0; r < p->request; r++)
            oldest &= !of[r].out;
        ck_assert(oldest);
        a->stored = a->moved;
        a->has_slot = true;
        a->out = false;
        a->slot = p->slot;
    }
}

static void look_at_memory(const struct ovl_batcher *b, const struct ovl_iteration *it, const struct alive *of)
{
    int64_t stored = 0;
    int slots = 0, passed_by = 0;
    for (size_t r = 0; r < b->requests; r++) {
        stored += of[r].has_slot ? of[r].stored : 0;
        slots += of[r].has_slot;
        passed_by += of[r].out && it->taken > 0;
    }
    ck_assert_int_eq(passed_by, 0);
    ck_assert(stored <= b->kv.used && b->kv.used <= b->kv.most && b->kv.most <= b->rules.tokens);
    ck_assert(slots == b->rules.slots - b->kv.free_slots && slots <= b->rules.slots);
}

static struct ovl_batcher_told play_short(const struct ovl_batcher_rules *rules, const struct ovl_job_request *list,
                                          size_t n)
{
    struct ovl_batcher b;
    struct ovl_iteration it;
    struct alive *of = ovl_alloc(n + 1, sizeof *of);
    struct ovl_batcher_told told = {.times = 0};
    ck_assert_msg(ovl_batcher_open(&b, rules, list, n, 1, &err) == 0, "%s", err.text);
    for (int64_t rounds = 0; ovl_batcher_next(&b, &it); rounds++) {
        ck_assert_int_lt(rounds, 100000); /* it comes to an end */
        look_at_pushed(&b, &it, of);
        for (size_t r = it.first; r < it.first + it.taken; r++) {
            of[r].has_slot = true;
            of[r].slot = -1; /* not told before it is worked at */
        }
        for (size_t i = 0; i < it.count; i++) {
            const struct ovl_batcher_work *w = &it.work[i];
            struct alive *a = &of[w->request];
            int tokens = w->reads > 0 ? w->reads : 1;
            ck_assert(a->has_slot && !a->ended && w->context == a->stored);
            ck_assert_int_eq(w->begins, a->worked == 0);
            ck_assert_int_eq(w->returns, a->moved > 0);
            a->moved = 0;
            a->slot = w->slot;
            bool apart = true;
            for (size_t k = 0; k < i; k++)
                apart &= it.work[k].slot != w->slot && it.work[k].request < w->request;
            ck_assert(apart);
            a->stored += tokens;
            a->worked += tokens;
            a->written += w->writes;
            a->ended = w->ends;
            a->has_slot = !w->ends;
        }
        look_at_memory(&b, &it, of);
    }
    for (size_t r = 0; r < n; r++) {
        ck_assert(of[r].ended && of[r].written == list[r].output);
        ck_assert_int_eq(of[r].worked, ovl_job_request_tokens(&list[r]) + of[r].lost);
        told.requests += of[r].times > 0;
        told.times += of[r].times;
        told.again += of[r].lost;
    }
    ck_assert(b.told.requests == told.requests && b.told.times == told.times && b.told.again == told.again);
    ck_assert_int_eq(b.kv.used, 0);
    told = b.told;
    ovl_batcher_close(&b);
    free(of);
    return told;
}

TEST(the_youngest_request_gives_way_and_all_end)
{
    struct ovl_rng rng = ovl_rng_seeded(12);
    struct ovl_batcher_told all = {.times = 0};
    for (int round = 0; round < rounds(150, 2000); round++) {
        struct ovl_job_request list[30];
        size_t n = ovl_rng_below(&rng, 30);
        int64_t from = 0;
        for (size_t r = 0; r < n; r++) {
            from += ovl_rng_below(&rng, 2) ? ovl_rng_below(&rng, 20) : 0;
            list[r] = (struct ovl_job_request){.from = from,
                                               .ready = from,
                                               .prompt = 1 + (int)ovl_rng_below(&rng, 20),
                                               .output = (int)ovl_rng_below(&rng, 30)};
        }
        struct ovl_batcher_rules rules = {.continuous = ovl_rng_below(&rng, 2),
                                          .slots = 1 + (int)ovl_rng_below(&rng, 6),
                                          .tokens = most_tokens(list, n) + ovl_rng_below(&rng, 40),
                                          .chunk = (int)ovl_rng_below(&rng, 2) * (1 + (int)ovl_rng_below(&rng, 15)),
                                          .preempt = OVL_PREEMPT_RECOMPUTE + ovl_rng_below(&rng, 2)};
        struct ovl_batcher_told told = play_short(&rules, list, n);
        all.times += told.times;
        all.again += told.again;
        all.moved += told.moved;
        rules.slots = 1; /* nobody is there to be pushed out */
        ck_assert_int_eq(play_short(&rules, list, n).times, 0);
    }
    ck_assert(all.times > 100 && all.again > 1000 && all.moved > 1000);
}

/* Memory of 10 tokens. Two prompts of 4 and a token of each fill it; for the next one the second request goes. */
TEST(who_gives_way_by_hand)
{
    static const struct ovl_job_request list[] = {{.prompt = 4, .output = 5}, {.prompt = 4, .output = 4}};
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 2, .tokens = 10, .preempt = OVL_PREEMPT_RECOMPUTE};
    for (int way = 0; way < 2; way++, rules.preempt = OVL_PREEMPT_SWAP) {
        struct ovl_batcher b;
        struct ovl_iteration it;
        bool swaps = rules.preempt == OVL_PREEMPT_SWAP;
        ck_assert_int_eq(ovl_batcher_open(&b, &rules, list, 2, 1, &err), 0);
        for (int i = 0; i < 2; i++) {
            ck_assert(ovl_batcher_next(&b, &it));
            ck_assert(it.count == 2 && it.out_count == 0);
        }
        ck_assert_int_eq(b.kv.used, 10);
        ck_assert(ovl_batcher_next(&b, &it));
        ck_assert(it.number == 2 && it.count == 1 && it.work[0].request == 0 && it.work[0].context == 5);
        ck_assert(it.out_count == 1 && it.out[0].request == 1 && it.out[0].slot == 1);
        ck_assert_int_eq(it.out[0].tokens, swaps ? 5 : 0);
        for (int i = 3; i < 5;
             i++) { /* 8 tokens are taken at the end, and the second one needs 5, or 6, and one more */
            ck_assert(ovl_batcher_next(&b, &it));
            ck_assert(it.number == i && it.count == 1 && it.back_count == 0);
        }
        ck_assert(it.work[0].ends);
        ck_assert(ovl_batcher_next(&b, &it));
        ck_assert(it.number == 5 && it.back_count == 1 && it.back[0].request == 1);
        if (swaps) { /* they are there in the next iteration */
            ck_assert_int_eq((int)it.count, 0);
            ck_assert(ovl_batcher_next(&b, &it));
        }
        ck_assert(it.count == 1 && it.work[0].request == 1 && it.work[0].writes && it.work[0].returns == swaps);
        ck_assert(it.work[0].context == (swaps ? 5 : 0) && it.work[0].reads == (swaps ? 0 : 6));
        ck_assert(ovl_batcher_next(&b, &it));
        ck_assert(it.work[0].ends && !ovl_batcher_next(&b, &it));
        ck_assert(b.told.requests == 1 && b.told.times == 1);
        ck_assert(b.told.again == (swaps ? 0 : 5) && b.told.moved == (swaps ? 5 : 0));
        ck_assert_int_eq(b.kv.most, 10);
        ovl_batcher_close(&b);
    }
}

TEST(what_an_iteration_does_by_hand)
{
    static const struct ovl_job_request list[] = {{.prompt = 5, .output = 2}, {.prompt = 3, .output = 1}};
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 2, .tokens = 9, .chunk = 6};
    struct ovl_batcher b;
    struct ovl_iteration it;
    ck_assert_int_eq(ovl_batcher_open(&b, &rules, list, 2, 1, &err), 0);
    ck_assert(ovl_batcher_next(&b, &it)); /* 6 tokens: all of the first prompt, and one of the second */
    ck_assert(it.number == 0 && it.taken == 2 && it.count == 2);
    ck_assert(it.work[0].reads == 5 && it.work[0].writes && !it.work[0].ends);
    ck_assert(it.work[1].reads == 1 && !it.work[1].writes);
    ck_assert(ovl_batcher_next(&b, &it));
    ck_assert(it.work[0].reads == 0 && it.work[0].context == 5 && it.work[0].writes && it.work[0].ends);
    ck_assert(it.work[1].reads == 2 && it.work[1].context == 1 && it.work[1].writes && it.work[1].ends);
    ck_assert(!ovl_batcher_next(&b, &it));
    ck_assert_int_eq(b.kv.most, 9);
    ovl_batcher_close(&b);
}

TEST(a_request_longer_than_the_memory_is_refused_with_the_number)
{
    static const struct ovl_job_request list[] = {{.prompt = 9, .output = 1}, {.prompt = 100, .output = 21}};
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 4, .tokens = 119};
    struct ovl_batcher b;
    ck_assert_int_eq(ovl_batcher_open(&b, &rules, list, 2, 1000, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_str_eq(err.text,
                     "--kv-memory: a request of 120 tokens needs 120000 bytes for its keys and values; give as "
                     "much or more");
    rules.tokens = 120;
    ck_assert_int_eq(ovl_batcher_open(&b, &rules, list, 2, 1000, &err), 0);
    ovl_batcher_close(&b);
}

TEST(no_requests_and_requests_without_output)
{
    static const struct ovl_job_request list[] = {{.prompt = 7}, {.prompt = 1, .from = 1000, .ready = 1000}};
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 1, .tokens = 7};
    play(&rules, list, 0);
    play(&rules, list, 2);
}

/* What 10,000 requests take is in proportion to their tokens, and memory to the slots. */
TEST(many_requests_are_counted)
{
    enum { N = 10000 };
    struct ovl_job_request *list = ovl_alloc(N, sizeof *list);
    struct ovl_rng rng = ovl_rng_seeded(3);
    int64_t from = 0, tokens = 0, counted = 0, works = 0, outputs = 0;
    for (int r = 0; r < N; r++) {
        from += ovl_rng_below(&rng, 4);
        list[r] = (struct ovl_job_request){.from = from,
                                           .ready = from,
                                           .prompt = 1 + (int)ovl_rng_below(&rng, 4000),
                                           .output = (int)ovl_rng_below(&rng, 400)};
        tokens += list[r].prompt + list[r].output;
        outputs += list[r].output;
    }
    struct ovl_batcher_rules rules = {.continuous = true, .slots = 256, .tokens = 1 << 20, .chunk = 2048};
    struct ovl_batcher b;
    struct ovl_iteration it;
    ck_assert_int_eq(ovl_batcher_open(&b, &rules, list, N, 1, &err), 0);
    while (ovl_batcher_next(&b, &it)) {
        works += (int64_t)it.count;
        for (size_t i = 0; i < it.count; i++)
            counted += it.work[i].reads + it.work[i].writes;
    }
    ovl_batcher_close(&b);
    ck_assert_int_eq(counted, tokens);
    ck_assert(works >= outputs && works <= outputs + tokens / 2048 + 4 * N);
    free(list);
}
