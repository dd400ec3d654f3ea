/* Plans, their logs, the jobs that launches belong to, and limits: on files made here, without a launcher. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/writer.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/folder.h"
#include "tool/accept/evidence/attempts.h"
#include "tool/accept/limits.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/time.h"

#include <fcntl.h>

static void setup(void)
{
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    setenv("OVL_MPIEXEC", "my mpiexec", 1);
}

/* A record of one cell, as a launch of a sweep leaves it. */
static void put_record(const char *name, const char *id)
{
    struct ovl_writer w;
    struct ovl_cell cell;
    sample_cell(&cell, id, 8, 6);
    ck_assert_int_eq(ovl_writer_open(&w, name, &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, sample_run_line(id), &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, ovl_cell_to_json(&cell), &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, sample_end_line(id, 1), &err), 0);
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
    ovl_cell_free(&cell);
}

/* What a job's first launch is started with, its words joined by "|". */
static const struct {
    const char *plan, *words;
} commands[] = {
    {"{'plan': 1, 'jobs': [{'name': 'a', 'program': './x', 'ranks': 2}]}", "my|mpiexec|-n|2|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'mpiexec', 'program': 'run it', 'options': ['-bind-to', 'core']},"
     " 'jobs': [{'name': 'a', 'program': './x', 'ranks': 2, 'options': ['-m', '8 9'], 'modes': ['host', 'dpu']}]}",
     "run it|-n|2|-bind-to|core|./x|-m|8 9|--mode|host,dpu|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'mpiexec', 'program': '/opt/mpiexec.openmpi', 'options': ['-q']}, "
     "'environment': "
     "{'A': '1'}, 'nonce': 'n', 'jobs': [{'name': 'a', 'program': './x', 'ranks': 2, 'environment': {'B': '2'}}]}",
     "/opt/mpiexec.openmpi|-n|2|-q|-x|A|-x|B|-x|OVL_TELL|-x|OVL_NONCE|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'mpiexec', 'program': 'mpiexec.hydra'}, 'environment': {'A': '1'},"
     " 'jobs': [{'name': 'a', 'program': './x', 'ranks': 2}]}",
     "mpiexec.hydra|-n|2|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'srun'}, 'jobs': [{'name': 'a', 'program': './x', 'ranks': 8, 'nodes': 2}]}",
     "srun|--kill-on-bad-exit=1|--cpu-bind=cores|-n|8|-N|2|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'srun', 'options': ['--mpi=pmix', '--cpu-bind=none']},"
     " 'jobs': [{'name': 'a', 'program': './x', 'ranks': 8}]}",
     "srun|--kill-on-bad-exit=1|--cpu-bind=cores|-n|8|--mpi=pmix|--cpu-bind=none|./x|--json|r"},
    {"{'plan': 1, 'environment': {'A': '1', 'B': '2'}, 'launcher': {'kind': 'mpirun_rsh', 'hostfile': 'h', 'dpufile': "
     "'d'},"
     " 'jobs': [{'name': 'a', 'program': './x', 'ranks': 8, 'environment': {'B': '3 4'}}]}",
     "mpirun_rsh|-np|8|-hostfile|h|-dpufile|d|A=1|B=3 4|OVL_TELL=A,B|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'cluster', 'program': 'c', 'rate': '1gbit'}, 'environment': {'A': '1'},"
     " 'jobs': [{'name': 'a', 'program': './x', 'ranks': 6.0, 'nodes': 3}]}",
     "c|run|--nodes|3|--ppn|2|--rate|1gbit|-n|6|--env|A=1|--env|OVL_TELL=A|--|./x|--json|r"},
    {"{'plan': 1, 'launcher': {'kind': 'srun'}, 'jobs': [{'name': 'a', 'program': './x', 'ranks': 1,"
     " 'launcher': {'kind': 'cluster', 'program': 'c'}}]}",
     "c|run|--ppn|1|-n|1|--|./x|--json|r"},
};

/* JSON in C is easier to read with '. */
static void put_json(const char *name, const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    folder_put(name, copy);
    free(copy);
}

LOOP_TEST(a_job_becomes_a_command, 0, sizeof commands / sizeof *commands)
{
    struct ovl_plan p;
    char joined[4096] = "";
    put_json("plan.json", commands[_i].plan);
    ck_assert_msg(ovl_plan_load(&p, "plan.json", NULL, &err) == 0, "%s", err.text);
    json_t *words = ovl_launch_command(&p, &p.launch[0], "s", "r");
    for (size_t i = 0; i < json_array_size(words); i++) {
        size_t n = strlen(joined);
        snprintf(joined + n, sizeof joined - n, "%s%s", n ? "|" : "", json_string_value(json_array_get(words, i)));
    }
    ck_assert_str_eq(joined, commands[_i].words);
    json_decref(words);
    ovl_plan_free(&p);
}

static const char three_jobs[] = "{'plan': 1, 'launches': 3, 'order': '%s', 'seed': 5, 'jobs': ["
                                 "{'name': 'a', 'program': 'x', 'ranks': 1},"
                                 "{'name': 'b', 'program': 'x', 'ranks': 1, 'launches': 1},"
                                 "{'name': 'c', 'program': 'x', 'ranks': 1, 'launches': 2}]}";

/* In either order a launch has one place, and every round has each job that has launches left. */
LOOP_TEST(launches_come_in_rounds, 0, 2)
{
    char text[512];
    struct ovl_plan p;
    size_t seen[6] = {0}, round = 1;
    snprintf(text, sizeof text, three_jobs, _i == 0 ? "interleaved" : "random");
    put_json("plan.json", text);
    ck_assert_int_eq(ovl_plan_load(&p, "plan.json", NULL, &err), 0);
    ck_assert_uint_eq(p.count, 6);
    for (size_t i = 0; i < 6; i++) {
        size_t place = ovl_plan_place(&p, ovl_launch_job(&p.launch[i]), p.launch[i].number);
        ck_assert_uint_lt(place, 6);
        seen[place]++;
        ck_assert_uint_ge(p.launch[i].number, round);
        round = p.launch[i].number;
    }
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(seen[i], 1);
    ck_assert_uint_eq(ovl_plan_place(&p, "b", 2), 6);
    ck_assert_uint_eq(ovl_plan_place(&p, "a", 0), 6);
    ck_assert_uint_eq(ovl_plan_place(&p, "d", 1), 6);
    ovl_plan_free(&p);
}

static const struct {
    const char *log; /* lines about job a of the plan above */
    const char *wrong;
    size_t attempts, failed, unended; /* at a's first launch */
} logs[] = {
    {"", NULL, 0, 0, 0},
    {"{'started':'t','job':'a','launch':1,'attempt':1}\n{'ended':'t','job':'a','launch':1,'attempt':1,'status':'done'}"
     "\n",
     NULL, 1, 0, 0},
    {"{'started':'t','job':'a','launch':1,'attempt':1}\n", NULL, 1, 0, 1},
    {"{'started':'t','job':'a','launch':1,'attempt':1}\n{'started':'t','job':'a','launch':1,'attempt':2}\n"
     "{'ended':'t','job':'a','launch':1,'attempt':2,'status':'failed'}\n",
     NULL, 2, 1, 1},
    {"{'started':'t','job':'a','launch':1,'attempt':4}\n", NULL, 4, 0, 4},     /* lines that are lost count */
    {"{'ended':'t','job':'a','launch':1,'status':'failed'}\n", NULL, 1, 1, 0}, /* version 0.1 */
    {"{'started':'t','job':'a','launch':1,'attempt':1}\n{'ended':'t','jo", NULL, 1, 0, 1},
    {"{'started':'t','jo\n{'resumed':'t','cut_line':1}\n", NULL, 0, 0, 0},
    {"{'started':'t','jo\n{'started':'t','job':'a','launch':1,'attempt':1}\n", "l:1: no JSON", 0, 0, 0},
    {"{'started':'t','job':'a','launch':9,'attempt':1}\n", "l:1: plan.json beside it has no such launch", 0, 0, 0},
    {"{'started':'t','job':'a','launch':1,'attempt':1000001}\n", "l:1: attempt: ", 0, 0, 0},
    {"{'ended':'t','job':'a','launch':1,'attempt':1,'status':'good'}\n", "l:1: status: ", 0, 0, 0},
    {"{'started':'t','ended':'t','job':'a','launch':1}\n", "l:1: started or ended", 0, 0, 0},
    {"{'started':'t','job':'a','launch':1.5}\n", "l:1: started or ended", 0, 0, 0},
};

LOOP_TEST(a_log_tells_the_attempts, 0, sizeof logs / sizeof *logs)
{
    char text[512];
    struct ovl_plan p;
    struct ovl_sweep_log log;
    snprintf(text, sizeof text, three_jobs, "interleaved");
    put_json("plan.json", text);
    put_json("l", logs[_i].log);
    ck_assert_int_eq(ovl_plan_load(&p, "plan.json", NULL, &err), 0);
    int rc = ovl_sweep_log_read(&log, &p, "l", &err);
    ck_assert_int_eq(rc, logs[_i].wrong ? -1 : 0);
    if (logs[_i].wrong) {
        ck_assert_msg(strncmp(err.text, logs[_i].wrong, strlen(logs[_i].wrong)) == 0, "%s", err.text);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    } else {
        size_t place = ovl_plan_place(&p, "a", 1);
        ck_assert_uint_eq(log.launch[place].count, logs[_i].attempts);
        ck_assert_uint_eq(log.launch[place].failed, logs[_i].failed);
        ck_assert_uint_eq(log.launch[place].unended, logs[_i].unended);
    }
    ovl_sweep_log_free(&log);
    ovl_plan_free(&p);
}

/* What is written is read again, whatever the launch printed. */
TEST(lines_that_are_written_are_read)
{
    char text[512];
    struct ovl_plan p;
    struct ovl_sweep_log log;
    const struct ovl_process died = {.code = 137, .seconds = 1.5}, well = {.seconds = 1.5};
    const char *sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    snprintf(text, sizeof text, three_jobs, "interleaved");
    put_json("plan.json", text);
    ck_assert_int_eq(ovl_plan_load(&p, "plan.json", NULL, &err), 0);
    const struct ovl_launch *l = &p.launch[0];
    const struct ovl_attempt_end bad = {"half \xe2\x82\n\x1b[2J \xff", NULL, &died, false},
                                 good = {"", sha256, &well, false};
    json_t *launcher = json_pack("[s, s, s]", "mpiexec", "-bind-to", "core");
    ck_assert_int_eq(ovl_sweep_log_read(&log, &p, "l", &err), 0);
    log.fd = open("l", O_WRONLY | O_CREAT, 0666);
    ck_assert_int_eq(ovl_sweep_log_opened(&log, false, NULL, NULL, &err), 0);
    ck_assert_int_eq(ovl_sweep_log_started(&log, l, 1, launcher, &err), 0);
    ck_assert_int_eq(ovl_sweep_log_ended(&log, l, 1, &bad, &err), 0);
    ck_assert_int_eq(ovl_sweep_log_started(&log, l, 2, launcher, &err), 0);
    ck_assert_int_eq(ovl_sweep_log_ended(&log, l, 2, &good, &err), 0);
    json_decref(launcher);
    ovl_sweep_log_free(&log);
    ck_assert_int_eq(ovl_sweep_log_read(&log, &p, "l", &err), 0);
    ck_assert_uint_eq(log.lines, 5);
    ck_assert_uint_eq(log.work.starts, 1);
    ck_assert_uint_eq(json_object_size(log.work.hosts), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(log.work.launchers, "mpiexec -bind-to core")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(log.work.digests, log.last)), 2);
    ck_assert_uint_eq(log.work.ended, 2);
    ck_assert_uint_eq(json_object_size(log.work.digests), 5);
    ck_assert(log.chained && log.unchained == 0);
    ck_assert_str_eq(log.launch[0].record_sha256, sha256);
    ck_assert_uint_eq(log.launch[0].count, 2);
    ck_assert_uint_eq(log.launch[0].failed, 1);
    ck_assert_uint_eq(log.launch[0].unended, 0);
    ovl_sweep_log_free(&log);
    ovl_plan_free(&p);
}

/* What was cut off and measured again leaves a pause. */
TEST(a_log_tells_the_longest_pause)
{
    struct ovl_plan p;
    struct ovl_sweep_log log;
    put_json("plan.json", "{'plan': 1, 'launches': 3, 'jobs': [{'name': 'a', 'program': 'x', 'ranks': 2}]}");
    put_json("l", "{'opened':'2026-01-01T00:00:00Z','resume':false,'host':'n1','pid':7}\n"
                  "{'started':'2026-01-01T00:00:00Z','job':'a','launch':1,'attempt':1}\n"
                  "{'ended':'2026-01-01T00:00:09Z','job':'a','launch':1,'attempt':1,'status':'done'}\n"
                  "{'started':'2026-01-01T00:00:10Z','job':'a','launch':2,'attempt':1}\n"
                  "{'opened':'2026-01-01T00:01:00Z','resume':true,'host':'n2','pid':7}\n"
                  "{'started':'2026-01-01T00:01:00Z','job':'a','launch':3,'attempt':1}\n"
                  "{'ended':'2026-01-01T00:01:01Z','job':'a','launch':3,'attempt':1,'status':'done'}\n");
    ck_assert_int_eq(ovl_plan_load(&p, "plan.json", NULL, &err), 0);
    ck_assert_int_eq(ovl_sweep_log_read(&log, &p, "l", &err), 0);
    ck_assert_uint_eq(log.work.starts, 2);
    ck_assert_uint_eq(json_object_size(log.work.hosts), 2);
    ck_assert_double_eq(log.work.pause, 50);
    ck_assert_str_eq(log.work.before, "a, launch 3");
    ovl_sweep_log_free(&log);
    ovl_plan_free(&p);
}

/* Reads the records of a folder into jobs. */
static int jobs_of(const char *path, struct ovl_inputs *s, struct ovl_record *record, struct ovl_jobs *jobs)
{
    size_t copies = 0;
    ck_assert_int_eq(ovl_inputs_add(s, path, &err), 0);
    ovl_jobs_order(s);
    ck_assert_int_eq(ovl_inputs_read(s, false, record, &copies, &err), 0);
    return ovl_jobs_make(jobs, record, &err);
}

static void put_sweep(void)
{
    mkdir("s", 0700);
    mkdir("s/a", 0700);
    put_json("s/plan.json", "{'plan': 1, 'launches': 3, 'jobs': [{'name': 'a', 'program': 'x', 'ranks': 2}]}");
    put_json("s/sweep.log", "{'started':'t','job':'a','launch':1,'attempt':1}\n"
                            "{'ended':'t','job':'a','launch':1,'attempt':1,'status':'failed'}\n"
                            "{'started':'t','job':'a','launch':1,'attempt':2}\n"
                            "{'ended':'t','job':'a','launch':1,'attempt':2,'status':'done'}\n"
                            "{'started':'t','job':'a','launch':3,'attempt':1}\n"
                            "{'ended':'t','job':'a','launch':3,'attempt':1,'status':'done'}\n");
    put_record("s/a/001.jsonl", "r1");
    put_record("s/a/003.jsonl", "r3");
}

/* A launch that is not there has its place all the same, and attempts are counted. */
TEST(a_lost_launch_counts)
{
    struct ovl_inputs s = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    struct ovl_jobs jobs;
    struct ovl_groups groups;
    const struct ovl_record *const one[] = {&record};
    size_t slot[2];
    put_sweep();
    ck_assert_msg(jobs_of("s", &s, &record, &jobs) == 0, "%s", err.text);
    ck_assert_uint_eq(jobs.sweep_count, 1);
    ck_assert_uint_eq(jobs.count, 1);
    ck_assert_uint_eq(jobs.job[0].launches, 3);
    ovl_groups_make(&groups, one, 1);
    ck_assert_uint_eq(groups.count, 1);
    ck_assert_uint_eq(ovl_jobs_slots(&jobs, &groups.group[0], slot), 3);
    ck_assert_uint_eq(slot[0] + slot[1], 2); /* the first and the third, from 0 */
    json_t *verdicts = json_array(), *all = ovl_attempts_json(&jobs);
    ovl_attempts_judge(&jobs, 0, verdicts);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(verdicts, 0), "verdict")), "FAIL");
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(verdicts, 0), "value")), 1);
    json_array_clear(verdicts);
    ovl_attempts_judge(&jobs, 1, verdicts);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(verdicts, 0), "verdict")), "PASS");
    const json_t *sweep = json_array_get(json_object_get(all, "sweeps"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(sweep, "attempts")), 3);
    ck_assert_int_eq(json_integer_value(json_object_get(sweep, "records")), 2);
    json_decref(verdicts);
    json_decref(all);
    ovl_groups_free(&groups);
    ovl_jobs_free(&jobs);
    ovl_record_free(&record);
    ovl_inputs_free(&s);
}

TEST(a_stray_record_in_a_sweep_is_refused)
{
    struct ovl_inputs s = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    struct ovl_jobs jobs;
    put_sweep();
    put_record("s/a/004.jsonl", "r4");
    ck_assert_int_eq(jobs_of("s", &s, &record, &jobs), -1);
    ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    ck_assert_msg(strstr(err.text, "s/a/004.jsonl: ") && strstr(err.text, "no such launch"), "%s", err.text);
    ovl_jobs_free(&jobs);
    ovl_record_free(&record);
    ovl_inputs_free(&s);
}

/* Without a plan the launches of a folder are one job, and those of another folder another. */
TEST(folders_without_a_plan)
{
    struct ovl_inputs s = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    struct ovl_jobs jobs;
    mkdir("x", 0700);
    mkdir("x/y", 0700);
    put_record("x/1.jsonl", "r1");
    put_record("x/2.jsonl", "r2");
    put_record("x/y/1.jsonl", "r3");
    ck_assert_int_eq(jobs_of("x", &s, &record, &jobs), 0);
    ck_assert_uint_eq(jobs.sweep_count, 0);
    ck_assert_uint_eq(jobs.count, 2);
    ck_assert_uint_eq(jobs.job[0].launches + jobs.job[1].launches, 3);
    ovl_jobs_free(&jobs);
    ovl_record_free(&record);
    ovl_inputs_free(&s);
}

#define RULE(more) "{'limits': 1, 'rules': [\n{'match': {'benchmark': 'ialltoall'}, " more "}]}"
static const struct {
    const char *limits, *wrong; /* NULL: sound */
} limits[] = {
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'limit': 1"), NULL},
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'reference': 1, 'tolerance': 0.1"), NULL},
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'limit': 1, 'statistic': 'p99'"), NULL},
    {RULE("'metric': 'hidden_fraction', 'operator': '<=', 'limit': 1, 'statistic': 'p99'"),
     "l:2: /rules/0/statistic: only times"},
    {RULE("'metric': 'speed', 'operator': '<=', 'limit': 1"), "l:2: /rules/0/metric: no metric speed"},
    {RULE("'metric': 'total_seconds', 'operator': '<='"), "l:2: /rules/0: one of limit and reference"},
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'limit': 1, 'reference': 1, 'tolerance': 1"),
     "l:2: /rules/0: one of limit and reference"},
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'limit': 1, 'tolerance': 1"),
     "l:2: /rules/0: reference and tolerance go together"},
    {RULE("'metric': 'total_seconds', 'operator': '<=', 'reference': 1.5e308, 'tolerance': 1"),
     "l:2: /rules/0: reference and tolerance are too large"},
    {RULE("'metric': 'hidden_fraction', 'operator': '>=', 'reference': 0.9, 'tolerance': 1"),
     "l:2: /rules/0: a tolerance below 1"},
    {RULE("'metric': 'total_seconds', 'operator': '=', 'limit': 1"), "l:2: /rules/0/operator: "},
    {"{'limits': 1, 'rules': []}", "l:1: /rules: a rule is wanted"},
    {"{'limits': 1}", "l:1: /rules: is missing"},
    {"{'limits': 7, 'rules': []}", "l:1: /limits: "},
    {"{'limits': 1, 'retries': 1e300, 'rules': []}", "l:1: /retries: "}, /* no integer holds it */
};

LOOP_TEST(limits_are_sound_or_named_by_line, 0, sizeof limits / sizeof *limits)
{
    put_json("l", limits[_i].limits);
    json_t *all = ovl_limits_load("l", &err);
    if (limits[_i].wrong) {
        ck_assert_ptr_null(all);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strncmp(err.text, limits[_i].wrong, strlen(limits[_i].wrong)) == 0, "%s", err.text);
    } else {
        ck_assert_msg(json_array_size(json_object_get(all, "rules")) == 1, "%s", err.text);
    }
    json_decref(all);
}

static const struct {
    const char *text;
    double seconds; /* -1: refused */
} times[] = {{"90s", 90}, {"20m", 1200}, {"20min", 1200}, {"1.5h", 5400}, {"2d", 172800}, {"20", -1},      {"m", -1},
             {"", -1},    {"0s", -1},    {"-1m", -1},     {"20 m", -1},   {"1e300h", -1}, {"20months", -1}};

LOOP_TEST(a_budget_is_a_time_with_its_unit, 0, sizeof times / sizeof *times)
{
    ck_assert_double_eq(ovl_sweep_time_read(times[_i].text), times[_i].seconds);
}

/* What is kept as launches end is what the log and the plan have then. */
TEST(what_is_left_follows_the_ends_of_launches)
{
    struct ovl_plan p;
    struct ovl_sweep_log log;
    struct ovl_sweep_left left;
    bool open[40];
    put_json("plan.json",
             "{'plan': 1, 'launches': 5, 'time_limit_seconds': 10, 'jobs': ["
             "{'name': 'a', 'program': 'x', 'ranks': [1, 2, 4, 8]},"
             "{'name': 'b', 'program': 'ovl_ialltoall', 'ranks': [1, 2, 4, 8], 'time_limit_seconds': 700}]}");
    ck_assert_msg(ovl_plan_load(&p, "plan.json", NULL, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(p.count, 40);
    ck_assert_int_eq(ovl_sweep_log_read(&log, &p, "no such log", &err), 0);
    for (size_t i = 0; i < p.count; i++) {
        open[i] = i % 7 != 3;
        ck_assert_uint_eq(ovl_plan_place(&p, ovl_launch_job(&p.launch[i]), p.launch[i].number), p.launch[i].place);
    }
    log.launch[p.launch[3].place].seconds = 2;
    ovl_sweep_left_make(&left, &p, &log, open);
    for (size_t end = 0; end < p.count; end++) {
        size_t i = end * 17 % p.count;
        const struct ovl_launch *l = &p.launch[i];
        struct ovl_sweep_time t;
        double seconds = 0, count = 0;
        open[i] = false;
        if (end % 5 != 4) /* it failed */
            log.launch[l->place].seconds = 3 + (double)end;
        ovl_sweep_left_took(&left, l, log.launch[l->place].seconds);
        ovl_sweep_left_take(&left, l);
        ovl_sweep_left_take(&left, l);
        ovl_sweep_time_make(&t, &p, &log);
        for (size_t k = 0; k < p.count; k++) {
            seconds += open[k] ? t.launch[p.launch[k].of] : 0;
            count += open[k];
        }
        ck_assert_uint_eq(left.count, (size_t)count);
        ck_assert_double_eq_tol(ovl_sweep_left_seconds(&left), seconds, 1e-9 * (1 + seconds));
        ovl_sweep_time_free(&t);
    }
    ovl_sweep_left_free(&left);
    ovl_sweep_log_free(&log);
    ovl_plan_free(&p);
}

/* Priorities, the order of the plan, and first what sets the work of others; what is there costs nothing. */
TEST(a_budget_cuts_by_priority)
{
    struct ovl_plan p;
    struct ovl_sweep_log log;
    struct ovl_sweep_time t;
    bool wanted[6] = {true, true, true, true, true, true};
    put_json("plan.json", "{'plan': 1, 'launches': 2, 'time_limit_seconds': 10, 'jobs': ["
                          "{'name': 'a', 'program': 'x', 'ranks': 1},"
                          "{'name': 'b', 'program': 'x', 'ranks': 1, 'work_of': 'c'},"
                          "{'name': 'c', 'program': 'x', 'ranks': 1}]}");
    ck_assert_msg(ovl_plan_load(&p, "plan.json", NULL, &err) == 0, "%s", err.text);
    ck_assert_int_eq(ovl_sweep_log_read(&log, &p, "no such log", &err), 0);
    log.launch[ovl_plan_place(&p, "a", 1)].seconds = 4;
    ovl_sweep_time_make(&t, &p, &log);
    ck_assert(t.measured);
    for (size_t i = 0; i < 3; i++) /* the others are thought to be as much shorter than their limit */
        ck_assert_double_eq_tol(t.launch[i], 4, 1e-9);
    for (size_t i = 0; i < p.count; i++)
        wanted[i] = !(strcmp(ovl_launch_job(&p.launch[i]), "a") == 0 && p.launch[i].number == 1);
    ck_assert_uint_eq(ovl_sweep_time_cut(&t, &p, 12.5, wanted), 2);
    for (size_t i = 0; i < p.count; i++) {
        const char *job = ovl_launch_job(&p.launch[i]);
        bool first = p.launch[i].number == 1;
        ck_assert_int_eq(wanted[i], (*job == 'a' && !first) || (*job == 'c' && first) || (*job == 'b' && first));
    }
    ovl_sweep_time_free(&t);
    ovl_sweep_log_free(&log);
    ovl_plan_free(&p);
}

AROUND(setup, folder_remove)
