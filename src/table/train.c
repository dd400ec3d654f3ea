/* What the table says below a training step: checkpoints, helpers, compressed gradients, experts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/train.h"
#include "base/number.h"

#include <string.h>

static double number(const json_t *of, const char *name)
{
    return json_number_value(json_object_get(of, name));
}

static void put_compression(FILE *out, const struct ovl_cell *c)
{
    const json_t *z = json_object_get(c->extra, "compression");
    if (!z)
        return;
    double pays = number(z, "break_even_bytes_per_second");                     /* 0: null */
    bool pieces = strncmp(ovl_cell_problem_text(c, "compress"), "szx", 3) == 0; /* whose bytes no plan knows */
    fprintf(out, "# lossy, %s: ", ovl_cell_problem_text(c, "compress"));
    if (number(z, "ratio") > 0)
        fprintf(out, "ratio of the bytes sent %.2f, ", number(z, "ratio"));
    fprintf(out, "largest error of a sum %.3g", number(z, "max_error"));
    if (number(z, "bound") > 0 && pieces)
        fprintf(out, " of at most %.3g", number(z, "bound"));
    fprintf(out, ", %.2f GB/s in, %.2f GB/s out;\n#   ", 1e-9 * number(z, "compress_bytes_per_second"),
            1e-9 * number(z, "decompress_bytes_per_second"));
    if (pays > 0)
        fprintf(out, "it pays on links below %.2f Gbit/s%s", 8e-9 * pays,
                pieces ? "; the bounds leave its bytes out" : "");
    else
        fputs("it saves no bytes and pays on no link", out);
    if (number(z, "plain_total_seconds") > 0)
        fprintf(out, "; total %.3f of that without", c->summary[OVL_TOTAL].median / number(z, "plain_total_seconds"));
    fputc('\n', out);
}

/* " [a, b]" of an interval, if there is one. */
static void put_percents(FILE *out, const json_t *limits, bool sign)
{
    const json_t *low = json_object_get(limits, "ci_low"), *high = json_object_get(limits, "ci_high");
    if (!json_is_number(low) || !json_is_number(high))
        return;
    if (sign)
        fprintf(out, " [%s, %s]", OVL_PERCENT_MORE(1, json_number_value(low)),
                OVL_PERCENT_MORE(1, json_number_value(high)));
    else
        fprintf(out, " [%s, %s]", OVL_PERCENT(1, json_number_value(low)), OVL_PERCENT(1, json_number_value(high)));
}

/* Of what is told as 1 - T / T of another one: how much longer it is. */
static void put_longer(FILE *out, const json_t *less)
{
    const json_t *low = json_object_get(less, "ci_low");
    fprintf(out, ", %s %%", OVL_PERCENT_MORE(1, -number(less, "value")));
    if (json_is_number(low))
        fprintf(out, " [%s, %s]", OVL_PERCENT_MORE(1, -number(less, "ci_high")),
                OVL_PERCENT_MORE(1, -json_number_value(low)));
}

/* Of older records without an interval the ratio alone. */
static void put_of_root(FILE *out, const json_t *kind, double ratio)
{
    const json_t *of = json_object_get(kind, "of_root"), *low = json_object_get(of, "ci_low");
    fprintf(out, ", %.2f", ratio);
    if (json_is_number(low))
        fprintf(out, " [%.2f, %.2f]", json_number_value(low), number(of, "ci_high"));
    fputs(" of root's", out);
}

/* Epochs with checkpoints against those without. */
static void put_epochs(FILE *out, const struct ovl_cell *c)
{
    const json_t *all = json_object_get(c->extra, "epochs"), *e;
    double none = 0, root = 0;
    size_t i;
    json_array_foreach(all, i, e) {
        const char *kind = json_string_value(json_object_get(e, "checkpoint"));
        double seconds = number(e, "median_seconds"), more = seconds - none, persist = number(e, "persist_seconds");
        if (!kind)
            continue;
        if (i == 0) {
            none = seconds;
            fprintf(out, "# epochs of %.0f steps, no checkpoints: %.3f ms\n", number(e, "steps"), 1e3 * seconds);
            continue;
        }
        fprintf(out, "#   %-8s %+.3f ms (%s %%", kind, 1e3 * more, OVL_PERCENT_MORE(1, none > 0 ? more / none : 0));
        put_percents(out, json_object_get(e, "excess"), true);
        fprintf(out, "): %.0f checkpoints of %.3f MiB, %.3f ms in them, ", number(e, "count"),
                number(e, "bytes") / (1 << 20), 1e3 * number(e, "stall_seconds"));
        if (json_object_get(e, "copy_seconds"))
            fprintf(out, "%.3f ms copied, ", 1e3 * number(e, "copy_seconds"));
        fprintf(out, "%.3f ms to disk", 1e3 * persist);
        if (persist > 0)
            fprintf(out, " (%.0f MB/s)", 1e-6 * number(e, "bytes") * number(e, "count") / persist);
        if (strcmp(kind, "root") == 0)
            root = more;
        else if (root > 0)
            put_of_root(out, e, more / root);
        fputc('\n', out);
    }
}

static void put_design(FILE *out, const json_t *d, double bare)
{
    const char *name = json_string_value(json_object_get(d, "offload"));
    fprintf(out, "#   %-5s %.3f ms a step", name ? name : "", 1e3 * number(d, "step_seconds"));
    if (name && strcmp(name, "none") != 0) {
        put_longer(out, json_object_get(d, "improvement"));
        fprintf(out, ", %.2f times its bound", number(d, "over_bound"));
    }
    fprintf(out, ": augmentation %.3f ms, validation %.3f ms, stall %.3f ms, AU %s %%",
            1e3 * number(d, "augment_seconds"), 1e3 * number(d, "validate_seconds"), 1e3 * number(d, "stall_seconds"),
            OVL_PERCENT(1, bare / number(d, "step_seconds")));
    put_percents(out, json_object_get(d, "au_ci"), false);
    if (number(d, "rate") > 0)
        fprintf(out,
                ";\n#         a helper has %.3f times the rank's rate, at most %.3f times as fast, %.3f of each batch",
                number(d, "rate"), 1 + number(d, "rate"), number(d, "share"));
    fputc('\n', out);
}

/* Epochs in which helpers do a part against those in which the rank does all. */
static void put_phases(FILE *out, const struct ovl_cell *c)
{
    const json_t *p = json_object_get(c->extra, "phases"), *d;
    size_t i;
    if (!p)
        return;
    fprintf(
        out,
        "# epochs of %.0f steps, batches of %.0f x %.0f bytes, %.0f helper%s a rank; %.3f ms a step without input;\n"
        "#   augmentation %s %%",
        number(p, "steps"), number(p, "samples"), number(p, "sample_bytes"), number(p, "helpers"),
        number(p, "helpers") > 1 ? "s" : "", 1e3 * number(p, "bare_seconds"),
        OVL_PERCENT(1, number(p, "augment_share")));
    put_percents(out, json_object_get(p, "augment_share_ci"), false);
    fprintf(out, " and validation %s %%", OVL_PERCENT(1, number(p, "validate_share")));
    put_percents(out, json_object_get(p, "validate_share_ci"), false);
    fprintf(out, " of an epoch by the rank, asked for: %s %% and %s %%\n", OVL_PERCENT(1, number(p, "augment_asked")),
            OVL_PERCENT(1, number(p, "validate_asked")));
    json_array_foreach(json_object_get(p, "designs"), i, d) {
        put_design(out, d, number(p, "bare_seconds"));
    }
}

/* Epochs with failures: what is left of the time. */
static void put_faults(FILE *out, const struct ovl_cell *c)
{
    const json_t *f = json_object_get(c->extra, "faults"), *k;
    size_t i;
    if (!f)
        return;
    fprintf(out, "# failures every %.6g steps in the mean, epochs of %.0f steps of %.3f ms\n", number(f, "mtbf_steps"),
            number(f, "steps"), 1e3 * number(f, "step_seconds"));
    json_array_foreach(json_object_get(f, "kinds"), i, k) {
        const char *word = json_string_value(json_object_get(k, "checkpoint")),
                   *by = json_string_value(json_object_get(k, "by"));
        fprintf(out, "#   %-8s every %.0f steps (%s", word ? word : "", number(k, "interval_steps"), by ? by : "");
        if (by && strcmp(by, "daly") == 0)
            fprintf(out, "; young: %.0f", number(k, "young_steps"));
        fprintf(out, "): goodput %s %%", OVL_PERCENT(1, number(k, "goodput")));
        put_percents(out, json_object_get(k, "goodput_ci"), false);
        fprintf(out,
                ", of these failures %s %%, expected %s %%; %.1f failures, %.1f steps lost, %.3f ms a "
                "checkpoint, %.3f ms a restart\n",
                OVL_PERCENT(1, number(k, "drawn_goodput")), OVL_PERCENT(1, number(k, "expected_goodput")),
                number(k, "failures"), number(k, "lost_steps"), 1e3 * number(k, "checkpoint_seconds"),
                1e3 * number(k, "restart_seconds"));
    }
}

static void put_order(FILE *out, const json_t *o)
{
    const char *name = json_string_value(json_object_get(o, "order"));
    const json_t *less = json_object_get(o, "less");
    fprintf(out, "#   %-6s %.3f ms a step", name ? name : "", 1e3 * number(o, "median_seconds") / number(o, "steps"));
    if (less)
        put_longer(out, less);
    fprintf(out, ", %.1f samples/s, AU %s %%", number(o, "samples_per_second"), OVL_PERCENT(1, number(o, "au")));
    put_percents(out, json_object_get(o, "au_ci"), false);
    fprintf(out, ": %s %% from memory, stall %.3f ms\n", OVL_PERCENT(1, number(o, "hit_rate")),
            1e3 * number(o, "stall_seconds") / number(o, "steps"));
}

/* Epochs that read files, in each order. */
static void put_dataset(FILE *out, const struct ovl_cell *c)
{
    const json_t *d = json_object_get(c->extra, "dataset"), *o;
    const char *file_system = json_string_value(json_object_get(d, "file_system")),
               *records = json_string_value(json_object_get(d, "records"));
    double wanted = number(d, "au_wanted"), room = 0;
    size_t i;
    if (!d)
        return;
    json_array_foreach(json_object_get(d, "orders"), i, o) {
        room += number(o, "room");
    }
    fprintf(out, "# data set: %.0f samples of %.0f bytes on %s%s, %.0f a step and rank", number(d, "samples"),
            number(d, "record_bytes"), file_system ? file_system : "?",
            json_is_true(json_object_get(d, "direct")) ? ", past the page cache" : "", number(d, "batch"));
    if (room > 0)
        fprintf(out, ", buffers for %s %% of them", OVL_PERCENT(1, number(d, "local_buffer")));
    if (number(d, "read_rate") > 0)
        fprintf(out, ", read at %.1f MB/s at most", 1e-6 * number(d, "read_rate"));
    fputc('\n', out);
    json_array_foreach(json_object_get(d, "orders"), i, o) {
        put_order(out, o);
    }
    if (wanted > 0 && records)
        fprintf(out, "#   DLIO asks an AU of %s %% for %s\n", OVL_PERCENT(0, wanted), records);
}

static double sum(const json_t *list)
{
    const json_t *value;
    double all = 0;
    size_t i;
    json_array_foreach(list, i, value) {
        all += json_number_value(value);
    }
    return all;
}

static void put_type(FILE *out, const json_t *moe, const char *way, const char *word)
{
    const json_t *of = json_object_get(moe, way);
    const char *type = json_string_value(json_object_get(of, "type"));
    fprintf(out, "%s %.3f MiB in %s", word, number(of, "bytes") / (1 << 20), type ? type : "?");
}

/* Where tokens are waited for, and how uneven they are. */
static void put_experts(FILE *out, const struct ovl_cell *c)
{
    const json_t *moe = json_object_get(c->extra, "moe");
    if (!moe)
        return;
    fprintf(out, "# %s, experts %s: exposed %.3f ms of dispatch, %.3f ms of combine;\n#   ", c->mode,
            ovl_cell_problem_text(c, "moe"), 1e3 * sum(json_object_get(c->curve, "exposed_dispatch_seconds")),
            1e3 * sum(json_object_get(c->curve, "exposed_combine_seconds")));
    put_type(out, moe, "dispatch", "out");
    put_type(out, moe, "combine", ", back");
    fprintf(out, "; %.3f times the mean tokens at the rank with most; %.0f of %.0f choices dropped\n",
            number(moe, "imbalance"), number(moe, "dropped"), number(moe, "choices"));
}

void ovl_table_train_notes(FILE *out, const struct ovl_cell *cell)
{
    put_epochs(out, cell);
    put_faults(out, cell);
    put_dataset(out, cell);
    put_phases(out, cell);
    put_compression(out, cell);
    put_experts(out, cell);
}
