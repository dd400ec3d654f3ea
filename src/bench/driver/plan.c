/* --plan: an operation on ranks that nobody has, simulated from the rates of a network. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/simulation.h"
#include "bench/driver/driver.h"
#include "simulate/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 10000 };

struct plan {
    const struct ovl_driver *d;
    struct ovl_simulation s;
    const struct ovl_algorithm *asked; /* for workers; NULL: the table's choice */
    char tests[40];
};

/* One row: a size in one way. */
struct row {
    enum ovl_sim_way way;
    uint64_t bytes;
    const char *algorithm;
    double alone, work, total, least, host; /* C, W, T; what the link allows T; T of the host */
    struct ovl_sim_result result;
};

/* What only drivers have and is not simulated is refused, and not left out. */
static int check(struct plan *p, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    const struct ovl_benchmark *b = p->d->benchmark;
    const char *modes = o->common.offload.modes;
    enum ovl_operation operation = ovl_collective.operation;
    p->s.wanted[OVL_WAY_BLOCKING] = p->s.wanted[OVL_WAY_HOST] = strstr(modes, "host") != NULL;
    p->s.wanted[OVL_WAY_THREAD] = strstr(modes, "thread") != NULL;
    p->s.wanted[OVL_WAY_DPU] = strstr(modes, "dpu") != NULL;
    if (b->pairs || operation == OVL_NO_OPERATION || operation == OVL_NOTHING)
        return ovl_error_set(err, OVL_USAGE, "--plan: %s has no schedule that could be simulated; take a collective",
                             b->program);
    const struct {
        bool given;
        const char *name;
    } left_out[] = {{o->in_place, "in-place"},
                    {o->group, "group"},
                    {o->vector, "vector"},
                    {o->persistent, "persistent"},
                    {strcmp(o->cadence, "isolated") != 0, "cadence"},
                    {o->work_from, "work-from"},
                    {o->self_test, "self-test"},
                    {o->rotate != 1, "rotate"},
                    {strcmp(o->common.format, "table") != 0, "format"}};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (left_out[i].given)
            return ovl_error_set(err, OVL_USAGE, "--plan: leave out --%s, which is not simulated", left_out[i].name);
    if (o->root >= (uint64_t)p->s.ranks || (o->root > 0 && !ovl_operations[operation].rooted))
        return ovl_error_set(err, OVL_USAGE, "--root %llu: %s", (unsigned long long)o->root,
                             o->root >= (uint64_t)p->s.ranks ? "there are not so many ranks" : "there is no root");
    struct ovl_offload offload = {.algorithm = NULL};
    int rc = ovl_offload_choose(&offload, &o->common.offload, o->algorithm, operation, b->name, p->s.ranks, err);
    p->asked = offload.algorithm;
    return rc;
}

static void print_head(struct plan *p)
{
    if (p->s.headed)
        return;
    const struct ovl_driver_options *o = &p->d->options;
    ovl_simulation_head(&p->s);
    if (p->s.ranks >= MANY && o->sizes.n > 1 && o->sizes.size[0] == p->d->benchmark->size_min)
        printf("# sizes     some may take minutes with so many ranks; give one size, as -m 64K:64K\n");
    printf("%10s  %-8s  %-19s %12s %12s %12s %12s %8s %12s %8s\n", "bytes", "mode", "algorithm", "C us", "W us", "T us",
           "exposed us", "hidden %", "least T us", "host T/T");
}

static double hidden(const struct row *r)
{
    return r->work > 0 ? 1 - (r->total - r->work) / r->alone : NAN;
}

static void print_row(struct plan *p, const struct row *r)
{
    print_head(p);
    printf("%10llu  %-8s  %-19s", (unsigned long long)r->bytes, ovl_way_names[r->way], r->algorithm);
    ovl_simulation_number(12, 2, 1e6 * r->alone);
    ovl_simulation_number(12, 2, 1e6 * r->work);
    ovl_simulation_number(12, 2, 1e6 * r->total);
    ovl_simulation_number(12, 2, 1e6 * (r->total - r->work));
    ovl_simulation_number(8, 1, 100 * hidden(r));
    ovl_simulation_number(12, 2, 1e6 * r->least);
    ovl_simulation_number(8, 2, r->host / r->total);
    putchar('\n');
}

static int record_row(struct plan *p, const struct row *r, struct ovl_error *err)
{
    json_t *line = ovl_simulation_line(&p->s, r->way);
    json_object_set_new(line, "size_bytes", json_integer((json_int_t)r->bytes));
    json_object_set_new(line, "algorithm", json_string(r->algorithm));
    json_object_set_new(line, "test_calls",
                        r->way == OVL_WAY_HOST ? json_integer((json_int_t)p->d->options.tests) : json_null());
    json_object_set_new(line, "simulated_comm_seconds", ovl_simulation_json(r->alone));
    json_object_set_new(line, "simulated_compute_seconds", ovl_simulation_json(r->work));
    json_object_set_new(line, "simulated_total_seconds", ovl_simulation_json(r->total));
    json_object_set_new(line, "least_total_seconds", ovl_simulation_json(r->least));
    json_object_set_new(line, "messages", ovl_simulation_json(r->result.messages));
    json_object_set_new(line, "one_node_for_all", json_boolean(r->result.folded));
    return ovl_simulation_write(&p->s, line, err);
}

/* The operation at that size in that way, with the algorithm that it is done by, and what that is called. */
static struct ovl_sim_operation operation_of(const struct plan *p, struct row *r)
{
    const struct ovl_driver_options *o = &p->d->options;
    struct ovl_sim_operation by = {.shape = ovl_sim_shape(ovl_collective.operation, r->bytes,
                                                          o->type ? ovl_driver_type_bytes(o->type) : 1, p->s.ranks,
                                                          (int)o->root),
                                   .stride = 1};
    if (r->way == OVL_WAY_DPU && p->asked)
        by.shape.algorithm = p->asked;
    r->algorithm = by.shape.algorithm ? by.shape.algorithm->name
                                      : ovl_simulation_choose(&p->s, r->way, p->s.per_node, p->s.nodes, &by);
    return by;
}

/* C where it is NAN, and T of that way. A blocking call takes nothing from work, and so do threads and workers on cores
   of their own: these need no second look. */
static int simulate(struct plan *p, struct row *r, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    const struct ovl_sim_machine m = ovl_simulation_machine(&p->s, r->way);
    bool beside = m.mover != OVL_SIM_BY_CALLS;
    struct ovl_sim_job job = {.operation = operation_of(p, r),
                              .per_node = p->s.per_node,
                              .rates = m.rates,
                              .workers = r->way == OVL_WAY_DPU ? m.workers : 0,
                              .threads = r->way == OVL_WAY_THREAD,
                              .shared = m.shared};
    int rc = 0;
    if (isnan(r->alone)) {
        rc = ovl_sim_run(&job, &r->result, err);
        r->alone = r->result.seconds;
    }
    r->total = beside ? fmax(r->alone, r->work) : r->alone + r->work;
    if (rc == 0 && (r->way == OVL_WAY_HOST || (beside && m.shared)) && r->work > 0) {
        job.work = r->work;
        job.tests = r->way == OVL_WAY_HOST ? o->tests : 0;
        rc = ovl_sim_run(&job, &r->result, err);
        r->total = r->result.seconds;
    }
    ovl_sim_shape_free(&job.operation.shape);
    return rc;
}

/* NAN: not known, as where nodes have unlike numbers of ranks. */
static double least_seconds(const struct plan *p, uint64_t bytes)
{
    const struct ovl_benchmark *b = p->d->benchmark;
    if (p->s.nodes > 1 && p->s.ranks % p->s.per_node != 0)
        return NAN;
    if (p->s.nodes == 1) /* within a node there is no link */
        return 0;
    double wire = b->wire_bytes ? p->s.network.byte * b->wire_bytes((double)bytes, p->s.ranks, p->s.nodes) : 0;
    return fmax(0, wire - p->s.network.burst);
}

/* The rows of a size and a ratio of the work. first[way] has C of each, NAN before it is known; the work follows the
   host's. */
static int print_rows(struct plan *p, uint64_t bytes, double ratio, struct row first[OVL_WAYS], struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    double host = NAN, work = 1e-6 * o->compute_us, wire = least_seconds(p, bytes);
    if (isnan(work) || p->s.wanted[OVL_WAY_BLOCKING]) {
        if (isnan(first[OVL_WAY_BLOCKING].alone) && simulate(p, &first[OVL_WAY_BLOCKING], err) != 0)
            return -1;
        first[OVL_WAY_HOST] = first[OVL_WAY_BLOCKING]; /* a call alone is the same */
        first[OVL_WAY_HOST].way = OVL_WAY_HOST;
    }
    if (isnan(work))
        work = ratio * first[OVL_WAY_BLOCKING].alone;
    for (enum ovl_sim_way way = OVL_WAY_BLOCKING; way < OVL_WAYS; way++) {
        if (!p->s.wanted[way])
            continue;
        struct row *r = &first[way];
        r->work = work;
        r->least = way == OVL_WAY_BLOCKING || isnan(wire) ? work + wire : fmax(work, wire);
        if (simulate(p, r, err) != 0)
            return -1;
        host = way == OVL_WAY_HOST ? r->total : host;
        r->host = way > OVL_WAY_HOST ? host : NAN;
        print_row(p, r);
        if (record_row(p, r, err) != 0)
            return -1;
    }
    return 0;
}

static int print_sizes(struct plan *p, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    size_t sizes = o->sizes.n > 0 ? o->sizes.n : 1;
    for (size_t i = 0; i < sizes; i++) {
        uint64_t bytes = o->sizes.n > 0 ? o->sizes.size[i] : 0;
        struct row first[OVL_WAYS];
        for (enum ovl_sim_way way = OVL_WAY_BLOCKING; way < OVL_WAYS; way++)
            first[way] = (struct row){.way = way, .bytes = bytes, .alone = NAN};
        for (size_t k = 0; k < o->ratios.n; k++)
            if (print_rows(p, bytes, o->ratios.value[k], first, err) != 0)
                return -1;
    }
    ovl_simulation_foot();
    return 0;
}

int ovl_driver_print(struct ovl_app_job *job, struct ovl_error *err)
{
    const struct ovl_driver *d = (struct ovl_driver *)job;
    const struct ovl_driver_options *o = &d->options;
    struct plan p = {.d = d,
                     .s = {.program = d->benchmark->program,
                           .benchmark = d->benchmark->name,
                           .plan = o->plan,
                           .options = &o->network,
                           .common = &o->common,
                           .tests = p.tests}};
    if (o->common.help || o->common.version)
        return 0;
    if (!o->plan)
        return ovl_network_misplaced(&o->network, NULL, err);
    snprintf(p.tests, sizeof p.tests, "%llu tests", (unsigned long long)o->tests);
    if (ovl_app_plan_parse(o->plan, &p.s.ranks, &p.s.per_node, err) != 0 || check(&p, err) != 0 ||
        ovl_simulation_open(&p.s, err) != 0)
        return -1;
    return print_sizes(&p, err) == 0 ? 1 : -1;
}
