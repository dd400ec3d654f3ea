/* --plan: an operation on ranks that nobody has, simulated from the rates of a network. Nothing here is measured, and
 * every output says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver/driver.h"
#include "cli/link.h"
#include "record/derived/writer.h"
#include "simulate/library.h"
#include "simulate/operation.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Larger messages ask the receiver first: what the workers do, and MPI libraries from 8 to 64 KiB on. */
enum { EAGER = 16 << 10 };

enum way { BLOCKING, HOST, DPU, WAYS };

struct plan {
    const struct ovl_driver *d;
    int ranks, per_node, nodes;
    struct ovl_sim_rates rates;
    const struct ovl_algorithm *asked; /* for workers; NULL: the table's choice */
    bool wanted[WAYS], headed; /* the head is printed: with the first row, so that who is refused gets one line */
    struct ovl_writer json;
};

/* One row: a size in one way. */
struct row {
    enum way way;
    uint64_t bytes;
    const char *algorithm;
    double alone, work, total, least, host; /* C, W, T; what the link allows T; T of the host */
    struct ovl_sim_result result;
};

static const char *const way_names[WAYS] = {"blocking", "host", "dpu"};

/* Seconds of "2us"; NAN. */
static double duration(const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const char *end;
    double x;
    if (ovl_options_number(text, &x, &end) != 0 || x < 0)
        return NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].unit) == 0)
            return x * units[i].seconds;
    return NAN;
}

static int read_rates(struct plan *p, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    if (!o->link_rate || !o->latency)
        return ovl_error_set(err, OVL_USAGE, "--plan %s: say what the network is like; give %s%s%s", o->plan,
                             o->link_rate ? "" : "--link-rate of a node, such as 200gbit",
                             o->link_rate || o->latency ? "" : ", and ",
                             o->latency ? "" : "--latency from node to node, such as 2us");
    double rate = ovl_link_bits(o->link_rate) / 8, latency = duration(o->latency);
    if (!(rate > 0) || !isfinite(rate))
        return ovl_error_set(err, OVL_USAGE, "--link-rate %s: give bits a second, such as 200gbit", o->link_rate);
    if (isnan(latency))
        return ovl_error_set(err, OVL_USAGE, "--latency %s: give a time, such as 2us", o->latency);
    p->rates = (struct ovl_sim_rates){.latency = latency,
                                      .byte = 1 / rate,
                                      .overhead = isnan(o->overhead) ? 0 : 1e-6 * o->overhead,
                                      .carry = isnan(o->carry) ? 0 : o->carry,
                                      .eager = EAGER};
    return 0;
}

/* What is not simulated is refused, and not left out. */
static int check(struct plan *p, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    const struct ovl_benchmark *b = p->d->benchmark;
    const char *modes = o->common.offload.modes;
    struct ovl_coll_shape none = {.operation = ovl_collective.operation, .ranks = 1, .element = 1};
    p->wanted[BLOCKING] = p->wanted[HOST] = strstr(modes, "host") != NULL;
    p->wanted[DPU] = strstr(modes, "dpu") != NULL;
    if (strstr(modes, "thread"))
        return ovl_error_set(err, OVL_USAGE, "--plan: threads are not simulated; leave thread out of --mode");
    if (b->pairs || ovl_collective.operation == OVL_NO_OPERATION || ovl_collective.operation == OVL_NOTHING)
        return ovl_error_set(err, OVL_USAGE, "--plan: %s has no schedule that could be simulated; take a collective",
                             b->program);
    if (o->in_place || o->group || o->vector || strcmp(o->common.skew, "none") != 0)
        return ovl_error_set(err, OVL_USAGE, "--plan: leave out --%s, which is not simulated",
                             o->in_place ? "in-place"
                             : o->group  ? "group"
                             : o->vector ? "vector"
                                         : "skew");
    if (o->root >= (uint64_t)p->ranks || (o->root > 0 && !ovl_operations[none.operation].rooted))
        return ovl_error_set(err, OVL_USAGE, "--root %llu: %s", (unsigned long long)o->root,
                             o->root >= (uint64_t)p->ranks ? "there are not so many ranks" : "there is no root");
    struct ovl_offload offload = {.algorithm = NULL};
    int rc = ovl_offload_choose(&offload, &o->common.offload, o->algorithm, none.operation, b->name, p->ranks, err);
    p->asked = offload.algorithm;
    return rc;
}

static void print_head(const struct plan *p)
{
    const struct ovl_driver_options *o = &p->d->options;
    int here = p->per_node < p->ranks ? p->per_node : p->ranks;
    printf("# %s --plan: simulated, not measured\n", p->d->benchmark->program);
    printf("# ranks     %d, %d a node, on %d nodes\n", p->ranks, here, p->nodes);
    printf("# network   %s in and out of each node, %s from node to node; without contention beyond the nodes' links\n",
           o->link_rate, o->latency);
    printf("# cores     %g us a message at each end, %g ns a byte%s\n", 1e6 * p->rates.overhead, 1e9 * p->rates.carry,
           isnan(o->overhead) && isnan(o->carry) ? " (--overhead and --carry were not given)" : "");
    printf("# model     LogGPS; links carry one message at a time; above %d KiB messages ask first; no noise\n",
           EAGER >> 10);
    if (p->wanted[HOST])
        printf("# host      MPICH's algorithms; goes on in calls only: the post, %llu tests, the wait\n",
               (unsigned long long)o->tests);
    if (p->wanted[DPU])
        printf("# dpu       workers a node: %llu, each on a core of its own that is as quick as the host's\n",
               (unsigned long long)o->common.offload.workers);
    printf("%10s  %-8s  %-19s %12s %12s %12s %12s %8s %12s %8s\n", "bytes", "mode", "algorithm", "C us", "W us", "T us",
           "exposed us", "hidden %", "least T us", "host T/T");
}

/* "-" where there is no value. */
static void print_number(int width, int decimals, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, decimals, x);
    else
        printf(" %*s", width, "-");
}

static double hidden(const struct row *r)
{
    return r->work > 0 ? 1 - (r->total - r->work) / r->alone : NAN;
}

static void print_row(struct plan *p, const struct row *r)
{
    if (!p->headed)
        print_head(p);
    p->headed = true;
    printf("%10llu  %-8s  %-19s", (unsigned long long)r->bytes, way_names[r->way], r->algorithm);
    print_number(12, 2, 1e6 * r->alone);
    print_number(12, 2, 1e6 * r->work);
    print_number(12, 2, 1e6 * r->total);
    print_number(12, 2, 1e6 * (r->total - r->work));
    print_number(8, 1, 100 * hidden(r));
    print_number(12, 2, 1e6 * r->least);
    print_number(8, 2, r->host / r->total);
    putchar('\n');
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* A line of its own kind, without a run: no reader of records takes it for a cell (record/record.c). */
static int record_row(struct plan *p, const struct row *r, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    if (!o->common.json)
        return 0;
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:s, s:s, s:s}", "record", "simulated", "schema",
                             OVL_RECORD_SCHEMA, "note", "simulated, not measured", "benchmark", p->d->benchmark->name,
                             "ranks", p->ranks, "ranks_per_node", p->per_node, "size_bytes", (json_int_t)r->bytes,
                             "mode", way_names[r->way], "algorithm", r->algorithm, "model", "LogGPS");
    json_object_set_new(line, "rates",
                        json_pack("{s:f, s:f, s:f, s:f, s:i}", "latency_seconds", p->rates.latency,
                                  "link_bytes_per_second", 1 / p->rates.byte, "overhead_seconds", p->rates.overhead,
                                  "carry_seconds_per_byte", p->rates.carry, "eager_bytes", EAGER));
    json_object_set_new(line, "workers_per_node",
                        r->way == DPU ? json_integer((json_int_t)o->common.offload.workers) : json_null());
    json_object_set_new(line, "test_calls", r->way == HOST ? json_integer((json_int_t)o->tests) : json_null());
    json_object_set_new(line, "simulated_comm_seconds", number(r->alone));
    json_object_set_new(line, "simulated_compute_seconds", number(r->work));
    json_object_set_new(line, "simulated_total_seconds", number(r->total));
    json_object_set_new(line, "least_total_seconds", number(r->least));
    json_object_set_new(line, "messages", number(r->result.messages));
    json_object_set_new(line, "one_node_for_all", json_boolean(r->result.folded));
    return ovl_writer_line(&p->json, line, err);
}

/* The shape at that size in that way, with the algorithm that it is done by. */
static struct ovl_coll_shape shape_of(const struct plan *p, const struct row *r)
{
    const struct ovl_driver_options *o = &p->d->options;
    struct ovl_placement nodes = {.ranks = p->ranks, .nodes = p->nodes}; /* their number chooses */
    struct ovl_coll_shape s = ovl_sim_shape(ovl_collective.operation, r->bytes,
                                            o->type ? ovl_driver_type_bytes(o->type) : 1, p->ranks, (int)o->root);
    s.placement = &nodes;
    if (r->way == DPU)
        s.algorithm = p->asked ? p->asked : ovl_algorithm_of(&s);
    else {
        const struct ovl_library_rule *rule = ovl_library_rule_of(&s, p->per_node);
        s.algorithm = rule ? ovl_algorithm_find(rule->operation, rule->name) : NULL;
    }
    s.placement = NULL;
    return s;
}

/* C where it is NAN, and T of that way. Work takes nothing from workers, and a blocking call nothing from work: both
   need no second look. */
static int simulate(struct plan *p, struct row *r, struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    struct ovl_sim_job job = {.shape = shape_of(p, r),
                              .per_node = p->per_node,
                              .rates = p->rates,
                              .workers = r->way == DPU ? (int)o->common.offload.workers : 0};
    int rc = 0;
    r->algorithm = job.shape.algorithm->name;
    if (isnan(r->alone)) {
        rc = ovl_sim_run(&job, &r->result, err);
        r->alone = r->result.seconds;
    }
    r->total = r->way == DPU ? fmax(r->alone, r->work) : r->alone + r->work;
    if (rc == 0 && r->way == HOST && r->work > 0) {
        job.work = r->work;
        job.tests = o->tests;
        rc = ovl_sim_run(&job, &r->result, err);
        r->total = r->result.seconds;
    }
    ovl_sim_shape_free(&job.shape);
    return rc;
}

static double least_seconds(const struct plan *p, uint64_t bytes)
{
    const struct ovl_benchmark *b = p->d->benchmark;
    return b->wire_bytes ? p->rates.byte * b->wire_bytes((double)bytes, p->ranks, p->nodes) : 0;
}

/* The rows of a size and a ratio of the work. first[way] has C of each, NAN before it is known; the work follows the
   host's. */
static int print_rows(struct plan *p, uint64_t bytes, double ratio, struct row first[WAYS], struct ovl_error *err)
{
    const struct ovl_driver_options *o = &p->d->options;
    double host = NAN, work = 1e-6 * o->compute_us, wire = least_seconds(p, bytes);
    if (isnan(work) || p->wanted[BLOCKING]) {
        if (isnan(first[BLOCKING].alone) && simulate(p, &first[BLOCKING], err) != 0)
            return -1;
        first[HOST] = first[BLOCKING]; /* a call alone is the same */
        first[HOST].way = HOST;
    }
    if (isnan(work))
        work = ratio * first[BLOCKING].alone;
    for (enum way way = BLOCKING; way < WAYS; way++) {
        if (!p->wanted[way])
            continue;
        struct row *r = &first[way];
        r->work = work;
        r->least = way == BLOCKING ? work + wire : fmax(work, wire);
        if (simulate(p, r, err) != 0)
            return -1;
        host = way == HOST ? r->total : host;
        r->host = way == DPU ? host : NAN;
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
        struct row first[WAYS];
        for (enum way way = BLOCKING; way < WAYS; way++)
            first[way] = (struct row){.way = way, .bytes = bytes, .alone = NAN};
        for (size_t k = 0; k < o->ratios.n; k++)
            if (print_rows(p, bytes, o->ratios.value[k], first, err) != 0)
                return -1;
    }
    printf("# simulated, not measured: a machine's noise, other jobs and routes are not in it\n");
    return 0;
}

static int open_file(struct plan *p, struct ovl_error *err)
{
    const char *path = p->d->options.common.json;
    struct stat file;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0)
        return ovl_error_set(err, OVL_USAGE, "--json %s: what is simulated stands in a file of its own; name a new one",
                             path);
    return ovl_writer_open(&p->json, path, err);
}

int ovl_driver_print(struct ovl_app_job *job, struct ovl_error *err)
{
    const struct ovl_driver *d = (struct ovl_driver *)job;
    const struct ovl_driver_options *o = &d->options;
    struct plan p = {.d = d, .json = {.fd = -1}};
    if (o->common.help || o->common.version)
        return 0;
    if (!o->plan && (o->link_rate || o->latency || !isnan(o->overhead) || !isnan(o->carry)))
        return ovl_error_set(err, OVL_USAGE, "--%s: a network is told for --plan RANKS alone, which measures nothing",
                             o->link_rate          ? "link-rate"
                             : o->latency          ? "latency"
                             : !isnan(o->overhead) ? "overhead"
                                                   : "carry");
    if (!o->plan)
        return 0;
    if (ovl_app_plan_parse(o->plan, &p.ranks, &p.per_node, err) != 0 || read_rates(&p, err) != 0 || check(&p, err) != 0)
        return -1;
    p.nodes = 1 + (p.ranks - 1) / p.per_node;
    if (o->common.json && open_file(&p, err) != 0)
        return -1;
    int rc = print_sizes(&p, err);
    if (o->common.json && ovl_writer_close(&p.json, err) != 0)
        rc = -1;
    return rc == 0 ? 1 : -1;
}
