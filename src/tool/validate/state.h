/* A file that `ovl validate` checks, as far as it was read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_VALIDATE_STATE_H
#define OVL_TOOL_VALIDATE_STATE_H

#include "record/record.h"
#include "tool/util/schema.h"

#include <stdio.h>

/* What a cell is compared with others of its run by. */
struct ovl_seen_cell {
    char group[80];
    bool claims, host, helped, blocking;
    double total;
    struct ovl_cell cell; /* as in the record, with its samples */
    struct ovl_estimate efficiency;
    size_t blocks;
    size_t line;
};

struct ovl_seen_run {
    json_t *head; /* the run line */
    size_t line, cells, nodes;
    struct ovl_seen_cell *cell;
    size_t sound;   /* cells that are kept in it */
    json_t *points; /* of its cells, each with its line; NULL: none yet */
    bool ended;
    double limited; /* seconds of the cells that the end of --max-time ended, those of the same blocks once */
    char group[80]; /* the last of these blocks */
    double longest; /* seconds, ovl_checking_longest() of its cells, the most */
    double took;    /* seconds of all samples of T, C, W and B, of which no two were taken at once */
};

enum { OVL_CHECKING_SHOWN = 20 };

struct ovl_checking {
    const char *file;           /* as it is shown */
    FILE *out;                  /* NULL: nothing is printed */
    char first[OVL_ERROR_TEXT]; /* the first problem; "" */
    const struct ovl_schema *schema;
    bool cut; /* the last line is cut short */
    size_t line, problems, cells, nodes, offloads, runs, truncated;
    struct ovl_seen_run *run;
    json_t *launches;  /* of `ovl offload --compare`: lines by the id of their comparison; NULL: none yet */
    size_t unfinished; /* comparisons that end before their last pair */
    json_t *index;     /* run_id -> its number */
    json_t *unknown;   /* paths of fields that the table does not have, each once */
    json_t *known;     /* of each kind of line, how the table has paths that were looked up (unknown.c) */
};

/* Of those that are no NaN; 0 of none (NULL). */
double ovl_checking_sum(const double *samples, size_t n);

/* Seconds of all samples of one of T, C, W, B, or of what a program measures besides (cell.c), the most: a run takes as
   long at least. */
double ovl_checking_longest(const struct ovl_cell *cell);

/* Prints what is wrong in the present line; counts all, prints the first ones. */
void ovl_checking_problem(struct ovl_checking *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of a file that cannot be read further, in a text that names file and line. */
void ovl_checking_unread(struct ovl_checking *c, const char *why);

/* A stored value against the one that the samples give. They may differ in the last digits, as on another processor;
   `small` is what counts as nothing beside 1. `part` follows the name. */
void ovl_checking_compare(struct ovl_checking *c, const char *name, const char *part, double stored, double again,
                          double small);

void ovl_checking_estimate(struct ovl_checking *c, const char *name, const struct ovl_estimate *stored,
                           const struct ovl_estimate *again);

/* told.c. Does a run line say that programs wrote it whose version this one knows? */
bool ovl_checking_is_ours(const json_t *head);

/* N of its schema 2.N; 0 of others. */
int ovl_checking_schema(const json_t *head);

/* Is there all that programs of this version write, in a run line, and in a cell line of that run? */
void ovl_checking_told_head(struct ovl_checking *c, const json_t *head);
void ovl_checking_told_cell(struct ovl_checking *c, const json_t *head, const json_t *line,
                            const struct ovl_cell *cell);

/* A cell against its own samples. `stored` is as in the line; `again` has the same samples, and all values derived from
   them. */
void ovl_checking_cell(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                       const struct ovl_cell *again);

/* What a training's cell tells of epochs, against their seconds, and against the options that ask for them. */
void ovl_checking_epochs(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell);

/* drawn.c. The samples and failures of a training's cell, against what follows from its seed. */
void ovl_checking_drawn(struct ovl_checking *c, const json_t *head, const json_t *line);

/* A run line against itself; and a cell and the end of the run against it. */
void ovl_checking_head(struct ovl_checking *c, const json_t *head);
void ovl_checking_in_run(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line,
                         const struct ovl_cell *stored, const struct ovl_cell *again);
void ovl_checking_end(struct ovl_checking *c, const struct ovl_seen_run *run, const json_t *line);

/* cores.c. A problem where the processors of a cell are not those of its ranks, and of workers or threads. */
void ovl_checking_cores(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell);

/* rank_samples.c. A problem where the option per_rank asks for samples of each rank, and they are not there, or are
   others than the cell's own. */
void ovl_checking_rank_samples(struct ovl_checking *c, const json_t *head, const json_t *line,
                               const struct ovl_cell *cell);

/* own_exposed.c. A problem where ranks expose less of T than their own W leave of it. */
void ovl_checking_own_exposed(struct ovl_checking *c, const json_t *options, const struct ovl_cell *cell);

/* answer.c. A problem where the limit of an application's answer is another than its problem has, or what serving tells
   cannot be. */
void ovl_checking_answer(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell);

/* drawn.c. A problem where there are other requests or tokens than options and seed draw. */
void ovl_checking_drawn_requests(struct ovl_checking *c, const json_t *head, const json_t *serving);

/* The same of the time to the first token, which another cell of the same blocks has of blocking calls. */
void ovl_checking_first_token(struct ovl_checking *c, const struct ovl_cell *cell, const struct ovl_cell *blocking);

/* blocks.c. Two cells of a run, which is `false` where they are not of the same blocks: a problem for all that these
   have once, and the later cell otherwise. */
bool ovl_checking_blocks(struct ovl_checking *c, const struct ovl_seen_cell *before, const struct ovl_seen_cell *cell);

/* A problem for a driver's cell that is not of the blocks of another mode of its size in the run. */
void ovl_checking_group(struct ovl_checking *c, const struct ovl_seen_run *run, const struct ovl_cell *cell);

/* After the last line: a problem for a cell that has the samples of T of another one of the run, or whose problem is
   larger than another's and took less work. */
void ovl_checking_alike(struct ovl_checking *c, const struct ovl_seen_run *run);

/* After the last line: a problem for each cell whose T lies below its bound so often that chance does not explain it,
   over all cells of the file. */
void ovl_checking_bounds(struct ovl_checking *c);

/* Keeps a line of `ovl offload --compare`; and after the last line: a problem for each comparison that a program which
   was stopped, whenever it was, does not leave so. One that ends early is counted. */
void ovl_checking_launch(struct ovl_checking *c, json_t *line);
void ovl_checking_comparisons(struct ovl_checking *c);

/* Collects the fields of a line that are not in the table, as of a later version; prints them as one line. */
void ovl_checking_unknown(struct ovl_checking *c, const json_t *line);
void ovl_checking_print_unknown(const struct ovl_checking *c, FILE *out);

#endif
