/* `ovl offload`: starts an unmodified MPI program with the library before its MPI. What the library does is in
 * src/preload. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "record/derived/writer.h"
#include "record/record.h"
#include "table/offload_file.h"
#include "tool/chart/file.h"
#include "tool/offload/launches.h"
#include "tool/offload/least.h"
#include "tool/offload/required.h"
#include "tool/util/ask.h"
#include "tool/util/attend.h"
#include "tool/util/command.h"
#include "tool/util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct offload_options {
    int help, require, compare, more_is_better;
    uint64_t workers, least, heap, launches;
    double limit;
    const char *report, *path, *priority, *metric, *chart, *least_from;
};

#define AT(member) offsetof(struct offload_options, member)

static const struct ovl_option options[] = {
    {'w', "workers", "W", "workers on each node (default 1)", OVL_OPTION_COUNT, AT(workers), 1, 64, NULL, NULL},
    {'m', "min", "SIZE",
     "leave smaller operations to the host, bytes to each rank or in all, but for v-forms (default 256K)",
     OVL_OPTION_SIZE, AT(least), -1, 0, NULL, NULL},
    {0, "min-from", "RECORD",
     "take that size from cells of this site: a record, or a folder, of drivers with --mode host,dpu", OVL_OPTION_TEXT,
     AT(least_from), 0, 0, NULL, NULL},
    {0, "require", NULL, "end the job with 5 at the first operation that cannot be offloaded", OVL_OPTION_ON,
     AT(require), 0, 0, NULL, NULL},
    {0, "report", "FILE", "append the report there, as JSON where it ends in .json or .jsonl (default: to stderr)",
     OVL_OPTION_TEXT, AT(report), 0, 0, NULL, NULL},
    {0, "path", "PATH", "how workers reach the program's memory: auto, cma or bounce (default auto)", OVL_OPTION_WORD,
     AT(path), 0, 0, "auto|cma|bounce", NULL},
    {0, "heap", "SIZE",
     "make allocations of SIZE and more in memory that workers map, so that they need not copy it (default: none)",
     OVL_OPTION_SIZE, AT(heap), 0, 0, NULL, NULL},
    {0, "worker-priority", "HOW",
     "usual, or high: workers that share cores go before all other processes, where that is allowed (default usual)",
     OVL_OPTION_WORD, AT(priority), 0, 0, "usual|high", NULL},
    {0, "compare", NULL, "run the command many times, with the workers and without them, and say what they change",
     OVL_OPTION_ON, AT(compare), 0, 0, NULL, NULL},
    {0, "launches", "N", "of --compare: launches with the workers, and as many without (default 10)", OVL_OPTION_COUNT,
     AT(launches), 2, 1000, NULL, NULL},
    {0, "metric", "REGEX",
     "of --compare: a number that the program prints, as the group of an extended regular expression; with two groups "
     "the first is its name",
     OVL_OPTION_TEXT, AT(metric), 0, 0, NULL, NULL},
    {0, "more-is-better", NULL, "of that number (default: less is)", OVL_OPTION_ON, AT(more_is_better), 0, 0, NULL,
     NULL},
    {0, "time-limit", "S", "of --compare: seconds that a launch may take (default 3600)", OVL_OPTION_NUMBER, AT(limit),
     1, 1e6, NULL, NULL},
    {0, "chart", "FILE", "of --compare: draw the ratios, as .svg, .png or .pdf", OVL_OPTION_TEXT, AT(chart), 0, 0, NULL,
     NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

/* A file of ovl's beside this program. */
static int find(const char *folder, const char *name, int how, struct ovl_path *path, struct ovl_error *err)
{
    *path = ovl_path("%s/%s", folder, name);
    return access(path->text, how) == 0
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT,
                               "%s is not there: run `make` with MPICC of MPICH or a relative, or `make install` for a "
                               "copy elsewhere",
                               path->text);
}

/* Why nothing of that program can be offloaded; false: it can, or nothing is known of it. */
static bool hopeless(const char *path, const struct ovl_program *p, struct ovl_error *err)
{
    if (p->static_)
        ovl_error_set(
            err, OVL_ENVIRONMENT,
            "%s is linked statically, so that no library can stand before its MPI: link it with the shared libmpich",
            path);
    else if (p->privileged)
        ovl_error_set(err, OVL_ENVIRONMENT,
                      "%s is setuid or setgid, so that the system lets no library stand before its MPI: take the bit "
                      "away (chmod ug-s)",
                      path);
    else if (strncmp(p->mpi, "libmpi.so.", 10) == 0 && atoi(p->mpi + 10) >= 20) /* MPICH's relatives are at 12 */
        ovl_error_set(
            err, OVL_ENVIRONMENT,
            "%s is linked to Open MPI (%s), and only MPICH and its relatives are served: build it with mpicc.mpich",
            path, p->mpi);
    else
        return false;
    return true;
}

/* Is it one of the usual programs that start another one? */
static bool starts_others(const char *word)
{
    static const char *const names[] = {"mpiexec", "mpirun", "srun", "hydra",   "env",
                                        "timeout", "time",   "nice", "numactl", "taskset"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        any = any || strncmp(name, names[i], strlen(names[i])) == 0; /* mpiexec.mpich, mpiexec.hydra */
    return any;
}

/* The launcher's words are not known: of those behind it the first that needs an MPI, or can need none that could be
   seen, is the program; behind another program a mere word, as its arguments are, is it only where it needs an MPI. */
static int look_at_programs(int argc, char **argv, bool require, struct ovl_error *err)
{
    struct ovl_path path;
    struct ovl_program p;
    bool seen = false;
    for (int i = 1; i < argc; i++) {
        if (*argv[i] == '-' || ovl_ask_path(argv[i], &path) != 0)
            continue;
        ovl_program_look(path.text, &p);
        bool may_be = p.elf && (*p.mpi || ((p.static_ || p.privileged) && (!seen || strchr(argv[i], '/'))));
        seen = seen || (p.elf && !starts_others(argv[i]));
        if (!may_be)
            continue;
        if (!hopeless(path.text, &p, err))
            return 0;
        if (require)
            return -1;
        fprintf(stderr, "ovl offload: nothing is offloaded: %s\n", err->text);
        return 1;
    }
    return 0;
}

static void set_number(json_t *environment, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    json_object_set_new(environment, name, json_string(text));
}

/* The variables that the library needs. `least_why`: of a size that is not the user's own; "" else. */
static json_t *environment_of(const struct offload_options *o, const char *least_why, const char *library,
                              const char *heap, const char *carrier)
{
    const char *before = getenv("LD_PRELOAD");
    char *libraries = ovl_text("%s%s%s%s%s", library, o->heap ? ":" : "", o->heap ? heap : "",
                               before && *before ? ":" : "", before ? before : "");
    json_t *e = json_object(); /* names of files need not be UTF-8 */
    json_object_set_new(e, "LD_PRELOAD", json_string_nocheck(libraries));
    json_object_set_new(e, "OVL_OFFLOAD_CARRIER", json_string_nocheck(carrier));
    free(libraries);
    if (o->require || !getenv("OVL_OFFLOAD")) /* off, where that is set */
        json_object_set_new(e, "OVL_OFFLOAD", json_string(o->require ? "require" : "on"));
    if (o->workers)
        set_number(e, "OVL_OFFLOAD_WORKERS", o->workers);
    if (o->least != UINT64_MAX)
        set_number(e, "OVL_OFFLOAD_MIN", o->least);
    json_object_set_new(e, "OVL_OFFLOAD_MIN_WHY", json_string_nocheck(least_why));
    if (o->report && !o->compare) { /* of this folder, wherever the program goes */
        char *here = *o->report == '/' ? NULL : getcwd(NULL, 0);
        char *path = ovl_text("%s%s%s", here ? here : "", here ? "/" : "", o->report);
        json_object_set_new(e, "OVL_OFFLOAD_REPORT", json_string_nocheck(path));
        free(path);
        free(here);
    }
    if (o->heap)
        set_number(e, "OVL_OFFLOAD_HEAP", o->heap);
    if (o->priority)
        json_object_set_new(e, "OVL_OFFLOAD_PRIORITY", json_string(o->priority));
    if (o->path)
        json_object_set_new(e, "OVL_OFFLOAD_PATH", json_string(o->path));
    return e;
}

/* Of a regular file, or one that is not there yet; -1: of another kind. */
static off_t size_of(const char *path)
{
    struct stat file;
    return stat(path, &file) != 0 ? 0 : S_ISREG(file.st_mode) ? file.st_size : -1;
}

/* Can it be written to? Whoever finds out when the program has ended has lost the report. */
static int check_report(const char *path, struct ovl_error *err)
{
    off_t size = size_of(path);
    bool there = access(path, F_OK) == 0;
    int file = size >= 0 ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (size < 0 && access(path, W_OK) == 0)
        return 0;
    if (file < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--report %s: cannot write: %s; give another file", path,
                             strerror(errno));
    close(file);
    if (!there)
        unlink(path);
    return 0;
}

/* On what this program itself finds out. -1: the report cannot be written, which is said. */
static int report_refusal(const struct offload_options *o, const char *program, const char *why)
{
    char text[OVL_ERROR_TEXT + 64];
    const char *name = strrchr(program, '/');
    snprintf(text, sizeof text, "%s%s", strstr(why, "nothing is ") ? "" : "nothing is offloaded: ", why);
    if (!o->report || o->compare || ovl_offload_file_refusal(o->report, name ? name + 1 : program, 1, text) == 0)
        return 0;
    fprintf(stderr, "ovl offload: cannot write %s (%s): give --report another file\n", o->report, strerror(errno));
    return -1;
}

static void set_all(const json_t *environment)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)environment, name, value) {
        setenv(name, json_string_value(value), 1);
    }
}

/* What runs without the library in it cannot report that: a report to which nothing was added has the reason. */
static int run_reported(const struct offload_options *o, char **argv, const json_t *environment, struct ovl_error *err)
{
    const char *off = getenv("OVL_OFFLOAD");
    off_t before = size_of(o->report);
    int killed_by;
    set_all(environment);
    int rc = ovl_attend(argv, &killed_by, err);
    if (rc >= 0 && before >= 0 && size_of(o->report) == before &&
        report_refusal(
            o, argv[0],
            off && strcmp(off, "off") == 0 ? "OVL_OFFLOAD=off is set"
            : rc != 0 || killed_by
                ? "nothing is known: the command failed before a rank reported here at MPI_Finalize"
                : "no process of the command called MPI_Init with the library before it and reported here at "
                  "MPI_Finalize; is it an MPI program, linked to a shared MPICH, without setuid, and is "
                  "LD_PRELOAD passed on?") != 0 &&
        rc == 0)
        rc = OVL_ENVIRONMENT;
    if (killed_by)
        ovl_attend_end_as(killed_by);
    return rc;
}

static int become(char **argv, const json_t *environment, struct ovl_error *err)
{
    set_all(environment);
    fflush(NULL);
    execvp(argv[0], argv);
    return ovl_error_set(err, OVL_USAGE, "cannot run %s: %s", argv[0], strerror(errno));
}

static bool is_utf8(const char *text)
{
    for (size_t n; (n = ovl_utf8_character(text)) > 0;)
        text += n;
    return !*text;
}

static int compare(const struct offload_options *o, char **argv, json_t *environment, struct ovl_error *err)
{
    struct ovl_path path;
    const struct ovl_offload_launches how = {.command = argv,
                                             .environment = environment,
                                             .pairs = o->launches,
                                             .limit = o->limit,
                                             .metric = o->metric,
                                             .more_is_better = o->more_is_better,
                                             .record = o->report,
                                             .chart = o->chart};
    if (ovl_ask_path(argv[0], &path) != 0)
        return ovl_error_set(err, OVL_USAGE, "cannot run %s: there is no such program", argv[0]);
    if (o->metric && !is_utf8(o->metric))
        return ovl_error_set(err, OVL_USAGE, "--metric is not UTF-8, which the record of --compare must be");
    for (int i = 0; argv[i]; i++)
        if (!is_utf8(argv[i]))
            return ovl_error_set(err, OVL_USAGE,
                                 "word %d of the command is not UTF-8, which the record of --compare must be", i + 1);
    return ovl_offload_launches(&how, err);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static int check_call(const struct offload_options *o, struct ovl_error *err)
{
    const char *alone = o->launches         ? "--launches"
                        : o->metric         ? "--metric"
                        : o->more_is_better ? "--more-is-better"
                        : o->limit > 0      ? "--time-limit"
                        : o->chart          ? "--chart"
                                            : NULL;
    if (!o->compare && alone)
        return ovl_error_set(err, OVL_USAGE, "%s goes with --compare", alone);
    if (o->more_is_better && !o->metric)
        return ovl_error_set(err, OVL_USAGE, "--more-is-better goes with --metric");
    if (o->least != UINT64_MAX && o->least_from)
        return ovl_error_set(err, OVL_USAGE, "--min and --min-from both give the least size: leave one of them out");
    if (o->compare && o->report && !ends_in(o->report, ".jsonl"))
        return ovl_error_set(err, OVL_USAGE, "--report %s: of --compare it is a record, whose name ends in .jsonl",
                             o->report);
    if (ovl_chart_file_check(o->chart, err) != 0)
        return -1;
    if (o->report && (ends_in(o->report, ".json") || ends_in(o->report, ".jsonl")) &&
        ovl_writer_check(o->report, err) != 0)
        return -1;
    return o->report && !o->compare ? check_report(o->report, err) : 0;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct offload_options o = {.least = UINT64_MAX};
    struct ovl_path folder, library, heap, carrier;
    int first = 1;
    while (first < argc && strcmp(argv[first], "--") != 0)
        first++;
    int mine = first, rest;
    if (ovl_options_parse(options, mine, argv, &o, &rest, err) != 0 || ovl_options_only(mine, argv, rest, err) != 0)
        return -1;
    if (check_call(&o, err) != 0)
        return -1;
    if (first + 1 >= argc)
        return ovl_error_set(err, OVL_USAGE,
                             "give the command behind two dashes: ovl offload -- mpiexec -n 4 ./program");
    argv += first + 1;
    argc -= first + 1;
    if (ovl_command_folder(&folder) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell where this program is: /proc is not mounted");
    if (find(folder.text, "../lib/libovl_offload.so", R_OK, &library, err) != 0 ||
        (o.heap && find(folder.text, "../lib/libovl_heap.so", R_OK, &heap, err) != 0) ||
        find(folder.text, "ovl_carrier", X_OK, &carrier, err) != 0)
        return -1;
    if (strpbrk(library.text, " :"))
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s: LD_PRELOAD cannot name a folder with a space or a colon: install ovl in another",
                             library.text);
    o.launches = o.launches ? o.launches : 10;
    o.limit = o.limit > 0 ? o.limit : 3600;
    struct ovl_offload_least least = {.why = ""};
    if (o.least_from && ovl_offload_least_from(o.least_from, o.workers ? (double)o.workers : 1, &least, err) != 0)
        return -1;
    if (o.least_from)
        o.least = least.bytes;
    int host = look_at_programs(argc, argv, o.require || o.compare, err);
    if (host != 0)
        report_refusal(&o, argv[0], err->text);
    if (host < 0)
        return -1;
    json_t *environment =
        host == 0 ? environment_of(&o, least.why, library.text, heap.text, carrier.text) : json_object();
    off_t before = o.report && !o.compare ? size_of(o.report) : -1;
    int rc = o.compare               ? compare(&o, argv, environment, err)
             : o.require             ? ovl_offload_required(argv, environment, err)
             : o.report && host == 0 ? run_reported(&o, argv, environment, err)
                                     : become(argv, environment, err);
    if (o.require && rc == 0 && before >= 0 && size_of(o.report) == before)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "nothing was added to %s: give --report another file", o.report);
    else if (o.require && rc < 0 && err->code == OVL_ENVIRONMENT)
        report_refusal(&o, argv[0], err->text);
    json_decref(environment);
    return rc;
}

const struct ovl_tool_command ovl_command_offload = {
    .name = "offload",
    .arguments = "[options] -- mpiexec -n N PROGRAM [arguments]",
    .summary = "run an unmodified MPI program with its non-blocking collectives on workers",
    .options = options,
    .run = run,
};
