/* Reading a plan, and the files that it includes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/read.h"
#include "base/json_whole.h"
#include "base/name.h"
#include "base/path.h"
#include "cli/catalog.h"
#include "tool/sweep/plan/each.h"
#include "tool/sweep/plan/plan.h"
#include "tool/sweep/plan/variables.h"
#include "tool/util/json_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 16 };

/* A fault of a job of the plain plan, where it was written: `field` is "/name" and so on. */
static int fault(const struct ovl_plan_read *r, size_t job, const char *field, const char *wanted,
                 struct ovl_error *err)
{
    char pointer[96];
    snprintf(pointer, sizeof pointer, "/jobs/%zu%s", r->source[job].job, field);
    return ovl_json_file_fault(r->source[job].file, pointer, wanted, err);
}

/* A name is that of a folder. */
static int check_name(const char *path, const json_t *jobs, size_t i, struct ovl_error *err)
{
    char pointer[64];
    const char *name = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
    size_t n = strlen(name);
    snprintf(pointer, sizeof pointer, "/jobs/%zu/name", i);
    if (n == 0 || n > 100 || name[0] == '.' || name[0] == '-' || !ovl_name_is_plain(name))
        return ovl_json_file_fault(path, pointer, "letters, digits, _ - and . are wanted here: it names a folder", err);
    return 0;
}

/* A variable's name goes into a shell's words, and the nonce's own variable is the plan's to set. */
static int check_environment(const char *path, const char *where, json_t *environment, struct ovl_error *err)
{
    char pointer[96];
    const char *name;
    json_t *value;
    snprintf(pointer, sizeof pointer, "%s/environment", where);
    json_object_foreach(environment, name, value) {
        if (!*name || !ovl_name_is_plain(name) || strpbrk(name, "-.") || isdigit((unsigned char)*name))
            return ovl_json_file_fault(path, pointer, "names of variables are wanted here: letters, digits and _", err);
        if (strcmp(name, OVL_PLAN_NONCE) == 0)
            return ovl_json_file_fault(path, pointer, OVL_PLAN_NONCE " is set by ovl sweep: give nonce instead", err);
    }
    return 0;
}

/* Words that the record and its readers print. */
static int check_word(const char *path, const char *where, const json_t *o, const char *name, struct ovl_error *err)
{
    char pointer[96];
    const char *text = json_string_value(json_object_get(o, name));
    size_t n = text ? strlen(text) : 0;
    if (!text || (n >= 1 && n <= 100 && ovl_name_is_plain(text)))
        return 0;
    snprintf(pointer, sizeof pointer, "%s/%s", where, name);
    return ovl_json_file_fault(path, pointer, "1 to 100 letters, digits, _ - and . are wanted here", err);
}

/* Names that limits have for cells of any job (tool/accept/baseline.h) are none of a job's. */
static int check_baseline(const char *path, size_t i, const json_t *job, struct ovl_error *err)
{
    char pointer[64];
    const char *name = json_string_value(json_object_get(job, "baseline"));
    if (!name || (strcmp(name, "blocking") != 0 && strcmp(name, "host") != 0))
        return 0;
    snprintf(pointer, sizeof pointer, "/jobs/%zu/baseline", i);
    return ovl_json_file_fault(
        path, pointer, "a name of its own is wanted here: blocking and host are those of cells that are judged, too",
        err);
}

static int check_hooks(const char *path, const char *where, const json_t *o, struct ovl_error *err)
{
    static const char *const hooks[] = {"before", "after"};
    for (size_t i = 0; i < 2; i++) {
        char pointer[96];
        const json_t *hook = json_object_get(o, hooks[i]);
        snprintf(pointer, sizeof pointer, "%s/%s/command", where, hooks[i]);
        if (hook && json_array_size(json_object_get(hook, "command")) == 0)
            return ovl_json_file_fault(path, pointer, "a program and its arguments are wanted here", err);
    }
    return 0;
}

/* Of the plan as a whole (where "") and of its jobs. */
static int check_part(const char *path, const char *where, const json_t *part, const char *word, struct ovl_error *err)
{
    return check_word(path, where, part, word, err) == 0 &&
                   check_environment(path, where, json_object_get(part, "environment"), err) == 0
               ? check_hooks(path, where, part, err)
               : -1;
}

static int check_texts(const char *path, const json_t *plan, struct ovl_error *err)
{
    const json_t *jobs = json_object_get(plan, "jobs");
    int rc = check_part(path, "", plan, "nonce", err);
    for (size_t i = 0; i < json_array_size(jobs) && rc == 0; i++) {
        char where[64];
        snprintf(where, sizeof where, "/jobs/%zu", i);
        rc = check_name(path, jobs, i, err) == 0 && check_baseline(path, i, json_array_get(jobs, i), err) == 0
                 ? check_part(path, where, json_array_get(jobs, i), "baseline", err)
                 : -1;
    }
    return rc;
}

/* The files of a plan, in the order in which they count: what a file includes stands before it. */
struct files {
    struct file {
        char *path, *text;
        json_t *json;
    } * file;
    size_t count;
    json_t *variables; /* of all of them */
};

/* A file that is being opened, and the one that includes it. */
struct chain {
    const struct chain *above;
    const char *path;
    struct stat file;
    size_t depth;
};

static int open_file(struct files *f, struct chain *c, struct ovl_error *err);

/* FOLDER OF `from` / name; name itself where it begins with a slash. */
static struct ovl_path path_beside(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    int folder = slash && *name != '/' ? (int)(slash - from) + 1 : 0;
    return ovl_path("%.*s%s", folder, from, name);
}

static int include(struct files *f, const struct chain *from, const char *name, size_t i, struct ovl_error *err)
{
    char pointer[32];
    const struct ovl_path path = path_beside(from->path, name);
    struct chain c = {.above = from, .path = path.text, .depth = from->depth + 1};
    snprintf(pointer, sizeof pointer, "/include/%zu", i);
    if (c.depth > DEEPEST)
        return ovl_json_file_fault(from->path, pointer, "too deep: 16 files may include each other in a row", err);
    if (stat(path.text, &c.file) == 0)
        for (const struct chain *a = from; a; a = a->above)
            if (a->file.st_dev == c.file.st_dev && a->file.st_ino == c.file.st_ino)
                return ovl_json_file_fault(from->path, pointer, "this file includes itself, at once or by others", err);
    return open_file(f, &c, err);
}

/* Each value is a number, a text, or null: it must be given. */
static int take_variables(struct files *f, const char *path, json_t *variables, struct ovl_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(variables, name, value) {
        char pointer[96];
        snprintf(pointer, sizeof pointer, "/variables/%.60s", name);
        if (!*name || !ovl_name_is_plain(name) || strpbrk(name, "-."))
            return ovl_json_file_fault(path, "/variables", "names of letters, digits and _ are wanted here", err);
        if (!json_is_number(value) && !json_is_string(value) && !json_is_null(value))
            return ovl_json_file_fault(path, pointer, "a number, a text or null is wanted here", err);
        json_t *whole = ovl_json_whole(value); /* as the kept plan has it when it is read again */
        json_object_set_new(f->variables, name, whole ? whole : json_incref(value));
    }
    return 0;
}

static int open_file(struct files *f, struct chain *c, struct ovl_error *err)
{
    char *text;
    json_t *json = ovl_json_file_parse(c->path, &text, err);
    const json_t *names = json_object_get(json, "include");
    int rc = json ? 0 : -1;
    for (size_t i = 0; i < json_array_size(names) && rc == 0; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        rc = name ? include(f, c, name, i, err) : 0; /* the schema tells what it is */
    }
    if (rc == 0)
        rc = take_variables(f, c->path, json_object_get(json, "variables"), err);
    if (!json)
        return -1;
    f->file = ovl_grow_one(f->file, f->count, sizeof *f->file);
    f->file[f->count++] = (struct file){ovl_text("%s", c->path), text, json};
    return rc;
}

static void close_files(struct files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->file[i].path);
        free(f->file[i].text);
        json_decref(f->file[i].json);
    }
    free(f->file);
    json_decref(f->variables);
}

/* What this file says counts before what was there; of variables each by itself. */
static void take_settings(struct ovl_plan_read *r, json_t *file)
{
    const char *name;
    json_t *value, *variables = json_object_get(r->json, "environment");
    json_object_foreach(file, name, value) {
        if (strcmp(name, "jobs") == 0 || strcmp(name, "include") == 0 || strcmp(name, "variables") == 0)
            continue;
        if (strcmp(name, "environment") == 0 && variables)
            json_object_update(variables, value);
        else
            json_object_set_new(r->json, name, json_deep_copy(value));
    }
}

static int take_file(struct ovl_plan_read *r, const struct file *f, const json_t *variables, struct ovl_error *err)
{
    const json_t *jobs = json_object_get(f->json, "jobs");
    int rc = ovl_plan_variables_put(f->json, variables, f->path, err);
    if (rc == 0)
        rc = ovl_json_file_check(f->path, f->text, f->json, "plan.schema.json", err);
    if (rc == 0)
        rc = check_texts(f->path, f->json, err);
    take_settings(r, f->json);
    for (size_t i = 0; i < json_array_size(jobs) && rc == 0; i++)
        rc = ovl_plan_scan(r, f->path, jobs, i, err);
    return rc;
}

/* The job that a name means, for the job of that index: one of that name, else of a scan that with the same values;
   -1 where there is none. */
static int find_job(const struct ovl_plan_read *r, const char *name, size_t of)
{
    const json_t *jobs = json_object_get(r->json, "jobs");
    const char *own = json_string_value(json_object_get(json_array_get(jobs, of), "name"));
    const char *values = r->source[of].base ? own + strlen(r->source[of].base) : NULL;
    int found = -1;
    for (size_t i = 0; i < r->count; i++) {
        const char *text = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
        const char *base = r->source[i].base;
        if (strcmp(text, name) == 0)
            return (int)i;
        if (values && base && strcmp(base, name) == 0 && strcmp(text + strlen(base), values) == 0)
            found = (int)i;
    }
    return found;
}

bool ovl_plan_of_proxy(const json_t *job)
{
    const char *program = json_string_value(json_object_get(job, "program")), *slash = strrchr(program, '/');
    for (const struct ovl_proxy *x = ovl_proxies; x->name; x++)
        if (strcmp(slash ? slash + 1 : program, x->program) == 0)
            return true;
    return false;
}

/* Makes `work_of` name a job of the plain plan. */
static int resolve_work(struct ovl_plan_read *r, const char *path, size_t i, struct ovl_error *err)
{
    json_t *job = json_array_get(json_object_get(r->json, "jobs"), i), *own = json_object_get(job, "work_of");
    const char *name = json_string_value(own ? own : json_object_get(r->json, "work_of"));
    int of = name ? find_job(r, name, i) : -1;
    static const char wanted[] = "the name of a job of this plan is wanted here";
    if (!name || (!own && ovl_plan_of_proxy(job)))
        return 0;
    if (own && ovl_plan_of_proxy(job))
        return fault(r, i, "/work_of", "no work_of is wanted here: this program's own options say its work", err);
    if (of < 0)
        return own ? fault(r, i, "/work_of", wanted, err) : ovl_json_file_fault(path, "/work_of", wanted, err);
    const json_t *source = json_array_get(json_object_get(r->json, "jobs"), (size_t)of);
    const json_t *modes = json_object_get(source, "modes");
    bool host = json_array_size(modes) == 0;
    for (size_t m = 0; m < json_array_size(modes); m++)
        host = host || strncmp(json_string_value(json_array_get(modes, m)), "host", 4) == 0;
    if (!host && source != job)
        return ovl_json_file_fault(path, "/work_of", "a job of mode host is wanted here, whose cells have the work",
                                   err);
    json_t *whole = json_object_get(source, "name");
    if (strcmp(name, json_string_value(whole)) != 0)
        json_object_set(job, "work_of", whole);
    return 0;
}

/* Nodes of the emulated cluster have no names to choose from. */
static int check_hosts(const struct ovl_plan_read *r, size_t i, struct ovl_error *err)
{
    const json_t *job = json_array_get(json_object_get(r->json, "jobs"), i), *own = json_object_get(job, "launcher");
    const char *kind = json_string_value(json_object_get(own ? own : json_object_get(r->json, "launcher"), "kind"));
    if (!json_object_get(job, "hosts") || !kind || strcmp(kind, "cluster") != 0)
        return 0;
    return fault(r, i, "/hosts", "no hosts are wanted here: launches on the emulated cluster cannot choose them", err);
}

static int check_jobs(struct ovl_plan_read *r, const char *path, struct ovl_error *err)
{
    const json_t *jobs = json_object_get(r->json, "jobs");
    json_t *names = json_object();
    int rc = 0;
    if (r->count == 0)
        rc = ovl_json_file_fault(path, "/jobs", "a job is wanted here: nothing to run", err);
    for (size_t i = 0; i < r->count && rc == 0; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(jobs, i), "name"));
        if (json_object_get(names, name))
            rc = fault(r, i, "/name", "another job has this name already", err);
        json_object_set_new(names, name, json_true());
    }
    json_decref(names);
    for (size_t i = 0; i < r->count && rc == 0; i++)
        rc = resolve_work(r, path, i, err) == 0 ? check_hosts(r, i, err) : -1;
    return rc;
}

int ovl_plan_read(struct ovl_plan_read *r, const char *path, const struct ovl_texts *set, struct ovl_error *err)
{
    struct chain c = {.path = path};
    struct files f = {.variables = json_object()};
    *r = (struct ovl_plan_read){.json = json_pack("{s:[]}", "jobs")};
    if (stat(path, &c.file) != 0)
        c.file = (struct stat){.st_ino = 0};
    int rc = open_file(&f, &c, err) == 0 ? ovl_plan_variables_set(f.variables, set, path, err) : -1;
    for (size_t i = 0; i < f.count && rc == 0; i++)
        rc = take_file(r, &f.file[i], f.variables, err);
    r->included = f.count > 1;
    if (rc == 0 && json_object_size(f.variables) > 0)
        json_object_set(r->json, "set", f.variables);
    close_files(&f);
    if (rc == 0 && check_jobs(r, path, err) == 0)
        return 0;
    ovl_plan_read_free(r);
    return -1;
}

void ovl_plan_read_free(struct ovl_plan_read *r)
{
    json_decref(r->json);
    for (size_t i = 0; i < r->count; i++) {
        free(r->source[i].file);
        free(r->source[i].base);
    }
    free(r->source);
    *r = (struct ovl_plan_read){.json = NULL};
}
