/* `ovl accept`: do launches keep the limits? accept/verify.c has --verify. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "table/columns.h"
#include "tool/accept/bound.h"
#include "tool/accept/judged.h"
#include "tool/accept/propose.h"
#include "tool/util/answer.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"
#include "version.h"

struct accept_options {
    int help;
    const char *output, *verify, *bind, *json, *propose;
    struct ovl_propose_options how;
};

#define AT(member) offsetof(struct accept_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "REPORT", "write the verdicts and the SHA-256 of all inputs as JSON, whole or not at all",
     OVL_OPTION_TEXT, AT(output), 0, 0, NULL, NULL},
    {0, "verify", "REPORT", "hash the inputs of a report again and judge them again, from the samples", OVL_OPTION_TEXT,
     AT(verify), 0, 0, NULL, NULL},
    {0, "bind", "PLAN", "add the SHA-256 and the nonce of a plan to LIMITS, so that no other plan is accepted",
     OVL_OPTION_TEXT, AT(bind), 0, 0, NULL, NULL},
    {0, "propose", "DIR", "write limits that a system like that of these launches keeps, with what margin and error",
     OVL_OPTION_TEXT, AT(propose), 0, 0, NULL, NULL},
    {'m', "metric", "NAME", "with --propose: what the rules are about (default total_seconds)", OVL_OPTION_TEXT,
     AT(how.metric), 0, 0, NULL, NULL},
    {0, "margin", "D", "with --propose: move each limit so much further away, a part of it or a difference (default 0)",
     OVL_OPTION_NUMBER, AT(how.margin), 0, 0.99, NULL, NULL},
    OVL_ANSWER_OPTION(AT(json)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static void print_verdicts(const struct ovl_judged *j)
{
    ovl_judged_head(stdout, j);
    printf("#\n");
    ovl_table_verdicts(stdout, &ovl_table_plain, j->verdicts);
    printf("#\n# %s: %zu PASS, %zu FAIL, %zu INCONCLUSIVE, %zu not required and not measured\n", ovl_judged_verdict(j),
           ovl_judged_count(j, "PASS"), ovl_judged_count(j, "FAIL"), ovl_judged_count(j, "INCONCLUSIVE"),
           ovl_judged_count(j, "SKIPPED"));
}

/* The report without its own digest. */
static json_t *report_of(const struct ovl_judged *j, const json_t *hashes, json_t *sweeps)
{
    char now[32];
    ovl_clock_utc(now);
    return json_pack("{s:i, s:s, s:s, s:s, s:s?, s:O, s:O, s:O, s:s, s:O, s:O, s:O}", "accept_report",
                     OVL_JUDGED_REPORT, "ovl_version", OVL_VERSION, "git", OVL_GIT, "created", now, "nonce",
                     json_string_value(json_object_get(j->limits, "nonce")), "limits",
                     json_object_get(hashes, "limits"), "inputs", json_object_get(hashes, "inputs"), "sweeps", sweeps,
                     "verdict", ovl_judged_verdict(j), "verdicts", j->verdicts, "attempts", j->attempts, "setting",
                     j->setting);
}

static int write_report(json_t *report, const char *path, struct ovl_error *err)
{
    struct ovl_atomic_file o;
    char digest[65];
    ovl_json_sha256(report, digest);
    json_object_set_new(report, "sha256", json_string(digest));
    if (ovl_atomic_file_open(&o, path, err) != 0)
        return -1;
    if (json_dumpf(report, o.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) != 0) {
        ovl_atomic_file_abandon(&o);
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot write it", path);
    }
    fputc('\n', o.file);
    return ovl_atomic_file_close(&o, err);
}

/* All files are hashed before and after they are read, so that what was judged is what was hashed. */
static int judge(struct ovl_judged *j, const char *limits, json_t **hashes, json_t **sweeps, struct ovl_error *err)
{
    json_t *hashes_before = ovl_judged_hashes(j, limits, err), *sweeps_before = NULL;
    bool hashed = hashes_before && ovl_judged_make(j, limits, err) == 0 &&
                  (sweeps_before = ovl_judged_sweep_hashes(j, false, err)) &&
                  (*hashes = ovl_judged_hashes(j, limits, err)) && (*sweeps = ovl_judged_sweep_hashes(j, true, err));
    bool same = hashed && json_equal(hashes_before, *hashes) && json_equal(sweeps_before, *sweeps);
    if (hashed && !same)
        ovl_error_set(err, OVL_ENVIRONMENT, "an input changed while it was read");
    json_decref(hashes_before);
    json_decref(sweeps_before);
    return same ? 0 : -1;
}

static json_t *answer_of(const struct ovl_judged *j)
{
    static const char *const words[] = {"PASS", "FAIL", "INCONCLUSIVE", "SKIPPED"};
    json_t *counts = json_object();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        json_object_set_new(counts, words[i], json_integer((json_int_t)ovl_judged_count(j, words[i])));
    return json_pack("{s:s, s:o, s:O, s:O}", "verdict", ovl_judged_verdict(j), "counts", counts, "verdicts",
                     j->verdicts, "attempts", j->attempts);
}

static int accept(const struct accept_options *o, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_judged j = {.sources = {.within = true}};
    json_t *hashes = NULL, *sweeps = NULL, *report = NULL;
    int rc = 0;
    for (int i = 1; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&j.sources, argv[i], err);
    if (rc == 0) {
        ovl_jobs_order(&j.sources);
        rc = judge(&j, argv[0], &hashes, &sweeps, err);
    }
    if (rc == 0)
        rc = ovl_atomic_file_check(o->output, err) == 0 ? ovl_atomic_file_check(o->json, err) : -1;
    if (rc == 0) {
        print_verdicts(&j);
        rc = ovl_judged_exit(&j);
    }
    if (rc >= 0 && o->output && write_report(report = report_of(&j, hashes, sweeps), o->output, err) != 0)
        rc = -1;
    if (rc >= 0 && ovl_answer_write(o->json, "accept", rc, answer_of(&j), err) != 0)
        rc = -1;
    json_decref(report);
    json_decref(hashes);
    json_decref(sweeps);
    ovl_judged_free(&j);
    return rc;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct accept_options o = {0};
    int first;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0)
        return -1;
    if (o.json && (o.bind || o.verify || o.propose))
        return ovl_error_set(err, OVL_USAGE,
                             "--json goes with LIMITS and records, not with --bind, --verify or "
                             "--propose");
    if (!o.propose && (o.how.metric || o.how.margin > 0))
        return ovl_error_set(err, OVL_USAGE, "-m and --margin go with --propose: limits name their metrics");
    if (o.propose && (o.bind || o.verify || first < argc || !o.output))
        return ovl_error_set(err, OVL_USAGE, "--propose takes one folder of launches, with -o LIMITS and nothing else");
    if (o.propose) {
        o.how.output = o.output;
        o.how.metric = o.how.metric ? o.how.metric : "total_seconds";
        return ovl_propose(o.propose, &o.how, err);
    }
    if (o.bind && (o.verify || argc - first != 1))
        return ovl_error_set(err, OVL_USAGE, "--bind takes a plan, and behind it one limits file, which it changes");
    if (o.bind)
        return ovl_bound_bind(o.bind, argv[first], o.output, err);
    if (o.verify && (first < argc || o.output))
        return ovl_error_set(err, OVL_USAGE, "--verify takes a report and nothing else: it names its inputs");
    if (o.verify)
        return ovl_judged_verify(o.verify, err);
    if (argc - first < 2)
        return ovl_error_set(err, OVL_USAGE, "give a limits file, and one record file or folder or more");
    return accept(&o, argc - first, argv + first, err);
}

const struct ovl_tool_command ovl_command_accept = {
    .name = "accept",
    .arguments = "LIMITS FILE... [-o REPORT] | --verify REPORT | --bind PLAN LIMITS |\n"
                 "                  --propose DIR -o LIMITS",
    .summary = "judge launches by a limits file; what is not shown is not accepted",
    .options = options,
    .run = run,
};
