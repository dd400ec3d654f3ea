/* What the exit codes of each command mean. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/exit_codes.h"

#include <string.h>

#define UNTOLD "no log tells how some records came about"
#define CALL   "wrong call"
#define RECORD "a damaged record"
#define FILES  "a file, a folder or standard output cannot be read or written"
#define DRAWN  FILES ", or gnuplot is missing or fails"
#define MIXED  "settings differ, or are mixed in a cell in other numbers of launches, and --across is not given"
#define ACROSS FILES ", or " MIXED
#define SWEPT                                                                                                          \
    RECORD                                                                                                             \
    ", or a plan or log of a sweep that was edited, or an attempt whose wrong data only its words or exit code tell"
#define SWEPT_WRONG SWEPT ", or wrong data"

/* A line for each code of base/error.h, without the code; NULL: the command does not end with it. */
static const struct exit_codes {
    const char *command;
    const char *code[6];
} rows[] = {
    {"accept",
     {"accepted: every rule PASSes", "a rule FAILs, or a sweep took too many attempts",
      "no rule FAILs, but one is INCONCLUSIVE; with --propose a cell has no rule", CALL,
      "a damaged record, limits file, plan or log; with --verify the report does not hold",
      FILES ", --verify lacks a file, or a link leads out of a folder"}},
    {"compare",
     {"the gate passes: each cell shows that it is not worse", "a cell is REGRESSED",
      "no cell is REGRESSED, but not every cell shows that it is not worse (--inconclusive pass makes it 0, fail 1), "
      "or " UNTOLD,
      CALL, SWEPT, ACROSS}},
    {"doctor", {"all is here that measuring needs", NULL, NULL, CALL, NULL, "something that measuring needs lacks"}},
    {"export", {"exported", NULL, "there is nothing to export", CALL, SWEPT, FILES}},
    {"guidelines",
     {"all are kept", "one is BROKEN", "none is BROKEN, but one is not known, or there is none to try, or " UNTOLD,
      CALL, SWEPT_WRONG, FILES}},
    {"history",
     {"no change for the worse",
      "a new change for the worse or new wrong data (--since), or a last launch that is worse (--last)",
      "no cell has enough launches, or none since --since of a cell could be looked at, or with --last one of a cell "
      "could not; the newest launch is too old (--within), the order of launches is not known, or " UNTOLD,
      CALL, SWEPT, DRAWN}},
    {"list",
     {"listed", NULL, NULL, CALL, NULL,
      "the kernel's RDMA support answers with an error, or --check found something wrong"}},
    {"nodes",
     {"all are alike", "a node or pair is slow or failed", "none is slow, but one is not known, or " UNTOLD, CALL,
      "a damaged record, plan or log", FILES}},
    {"offload",
     {"the program ended with 0; its other codes are passed on; a comparison ends with 0 whatever it finds", NULL, NULL,
      CALL, "--metric found no number, or --min-from no size",
      "a launch failed, no library, no worker, or with --require not all could be offloaded"}},
    {"plot", {"drawn", NULL, NULL, CALL, "a damaged record, or nothing to draw", DRAWN}},
    {"published", {"shown", NULL, NULL, CALL, RECORD, FILES}},
    {"rank",
     {"ranked", NULL,
      "a work could not be ranked, or has too few launches for any place, or of a side no launch left a cell, "
      "or " UNTOLD,
      CALL, SWEPT_WRONG, ACROSS}},
    {"report",
     {"written, and nothing below is on the page",
      "what accept, compare or history would end with 1 for is on the page (--limits, --old, --history)",
      "what they would end with 2 for is on the page, and nothing worse", CALL,
      SWEPT ", or a damaged limits file, or an offload report does not prove that workers did what was posted",
      DRAWN ", or with --old " MIXED}},
    {"show",
     {"shown", NULL, "with --format omb or bandwidth: a cell carries no claim, or a run has no end or ended early",
      CALL,
      "a damaged record, or an offload report does not prove that workers did what was posted; with --rivals, --format "
      "omb or bandwidth also wrong data, and of a sweep's folder what compare ends with 4 for",
      FILES}},
    {"site",
     {"all is as expected", "something is worse than expected",
      "nothing is worse, but something is missing, not known, or no longer as the file has it, or " UNTOLD, CALL,
      SWEPT_WRONG ", or a damaged references file", FILES}},
    {"sweep",
     {"all launches done", "a launch failed, also where others were not started for that (work_of)",
      "no launch failed, but a cell is invalid, or a launch was left out (--budget, --job)",
      CALL ", or with --check a job cannot start, or with --resume the launches that are there are of another build, "
           "or no log tells of them",
      "a damaged plan or log, or an attempt found wrong data, even if another one was good; also with --resume and "
      "--status",
      FILES ", somebody changed, removed or left a record while it ran, nobody reads its output any more, or --sign "
            "cannot sign"}},
    {"thin", {"done, also where nothing was old enough", NULL, NULL, CALL, RECORD, FILES}},
    {"validate", {"all is right", NULL, NULL, CALL, "something is wrong in a file", FILES}},
    {0},
};

static const struct exit_codes *row_of(const char *command)
{
    const struct exit_codes *row = rows;
    while (row->command && strcmp(row->command, command) != 0)
        row++;
    return row;
}

void ovl_exit_codes_help(const char *command, FILE *out)
{
    const struct exit_codes *row = row_of(command);
    for (int code = 0; code < (int)(sizeof row->code / sizeof *row->code); code++)
        if (row->code[code])
            fprintf(out, "  %d  %s\n", code, row->code[code]);
}

int ovl_exit_codes_mdoc(const char *command, FILE *out)
{
    const struct exit_codes *row = row_of(command);
    fputs(".Bl -tag -width 1 -compact\n", out);
    for (int code = 0; code < (int)(sizeof row->code / sizeof *row->code); code++) {
        if (!row->code[code])
            continue;
        fprintf(out, ".It %d\n", code);
        for (const char *c = row->code[code]; *c; c++)
            fprintf(out, c[0] == '-' && c[1] == '-' ? "\\-" : "%c", *c);
        fputs("\n", out);
    }
    fputs(".El\n", out);
    return row->command ? 0 : -1;
}
