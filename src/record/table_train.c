/* What the table says below a training step: compressed gradients. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/table_train.h"

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
    fprintf(out, "# lossy, %s: ratio %.2f, largest error of a sum %.3g", ovl_cell_problem_text(c, "compress"),
            number(z, "ratio"), number(z, "max_error"));
    if (number(z, "bound") > 0)
        fprintf(out, " of at most %.3g", number(z, "bound"));
    fprintf(out, ", %.2f GB/s in, %.2f GB/s out;\n#   it pays on wires below %.2f Gbit/s",
            1e-9 * number(z, "compress_bytes_per_second"), 1e-9 * number(z, "decompress_bytes_per_second"),
            8e-9 * number(z, "break_even_bytes_per_second"));
    if (number(z, "plain_total_seconds") > 0)
        fprintf(out, "; total %.3f of that without", c->summary[OVL_TOTAL].median / number(z, "plain_total_seconds"));
    fputc('\n', out);
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
        fprintf(out, "#   %-8s %+.3f ms (%+.1f %%): %.0f checkpoints of %.3f MiB, %.3f ms in them, %.3f ms to disk",
                kind, 1e3 * more, none > 0 ? 100 * more / none : 0.0, number(e, "count"),
                number(e, "bytes") / (1 << 20), 1e3 * number(e, "stall_seconds"), 1e3 * persist);
        if (persist > 0)
            fprintf(out, " (%.0f MB/s)", 1e-6 * number(e, "bytes") * number(e, "count") / persist);
        if (strcmp(kind, "root") == 0)
            root = more;
        else if (root > 0)
            fprintf(out, ", %.2f of root's", more / root);
        fputc('\n', out);
    }
}

void ovl_table_train_notes(FILE *out, const struct ovl_cell *cell)
{
    put_epochs(out, cell);
    put_compression(out, cell);
}
