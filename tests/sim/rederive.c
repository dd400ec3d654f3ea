/* Writes a record again with all values derived anew from its samples: for kept records, when a statistic changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/efficiency.h"
#include "record/derived/percentile.h"
#include "record/derived/settle.h"
#include "record/derived/writer.h"
#include "record/proxy.h"
#include "record/record.h"
#include "record/status.h"
#include "tests/sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct ovl_writer writer;
/* The blocking scheme's cell, which others gain on, and of the last blocks the quickest host cell that carries a claim.
 * A run writes both before the cells that need them. */
static struct ovl_cell blocking, host;
static struct ovl_run run; /* its line alone */

/* What stands in the line is made anew; fields that an older record lacks are not added. */
static int rewrite(json_t *line, struct ovl_error *err)
{
    struct ovl_cell cell;
    if (ovl_cell_from_json(line, true, &cell, err) != 0)
        return -1;
    if (strcmp(cell.mode, "blocking") == 0) {
        ovl_cell_free(&blocking);
        if (ovl_cell_from_json(line, true, &blocking, err) != 0)
            return -1;
    }
    bool beside = strcmp(cell.block_group, blocking.block_group) == 0 && strcmp(cell.mode, "blocking") != 0;
    ovl_cell_derive(&cell);
    ovl_percentiles_fill(&cell, &run);
    if (beside)
        cell.gain = ovl_proxy_gain(&cell, &blocking.samples);
    if (json_object_get(line, "autocorrelation"))
        ovl_cell_settle(&cell, &run);
    if (!json_object_get(line, "marks") && strcmp(cell.status, "invalid") != 0 && cell.marks & 1U << OVL_MARK_WIDE)
        strcpy(cell.status, "ci_not_reached"); /* which stood before the others then */
    bool same = strcmp(host.block_group, cell.block_group) == 0;
    if (strcmp(cell.mode, "host") == 0 && ovl_cell_claims(&cell) &&
        (!same || cell.summary[OVL_TOTAL].median < host.summary[OVL_TOTAL].median)) {
        ovl_cell_free(&host);
        if (ovl_cell_from_json(line, true, &host, err) != 0)
            return -1;
    }
    cell.offload_efficiency = strcmp(cell.mode, "dpu") == 0 && same && ovl_cell_claims(&cell)
                                  ? ovl_cell_offload_efficiency(&cell, &host.samples)
                                  : (struct ovl_estimate){NAN, NAN, NAN};
    json_t *again = ovl_cell_to_json(&cell);
    json_object_update_existing(line, again);
    json_decref(again);
    ovl_cell_free(&cell);
    return 0;
}

static int visit(void *to, json_t *line, size_t number, struct ovl_error *err)
{
    const char *kind = json_string_value(json_object_get(line, "record"));
    (void)to, (void)number;
    if (kind && strcmp(kind, "run") == 0) {
        json_decref(run.head);
        run.head = json_incref(line);
    }
    if (kind && strcmp(kind, "cell") == 0 && rewrite(line, err) != 0)
        return -1;
    return ovl_writer_line(&writer, json_incref(line), err);
}

static int rederive(const char *from, const char *to, struct ovl_error *err)
{
    int rc = ovl_writer_open(&writer, to, err);
    if (rc == 0)
        rc = ovl_record_lines(from, visit, NULL, err);
    if (rc == 0)
        rc = ovl_writer_close(&writer, err);
    ovl_cell_free(&blocking);
    ovl_cell_free(&host);
    json_decref(run.head);
    memset(&blocking, 0, sizeof blocking);
    memset(&host, 0, sizeof host);
    memset(&run, 0, sizeof run);
    return rc;
}

int sim_rederive(int argc, char **argv)
{
    struct ovl_error err = {.code = OVL_USAGE};
    int rc = argc > 1 && argc % 2 == 1
                 ? 0
                 : ovl_error_set(&err, OVL_USAGE, "give records, and behind each the file to write");
    for (int i = 1; i < argc && rc == 0; i += 2)
        rc = rederive(argv[i], argv[i + 1], &err);
    if (rc != 0)
        fprintf(stderr, "rederive: %s\n", err.text);
    return rc == 0 ? 0 : (int)err.code;
}
