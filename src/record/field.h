/* The table of fields: a row per value of a record. The JSON Schema, the head of CSV files, the key by which cells are
   the same point, what limits may match, the metrics and the tables of ovl-record(5) are made from it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_FIELD_H
#define OVL_RECORD_FIELD_H

#include "record/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a value stands. `record` and `run_id` stand in all of them; but offload
   and launch lines, which belong to no run, have no `run_id`. */
enum ovl_field_line {
    OVL_LINE_RUN = 1,
    OVL_LINE_CELL = 2,
    OVL_LINE_END = 4,
    OVL_LINE_NODE = 8,
    OVL_LINE_OFFLOAD = 16,
    OVL_LINE_LAUNCH = 32
};

enum ovl_field_kind {
    OVL_FIELD_TEXT,
    OVL_FIELD_WHOLE, /* not below 0 */
    OVL_FIELD_NUMBER,
    OVL_FIELD_TRUTH,
    OVL_FIELD_ANY,
    OVL_FIELD_OBJECT,   /* others of its values may have rows of their own */
    OVL_FIELD_SUMMARY,  /* of samples: struct ovl_summary */
    OVL_FIELD_ESTIMATE, /* struct ovl_estimate */
    OVL_FIELD_SAMPLES,  /* {"max": [...], "mean": [...]} */
};

/* Whose line has it. */
enum ovl_field_of { OVL_OF_ALL, OVL_OF_COLLECTIVE, OVL_OF_PROXY };

/* Where it must be there, in a record of any age: in no line, in those of collectives, in all of which `of` speaks. */
enum ovl_field_need { OVL_NEED_NOT, OVL_NEED_COLLECTIVE, OVL_NEED_ALL };

enum ovl_field_part {
    OVL_PART_NONE,
    OVL_PART_POINT,   /* cells that differ in it are different points */
    OVL_PART_SETTING, /* where it was measured: cells that differ in it are compared on request only */
    OVL_PART_NOTE,    /* the same, told but never refused */
    OVL_PART_BUILD,   /* which build measured: a note too, and all launches of a job agree in it */
};

/* How a chart tells points that differ in it apart. */
enum ovl_field_axis {
    OVL_AXIS_NONE,
    OVL_AXIS_PANEL,   /* side by side, never in one plot */
    OVL_AXIS_OFFLOAD, /* a series of its own; says something of cells in dpu mode only */
    OVL_AXIS_VARIANT, /* a series of its own, in which host and dpu are compared */
};

/* How a metric is compared: by the ratio new / old, or by the difference. */
enum ovl_field_scale { OVL_METRIC_RATIO, OVL_METRIC_DIFFERENCE };

/* How a value is shown, wherever it is: this much of it, under this head. */
struct ovl_show {
    const char *head; /* with the unit that it is shown in: "total us"; NULL: it is shown nowhere */
    double factor;    /* from the record's unit to that one */
    int decimals;     /* -6: as many as it takes, up to six digits */
    int width;        /* of its column in text */
    bool sign;        /* in any case */
};

struct ovl_field {
    enum ovl_field_line line;
    const char *path;  /* in the line: "compute.kind"; "hosts[].name" of each element; "environment.*" of each member */
    const char *name;  /* as limits, exports and options call it */
    const char *words; /* the texts that are allowed, "ok|invalid"; NULL for any */
    const char *unit;  /* "s", "B", "1" and so on; NULL where there is none */
    enum ovl_field_kind kind;
    enum ovl_field_of of;
    enum ovl_field_need need;
    bool null;     /* may be null */
    bool bounded;  /* numbers are not below `least` */
    bool negative; /* a summary, and its samples, may be below 0 */
    double least;

    /* In struct ovl_cell; of node lines in struct ovl_node, and of "pairs[]" in struct ovl_node_pair. Size 0: it has no
       member there. */
    size_t offset, size;
    int quantity;   /* 1 + enum ovl_quantity, of a summary; 0: of samples that only a proxy has, or none */
    int derived;    /* 1 + enum ovl_derived; 0: none */
    double percent; /* that percentile of the quantity's samples (derived/percentile.h); 0: none */

    enum ovl_field_part part;
    bool later;        /* of the setting: records of before lack it, and are compared without it */
    const char *usual; /* of a part of the point: the value that needs no word */
    bool worker_only;  /* says nothing of cells that no worker touched */
    bool thread_only;  /* the same of cells of another mode than thread */
    bool way;          /* how the problem is solved, not which: baselines of ovl accept may differ in it */
    enum ovl_field_axis axis;
    const char *phrase; /* as charts and tables say it, "%s rank(s)"; NULL: not told there */
    void (*say)(char *said, size_t room, const char *text); /* what stands for %s; NULL: the text itself */

    bool metric; /* can be compared and accepted */
    enum ovl_field_scale scale;
    bool more_is_better;
    bool of_work; /* changes with the amount of work, though nothing else changes */
    bool own;     /* follows from the cell's own samples: `ovl validate` derives it again */
    /* Again from the samples, where neither quantity nor derived says how. */
    double (*again)(const struct ovl_run *run, const struct ovl_cell *cell);

    struct ovl_show show, show_of_proxy; /* the second where an application's is another */
    const char *about;                   /* one sentence */
};

/* What identifies a point, in the order in which points are sorted; the rest of run and end lines; the rest of cell
   lines; node lines; offload and launch lines. A row without a path ends each. */
extern const struct ovl_field ovl_fields_point[], ovl_fields_run[], ovl_fields_cell[], ovl_fields_node[],
    ovl_fields_offload[];

/* All rows, those of the point first; NULL behind the last. */
const struct ovl_field *ovl_field_row(size_t i);

/* The row whose values are summaries of that quantity, or that derived value. */
const struct ovl_field *ovl_field_of_quantity(enum ovl_quantity q);
const struct ovl_field *ovl_field_of_derived(enum ovl_derived d);

enum { OVL_FIELD_TEXT_ROOM = 128 };

/* A row's value as text: numbers in up to 12 digits, truth as "yes", "" where the line has none. A longer text ends in
   its CRC-32, so that different texts stay different. Rows with [] have ovl_field_list's text, rows with * none. */
void ovl_field_text(char text[OVL_FIELD_TEXT_ROOM], const struct ovl_field *f, const struct ovl_run *run,
                    const struct ovl_cell *cell);

/* Does it say something of some cells only? */
static inline bool ovl_field_is_partial(const struct ovl_field *f)
{
    return f->worker_only || f->thread_only;
}

/* The row of that name in one of the tables above, or NULL. */
const struct ovl_field *ovl_field_named(const struct ovl_field *table, const char *name);

/* Calls `visit` with each value that the row has in a line; with its name where the path ends in *, else with NULL. */
void ovl_field_each(const json_t *line, const struct ovl_field *f,
                    void (*visit)(void *to, const char *name, const json_t *value), void *to);

/* All values of a row with [], as one text: of an array of values as they stand, of an array of objects each different
   one once, in order. The caller frees it. */
char *ovl_field_list(const struct ovl_field *f, const json_t *line);

/* A number as a record holds it, to 12 significant digits: what is printed or judged before it is written must be the
   same again from the record. */
double ovl_field_round(double x);

/* A row's member of a cell, a node or a pair, `of`: makes it empty; rounds it; gives it as JSON, a new reference. */
void ovl_field_clear(const struct ovl_field *f, void *of);
void ovl_field_round_member(const struct ovl_field *f, void *of);
json_t *ovl_field_json(const struct ovl_field *f, const void *of);

/* The names of a summary's numbers, or of an estimate's, in the order in which they stand in its struct; then NULL. */
const char *const *ovl_field_parts(enum ovl_field_kind kind);

/* Sets the value at a path with dots, making objects on the way, and takes its reference; -1: the path is none. */
int ovl_field_put(json_t *line, const char *path, json_t *value);

/* The text that ovl_field_text gives for a value: whole, or shortened as it says. */
void ovl_field_shorten(char text[OVL_FIELD_TEXT_ROOM], const char *value);

/* The value that is at a path in a line, or NULL. Lent. */
const json_t *ovl_field_at(const json_t *line, const char *path);

/* As a chart says it: the phrase with the text in place of %s, and "(s)" resolved. */
void ovl_field_say(char *said, size_t room, const struct ovl_field *f, const char *text);

#endif
