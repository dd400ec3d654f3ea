/* What each chart takes from a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/chart.h"
#include "record/derived/link_model.h"
#include "tool/chart/column.h"

#include <math.h>
#include <string.h>

static void put_summary(FILE *out, const struct ovl_summary *s)
{
    ovl_chart_put_estimate(out, (struct ovl_estimate){s->median, s->ci_low, s->ci_high}, 1);
}

/* As the table of fields shows it. */
static bool overlap_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    (void)figure;
    double percent = ovl_field_of_derived(OVL_HIDEABLE)->show.factor;
    ovl_chart_put_first(out, p->cell->size_bytes);
    ovl_chart_put_estimate(out, p->cell->derived[OVL_HIDDEN], percent);
    ovl_chart_put(out, ovl_chart_status(p) == 2 ? NAN : percent * p->cell->derived[OVL_HIDEABLE].value);
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return !isnan(p->cell->derived[OVL_HIDDEN].value);
}

static bool total_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    const struct ovl_point *host = ovl_figure_host_of(figure, p);
    const struct ovl_summary *s = &p->cell->summary[OVL_TOTAL];
    ovl_chart_put_first(out, p->cell->size_bytes);
    put_summary(out, s);
    ovl_chart_put(out, host ? ovl_chart_change(host->cell->summary[OVL_TOTAL].median, s->median) : NAN);
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return !isnan(s->median);
}

static bool latency_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    (void)figure;
    ovl_chart_put_first(out, p->cell->size_bytes);
    put_summary(out, &p->cell->summary[OVL_COMM]);
    ovl_chart_put(out, ovl_link_seconds(p->run, p->cell));
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return !isnan(p->cell->summary[OVL_COMM].median);
}

static bool interference_line(FILE *out, const struct ovl_chart_data *figure, const struct ovl_point *p)
{
    (void)figure;
    ovl_chart_put_first(out, p->cell->size_bytes);
    ovl_chart_put_estimate(out, p->cell->derived[OVL_SLOWDOWN], 1);
    fprintf(out, "\t%d\n", ovl_chart_status(p));
    return !isnan(p->cell->derived[OVL_SLOWDOWN].value);
}

/* Lines of reference; a cell without a claim is no part of them. */

static void no_overlap(FILE *out, const struct ovl_point *p)
{
    double t = p->cell->summary[OVL_COMPUTE].median + p->cell->summary[OVL_BLOCKING].median;
    ovl_chart_put_first(out, p->cell->size_bytes);
    ovl_chart_put(out, ovl_chart_status(p) == 2 ? NAN : t);
    fputs("\n", out);
}

static void blocking(FILE *out, const struct ovl_point *p)
{
    static const struct ovl_summary none = {.median = NAN, .ci_low = NAN, .ci_high = NAN};
    ovl_chart_put_first(out, p->cell->size_bytes);
    put_summary(out, ovl_chart_status(p) == 2 ? &none : &p->cell->summary[OVL_BLOCKING]);
    fputs("\n", out);
}

static void note_overlap(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    size_t none = 0;
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel >= first && figure->points[i].panel < last)
            none += isnan(figure->points[i].cell->derived[OVL_HIDDEN].value);
    if (none > 0)
        snprintf(
            text, OVL_FIGURE_LABEL,
            "%zu point%s not drawn: the communication takes under 20 reads of the clock, or no block has all of it",
            none, none == 1 ? "" : "s");
}

static void note_total(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel >= first && figure->points[i].panel < last &&
            ovl_figure_host_of(figure, &figure->points[i]))
            strcpy(text, "percentages: DPU / host - 1, at the same amount of work");
}

static void note_latency(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first, size_t last)
{
    bool crosses = false, always = false, others = false, both = false, wire = false;
    for (size_t p = first; p < last; p++) {
        double at = ovl_chart_crossover(figure, p);
        crosses |= at > 0;
        always |= at == 0;
        others |= isnan(at);
    }
    for (size_t i = 0; i < figure->point_count; i++)
        if (figure->points[i].panel >= first && figure->points[i].panel < last) {
            both |= ovl_figure_host_of(figure, &figure->points[i]) != NULL;
            wire |= !isnan(ovl_link_seconds(figure->points[i].run, figure->points[i].cell));
        }
    if (both)
        strcpy(text, crosses            ? "vertical line: from this size on the communication by DPU is faster"
                     : always && others ? "in some panels the communication by DPU is faster at all sizes"
                     : always           ? "the communication by DPU is faster at all sizes"
                                        : "there is no size from which on the communication by DPU is always faster");
    if (wire)
        strcat(text, both ? "; wire limit: bytes through a node's link / its rate"
                          : "wire limit: bytes through a node's link / its rate");
}

static void note_interference(char text[OVL_FIGURE_LABEL], const struct ovl_chart_data *figure, size_t first,
                              size_t last)
{
    (void)figure, (void)first, (void)last;
    strcpy(text, "1: the same work takes as long beside the communication as without it");
}

static size_t one_box(const struct ovl_chart_data *figure)
{
    (void)figure;
    return 1;
}

static size_t two_boxes(const struct ovl_chart_data *figure)
{
    (void)figure;
    return 2;
}

static size_t box_per_series(const struct ovl_chart_data *figure)
{
    return figure->series_count > 0 ? figure->series_count : 1; /* a run may have ended before its first cell */
}

const struct ovl_chart ovl_charts[] = {
    {
        .name = "overlap",
        .summary = "hidden part of the communication against message size",
        .needs_size = true,
        .columns = "size_bytes\thidden_percent\tci_low\tci_high\thideable_percent\tstatus",
        .line = overlap_line,
        .boxes = one_box,
        .note = note_overlap,
    },
    {
        .name = "total",
        .summary = "execution time against message size",
        .needs_size = true,
        .columns = "size_bytes\tseconds\tci_low\tci_high\tchange_percent\tstatus",
        .line = total_line,
        .boxes = two_boxes,
        .reference = no_overlap,
        .reference_label = "Compute, then blocking call",
        .note = note_total,
    },
    {
        .name = "latency",
        .summary = "time of the communication alone, and of the blocking call",
        .needs_size = true,
        .columns = "size_bytes\tseconds\tci_low\tci_high\twire_seconds\tstatus",
        .line = latency_line,
        .boxes = one_box,
        .reference = blocking,
        .reference_label = "Blocking call",
        .note = note_latency,
    },
    {
        .name = "breakdown",
        .summary = "what the execution time is made of",
        .columns = "size_bytes\tinit_percent\tcompute_percent\ttest_percent\twait_percent\ttotal_seconds\tstatus",
        .line = ovl_chart_breakdown_line,
        .boxes = box_per_series,
        .note = ovl_chart_breakdown_note,
    },
    {
        .name = "fft3d",
        .summary = "time of a 3D transform or of a step by each scheme, and what overlapping gains",
        .needs_grid = true,
        .columns = "percent\tci_low\tci_high\tcompute_percent\tchange_percent\tseconds\tstatus\tbound_percent",
        .line = ovl_chart_fft3d_line,
        .boxes = one_box,
        .labels = ovl_chart_fft3d_labels,
        .note = ovl_chart_fft3d_note,
    },
    {
        .name = "nodes",
        .summary = "time by the host and by workers over the number of nodes",
        .needs_grid = true,
        .columns = "nodes\tseconds\tci_low\tci_high\timprovement_percent\tstatus\tplace",
        .line = ovl_chart_nodes_line,
        .boxes = one_box,
        .arrange = ovl_chart_nodes_arrange,
        .note = ovl_chart_nodes_note,
    },
    {
        .name = "classes",
        .summary = "time of a training step's operations by size class, and their sum",
        .only = "train",
        .of_latest = true,
        .columns = "place\tseconds\tchange_percent\tstatus\tclass\tcalls",
        .line = ovl_chart_classes_line,
        .boxes = one_box,
        .note = ovl_chart_classes_note,
    },
    {
        .name = "experts",
        .summary = "exposed dispatch and combine of a mixture of experts, and how unlike its ranks' tokens are",
        .only = "train",
        .of_latest = true,
        .columns = "number\tdispatch_seconds\tcombine_seconds\timbalance",
        .line = ovl_chart_experts_line,
        .boxes = two_boxes,
        .note = ovl_chart_experts_note,
    },
    {
        .name = "requests",
        .summary = "time to the first token of requests, and for each further one, by scheme",
        .only = "serve",
        .of_latest = true,
        .columns = "place\tp50_seconds\tp90_seconds\thighest_seconds\tstatus",
        .line = ovl_chart_requests_line,
        .boxes = one_box,
        .note = ovl_chart_requests_note,
    },
    {
        .name = "spread",
        .summary = "how both times of requests are spread, by scheme",
        .only = "serve",
        .of_latest = true,
        .columns = "share\tfirst_seconds\tunqueued_seconds\tfurther_seconds\tstatus",
        .line = ovl_chart_spread_line,
        .boxes = two_boxes,
        .note = ovl_chart_spread_note,
    },
    {
        .name = "iterations",
        .summary = "communication exposed in each iteration of a trace that is served, and exposed and hidden in all",
        .only = "serve",
        .of_latest = true,
        .columns = "iteration\texposed_seconds\tall_exposed_seconds\tall_hidden_seconds\tstatus",
        .line = ovl_chart_iterations_line,
        .boxes = two_boxes,
        .note = ovl_chart_iterations_note,
    },
    {
        .name = "gantt",
        .summary = "what each rank does in a training step, or while requests are served, by scheme",
        .only = "train",
        .also = "serve",
        .of_latest = true,
        .columns = "begin_seconds\tend_seconds\ttop\tbottom\tkind\tlane",
        .line = ovl_chart_gantt_line,
        .boxes = box_per_series,
        .note = ovl_chart_gantt_note,
    },
    {
        .name = "checkpoints",
        .summary = "what checkpoints take of an epoch, by who writes them",
        .only = "train",
        .of_latest = true,
        .columns = "begin_seconds\tend_seconds\ttop\tbottom\tkind\tlane",
        .line = ovl_chart_checkpoints_line,
        .boxes = box_per_series,
        .arrange = ovl_chart_checkpoints_arrange,
        .note = ovl_chart_checkpoints_note,
    },
    {
        .name = "excess",
        .summary = "by how much checkpoints make an epoch longer, by who writes them",
        .only = "train",
        .of_latest = true,
        .columns = "place\tpercent\tci_low\tci_high\tstall_percent\tcopy_percent\tstatus",
        .line = ovl_chart_excess_line,
        .boxes = one_box,
        .arrange = ovl_chart_excess_arrange,
        .note = ovl_chart_excess_note,
    },
    {
        .name = "goodput",
        .summary = "goodput with failures over the steps between checkpoints, measured and expected",
        .only = "train",
        .of_latest = true,
        .columns = "interval_steps\tpercent\tci_low\tci_high\twhat\tstatus",
        .line = ovl_chart_goodput_line,
        .boxes = one_box,
        .arrange = ovl_chart_goodput_arrange,
        .note = ovl_chart_goodput_note,
    },
    {
        .name = "loading",
        .summary = "a training step by the order in which samples are read",
        .only = "train",
        .of_latest = true,
        .columns = "place\tseconds\tci_low\tci_high\tstall_seconds\tau_percent\thit_percent\tstatus",
        .line = ovl_chart_loading_line,
        .boxes = one_box,
        .arrange = ovl_chart_loading_arrange,
        .note = ovl_chart_loading_note,
    },
    {
        .name = "cores",
        .summary = "time of each mode, and time by the cores that it took, where all have cores of their own",
        .lacks = "not shown here: no workers or progress threads had cores of their own",
        .columns = "place\tpercent\tby_cores_percent\tseconds\tcores\tstatus\tsize",
        .line = ovl_chart_cores_line,
        .boxes = one_box,
        .note = ovl_chart_cores_note,
    },
    {
        .name = "interference",
        .summary = "by what factor the communication slows the computation down",
        .needs_size = true,
        .columns = "size_bytes\tslowdown\tci_low\tci_high\tstatus",
        .line = interference_line,
        .boxes = one_box,
        .note = note_interference,
    },
    {
        .name = "stragglers",
        .summary = "what each rank exposed, and the five worst with their nodes",
        .of_latest = true,
        .columns = "rank\tseconds\tci_low\tci_high\tmedian_over_ranks\tnode\tnew_node\tplace",
        .line = ovl_chart_stragglers_line,
        .boxes = one_box,
        .arrange = ovl_chart_stragglers_arrange,
        .labels = ovl_chart_stragglers_labels,
        .note = ovl_chart_stragglers_note,
    },
    {
        .name = "samples",
        .summary = "each sample of a cell in the order of the blocks, and their histogram",
        .on_request = true,
        .of_latest = true,
        .columns = "block\tseconds\toutlier\tmedian\tbin_low\tbin_high\tshare",
        .line = ovl_chart_samples_line,
        .boxes = two_boxes,
        .arrange = ovl_chart_samples_arrange,
        .note = ovl_chart_samples_note,
    },
    {
        .name = "hpl",
        .summary = "speed of the solution for each order",
        .only = "hpl",
        .columns = "n\tgflops\tci_low\tci_high\tchange_percent\tstatus",
        .line = ovl_chart_hpl_line,
        .boxes = one_box,
        .note = ovl_chart_hpl_note,
    },
    {
        .name = "panels",
        .summary = "exposed broadcast of a matrix, panel by panel",
        .only = "hpl",
        .of_latest = true,
        .columns = "panel\texposed_seconds\talone_seconds",
        .line = ovl_chart_panels_line,
        .boxes = one_box,
        .note = ovl_chart_panels_note,
    },
    {.name = NULL},
};
