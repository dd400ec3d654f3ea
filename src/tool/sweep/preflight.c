/* `ovl sweep --check`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/preflight.h"
#include "base/printable.h"
#include "cli/options.h"
#include "cli/presets/model_text.h"
#include "tool/sweep/launcher/job_options.h"
#include "tool/sweep/launcher/launch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct checking {
    const char *job;
    size_t problems;
};

static void problem(struct checking *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(struct checking *c, const char *format, ...)
{
    char text[OVL_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->problems++;
    printf("%s: ", c->job);
    ovl_printable_put(stdout, text);
    printf("\n");
}

static bool is_program(const char *path)
{
    struct stat s;
    return access(path, X_OK) == 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* Would a shell find it? */
static bool can_run(const char *word)
{
    if (strchr(word, '/'))
        return is_program(word);
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        size_t n = strcspn(folder, ":");
        if (is_program(ovl_path("%.*s%s%s", (int)n, folder, n > 0 ? "/" : "", word).text))
            return true;
        folder += n + (folder[n] == ':');
    }
    return false;
}

static void check_word(struct checking *c, const char *what, const char *word)
{
    if (word && !can_run(word))
        problem(c, "%s %s cannot be run: it is not here, or not executable", what, word);
}

/* An option that was given and with which the program leaves no record; NULL: there is none. */
static const char *without_record(const struct ovl_program_options *o)
{
    static const struct {
        const char *name, *key;
    } options[] = {{"--help", "help"},
                   {"--version", "version"},
                   {"--plan", "plan"},
                   {"--dump-plan", "dump_plan"},
                   {"--self-test", "self_test"}};
    json_t *all = ovl_options_json(o->rows, o->values);
    const char *found = NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options && !found; i++) {
        const json_t *value = json_object_get(all, options[i].key);
        found = json_is_true(value) || json_is_string(value) ? options[i].name : NULL;
    }
    json_decref(all);
    return found;
}

static void check_options(struct checking *c, const json_t *job)
{
    struct ovl_program_options o;
    struct ovl_error why = {OVL_OK, ""};
    const char *program = json_string_value(json_object_get(job, "program"));
    if (strcmp(program, "ovl") == 0 || strcmp(program, "ovl_carrier") == 0 || strcmp(program, "ovl_worker") == 0)
        problem(c, "%.60s is no benchmark, and leaves no record", program);
    if (!ovl_job_is_ours(job))
        return;
    json_t *words = ovl_launch_options(job);
    for (size_t i = 0; i < json_array_size(words); i++)
        if (strcmp(json_string_value(json_array_get(words, i)), "--") == 0)
            problem(c, "option --: it ends the options, and --json, by which the record is named, comes after them");
    if (!ovl_program_options_parse(&o, ovl_job_program(job), words, 0, &why))
        problem(c, "%s", why.text);
    else if (without_record(&o))
        problem(c, "option %s: the program measures nothing with it, and leaves no record", without_record(&o));
    ovl_program_options_free(&o);
    json_decref(words);
}

static void check_file(struct checking *c, const char *option, const char *path)
{
    struct stat file;
    if (access(path, R_OK) != 0)
        problem(c, "option --%s: %s cannot be read: %s", option, path, strerror(errno));
    else if (stat(path, &file) == 0 && S_ISDIR(file.st_mode))
        problem(c, "option --%s: %s is a folder", option, path);
}

static void check_folder(struct checking *c, const char *option, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        problem(c, "option %s: %s: %s", option, path, strerror(errno));
    else if (!S_ISDIR(file.st_mode))
        problem(c, "option %s: %s is no folder", option, path);
    else if (access(path, W_OK | X_OK) != 0)
        problem(c, "option %s: %s cannot be written to", option, path);
}

/* An installed model of a program that is elsewhere is that program's. */
static void check_model(struct checking *c, const json_t *job, const struct ovl_input_option *o, const char *name)
{
    struct ovl_error why;
    struct ovl_path path;
    bool installed;
    if (ovl_model_path(o->models, name, &path, &installed, &why) != 0)
        problem(c, "%s", why.text);
    else if (!installed || !strchr(json_string_value(json_object_get(job, "program")), '/'))
        check_file(c, o->name, path.text);
}

/* Files that its options name; not those that a hook may make first, or that the sweep itself leaves. */
static void check_files(struct checking *c, const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    const char *work = ovl_plan_option(l->job, "--work-from"), *output = s->options->output;
    size_t n = strlen(output);
    if (!ovl_job_is_ours(l->job) || ovl_plan_hook(&s->plan, l->job, "before"))
        return;
    const char *folder = ovl_plan_option(l->job, "--checkpoint-dir");
    if (folder)
        check_folder(c, "--checkpoint-dir", folder);
    for (const struct ovl_input_option *o = ovl_input_options; o->name; o++) {
        const char *file = ovl_job_input_file(l->job, o);
        if (file && o->models)
            check_model(c, l->job, o, file);
        else if (file)
            check_file(c, o->name, file);
    }
    if (work && !(strncmp(work, output, n) == 0 && work[n] == '/'))
        check_file(c, "work-from", work);
}

/* Lists of hosts that the launcher is given. */
static void check_launcher(struct checking *c, const json_t *words)
{
    static const char *const lists[] = {"-hostfile", "-dpufile"};
    for (size_t i = 1; i < json_array_size(words); i++)
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
            const char *file = json_string_value(json_array_get(words, i));
            if (strcmp(json_string_value(json_array_get(words, i - 1)), lists[k]) == 0 && access(file, R_OK) != 0)
                problem(c, "launcher %s: %s cannot be read: %s", lists[k], file, strerror(errno));
        }
}

/* Of the allocation that this process is in; Slurm sets the variable for all of it. */
static void check_room(struct checking *c, const json_t *job, const char *wanted, const char *variable,
                       const char *what)
{
    const char *text = getenv(variable);
    long has = text ? strtol(text, NULL, 10) : 0;
    json_int_t asks = json_integer_value(json_object_get(job, wanted));
    if (has > 0 && asks > has)
        problem(c, "asks for %lld %s, and this allocation has %ld (%s)", (long long)asks, what, has, variable);
}

static void check_job(struct checking *c, const struct ovl_sweeping *s, const struct ovl_launch *l)
{
    json_t *launcher = ovl_launch_launcher(&s->plan, l),
           *words = ovl_launch_command(&s->plan, l, s->options->output, ovl_sweep_record_path(s, l).text);
    c->job = ovl_launch_job(l);
    check_word(c, "the launcher", json_string_value(json_array_get(launcher, 0)));
    check_word(c, "the program", json_string_value(json_array_get(words, json_array_size(launcher))));
    check_word(c, "the hook", json_string_value(json_array_get(ovl_plan_hook(&s->plan, l->job, "before"), 0)));
    check_word(c, "the hook", json_string_value(json_array_get(ovl_plan_hook(&s->plan, l->job, "after"), 0)));
    check_launcher(c, launcher);
    check_options(c, l->job);
    check_files(c, s, l);
    check_room(c, l->job, "ranks", "SLURM_NTASKS", "ranks");
    check_room(c, l->job, "nodes", "SLURM_JOB_NUM_NODES", "nodes");
    json_decref(launcher);
    json_decref(words);
}

int ovl_sweep_check(const struct ovl_sweeping *s)
{
    struct checking c = {NULL, 0};
    size_t jobs = 0, bad = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        size_t before = c.problems;
        if (s->plan.launch[i].number != 1 || s->cut[i])
            continue;
        check_job(&c, s, &s->plan.launch[i]);
        jobs++;
        bad += c.problems > before;
    }
    printf("%zu of %zu job%s can start\n", jobs - bad, jobs, jobs == 1 ? "" : "s");
    return bad == 0 ? OVL_OK : OVL_USAGE;
}
