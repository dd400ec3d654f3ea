/* --plan and --dump-plan: both print the plan of a rank, which needs no other ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "machine/memory.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const works[] = {"forward", "backward", "update"};

static void print_event(const struct ovl_event *t, int ranks)
{
    switch (t->kind) {
    case OVL_EVENT_COMPUTE:
        printf("{\"kind\":\"COMPUTE\",\"work\":\"%s\",\"units\":%.0f,\"layers\":%d}", works[t->work], t->macs,
               t->layers);
        break;
    case OVL_EVENT_POST:
        printf("{\"kind\":\"POST\",\"op\":\"%s\",\"bytes\":%.0f,\"team\":%d,\"ranks\":%d,\"buffer\":%d,\"id\":%d",
               ovl_operations[t->operation].name, t->bytes, (int)t->team.axis * ranks + t->team.first, t->team.ranks,
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
        print_event(&e->list[i], d->plan.ask.ranks);
    }
    printf("\n]}\n");
}

/* What comes in over its node's link for a rank's sake in a step. */
static double bytes_in(const struct ovl_app_plan *plan, int rank)
{
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    double bytes = 0;
    for (size_t g = 0; g < plan->groups[OVL_LANE_CHAIN]; g++)
        for (int n = plan->group(plan->of, rank, OVL_LANE_CHAIN, g, steps); n > 0; n--)
            bytes += steps[n - 1].in;
    return bytes;
}

/* The busiest node's link. Ranks that do all the same need one node; of others each node is looked at, the first ones
   where there are more than can be. */
static void print_link(const struct ovl_train *d)
{
    const struct ovl_app_plan *plan = &d->plan.plan;
    const double patience = 2e8; /* members of teams */
    int per_node = (int)d->options.dry_run_per_node, nodes = (plan->ranks + per_node - 1) / per_node, node = 0,
        busiest = 0;
    double most = -1, each = (double)d->plan.own.count * plan->ranks;
    char bytes[32], which[96] = "";
    for (; node < nodes && (node == 0 || (!d->plan.strategy->alike && each * per_node * node < patience)); node++) {
        double sum = 0;
        for (int r = node * per_node; r < plan->ranks && r < (node + 1) * per_node; r++)
            sum += bytes_in(plan, r);
        if (sum > most) {
            most = sum;
            busiest = node;
        }
    }
    if (!d->plan.strategy->alike && nodes > 1 && node == nodes)
        snprintf(which, sizeof which, ": of node %d, the most of all %d", busiest, nodes);
    else if (!d->plan.strategy->alike && nodes > 1)
        snprintf(which, sizeof which, ": of node %d, the most of the first %d of %d", busiest, node, nodes);
    ovl_memory_text(most, bytes);
    printf("  link      %s come in over the link of a node in a step%s\n", bytes, which);
}

static void print_plan(const struct ovl_train *d)
{
    const struct ovl_train_ask *ask = &d->plan.ask;
    const struct ovl_events *e = &d->plan.own.events;
    char one[32], two[32];
    printf("%s, %s, on %d ranks, %d a node, batch %.0f: %.0f samples a step\n", d->model.name, d->options.strategy,
           ask->ranks, d->options.dry_run_per_node, ask->batch, d->plan.strategy->samples(ask));
    printf("  model     %.0f parameters in %zu tensors, %.4g GMAC forwards for a sample\n", d->model.numbers,
           d->model.tensor_count, 1e-9 * d->model.macs);
    ovl_memory_text(d->plan.strategy->memory(ask), one);
    ovl_memory_text(ovl_train_messages_bytes(&d->plan, &d->choice.compressions[0].lossy), two);
    printf("  memory    %s a rank to train it in mixed precision, by the published formula%s; messages here: %s\n", one,
           d->model.transformer.blocks ? "" : ", without activations", two);
    for (enum ovl_operation op = OVL_NO_OPERATION; op < OVL_OPERATIONS; op++) {
        double bytes = 0, wire = 0;
        int calls = 0;
        for (int id = 0; id < e->ids; id++) {
            const struct ovl_event *t = &e->list[e->posted_at[id]];
            if (t->operation != op)
                continue;
            calls++;
            bytes += t->bytes;
            wire += ovl_event_bus_bytes(t);
        }
        ovl_memory_text(bytes, one);
        ovl_memory_text(wire, two);
        if (calls)
            printf("  rank %-4d %5d %s of %s in all, %s by a ring\n", d->plan.own.rank, calls, ovl_operations[op].name,
                   one, two);
    }
    if (d->plan.strategy->bubble)
        printf("  bubble    %.4g of the work, by the published formula: (p - 1) / (v m)\n",
               d->plan.strategy->bubble(ask));
    print_link(d);
}

int ovl_train_print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_train *d = (struct ovl_train *)job;
    struct ovl_train_options *o = &d->options;
    if (!o->dry_run_ranks || o->common.help || o->common.version)
        return 0;
    if (ovl_train_choice_model(o, &d->choice, &d->model, err) != 0)
        return -1;
    int *node = ovl_check_alloc(malloc((size_t)o->dry_run_ranks * sizeof *node));
    for (int r = 0; r < o->dry_run_ranks; r++)
        node[r] = r / o->dry_run_per_node;
    d->plan = (struct ovl_train_plan){.ask = ovl_train_choice_ask(o, &d->choice, &d->model, o->dry_run_ranks),
                                      .strategy = d->choice.row,
                                      .scale_bytes = o->scale_bytes,
                                      .node = o->dump ? NULL : node};
    int rc = ovl_train_plan_open(&d->plan, (int)o->dry_run_rank, err);
    if (rc == 0 && o->dump)
        dump(d);
    else if (rc == 0)
        print_plan(d);
    ovl_train_plan_close(&d->plan);
    ovl_bucket_list_free(&d->choice.ask.list);
    ovl_model_free(&d->model);
    free(node);
    return rc == 0 ? 1 : -1;
}
