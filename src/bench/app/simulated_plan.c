/* C, W and T of a plan in each way, and what workers would save. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/simulated_plan.h"
#include "plan/busiest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a play of the plan is told. */
struct play {
    const struct ovl_simulated_plan *p;
    const void *of;
    enum ovl_sim_way way;
    double scale; /* seconds of a unit */
};

struct row {
    double alone, work, total, least;
    struct ovl_sim_result result;
};

static double seconds_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct play *y = of;
    return y->scale * y->p->units(y->of, rank, step);
}

static struct ovl_sim_operation operation_of(const void *of, int rank, const struct ovl_app_step *step)
{
    const struct play *y = of;
    struct ovl_sim_operation o = y->p->operation(y->of, rank, step);
    if (y->way == OVL_WAY_DPU && y->p->asked && y->p->asked->operation == o.shape.operation)
        o.shape.algorithm = y->p->asked;
    int here, nodes = ovl_nodes_of_team(o.first, o.shape.ranks, o.stride, y->p->s.per_node, rank, &here);
    ovl_simulation_choose(&y->p->s, y->way, here > 0 ? here : 1, nodes, &o);
    return o;
}

static int play(const struct ovl_simulated_plan *p, enum ovl_sim_way way, enum ovl_app_mask mask, double scale,
                struct ovl_sim_result *result, struct ovl_error *err)
{
    const struct play y = {p, way == OVL_WAY_BLOCKING ? p->blocking_of : p->of, way, scale};
    const struct ovl_app_plan twin = ovl_app_blocking(p->blocking);
    const struct ovl_sim_program program = {.plan = way == OVL_WAY_BLOCKING ? &twin : p->plan,
                                            .mask = mask,
                                            .polls = way == OVL_WAY_HOST_T || (way == OVL_WAY_HOST && p->host_polls),
                                            .alike = p->alike,
                                            .of = &y,
                                            .seconds = seconds_of,
                                            .operation = operation_of};
    const struct ovl_sim_machine machine = ovl_simulation_machine(&p->s, way);
    return ovl_sim_play(&program, &machine, result, err);
}

/* Seconds of a unit, from the rate of a rank or from what W is to be. */
static int find_scale(const struct ovl_simulated_plan *p, double *scale, struct ovl_error *err)
{
    struct ovl_sim_result work, comm;
    double flops = p->s.network.flops, wanted = p->work_seconds;
    *scale = p->flops_a_unit / flops;
    if (!isnan(flops) && !p->own_work)
        return 0;
    if (isnan(wanted) && isnan(p->ratio))
        return ovl_error_set(err, OVL_USAGE, "--plan %s: say how quick a rank computes; give --flops, such as 60e9",
                             p->s.plan);
    if (play(p, OVL_WAY_BLOCKING, OVL_MASK_WORK, 1, &work, err) != 0 ||
        (isnan(wanted) && play(p, OVL_WAY_BLOCKING, OVL_MASK_COMM, 1, &comm, err) != 0))
        return -1;
    wanted = isnan(wanted) ? p->ratio * comm.seconds : wanted;
    *scale = work.work > 0 ? wanted / work.work : 0;
    return 0;
}

/* T if messages took no time: what ranks that differ wait for each other's work, which no way of moving messages saves.
 */
static int find_path(const struct ovl_simulated_plan *p, double scale, double *path, struct ovl_error *err)
{
    struct ovl_simulated_plan free = *p;
    struct ovl_sim_result result = {.seconds = 0};
    free.s.network = (struct ovl_network){.latency = 0};
    int rc = p->alike ? 0 : play(&free, OVL_WAY_DPU, OVL_MASK_TOTAL, scale, &result, err);
    *path = result.seconds / p->equal;
    return rc;
}

static void print_head(struct ovl_simulated_plan *p)
{
    ovl_simulation_head(&p->s);
    printf("# problem   %s\n", p->problem);
    if (!isnan(p->s.network.flops) && !p->own_work)
        printf("# work      %g Gflop/s a rank, always\n", 1e-9 * p->s.network.flops);
    else if (isnan(p->work_seconds))
        printf("# work      %g x C of blocking calls; with --flops what the problem has\n", p->ratio);
    else
        printf("# work      %g ms of %s, as given\n", 1e3 * p->work_seconds, p->sample);
    if (p->left_out)
        printf("# left out  %s\n", p->left_out);
    printf("%-9s %12s %12s %12s %12s %8s %12s %12s\n", "mode", "C ms", "W ms", "T ms", "exposed ms", "hidden %",
           "least T ms", "host T/T");
}

static void print_row(enum ovl_sim_way way, const struct row *r, double host)
{
    printf("%-9s", ovl_way_names[way]);
    ovl_simulation_number(12, 3, 1e3 * r->alone);
    ovl_simulation_number(12, 3, 1e3 * r->work);
    ovl_simulation_number(12, 3, 1e3 * r->total);
    ovl_simulation_number(12, 3, 1e3 * (r->total - r->work));
    ovl_simulation_number(8, 1, r->alone > 0 ? 100 * (1 - (r->total - r->work) / r->alone) : NAN);
    ovl_simulation_number(12, 3, 1e3 * r->least);
    ovl_simulation_number(12, 2, host / r->total);
    putchar('\n');
}

static int record_row(struct ovl_simulated_plan *p, enum ovl_sim_way way, const struct row *r, struct ovl_error *err)
{
    json_t *line = ovl_simulation_line(&p->s, way);
    json_object_set_new(line, "problem", json_string(p->problem));
    json_object_set_new(line, "trained_model", p->model ? json_string(p->model) : json_null());
    json_object_set_new(line, "simulated_comm_seconds", ovl_simulation_json(r->alone));
    json_object_set_new(line, "simulated_compute_seconds", ovl_simulation_json(r->work));
    json_object_set_new(line, "simulated_total_seconds", ovl_simulation_json(r->total));
    json_object_set_new(line, "least_total_seconds", ovl_simulation_json(r->least));
    json_object_set_new(line, "messages", ovl_simulation_json(r->result.messages));
    json_object_set_new(line, "one_node_for_all", json_boolean(r->result.folded));
    return ovl_simulation_write(&p->s, line, err);
}

/* The question that is asked: what do workers bring against the quickest of the other ways? */
static void print_answer(const struct ovl_simulated_plan *p, const struct row row[OVL_WAYS])
{
    enum ovl_sim_way best = OVL_WAYS;
    for (enum ovl_sim_way way = OVL_WAY_BLOCKING; way < OVL_WAY_DPU; way++)
        if (p->s.wanted[way] && (best == OVL_WAYS || row[way].total < row[best].total))
            best = way;
    if (!p->s.wanted[OVL_WAY_DPU] || best == OVL_WAYS)
        return;
    double saved = 1 - row[OVL_WAY_DPU].total / row[best].total;
    printf(
        "# workers   would %s %.1f %% of %s against %s, the quickest way without them, under the assumptions above\n",
        saved >= 0 ? "save" : "cost", 100 * fabs(saved), p->sample, ovl_way_names[best]);
}

static int simulate(struct ovl_simulated_plan *p, struct ovl_error *err)
{
    struct row row[OVL_WAYS] = {{.alone = 0}};
    double scale, path, host = NAN;
    if (find_scale(p, &scale, err) != 0 || find_path(p, scale, &path, err) != 0)
        return -1;
    for (enum ovl_sim_way way = OVL_WAY_BLOCKING; way < OVL_WAYS; way++) {
        struct row *r = &row[way];
        struct ovl_sim_result comm;
        if (!p->s.wanted[way])
            continue;
        if (play(p, way, OVL_MASK_COMM, scale, &comm, err) != 0 ||
            play(p, way, OVL_MASK_TOTAL, scale, &r->result, err) != 0)
            return -1;
        double wire = fmax(0, p->s.network.byte * p->link_bytes - p->s.network.burst) / p->equal;
        r->alone = comm.seconds / p->equal;
        r->work = r->result.work / p->equal;
        r->total = r->result.seconds / p->equal;
        r->least = way == OVL_WAY_BLOCKING ? NAN : fmax(path, fmax(r->work, wire));
        host = way == OVL_WAY_HOST ? r->total : host;
        if (!p->s.headed)
            print_head(p);
        print_row(way, r, way > OVL_WAY_HOST ? host : NAN);
        if (record_row(p, way, r, err) != 0)
            return -1;
    }
    print_answer(p, row);
    ovl_simulation_foot();
    return 0;
}

struct ovl_simulated_plan ovl_simulated_plan_of(const char *program, const char *plan_text, int ranks, int per_node,
                                                const char *tests, const struct ovl_network_options *options,
                                                const struct ovl_app_options *common)
{
    return (struct ovl_simulated_plan){.s = {.program = program,
                                             .benchmark = program + strlen("ovl_"),
                                             .plan = plan_text,
                                             .ranks = ranks,
                                             .per_node = per_node,
                                             .options = options,
                                             .common = common,
                                             .tests = tests},
                                       .equal = 1,
                                       .flops_a_unit = 1,
                                       .work_seconds = NAN,
                                       .ratio = NAN};
}

void ovl_simulated_plan_play(struct ovl_simulated_plan *p, const struct ovl_app_plan *plan, const void *of)
{
    p->plan = p->blocking = plan;
    p->of = p->blocking_of = of;
}

int ovl_simulated_plan_print(struct ovl_simulated_plan *p, struct ovl_error *err)
{
    for (enum ovl_sim_way way = OVL_WAY_BLOCKING; way < OVL_WAYS; way++) {
        const char *modes = p->s.common->offload.modes, *name = ovl_way_names[way];
        for (const char *at = modes; *at; at += strcspn(at, ","), at += *at == ',')
            p->s.wanted[way] |= strcspn(at, ",") == strlen(name) && strncmp(at, name, strlen(name)) == 0;
    }
    return ovl_simulation_open(&p->s, err) == 0 ? simulate(p, err) : -1;
}
