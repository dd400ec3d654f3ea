/* --plan and --dump-plan: both print what ranks would do, which needs no other ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/simulated/simulated.h"
#include "apps/train/state.h"
#include "apps/train/strategy/node_links.h"
#include "bench/app/dry_run.h"
#include "bench/app/message.h"
#include "machine/memory.h"

#include <stdio.h>
#include <string.h>

static const char *const works[] = {"forward", "backward", "update"};

/* What an operation gives to the library, at the scale of the plan. */
static double given(const struct ovl_train *d, const struct ovl_event *t)
{
    if (!t->route)
        return ovl_train_bytes(&d->plan, t);
    return t->bytes / t->token_bytes * OVL_TRAIN_WORD * (double)ovl_train_token_words(&d->plan, t->token_bytes);
}

static void print_event(const struct ovl_train *d, const struct ovl_event *t)
{
    int ranks = d->plan.ask.ranks;
    switch (t->kind) {
    case OVL_EVENT_COMPUTE:
        printf("{\"kind\":\"COMPUTE\",\"work\":\"%s\",\"units\":%.0f,\"layers\":%d%s", works[t->work], t->macs,
               t->layers, t->bulk ? ",\"lane\":\"bulk\"" : "");
        if (t->after > 0)
            printf(",\"after_bulk\":%d", t->after);
        putchar('}');
        break;
    case OVL_EVENT_POST:
        printf("{\"kind\":\"POST\",\"op\":\"%s\",\"bytes\":%.0f,\"team\":%d,\"ranks\":%d,\"buffer\":%d,\"id\":%d",
               ovl_operations[t->operation].name, given(d, t), (int)t->team.axis * ranks + t->team.first, t->team.ranks,
               t->id, t->id);
        if (t->operation == OVL_ISENDRECV)
            printf(",\"%s\":%d", t->to >= 0 ? "to" : "from", ovl_train_member(&t->team, t->to >= 0 ? t->to : t->from));
        putchar('}');
        break;
    case OVL_EVENT_WAIT:
        printf("{\"kind\":\"WAIT\",\"id\":%d}", t->id);
        break;
    default:
        printf("{\"kind\":\"STEP\"}");
    }
}

static void dump(const struct ovl_train *d)
{
    const struct ovl_events *e = &d->plan.own.events;
    json_t *name = json_string(d->model.name);
    printf("{\"model\":");
    json_dumpf(name, stdout, JSON_ENCODE_ANY);
    json_decref(name);
    printf(",\"strategy\":\"%s\",\"ranks\":%d,\"rank\":%d,\"batch\":%.0f,\"units\":"
           "\"multiply-adds\",\"events\":[",
           d->options.strategy, d->plan.ask.ranks, d->plan.own.rank, d->plan.ask.batch);
    for (size_t i = 0; i < e->count; i++) {
        printf("%s\n", i ? "," : "");
        print_event(d, &e->list[i]);
    }
    printf("\n]}\n");
}

/* Does the rank send in it? A pair that only receives gives nothing. */
static bool sends(const struct ovl_event *post)
{
    return post->operation != OVL_ISENDRECV || post->to >= 0;
}

/* The rank that gives most to the library, of those that differ; and the most that messages need at one. */
struct most {
    int rank;
    double given, messages;
};

static double given_by(const struct ovl_events *e)
{
    double bytes = 0;
    for (int id = 0; id < e->ids; id++)
        bytes += sends(&e->list[e->posted_at[id]]) ? e->list[e->posted_at[id]].bytes : 0;
    return bytes;
}

static double messages_of(const struct ovl_train *d)
{
    return ovl_train_messages_bytes(&d->plan, &d->choice.compressions[0].lossy);
}

/* Ranks that differ: one of each stage, or those who share out the experts. */
static int differing(const struct ovl_train *d, const struct ovl_node_links *links)
{
    struct ovl_moe moe = d->plan.ask.moe;
    struct ovl_error untold;
    if (d->plan.strategy != &ovl_strategy_moe ||
        ovl_moe_settle(&moe, d->plan.ask.ranks, d->plan.ask.batch, &untold) != 0)
        return links->stages;
    return ovl_moe_members(&moe, d->plan.ask.ranks);
}

/* Looks at these ranks; then the plan's lane is that of the one with most. */
static int look(struct ovl_train *d, struct ovl_node_links *links, struct most *most, struct ovl_error *err)
{
    *most = (struct most){.given = -1};
    for (int which = 0, count = differing(d, links); which < count; which++) {
        int rank = links->stages == 1 ? which : ovl_node_links_rank(links, which);
        if (ovl_train_plan_rank(&d->plan, rank, err) != 0)
            return -1;
        if (which < links->stages)
            ovl_node_links_add(links, which);
        double given = given_by(&d->plan.own.events), messages = messages_of(d);
        if (given > most->given)
            most->rank = rank;
        most->given = given > most->given ? given : most->given;
        most->messages = messages > most->messages ? messages : most->messages;
    }
    return ovl_train_plan_rank(&d->plan, most->rank, err);
}

static void print_operations(const struct ovl_train *d, const struct ovl_node_links *links)
{
    const int stages = links->stages, members = differing(d, links);
    const struct ovl_events *e = &d->plan.own.events;
    char one[32], two[32], which[64] = "";
    if (stages > 1)
        snprintf(which, sizeof which, ": of stage %d, the most of all %d", d->plan.own.rank / d->plan.ask.tensor,
                 stages);
    else if (members > 1)
        snprintf(which, sizeof which, ": the most of all");
    for (enum ovl_operation op = OVL_NO_OPERATION; op < OVL_OPERATIONS; op++) {
        double bytes = 0, wire = 0;
        int calls = 0;
        for (int id = 0; id < e->ids; id++) {
            struct ovl_event t = e->list[e->posted_at[id]];
            if (t.operation != op)
                continue;
            t.bytes = given(d, &t);
            calls++;
            bytes += t.bytes;
            wire += sends(&t) ? ovl_event_bus_bytes(&t) : 0;
        }
        ovl_memory_text(bytes, one);
        ovl_memory_text(wire, two);
        const char *about = op == OVL_IALLTOALLV ? "about " : "";
        const char *how = op == OVL_IALLTOALLV || op == OVL_ISENDRECV ? "to other ranks" : "by a ring";
        if (calls)
            printf("  rank %-4d %5d %s of %s in all, %s%s %s%s\n", d->plan.own.rank, calls, ovl_operations[op].name,
                   one, about, two, how, which);
    }
}

/* By the formulas: all of it, and what is left where activations are computed again. */
static void print_memory(const struct ovl_train *d, double messages)
{
    char text[32], sent[32];
    struct ovl_train_ask ask = d->plan.ask;
    const struct ovl_strategy *s = d->plan.strategy;
    ovl_memory_text(s->memory(&ask), text);
    ovl_memory_text(messages, sent);
    printf("  memory    %s a rank to train it in mixed precision, by the published formula%s; messages here: %s\n",
           text, ask.model->transformer.blocks ? "" : ", without activations", sent);
    if (s->zero > 0) {
        double kept = ovl_memory_kept(ask.model->numbers, ask.ranks, s->zero - 1);
        ovl_memory_text(kept, text);
        printf("            %s of it are kept between steps: %.4g bytes a parameter\n", text,
               kept / ask.model->numbers);
    }
    if (ask.model->transformer.blocks == 0)
        return;
    ask.recompute = OVL_RECOMPUTE_SELECTIVE;
    ovl_memory_text(s->memory(&ask), text);
    printf("            %s with selective recomputation of activations", text);
    ask.recompute = OVL_RECOMPUTE_FULL;
    ovl_memory_text(s->memory(&ask), text);
    printf(", %s with full recomputation\n", text);
}

/* Those of a rank on their way, or on their way back. */
static void print_tokens(const struct ovl_train *d, bool back, const char *type)
{
    const struct ovl_events *e = &d->plan.own.events;
    char all[32], most[32];
    double bytes = 0, largest = 0;
    int calls = 0;
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *t = &e->list[e->posted_at[id]];
        if (!t->route || t->returns != back)
            continue;
        calls++;
        bytes += given(d, t);
        largest = given(d, t) > largest ? given(d, t) : largest;
    }
    ovl_memory_text(bytes, all);
    ovl_memory_text(largest, most);
    printf("  %-9s %d of %s in all in %s, the largest %s\n", back ? "combine" : "dispatch", calls, all, type, most);
}

/* Of all ranks, whose groups do the same, as the record tells it. */
static void print_experts(const struct ovl_train *d)
{
    const struct ovl_train_ask *ask = &d->plan.ask;
    const struct ovl_moe_routes *r = d->plan.own.events.routes;
    struct ovl_moe moe = ask->moe;
    struct ovl_error impossible;
    char text[OVL_MOE_TEXT];
    if (ovl_moe_settle(&moe, ask->ranks, ask->batch, &impossible) != 0)
        return;
    struct ovl_moe_told told = ovl_moe_tell(r);
    int members = ovl_moe_members(&moe, ask->ranks), groups = ask->ranks / members;
    ovl_moe_text(&moe, text);
    print_tokens(d, false, moe.dispatch.name);
    print_tokens(d, true, moe.combine.name);
    printf("  experts   %s: %d a rank, %d rank(s) with each; %.4g times the mean work at the rank with most, %.0f of "
           "%.0f choices dropped\n",
           text, moe.experts / members, groups, told.imbalance, told.dropped * groups, told.chosen * groups);
}

/* Does --mem-limit hold the messages of a rank? */
static int fits(const struct ovl_train *d, double messages, struct ovl_error *err)
{
    const size_t limit = d->job.options->mem_limit;
    struct ovl_app_need need = ovl_train_need(d, messages);
    return limit ? ovl_app_fits(&d->job, &need, (double)limit, err) : 0;
}

static int simulate(struct ovl_train *d, struct ovl_error *err)
{
    if (ovl_train_plan_rank(&d->plan, 0, err) != 0 || fits(d, messages_of(d), err) != 0)
        return -1;
    return ovl_train_simulate(&d->plan, &d->options, err);
}

static int print_plan(struct ovl_train *d, struct ovl_error *err)
{
    const struct ovl_train_ask *ask = &d->plan.ask;
    char link[OVL_DRY_RUN_TEXT], types[OVL_NUMBER_TYPES_TEXT];
    struct ovl_node_links links;
    struct most most;
    ovl_node_links_open(&links, &d->plan, d->options.dry_run_per_node);
    if (look(d, &links, &most, err) != 0 || fits(d, most.messages, err) != 0) {
        ovl_node_links_close(&links);
        return -1;
    }
    ovl_number_types_text(&d->model.types, types);
    if (strcmp(types, "f32") == 0)
        *types = '\0';
    printf("%s, %s, on %d ranks, %d a node, batch %.0f: %.0f samples a step\n", d->model.name, d->options.strategy,
           ask->ranks, d->options.dry_run_per_node < ask->ranks ? d->options.dry_run_per_node : ask->ranks, ask->batch,
           d->options.tiny ? OVL_TINY_SAMPLES : d->plan.strategy->samples(ask));
    printf("  model     %.0f parameters in %zu tensors, %.4g GMAC forwards for a sample%s%s\n", d->model.numbers,
           d->model.tensor_count, 1e-9 * d->model.macs, *types ? "; numbers are " : "", types);
    print_memory(d, most.messages);
    print_operations(d, &links);
    if (d->plan.strategy == &ovl_strategy_moe)
        print_experts(d);
    if (d->plan.strategy->bubble)
        printf("  bubble    %.4g of the work, by the published formula: (p - 1) / (v m)\n",
               d->plan.strategy->bubble(ask));
    struct ovl_busiest busiest = ovl_node_links_busiest(&links);
    ovl_dry_run_link(&busiest, false, "step", link);
    printf("  link      %s\n", link);
    ovl_node_links_close(&links);
    return 0;
}

int ovl_train_print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_train *d = (struct ovl_train *)job;
    struct ovl_train_options *o = &d->options;
    if (!o->dry_run_ranks || o->common.help || o->common.version)
        return 0;
    if (ovl_train_choice_model(o, &d->choice, &d->model, err) != 0)
        return -1;
    d->plan = (struct ovl_train_plan){.ask = ovl_train_choice_ask(o, &d->choice, &d->model, o->dry_run_ranks),
                                      .strategy = d->choice.row,
                                      .halves = d->choice.compressions[0].lossy.halves,
                                      .scale_bytes = o->scale_bytes};
    int rc = o->dump                          ? ovl_train_plan_rank(&d->plan, (int)o->dry_run_rank, err)
             : ovl_network_given(&o->network) ? simulate(d, err)
                                              : print_plan(d, err);
    if (rc == 0 && o->dump)
        dump(d);
    ovl_train_plan_close(&d->plan);
    ovl_bucket_list_free(&d->choice.ask.list);
    ovl_model_free(&d->model);
    return rc == 0 ? 1 : -1;
}
