/* What the table says below a training step: compressed gradients. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/table_train.h"

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
    fprintf(out, ", %.2f GB/s in, %.2f GB/s out;\n#   it pays on wires below %.2f Gbit/s\n",
            1e-9 * number(z, "compress_bytes_per_second"), 1e-9 * number(z, "decompress_bytes_per_second"),
            8e-9 * number(z, "break_even_bytes_per_second"));
}

void ovl_table_train_notes(FILE *out, const struct ovl_cell *cell)
{
    put_compression(out, cell);
}
