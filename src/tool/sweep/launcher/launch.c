/* Commands of launches: the words of each launcher, of the program, and where its work comes from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/launcher/launch.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/catalog.h"
#include "machine/topology.h"
#include "tool/sweep/plan/place.h"
#include "tool/util/command.h"
#include "version.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of files need not be UTF-8, and the words go to a program and into no JSON. */
static void add(json_t *words, const char *word)
{
    json_array_append_new(words, json_string_nocheck(word));
}

static void add_number(json_t *words, const char *option, const json_t *number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(number));
    add(words, option);
    add(words, text);
}

static void add_option(json_t *words, const char *option, const json_t *text)
{
    if (!text)
        return;
    add(words, option);
    add(words, json_string_value(text));
}

/* "FOLDER/NAME" with the folder of this program when there is such a file, else the name as it is. */
static void add_program(json_t *words, const json_t *job)
{
    struct ovl_path folder;
    const char *name = json_string_value(json_object_get(job, "program"));
    ovl_command_folder(&folder);
    const struct ovl_path path = ovl_path("%s/%s", folder.text, name);
    add(words, strchr(name, '/') || access(path.text, X_OK) != 0 ? name : path.text);
}

/* scripts/cluster of the source tree whose build folder, however deep, has this program; else its bare name. */
static struct ovl_path find_cluster(void)
{
    struct ovl_path program;
    char up[64] = "";
    ovl_command_folder(&program);
    for (int i = 0; i < 6; i++) {
        strcat(up, "/..");
        /* No other script of that name has this. */
        if (access(ovl_path("%s%s/scripts/beds/cluster-inside", program.text, up).text, X_OK) == 0)
            return ovl_path("%s%s/scripts/cluster", program.text, up);
    }
    return ovl_path("cluster");
}

/* mpiexec of Open MPI, by its name, else by the library that the drivers were built with? */
static bool is_open_mpi(const char *launcher)
{
    const char *slash = strrchr(launcher, '/'), *name = slash ? slash + 1 : launcher;
    static const char *const theirs[] = {"openmpi", "ompi", "orterun", "prte"}, *const others[] = {"mpich", "hydra",
                                                                                                   "srun"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (strstr(name, theirs[i]))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i]))
            return false;
    return strncmp(OVL_MPI_LIBRARY, "Open MPI", strlen("Open MPI")) == 0;
}

/* Open MPI sends a variable to other nodes when told so; the others send all. */
static void add_exports(json_t *words, json_t *environment)
{
    const char *name;
    json_t *value;
    json_object_foreach(environment, name, value) {
        add(words, "-x");
        add(words, name);
    }
}

static void add_environment(json_t *words, json_t *environment, const char *option)
{
    const char *name;
    json_t *value;
    json_object_foreach(environment, name, value) {
        if (*option)
            add(words, option);
        json_array_append_new(words, json_sprintf("%s=%s", name, json_string_value(value)));
    }
}

/* The mpiexec that belongs to the MPI library that the drivers were built with; it may have words of its own. */
static void add_mpiexec(json_t *words)
{
    const char *said = getenv("OVL_MPIEXEC");
    for (said = said && *said ? said : OVL_MPIEXEC; *said;) {
        size_t n = strcspn(said, " ");
        if (n > 0)
            json_array_append_new(words, json_stringn_nocheck(said, n));
        said += n + (said[n] == ' ');
    }
}

/* A step ends with its first rank that fails, which the others would wait for, and its ranks are bound; options of the
   plan stand behind these words, and the later counts. */
static void add_step_defaults(json_t *words)
{
    add(words, "--kill-on-bad-exit=1");
    add(words, "--cpu-bind=cores");
}

/* The launcher's words, up to the program. */
static void add_launcher(json_t *words, const json_t *launcher, const json_t *job, json_t *environment)
{
    const char *kind = json_string_value(json_object_get(launcher, "kind"));
    const char *program = json_string_value(json_object_get(launcher, "program"));
    const json_t *options = json_object_get(launcher, "options"), *nodes = json_object_get(job, "nodes");
    const json_t *ranks = json_object_get(job, "ranks");
    json_int_t per_node = json_integer_value(ranks) / (nodes ? json_integer_value(nodes) : 1);
    bool cluster = kind && strcmp(kind, "cluster") == 0, rsh = kind && strcmp(kind, "mpirun_rsh") == 0;
    kind = kind ? kind : "mpiexec";
    if (!program && strcmp(kind, "mpiexec") == 0)
        add_mpiexec(words);
    else
        add(words, program ? program : cluster ? find_cluster().text : kind);
    if (cluster) {
        json_t *each = json_integer(per_node > 0 ? per_node : 1);
        add(words, "run");
        if (nodes)
            add_number(words, "--nodes", nodes);
        add_number(words, "--ppn", each);
        json_decref(each);
        add_option(words, "--rate", json_object_get(launcher, "rate"));
    }
    if (strcmp(kind, "srun") == 0)
        add_step_defaults(words);
    add_number(words, rsh ? "-np" : "-n", ranks);
    if (strcmp(kind, "srun") == 0 && nodes)
        add_number(words, "-N", nodes);
    add_option(words, "-hostfile", rsh ? json_object_get(launcher, "hostfile") : NULL);
    add_option(words, "-dpufile", rsh ? json_object_get(launcher, "dpufile") : NULL);
    for (size_t i = 0; i < json_array_size(options); i++)
        add(words, json_string_value(json_array_get(options, i)));
    bool open_mpi = is_open_mpi(json_string_value(json_array_get(words, 0)));
    ovl_place_add_hosts(words, kind, open_mpi, job);
    if (strcmp(kind, "mpiexec") == 0 && open_mpi)
        add_exports(words, environment);
    /* These two pass on only what they are told. */
    if (cluster || rsh)
        add_environment(words, environment, cluster ? "--env" : "");
    if (cluster)
        add(words, "--");
}

json_t *ovl_launch_environment(const struct ovl_plan *p, const struct ovl_launch *l)
{
    json_t *all = json_object();
    json_object_update(all, json_object_get(p->json, "environment"));
    json_object_update(all, json_object_get(l->job, "environment"));
    ovl_topology_ask(all, p->variables);
    if (ovl_plan_nonce(p))
        json_object_set_new(all, OVL_PLAN_NONCE, json_string(ovl_plan_nonce(p)));
    return all;
}

json_t *ovl_launch_hook_environment(const struct ovl_plan *p, const struct ovl_launch *l, const char *record)
{
    json_t *all = ovl_launch_environment(p, l);
    json_object_set_new(all, "OVL_JOB", json_string(ovl_launch_job(l)));
    json_object_set_new(all, "OVL_LAUNCH", json_sprintf("%zu", l->number));
    json_object_set_new(all, "OVL_RECORD", json_string_nocheck(record));
    return all;
}

static bool calibrates(const json_t *job)
{
    return !ovl_plan_of_proxy(job) && !ovl_plan_option(job, "--work-from");
}

static int is_record(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 6 && strcmp(entry->d_name + n - 6, ".jsonl") == 0;
}

/* The first record by name in FOLDER/JOB, or in FOLDER with job "". */
static bool first_record(struct ovl_path *path, const char *folder, const char *job)
{
    const struct ovl_path in = ovl_path("%s%s%s", folder, *job ? "/" : "", job);
    struct dirent **entries;
    int n = scandir(in.text, &entries, is_record, alphasort);
    if (n > 0)
        *path = ovl_path("%s/%s", in.text, entries[0]->d_name);
    for (int i = 0; i < n; i++)
        free(entries[i]);
    if (n >= 0)
        free(entries);
    return n > 0;
}

bool ovl_launch_work_from(const struct ovl_plan *p, const struct ovl_launch *l, const char *folder,
                          struct ovl_path *path)
{
    struct stat file;
    const char *from = json_string_value(json_object_get(p->json, "work_from"));
    const json_t *source = ovl_plan_work_of(p, l->job);
    if (!calibrates(l->job))
        return false;
    bool of_sweep = source && (source != l->job || l->number > 1);
    if (of_sweep)
        *path = ovl_path("%s/%s/001.jsonl", folder, json_string_value(json_object_get(source, "name")));
    else if (from)
        *path = ovl_path("%s", from);
    if (of_sweep || !from || stat(from, &file) != 0 || !S_ISDIR(file.st_mode))
        return of_sweep || from;
    return first_record(path, from, ovl_launch_job(l)) || first_record(path, from, "");
}

json_t *ovl_launch_launcher(const struct ovl_plan *p, const struct ovl_launch *l)
{
    json_t *words = json_array(), *environment = ovl_launch_environment(p, l);
    add_launcher(words, ovl_plan_said(p, l->job, "launcher"), l->job, environment);
    json_decref(environment);
    return words;
}

json_t *ovl_launch_options(const json_t *job)
{
    json_t *words = json_array();
    const json_t *options = json_object_get(job, "options"), *modes = json_object_get(job, "modes");
    char list[256] = "";
    for (size_t i = 0; i < json_array_size(options); i++)
        add(words, json_string_value(json_array_get(options, i)));
    for (size_t i = 0; i < json_array_size(modes); i++) {
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? "," : "", json_string_value(json_array_get(modes, i)));
    }
    if (*list) {
        add(words, "--mode");
        add(words, list);
    }
    return words;
}

json_t *ovl_launch_command(const struct ovl_plan *p, const struct ovl_launch *l, const char *folder, const char *record)
{
    json_t *words = ovl_launch_launcher(p, l), *options = ovl_launch_options(l->job);
    struct ovl_path work;
    add_program(words, l->job);
    json_array_extend(words, options);
    json_decref(options);
    if (ovl_launch_work_from(p, l, folder, &work)) {
        add(words, "--work-from");
        add(words, work.text);
    }
    add(words, "--json");
    add(words, record);
    return words;
}

void ovl_launch_name_step(json_t *words, const struct ovl_launch *l, char step[256])
{
    char host[64] = "";
    const char *launcher = json_string_value(json_array_get(words, 0)),
               *slash = launcher ? strrchr(launcher, '/') : NULL;
    step[0] = '\0';
    if (!launcher || strcmp(slash ? slash + 1 : launcher, "srun") != 0)
        return;
    gethostname(host, sizeof host - 1);
    /* In a container the process has the same number each time: the time tells two sweeps apart. */
    snprintf(step, 256, "ovl-%s-%03zu-%s-%ld-%llx", ovl_launch_job(l), l->number, host, (long)getpid(),
             (unsigned long long)ovl_clock_raw_ns());
    json_array_insert_new(words, 1, json_sprintf("--job-name=%s", step));
}

/* Would a terminal take a part of it for an order? U+0080 to U+009F too, and bytes that are no UTF-8, as the terminal
   may be another's. */
static bool has_control(const char *word)
{
    for (size_t n; *word; word += n) {
        n = ovl_utf8_character(word);
        if (n == 0 || iscntrl((unsigned char)*word) || ((unsigned char)*word == 0xc2 && (unsigned char)word[1] < 0xa0))
            return true;
    }
    return false;
}

/* $'a\033b' is one word of sh (POSIX.1-2024), bash, ksh and zsh. */
static void print_escaped(FILE *out, const char *word)
{
    fputs("$'", out);
    for (; *word; word++)
        if (isalnum((unsigned char)*word) || strchr("_-./=:,+@% ", *word))
            putc(*word, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*word);
    putc('\'', out);
}

/* A word as a shell reads it back. */
static void print_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    if (has_control(word)) {
        print_escaped(out, word);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    putc('\'', out);
}

static void print_line(FILE *out, double seconds, json_t *environment, const json_t *words)
{
    const char *name;
    json_t *value;
    fprintf(out, "timeout %g ", seconds);
    if (json_object_size(environment) > 0)
        fputs("env ", out);
    json_object_foreach(environment, name, value) {
        fprintf(out, "%s=", name);
        print_word(out, json_string_value(value));
        putc(' ', out);
    }
    for (size_t w = 0; w < json_array_size(words); w++) {
        print_word(out, json_string_value(json_array_get(words, w)));
        putc(w + 1 < json_array_size(words) ? ' ' : '\n', out);
    }
}

static void print_hook(FILE *out, const struct ovl_plan *p, const struct ovl_launch *l, const char *hook,
                       const char *record)
{
    const json_t *words = ovl_plan_hook(p, l->job, hook);
    json_t *environment = words ? ovl_launch_hook_environment(p, l, record) : NULL;
    if (words)
        print_line(out, ovl_plan_hook_seconds(p, l->job, hook), environment, words);
    json_decref(environment);
}

void ovl_launch_print(FILE *out, const struct ovl_plan *p, const struct ovl_launch *l, const char *folder,
                      const char *record)
{
    json_t *words = ovl_launch_command(p, l, folder, record), *environment = ovl_launch_environment(p, l);
    print_hook(out, p, l, "before", record);
    print_line(out, l->seconds, environment, words);
    print_hook(out, p, l, "after", record);
    json_decref(words);
    json_decref(environment);
}
